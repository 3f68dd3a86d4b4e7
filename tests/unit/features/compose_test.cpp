// SPDX-License-Identifier: Apache-2.0

#include "features/compose/compose.h"

#include <doctest/doctest.h>

#include "support/test_console.h"

namespace trainjobc::compose_test {
namespace {

using test::run;
using test::Run;

std::string job(const std::string& runtime, const std::string& trainer = "") {
  return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec:\n  "
         "runtimeRef: {name: " +
         runtime + "}\n  trainer: {" + trainer + "}\n";
}

// What the command prints of a job; without the output, its findings and notes.
std::string composed(const std::string& text, std::vector<std::string> flags = {}) {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = text;
  flags.insert(flags.begin(), {"compose", "--no-config", "a.yaml"});
  const Run done = run(files, flags);
  return done.out.empty() ? done.err : done.out;
}

// The value after a word of the output: "\"4\"" for PET_NNODES.
std::string value_of(const std::string& text, const std::string& word) {
  const size_t at = text.find(word + ": ");
  if (at == std::string::npos) return "";
  const size_t begin = at + word.size() + 2;
  return text.substr(begin, text.find('\n', begin) - begin);
}

size_t count_of(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

constexpr const char* kGpus = "resourcesPerNode: {limits: {nvidia.com/gpu: 8}}, numNodes: 4";

}  // namespace

TEST_CASE("compose: numbers of the flags are compiled, so that the framework sees them") {
  const std::string whole = composed(job("torch-distributed", kGpus), {"--processes", "3"});
  CHECK(value_of(whole, "PET_NNODES") == R"("4")");
  CHECK(value_of(whole, "PET_NPROC_PER_NODE") == R"("3")");
  CHECK(count_of(whole, "hostname: ") == 4);
  CHECK(count_of(whole, "            - \"11\"") == 1);
  const std::string small = composed(job("torch-distributed", kGpus), {"--nodes", "2", "--processes", "1"});
  CHECK(value_of(small, "PET_NNODES") == R"("2")");
  CHECK(value_of(small, "PET_NPROC_PER_NODE") == R"("1")");
  const std::string boosted =
      composed(job("xgboost-distributed", kGpus), {"--nodes", "2", "--processes", "2"});
  CHECK(value_of(boosted, "DMLC_NUM_WORKER") == R"("4")");
  const std::string jax = composed(job("jax-distributed", kGpus), {"--nodes", "3", "--processes", "1"});
  CHECK(value_of(jax, "JAX_NUM_PROCESSES") == R"("3")");
  CHECK(count_of(jax, "device_ids") == 3);
}

TEST_CASE("compose: --cpu leaves the processes, --image replaces the trainer's image") {
  const std::string text = composed(job("torch-distributed", kGpus),
                                    {"--cpu", "--nodes", "1", "--processes", "2", "--image", "torch:trial"});
  CHECK(text.find("nvidia") == std::string::npos);
  CHECK(value_of(text, "PET_NPROC_PER_NODE") == R"("2")");
  CHECK(value_of(text, "image") == "torch:trial");
}

TEST_CASE("compose: values of the pods are texts, and names of volumes are names") {
  const std::string text = composed(R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: rt, labels: {trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                volumes: [{name: v, persistentVolumeClaim: {claimName: d}}]
                containers:
                - name: node
                  image: a/b:1
                  securityContext: {capabilities: {add: ["SYS_${HOME}"], drop: ["$HOME"]}}
                  volumeMounts: [{name: v, mountPath: data}]
---
)" + job("rt"));
  CHECK(text.find("cap_add:\n    - SYS_$${HOME}\n    cap_drop:\n    - $$HOME\n") != std::string::npos);
  CHECK(text.find("volumes:\n    - type: volume\n      source: d\n      target: /data\n") !=
        std::string::npos);
}

TEST_CASE("compose: a framework with one process per node refuses others") {
  CHECK(composed(job("jax-distributed"), {"--processes", "2"}) ==
        R"(a.yaml:5:22: error: --processes 2: JAX starts one process per node [input/processes-per-node]
    5 |   runtimeRef: {name: jax-distributed}
      |                      ^~~~~~~~~~~~~~~ leave it out, or use --nodes 2
)");
  CHECK(
      composed(job("xgboost-distributed"), {"--processes", "2"}) ==
      R"(a.yaml:5:22: error: --processes 2: XGBoost starts one process per node without GPUs [input/processes-per-node]
    5 |   runtimeRef: {name: xgboost-distributed}
      |                      ^~~~~~~~~~~~~~~~~~~ leave it out, or use --nodes 2
)");
}

TEST_CASE("compose: what is wrong with flags") {
  const std::string good = job("torch-distributed");
  CHECK(composed(good, {"--nodes", "0"}) == R"(trainjobc: --nodes 0 is not a number from 1 to 256
See "trainjobc compose --help".
)");
  CHECK(composed(good, {"--processes", "-1"}) == R"(trainjobc: --processes -1 is not a number from 1 to 256
See "trainjobc compose --help".
)");
  CHECK(composed(good, {"--image", "a b"}) ==
        R"(trainjobc: --image a b is not the name of an image, which has no blanks
See "trainjobc compose --help".
)");
  CHECK(composed(good, {"--mount", "workspace"}) ==
        R"(trainjobc: --mount workspace is not a folder and an absolute path, as in .:/workspace
See "trainjobc compose --help".
)");
  CHECK(composed(good, {"--mount", ".:workspace"}) ==
        R"(trainjobc: --mount .:workspace is not a folder and an absolute path, as in .:/workspace
See "trainjobc compose --help".
)");
  CHECK(composed(good, {"--mount", "\xff:/w"}).find("is not a folder and an absolute path") !=
        std::string::npos);
  CHECK(composed(good, {"--mount", "a:/w", "--mount", "b:/w/:ro"}) ==
        R"(trainjobc: --mount: /w is mounted twice
)");
}

TEST_CASE("compose: a file is of one job that fits on a machine") {
  CHECK(composed(job("torch-distributed") + "---\n" +
                 job("jax-distributed").replace(job("jax-distributed").find("name: a"), 7, "name: b")) ==
        R"(trainjobc: the inputs contain 2 TrainJobs: choose one with --job NAME
)");
  CHECK(composed("kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n") ==
        R"(trainjobc: the inputs contain no TrainJob
)");
  CHECK(composed(job("torch-distributed", "numNodes: 100000")) ==
        R"(trainjobc: the job has more than 256 pods, too many for one machine: --nodes makes it smaller
)");
}

TEST_CASE("compose: what lint says can never run is refused, unless a flag replaces it") {
  const std::string unpullable = job("torch-distributed", "image: 'a b'");
  CHECK(composed(unpullable) ==
        R"(a.yaml:6:20: error: the image's name contains a space: it can't be pulled [advice/image-name]
    6 |   trainer: {image: 'a b'}
      |                    ^~~~~ write it without spaces
)");
  CHECK(value_of(composed(unpullable, {"--image", "trial:1"}), "image") == "trial:1");
  CHECK(
      composed(job("torch-distributed", "numNodes: 0")) ==
      R"(a.yaml:6:23: error: numNodes: 0: no pod trains, and the job counts as complete [advice/num-nodes-zero]
    6 |   trainer: {numNodes: 0}
      |                       ^ write 1 or more; suspend: true keeps a job from starting
)");
  const std::string alone = job("torch-distributed", "image: 'a:1', numNodes: 2, command: [python, t.py]");
  CHECK(count_of(composed(alone), "hostname: ") == 2);
}

TEST_CASE("compose: a command line that contradicts the numbers of the flags gets lint's warning") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] =
      job("torch-distributed", "numNodes: 4, image: 'a:1', command: [torchrun, --nnodes=4, t.py]");
  CHECK(run(files, {"compose", "--no-config", "a.yaml"}).err == "");
  const Run small = run(files, {"compose", "--no-config", "--nodes", "2", "a.yaml"});
  CHECK(small.status == 0);
  CHECK(small.err ==
        R"(a.yaml:6:60: warning: --nnodes 4 contradicts the job, which has 2 nodes [advice/launcher-setting]
    6 |   trainer: {numNodes: 4, image: 'a:1', command: [torchrun, --nnodes=4, t.py]}
      |                                                            ^~~~~~~~~~ remove it: torchrun reads PET_NNODES
)");
}

TEST_CASE("compose: each service has a name of its own") {
  constexpr const char* kRuntime = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: twice}
spec:
  mlPolicy: {numNodes: 1}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node, image: "a:1"}, {name: "0", image: "b:1"}]}}}
      - name: node-0
        template: {spec: {template: {spec: {containers: [{name: x, image: "c:1"}]}}}}
