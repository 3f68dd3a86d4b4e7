// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "compile/explanations.h"
#include "policy/plugin.h"
#include "rules/rules.h"
#include "support/advice.h"
#include "yaml/write/writer.h"

namespace trainjobc::plugins_test {
namespace {

using Names = std::set<std::string>;

struct Case {
  std::string plugin;
  std::string policy;  // in the runtime's mlPolicy: "torch: {}"; "" if the plugin is not for a framework
  std::string more;    // of the runtime's spec
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {"PlainML", "", ""},
      {"Torch", "torch: {}", ""},
      {"MPI", "mpi: {numProcPerNode: 1, mpiImplementation: OpenMPI, sshAuthMountPath: /root/.ssh}", ""},
      {"JAX", "jax: {}", ""},
      {"XGBoost", "xgboost: {}", ""},
      {"Flux", "flux: {}", ""},
      {"CoScheduling", "", "  podGroupPolicy: {coscheduling: {}}\n"},
      {"Volcano", "", "  podGroupPolicy: {volcano: {}}\n"},
      {"TrainJobStatus", "", ""},
      {"JobSet", "", ""},
  };
  return kCases;
}

// `trainer`: the job's spec.trainer, without its braces.
std::string manifests(const Case& one, const std::string& trainer = "image: a/b:1, numNodes: 2") {
  const std::string jobs = "      replicatedJobs:\n" +
                           (one.plugin == "MPI" ? test::replicated_job("launcher", "") : std::string()) +
                           test::replicated_job("node", "trainer");
  std::string text =
      test::runtime("{numNodes: 2" + (one.policy.empty() ? "" : ", " + one.policy) + "}", jobs);
  text.insert(text.find("spec:\n") + 6, one.more);
  return text + test::job("  trainer: {" + trainer + "}\n");
}

// Jobs of dialects, whose runtimes have other variables.
std::vector<std::string> dialects(const std::string& trainer = "") {
  const auto text = [&](const std::string& policy, const std::string& job) {
    return "apiVersion: kubeflow.org/v2alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: rt}\n"
           "spec: {mlPolicy: {" +
           policy + "}, template: {spec: {replicatedJobs: [" + job + "]}}}\n---\n" +
           "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: job}\n"
           "spec: {runtimeRef: {name: rt}, trainer: {" +
           trainer + "}}\n";
  };
  const auto job = [](const std::string& name) {
    return "{name: " + name +
           ", template: {spec: {template: {spec: {containers: [{name: node, image: a/b:1}]}}}}}";
  };
  const std::string both = job("launcher") + ", " + job("node");
  return {text("torch: {elasticPolicy: {minNodes: 1, maxNodes: 2}}", job("trainer-node")),
          text("torch: {elasticPolicy: {maxNodes: 2, maxRestarts: 3}}", job("trainer-node")),
          text("mpi: {numProcPerNode: 2, mpiImplementation: Intel}", both),
          text("mpi: {numProcPerNode: 2, mpiImplementation: MPICH}", both)};
}

// The JobSet as JSON.
std::string job_set_of(const Compilation& compiled) {
  REQUIRE(!compiled.diagnostics.has_errors());
  std::string text;
  for (const Object& object : compiled.objects) {
    if (object.kind == "JobSet") yaml::write_json(*object.root, yaml::KeyOrder::AsIs, 0, text);
  }
  return text;
}

void collect_env(const yaml::Node& node, std::vector<const yaml::Node*>& variables) {
  for (const yaml::Node* item : node.items()) collect_env(*item, variables);
  for (const yaml::Entry& entry : node.entries()) {
    if (entry.key == "env") {
      variables.insert(variables.end(), entry.value->items().begin(), entry.value->items().end());
    } else {
      collect_env(*entry.value, variables);
    }
  }
}

// The variables in all containers of the JobSet whose value holds `part`.
Names env_of(const Compilation& compiled, std::string_view part = "") {
  std::vector<const yaml::Node*> variables;
  for (const Object& object : compiled.objects) {
    if (object.kind == "JobSet") collect_env(*object.root, variables);
  }
  Names names;
  for (const yaml::Node* variable : variables) {
    const yaml::Node* field = variable->at({"valueFrom", "fieldRef", "fieldPath"});
    const yaml::Node* value = field ? field : variable->get("value");
    if (part.empty() || (value && value->text().find(part) != std::string_view::npos))
      names.emplace(variable->get("name")->text());
  }
  return names;
}

// The variable's value, or the field that it is taken from.
std::string value_of(const Compilation& compiled, std::string_view name) {
  std::vector<const yaml::Node*> variables;
  for (const Object& object : compiled.objects) {
    if (object.kind == "JobSet") collect_env(*object.root, variables);
  }
  for (const yaml::Node* variable : variables) {
    if (variable->get("name")->text() != name) continue;
    const yaml::Node* field = variable->at({"valueFrom", "fieldRef", "fieldPath"});
    return std::string((field ? field : variable->get("value"))->text());
  }
  return "";
}

// With advice instead of objects if not `render`.
Compilation compile(const std::string& text, bool render = true) {
  Options options;
  options.render = render;
  options.trainer_version = "2.3";
  options.translate_pinned = true;
  options.use_catalogue = false;
  options.threads = 1;
  options.policy.ssh_key.source = policy::SshKeySource::Omit;
  return compile_sources({{"in.yaml", text}}, {}, options);
}

const policy::Plugin& plugin(std::string_view name) {
  const auto found = std::ranges::find(policy::registry(), name, &policy::Plugin::name);
  REQUIRE(found != policy::registry().end());
  return **found;
}

// Calls `check` with the case and the descriptor of each framework.
template <class Check>
void for_each_framework(Check check) {
  for (const Case& one : cases()) {
    const policy::Framework& framework = plugin(one.plugin).framework;
    if (!framework.is_used) continue;
    CAPTURE(one.plugin);
    check(one, framework);
  }
}

Names rules_about(const Compilation& compiled, std::string_view variable) {
  Names rules;
  for (const base::Diagnostic& found : compiled.diagnostics.items()) {
    if (found.message.find(variable) != std::string::npos) rules.insert(found.rule);
  }
  return rules;
}

}  // namespace

