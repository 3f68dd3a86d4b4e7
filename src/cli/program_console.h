// SPDX-License-Identifier: Apache-2.0

// The console of the program: programs' answers are kept for the next run, where that is possible, and a line
// on the terminal says how far long work is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/text/layout.h"
#include "cli/console.h"
#include "cli/progress_line.h"
#include "inputs/build_cache.h"

namespace trainjobc::cli {

class ProgramConsole final : public WrappedConsole {
 public:
  explicit ProgramConsole(Console& outer)
      : WrappedConsole(outer), programs_(outer.processes(), folder_in(outer)) {
    if (!shows_progress(outer)) return;
    progress_.emplace([this](std::string_view line) {
      // A line that fills the last column would wrap.
      write_progress(base::cut(std::string(line), stderr_width() - 1));
    });
    programs_.report_to(&*progress_);
  }

  base::ProcessRunner& processes() override { return programs_; }
  base::Progress* progress() override { return progress_ ? &*progress_ : nullptr; }

 private:
  static std::string folder_in(const Console& console) {
    const std::string cache = cache_folder(console);
    return cache.empty() ? "" : cache + "/builds";
  }

  static bool shows_progress(const Console& console) {
    return console.stderr_is_terminal() && console.environment("CI").empty() &&
           console.environment("TERM") != "dumb";
  }

  inputs::CachingRunner programs_;
  std::optional<ProgressLine> progress_;
};

}  // namespace trainjobc::cli
