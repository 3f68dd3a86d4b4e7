// SPDX-License-Identifier: Apache-2.0

// Any text as objects of a cluster: each format reports them, without their secrets. Any text as inputs: what
// they render to does not differ from itself.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/properties/comparing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const bool is_input = text.find("TrainJob") != std::string::npos;
  std::string wrong = trainjobc::test::wrong_with_live(text, size % 2 == 1);
  if (wrong.empty() && is_input) wrong = trainjobc::test::wrong_with_diff_of_itself(text);
  if (wrong.empty()) return 0;
  std::fputs(wrong.c_str(), stderr);
  std::abort();
}