TEST_CASE("plugins: every one has a case here") {
  std::vector<std::string> registered;
  for (const policy::Plugin* one : policy::registry()) registered.emplace_back(one->name);
  std::vector<std::string> tested;
  for (const Case& one : cases()) tested.push_back(one.plugin);
  CHECK(registered == tested);
}

TEST_CASE("plugins: a policy of a runtime belongs to one framework, which names its field") {
  for (const Case& one : cases()) {
    CAPTURE(one.plugin);
    const policy::Framework& framework = plugin(one.plugin).framework;
    CHECK((framework.is_used != nullptr) == !one.policy.empty());
    CHECK(framework.field == one.policy.substr(0, one.policy.find(':')));
    CHECK(framework.title.empty() == one.policy.empty());
  }
}

TEST_CASE("plugins: every framework has a label, but for MPI, over which several run") {
  for_each_framework([](const Case& one, const policy::Framework& framework) {
    CHECK(framework.labels.empty() == (one.plugin == "MPI"));
    // The last one is for all names.
    if (!framework.labels.empty()) CHECK(framework.labels.back().name_prefix == "");
  });
}

TEST_CASE("plugins: the variables that a framework sets are those of its descriptor") {
  for_each_framework([](const Case& one, const policy::Framework& framework) {
    const Names set = env_of(compile(manifests(one)));
    CHECK(set == Names(framework.env.begin(), framework.env.end()));
    // Flux has no variables: the brokers count the processes.
    CHECK((framework.processes.empty() ? set.empty() : set.contains(std::string(framework.processes))));
    CHECK(framework.env_family.empty() == set.empty());
    for (const std::string& name : set)
      CHECK(name.starts_with(framework.env_family.substr(0, framework.env_family.size() - 1)));
    // Who sets variables without spec.trainer needs no reader.
    const std::string without = manifests(one).substr(0, manifests(one).find("  trainer:"));
    CHECK(framework.env_reader.empty() == (env_of(compile(without)) == set));
  });
}

