// SPDX-License-Identifier: Apache-2.0

// Any text through --fix, migrate and function: what they write reads as well as what they read, holds the
// same values but for the change, and another run changes nothing.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/rewriting.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string wrong =
      trainjobc::test::wrong_with_rewriting(std::string(reinterpret_cast<const char*>(data), size));
  if (wrong.empty()) return 0;
  std::fputs(wrong.c_str(), stderr);
  std::abort();
}
