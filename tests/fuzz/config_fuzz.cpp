// SPDX-License-Identifier: Apache-2.0

// Any text as a configuration, and as a manifest with comments: it is used or refused at a place of the file,
// and no finding gets lost but those that something suppresses.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/properties/configuring.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string wrong =
      trainjobc::test::wrong_with_configuration(std::string(reinterpret_cast<const char*>(data), size));
  if (wrong.empty()) return 0;
  std::fputs(wrong.c_str(), stderr);
  std::abort();
}
