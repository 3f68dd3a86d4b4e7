// SPDX-License-Identifier: Apache-2.0

// trainjobc policies test, policies pull
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <set>

#include "base/text/layout.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "features/cluster/live.h"
#include "features/kubectl/kubectl.h"
#include "features/runtimes/runtimes.h"
#include "inputs/config.h"
#include "inputs/load.h"
#include "lint/lint.h"
#include "platform/team.h"

namespace trainjobc::cli {
namespace {

struct PoliciesFlags {
  std::vector<std::string> directories;
  KubectlFlags kubectl;
  std::string pulled;  // the directory to write to
};

// A manifest that a rule must find something in, or nothing.
struct PolicyCase {
  Source source;
  std::string rule;  // "team/owner"
  bool is_good = false;
};

// DIR/owner/good.yaml, DIR/owner/bad-label.yaml; nullopt for other names.
std::optional<PolicyCase> as_case(Source source) {
  const std::filesystem::path path(source.name);
  const std::string name = path.filename().string();
  const bool is_good = name.starts_with("good");
  if (!is_good && !name.starts_with("bad")) return std::nullopt;
  const std::string rule = fmt::format("{}{}", platform::kTeamPrefix, path.parent_path().filename().string());
  return PolicyCase{std::move(source), rule, is_good};
}

class PolicyTest {
 public:
  explicit PolicyTest(Console& console) : console_(console) {
    request_.config = console.environment("TRAINJOBC_CONFIG");
  }

  int run(const PoliciesFlags& flags) {
    auto found = got(console_, load_sources(console_, flags.directories, {}));
    if (!found) return kFailed;
    std::vector<PolicyCase> cases;
    for (Source& source : found->sources) {
      if (auto one = as_case(std::move(source))) cases.push_back(std::move(*one));
    }
    if (cases.empty()) {
      return fail(console_, fmt::format("no cases in {}: they are named RULE/good….yaml and RULE/bad….yaml",
                                        base::word_list(flags.directories)));
    }
    for (const PolicyCase& one : cases) {
      const auto wrong = check(one);
      if (!wrong) return kFailed;
      if (wrong->empty()) continue;
      ++failed_;
      if (!console_.write_stdout(fmt::format("{}: {}\n", one.source.name, *wrong))) return kFailed;
    }
    return report(cases);
  }

 private:
  // What is wrong with the case, "" if nothing is; nullopt after an error.
  std::optional<std::string> check(const PolicyCase& one) {
    auto loaded = load_inputs(console_, request_, {one.source});
    if (!loaded) return std::nullopt;
    for (const platform::TeamRule* rule : inputs::rules_of(*loaded->groups.front().config))
      rules_.insert(rule->id);
    if (!rules_.contains(one.rule)) return fmt::format("there is no rule {} in its settings", one.rule);
    Options options;
    options.render = false;
    return verdict(one, lint::find(std::move(loaded->groups), options, ""));
  }

  static std::string verdict(const PolicyCase& one, const lint::Findings& findings) {
    const base::Diagnostic* of_rule = nullptr;
    for (const base::Diagnostic& found : findings.diagnostics.items()) {
      if (base::is_refusal(found) || found.rule == "config/expression")
        return fmt::format("can't be tested: {}: {} [{}]", base::place_of(found.location), found.message,
                           found.rule);
      if (found.rule == one.rule && !of_rule) of_rule = &found;
    }
    if (findings.compiled.linted.empty()) return "contains no TrainJob and no runtime";
    if (!one.is_good) return of_rule ? "" : fmt::format("{} finds nothing", one.rule);
    return of_rule ? fmt::format("{} finds: {}: {}", one.rule, base::place_of(of_rule->location),
                                 of_rule->message)
                   : "";
  }