---
)";
  const std::string text = composed(kRuntime + job("twice"));
  CHECK(count_of(text, "\n  node-0-0-0:\n") == 1);
  CHECK(count_of(text, "\n  node-0-0-0_:\n    image: b:1\n    network_mode: service:node-0-0\n") == 1);
}

TEST_CASE("compose: folders of --mount replace what is mounted there") {
  const auto mount = compose::read_mount("C:/x:/w:ro");
  REQUIRE(mount);
  CHECK(mount->source == "C:/x");
  CHECK(mount->target == "/w");
  CHECK(mount->read_only);
  CHECK(!compose::read_mount(":/w"));
  CHECK(!compose::read_mount("x:/"));
  CHECK(!compose::read_mount("x:/\n"));
  const std::string text = composed(job("torch-distributed"), {"--mount", "src:/workspace:ro"});
  CHECK(text.find(R"(    volumes:
    - type: bind
      source: ./src
      target: /workspace
      read_only: true
      bind:
        create_host_path: false
)") != std::string::npos);
}

TEST_CASE("compose: text of the job is not a reference of Compose") {
  const std::string text =
      composed(job("torch-distributed", R"(env: [{name: A, value: "$B ${C} $(D) \x010\x02"}])"));
  CHECK(value_of(text, "A") == R"("$$B $${C} $$(D) \x010\x02")");
}

TEST_CASE("compose: the container's user may read of a file what it may in the pod") {
  constexpr const char* kRuntime = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: keyed}
spec:
  mlPolicy: {numNodes: 1}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                securityContext: {runAsUser: 1000, fsGroup: 2000}
                containers:
                - {name: node, image: "a:1", volumeMounts: [{name: key, mountPath: /key}]}
                volumes:
                - {name: key, secret: {secretName: key, defaultMode: 416}}
---
)";
  const std::string secret =
      "apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {id: x}\n---\n";
  const std::string text = composed(secret + kRuntime + job("keyed"));
  CHECK(text.find(R"(    configs:
    - source: key.id
      target: /key/id
      uid: "1000"
      gid: "2000"
      mode: "0400"
)") != std::string::npos);
}

