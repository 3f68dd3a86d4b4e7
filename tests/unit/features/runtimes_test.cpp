// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "cli/commands.h"
#include "support/diff.h"
#include "support/test_console.h"

namespace trainjobc::runtimes_test {
namespace {

constexpr const char* kCluster =
    R"({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "ClusterTrainingRuntime", "metadata": {"name": "plain", "uid": "1", "resourceVersion": "7",
    "generation": 2, "creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": [],
    "finalizers": ["trainer.kubeflow.org/resource-in-use"],
    "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"},
    "labels": {"trainer.kubeflow.org/framework": "plain"}},
    "spec": {"template": {"spec": {"replicatedJobs": [{"template": {"spec": {"template": {"metadata":
    {"creationTimestamp": null}, "spec": {"containers": [{"image": "a/b:1", "name": "node",
    "ports": [{"containerPort": 80, "protocol": "TCP"}]}]}}}}, "replicas": 1, "groupName": "default",
    "name": "node"}]}}}}]})";
constexpr const char* kNamespaced =
    R"({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainingRuntime", "metadata": {"name": "own", "namespace": "team-a"}, "spec": {"template": {}}}]})";
constexpr const char* kCleaned =
    "apiVersion: trainer.kubeflow.org/v1alpha1\n"
    "kind: ClusterTrainingRuntime\n"
    "metadata:\n"
    "  name: plain\n"
    "  labels:\n"
    "    trainer.kubeflow.org/framework: plain\n"
    "spec:\n"
    "  template:\n"
    "    spec:\n"
    "      replicatedJobs:\n"
    "      - name: node\n"
    "        template:\n"
    "          spec:\n"
    "            template:\n"
    "              spec:\n"
    "                containers:\n"
    "                - name: node\n"
    "                  image: a/b:1\n"
    "                  ports:\n"
    "                  - containerPort: 80\n";

struct RuntimesRun {
  base::MemoryFileSystem files;
  test::TestConsole console{files};
  test::FakeRunner runner;

  RuntimesRun() {
    console.programs = &runner;
    runner.answer = [](const base::ProcessRequest& request) -> base::IoResult<base::ProcessResult> {
      for (const std::string& word : request.argv) {
        if (word.starts_with("cluster")) return base::ProcessResult{0, kCluster, ""};
      }
      return base::ProcessResult{0, kNamespaced, ""};
    };
  }

  int pull(const std::string& ns = "") {
    cli::RuntimesPullFlags flags;
    flags.directory = "runtimes";
    flags.cluster.ns = ns;
    flags.cluster.kubectl.context = "blue";
    return cli::run_runtimes_pull(console, flags);
  }

  int check(const std::string& format = "text") {
    cli::RuntimesCheckFlags flags;
    flags.paths = {"own.yaml"};
    flags.ask_cluster = true;
    flags.format = format;
    flags.trainer_version = "2.3";
    return cli::run_runtimes_check(console, flags);
  }
};

}  // namespace

TEST_CASE("runtimes pull writes clean files") {
  RuntimesRun run;
  CHECK(run.pull() == 0);
  CHECK(run.console.err == "");
  CHECK(run.console.out == "runtimes/plain.yaml\nruntimes/team-a/own.yaml\n");
  CHECK(run.files.files["runtimes/plain.yaml"] == kCleaned);
  CHECK(run.runner.lines() ==
        "kubectl get clustertrainingruntimes.trainer.kubeflow.org -o json --context=blue\n"
        "kubectl get trainingruntimes.trainer.kubeflow.org --all-namespaces -o json --context=blue\n");
}

