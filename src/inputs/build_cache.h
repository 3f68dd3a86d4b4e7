// SPDX-License-Identifier: Apache-2.0

// What kustomize and helm printed, kept by the content of what they read, for the next run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/descriptor.h"
#include "base/process.h"

namespace trainjobc::inputs {

// A folder of texts by name. It reads only this user's files. Other runs may use it at the same time. A text
// that can't be read or written counts as not kept.
class TextStore {
 public:
  // Creates the folder when it is first used; with "", keeps nothing.
  explicit TextStore(std::string folder, uint64_t limit);

  std::optional<std::string> find(const std::string& name);
  bool keep(const std::string& name, std::string_view text);
  // If the texts take more than the limit, removes those that were not used for the longest time.
  void shrink();

 private:
  bool open();

  std::string path_;
  uint64_t limit_;
  bool is_tried_ = false;
  base::Descriptor folder_;
};

// Runs programs, but answers a request from the store if it says what its output depends on and the output is
// known. Keeps only the output of successful runs that has no Secret in it, and only of programs that can't
// be scripts or start another one.
class CachingRunner final : public base::ProcessRunner {
 public:
  static constexpr uint64_t kUsualLimit = uint64_t{256} << 20U;

  CachingRunner(base::ProcessRunner& programs, std::string folder, uint64_t limit = kUsualLimit)
      : programs_(programs), store_(std::move(folder), limit) {}

  base::IoResult<base::ProcessResult> run(const base::ProcessRequest& request) override;
  std::vector<base::IoResult<base::ProcessResult>> run_all(
      std::span<const base::ProcessRequest> requests) override;
  base::ProcessRunner& without_cache() override { return programs_; }
  void report_to(base::Progress* progress) override { programs_.report_to(progress); }

 private:
  base::ProcessRunner& programs_;
  TextStore store_;
};

}  // namespace trainjobc::inputs