TEST_CASE("compose: names and keys that are paths mount nothing of this machine") {
  constexpr const char* kRuntime = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: paths}
spec:
  mlPolicy: {numNodes: 1}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: a:1
                  env: [{name: UP, value: ../../b}]
                  volumeMounts:
                  - {name: claim, mountPath: /claim}
                  - {name: map, mountPath: /map}
                  - {name: secret, mountPath: /secret}
                  - {name: token, mountPath: /token}
                  - {name: keys, mountPath: /keys}
                  - {name: part, mountPath: /part, subPathExpr: $(UP)}
                volumes:
                - {name: claim, persistentVolumeClaim: {claimName: /etc}}
                - {name: map, configMap: {name: ../../a}}
                - {name: secret, secret: {secretName: "~"}}
                - {name: token, secret: {secretName: "--token=hf_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1b"}}
                - {name: keys, configMap: {name: c, items: [{key: ../../k, path: k}]}}
                - {name: part, configMap: {name: c}}
---
)";
  base::MemoryFileSystem files;
  files.files["a.yaml"] = kRuntime + job("paths");
  const Run done = run(files, {"compose", "--no-config", "a.yaml"});
  CHECK(done.status == 0);
  CHECK(done.out.find("volumes:") == std::string::npos);
  CHECK(
      done.err ==
      R"(note: claim "/etc" is left out: its name may contain only lower-case letters, digits, '-' and '.', and must begin and end with a letter or digit
note: ConfigMap "../../a" is left out: its name may contain only lower-case letters, digits, '-' and '.', and must begin and end with a letter or digit
note: Secret "~" is left out: its name may contain only lower-case letters, digits, '-' and '.', and must begin and end with a letter or digit
note: Secret "--token=***" is left out: its name may contain only lower-case letters, digits, '-' and '.', and must begin and end with a letter or digit
note: ConfigMap "c" is not among the inputs: put its keys as files into ./c
note: key "../../k" of ConfigMap "c" is left out: it may contain only letters, digits, '-', '_' and '.'
note: what is mounted at /part is left out: "../../b" leads out of the volume
)");
}

TEST_CASE("compose: each reference has a variable of its own") {
  const auto variable = [](const std::string& name, const std::string& secret) {
    return "{name: " + name + ", valueFrom: {secretKeyRef: {name: " + secret + ", key: k}}}";
  };
  const std::string text =
      composed(job("torch-distributed", "env: [" + variable("A.B", "s") + ", " + variable("A-B", "t") + ", " +
                                            variable("A_B", "s") + ", " + variable("A_B_1", "u") + "]"));
  CHECK(value_of(text, "A.B") == "${A_B:?key k of Secret s}");
  CHECK(value_of(text, "A-B") == "${A_B_1:?key k of Secret t}");
  CHECK(value_of(text, "A_B") == "${A_B:?key k of Secret s}");
  CHECK(value_of(text, "A_B_1") == "${A_B_1_1:?key k of Secret u}");
}

}  // namespace trainjobc::compose_test
