// SPDX-License-Identifier: Apache-2.0

// A console whose programs' answers are kept for the next run, where that is possible.
#pragma once

#include <string>

#include "cli/console.h"
#include "inputs/build_cache.h"

namespace trainjobc::cli {

class CachingConsole final : public WrappedConsole {
 public:
  explicit CachingConsole(Console& outer)
      : WrappedConsole(outer), programs_(outer.processes(), folder_in(outer)) {}

  base::ProcessRunner& processes() override { return programs_; }

 private:
  static std::string folder_in(const Console& console) {
    const std::string cache = cache_folder(console);
    return cache.empty() ? "" : cache + "/builds";
  }

  inputs::CachingRunner programs_;
};

}  // namespace trainjobc::cli
