// SPDX-License-Identifier: Apache-2.0

// A team's own rules: `policies:` in .trainjobc.yaml, in the short form, and ValidatingAdmissionPolicies.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "platform/subject.h"
#include "yaml/node.h"

namespace trainjobc::platform {

// The kinds that rules can be about.
inline constexpr auto kTeamKinds = std::to_array<std::string_view>(
    {"TrainJob", "TrainingRuntime", "ClusterTrainingRuntime", "JobSet", "Job", "Pod"});
// What the ids of findings begin with.
inline constexpr std::string_view kTeamPrefix = "team/";

// An expression on one line, with single spaces.
std::string on_one_line(std::string_view expression);

// A rule as it is written. The nodes are those of the settings.
struct TeamRule {
  std::string id;  // "team/owner"
  std::vector<std::string_view> kinds;
  base::Severity severity = base::Severity::Error;
  const yaml::Node* expression = nullptr;
  const yaml::Node* message = nullptr;             // nullptr if there is none
  const yaml::Node* message_expression = nullptr;  // the same
  std::string hint;
  base::Location location;  // of the id

  std::string expression_text() const;  // on one line
  // What it asks for, in one line: its message, or the expression.
  std::string summary() const;
};

// The rules of one settings file, compiled. Threads may share them.
class TeamRules {
 public:
  // What the nodes of the rules live in.
  struct Memory {
    base::Arena arena;
    std::shared_ptr<const base::SourceFile> file;
  };

  TeamRules(std::vector<TeamRule> rules, std::vector<const yaml::Node*> policies,
            std::shared_ptr<const Memory> memory);
  TeamRules(const TeamRules&) = delete;
  TeamRules& operator=(const TeamRules&) = delete;
  ~TeamRules();

  std::span<const TeamRule> rules() const { return rules_; }
  // The policies, with bindings and parameters.
  std::span<const yaml::Node* const> policies() const { return policies_; }
  // What is wrong with the expressions.
  const base::Diagnostics& problems() const { return problems_; }
  // Appends what the rules say about an object of `owner`, which findings name. `plan` is nullptr if it is
  // not known.
  void check(const Subject& subject, const std::string& owner, const yaml::Node* plan,
             base::Diagnostics& found) const;

 private:
  class Engine;  // none in a build without CEL (policies_left_out.cpp)

  std::shared_ptr<const Memory> memory_;
  std::vector<TeamRule> rules_;
  std::vector<const yaml::Node*> policies_;
  base::Diagnostics problems_;
  std::unique_ptr<const Engine> engine_;
};

using TeamRuleSets = std::vector<std::shared_ptr<const TeamRules>>;

// The value of `plan` in rules: {nodes, pods, processes, devices, cpu, memory, queue, framework, runtime}.
// What is not known is missing. `subjects` are those of the job, which has a JobSet.
const yaml::Node* plan_of(const CompiledJob& job, const std::vector<Subject>& subjects,
                          const yaml::Maker& make);

}  // namespace trainjobc::platform
