// SPDX-License-Identifier: Apache-2.0

#include "rules/rules.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "compile/explanations.h"
#include "policy/plugin.h"

namespace trainjobc::rules_test {
using trainjobc::base::Severity;
using trainjobc::base::Stage;
using trainjobc::rules::all_rules;
using trainjobc::rules::find_rule;
using trainjobc::rules::Rule;

namespace {

bool is_word(std::string_view text) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && std::ranges::all_of(text, fits) && text.front() != '-' && text.back() != '-';
}

bool is_sentence(std::string_view text) {
  return text.ends_with('.') && text.front() != ' ' && text.find("  ") == text.npos;
}

}  // namespace

TEST_CASE("rules: sorted by id, each id once") {
  CHECK_FALSE(all_rules().empty());
  CHECK(std::ranges::is_sorted(all_rules(), std::ranges::less_equal(), &Rule::id));
}

TEST_CASE("rules: an id is a stage and a name in lower case") {
  // What the controller fails at is reported with the inputs.
  const std::map<std::string_view, Stage> stages{{"advice", Stage::Advice}, {"input", Stage::Input},
                                                 {"job", Stage::Job},       {"jobset", Stage::JobSet},
                                                 {"config", Stage::Input},  {"migrate", Stage::Input},
                                                 {"render", Stage::Input},  {"yaml", Stage::Yaml}};
  for (const Rule& rule : all_rules()) {
    INFO(std::string(rule.id));
    const size_t slash = rule.id.find('/');
    REQUIRE(slash != rule.id.npos);
    const auto stage = stages.find(rule.id.substr(0, slash));
    REQUIRE(stage != stages.end());
    CHECK(stage->second == rule.stage);
    CHECK(is_word(rule.id.substr(slash + 1)));
  }
}

TEST_CASE("rules: refusals by the cluster are errors, and advice on what can never run") {
  std::string never_run;
  for (const Rule& rule : all_rules()) {
    INFO(std::string(rule.id));
    const bool may_be_lenient = rule.stage == Stage::Advice || rule.stage == Stage::Yaml;
    CHECK((may_be_lenient || rule.severity == Severity::Error));
    if (rule.stage == Stage::Advice && rule.severity == Severity::Error)
      never_run += std::string(rule.id) + "\n";
  }
  CHECK(never_run == R"(advice/admission-policy-expression
advice/deadline-overflow
advice/depends-on-itself
advice/device-name
advice/exclusive-topology
advice/flux-variable
advice/host-port
advice/image-name
advice/kueue-webhook
advice/no-processes
advice/node-name
advice/num-nodes-zero
advice/object-size
advice/one-word-command
advice/overhead
advice/pod-security-label
advice/size-unit
advice/unserved-kind
)");
}

TEST_CASE(
    "rules: a summary is one line without a stop, an explanation is sentences and at most one example") {
  for (const Rule& rule : all_rules()) {
    INFO(std::string(rule.id));
    CHECK(rule.summary.size() >= 10);
    CHECK(rule.summary.size() <= 100);
    CHECK(rule.summary.find('\n') == rule.summary.npos);
    CHECK_FALSE(rule.summary.ends_with('.'));
    const std::string explanation = trainjobc::compile::explanation_of(rule);
    const size_t end = explanation.find("\n\n");
    const std::string_view prose = std::string_view(explanation).substr(0, end);
    CHECK(is_sentence(prose));
    CHECK(prose.size() >= 100);
    // Without the names that a placeholder stands for.
    CHECK(rule.explanation_template.substr(0, rule.explanation_template.find("\n\n")).size() <= 850);
    CHECK(prose.find('\n') == prose.npos);
    if (end == explanation.npos) continue;
    std::string_view example = std::string_view(explanation).substr(end + 2);
    CHECK_FALSE(example.ends_with('\n'));
    while (!example.empty()) {
      const size_t line = std::min(example.find('\n'), example.size());
      CHECK(example.substr(0, line).starts_with("    "));
      example.remove_prefix(std::min(line + 1, example.size()));
    }
  }
}

TEST_CASE("rules: found by id") {
  for (const Rule& rule : all_rules()) CHECK(find_rule(rule.id) == &rule);
  for (const std::string_view id :
       {"", "a", "input", "input/", "input/unknown", "input/unknown-fields", "zzz"}) {
    INFO(std::string(id));
    CHECK(find_rule(id) == nullptr);
  }
}

}  // namespace trainjobc::rules_test
