// SPDX-License-Identifier: Apache-2.0

// Any text through --fix, migrate and function: what they write reads as well as what they read, holds the
// same values but for the change, and another run changes nothing.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/properties/rewriting.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trainjobc::test;
  constexpr std::array<const char*, 4> kVersions{"2.0", "2.1", "2.2", "2.3"};
  const std::string text(reinterpret_cast<const char*>(data), size);
  // A third of the cost of all properties for each text: migrate to one of the versions.
  std::string wrong = wrong_with_fix(text, "all");
  if (wrong.empty()) wrong = wrong_with_migrate(text, kVersions[size % kVersions.size()]);
  if (wrong.empty()) wrong = wrong_with_function(text);
  if (wrong.empty()) return 0;
  std::fputs(wrong.c_str(), stderr);
  std::abort();
}
