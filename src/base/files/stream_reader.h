// SPDX-License-Identifier: Apache-2.0

// Reads what a pipe has, without waiting for its end.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace trainjobc::base {

// The next bytes of the descriptor; nullopt at the end, and after an error. "" if none come within `wait`; a
// negative one has no end.
std::optional<std::string> read_available(int descriptor, std::chrono::milliseconds wait);

}  // namespace trainjobc::base
