// SPDX-License-Identifier: Apache-2.0

// Any bytes as edits and messages to the language server: its buffers are what the edits make of them, every
// request is answered, and every message is JSON.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "support/properties/lsp_edits.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A large workspace costs several times as much as a small one.
  const bool is_large = size % 8 == 0;
  const std::string wrong =
      trainjobc::test::wrong_with_edits({reinterpret_cast<const char*>(data), size}, is_large);
  if (wrong.empty()) return 0;
  std::fputs(wrong.c_str(), stderr);
  std::abort();
}
