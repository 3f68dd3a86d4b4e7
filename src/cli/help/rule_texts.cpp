#include "cli/help/rule_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text/suggest.h"
#include "cli/exit_status.h"
#include "compile/rules/rules.h"

namespace trainjobc::cli {
namespace {

constexpr size_t kWidth = 80;

// One paragraph's words in lines of kWidth.
std::string filled(std::string_view line) {
  std::string out;
  size_t column = 0;
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at);
    const bool fits = column == 0 || column + 1 + word.size() <= kWidth;
    if (column > 0) out += fits ? ' ' : '\n';
    column = (fits && column > 0 ? column + 1 : 0) + word.size();
    out += word;
    at = end + 1;
  }
  return out;
}

// Wraps prose; an indented line is an example and stays as it is.
std::string wrapped(std::string_view text) {
  std::string out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    out += line.starts_with("    ") ? std::string(line) : filled(line);
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

}  // namespace

std::string list_rules() {
  size_t width = 0;
  for (const compile::Rule& rule : compile::all_rules()) width = std::max(width, rule.id.size());
  std::string out;
  for (const compile::Rule& rule : compile::all_rules()) {
    out += fmt::format("{:<{}}  {:<7}  {}\n", rule.id, width, to_string(rule.severity), rule.summary);
  }
  return out;
}

int explain_rule(Console& console, const std::string& id) {
  if (const compile::Rule* rule = compile::find_rule(id)) {
    const std::string text = fmt::format("{} ({}, stage {})\n{}\n\n{}\n", rule->id, to_string(rule->severity),
                                         to_string(rule->stage), rule->summary, wrapped(rule->explanation));
    return console.write_stdout(text) ? kOk : kFailed;
  }
  std::vector<std::string_view> ids;
  for (const compile::Rule& rule : compile::all_rules()) ids.push_back(rule.id);
  const auto meant = base::closest(id, ids);
  return fail(console, meant ? fmt::format("there is no rule \"{}\", did you mean \"{}\"?", id, *meant)
                             : fmt::format("there is no rule \"{}\"; --list-rules lists them", id));
}

}  // namespace trainjobc::cli
