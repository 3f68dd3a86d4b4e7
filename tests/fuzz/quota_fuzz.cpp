// SPDX-License-Identifier: Apache-2.0

// Any text as Kueue's objects: what each ClusterQueue can use, and whether jobs can be admitted.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/properties/planning.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string wrong =
      trainjobc::test::wrong_with_quota(std::string(reinterpret_cast<const char*>(data), size));
  if (wrong.empty()) return 0;
  std::fputs(wrong.c_str(), stderr);
  std::abort();
}
