// SPDX-License-Identifier: Apache-2.0
// What is known about the place of the cursor.
#include <nlohmann/json.hpp>

#include "model/trainer_names.h"
#include "rules/rules.h"
#include "features/lsp/features/effects.h"
#include "features/lsp/features/features.h"
#include "features/lsp/features/replies.h"
#include "features/lsp/features/runtimes.h"
#include "features/lsp/features/schema_words.h"
#include "features/lsp/features/text_features.h"

namespace trainjobc::lsp {
namespace {

// "# trainjobc:ignore" suppresses; other comments may mention a rule, too.
std::string hover_rule(std::string_view id) {
  const rules::Rule* rule = rules::find_rule(id);
  return rule ? rule_words(*rule) : "";
}

// A setting of .trainjobc.yaml, or a rule there.
std::string hover_setting(const Cursor& cursor) {
  if (std::string rule = hover_rule(cursor.word); !rule.empty()) return rule;
  return field_words("", configuration_schema(), cursor.path);
}

bool is_at_runtime_ref(const Cursor& cursor) {
  return cursor.kind() == model::kTrainJob && cursor.path.size() >= 2 && cursor.path[0].key == "spec" &&
         cursor.path[1].key == "runtimeRef";
}

class FieldHover {
 public:
  FieldHover(const Workspace& workspace, const DocumentId& document, const Cursor& cursor)
      : workspace_(workspace), document_(document), cursor_(cursor) {}

  std::string words() {
    const schema::Schema* root = object_schema(workspace_.schemas_of(document_), document_, cursor_);
    if (!root) return "";
    add(field_words(cursor_.kind(), *root, cursor_.path));
    add(describe_effects(workspace_, document_, cursor_));
    if (is_at_runtime_ref(cursor_)) {
      if (const auto runtime = runtime_of(workspace_, document_, cursor_))
        add(describe_runtime(workspace_, *runtime), "\n\n---\n\n");
    }
    return out_;
  }

 private:
  void add(const std::string& part, std::string_view separator = "\n\n") {
    if (!out_.empty() && !part.empty()) out_ += separator;
    out_ += part;
  }

  const Workspace& workspace_;
  const DocumentId& document_;
  const Cursor& cursor_;
  std::string out_;
};

}  // namespace

nlohmann::json hover_in(const Workspace& workspace, const DocumentId& document, const base::SourceFile& file,
                        size_t offset) {
  const Cursor cursor = find_at_or_before(file.text(), offset);
  std::string words;
  if (cursor.spot == Spot::Comment) {
    words = hover_rule(cursor.word);
  } else if (cursor.spot != Spot::None) {
    words =
        is_settings_file(document) ? hover_setting(cursor) : FieldHover(workspace, document, cursor).words();
  }
  if (words.empty()) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", words}}},
          {"range", range_json(file, cursor.begin, cursor.end)}};
}

nlohmann::json hover(const Workspace& workspace, const DocumentId& document, Position at) {
  const auto text = workspace.current(document);
  if (!text) return nullptr;
  return hover_in(workspace, document, *text->file, offset_of(*text->file, at));
}

}  // namespace trainjobc::lsp
