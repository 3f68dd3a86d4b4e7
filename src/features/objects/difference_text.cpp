// SPDX-License-Identifier: Apache-2.0

#include "features/objects/difference_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "base/text/text.h"
#include "k8s/object_meta.h"
#include "k8s/violations.h"
#include "lint/report/document.h"
#include "secret/secret.h"
#include "yaml/changes.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::objects {
namespace {

using schema::Step;
using yaml::Node;

const Node* item_at(const Node& list, size_t index) {
  return index < list.size() ? list.items()[index] : nullptr;
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

std::vector<const Node*> nodes_like(const Node& root, const schema::FieldPath& path, ChildFinder& finder) {
  return walk(root, path, [&](const Node& parent, const Step& step) { return finder.find(parent, step); });
}

const Node* ChildFinder::find(const Node& parent, const Step& step) {
  if (!step.is_item()) return parent.get(step.key);
  const bool has_keys = step.schema && step.schema->list_type == schema::ListType::Map;
  if (!has_keys) return item_at(parent, step.index);
  const auto [list, is_new] = lists_.try_emplace({&parent, step.schema});
  if (is_new) {
    for (const Node* item : parent.items())
      list->second.emplace(schema::item_keys(*item, *step.schema), item);
  }
  return base::value_or(list->second, schema::item_keys(*step.item, *step.schema));
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
  const std::string_view open = !is_plain ? "[" : path.empty() ? "" : ".";
  std::string child;
  child.reserve(path.size() + key.size() + 2);
  return child.append(path).append(open).append(key).append(is_plain ? "" : "]");
}

// Lists parents before what they contain.
void list_fields(const Node& node, const std::string& path, std::vector<PlacedField>& fields) {
  if (node.origin().file())
    fields.push_back({node.origin().line(), node.origin().column(), path, node.is_scalar()});
  for (const yaml::Entry& entry : node.entries())
    list_fields(*entry.value, child_path(path, entry.key), fields);
  for (size_t i = 0; i < node.items().size(); ++i)
    list_fields(*node.items()[i], fmt::format("{}[{}]", path, i), fields);
}

// Values that an alias repeats have the place of their anchor: the last scalar counts, or the first map or
// list.
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

// The fields of one document of a file, by place.
class FieldsOfPart {
 public:
  explicit FieldsOfPart(const yaml::FoundDocument& found) : found_(found) {}

  uint32_t first_line() const { return found_.first_line; }

  // The field whose value is at the place; with `or_after`, or else the next one, since the place may be that
  // of a key.
  std::string at(uint32_t line, uint32_t column, bool or_after) {
    const std::lock_guard lock(mutex_);
    if (!is_known_) read();
    const auto place = std::tuple(line, column);
    const auto found = std::ranges::lower_bound(fields_, place, {}, &PlacedField::place);
    const bool is_there = found != fields_.end() && (or_after || found->place() == place);
    return is_there ? found->path : "";
  }

  void add(const Node& root) {
    const std::lock_guard lock(mutex_);
    if (!is_known_) index({&root});
  }

  void forget() {
    if (found_.text.size() > kLarge) return;
    const std::lock_guard lock(mutex_);
    std::vector<PlacedField>().swap(fields_);  // also frees their memory
    is_known_ = false;
  }

 private:
  static constexpr size_t kLarge = size_t{64} * 1024;  // bytes that take long to read again

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

// The documents of a file, which are read one at a time.
class FieldsOfFile {
 public:
  explicit FieldsOfFile(const base::SourceFile& source) {
    base::Diagnostics ignored;
    for (const yaml::FoundDocument& found : yaml::find_documents(source, ignored))
      parts_.push_back(std::make_unique<FieldsOfPart>(found));
  }

  // The document that contains the line; nullptr if none does.
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

FieldsOfPart* InputFields::part_at(const base::SourceFile* source, uint32_t line) {
  if (!source) return nullptr;
  std::unique_lock lock(mutex_);
  std::unique_ptr<FieldsOfFile>& file = files_[source];
  if (!file) file = std::make_unique<FieldsOfFile>(*source);
  lock.unlock();
  return file->part_at(line);
}

std::string InputFields::at(const base::Location& location) {
  FieldsOfPart* part = part_at(location.file, location.line);
  return part ? part->at(location.line, location.column, true) : "";
}

std::string InputFields::of(const Node& node) {
  const yaml::Origin& origin = node.origin();
  if (origin.file()) {
    FieldsOfPart* part = part_at(origin.file(), origin.line());
    return part ? without_pod_steps(part->at(origin.line(), origin.column(), false)) : "";
  }
  const yaml::Derivation* made = node.origin().derivation();
  if (!made) return "";
  const auto input =
      std::ranges::find_if(made->inputs, [](const Node* from) { return yaml::locate(*from).file; });
  return input != made->inputs.end() ? of(**input) : "";
}

void InputFields::add(const Node& root) {
  FieldsOfPart* part = part_at(root.origin().file(), root.origin().line());
  if (part) part->add(root);
}

void InputFields::forget(const Node& root) {
  FieldsOfPart* part = part_at(root.origin().file(), root.origin().line());
  if (part) part->forget();
}

namespace {

using yaml::Node;

constexpr size_t kMaxWidth = 56;  // of a value on one line
constexpr size_t kContext = 16;   // characters to keep around the first difference
constexpr std::string_view kCut = "…";

// The last place at or before `at` where no character is cut.
size_t boundary(std::string_view text, size_t at) {
  at = std::min(at, text.size());
  while (at > 0 && at < text.size() && base::is_continuation(text[at])) --at;
  return at;
}

std::string cut(std::string_view text, size_t begin, size_t end) {
  begin = boundary(text, begin);
  end = boundary(text, std::max(begin, end));
  return fmt::format("{}{}{}", begin > 0 ? kCut : "", text.substr(begin, end - begin),
                     end < text.size() ? kCut : "");
}

// Cuts both texts to the part where they differ.
void cut_to_difference(ValueTexts& texts) {
  const std::string& a = texts.live;
  const std::string& b = texts.rendered;
  const size_t shorter = std::min(a.size(), b.size());
  const auto ahead = std::ranges::mismatch(a, b);
  const auto same_ahead = static_cast<size_t>(ahead.in1 - a.begin());
  const auto tails = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  const size_t same_after = std::min(static_cast<size_t>(tails.first - a.rbegin()), shorter - same_ahead);
  const size_t begin = same_ahead > kContext ? same_ahead - kContext : 0;
  const auto shown = [&](const std::string& text) {
    return cut(text, begin, std::min(text.size() - same_after + kContext, begin + kMaxWidth));
  };
  texts = {shown(a), shown(b)};
}

bool is_file_mode(const Node& value, std::string_view key) {
  return value.is_int() && (key == "defaultMode" || key == "mode");
}

// `value` with file modes in octal; `key` is the value's key.
const Node* with_octal_modes(const Node& value, std::string_view key, const yaml::Maker& make) {
  if (is_file_mode(value, key) && value.as_int()) {
    const std::string text = k8s::mode_text(*value.as_int());
    return make.plain(yaml::Kind::Int, make.copied(text)->text());
  }
  return yaml::with_values(value, make, [&](std::string_view inner, const Node& one) {
    return with_octal_modes(one, inner, make);
  });
}

std::string keys_text(const Node& list, const schema::Schema* schema) {
  std::string text = "[";
  for (const Node* item : list.items()) {
    if (text.size() > 1) text += ", ";
    text += schema ? secret::without_keys(schema::item_keys(*item, *schema)) : readable_text(item, "");
  }
  return text + "]";
}

// The parts of a path, such as spec | replicatedJobs[node] | template…
std::vector<std::string> segments_of(const schema::FieldPath& path) {
  std::vector<std::string> segments;
  for (const schema::Step& step : path) {
    const std::string text = schema::to_keyed_string({step});
    if (text.starts_with('[') && !segments.empty()) {
      segments.back() += text;
    } else {
      segments.push_back(text);
    }
  }
  return segments;
}

// Where the steps from a replicatedJob to its pod spec begin, and how many there are.
constexpr size_t kPodStart = 2;
constexpr std::array<std::string_view, 4> kPodSteps{"template", "spec", "template", "spec"};

bool leads_to_pod(const std::vector<std::string>& segments) {
  return segments.size() > kPodStart + kPodSteps.size() && segments[1].starts_with("replicatedJobs[") &&
         std::equal(kPodSteps.begin(), kPodSteps.end(), segments.begin() + kPodStart);
}

std::string joined(std::span<const std::string> segments) {
  return fmt::format("{}", fmt::join(segments, "."));
}

std::string shortened(const std::vector<std::string>& segments, const std::vector<std::string>& above) {
  size_t shared = 0;
  while (shared + 1 < segments.size() && shared < above.size() && segments[shared] == above[shared]) ++shared;
  if (!leads_to_pod(segments)) {
    if (leads_to_pod(above)) shared = std::min(shared, kPodStart);
    if (shared < kPodStart) shared = 0;
    return (shared > 0 ? "…" : "") + joined(std::span(segments).subspan(shared));
  }
  const size_t pod = kPodStart + kPodSteps.size();
  const std::string job = shared >= kPodStart ? "" : joined(std::span(segments).first(kPodStart));
  return job + "…" + joined(std::span(segments).subspan(std::max(shared, pod)));
}

}  // namespace

std::string value_text(const Node* value) {
  if (!value) return "none";
  std::string text;
  yaml::write_json(*value, yaml::KeyOrder::Kubernetes, 0, text);
  return text;
}

std::string readable_text(const Node* value, std::string_view key) {
  base::Arena arena;
  return value_text(value ? with_octal_modes(*value, key, yaml::Maker(arena)) : nullptr);
}

ValueTexts value_texts(const Difference& difference) {
  if (difference.order) {
    const schema::Schema* list = schema::value_schema(difference.path.back());
    return {keys_text(*difference.live, list), keys_text(*difference.rendered, list)};
  }
  const std::string_view key = difference.path.empty() ? std::string_view() : difference.path.back().key;
  ValueTexts texts{readable_text(difference.live, key), readable_text(difference.rendered, key)};
  if (texts.live.size() <= kMaxWidth && texts.rendered.size() <= kMaxWidth) return texts;
  if (difference.live && difference.rendered) {
    cut_to_difference(texts);
  } else {
    texts = {cut(texts.live, 0, kMaxWidth), cut(texts.rendered, 0, kMaxWidth)};
  }
  return texts;
}

std::string short_path(const schema::FieldPath& path, const schema::FieldPath& above) {
  return shortened(segments_of(path), segments_of(above));
}

std::string without_pod_steps(std::string path) {
  constexpr std::string_view kSteps = ".template.spec.template.spec.";
  const size_t at = path.find(kSteps);
  return at == std::string::npos ? path : path.replace(at, kSteps.size(), kCut);
}

std::string title_of(const ObjectDiff& object) {
  return fmt::format("{} {}/{}{}", object.kind, k8s::effective_namespace(object.ns), object.name,
                     in_scope(object.scope));
}

std::string Causes::of(const Difference& difference) {
  const base::Location& location = difference.location;
  const std::string place = location.file ? base::place_of(location) : "";
  const bool same = !place.empty() && place == last_place_;
  last_place_ = place;
  if (!difference.rule.empty()) {
    if (place.empty()) return difference.rule;
    return fmt::format("{} {} {}", difference.rule, difference.is_around ? "in" : "from",
                       same ? "the same" : place);
  }
  if (place.empty()) return "";
  if (difference.is_around) return fmt::format("in {}", same ? "the same" : place);
  if (same) return "the same";
  return difference.field.empty() ? place : fmt::format("{}  {}", place, difference.field);
}

}  // namespace trainjobc::objects
