// SPDX-License-Identifier: Apache-2.0

// Upper and lower case of all letters, for texts that Go's programs change.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::gitops {

enum class LetterCase { Upper, Lower };

// Each character in the other case, if that is one character; all others, and bytes that are not UTF-8, stay.
std::string in_case(std::string_view text, LetterCase wanted);
// The same for the first character only.
std::string with_first_in_case(std::string_view text, LetterCase wanted);

}  // namespace trainjobc::gitops
