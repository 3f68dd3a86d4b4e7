// SPDX-License-Identifier: Apache-2.0

// Runtimes and jobs that leave out what is optional: each value that is rendered has an origin that can be
// followed, and each command and the language server can.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "support/advice.h"
#include "support/lsp_client.h"
#include "support/test_console.h"
#include "yaml/node.h"

namespace trainjobc::origins_test {
namespace {

using test::replicated_job;

const std::vector<std::string> kPolicies = {
    "",
    "{}",
    "{numNodes: 2}",
    "{torch: {}}",
    "{torch: {}, numNodes: 2}",
    "{torch: {numProcPerNode: gpu}}",
    "{torch: {elasticPolicy: {maxNodes: 3}}}",
    "{torch: {elasticPolicy: {minNodes: 1, maxNodes: 3, metrics: []}}}",
    "{mpi: {}}",
    "{mpi: {runLauncherAsNode: true}}",
    "{mpi: {mpiImplementation: OpenMPI, numProcPerNode: 2}, numNodes: 2}",
    "{jax: {}}",
    "{xgboost: {}}",
    "{flux: {}}",
    "{flux: {numProcPerNode: 2}, numNodes: 1}",
};

const std::vector<std::string> kGroups = {"", "{coscheduling: {}}",
                                          "{coscheduling: {scheduleTimeoutSeconds: 0}}", "{volcano: {}}",
                                          "{volcano: {networkTopology: {mode: hard}}}"};

// `jobs` with `field` in the template of each.
std::string with_field(std::string jobs, const std::string& field) {
  const std::string spec = "\n          spec:\n";
  for (size_t at = jobs.find(spec); at != std::string::npos; at = jobs.find(spec, at + spec.size()))
    jobs.insert(at + spec.size(), "            " + field + "\n");
  return jobs;
}

std::vector<std::string> templates() {
  const std::string jobs = "      replicatedJobs:\n";
  const std::string node = replicated_job("node", "trainer");
  const std::string other = replicated_job("other", "");
  const std::string launcher = replicated_job("launcher", "trainer") + replicated_job("node", "");
  const std::string data = replicated_job("dataset-initializer", "dataset-initializer") + node;
  return {
      jobs + node,
      jobs + with_field(node, "parallelism: 3"),
      jobs + with_field(node, "completions: 3"),
      jobs + with_field(node + other, "parallelism: 2"),
      jobs + other,
      jobs + with_field(launcher, "parallelism: 3"),
      jobs + launcher,
      jobs + data,
      jobs + with_field(data, "parallelism: 1"),
      jobs + replicated_job(
                 "node", "trainer",
                 "                  env: [{name: A}]\n                  ports: [{containerPort: 1}]\n"),
      "      network: {}\n" + jobs + node,
      "      network: {subdomain: x}\n      successPolicy: {operator: All}\n" + jobs +
          with_field(launcher, "parallelism: 2"),
  };
}

const std::vector<std::string> kJobs = {
    "",
    "  trainer: {}\n",
    "  trainer: {numNodes: 2}\n",
    "  trainer: {numNodes: 2, numProcPerNode: 2, command: [torchrun, t.py], args: []}\n",
    "  trainer: {resourcesPerNode: {requests: {cpu: 2}}}\n",
    "  trainer: {image: 'i:1', env: [{name: A}, {name: B, valueFrom: {fieldRef: {fieldPath: "
    "metadata.name}}}]}\n",
    "  labels: {a: b}\n  initializer: {}\n  suspend: true\n",
    "  trainer: {}\n  initializer: {dataset: {storageUri: 'hf://a/b', secretRef: {}}, model: {}}\n",
    "  trainer: {}\n  runtimePatches: [{manager: example.com/a, trainingRuntimeSpec: {template: {spec: "
    "{replicatedJobs: "
    "[{name: node, template: {spec: {template: {spec: {containers: [{name: node, env: [{name: C, value: "
    "d}]}]}}}}}]}}}}]\n",
};

std::string input(const std::string& policy, const std::string& group, const std::string& body,
                  const std::string& job) {
  std::string runtime = test::runtime(policy, body);
  // The framework as the runtime's policy has it, so that the plugins agree on what it is for.
  for (const char* framework : {"mpi", "jax", "xgboost", "flux"}) {
    const std::string label = "framework: torch";
    if (policy.find(framework) != std::string::npos && runtime.find(label) != std::string::npos)
      runtime.replace(runtime.find(label), label.size(), std::string("framework: ") + framework);
  }
  if (!group.empty()) runtime.insert(runtime.find("spec:\n") + 6, "  podGroupPolicy: " + group + "\n");
  return runtime + test::job(job);
}

// What is wrong with the origins of a tree and of all that it was computed from.
class Walk {
 public:
  std::string wrong(const yaml::Node& root) {
    visit(root);
    return wrong_;
  }

