// SPDX-License-Identifier: Apache-2.0

#include "features/cluster/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "features/cluster/difference_text.h"
#include "yaml/read/reader.h"

namespace trainjobc::cluster {
namespace {

using schema::Step;
using yaml::Node;

const Node* item_at(const Node& list, size_t index) {
  return index < list.size() ? list.items()[index] : nullptr;
}

const Node* item_like(const Node& list, const Step& step) {
  const bool has_keys = step.schema && step.schema->list_type == schema::ListType::Map;
  if (!has_keys) return item_at(list, step.index);
  const std::string keys = schema::item_keys(*step.item, *step.schema);
  const auto found = std::ranges::find_if(
      list.items(), [&](const Node* item) { return schema::item_keys(*item, *step.schema) == keys; });
  return found != list.items().end() ? *found : nullptr;
}

template <class Child>
std::vector<const Node*> walk(const Node& root, const schema::FieldPath& path, Child child) {
  std::vector<const Node*> nodes{&root};
  for (const Step& step : path) {
    const Node* next = child(*nodes.back(), step);
    if (!next) break;
    nodes.push_back(next);
  }
  return nodes;
}

}  // namespace

std::vector<const Node*> nodes_along(const Node& root, const schema::FieldPath& path, Side side) {
  return walk(root, path, [&](const Node& parent, const Step& step) {
    if (!step.is_item()) return parent.get(step.key);
    return item_at(parent, side == Side::Live ? step.live_index : step.index);
  });
}

std::vector<const Node*> nodes_like(const Node& root, const schema::FieldPath& path) {
  return walk(root, path, child_like);
}

const Node* child_like(const Node& parent, const Step& step) {
  return step.is_item() ? item_like(parent, step) : parent.get(step.key);
}

struct PlacedField {
  uint32_t line = 0;
  uint32_t column = 0;
  std::string path;
  bool is_scalar = false;

  auto place() const { return std::tuple(line, column); }
};

namespace {

std::string child_path(const std::string& path, std::string_view key) {
  const bool is_plain = key.find_first_of("./[]") == std::string_view::npos;
  std::string child;
  child.reserve(path.size() + key.size() + 2);
  child.append(path)
      .append(!is_plain      ? "["
              : path.empty() ? ""
                             : ".")
      .append(key)
      .append(is_plain ? "" : "]");
  return child;
}

// Parents before what is in them.
void list_fields(const Node& node, const std::string& path, std::vector<PlacedField>& fields) {
  if (node.origin().file())
    fields.push_back({node.origin().line(), node.origin().column(), path, node.is_scalar()});
  for (const yaml::Entry& entry : node.entries())
    list_fields(*entry.value, child_path(path, entry.key), fields);
  for (size_t i = 0; i < node.items().size(); ++i)
    list_fields(*node.items()[i], fmt::format("{}[{}]", path, i), fields);
}

// What an alias repeats has the place of its anchor: the last scalar counts, or the first map or list.
std::vector<PlacedField> one_per_place(std::vector<PlacedField> fields) {
  std::ranges::stable_sort(fields, {}, &PlacedField::place);
  std::vector<PlacedField> kept;
  for (PlacedField& field : fields) {
    const bool is_known = !kept.empty() && kept.back().place() == field.place();
    if (!is_known) {
      kept.push_back(std::move(field));
    } else if (field.is_scalar) {
      kept.back() = std::move(field);
    }
  }
  return kept;
}

}  // namespace

// The fields of one part of a file, by their places.
class FieldsOfPart {
 public:
  explicit FieldsOfPart(const yaml::FoundDocument& found) : found_(found) {}

  uint32_t first_line() const { return found_.first_line; }

  std::string at(uint32_t line, uint32_t column) {
    const std::lock_guard lock(mutex_);
    if (!is_known_) read();
    const auto place = std::tuple(line, column);
    const auto found = std::ranges::lower_bound(fields_, place, {}, &PlacedField::place);
    return found != fields_.end() && found->place() == place ? without_pod_steps(found->path) : "";
  }

  void add(const Node& root) {
    const std::lock_guard lock(mutex_);
    if (!is_known_) index({&root});
  }

  void forget() {
    const std::lock_guard lock(mutex_);
    fields_ = {};
    is_known_ = false;
  }

 private:
  void read() {
    base::Arena arena;
    base::Diagnostics ignored;
    std::vector<const Node*> roots;
    for (const yaml::Document& document : yaml::read_document(found_, arena, ignored))
      roots.push_back(document.root);
    index(roots);
  }

  void index(const std::vector<const Node*>& roots) {
    std::vector<PlacedField> fields;
    for (const Node* root : roots) list_fields(*root, "", fields);
    fields_ = one_per_place(std::move(fields));
    is_known_ = true;
  }

  yaml::FoundDocument found_;
  std::mutex mutex_;
  bool is_known_ = false;
  std::vector<PlacedField> fields_;
};

// The parts of a file, which are read one by one.
class FieldsOfFile {
 public:
  explicit FieldsOfFile(const base::SourceFile& source) {
    base::Diagnostics ignored;
    for (const yaml::FoundDocument& found : yaml::find_documents(source, ignored))
      parts_.push_back(std::make_unique<FieldsOfPart>(found));
  }

  // The part that contains the line; nullptr if none does.
  FieldsOfPart* part_at(uint32_t line) const {
    const auto after =
        std::ranges::upper_bound(parts_, line, {}, [](const auto& part) { return part->first_line(); });
    return after != parts_.begin() ? std::prev(after)->get() : nullptr;
  }

 private:
  std::vector<std::unique_ptr<FieldsOfPart>> parts_;
};

InputFields::InputFields() = default;
InputFields::~InputFields() = default;

FieldsOfFile& InputFields::file_of(const base::SourceFile& source) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<FieldsOfFile>& file = files_[&source];
  if (!file) file = std::make_unique<FieldsOfFile>(source);
  return *file;
}

std::string InputFields::of(const Node& node) {
  if (const base::SourceFile* file = node.origin().file()) {
    FieldsOfPart* part = file_of(*file).part_at(node.origin().line());
    return part ? part->at(node.origin().line(), node.origin().column()) : "";
  }
  const yaml::Derivation* made = node.origin().derivation();
  if (!made) return "";
  const auto input =
      std::ranges::find_if(made->inputs, [](const Node* from) { return yaml::locate(*from).file; });
  return input != made->inputs.end() ? of(**input) : "";
}

void InputFields::add(const Node& root) {
  const base::SourceFile* file = root.origin().file();
  FieldsOfPart* part = file ? file_of(*file).part_at(root.origin().line()) : nullptr;
  if (part) part->add(root);
}

void InputFields::forget(const Node& root) {
  const base::SourceFile* file = root.origin().file();
  FieldsOfPart* part = file ? file_of(*file).part_at(root.origin().line()) : nullptr;
  if (part) part->forget();
}

}  // namespace trainjobc::cluster
