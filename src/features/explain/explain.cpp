// SPDX-License-Identifier: Apache-2.0

#include "features/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/text/layout.h"
#include "base/text/text.h"
#include "compile/merge.h"
#include "features/objects/differences.h"
#include "lint/report/document.h"
#include "lint/report/json.h"
#include "platform/limits.h"
#include "secret/secret.h"
#include "yaml/node.h"
#include "yaml/write/writer.h"

namespace trainjobc::explain {
namespace {

using Step = FieldSelector::Step;

bool begins_json_path(std::string_view text) {
  return text.starts_with('$') || text.starts_with('.') || text.starts_with('{');
}

// Reads a JSONPath; `error` says what is wrong with it.
class PathReader {
 public:
  explicit PathReader(std::string_view text) : text_(text) {
    if (text_.starts_with('{') && text_.ends_with('}')) text_ = text_.substr(1, text_.size() - 2);
    if (text_.starts_with('$')) text_.remove_prefix(1);
  }

  std::vector<Step> steps;
  std::string error;

  void read() {
    while (at_ < text_.size() && error.empty()) {
      if (text_[at_] == '[') {
        read_bracket();
      } else if (text_.substr(at_).starts_with("..")) {
        steps.emplace_back(FieldSelector::Below{});
        at_ += at_ + 2 < text_.size() && text_[at_ + 2] == '[' ? 2 : 1;
      } else if (text_[at_] == '.') {
        ++at_;
        read_name();
      } else {
        fail("a step must begin with . or [");
      }
    }
    if (error.empty() && steps.empty()) fail("it selects nothing");
  }

 private:
  void fail(std::string_view why) {
    error = fmt::format("at \"{}\": {}", text_.substr(std::min(at_, text_.size())), why);
  }

  void read_name() {
    std::string name;
    for (; at_ < text_.size() && text_[at_] != '.' && text_[at_] != '['; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      name += text_[at_];
    }
    if (name.empty()) {
      if (at_ < text_.size()) fail("a name is missing");
      return;  // a final dot means the field itself
    }
    if (name == "*") {
      steps.emplace_back(FieldSelector::Any{});
    } else {
      steps.emplace_back(FieldSelector::Key{std::move(name)});
    }
  }

  void read_bracket() {
    const size_t close = end_of_bracket();
    if (close == std::string_view::npos) return fail("] is missing");
    const std::string_view inner = text_.substr(at_ + 1, close - at_ - 1);
    if (inner == "*") {
      steps.emplace_back(FieldSelector::Any{});
    } else if (inner.starts_with("?(") && inner.ends_with(')')) {
      read_filter(inner.substr(2, inner.size() - 3));
    } else if (inner.size() >= 2 && (inner.front() == '\'' || inner.front() == '"') &&
               inner.back() == inner.front()) {
      steps.emplace_back(FieldSelector::Key{std::string(inner.substr(1, inner.size() - 2))});
    } else {
      const auto index = base::read_integer(inner);
      if (!index) return fail("write a number, *, 'key' or ?(@.name==\"value\")");
      steps.emplace_back(FieldSelector::Index{*index});
    }
    at_ = close + 1;
  }

  // The position of the closing bracket; brackets in quotes don't count.
  size_t end_of_bracket() const {
    char quote = 0;
    for (size_t i = at_ + 1; i < text_.size(); ++i) {
      if (quote != 0) {
        if (text_[i] == quote) quote = 0;
      } else if (text_[i] == '\'' || text_[i] == '"') {
        quote = text_[i];
      } else if (text_[i] == ']') {
        return i;
      }
    }
    return std::string_view::npos;
  }

  // Reads a filter such as @.name=="node".
  void read_filter(std::string_view inner) {
    const size_t is_equal = inner.find("==");
    const size_t differs = inner.find("!=");
    const size_t op = std::min(is_equal, differs);
    if (!inner.starts_with("@.") || op == std::string_view::npos)
      return fail("a filter is ?(@.name==\"value\")");
    FieldSelector::Filter filter;
    filter.equal = op == is_equal;
    for (const std::string_view key : base::split(base::trimmed(inner.substr(2, op - 2), " "), "."))
      filter.field.emplace_back(key);
    std::string_view value = base::trimmed(inner.substr(op + 2), " ");
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
      value = value.substr(1, value.size() - 2);
    filter.value = value;
    steps.emplace_back(std::move(filter));
  }

