// SPDX-License-Identifier: Apache-2.0

#include "cli/help/rule_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text/layout.h"
#include "base/text/lines.h"
#include "base/text/suggest.h"
#include "cli/exit_status.h"
#include "policy/plugin.h"
#include "rules/rules.h"

namespace trainjobc::cli {
namespace {

constexpr size_t kWidth = 80;

// Wraps prose; an indented line is an example and stays as it is.
std::string wrapped(std::string_view text, size_t width) {
  std::string out;
  for (const std::string_view line : base::Lines(text)) {
    if (!out.empty()) out += '\n';
    out += line.starts_with("    ") ? std::string(line) : base::wrap(line, width, 0);
  }
  return out;
}

}  // namespace

std::string list_rules(size_t width) {
  std::vector<std::vector<std::string>> rows;
  for (const rules::Rule& rule : rules::all_rules()) {
    rows.push_back({std::string(rule.id), std::string(to_string(rule.severity)), std::string(rule.summary)});
  }
  return base::table(rows, width);
}

int explain_rule(Console& console, const std::string& id) {
  if (const rules::Rule* rule = rules::find_rule(id)) {
    const size_t terminal = console.stdout_width();
    const size_t width = terminal == 0 ? kWidth : std::min(kWidth, terminal);
    const std::string text = fmt::format("{} ({}, stage {})\n{}\n\n{}\n", rule->id, to_string(rule->severity),
                                         to_string(rule->stage), base::wrap(rule->summary, terminal, 2),
                                         wrapped(policy::explanation_of(*rule), width));
    return console.write_stdout(text) ? kOk : kFailed;
  }
  std::vector<std::string_view> ids;
  for (const rules::Rule& rule : rules::all_rules()) ids.push_back(rule.id);
  const auto meant = base::closest(id, ids);
  return fail(console, meant ? fmt::format("there is no rule \"{}\", did you mean \"{}\"?", id, *meant)
                             : fmt::format("there is no rule \"{}\"; --list-rules lists them", id));
}

}  // namespace trainjobc::cli
