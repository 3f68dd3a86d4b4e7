#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "policy/plugin.h"
#include "rules/rules.h"
#include "support/advice.h"

namespace trainjobc {
namespace {

struct Case {
  std::string plugin;
  std::string policy;  // of the runtime, in flow style
  std::string more;    // of the runtime's spec
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {"PlainML", "{numNodes: 2}", ""},
      {"Torch", "{numNodes: 2, torch: {}}", ""},
      {"MPI",
       "{numNodes: 2, mpi: {numProcPerNode: 1, mpiImplementation: OpenMPI, sshAuthMountPath: /root/.ssh}}",
       ""},
      {"JAX", "{numNodes: 2, jax: {}}", ""},
      {"XGBoost", "{numNodes: 2, xgboost: {}}", ""},
      {"Flux", "{numNodes: 2, flux: {}}", ""},
      {"CoScheduling", "{numNodes: 2, torch: {}}", "  podGroupPolicy: {coscheduling: {}}\n"},
      {"Volcano", "{numNodes: 2, torch: {}}", "  podGroupPolicy: {volcano: {}}\n"},
      {"JobSet", "{numNodes: 2, torch: {}}", ""},
  };
  return kCases;
}

Compilation compile(const Case& one) {
  const std::string jobs = "      replicatedJobs:\n" +
                           (one.plugin == "MPI" ? test::replicated_job("launcher", "") : std::string()) +
                           test::replicated_job("node", "trainer");
  std::string text = test::runtime(one.policy, jobs);
  text.insert(text.find("spec:\n") + 6, one.more);
  Options options;
  options.trainer_version = "2.3";
  Compilation compiled = compile_sources(
      {{"in.yaml", text + test::job("  trainer: {image: a/b:1, numNodes: 2}\n")}}, {}, options);
  REQUIRE(!compiled.diagnostics.has_errors());
  return compiled;
}

// The names of the variables in all containers of the JobSet; none of them is the user's.
void collect_env(const yaml::Node& node, std::set<std::string>& names) {
  if (node.is_list()) {
    for (const yaml::Node* item : node.items()) collect_env(*item, names);
  }
  for (const yaml::Entry& entry : node.entries()) {
    if (entry.key != "env") {
      collect_env(*entry.value, names);
      continue;
    }
    for (const yaml::Node* variable : entry.value->items()) names.emplace(variable->get("name")->text());
  }
}

const policy::Plugin* plugin(std::string_view name) {
  const auto found = std::ranges::find(policy::registry(), name, &policy::Plugin::name);
  return found != policy::registry().end() ? *found : nullptr;
}

}  // namespace

TEST_CASE("plugins: every one has a case here") {
  std::vector<std::string> registered;
  for (const policy::Plugin* one : policy::registry()) registered.emplace_back(one->name);
  std::vector<std::string> tested;
  for (const Case& one : cases()) tested.push_back(one.plugin);
  CHECK(registered == tested);
}

TEST_CASE("plugins: the variables that a framework sets are those of its descriptor") {
  for (const Case& one : cases()) {
    CAPTURE(one.plugin);
    const policy::Framework& framework = plugin(one.plugin)->framework;
    if (!framework.is_used) continue;
    const Compilation compiled = compile(one);
    std::set<std::string> set;
    for (const Object& object : compiled.objects) {
      if (object.kind == "JobSet") collect_env(*object.root, set);
    }
    CHECK(set == std::set<std::string>(framework.env.begin(), framework.env.end()));
    CHECK_FALSE(framework.title.empty());
    CHECK((framework.env_family.empty() == framework.env_reader.empty()));
    // Flux has no variables: the brokers count the processes.
    CHECK((framework.processes.empty() ? set.empty() : set.contains(std::string(framework.processes))));
    CHECK((framework.processes.empty() || framework.processes != framework.address));
    for (const std::string_view name : framework.env) {
      const std::string_view family = framework.env_family;
      CHECK((family.empty() || name.starts_with(family.substr(0, family.size() - 1))));
    }
  }
}

TEST_CASE("plugins: the objects that one makes are those of its descriptor") {
  for (const Case& one : cases()) {
    CAPTURE(one.plugin);
    std::set<std::string> made;
    for (const Object& object : compile(one).objects) {
      if (object.kind != "JobSet") made.insert(std::string(object.kind) + " " + std::string(object.name));
    }
    std::set<std::string> described;
    for (const policy::OwnedObject& object : plugin(one.plugin)->objects)
      described.insert(std::string(object.kind) + " job" + std::string(object.suffix));
    CHECK(made == described);
    CHECK((plugin(one.plugin)->build != nullptr) == !described.empty());
  }
}

TEST_CASE("plugins: the texts of rules name what a framework reserves or reads") {
  const auto text = [](std::string_view id) { return rules::find_rule(id)->explanation; };
  for (const policy::Plugin* one : policy::registry()) {
    CAPTURE(one->name);
    const policy::Framework& framework = one->framework;
    for (const std::string_view setting : framework.settings)
      CHECK(text("advice/flux-setting").find(setting) != std::string_view::npos);
    if (framework.env_family.empty()) continue;
    const bool is_named = text("input/reserved-env").find(framework.env_family) != std::string_view::npos;
    CHECK(is_named == (one->validate != nullptr));  // JAX reserves none
  }
}

TEST_CASE("plugins: each policy of a runtime is some framework's, and only one's") {
  for (const Case& one : cases()) {
    CAPTURE(one.plugin);
    const bool is_framework = one.policy.find(": {") != std::string::npos && one.more.empty();
    const bool expected = is_framework && one.plugin != "JobSet";
    CHECK((plugin(one.plugin)->framework.is_used != nullptr) == expected);
  }
}

}  // namespace trainjobc
