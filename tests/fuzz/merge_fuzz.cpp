// SPDX-License-Identifier: Apache-2.0

// Any two documents through strategic merge: what is merged reads back, and an empty patch changes nothing.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/properties/merging.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string wrong =
      trainjobc::test::wrong_with_merge(std::string(reinterpret_cast<const char*>(data), size));
  if (wrong.empty()) return 0;
  std::fputs(wrong.c_str(), stderr);
  std::abort();
}