 private:
  // Shared values are visited once.
  void visit(const yaml::Node& node) {
    if (!seen_.insert(&node).second) return;
    follow(node.origin());
    for (const yaml::Entry& entry : node.entries()) {
      follow(entry.key_origin);
      if (entry.value)
        visit(*entry.value);
      else
        wrong_ += std::string(entry.key) + " has no value\n";
    }
    for (const yaml::Node* item : node.items()) {
      if (item)
        visit(*item);
      else
        wrong_ += "an item is null\n";
    }
  }

  void follow(const yaml::Origin& origin) {
    const yaml::Derivation* made = origin.derivation();
    if (!made) return;
    for (const yaml::Node* from : made->inputs) {
      if (from)
        visit(*from);
      else
        wrong_ += std::string(made->rule) + " was made of nothing\n";
    }
  }

  std::set<const yaml::Node*> seen_;
  std::string wrong_;
};

// Every so many of the combinations of all lists.
template <class Action>
void for_each_input(size_t stride, Action action) {
  const std::vector<std::string> bodies = templates();
  size_t count = 0;
  for (const std::string& policy : kPolicies) {
    for (const std::string& group : kGroups) {
      for (const std::string& body : bodies) {
        for (const std::string& job : kJobs) {
          if (count++ % stride == 0) action(input(policy, group, body, job));
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("no value of a rendered object was made of a missing one") {
  size_t rendered = 0;
  for (const char* version : {"2.0", "2.1", "2.2", "2.3"}) {
    for_each_input(7, [&](const std::string& text) {
      Options options;
      options.use_catalogue = false;
      options.threads = 1;
      options.trainer_version = version;
      options.policy.ssh_key.source = policy::SshKeySource::Omit;
      const Compilation compiled = compile_sources({{"in.yaml", text}}, {}, options);
      for (const Object& object : compiled.objects) {
        ++rendered;
        const std::string wrong = Walk().wrong(*object.root);
        CHECK_MESSAGE(wrong == "", text);
      }
    });
  }
  CHECK(rendered > 500);
}

TEST_CASE("commands show values whose runtimes leave out what is optional") {
  const std::vector<std::vector<std::string>> commands = {
      {"explain"},
      {"explain", "-o", "text"},
      {"explain", "-o", "json"},
      {"explain", "--with-defaults"},
      {"plan"},
      {"plan", "-o", "json"},
      {"plan", "-o", "markdown"},
      {"plan", "--ranks"},
      {"graph"},
      {"graph", "-o", "dot"},
      {"render", "--annotate-origin"},
      {"render", "--with-defaults"},
      {"render", "-o", "json"},
  };
  // A prime, so that each value of a list meets each of the others.
  for_each_input(97, [&](const std::string& text) {
    base::MemoryFileSystem files;
    files.files["in.yaml"] = text;
    const test::Run rendered = test::run(files, {"render", "--no-config", "--ssh-key", "omit", "in.yaml"});
    for (std::vector<std::string> words : commands) {
      words.insert(words.end(), {"--no-config", "in.yaml"});
      if (words.front() == "render") words.insert(words.end(), {"--ssh-key", "omit"});
      CAPTURE(words[0]);
      CAPTURE(text);
      CHECK(test::run(files, words).status == rendered.status);
    }
  });
}

TEST_CASE("explain: a runtime without numNodes, whose Job has a parallelism") {
  base::MemoryFileSystem files;
  files.files["in.yaml"] = input("{torch: {}}", "", templates()[1], "");
  CHECK(test::run(files, {"explain", "--no-config", "--field", "parallelism", "in.yaml"}).out ==
        "JobSet job\n"
        "  spec.replicatedJobs[node].template.spec.parallelism  1  in.yaml:8:13  spec.mlPolicy  "
        "trainer/pod-count\n"
        "      replaces 3 of runtime at in.yaml:16:26\n");
}

TEST_CASE("hover over runtimes that leave out what is optional") {
  for_each_input(499, [](const std::string& text) {
    test::LspFiles files;
    files.disk.files["/repo/in.yaml"] = text;
    test::LspClient client(files);
    client.start();
    client.open("/repo/in.yaml", text);
    int line = 0;
    for (const std::string_view part : base::Lines(text)) {
      for (const size_t at : {part.find_first_not_of(" -"), part.find(": ")}) {
        if (at == std::string_view::npos) continue;
        const lsp::Json answer =
            client.request("textDocument/hover", {{"textDocument", {{"uri", "file:///repo/in.yaml"}}},
                                                  {"position", {{"line", line}, {"character", at}}}});
        CHECK((answer.is_null() || answer.contains("contents")));
      }
      ++line;
    }
  });
}

}  // namespace trainjobc::origins_test