  std::string_view text_;
  size_t at_ = 0;
};

bool passes(const FieldSelector::Filter& filter, const yaml::Node& item) {
  const yaml::Node* value = &item;
  for (const std::string& key : filter.field) value = value ? value->get(key) : nullptr;
  return (value && value->is_scalar() && value->text() == filter.value) == filter.equal;
}

// `size` is that of the map or list.
bool fits_step(const Step& wanted, const schema::Step& step, size_t size) {
  if (std::holds_alternative<FieldSelector::Any>(wanted)) return true;
  if (const auto* key = std::get_if<FieldSelector::Key>(&wanted))
    return !step.is_item() && step.key == key->name;
  if (!step.is_item()) return false;
  if (const auto* filter = std::get_if<FieldSelector::Filter>(&wanted))
    return step.item && passes(*filter, *step.item);
  const auto* index = std::get_if<FieldSelector::Index>(&wanted);
  if (!index) return false;
  const int64_t from_begin = index->index < 0 ? index->index + static_cast<int64_t>(size) : index->index;
  return static_cast<int64_t>(step.index) == from_begin;
}

}  // namespace

std::string FieldSelector::check(std::string_view text) {
  if (!begins_json_path(text)) return "";
  PathReader reader(text);
  reader.read();
  return reader.error;
}

FieldSelector::FieldSelector(std::string_view text) {
  if (!begins_json_path(text)) {
    text_ = text;
    return;
  }
  PathReader reader(text);
  reader.read();
  steps_ = std::move(reader.steps);
}

bool FieldSelector::selects(const Place& place) const {
  if (!steps_.empty()) return matches(place, 0, 0);
  return place.indexed.find(text_) != std::string_view::npos ||
         place.keyed.find(text_) != std::string_view::npos;
}

bool FieldSelector::matches(const Place& place, size_t at, size_t step) const {
  if (step == steps_.size()) return true;
  if (std::holds_alternative<Below>(steps_[step])) {
    for (size_t from = at; from <= place.path.size(); ++from) {
      if (matches(place, from, step + 1)) return true;
    }
    return false;
  }
  return at < place.path.size() && fits_step(steps_[step], place.path[at], place.sizes[at]) &&
         matches(place, at + 1, step + 1);
}

namespace {

using report::Json;
using yaml::Node;

// A part of a JobSet as it was in the runtime, and after each override of the job; or, for metadata, as each
// of these has it.
struct Merge {
  std::span<const Node* const> steps;
  bool is_metadata = false;

  std::string name_of(size_t step) const {
    if (step == 0) return "runtime";
    if (is_metadata && step == 1) return "job";
    return fmt::format("override {}", is_metadata ? step - 1 : step);
  }
};

std::optional<Merge> merge_of(const Node& node) {
  const yaml::Derivation* made = node.origin().derivation();
  if (!made) return std::nullopt;
  const bool is_metadata = made->rule == compile::kMergedMetadataRule;
  if (!is_metadata && made->rule != compile::kMergedRule) return std::nullopt;
  return Merge{made->inputs, is_metadata};
}

class Walk {
 public:
  Walk(const Wanted& wanted, objects::InputFields& inputs, const yaml::Maker& make,
       std::vector<FieldOrigin>& out)
      : wanted_(wanted), inputs_(inputs), make_(make), out_(out) {}

  void visit(const Node& node, const schema::Schema* schema) {
    const std::optional<Merge> merge = merge_of(node);
    if (!merge) {
      visit_fields(node, schema);
      return;
    }
    const Merge outer = std::exchange(merge_, *merge);
    const std::vector<const Node*> outer_values =
        std::exchange(values_, {merge->steps.begin(), merge->steps.end()});
    visit_fields(node, schema);
    merge_ = outer;
    values_ = outer_values;
  }

