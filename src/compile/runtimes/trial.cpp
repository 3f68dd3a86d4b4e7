// SPDX-License-Identifier: Apache-2.0

#include "compile/runtimes/trial.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "compile/admission/admission.h"
#include "compile/render_job.h"
#include "compile/runtimes/trial_job.h"
#include "rules/rules.h"
#include "secret/secret.h"

namespace trainjobc::compile {
namespace {

using base::Diagnostic;
using base::Stage;

auto key_of(const Diagnostic& found) {
  return std::tuple(std::string_view(found.rule), std::string_view(found.field), found.location.file,
                    found.location.line, found.location.column);
}

bool holds(const std::vector<Diagnostic>& findings, const Diagnostic& wanted) {
  return std::ranges::any_of(findings,
                             [&](const Diagnostic& found) { return key_of(found) == key_of(wanted); });
}

// The errors of a TrainJob of this runtime; nullopt if there can be no such job.
std::optional<std::vector<Diagnostic>> errors_of(const Trial& trial, std::optional<int64_t> num_nodes) {
  JobUnit unit;
  unit.target = trial.target;
  unit.runtime = trial.runtime;
  const yaml::Maker make(unit.memory.arena);
  InputObject object;
  object.kind = InputKind::TrainJob;
  object.root = trial_job(*trial.runtime, *trial.target.behaviours, num_nodes, make);
  object.id = model::identify(*object.root);
  unit.source = object.root;
  const AdmittedObject admitted = admit_input(object, *trial.target.schemas, make, unit.diagnostics);
  if (!admitted.accepted) return std::nullopt;
  unit.job = model::decode_train_job(*admitted.root, *admitted.encoded);
  Options options;
  options.render = false;
  render_job(unit, options);
  std::vector<Diagnostic> errors;
  for (const Diagnostic& found : unit.diagnostics.items()) {
    if (found.severity == base::Severity::Error) errors.push_back(found);
  }
  return errors;
}

// Drops refusals that depend on the number of nodes.
void excuse_number_of_nodes(const Trial& trial, std::vector<Diagnostic>& errors) {
  constexpr std::array<int64_t, 2> kNumbers{1, 4096};
  for (const int64_t number : kNumbers) {
    if (errors.empty()) return;
    auto others = errors_of(trial, number);
    const auto is_known = [&](const Diagnostic& other) { return holds(errors, other); };
    if (others && std::ranges::all_of(*others, is_known)) errors = std::move(*others);
  }
}

// Turns `found`, a finding about the job, into one about its runtime.
Diagnostic about_runtime(Diagnostic found, const StoredRuntime& runtime) {
  constexpr std::string_view kSpec = "spec.";
  constexpr std::string_view kMetadata = "metadata.";
  if (found.stage == Stage::Input) {
    // The controller fails on the runtime, which the note shows.
    found.field.clear();
    if (!found.notes.empty()) found.location = found.notes.front().location;
    found.notes.clear();
  } else if (found.field.starts_with(kSpec)) {
    found.field.insert(0, "spec.template.");
  } else if (found.field.starts_with(kMetadata)) {
    found.field.insert(0, "spec.template.");
  }
  rules::defer(found);
  found.object = runtime.object.id.str();
  found.hide_source = false;
  return found;
}

void run(Trial& trial) {
  auto errors = errors_of(trial, std::nullopt);
  if (!errors) return;
  excuse_number_of_nodes(trial, *errors);
  for (Diagnostic& found : *errors) {
    trial.findings.add(about_runtime(std::move(found), *trial.runtime));
  }
  secret::hide_secrets(std::array{trial.runtime->object.root}, trial.findings);
}

}  // namespace

void run_trials(std::deque<Trial>& trials, const Options& options) {
  constexpr size_t kWorthAThread = 16;
  base::parallel_for(trials.size(), kWorthAThread, options.threads,
                     [&](size_t index) { run(trials[index]); });
}

}  // namespace trainjobc::compile
