// SPDX-License-Identifier: Apache-2.0

// Any bytes as edits and messages to the language server: its buffers are what the edits make of them, every
// request is answered, and every message is JSON.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "support/properties/lsp_edits.h"
#include "support/properties/sample.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trainjobc::test;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // A large workspace costs several times as much as a small one, and a second server as much as the first.
  const std::string wrong = wrong_with_edits(bytes, is_sampled(bytes, 64), is_sampled(bytes, 4));
  if (wrong.empty()) return 0;
  std::fputs(wrong.c_str(), stderr);
  std::abort();
}
