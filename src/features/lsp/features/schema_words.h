// SPDX-License-Identifier: Apache-2.0
// The schema of what is at the cursor, in words.
#pragma once

#include <string>
#include <string_view>

#include "schema/schema.h"
#include "features/lsp/features/cursor.h"
#include "features/lsp/protocol/protocol.h"

namespace trainjobc::lsp {

// Whether the document is a .trainjobc.yaml.
bool is_settings_file(const DocumentId& document);

// Of the object at the cursor; nullptr if its kind has none.
const schema::Schema* object_schema(const schema::VersionSchemas& version, const DocumentId& document,
                                    const Cursor& cursor);

// After so many steps of the path; nullptr if the schema has no such field.
const schema::Schema* schema_along(const schema::Schema& root, const CursorPath& path, size_t steps);

// What the field at the path is for, in a sentence; "" if nothing is said about it. `kind` of a configuration
// is "".
std::string_view description_of(std::string_view kind, const CursorPath& path);

// "integer", "list of strings", "map of quantities"
std::string type_words(const schema::Schema& schema);

// "Default: 1. At least 1. One of: a, b." As sentences; "" if there is nothing to say.
std::string limit_words(const schema::Schema& schema);

bool requires_field(const schema::Schema& map, std::string_view name);

// Settings of .trainjobc.yaml.
const schema::Schema& configuration_schema();
std::string_view configuration_description(std::string_view path);

}  // namespace trainjobc::lsp
