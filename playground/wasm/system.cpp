// SPDX-License-Identifier: Apache-2.0

// What a browser lacks: processes, signals and repositories. No command that the page runs uses these.
#include <cerrno>

#include "base/clock.h"
#include "base/process.h"
#include "base/signals.h"
#include "inputs/revisions.h"
#include "inputs/roots.h"
#include "lint/deployers.h"

namespace trainjobc::base {

std::vector<IoResult<ProcessResult>> ProcessRunner::run_all(std::span<const ProcessRequest> requests) {
  std::vector<IoResult<ProcessResult>> results;
  for (const ProcessRequest& request : requests) results.push_back(run(request));
  return results;
}

IoResult<ProcessResult> RealProcessRunner::run(const ProcessRequest& request) {
  return io_error("run", request.argv[0], ENOSYS);
}

std::vector<IoResult<ProcessResult>> RealProcessRunner::run_all(std::span<const ProcessRequest> requests) {
  return ProcessRunner::run_all(requests);
}

HeldSignals::HeldSignals() = default;

HeldSignals::~HeldSignals() = default;

std::unique_ptr<Sleeper> RealClock::make_sleeper() {
  return nullptr;
}

}  // namespace trainjobc::base

namespace trainjobc::inputs {

std::vector<InputGroup> load_roots(RootLoader&, std::vector<Source>&) {
  return {};
}

base::IoResult<Revisions> open_revisions(base::FileSystem&, base::ProcessRunner&, const RevisionNames&,
                                         Request, std::chrono::milliseconds) {
  return base::io_error("run", "git", ENOSYS);
}

Loaded load_state(base::FileSystem&, base::ProcessRunner&, const Request&, const State&) {
  return {};
}

}  // namespace trainjobc::inputs

namespace trainjobc::lint {

Deployers::Deployers(const std::vector<inputs::InputGroup>&) {}

void Deployers::collect(const base::Diagnostics&) {}

void Deployers::name(base::Diagnostics&) const {}

}  // namespace trainjobc::lint
