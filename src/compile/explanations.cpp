// SPDX-License-Identifier: Apache-2.0

#include "compile/explanations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "launch/programs.h"
#include "policy/plugin.h"

namespace trainjobc::compile {
namespace {

// The values of a fact, each once, in the order of the programs.
std::string of_launchers(std::string_view launch::Program::*fact) {
  std::vector<std::string_view> values;
  for (const launch::Program& program : launch::programs()) {
    if (!base::contains(values, program.*fact)) values.push_back(program.*fact);
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

std::optional<std::string> fact_of(std::string_view placeholder) {
  if (placeholder == "launchers.names") return of_launchers(&launch::Program::name);
  if (placeholder == "launchers.versions") return of_launchers(&launch::Program::version);
  return policy::plugin_fact(placeholder);
}

}  // namespace

std::string explanation_of(const rules::Rule& rule) {
  std::string out;
  std::string_view rest = rule.explanation_template;
  for (size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    const size_t close = std::min(rest.find('}', open), rest.size());
    const auto fact = fact_of(rest.substr(open + 1, close - open - 1));
    out += rest.substr(0, open);
    out += fact ? *fact : rest.substr(open, 1);  // the brace belongs to an example
    rest.remove_prefix(fact ? close + 1 : open + 1);
  }
  return out.append(rest);
}

}  // namespace trainjobc::compile
