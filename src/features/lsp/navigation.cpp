// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "compile/runtimes.h"
#include "features/lsp/answers.h"
#include "features/lsp/references.h"
#include "lint/report/findings.h"
#include "model/train_job.h"
#include "model/trainer_names.h"
#include "yaml/node.h"

namespace trainjobc::lsp {
namespace {

Json location_json(const yaml::Node* node, bool opens_virtual) {
  if (!node) return nullptr;
  const base::Location at = yaml::locate(*node);
  if (const auto location = location_of(at)) return *location;
  if (!opens_virtual || !at.file || !lint::is_built_in(at.file->name())) return nullptr;
  return {{"uri", fmt::format("{}://{}", kRuntimeScheme, at.file->name())}, {"range", range_of(at)}};
}

// The node of an object's name; the object itself if it has none.
const yaml::Node* name_node(const yaml::Node& root) {
  const yaml::Node* name = root.at({"metadata", "name"});
  return name ? name : &root;
}

// The place in the document itself to which a name refers.
Json own_definition(const DocumentId& document, const base::SourceFile& file, const Cursor& cursor,
                    const NameReference& reference) {
  const auto names = own_names(cursor, reference);
  const auto found = std::ranges::find(names, cursor.word, &OwnName::name);
  if (found == names.end()) return nullptr;
  return Location{document, range_of(file, found->begin, found->end)};
}

// The runtime to which the cursor points: the object itself, or that of a runtimeRef.
std::optional<RuntimeName> runtime_meant(const Workspace& workspace, const DocumentId& document,
                                         const Cursor& cursor) {
  const CursorPath& path = cursor.path;
  if (cursor.kind() == model::kTrainJob) {
    if (path.size() < 2 || path[1].key != "runtimeRef") return std::nullopt;
  } else if (!matches(path, {"metadata", "name"}) && !matches(path, {"metadata"}) &&
             !matches(path, {"kind"})) {
    return std::nullopt;  // a part of the runtime
  }
  return runtime_named(workspace, document, cursor);
}

// The protocol's SymbolKind.
enum class SymbolKind : uint8_t { Module = 2, Class = 5, Object = 19, Struct = 23, Event = 24 };

class SymbolTree {
 public:
  explicit SymbolTree(const base::SourceFile& file) : file_(file) {}

  // Adds the object in `entry`, or a whole document.
  void add_object(const SyntaxNode& object, size_t begin, size_t end, Json& out) const {
    const std::string_view kind = object.text_of("kind");
    const bool is_job = kind == model::kTrainJob;
    if (const SyntaxNode* items = object.get("items"); items && kind.ends_with("List")) {
      for (const SyntaxEntry& item : items->entries) add_object(item.value, item.begin, item.end, out);
      return;
    }
    if (!is_job && !model::is_runtime_kind(kind)) return;
    const SyntaxNode* name = object.at({"metadata", "name"});
    Json children = Json::array();
    if (is_job) {
      add_patches(object.get("spec"), children);
    } else {
      add_jobs(object.at({"spec", "template", "spec", "replicatedJobs"}), children);
    }
    const SyntaxNode& selected = name && name->is_scalar() ? *name : *object.get("kind");
    out.push_back(symbol(name && !name->text.empty() ? name->text : std::string(kind), kind,
                         is_job ? SymbolKind::Event : SymbolKind::Class, begin, end, selected));
    out.back()["children"] = std::move(children);
  }

 private:
  Json symbol(const std::string& name, std::string_view detail, SymbolKind kind, size_t begin, size_t end,
              const SyntaxNode& selected) const {
    return {{"name", name},
            {"detail", detail},
            {"kind", static_cast<int>(kind)},
            {"range", range_of(file_, begin, std::max(end, selected.end))},
            {"selectionRange", range_of(file_, selected.begin, selected.end)}};
  }

  // Adds an item that has a name; returns nullptr for others.
  Json* add_item(const SyntaxEntry& item, std::string_view detail, SymbolKind kind, Json& out) const {
    const SyntaxNode* name = item.value.get("name");
    if (!name || !name->is_scalar() || name->text.empty()) return nullptr;
    out.push_back(symbol(name->text, detail, kind, item.begin, item.end, *name));
    return &out.back();
  }

  void add_containers(const SyntaxNode* pod, Json& out) const {
    for (const std::string_view list : {"initContainers", "containers"}) {
      const std::string_view what = list == "containers" ? "container" : "init container";
      for (const SyntaxEntry& container : entries_of(pod ? pod->get(list) : nullptr))
        add_item(container, what, SymbolKind::Object, out);
    }
  }

  void add_jobs(const SyntaxNode* jobs, Json& out) const {
    for (const SyntaxEntry& job : entries_of(jobs)) {
      Json* added = add_item(job, "replicatedJob", SymbolKind::Module, out);
      if (!added) continue;
      Json children = Json::array();
      add_containers(job.value.at({"template", "spec", "template", "spec"}), children);
      (*added)["children"] = std::move(children);
    }
  }

  // Adds the replicatedJobs that a TrainJob changes.
  void add_patches(const SyntaxNode* spec, Json& out) const {
    if (!spec) return;
    for (const SyntaxEntry& patch : entries_of(spec->get(model::kRuntimePatches)))
      add_jobs(patch.value.at({"trainingRuntimeSpec", "template", "spec", "replicatedJobs"}), out);
    for (const SyntaxEntry& change : entries_of(spec->get(model::kPodTemplateOverrides)))
      add_containers(change.value.get("spec"), out);
    for (const SyntaxEntry& change : entries_of(spec->get(model::kPodSpecOverrides)))
      add_containers(&change.value, out);
  }

