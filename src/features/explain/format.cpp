// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/text/ascii.h"
#include "base/text/layout.h"
#include "base/text/lines.h"
#include "features/diff/difference_text.h"
#include "features/explain/explain.h"
#include "yaml/write/writer.h"

namespace trainjobc::explain {
namespace {

using nlohmann::ordered_json;

// Columns are as wide as most of their texts; a longer text pushes the next column to the right.
constexpr size_t kWidestPath = 64;
constexpr size_t kWidestValue = 28;
// Left out of comments for a field of the input: the place is enough.
constexpr size_t kWidestField = 40;

// The number of columns, one per code point.
size_t width_of(std::string_view text) {
  if (base::is_ascii(text)) return text.size();
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(std::string text, size_t width) {
  const size_t now = width_of(text);
  return now < width ? text.append(width - now, ' ') : text;
}

size_t column_width(std::span<const std::string> texts, size_t widest) {
  size_t width = 0;
  for (const std::string& text : texts) {
    const size_t one = width_of(text);
    if (one <= widest) width = std::max(width, one);
  }
  return width;
}

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
  if (width_of(field.input_field) <= widest) append(field.input_field);
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
    const size_t width = width_of(text.substr(begin, leaf.end - begin));
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
    const size_t width = width_of(text.substr(begin, leaf.end - begin));
    const size_t from = std::max(begin, at);  // an earlier leaf of the line is already written
    const std::string_view line = text.substr(from, leaf.end - from);
    out += text.substr(at, from - at);
    const size_t spaces = width < column ? column - width : 0;
    if (terminal != 0 && width + spaces + 4 + width_of(source) > terminal && from == begin) {
      out.append(line.find_first_not_of(' '), ' ').append("# ").append(source).append("\n").append(line);
    } else {
      out.append(line).append(spaces, ' ').append("  # ").append(source);
    }
    at = leaf.end;
  }
  return out.append(text.substr(at));
}

bool fits(std::string_view line, size_t terminal) {
  return terminal == 0 || width_of(line) <= terminal;
}

// A field whose line is too wide for the terminal: puts the source, and the value if necessary, below the
// path.
std::string in_lines(const std::string& path, const std::string& value, const FieldOrigin& field,
                     size_t terminal) {
  const std::string source = source_of(field);
  const std::string head = fmt::format("  {}  {}", path, value);
  std::string text = fits(head, terminal) ? head : fmt::format("  {}\n      {}", path, value);
  if (!source.empty()) text += "\n" + base::wrap("      " + source, terminal, 6);
  return cut_lines(text, terminal);
}

// The values that a field replaces, each on a line, the oldest first.
std::string earlier_lines(const FieldOrigin& field, std::string_view key, size_t terminal) {
  std::string lines;
  for (const EarlierValue& step : field.earlier) {
    const base::Location& at = step.location;
    const std::string value = diff::value_texts({.path = {{.key = key}}, .rendered = step.value}).rendered;
    const std::string line = fmt::format("      replaces {} of {} at {}:{}:{}", value, step.step,
                                         at.file ? at.file->name() : "", at.line, at.column);
    lines += cut_lines(base::wrap(line, terminal, 8), terminal);
    if (terminal == 0) lines += "\n";
  }
  return lines;
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

std::string as_text(const std::vector<ObjectOrigins>& objects, size_t terminal) {
  std::string out;
  for (const ObjectOrigins& object : objects) {
    std::vector<std::string> paths;
    std::vector<std::string> values;
    for (const FieldOrigin& field : object.fields) {
      paths.push_back(field.short_path);
      const std::string_view key = std::string_view(field.path).substr(field.path.rfind('.') + 1);
      values.push_back(diff::value_texts({.path = {{.key = key}}, .rendered = field.value}).rendered);
    }
    const size_t path_width = column_width(paths, kWidestPath);
    const size_t value_width = column_width(values, kWidestValue);
    if (!out.empty()) out += '\n';
    out += object.title + "\n";
    for (size_t i = 0; i < paths.size(); ++i) {
      std::string line = fmt::format("  {}  {}  {}", padded(paths[i], path_width),
                                     padded(values[i], value_width), source_of(object.fields[i]));
      line.erase(line.find_last_not_of(' ') + 1);
      out += fits(line, terminal) ? line + "\n" : in_lines(paths[i], values[i], object.fields[i], terminal);
      const std::string& path = object.fields[i].path;
      out += earlier_lines(object.fields[i], std::string_view(path).substr(path.rfind('.') + 1), terminal);
    }
  }
  return out;
}

ordered_json earlier_json(const EarlierValue& step) {
  const base::Location& at = step.location;
  return {{"step", step.step},
          {"value", ordered_json::parse(diff::value_text(step.value))},
          {"file", at.file ? at.file->name() : ""},
          {"line", at.line},
          {"column", at.column}};
}

// As an item of "fields".
std::string as_item(const ordered_json& field) {
  const std::string text = field.dump(2, ' ', false, ordered_json::error_handler_t::replace);
  std::string out;
  for (const std::string_view line : base::Lines(text))
    out.append(out.empty() ? "" : "\n").append("    ").append(line);
  return out;
}

std::string as_json(const std::vector<ObjectOrigins>& objects) {
  std::string out;
  for (const ObjectOrigins& object : objects) {
    for (const FieldOrigin& field : object.fields) {
      const base::Location& at = field.location;
      ordered_json earlier = ordered_json::array();
      for (const EarlierValue& step : field.earlier) earlier.push_back(earlier_json(step));
      out += out.empty() ? "" : ",\n";
      out += as_item({{"object", object.id},
                      {"path", field.path},
                      {"value", ordered_json::parse(diff::value_text(field.value))},
                      {"rule", field.rule},
                      {"file", at.file ? at.file->name() : ""},
                      {"line", at.line},
                      {"column", at.column},
                      {"field", field.input_field},
                      {"earlier", std::move(earlier)}});
    }
  }
  return out;
}

}  // namespace

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