 private:
  void visit_fields(const Node& node, const schema::Schema* schema) {
    if (node.size() == 0 || node.is_scalar()) {
      add(node);
      return;
    }
    for (const yaml::Entry& entry : node.entries())
      descend({.schema = schema, .key = entry.key}, *entry.value, node.size());
    for (size_t i = 0; i < node.items().size(); ++i) {
      const Node* item = node.items()[i];
      descend({.schema = schema, .item = item, .index = i}, *item, node.size());
    }
  }

  void descend(const schema::Step& step, const Node& value, size_t size) {
    path_.push_back(step);
    sizes_.push_back(size);
    enter(step);
    visit(value, schema::value_schema(step));
    values_.resize(values_.size() - merge_.steps.size());
    path_.pop_back();
    sizes_.pop_back();
  }

  void enter(const schema::Step& step) {
    const size_t count = merge_.steps.size();
    for (size_t i = 0; i < count; ++i) {
      const Node* parent = values_[values_.size() - count];
      values_.push_back(parent ? finder_.find(*parent, step) : nullptr);
    }
  }

  void add(const Node& node) {
    FieldOrigin field;
    const yaml::Derivation* made = node.origin().derivation();
    const bool is_of_limits = made && made->rule == platform::kLimitDefault;
    if (wanted_.paths || is_of_limits || !wanted_.field.selects_all()) {
      field.path = schema::to_string(path_);
      if (!selects(field.path)) return;
      field.short_path = objects::short_path(path_);
    }
    field.value = &node;
    field.location = yaml::locate(node);
    field.input_field = inputs_.of(node);
    if (made) field.rule = made->rule;
    add_earlier(node, field);
    out_.push_back(std::move(field));
  }

  bool selects(const std::string& path) const {
    return wanted_.field.selects_all() ||
           wanted_.field.selects({path_, sizes_, path, schema::to_keyed_string(path_)});
  }

  // Adds the value at each step of the merge that differs from the step before.
  void add_earlier(const Node& node, FieldOrigin& field) const {
    const std::span<const Node* const> values = std::span(values_).last(merge_.steps.size());
    for (size_t step = 0; step < values.size(); ++step) {
      if (!values[step]) continue;
      const Node* value = secret::masked_object(*values[step], make_);
      if (!field.earlier.empty() && yaml::equal(*value, *field.earlier.back().value)) continue;
      field.earlier.push_back({merge_.name_of(step), value, yaml::locate(*values[step])});
    }
    // The last step may be the rendered value.
    if (!field.earlier.empty() && yaml::equal(*field.earlier.back().value, node)) field.earlier.pop_back();
  }

