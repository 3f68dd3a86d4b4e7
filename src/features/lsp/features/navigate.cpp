// SPDX-License-Identifier: Apache-2.0
// From a name to what it names, and back.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "features/lsp/features/features.h"
#include "features/lsp/features/name_references.h"
#include "features/lsp/features/replies.h"
#include "features/lsp/features/runtimes.h"
#include "features/lsp/protocol/messages.h"
#include "k8s/object_meta.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "yaml/node.h"
#include "yaml/token.h"

namespace trainjobc::lsp {
namespace {

Json location_json(const yaml::Node* node) {
  const base::Location at = node ? yaml::locate(*node) : base::Location{};
  const auto location = at.file ? location_of(at) : std::nullopt;
  return location ? Json(*location) : Json(nullptr);
}

// The name of an object; the object itself, if it has none.
const yaml::Node* name_node(const yaml::Node& root) {
  const yaml::Node* name = root.at({"metadata", "name"});
  return name ? name : &root;
}

// The value that a name in the document itself refers to.
Json own_definition(const DocumentId& document, const base::SourceFile& file, const Cursor& cursor,
                    const NameReference& reference) {
  const auto names = own_names(cursor, reference);
  const auto found = std::ranges::find(names, cursor.word, &OwnName::name);
  if (found == names.end()) return nullptr;
  return Location{document, {position_of(file, found->begin), position_of(file, found->end)}};
}

// The runtime that is meant at the cursor: the object itself, or that of a runtimeRef.
std::optional<RuntimeName> runtime_meant(const Workspace& workspace, const DocumentId& document,
                                         const Cursor& cursor) {
  const CursorPath& path = cursor.path;
  if (cursor.kind() == model::kTrainJob && path.size() >= 2 && path[1].key == "runtimeRef") {
    const Sketch* reference = cursor.at({"spec", "runtimeRef"});
    if (!reference) return std::nullopt;  // of two specs, the first one counts
    return runtime_name(workspace, document, cursor, reference->text_of("kind"), reference->text_of("name"));
  }
  const bool is_runtime =
      cursor.kind() == model::kClusterTrainingRuntime || cursor.kind() == model::kTrainingRuntime;
  // Elsewhere in a runtime, it is not the runtime as a whole that is meant.
  const bool names_it =
      matches(path, {"metadata", "name"}) || matches(path, {"metadata"}) || matches(path, {"kind"});
  if (!is_runtime || !names_it) return std::nullopt;
  return runtime_name(workspace, document, cursor, cursor.kind(), cursor.name());
}

}  // namespace

Json find_definition(const Workspace& workspace, const DocumentId& document, Position at) {
  const auto text = workspace.current(document);
  if (!text) return nullptr;
  const base::SourceFile& file = *text->file;
  const Cursor cursor = find_at_or_before(file.text(), offset_of(file, at));
  if (cursor.spot == Spot::None || cursor.spot == Spot::Comment) return nullptr;
  if (cursor.kind() == model::kTrainJob && matches(cursor.path, {"spec", "runtimeRef"})) {
    const auto runtime = runtime_of(workspace, document, cursor);
    return runtime ? location_json(name_node(*runtime->root)) : Json(nullptr);
  }
  const NameReference reference = reference_at(cursor);
  if (reference.of == NameOf::Nothing) return nullptr;
  if (reference.is_own) return own_definition(document, file, cursor, reference);
  const auto runtime = runtime_of(workspace, document, cursor);
  if (!runtime) return nullptr;
  if (reference.of == NameOf::Runtime) return location_json(name_node(*runtime->root));
  const Sketch* named = cursor.spot == Spot::Key ? cursor.along_path(cursor.path.size()) : nullptr;
  const std::string_view wanted = named ? std::string_view(named->text) : std::string_view(cursor.word);
  const auto names = names_in(*runtime->root, reference);
  const auto found = std::ranges::find(names, wanted, [](const yaml::Node* name) { return name->text(); });
  return found != names.end() ? location_json(*found) : Json(nullptr);
}

Json find_references(const Workspace& workspace, const DocumentId& document, Position at,
                     bool include_declaration) {
  const auto text = workspace.current(document);
  if (!text) return nullptr;
  const base::SourceFile& file = *text->file;
  const Cursor cursor = find_at_or_before(file.text(), offset_of(file, at));
  const auto meant = cursor.spot == Spot::None || cursor.spot == Spot::Comment
                         ? std::nullopt
                         : runtime_meant(workspace, document, cursor);
  if (!meant || meant->name.empty()) return nullptr;
  Json locations = Json::array();
  const auto add = [&](const yaml::Node* node) {
    if (Json location = location_json(node); !location.is_null()) locations.push_back(std::move(location));
  };
  if (include_declaration) {
    if (const auto runtime = find_runtime(workspace, document, meant->kind, meant->name, meant->ns))
      add(name_node(*runtime->root));
  }
  for (const WorkspaceObject& job : workspace.jobs()) {
    if (const yaml::Node* name = reference_to(*meant, workspace, job)) add(name);
  }
  return locations;
}

}  // namespace trainjobc::lsp
