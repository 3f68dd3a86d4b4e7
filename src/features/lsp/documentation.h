// SPDX-License-Identifier: Apache-2.0

// Documentation of fields, settings and rules: for hover, and for what completion offers.
#pragma once

#include <string>
#include <string_view>

#include "base/source.h"
#include "features/lsp/cursor.h"
#include "features/lsp/protocol.h"
#include "features/lsp/workspace.h"
#include "rules/rules.h"
#include "schema/schema.h"

namespace trainjobc::lsp {

// The result of textDocument/hover.
Json hover(const Workspace& workspace, const DocumentId& document, Position at);
// The same at a byte of a text of the document that need not be the current one.
Json hover_in(const Workspace& workspace, const DocumentId& document, const base::SourceFile& file,
              size_t offset);

// Of the object at the cursor; nullptr if its kind has none.
const schema::Schema* object_schema(const schema::VersionSchemas& version, const DocumentId& document,
                                    const Cursor& cursor);

// After so many steps of the path; nullptr if the schema has no such field.
const schema::Schema* schema_along(const schema::Schema& root, const CursorPath& path, size_t steps);

// What the field at the path is for, in a sentence; "" if nothing is said about it. `kind` of a setting is
// "".
std::string_view description_of(std::string_view kind, const CursorPath& path);

// "integer", "list of strings", "map of quantities"
std::string type_words(const schema::Schema& schema);

// "Default: 1. At least 1. One of: a, b." As sentences; "" if there is nothing to say.
std::string limit_words(const schema::Schema& schema);

bool requires_field(const schema::Schema& map, std::string_view name);

// Settings of .trainjobc.yaml.
const schema::Schema& configuration_schema();
std::string_view configuration_description(std::string_view path);

// A rule with its explanation, in Markdown.
std::string rule_words(const rules::Rule& rule);

// The description of a field and its limits, in Markdown; "" if there are none. `kind` of a setting is "".
std::string field_notes(std::string_view kind, const schema::Schema& field, const CursorPath& path);

}  // namespace trainjobc::lsp