TEST_CASE("runtimes pull of one namespace, and failures") {
  RuntimesRun run;
  CHECK(run.pull("team-a") == 0);
  CHECK(run.runner.lines().find(
            "kubectl get trainingruntimes.trainer.kubeflow.org -o json --namespace=team-a") !=
        std::string::npos);
  run.runner.answer = [](const base::ProcessRequest&) -> base::IoResult<base::ProcessResult> {
    return base::ProcessResult{1, "", "error: the server doesn't have a resource type\n"};
  };
  CHECK(run.pull() == 2);
  for (const char* answer :
       {"", "garbage", "{}", R"({"kind": "Status", "metadata": {}, "status": "Failure"})"}) {
    RuntimesRun other;
    other.files.files["own.yaml"] = kCleaned;
    other.runner.answer = [answer](const base::ProcessRequest&) -> base::IoResult<base::ProcessResult> {
      return base::ProcessResult{0, answer, ""};
    };
    CHECK(other.pull() == 2);
    CHECK(other.check() == 2);
    CHECK(other.console.err.find("trainjobc: kubectl failed\n  kubectl get: the answer ") !=
          std::string::npos);
    CHECK(other.console.out == "");
  }
}

TEST_CASE("policies pull writes a cluster's policies and bindings") {
  RuntimesRun run;
  run.runner.answer = [](const base::ProcessRequest& request) -> base::IoResult<base::ProcessResult> {
    const bool is_binding = request.argv[2].find("bindings") != std::string::npos;
    const std::string kind = is_binding ? "ValidatingAdmissionPolicyBinding" : "ValidatingAdmissionPolicy";
    const std::string spec =
        is_binding ? R"({"policyName": "owner"})" : R"({"validations": [{"expression": "true"}]})";
    return base::ProcessResult{
        0,
        fmt::format(R"({{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "{0}List", "metadata": {{}},
                     "items": [{{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "{0}",
                     "metadata": {{"name": "owner", "uid": "1"}}, "spec": {1}, "status": {{}}}}]}})",
                    kind, spec),
        ""};
  };
  const std::vector<std::string> words{"policies", "pull", "--context", "blue", "clusters/prod"};
  CHECK(cli::run(words, run.console) == 0);
  CHECK(run.console.err == "");
  CHECK(run.console.out == "clusters/prod/bindings/owner.yaml\nclusters/prod/policies/owner.yaml\n");
  CHECK(run.files.files["clusters/prod/policies/owner.yaml"] == R"(apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: owner
spec:
  validations:
  - expression: "true"
)");
  CHECK(
      run.runner.lines() ==
      "kubectl get validatingadmissionpolicies.admissionregistration.k8s.io -o json --context=blue\n"
      "kubectl get validatingadmissionpolicybindings.admissionregistration.k8s.io -o json --context=blue\n");
}

TEST_CASE("runtimes check compares by meaning") {
  RuntimesRun run;
  run.files.files["own.yaml"] = kCleaned;
  CHECK(run.check() == 0);
  CHECK(run.console.out ==
        "ClusterTrainingRuntime/plain   not in the catalogue of Trainer 2.3   own.yaml:1\n"
        "ClusterTrainingRuntime/plain   same as in the cluster   own.yaml:1\n");
  run.console.out.clear();
  std::string& text = run.files.files["own.yaml"];
  text.replace(text.find("a/b:1"), 5, "a/b:2");
  CHECK(run.check() == 1);
  CHECK(run.console.out ==
        "ClusterTrainingRuntime/plain   not in the catalogue of Trainer 2.3   own.yaml:1\n"
        "ClusterTrainingRuntime/plain   differs from the cluster   own.yaml:1\n"
        "  spec.template.spec.replicatedJobs[node].template.spec.template.spec.containers[node].image   "
        "\"a/b:1\" → \"a/b:2\"   own.yaml:18\n");
}

TEST_CASE("runtimes check hides secrets") {
  RuntimesRun run;
  std::string& text = run.files.files["own.yaml"];
  text = kCleaned;
  text.replace(text.find("a/b:1"), 5, "user:word@a/b:1");
  CHECK(run.check() == 1);
  CHECK(run.console.out ==
        "ClusterTrainingRuntime/plain   not in the catalogue of Trainer 2.3   own.yaml:1\n"
        "ClusterTrainingRuntime/plain   differs from the cluster   own.yaml:1\n"
        "  spec.template.spec.replicatedJobs[node].template.spec.template.spec.containers[node].image   "
        "\"a/b:1\" → \"user:***@a/b:1 (after)\"   own.yaml:18\n");
}

}  // namespace trainjobc::runtimes_test
