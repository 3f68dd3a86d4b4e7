// SPDX-License-Identifier: Apache-2.0

// The plain types as JSON, and back; what clients send may have any form.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

#include "features/lsp/protocol/protocol.h"

namespace trainjobc::lsp {

using Json = nlohmann::json;

// nlohmann finds these by their names.
void to_json(Json& json, const Position& position);
void to_json(Json& json, const Range& range);
void to_json(Json& json, const Location& location);

// False unless `value` is one.
bool read_position(const Json& value, Position& position);
bool read_range(const Json& value, Range& range);

// The value at the end of a path of keys; null if there is none.
const Json& member(const Json& value, std::initializer_list<const char*> path);
// The same, "" if it is not a string.
std::string text_member(const Json& value, std::initializer_list<const char*> path);

// On one line. Bytes that are not UTF-8 become U+FFFD.
std::string to_text(const Json& json);

}  // namespace trainjobc::lsp
