// SPDX-License-Identifier: Apache-2.0

// std::from_chars for floating-point numbers, which libc++ has only since version 20.
#pragma once

#include <string_view>
#include <system_error>

namespace trainjobc::base {

// Reads a decimal number that the text begins with. On an error, `value` stays the same; too large and too
// small numbers are result_out_of_range.
std::errc read_double(std::string_view text, double& value);

}  // namespace trainjobc::base