  const Wanted& wanted_;
  objects::InputFields& inputs_;
  const yaml::Maker& make_;
  std::vector<FieldOrigin>& out_;
  objects::ChildFinder finder_;
  schema::FieldPath path_;
  std::vector<size_t> sizes_;  // size of each map or list on the path
  Merge merge_;                // of the part that is visited; without steps if it was not merged
  // For each depth below the merge, the node at each of its steps; nullptr if there is none.
  std::vector<const Node*> values_;
};

// A longer field of the input is left out of comments: the place is enough.
constexpr size_t kWidestField = 40;

void append_number(uint32_t number, std::string& out) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

// Appends a place such as jobs/llama.yaml:8.
void append_place(const base::Location& at, std::string& out) {
  if (at.file) out += at.file->name();
  out += ':';
  append_number(at.line, out);
}

// The origin: "jobs/llama.yaml:8:15  spec.trainer.numNodes  torch/PET_NNODES", without the field in the
// middle if it is longer than `widest`.
std::string source_of(const FieldOrigin& field, size_t widest = std::string::npos) {
  std::string source;
  source.reserve(96);
  if (field.location.file) {
    append_place(field.location, source);
    source += ':';
    append_number(field.location.column, source);
  }
  const auto append = [&](std::string_view part) {
    if (!source.empty() && !part.empty()) source += "  ";
    source += part;
  };
  if (base::display_width(field.input_field) <= widest) append(field.input_field);
  append(field.rule);
  for (auto step = field.earlier.rbegin(); step != field.earlier.rend() && widest != std::string::npos;
       ++step) {
    append("over ");
    source.append(step->step) += ' ';
    append_place(step->location, source);
  }
  // A comment must stay on one line, whatever the file's name is.
  std::ranges::replace_if(
      source, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return source;
}

using Sources = std::unordered_map<const yaml::Node*, const FieldOrigin*>;

// Cuts each line to the terminal's width.
std::string cut_lines(std::string_view text, size_t width) {
  if (width == 0) return std::string(text);
  std::string out;
  for (const std::string_view line : base::Lines(text)) out += base::cut(line, width) + "\n";
  return out;
}

// The part of a line before the end of a leaf.
struct LineBefore {
  size_t begin = 0;
  size_t width = 0;
};

// The text with a comment at the end of each leaf's line; comments of nearby lines are aligned. On a
// terminal, a comment that doesn't fit goes above its line.
std::string with_comments(std::string_view text, std::span<const yaml::LeafLine> leaves,
                          const Sources& sources, size_t terminal) {
  constexpr size_t kWidestLine = 72;
  const size_t widest = terminal == 0 ? kWidestLine : std::min(kWidestLine, terminal / 2);
  size_t column = 0;
  std::vector<LineBefore> lines;
  lines.reserve(leaves.size());
  for (const yaml::LeafLine& leaf : leaves) {
    const size_t begin = text.rfind('\n', leaf.end - 1) + 1;  // npos + 1 is 0
    const size_t width = base::display_width(text.substr(begin, leaf.end - begin));
    lines.push_back({begin, width});
    if (width <= widest) column = std::max(column, width);
  }
  constexpr size_t kUsualComment = 64;
  std::string out;
  out.reserve(text.size() + leaves.size() * kUsualComment);
  size_t at = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const yaml::LeafLine& leaf = leaves[i];
    const std::string source = source_of(*sources.at(leaf.node), kWidestField);
    if (source.empty()) continue;
    const auto [begin, width] = lines[i];
    const size_t from = std::max(begin, at);  // an earlier leaf of the line has been written
    const std::string_view line = text.substr(from, leaf.end - from);
    out += text.substr(at, from - at);
    const size_t spaces = width < column ? column - width : 0;
    if (terminal != 0 && width + spaces + 4 + base::display_width(source) > terminal && from == begin) {
      out.append(line.find_first_not_of(' '), ' ').append("# ").append(source).append("\n").append(line);
    } else {
      out.append(line).append(spaces, ' ').append("  # ").append(source);
    }
    at = leaf.end;
  }
  return out.append(text.substr(at));
}

// What LimitRanges add to the pods, which is not part of the object.
std::string limits_of(const ObjectOrigins& object) {
  std::string out;
  for (const FieldOrigin& field : object.fields) {
    if (platform::kIsPage || field.rule != platform::kLimitDefault) continue;
    if (out.empty()) out = "# LimitRanges add to the pods:\n";
    out += fmt::format("#   {}: {}  # {}\n", field.short_path, field.value->text(), source_of(field));
  }
  return out;
}

std::string as_yaml(const std::vector<Object>& objects, const std::vector<ObjectOrigins>& origins,
                    size_t terminal) {
  std::string out;
  for (size_t i = 0; i < objects.size(); ++i) {
    Sources sources;
    sources.reserve(origins[i].fields.size());
    for (const FieldOrigin& field : origins[i].fields) sources[field.value] = &field;
    std::string text;
    std::vector<yaml::LeafLine> leaves;
    yaml::write_yaml(*objects[i].root, yaml::KeyOrder::Kubernetes, text, leaves);
    if (i > 0) out += "---\n";
    out += cut_lines(with_comments(text, leaves, sources, terminal) + limits_of(origins[i]), terminal);
  }
  return out;
}

// The value for people; `path` ends with its key.
std::string value_of(const Node* value, std::string_view path) {
  const std::string_view key = path.substr(path.rfind('.') + 1);
  return objects::value_texts({.path = {{.key = key}}, .rendered = value}).rendered;
}

report::Field to_field(const FieldOrigin& origin) {
  report::Field field{
      .path = origin.short_path, .after = value_of(origin.value, origin.path), .source = source_of(origin)};
  for (const EarlierValue& step : origin.earlier)
    field.below.push_back({fmt::format("replaces {} of {} at {}:{}", value_of(step.value, origin.path),
                                       step.step, base::place_of(step.location), step.location.column)});
  return field;
}

std::string as_text(const std::vector<ObjectOrigins>& objects, size_t terminal) {
  report::Document document;
  for (const ObjectOrigins& object : objects) {
    report::Block& block = document.blocks.emplace_back();
    block.head = {{object.title}};
    block.fields = {.widest_path = 64, .widest_values = 28, .may_clamp = false, .gap = 2, .cuts = true};
    for (const FieldOrigin& field : object.fields) block.fields.rows.push_back(to_field(field));
  }
  if (!document.blocks.empty()) document.blocks.back().is_continued = true;
  return report::to_text(document, {.width = terminal});
}

Json to_json(const EarlierValue& step) {
  return {{"step", step.step},
          {"value", step.value},
          {"file", step.location.file_name()},
          {"line", step.location.line},
          {"column", step.location.column}};
}

Json to_json(const ObjectOrigins& object, const FieldOrigin& field) {
  Json json{{"object", object.id},
            {"path", field.path},
            {"value", field.value},
            {"rule", field.rule},
            {"file", field.location.file_name()},
            {"line", field.location.line},
            {"column", field.location.column},
            {"field", field.input_field},
            {"earlier", Json::array(field.earlier, [](const EarlierValue& step) { return to_json(step); })}};
  if (!object.scope.empty()) json.add("scope", object.scope);
  return json;
}

std::string as_json(const std::vector<ObjectOrigins>& objects) {
  std::string out;
  for (const ObjectOrigins& object : objects) {
    for (const FieldOrigin& field : object.fields)
      out.append(out.empty() ? "" : ",\n").append(to_json(object, field).lines(4));
  }
  return out;
}

}  // namespace

std::vector<ObjectOrigins> explain_objects(const std::vector<Object>& objects,
                                           const schema::VersionSchemas& schemas, const Wanted& wanted,
                                           objects::InputFields& inputs, const yaml::Maker& make) {
  const objects::ObjectSchemas known(schemas);
  std::vector<ObjectOrigins> out;
  for (const Object& object : objects) {
    ObjectOrigins origins;
    origins.id = objects::object_id(object.kind, object.ns, object.name);
    origins.scope = object.scope;
    origins.title = fmt::format("{} {}{}{}{}", object.kind, object.ns, object.ns.empty() ? "" : "/",
                                object.name, objects::in_scope(origins.scope));
    Walk(wanted, inputs, make, origins.fields).visit(*object.root, known.find(object.kind));
    if (!origins.fields.empty()) out.push_back(std::move(origins));
  }
  return out;
}

std::string to_text(Format format, const std::vector<Object>& objects,
                    const std::vector<ObjectOrigins>& origins, size_t width) {
  if (format == Format::Json) return as_json(origins);
  return format == Format::Text ? as_text(origins, width) : as_yaml(objects, origins, width);
}

report::Joints joints_of(Format format, bool is_empty) {
  if (format == Format::Yaml) return {"", "---\n", ""};
  if (format == Format::Text) return {"", "\n", ""};
  // {"version": report::kReportVersion, "fields": […]}
  return is_empty ? report::Joints{"{\n  \"version\": 1,\n  \"fields\": []\n}\n", "", ""}
                  : report::Joints{"{\n  \"version\": 1,\n  \"fields\": [\n", ",\n", "\n  ]\n}\n"};
}

}  // namespace trainjobc::explain
