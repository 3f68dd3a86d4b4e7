// SPDX-License-Identifier: Apache-2.0

#include "policy/rule_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/text/word_list.h"
#include "policy/plugin.h"

namespace trainjobc::policy {
namespace {

std::string labels() {
  std::vector<std::string_view> values;
  for (const Plugin* plugin : registry()) {
    for (const FrameworkLabel& label : plugin->framework.labels) values.push_back(label.value);
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

std::string reserved_env() {
  std::vector<std::string> parts;
  for (const Plugin* plugin : registry()) {
    const Framework& framework = plugin->framework;
    if (framework.reserves_env)
      parts.push_back(fmt::format("{} for {}", base::word_list(framework.env), framework.title));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

const Framework* framework_named(std::string_view plugin_name) {
  const auto found = std::ranges::find(registry(), plugin_name, &Plugin::name);
  return found != registry().end() ? &(*found)->framework : nullptr;
}

}  // namespace

std::optional<std::string> plugin_fact(std::string_view placeholder) {
  if (placeholder == "plugins.labels") return labels();
  if (placeholder == "plugins.with_processes") return frameworks_with_processes();
  if (placeholder == "plugins.reserved_env") return reserved_env();
  const size_t dot = std::min(placeholder.find('.'), placeholder.size());
  const Framework* framework = framework_named(placeholder.substr(0, dot));
  if (!framework) return std::nullopt;
  const std::string_view fact = placeholder.substr(dot);
  if (fact == ".env_family") return std::string(framework->env_family);
  if (fact == ".settings") return base::word_list(framework->settings);
  return std::nullopt;
}

std::string explanation_of(const rules::Rule& rule) {
  std::string out;
  std::string_view rest = rule.explanation_template;
  for (size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    const size_t close = std::min(rest.find('}', open), rest.size());
    const auto fact = plugin_fact(rest.substr(open + 1, close - open - 1));
    out += rest.substr(0, open);
    out += fact ? *fact : rest.substr(open, 1);  // a brace of an example
    rest.remove_prefix(fact ? close + 1 : open + 1);
  }
  return out.append(rest);
}

}  // namespace trainjobc::policy
