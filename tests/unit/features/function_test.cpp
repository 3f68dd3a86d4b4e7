// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/test_console.h"

namespace trainjobc::function_test {
namespace {

const std::string kHead =
    "# a list\napiVersion: config.kubernetes.io/v1beta1\nkind: ResourceList\nfunctionConfig:\n  kind: "
    "ConfigMap\n"
    "  data:\n    nameSuffix: x # unused\nitems:\n";
const std::string kJob =
    "# of the job\n- apiVersion: trainer.kubeflow.org/v1alpha1\n  kind: TrainJob\n  metadata:\n    name: "
    "bert\n"
    "    annotations:\n      internal.config.kubernetes.io/path: jobs/a.yaml\n"
    "      internal.config.kubernetes.io/index: '1'\n  spec:\n    runtimeRef: {name: team}\n";
const std::string kOther =
    "# of the map\n- apiVersion: v1   # kept\n  kind: ConfigMap\n  metadata: {name: m, annotations: "
    "{internal.config.kubernetes.io/index: '0'}}\n";
const std::string kRuntime =
    "- apiVersion: trainer.kubeflow.org/v1alpha1\n  kind: ClusterTrainingRuntime\n  metadata:\n    name: "
    "team\n"
    "    labels: {trainer.kubeflow.org/framework: torch}\n"
    "  spec:\n    template:\n      spec:\n        replicatedJobs:\n        - name: node\n          "
    "template:\n"
    "            spec:\n              template:\n                spec:\n                  containers:\n"
    "                  - name: node\n                    image: registry.example.com/a:1\n";
const std::string kJobSet =
    "- apiVersion: jobset.x-k8s.io/v1alpha2\n  kind: JobSet\n  metadata:\n    name: bert\n  spec:\n"
    "    suspend: false\n    replicatedJobs:\n    - name: node\n      groupName: default\n      replicas: "
    "1\n      template:\n"
    "        spec:\n          completions: 1\n          parallelism: 1\n          template:\n            "
    "spec:\n"
    "              containers:\n              - name: node\n"
    "                image: registry.example.com/a:1\n";

using test::Run;

Run run(const std::string& list) {
  base::MemoryFileSystem files;
  return test::run(files, {"function"}, {}, list);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("function: inputs become the objects that Trainer would create, the rest keeps its bytes") {
  const Run result = run(kHead + kJob + kOther + kRuntime + "# the end\n");
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  CHECK(result.out == kHead + kOther + kJobSet + "# the end\n");
  CHECK(run(result.out).out == result.out);
}

TEST_CASE("function: an unknown kind of Trainer's group is an error, as in lint") {
  const Run result = run(kHead + kJob + kRuntime +
                         "- apiVersion: trainer.kubeflow.org/v1alpha1\n  kind: TrainJobb\n"
                         "  metadata: {name: typo}\n  spec: {runtimeRef: {name: team}}\n");
  CHECK(result.status == 1);
  CHECK(
      result.err ==
      R"(error: TrainJobb/default/typo: Trainer has no kind "TrainJobb" (did you mean "TrainJob"?) [input/unknown-kind]
)");
}

TEST_CASE("function: an existing object is replaced, old results are dropped") {
  const Run first = run(kHead + kJob + kRuntime + kOther);
  const Run again = run(kHead + kJob + kRuntime + replaced(kJobSet, "suspend: false", "suspend: true") +
                        kOther + "results:\n- message: old\n");
  CHECK(again.out == first.out);
}

TEST_CASE("function: a list of JSON, and one in brackets") {
  const Run result =
      run("{\"apiVersion\": \"config.kubernetes.io/v1\", \"kind\": \"ResourceList\", \"items\": []}");
  CHECK(result.status == 0);
  CHECK(result.out == "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n");
  CHECK(run("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n").status == 0);
}

TEST_CASE("function: keepInputs marks the inputs as local config, once") {
  const std::string keep = replaced(kHead, "nameSuffix: x # unused", "keepInputs: \"true\"");
  const Run result = run(keep + kJob + kRuntime);
  CHECK(result.status == 0);
  CHECK(result.out == R"(# a list
apiVersion: config.kubernetes.io/v1beta1
kind: ResourceList
functionConfig:
  kind: ConfigMap
  data:
    keepInputs: "true"
items:
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainJob
  metadata:
    name: bert
    annotations:
      internal.config.kubernetes.io/path: jobs/a.yaml
      internal.config.kubernetes.io/index: "1"
      config.kubernetes.io/local-config: "true"
  spec:
    runtimeRef:
      name: team
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: ClusterTrainingRuntime
  metadata:
    name: team
    labels:
      trainer.kubeflow.org/framework: torch
    annotations:
      config.kubernetes.io/local-config: "true"
  spec:
    template:
      spec:
        replicatedJobs:
        - name: node
          template:
            spec:
              template:
                spec:
                  containers:
                  - name: node
                    image: registry.example.com/a:1
- apiVersion: jobset.x-k8s.io/v1alpha2
  kind: JobSet
  metadata:
    name: bert
  spec:
    suspend: false
    replicatedJobs:
    - name: node
      groupName: default
      replicas: 1
      template:
        spec:
          completions: 1
          parallelism: 1
          template:
            spec:
              containers:
              - name: node
                image: registry.example.com/a:1
)");
  CHECK(run(result.out).out == result.out);
}

TEST_CASE("function: errors are results, go to stderr, and give a non-zero status; the items stay") {
  const std::string list = kHead + replaced(kJob, "{name: team}", "{name: teem}") + kRuntime + kOther;
  const Run result = run(list);
  CHECK(result.status == 1);
  CHECK(result.err ==
        "error: TrainJob/default/bert: there is no ClusterTrainingRuntime \"teem\" (did you mean \"team\"? "
        "Or add it to the inputs, or pass its file or folder with --runtimes) [input/missing-runtime]\n");
  CHECK(result.out ==
        list +
            "results:\n"
            "- message: there is no ClusterTrainingRuntime \"teem\" (did you mean \"team\"? Or add it to the "
            "inputs, or pass its file or folder with --runtimes) [input/missing-runtime]\n"
            "  severity: error\n"
            "  resourceRef:\n"
            "    apiVersion: trainer.kubeflow.org/v1alpha1\n"
            "    kind: TrainJob\n"
            "    name: bert\n"
            "  file:\n"
            "    path: jobs/a.yaml\n"
            "    index: 1\n"
            "  field:\n"
            "    path: spec.runtimeRef\n");
}

TEST_CASE("function: settings") {
  const Run unknown = run(replaced(kHead, "nameSuffix", "nameSufix") + kJob + kRuntime);
  CHECK(unknown.status == 1);
  CHECK(unknown.err ==
        "error: functionConfig has an unknown setting \"nameSufix\"; known settings are trainerVersion, "
        "namespace, nameSuffix, catalogue, keepInputs and sshKey\n");
  CHECK(unknown.out == R"(# a list
apiVersion: config.kubernetes.io/v1beta1
kind: ResourceList
functionConfig:
  kind: ConfigMap
  data:
    nameSufix: x # unused
items:
# of the job
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainJob
  metadata:
    name: bert
    annotations:
      internal.config.kubernetes.io/path: jobs/a.yaml
      internal.config.kubernetes.io/index: '1'
  spec:
    runtimeRef: {name: team}
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: ClusterTrainingRuntime
  metadata:
    name: team
    labels: {trainer.kubeflow.org/framework: torch}
  spec:
    template:
      spec:
        replicatedJobs:
        - name: node
          template:
            spec:
              template:
                spec:
                  containers:
                  - name: node
                    image: registry.example.com/a:1
results:
- message: functionConfig has an unknown setting "nameSufix"; known settings are trainerVersion, namespace, nameSuffix, catalogue, keepInputs and sshKey
  severity: error
)");
  const Run version = run(replaced(kHead, "nameSuffix: x", "trainerVersion: \"1.9\"") + kJob + kRuntime);
  CHECK(version.err == "error: there is no Trainer version \"1.9\" here\n");
  const Run space = run(replaced(kHead, "nameSuffix: x", "namespace: team-a") + kJob + kRuntime);
  CHECK(space.out == R"(# a list
apiVersion: config.kubernetes.io/v1beta1
kind: ResourceList
functionConfig:
  kind: ConfigMap
  data:
    namespace: team-a # unused
items:
- apiVersion: jobset.x-k8s.io/v1alpha2
  kind: JobSet
  metadata:
    name: bert
    namespace: team-a
  spec:
    suspend: false
    replicatedJobs:
    - name: node
      groupName: default
      replicas: 1
      template:
        spec:
          completions: 1
          parallelism: 1
          template:
            spec:
              containers:
              - name: node
                image: registry.example.com/a:1
)");
}

TEST_CASE("function: input other than a ResourceList is a usage error") {
  CHECK(run("kind: List\n").status == 2);
  CHECK(run("kind: List\n").out.empty());
  CHECK(
      run("a: [").err ==
      R"(trainjobc: <stdin>:1:4: error: this bracket is not closed before the end of the document [yaml/syntax]
    1 | a: [
      |    ^ close it
)");
  base::MemoryFileSystem files;
  test::TestConsole console(files);
  console.terminal = true;
  CHECK(cli::run({"function"}, console) == 2);
  CHECK(console.err == "trainjobc: no input: a KRM function reads a ResourceList from standard input\n");
}

TEST_CASE("function: text that looks like a comment at the end of an item is part of it") {
  for (const std::string value : {"|\n      a\n      # b\n", ">-\n      a\n      # b\n", "\"a\n      # b\"\n",
                                  "'a\n      # b'\n", "|+\n      # b\n\n"}) {
    CAPTURE(value);
    const std::string script =
        "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: script}\n  data:\n    run: " + value;
    CHECK(run(kHead + script + kJob + kRuntime + "# the end\n").out ==
          kHead + script + kJobSet + "# the end\n");
    CHECK(run(kHead + kJob + kRuntime + script + "results: []\n").out == kHead + script + kJobSet);
    CHECK(run(kHead + kJob + script + kOther + kRuntime).out == kHead + script + kOther + kJobSet);
  }
}

TEST_CASE("function: an item keeps what it shares with a removed item") {
  const std::string anchored = replaced(kJob, "{name: team}", "&ref {name: team}");
  const std::string alias = "- apiVersion: v1\n  kind: Thing   # aligned\n  ref: *ref\n";
  const Run result = run(kHead + anchored + alias + kOther + kRuntime);
  CHECK(result.status == 0);
  CHECK(result.out == kHead + "- apiVersion: v1\n  kind: Thing\n  ref:\n    name: team\n" + kOther + kJobSet);
  const std::string own = "- apiVersion: v1\n  kind: Thing   # aligned\n  a: &a {b: 1}\n  c: *a\n";
  CHECK(run(kHead + kJob + own + kRuntime).out == kHead + own + kJobSet);
}

TEST_CASE("function: an item that looks like two is one") {
  const std::string text = replaced(kOther, "metadata: {", "data:\n    a: 'x\n\n- y'\n  metadata: {");
  const Run result = run(kHead + text + kJob + kRuntime);
  CHECK(result.status == 0);
  CHECK(result.out == kHead + text + kJobSet);
}

TEST_CASE("function: a list of which nothing is left") {
  CHECK(run("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + kRuntime + "# the end\n")
            .out == "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n");
}

TEST_CASE("function: what is around the items is checked with them") {
  CHECK(run(kHead + kJob + kRuntime + "items: []\n").err.find("key \"items\"") != std::string::npos);
  const std::string text = "text: |\n  items:\n  - {a: 1}\n";
  CHECK(run(replaced(kHead, "items:\n", "") + text).out.ends_with(text + "items: []\n"));
}

TEST_CASE("function: a key is read only from the allowed folder") {
  base::MemoryFileSystem files;
  files.files["/keys/seed"] = "a seed of more than sixteen bytes";
  files.files["/outside"] = "a seed of more than sixteen bytes";
  const auto errors = [&](const std::string& choice, const std::vector<std::string>& flags) {
    test::TestConsole console(files);
    console.in = replaced(kHead, "nameSuffix: x", "sshKey: " + choice) + kJob + kRuntime;
    std::vector<std::string> arguments{"function"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const int status = cli::run(arguments, console);
    CHECK((status == 0) == console.err.empty());
    return console.err;
  };
  const std::string closed =
      "error: sshKey names a file, but no folder is allowed: --ssh-key-dir or TRAINJOBC_SSH_KEY_DIR sets "
      "it\n";
  CHECK(errors("seed:/keys/seed", {}) == closed);
  CHECK(errors("file:/keys/seed", {}) == closed);
  CHECK(errors("omit", {}) == "");
  CHECK(errors("seed:/keys/seed", {"--ssh-key-dir", "/keys"}) == "");
  CHECK(errors("seed:seed", {"--ssh-key-dir", "/keys/"}) == "");
  for (const std::string path : {"/outside", "../outside", "/keys/../outside", "/keysx", "."}) {
    const std::string shown = path.starts_with("/") ? path : "/keys/" + path;
    CHECK(errors("seed:" + path, {"--ssh-key-dir", "/keys"}) ==
          "trainjobc: --ssh-key: " + shown +
              " is not in /keys, the only allowed folder\n"
              "error: sshKey names a file that can't be read\n");
  }
}

}  // namespace trainjobc::function_test