TEST_CASE("plugins: a variable that a framework sets can't be set by a job in silence") {
  const auto rules = [](const std::string& text, const std::string& name) {
    return rules_about(compile(text, false), name);
  };
  for_each_framework([&](const Case& one, const policy::Framework& framework) {
    for (const std::string& name : env_of(compile(manifests(one)))) {
      CAPTURE(name);
      CHECK(rules(manifests(one, "numNodes: 2, env: [{name: " + name + ", value: a}]"), name) ==
            Names{framework.reserves_env ? "input/reserved-env" : "advice/generated-env"});
    }
    CHECK((framework.merged_env.empty() || one.plugin == "Torch"));
  });
  for (size_t i = 0; i < dialects().size(); ++i) {
    CAPTURE(i);
    const Names set = env_of(compile(dialects()[i]));
    const policy::Framework& torch = plugin("Torch").framework;
    const bool is_torch = set.contains(std::string(torch.processes));
    CHECK(set.size() >= 3);
    // The variable with the number of processes, of MPI's implementations that have one.
    const Names holders = env_of(compile(dialects("numProcPerNode: 71")[i]), "71");
    const Names processes = is_torch ? Names{std::string(torch.processes)}
                            : i == 2 ? Names{"I_MPI_PERHOST"}
                                     : Names{};
    CHECK(holders == processes);
    for (const std::string& name : set) {
      CAPTURE(name);
      const bool is_reserved = is_torch && std::ranges::find(torch.env, name) != torch.env.end();
      CHECK(rules(dialects("env: [{name: " + name + ", value: is_host=1}]")[i], name) ==
            (name == torch.merged_env ? Names{}
                                      : Names{is_reserved ? "input/reserved-env" : "advice/generated-env"}));
    }
    // What this runtime leaves unset may be set.
    for (const std::string name : {"OMPI_MCA_orte_default_hostfile", "PET_MAX_RESTARTS"}) {
      if (set.contains(name)) continue;
      const Names found = rules(dialects("env: [{name: " + name + ", value: a}]")[i], name);
      CHECK(!found.contains("advice/generated-env"));
    }
  }
}

TEST_CASE("plugins: every variable that their files name is set or read by one") {
  Names known;
  for (const Case& one : cases()) {
    known.merge(env_of(compile(manifests(one))));
    const auto settings = plugin(one.plugin).framework.settings;
    known.insert(settings.begin(), settings.end());
    for (const std::string_view added : plugin(one.plugin).added_names) {
      if (base::is_upper(added.front())) known.emplace(added);
    }
  }
  for (const std::string& text : dialects()) known.merge(env_of(compile(text)));
  const std::regex variable(R"re("([A-Z][A-Z0-9]*_[A-Za-z0-9_]+)")re");
  Names named;
  for (const auto& entry : std::filesystem::directory_iterator(TRAINJOBC_SOURCE_DIR "/src/policy/plugins")) {
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator at(text.begin(), text.end(), variable); at != std::sregex_iterator(); ++at)
      named.insert((*at)[1]);
  }
  CHECK(named.size() > 20);
  CHECK(named == known);
}

TEST_CASE("plugins: the first node's address, the port and the processes are those of the descriptor") {
  for_each_framework([](const Case& one, const policy::Framework& framework) {
    const Compilation compiled = compile(manifests(one));
    const Names holders = env_of(compiled, "job-node-0-0.job");
    const std::string address(framework.address);
    CHECK(holders == (env_of(compiled).contains(address) ? Names{address} : Names{}));
    CHECK(framework.address.empty() == (one.plugin == "MPI"));  // its hostfile has all addresses
    const auto holding = [](const Compilation& holder, std::string_view value) {
      Names names = env_of(holder, value);
      std::erase_if(names, [&](const std::string& name) { return value_of(holder, name) != value; });
      return names;
    };
    const auto named = [](std::string_view name) {
      return name.empty() ? Names{} : Names{std::string(name)};
    };
    CHECK(holding(compiled, "29500") == named(framework.port));
    CHECK(holding(compiled, "metadata.annotations['batch.kubernetes.io/job-completion-index']") ==
          named(framework.rank));
    // Of 70 nodes of 3 processes.
    const Compilation large = compile(manifests(one, "image: a/b:1, numNodes: 70, numProcPerNode: 3"));
    Names of_nodes = named(framework.nodes);
    if (!framework.has_processes) of_nodes.merge(named(framework.processes));
    CHECK(holding(large, "70") == of_nodes);
    CHECK(holding(large, "3") == (framework.processes_per_node ? named(framework.processes) : Names{}));
    const std::string json = job_set_of(compiled);
    CHECK(framework.opens_port == (json.find("\"containerPort\":29500") != std::string::npos));
    const auto with_processes = [&](const std::string& number) {
      const Compilation processes =
          compile(manifests(one, "image: a/b:1, numNodes: 2, numProcPerNode: " + number));
      std::string all = job_set_of(processes);
      for (const Object& object : processes.objects)
        yaml::write_json(*object.root, yaml::KeyOrder::AsIs, 0, all);
      return all;
    };
    CHECK(framework.has_processes == (with_processes("2") != with_processes("3")));
  });
}

