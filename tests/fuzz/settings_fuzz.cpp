// SPDX-License-Identifier: Apache-2.0

// Any text as a repository's settings and manifest: lint reads them, or says where it can't.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/properties/sample.h"
#include "support/properties/settling.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string wrong = trainjobc::test::wrong_with_settings(text, trainjobc::test::is_sampled(text, 8));
  if (wrong.empty()) return 0;
  std::fputs(wrong.c_str(), stderr);
  std::abort();
}