  int report(const std::vector<PolicyCase>& cases) {
    std::set<std::string> tested;
    for (const PolicyCase& one : cases) tested.insert(one.rule);
    for (const std::string& rule : rules_) {
      if (!tested.contains(rule)) note(console_, fmt::format("{} has no case", rule));
    }
    console_.write_stderr(fmt::format("{} of {}: {}\n", base::counted(cases.size(), "case"),
                                      base::counted(tested.size(), "rule"),
                                      failed_ == 0 ? "all pass" : fmt::format("{} failed", failed_)));
    return failed_ == 0 ? kOk : kRejected;
  }

  Console& console_;
  inputs::Request request_;
  std::set<std::string> rules_;
  size_t failed_ = 0;
};

int pull_policies(Console& console, const PoliciesFlags& flags) {
  const kubectl::Kubectl kubectl(console.processes(), flags.kubectl.settings(program_timeout(console, {})));
  cluster::LiveSet live;
  constexpr std::array<std::string_view, 2> kKinds{"ValidatingAdmissionPolicy",
                                                   "ValidatingAdmissionPolicyBinding"};
  constexpr std::array kResources{"validatingadmissionpolicies.admissionregistration.k8s.io",
                                  "validatingadmissionpolicybindings.admissionregistration.k8s.io"};
  for (size_t i = 0; i < kKinds.size(); ++i) {
    kubectl::Call call;
    call.words = {"get", kResources[i], "-o", "json"};
    const cluster::Answer answer = cluster::ask(kubectl, call, live, std::span(kKinds).subspan(i, 1));
    if (!answer.ok()) return fail(console, kubectl::describe(answer.failure));
    console.write_stderr(answer.warnings);
  }
  return write_pulled(console, flags.pulled, runtimes::policy_files_of(live), "the cluster has no policy");
}

}  // namespace

std::function<int(Console&)> setup_policies(Command& command) {
  auto flags = std::make_shared<PoliciesFlags>();
  Command& test = command.add_command("test", "Run the cases of a team's own rules");
  test.add("DIR", &flags->directories, "Directory with the cases").takes("DIR").required = true;
  test.details = {
      "A case is a manifest in a folder with the name of its rule: in DIR/owner/bad.yaml, and in other files "
      "whose names begin with bad, the rule team/owner must find something; in those whose names begin with "
      "good, nothing. Their settings are those of the nearest .trainjobc.yaml above them, whose exclude does "
      "not count here."};
  test.exit_statuses = {{0, "all cases pass"}, {1, "a case failed"}, {2, "usage or I/O error"}};
  test.examples = {"trainjobc policies test policies/"};
  Command& pull = command.add_command("pull", "Save the admission policies of a cluster as files to commit");
  pull.add("DIR", &flags->pulled, "Directory to write to").takes("DIR").required = true;
  flags->kubectl.add_cluster_to(pull);
  flags->kubectl.add_timeout_to(pull);
  pull.details = {
      "Writes policies/NAME.yaml for each ValidatingAdmissionPolicy and bindings/NAME.yaml for each binding, "
      "without what the API server filled in, and prints the paths. Removes no file. Name DIR under "
      "policies: "
      "in .trainjobc.yaml, and lint applies them."};
  pull.exit_statuses = {{0, "written"}, {2, "usage, I/O or kubectl error"}};
  pull.examples = {"trainjobc policies pull --context production clusters/prod/"};
  command.needs_command = true;
  command.examples = {"trainjobc policies test policies/",
                      "trainjobc policies pull --context production clusters/prod/"};
  command.details = {"The rules, and the cluster's policies, are those of policies: in .trainjobc.yaml."};
  command.variables = {{std::string(kConfigVariable), "The configuration file."}};
  command.exit_statuses = {{0, "all cases pass"}, {1, "a case failed"}, {2, "usage or I/O error"}};
  return [flags, &pull](Console& console) {
    return pull.chosen ? pull_policies(console, *flags) : PolicyTest(console).run(*flags);
  };
}

}  // namespace trainjobc::cli
