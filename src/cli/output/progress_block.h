// Lines of a terminal that are written over; nothing elsewhere.
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
  // In the place of those before; what a small terminal has no room for is left out, and counted.
  void show(std::vector<std::string> lines);
  // Before something else is written.
  void clear();

 private:
  Console& console_;
  size_t width_ = 0;
  std::vector<std::string> shown_;
};

}  // namespace trainjobc::cli
