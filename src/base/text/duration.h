// SPDX-License-Identifier: Apache-2.0

// Lengths of time as people write them.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace trainjobc::base {

// Reads a duration such as "90", "90s", "10m" or "2h"; nullopt for other text, or if it is longer than 2^32
// seconds.
std::optional<std::chrono::seconds> read_time(std::string_view text);

}  // namespace trainjobc::base
