// SPDX-License-Identifier: Apache-2.0

// A document that the reader for simple ones takes has the events that libyaml finds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "support/properties/simple_reading.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view document(reinterpret_cast<const char*>(data), size);
  if (!trainjobc::test::different_events(document).empty()) std::abort();
  return 0;
}