TEST_CASE("plugins: the objects that one makes are those of its descriptor") {
  for (const Case& one : cases()) {
    CAPTURE(one.plugin);
    Options options;
    options.trainer_version = "2.3";
    if (const std::string_view gate = plugin(one.plugin).gate; !gate.empty())
      options.policy.feature_gates = {std::string(gate)};
    const Compilation compiled = compile_sources({{"in.yaml", manifests(one)}}, {}, options);
    Names made;
    for (const Object& object : compiled.objects) {
      if (object.kind != "JobSet") made.insert(std::string(object.kind) + " " + std::string(object.name));
    }
    Names described;
    for (const policy::OwnedObject& object : plugin(one.plugin).objects)
      described.insert(std::string(object.kind) + " job" + std::string(object.suffix));
    CHECK(made == described);
    CHECK((plugin(one.plugin).build != nullptr) == !described.empty());
  }
}

TEST_CASE("rule texts: what they say of plugins comes from the descriptors") {
  const auto text = [](std::string_view id) { return compile::explanation_of(*rules::find_rule(id)); };
  CHECK(
      text("input/reserved-env") ==
      R"(The controller computes these variables from the number of nodes and processes: PET_NNODES, PET_NPROC_PER_NODE, PET_NODE_RANK, PET_MASTER_ADDR and PET_MASTER_PORT for torch; OMPI_MCA_orte_default_hostfile, OMPI_MCA_plm_rsh_args, OMPI_MCA_orte_keep_fqdn_hostnames and OMPI_MCA_orte_set_default_slots for MPI; DMLC_TRACKER_URI, DMLC_TRACKER_PORT, DMLC_TASK_ID and DMLC_NUM_WORKER for XGBoost. A value from the job would break the rendezvous, so the webhook refuses it. Remove it, and set numNodes and numProcPerNode instead.)");
  CHECK(
      text("advice/flux-setting") ==
      R"(The controller itself reads FLUX_VIEW_IMAGE, FLUX_NETWORK_DEVICE and FLUX_QUEUE_POLICY from spec.trainer.env when it writes the pods. It sees only plain values; a valueFrom counts as an empty string. Write the value into the job.)");
  CHECK(
      text("advice/framework-label") ==
      R"(The Kubeflow SDK lists runtimes by the label trainer.kubeflow.org/framework and ignores runtimes without it, so users don't find the runtime and can't start jobs from it. Set the label to what the runtime runs: torchtune, torch, jax, xgboost, flux, mpi, deepspeed, or another name.

    labels:
      trainer.kubeflow.org/framework: torch)");
  CHECK(
      text("advice/trainer-no-effect") ==
      R"(image, command, args, env and resources go to the container "node" of the replicatedJob with the trainer label; numProcPerNode has an effect with torch, MPI and Flux only; claims of resourcesPerNode are dropped. The runtime lacks what the setting is for, so the job runs without it. Remove it, or change the runtime.)");
  CHECK(
      text("advice/torchrun-flags") ==
      R"(With --torchrun flags, render writes the rendezvous settings as flags of torchrun, for images whose torchrun ignores PET_* variables. It can do this only if the command begins with torchrun, and it does not change flags that are already set. Start the command with torchrun and remove your own flags.

    command: [torchrun, train.py])");
}

TEST_CASE("rule texts: every placeholder is known") {
  const std::regex placeholder(R"(\{(\w+\.\w+)\})");
  size_t count = 0;
  for (const rules::Rule& rule : rules::all_rules()) {
    CAPTURE(std::string(rule.id));
    const std::string text(rule.explanation_template);
    for (std::sregex_iterator at(text.begin(), text.end(), placeholder); at != std::sregex_iterator(); ++at) {
      if ((*at)[1].str().starts_with("launchers.")) {
        CHECK(compile::explanation_of(rule).find(at->str()) == std::string::npos);
        continue;
      }
      CHECK(policy::plugin_fact((*at)[1].str()).value_or("") != "");
      ++count;
    }
    if (text.find('{') == std::string::npos) CHECK(compile::explanation_of(rule) == text);
  }
  CHECK(count == 9);
  for (const std::string_view unknown :
       {"", "plugins", "plugins.names", "Torch", "Torch.", "Torch.age", "torch.settings"})
    CHECK(policy::plugin_fact(unknown) == std::nullopt);
}

}  // namespace trainjobc::plugins_test
