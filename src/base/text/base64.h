// SPDX-License-Identifier: Apache-2.0

// Base64 with the standard alphabet and padding (RFC 4648 section 4), as Secrets, PEM and SSH write it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainjobc::base {

// One line without breaks, always padded.
std::string base64_encode(std::string_view bytes);

// The bytes of a canonical text. nullopt for anything else, so that a value has only one spelling: white
// space, line breaks, missing or misplaced padding and unused bits that are not zero are all invalid.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace trainjobc::base
