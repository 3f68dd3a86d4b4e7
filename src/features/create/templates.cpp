// SPDX-License-Identifier: Apache-2.0

#include "features/create/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text/text.h"
#include "new_templates.h"

namespace trainjobc::create {
namespace {

constexpr std::string_view kConditionMark = "  #? ";
constexpr std::string_view kCommentMark = "  ## ";

struct TemplateLine {
  std::string_view text;
  std::string_view comment;
  std::string_view condition;  // keys that must have a value
};

// Cuts `mark` and the rest off the text; returns the rest.
std::string_view cut(std::string_view& text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + mark.size());
  text = text.substr(0, at);
  return rest;
}

TemplateLine parse_template_line(std::string_view line) {
  TemplateLine parsed{.text = line};
  parsed.condition = cut(parsed.text, kConditionMark);
  parsed.comment = cut(parsed.text, kCommentMark);
  return parsed;
}

bool is_line_wanted(std::string_view condition, const Values& values) {
  return condition.empty() || std::ranges::all_of(base::split(condition, " "),
                                                  [&](std::string_view key) { return values.has(key); });
}

// Returns the value to write for a key, given its example.
using Filler = std::function<std::string(std::string_view key, std::string_view example)>;

FilledLine fill_line(std::string_view text, const Filler& value_of) {
  FilledLine line;
  for (size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${")) {
    line.text += text.substr(0, at);
    const size_t end = text.find('}', at);
    const std::string_view inside = text.substr(at + 2, end - at - 2);
    const size_t colon = std::min(inside.find(':'), inside.size());
    const std::string_view key = inside.substr(0, colon);
    if (line.key.empty()) line.key = key;
    const std::string value = value_of(key, inside.substr(std::min(colon + 1, inside.size())));
    if (value.starts_with('\n')) line.text.resize(line.text.find_last_not_of(' ') + 1);
    line.text += value;
    text.remove_prefix(end + 1);
  }
  line.text += text;
  return line;
}

}  // namespace

std::string_view text_of(Template one) {
  switch (one) {
    case Template::Job: return kJobTemplate;
    case Template::Patch: return kPatchTemplate;
    case Template::Runtime: return kRuntimeTemplate;
    case Template::MpiRuntime: return kMpiRuntimeTemplate;
  }
  return {};
}

std::vector<FilledLine> fill(std::string_view text, const Values& values) {
  std::vector<FilledLine> lines;
  const auto value_of = [&](std::string_view key, std::string_view example) {
    const auto found = values.of_key.find(key);
    return found != values.of_key.end() ? found->second : std::string(example);
  };
  for (const std::string_view one : base::Lines(text)) {
    const TemplateLine parsed = parse_template_line(one);
    if (!is_line_wanted(parsed.condition, values)) continue;
    FilledLine line = fill_line(parsed.text, value_of);
    line.condition = parsed.condition.substr(parsed.condition.rfind(' ') + 1);
    const bool is_chosen = values.has(line.key) && !values.assumed.contains(line.key);
    if (!parsed.comment.empty() && !is_chosen)
      line.text.insert(std::min(line.text.find('\n'), line.text.size()),
                       fmt::format("  # {}", parsed.comment));
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string as_snippet(std::string_view text, const Values& values) {
  std::string out;
  std::vector<std::string> stops;
  const auto value_of = [&](std::string_view key, std::string_view example) {
    const auto found = values.of_key.find(key);
    if (found != values.of_key.end() && !found->second.empty()) return found->second;
    auto stop = std::ranges::find(stops, key);
    if (stop == stops.end()) stop = stops.emplace(stops.end(), key);
    return fmt::format("${{{}:{}}}", stop - stops.begin() + 1, example);
  };
  for (const std::string_view one : base::Lines(text)) {
    const TemplateLine parsed = parse_template_line(one);
    if (is_line_wanted(parsed.condition, values)) out += fill_line(parsed.text, value_of).text + "\n";
  }
  return out;
}

}  // namespace trainjobc::create
