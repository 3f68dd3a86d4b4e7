// SPDX-License-Identifier: Apache-2.0

#include "base/text/duration.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <system_error>

namespace trainjobc::base {

std::optional<std::chrono::seconds> read_time(std::string_view text) {
  constexpr uint64_t kLongest = std::numeric_limits<unsigned>::max();
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view unit = text.substr(digits);
  const uint64_t factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  uint64_t amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, amount);
  if (digits == 0 || factor == 0 || error != std::errc() || amount > kLongest / factor) return std::nullopt;
  return std::chrono::seconds(amount * factor);
}

}  // namespace trainjobc::base
