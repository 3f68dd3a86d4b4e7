// SPDX-License-Identifier: Apache-2.0
#include "features/lsp/features/replies.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "features/cluster/difference_text.h"
#include "features/lsp/features/schema_words.h"
#include "features/lsp/protocol/messages.h"
#include "policy/plugin.h"

namespace trainjobc::lsp {

nlohmann::json range_json(const base::SourceFile& file, size_t begin, size_t end) {
  return Range{position_of(file, begin), position_of(file, end)};
}

std::string rule_words(const rules::Rule& rule) {
  return fmt::format("**{}** · {}\n\n{}.\n\n{}", rule.id, base::to_string(rule.severity), rule.summary,
                     policy::explanation_of(rule));
}

std::string field_notes(std::string_view kind, const schema::Schema& field, const CursorPath& path) {
  std::string out(description_of(kind, path));
  if (!out.empty() && out.back() != '.') out += '.';
  const std::string limits = limit_words(field);
  if (!out.empty() && !limits.empty()) out += "\n\n";
  return out + limits;
}

std::string field_words(std::string_view kind, const schema::Schema& root, const CursorPath& path) {
  const schema::Schema* field = schema_along(root, path, path.size());
  if (!field || path.empty()) return "";
  std::string out =
      fmt::format("**{}** · {}", cluster::without_pod_steps(to_string(path)), type_words(*field));
  const CursorStep& last = path.back();
  const schema::Schema* map = last.is_item() ? nullptr : schema_along(root, path, path.size() - 1);
  if (map && requires_field(*map, last.key)) out += ", required";
  const std::string notes = field_notes(kind, *field, path);
  return notes.empty() ? out : out + "\n\n" + notes;
}

}  // namespace trainjobc::lsp
