// SPDX-License-Identifier: Apache-2.0
// Parts of answers that several features share.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/source.h"
#include "rules/rules.h"
#include "schema/schema.h"
#include "features/lsp/features/cursor.h"
#include "features/lsp/protocol/protocol.h"

namespace trainjobc::lsp {

// Of bytes of the file.
nlohmann::json range_json(const base::SourceFile& file, size_t begin, size_t end);

// A rule with its explanation, in Markdown.
std::string rule_words(const rules::Rule& rule);

// A field with its type, description and limits, in Markdown; "" if the schema has no such field. `kind` of a
// configuration is "".
std::string field_words(std::string_view kind, const schema::Schema& root, const CursorPath& path);

// The lines of the description and the limits; "" if there is nothing to say.
std::string field_notes(std::string_view kind, const schema::Schema& field, const CursorPath& path);

}  // namespace trainjobc::lsp
