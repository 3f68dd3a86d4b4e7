// SPDX-License-Identifier: Apache-2.0

#include "features/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/text/layout.h"
#include "base/text/lines.h"
#include "compile/merge.h"
#include "features/cluster/compare.h"
#include "features/cluster/difference_text.h"
#include "features/cluster/paths.h"
#include "lint/report/document.h"
#include "lint/report/json.h"
#include "schema/compare.h"
#include "secret/secret.h"
#include "yaml/write/writer.h"

namespace trainjobc::explain {
namespace {

using report::Json;
using yaml::Node;

// What a part of a JobSet was in the runtime, and after each override of the job; or what each of them says.
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
  Walk(const Wanted& wanted, cluster::InputFields& inputs, const yaml::Maker& make,
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
      values_.push_back(parent ? cluster::child_like(*parent, step) : nullptr);
    }
  }

  void add(const Node& node) {
    FieldOrigin field;
    if (wanted_.paths || !wanted_.field.selects_all()) {
      field.path = schema::to_string(path_);
      if (!selects(field.path)) return;
      field.short_path = cluster::short_path(path_);
    }
    field.value = &node;
    field.location = yaml::locate(node);
    field.input_field = inputs_.of(node);
    if (const yaml::Derivation* made = node.origin().derivation()) field.rule = made->rule;
    add_earlier(node, field);
    out_.push_back(std::move(field));
  }

  bool selects(const std::string& path) const {
    return wanted_.field.selects_all() ||
           wanted_.field.selects({path_, sizes_, path, schema::to_keyed_string(path_)});
  }

  // The value at each step of the merge, where it differs from the step before.
  void add_earlier(const Node& node, FieldOrigin& field) const {
    const std::span<const Node* const> values = std::span(values_).last(merge_.steps.size());
    for (size_t step = 0; step < values.size(); ++step) {
      if (!values[step]) continue;
      const Node* value = secret::masked_object(*values[step], make_);
      if (!field.earlier.empty() && yaml::equal(*value, *field.earlier.back().value)) continue;
      field.earlier.push_back({merge_.name_of(step), value, yaml::locate(*values[step])});
    }
    // The last step may be what is rendered.
    if (!field.earlier.empty() && yaml::equal(*field.earlier.back().value, node)) field.earlier.pop_back();
  }

  const Wanted& wanted_;
  cluster::InputFields& inputs_;
  const yaml::Maker& make_;
  std::vector<FieldOrigin>& out_;
  schema::FieldPath path_;
  std::vector<size_t> sizes_;  // of what the steps are in
  Merge merge_;                // of what is visited; no steps if it was not merged
  // By depth below the merge, for each of its steps: the node there; nullptr if there is none.
  std::vector<const Node*> values_;
};

// Left out of comments for a field of the input: the place is enough.
constexpr size_t kWidestField = 40;

void append_number(uint32_t number, std::string& out) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

// jobs/llama.yaml:8
void append_place(const base::Location& at, std::string& out) {
  if (at.file) out += at.file->name();
  out += ':';
  append_number(at.line, out);
}

// jobs/llama.yaml:8:15  spec.trainer.numNodes  torch/PET_NNODES, without the middle part if it is longer
// than `widest`.
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
  // A comment stays on one line whatever the file's name.
  std::ranges::replace_if(
      source, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return source;
}

using Sources = std::unordered_map<const yaml::Node*, const FieldOrigin*>;

// Cuts each line to the width of a terminal.
std::string cut_lines(std::string_view text, size_t width) {
  if (width == 0) return std::string(text);
  std::string out;
  for (const std::string_view line : base::Lines(text)) out += base::cut(line, width) + "\n";
  return out;
}

// The text with a comment at the end of each leaf's line; the comments of nearby lines share a column. On
// a terminal, a comment that doesn't fit into its columns goes above the line.
std::string with_comments(std::string_view text, std::span<const yaml::LeafLine> leaves,
                          const Sources& sources, size_t terminal) {
  constexpr size_t kWidestLine = 72;
  const size_t widest = terminal == 0 ? kWidestLine : std::min(kWidestLine, terminal / 2);
  size_t column = 0;
  for (const yaml::LeafLine& leaf : leaves) {
    const size_t begin = text.rfind('\n', leaf.end - 1) + 1;  // npos + 1 is 0
    const size_t width = base::display_width(text.substr(begin, leaf.end - begin));
    if (width <= widest) column = std::max(column, width);
  }
  constexpr size_t kUsualComment = 64;
  std::string out;
  out.reserve(text.size() + leaves.size() * kUsualComment);
  size_t at = 0;
  for (const yaml::LeafLine& leaf : leaves) {
    const std::string source = source_of(*sources.at(leaf.node), kWidestField);
    if (source.empty()) continue;
    const size_t begin = text.rfind('\n', leaf.end - 1) + 1;
    const size_t width = base::display_width(text.substr(begin, leaf.end - begin));
    const size_t from = std::max(begin, at);  // an earlier leaf of the line is already written
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
    out += cut_lines(with_comments(text, leaves, sources, terminal), terminal);
  }
  return out;
}

// The value for people; `path` ends with its key.
std::string value_of(const Node* value, std::string_view path) {
  const std::string_view key = path.substr(path.rfind('.') + 1);
  return cluster::value_texts({.path = {{.key = key}}, .rendered = value}).rendered;
}

report::Field to_field(const FieldOrigin& origin) {
  report::Field field{
      .path = origin.short_path, .after = value_of(origin.value, origin.path), .source = source_of(origin)};
  for (const EarlierValue& step : origin.earlier)
    field.below.push_back({fmt::format("replaces {} of {} at {}:{}", value_of(step.value, origin.path),
                                       step.step, report::place_of(step.location), step.location.column)});
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

std::string name_of(const base::SourceFile* file) {
  return file ? file->name() : "";
}

Json to_json(const EarlierValue& step) {
  return {{"step", step.step},
          {"value", step.value},
          {"file", name_of(step.location.file)},
          {"line", step.location.line},
          {"column", step.location.column}};
}

Json to_json(const ObjectOrigins& object, const FieldOrigin& field) {
  return {{"object", object.id},
          {"path", field.path},
          {"value", field.value},
          {"rule", field.rule},
          {"file", name_of(field.location.file)},
          {"line", field.location.line},
          {"column", field.location.column},
          {"field", field.input_field},
          {"earlier", Json::array(field.earlier, [](const EarlierValue& step) { return to_json(step); })}};
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
                                           cluster::InputFields& inputs, const yaml::Maker& make) {
  const cluster::ObjectSchemas known(schemas);
  std::vector<ObjectOrigins> out;
  for (const Object& object : objects) {
    ObjectOrigins origins;
    origins.id = cluster::object_id(object.kind, object.ns, object.name);
    origins.title =
        fmt::format("{} {}{}{}", object.kind, object.ns, object.ns.empty() ? "" : "/", object.name);
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

Joints joints_of(Format format, bool is_empty) {
  if (format == Format::Yaml) return {"", "---\n", ""};
  if (format == Format::Text) return {"", "\n", ""};
  return is_empty ? Joints{"{\n  \"fields\": []\n}\n", "", ""}
                  : Joints{"{\n  \"fields\": [\n", ",\n", "\n  ]\n}\n"};
}

}  // namespace trainjobc::explain
