// SPDX-License-Identifier: Apache-2.0

// Reads what a pipe has, without waiting for its end.
#pragma once

#include <optional>
#include <string>

namespace trainjobc::base {

// The next bytes of the descriptor; nullopt at the end, and after an error. If there are none yet: waits for
// them, or returns "".
std::optional<std::string> read_available(int descriptor, bool waits);

}  // namespace trainjobc::base
