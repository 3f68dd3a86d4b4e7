// SPDX-License-Identifier: Apache-2.0

// Where fields have descriptions; description_of in json_schema.h has their text.
#pragma once

#include <string_view>

namespace trainjobc::json_schema {

// Whether fields of the field at that path have descriptions.
bool has_descriptions_below(std::string_view path);

}  // namespace trainjobc::json_schema