  const base::SourceFile& file_;
};

class FoldingRanges {
 public:
  explicit FoldingRanges(const base::SourceFile& file) : file_(file) {}

  Json take() {
    std::ranges::sort(folds_);
    folds_.erase(std::ranges::unique(folds_).begin(), folds_.end());
    Json out = Json::array();
    for (const auto& [first, last, is_comment] : folds_) {
      Json range{{"startLine", first - 1}, {"endLine", last - 1}};
      if (is_comment) range["kind"] = "comment";
      out.push_back(std::move(range));
    }
    return out;
  }

  void add_values(const SyntaxNode& value) {
    for (const SyntaxEntry& entry : value.entries) {
      const uint32_t first = file_.line_at(entry.begin);
      const uint32_t last = file_.line_at(entry.end > entry.begin ? entry.end - 1 : entry.end);
      if (last > first) folds_.emplace_back(first, last, false);
      add_values(entry.value);
    }
  }

  // Folds consecutive lines that are only comments.
  void add_comments() {
    uint32_t first = 0;
    for (uint32_t line = 1; line <= file_.line_count() + 1; ++line) {
      const bool is_comment = base::trimmed(file_.line(line)).starts_with('#');
      if (is_comment && first == 0) first = line;
      if (is_comment || first == 0) continue;
      if (first + 1 < line) folds_.emplace_back(first, line - 1, true);
      first = 0;
    }
  }

 private:
  const base::SourceFile& file_;
  std::vector<std::tuple<uint32_t, uint32_t, bool>> folds_;  // first and last line, counted from 1
};

size_t end_of_content(const SyntaxNode& document) {
  return document.entries.empty() ? document.end : document.entries.back().end;
}

}  // namespace

Json find_definition(const Workspace& workspace, const DocumentId& document, Position at,
                     bool opens_virtual) {
  const auto text = workspace.current(document);
  if (!text) return nullptr;
  const base::SourceFile& file = *text->file;
  const Cursor cursor = find_at_or_before(file.text(), offset_of(file, at));
  if (cursor.spot == Spot::None || cursor.spot == Spot::Comment) return nullptr;
  if (cursor.kind() == model::kTrainJob && matches(cursor.path, {"spec", "runtimeRef"})) {
    const auto runtime = runtime_of(workspace, document, cursor);
    return runtime ? location_json(name_node(*runtime->root), opens_virtual) : Json(nullptr);
  }
  const NameReference reference = reference_at(cursor);
  if (reference.of == NameOf::Nothing) return nullptr;
  if (reference.is_own) return own_definition(document, file, cursor, reference);
  const auto runtime = runtime_of(workspace, document, cursor);
  if (!runtime) return nullptr;
  if (reference.of == NameOf::Runtime) return location_json(name_node(*runtime->root), opens_virtual);
  const SyntaxNode* named = cursor.spot == Spot::Key ? cursor.along_path(cursor.path.size()) : nullptr;
  const std::string_view wanted = named ? std::string_view(named->text) : std::string_view(cursor.word);
  const auto names = names_in(*runtime->root, reference);
  const auto found = std::ranges::find(names, wanted, [](const yaml::Node* name) { return name->text(); });
  return found != names.end() ? location_json(*found, opens_virtual) : Json(nullptr);
}

Json find_references(const Workspace& workspace, const DocumentId& document, Position at,
                     bool include_declaration, bool opens_virtual) {
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
    if (Json location = location_json(node, opens_virtual); !location.is_null())
      locations.push_back(std::move(location));
  };
  const auto runtime = find_runtime(workspace, document, meant->kind, meant->name, meant->ns);
  if (include_declaration && runtime) add(name_node(*runtime->root));
  const DocumentId place = runtime && runtime->catalogue.empty() && runtime->location.file
                               ? base::absolute_path(runtime->location.file->name())
                               : document;
  for (const WorkspaceObject& job : workspace.jobs()) {
    if (!workspace.serves(place, job.document)) continue;
    if (const yaml::Node* name = reference_to(*meant, workspace, job)) add(name);
  }
  return locations;
}

std::variant<Json, WhyNot> virtual_document(std::string_view uri) {
  for (const compile::CatalogueFile& file : compile::catalogue_files()) {
    if (uri == fmt::format("{}://catalogue/v{}/{}", kRuntimeScheme, file.version, file.name))
      return Json{{"text", std::string(file.text)}};
  }
  return WhyNot{fmt::format("there is no document {}", uri)};
}

// The objects of a document with what runs in them, and its foldable parts; in a half-typed document, as far
// as they can be recognised.

Json document_symbols(const Workspace& workspace, const DocumentId& document) {
  const auto text = workspace.current(document);
  if (!text) return nullptr;
  const base::SourceFile& file = *text->file;
  Json symbols = Json::array();
  for (const DocumentExtent& extent : document_extents(file.text())) {
    const SyntaxNode root = parse_syntax(file.text(), extent);
    if (root.is_map()) SymbolTree(file).add_object(root, root.begin, end_of_content(root), symbols);
  }
  return symbols;
}

Json folding_ranges(const Workspace& workspace, const DocumentId& document) {
  const auto text = workspace.current(document);
  if (!text) return nullptr;
  const base::SourceFile& file = *text->file;
  FoldingRanges folding(file);
  for (const DocumentExtent& extent : document_extents(file.text())) {
    folding.add_values(parse_syntax(file.text(), extent));
  }
  folding.add_comments();
  return folding.take();
}

}  // namespace trainjobc::lsp
