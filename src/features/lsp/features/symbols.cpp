// SPDX-License-Identifier: Apache-2.0
// The objects of a document and what runs in them; its foldable parts. Of a half-typed document, as far as
// they can be made out.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "features/lsp/features/cursor.h"
#include "features/lsp/features/features.h"
#include "features/lsp/features/replies.h"
#include "features/lsp/protocol/messages.h"
#include "model/train_job.h"
#include "model/trainer_names.h"

namespace trainjobc::lsp {
namespace {

// SymbolKind of the protocol.
enum class SymbolKind : uint8_t { Module = 2, Class = 5, Object = 19, Struct = 23, Event = 24 };

const Sketch* child(const Sketch* value, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) value = value ? value->get(key) : nullptr;
  return value;
}

class SymbolTree {
 public:
  explicit SymbolTree(const base::SourceFile& file) : file_(file) {}

  // The object in `entry`, or a whole document.
  void add_object(const Sketch& object, size_t begin, size_t end, Json& out) const {
    const std::string_view kind = object.text_of("kind");
    const bool is_job = kind == model::kTrainJob;
    if (const Sketch* items = object.get("items"); items && kind.ends_with("List")) {
      for (const SketchEntry& item : items->entries) add_object(item.value, item.begin, item.end, out);
      return;
    }
    if (!is_job && kind != model::kTrainingRuntime && kind != model::kClusterTrainingRuntime) return;
    const Sketch* name = child(&object, {"metadata", "name"});
    Json children = Json::array();
    const Sketch* spec = object.get("spec");
    if (is_job) {
      add_patches(spec, children);
    } else {
      add_jobs(child(spec, {"template", "spec", "replicatedJobs"}), children);
    }
    const Sketch& selected = name && name->is_scalar() ? *name : *object.get("kind");
    out.push_back(symbol(name && !name->text.empty() ? name->text : std::string(kind), kind,
                         is_job ? SymbolKind::Event : SymbolKind::Class, begin, end, selected));
    out.back()["children"] = std::move(children);
  }

 private:
  Json symbol(const std::string& name, std::string_view detail, SymbolKind kind, size_t begin, size_t end,
              const Sketch& selected) const {
    return {{"name", name},
            {"detail", detail},
            {"kind", static_cast<int>(kind)},
            {"range", range_json(file_, begin, std::max(end, selected.end))},
            {"selectionRange", range_json(file_, selected.begin, selected.end)}};
  }

  // An item with a name; nullptr for others.
  Json* add_item(const SketchEntry& item, std::string_view detail, SymbolKind kind, Json& out) const {
    const Sketch* name = item.value.get("name");
    if (!name || !name->is_scalar() || name->text.empty()) return nullptr;
    out.push_back(symbol(name->text, detail, kind, item.begin, item.end, *name));
    return &out.back();
  }

  void add_containers(const Sketch* pod, Json& out) const {
    for (const std::string_view list : {"initContainers", "containers"}) {
      const Sketch* containers = pod ? pod->get(list) : nullptr;
      if (!containers) continue;
      const std::string_view what = list == "containers" ? "container" : "init container";
      for (const SketchEntry& container : containers->entries)
        add_item(container, what, SymbolKind::Object, out);
    }
  }

  void add_jobs(const Sketch* jobs, Json& out) const {
    if (!jobs) return;
    for (const SketchEntry& job : jobs->entries) {
      Json* added = add_item(job, "replicatedJob", SymbolKind::Module, out);
      if (!added) continue;
      Json children = Json::array();
      add_containers(child(&job.value, {"template", "spec", "template", "spec"}), children);
      (*added)["children"] = std::move(children);
    }
  }

  // The replicatedJobs that a TrainJob changes.
  void add_patches(const Sketch* spec, Json& out) const {
    if (const Sketch* patches = child(spec, {model::kRuntimePatches})) {
      for (const SketchEntry& patch : patches->entries)
        add_jobs(child(&patch.value, {"trainingRuntimeSpec", "template", "spec", "replicatedJobs"}), out);
    }
    for (const std::string_view field : {model::kPodTemplateOverrides, model::kPodSpecOverrides}) {
      const Sketch* overrides = spec ? spec->get(field) : nullptr;
      if (!overrides) continue;
      for (const SketchEntry& change : overrides->entries) {
        const bool is_pod_spec = field == model::kPodSpecOverrides;
        add_containers(is_pod_spec ? &change.value : change.value.get("spec"), out);
      }
    }
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

  void add_values(const Sketch& value) {
    for (const SketchEntry& entry : value.entries) {
      add(entry.begin, entry.end, false);
      add_values(entry.value);
    }
  }

  // Blocks of lines that are comments only.
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

  void add(size_t begin, size_t end, bool is_comment) {
    const uint32_t first = file_.line_at(begin);
    const uint32_t last = file_.line_at(end > begin ? end - 1 : end);
    if (last > first) folds_.emplace_back(first, last, is_comment);
  }

 private:
  const base::SourceFile& file_;
  std::vector<std::tuple<uint32_t, uint32_t, bool>> folds_;  // first and last line, from 1
};

size_t end_of_content(const Sketch& document) {
  return document.entries.empty() ? document.end : document.entries.back().end;
}

}  // namespace

Json document_symbols(const Workspace& workspace, const DocumentId& document) {
  const auto text = workspace.current(document);
  if (!text) return nullptr;
  const base::SourceFile& file = *text->file;
  Json symbols = Json::array();
  for (const DocumentExtent& extent : document_extents(file.text())) {
    const Sketch root = sketch_document(file.text(), extent);
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
    const Sketch root = sketch_document(file.text(), extent);
    folding.add_values(root);
  }
  folding.add_comments();
  return folding.take();
}

}  // namespace trainjobc::lsp
