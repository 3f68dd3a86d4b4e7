// SPDX-License-Identifier: Apache-2.0

// Lines of a terminal that are overwritten; no output elsewhere.
#pragma once

#include <string>
#include <vector>

#include "cli/output/console.h"

namespace trainjobc::cli {

class ProgressBlock {
 public:
  explicit ProgressBlock(Console& console);
  ~ProgressBlock() { clear(); }
  ProgressBlock(const ProgressBlock&) = delete;
  ProgressBlock& operator=(const ProgressBlock&) = delete;

  bool is_shown() const { return width_ > 0; }
  // Replaces the previous lines. If the terminal is too small, lines are left out and counted.
  void show(std::vector<std::string> lines);
  // Call this before other output.
  void clear();

 private:
  Console& console_;
  size_t width_ = 0;
  std::vector<std::string> shown_;
};

}  // namespace trainjobc::cli
