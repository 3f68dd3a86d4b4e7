// SPDX-License-Identifier: Apache-2.0

#include "features/create/create.h"

#include <doctest/doctest.h>

#include "features/create/script.h"
#include "support/test_console.h"

namespace trainjobc::create_test {
namespace {

using test::Run;

Run make(base::FileSystem& files, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "new");
  return test::run(files, arguments);
}

Run make(const std::vector<std::string>& arguments) {
  base::MemoryFileSystem files;
  files.files["./README.md"] = "";
  return make(files, arguments);
}

// What is refused: the status, and what is said.
std::string refused(const std::vector<std::string>& arguments) {
  const Run made = make(arguments);
  return made.out.empty() ? std::to_string(made.status) + ": " + made.err : "written: " + made.out;
}

// With the answers of a person at a terminal.
Run answer(base::FileSystem& files, const std::vector<std::string>& arguments, const std::string& answers) {
  test::TestConsole console(files);
  console.in = answers;
  console.terminal = true;
  console.width = 120;
  const int status = cli::run(arguments, console);
  return {status, console.out, console.err};
}

// What lint and plan say of a job: its findings, its nodes and processes.
std::string seen(const std::string& manifest) {
  base::MemoryFileSystem files;
  files.files["job.yaml"] = manifest;
  const Run found = test::lint(files, {"job.yaml"});
  const Run planned = test::run(files, {"plan", "-o", "json", "--no-config", "job.yaml"});
  const auto number = [&](std::string_view name) {
    const size_t at = planned.out.find(name);
    return at == std::string::npos ? "?" : planned.out.substr(at, planned.out.find_first_of(",\n", at) - at);
  };
  return found.out + found.err + number("\"nodes\"") + " " + number("\"processes\"");
}

}  // namespace

TEST_CASE("new: a job of flags") {
  CHECK(make({"torch", "--name", "bert", "--nodes", "4", "--gpus", "8", "--image",
              "registry.example.com/bert:1.0.0", "--", "torchrun", "/workspace/train.py", "--epochs=3"})
            .out == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: bert
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    image: registry.example.com/bert:1.0.0
    command: [torchrun, /workspace/train.py, --epochs=3]
    numNodes: 4
    resourcesPerNode:
      limits:
        nvidia.com/gpu: 8
)");
}

TEST_CASE("new: lint finds nothing, and plan counts what was asked for") {
  struct Case {
    std::string framework;
    std::string program;
    std::string gpus;
    std::string seen;
  };
  for (const Case& one :
       {Case{"torch", "torchrun t.py", "4", "1 job: no findings\n\"nodes\": 2 \"processes\": 8"},
        Case{"torch", "torchrun t.py", "0", "1 job: no findings\n\"nodes\": 2 \"processes\": 2"},
        Case{"deepspeed", "mpirun t", "4", "1 job, 1 runtime: no findings\n\"nodes\": 2 \"processes\": 8"},
        Case{"mlx", "mpirun t", "0", "1 job, 1 runtime: no findings\n\"nodes\": 2 \"processes\": 2"},
        Case{"mpi", "mpirun t", "4", "1 job, 1 runtime: no findings\n\"nodes\": 2 \"processes\": 8"},
        Case{"jax", "python t.py", "4", "1 job: no findings\n\"nodes\": 2 \"processes\": 2"},
        Case{"xgboost", "python t.py", "0", "1 job: no findings\n\"nodes\": 2 \"processes\": 2"},
        Case{"flux", "python t.py", "1", "1 job, 1 runtime: no findings\n\"nodes\": 2 \"processes\": 2"},
        Case{"plain", "python t.py", "0", "1 job, 1 runtime: no findings\n\"nodes\": 2 \"processes\": 2"}}) {
    CAPTURE(one.framework);
    const Run made = make({one.framework, "--name", "a", "--nodes", "2", "--gpus", one.gpus, "--image",
                           "train:1", "--command", one.program});
    CHECK(made.err == "");
    CHECK(seen(made.out) == one.seen);
  }
  CHECK(seen(make({"torchtune", "--name", "a", "--gpus", "2"}).out) ==
        "1 job: no findings\n\"nodes\": 1 \"processes\": 2");
}

TEST_CASE("new: what people add, in a runtime of one's own") {
  const Run made = make({"torch",
                         "--runtime",
                         "--name",
                         "bert",
                         "-n",
                         "team",
                         "--image",
                         "train:1",
                         "--gpus",
                         "8",
                         "--cpu",
                         "16",
                         "--memory",
                         "64Gi",
                         "--claim",
                         "ckpt",
                         "--shared-memory",
                         "32Gi",
                         "--model",
                         "hf://a/b",
                         "--model-secret",
                         "hf-token",
                         "--gang",
                         "volcano",
                         "--queue",
                         "research",
                         "--",
                         "torchrun",
                         "t.py"});
  CHECK(made.out == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: bert-runtime
  namespace: team
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
    numNodes: 1
    torch: {}
  podGroupPolicy:
    volcano: {}
  template:
    spec:
      volumeClaimPolicies:
      - retentionPolicy:
          whenDeleted: Delete
        templates:
        - metadata:
            name: initializer
          spec:
            accessModes: [ReadWriteOnce]
            resources:
              requests:
                storage: 20Gi  # room for the dataset and the model
      replicatedJobs:
      - name: model-initializer
        template:
          metadata:
            labels:
              trainer.kubeflow.org/trainjob-ancestor-step: model-initializer
          spec:
            template:
              spec:
                containers:
                - name: model-initializer
                  image: ghcr.io/kubeflow/trainer/model-initializer:v2.3.0
                  volumeMounts:
                  - name: initializer
                    mountPath: /workspace
      - name: node
        dependsOn:
        - name: model-initializer
          status: Complete
        template:
          metadata:
            labels:
              trainer.kubeflow.org/trainjob-ancestor-step: trainer
          spec:
            template:
              spec:
                schedulerName: volcano
                containers:
                - name: node
                  image: train:1
                  volumeMounts:
                  - name: initializer
                    mountPath: /workspace/model
                    subPath: model
                  - name: checkpoints
                    mountPath: /checkpoints
                  - name: shared-memory
                    mountPath: /dev/shm
                volumes:
                - name: checkpoints
                  persistentVolumeClaim:
                    claimName: ckpt
                - name: shared-memory
                  emptyDir:
                    medium: Memory
                    sizeLimit: 32Gi
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: bert
  namespace: team
  labels:
    kueue.x-k8s.io/queue-name: research
spec:
  runtimeRef:
    kind: TrainingRuntime
    name: bert-runtime
  initializer:
    model:
      storageUri: hf://a/b
      secretRef:
        name: hf-token
  trainer:
    command: [torchrun, t.py]
    numNodes: 1
    resourcesPerNode:
      limits:
        cpu: 16
        memory: 64Gi
        nvidia.com/gpu: 8
)");
}

TEST_CASE("new: an image of one's own for MPI is a runtime of one's own") {
  base::MemoryFileSystem files;
  const std::string question =
      "name [my-job]: image [ghcr.io/kubeflow/trainer/deepspeed-runtime:v2.3.0]: "
      "command [mpirun python /workspace/train.py]: nodes [2]: GPUs of each node [0]: ";
  const Run own = answer(files, {"new", "deepspeed"}, "a\ntrain:1\n\n\n\n");
  CHECK(own.err == question);
  CHECK(seen(own.out) == "1 job, 1 runtime: no findings\n\"nodes\": 2 \"processes\": 2");
  const Run theirs = answer(files, {"new", "deepspeed"}, "a\n\n\n\n\n");
  CHECK(theirs.err == question);
  CHECK(seen(theirs.out) == "1 job: no findings\n\"nodes\": 2 \"processes\": 2");
  CHECK(
      make({"deepspeed", "--name", "a", "--", "mpirun", "t"}).err ==
      R"(note: the nodes run ghcr.io/kubeflow/trainer/deepspeed-runtime:v2.3.0, the image of deepspeed-distributed; --image writes a runtime with yours
)");
}

TEST_CASE("new: what people add, by patches") {
  const Run made = make({"deepspeed", "--name", "t5", "--nodes", "2", "--gpus", "8", "--claim", "ckpt",
                         "--claim-path", "/out", "--", "mpirun", "python", "a, b"});
  CHECK(made.out == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: t5
spec:
  runtimeRef:
    name: deepspeed-distributed
  trainer:
    command: [mpirun, python, "a, b"]
    numNodes: 2
    numProcPerNode: 8
    resourcesPerNode:
      limits:
        nvidia.com/gpu: 8
  runtimePatches:
  - manager: example.com/t5  # a domain of your team: one manager, one patch
    trainingRuntimeSpec:
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
                      volumeMounts:
                      - name: checkpoints
                        mountPath: /out
                    volumes:
                    - name: checkpoints
                      persistentVolumeClaim:
                        claimName: ckpt
          - name: launcher
            template:
              spec:
                template:
                  spec:
                    containers:
                    - name: node
                      volumeMounts:
                      - name: checkpoints
                        mountPath: /out
                    volumes:
                    - name: checkpoints
                      persistentVolumeClaim:
                        claimName: ckpt
)");
}

TEST_CASE("new: what is wrong is said of the flags, and nothing is written") {
  CHECK(
      refused({"torch", "--name", "Bert_1", "--", "torchrun", "t.py"}) ==
      R"(1: trainjobc: --name: metadata.name "Bert_1" may contain only lower-case letters, digits, '-' and '.', and must begin and end with a letter or digit; such as "bert-1" [input/name]
)");
  CHECK(
      refused({"torch", "--name", "a", "--nodes", "0", "--", "torchrun", "t.py"}) ==
      R"(1: trainjobc: --nodes: numNodes: 0: no pod trains, and the job counts as complete; write 1 or more; suspend: true keeps a job from starting [advice/num-nodes-zero]
)");
  CHECK(
      refused({"torch", "--name", "a", "--image", "train 1", "--", "torchrun", "t.py"}) ==
      R"(1: trainjobc: --image: the image's name contains a space: it can't be pulled; write it without spaces [advice/image-name]
)");
  CHECK(
      refused({"torch", "--name", "a", "--gpus", "1\n evil: 2", "--", "torchrun", "t.py"}) ==
      R"(1: trainjobc: --gpus: spec.trainer.resourcesPerNode.limits.nvidia.com/gpu must be a quantity, not "1\n evil: 2"; such as 4, 500m, 1.5G or 32Gi [input/quantity]
)");
  CHECK(
      refused({"torch", "--name", "a", "--nodes", "2", "--gpus", "1", "--", "python", "t.py"}) ==
      R"(1: trainjobc: --command: python starts one process on each node, and does not read PET_*: the 2 nodes train alone, each the whole job; start it with torchrun: [torchrun, t.py, …] [advice/no-launcher]
)");
  CHECK(
      refused({"torch", "--name", "a", "--", "torchrun", "t.py",
               "--token=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"}) ==
      R"(1: trainjobc: --command: this looks like a Hugging Face token and is in plain text here; read it from an env variable that a Secret fills [advice/plain-secret]
)");
  CHECK(refused({"torch", "--name", "a", "--", "torchrun", "/workspace/experiments/pretrain/train.py",
                 "--output=/checkpoints/bert, large", "--epochs=3", "--learning-rate=3e-4"}) ==
        R"(written: apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: a
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    image: pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime  # the image with your training code
    command:
    - torchrun
    - /workspace/experiments/pretrain/train.py
    - --output=/checkpoints/bert, large
    - --epochs=3
    - --learning-rate=3e-4
    numNodes: 1
    numProcPerNode: 1
)");
  CHECK(
      refused({"--from-runtime", "torch-distribute", "--name", "a"}) ==
      R"(2: trainjobc: --from-runtime: there is no runtime "torch-distribute", did you mean "torch-distributed"?
)");
  CHECK(
      refused({"tork"}) ==
      R"(2: trainjobc: there is no framework "tork", only torch, torchtune, deepspeed, mlx, mpi, jax, xgboost, flux, plain
)");
  CHECK(
      refused({}) ==
      R"(2: trainjobc: name the framework (torch, torchtune, deepspeed, mlx, mpi, jax, xgboost, flux, plain) or --from-runtime
)");
  CHECK(refused({"torch", "--name", "a"}) ==
        R"(2: trainjobc: the command is missing; give it at the end: -- torchrun /workspace/train.py
)");
  CHECK(refused({"torch", "--", "torchrun", "t.py"}) == R"(2: trainjobc: --name is missing
)");
  CHECK(refused({"torch", "--from-runtime", "torch-distributed"}) ==
        R"(2: trainjobc: --from-runtime: the runtime decides on the framework; leave out one of them
)");
  CHECK(refused({"torch", "--name", "a", "--command", "a", "--", "b"}) ==
        R"(2: trainjobc: --command: the words after "--" are a command, too; leave out one of them
)");
  CHECK(refused({"--from-script", "t.py", "--name", "a", "--command", "a", "--", "b"}) ==
        R"(2: trainjobc: --command: the words after "--" are for the script's command; leave out one of them
)");
  CHECK(
      refused({"torchtune", "--name", "a", "--nodes", "2"}) ==
      R"(1: catalogue/torchtune-llama3.2-1b:21:27: warning: 2 pods mount claim "initializer", which is ReadWriteOnce: only those on one node can start [advice/claim-access]
   21 |             accessModes: [ReadWriteOnce]
      |                           ^~~~~~~~~~~~~ write ReadWriteMany, with a storage class that offers it
trainjobc: runtime torchtune-llama3.2-1b: --rdzv-endpoint localhost:29500 is another host on each of the 2 nodes: they never meet; write $(PET_MASTER_ADDR) for the host [advice/launcher-setting]
)");
  CHECK(refused({"torch", "--name", "a", "--command", "torchrun 'a"}) ==
        R"(2: trainjobc: --command: a quotation mark has no counterpart
)");
  CHECK(refused({"torch", "--name", "a", "--gang", "volcano"}) ==
        R"(2: trainjobc: --gang: a runtime decides on gangs; add --runtime to write one
)");
  CHECK(
      refused({"torch", "--name", "a", "--dataset", "hf://a/b"}) ==
      R"(2: trainjobc: --dataset: torch-distributed has no dataset-initializer; add --runtime to write a runtime that has one
)");
  CHECK(refused({"torch", "--name", "a", "--model-secret", "b"}) ==
        R"(2: trainjobc: --model-secret requires --model
See "trainjobc new --help".
)");
  CHECK(
      refused({"torchtune", "--name", "a", "--runtime"}) ==
      R"(2: trainjobc: --runtime: for torchtune, copy one of the catalogue: trainjobc runtimes --show torchtune-llama3.2-1b
)");
  CHECK(refused({"mpi", "--name", "a", "--", "mpirun", "a"}) ==
        R"(2: trainjobc: --image is missing: the runtime needs one
)");
}

TEST_CASE("new: what nobody else would check before the pods start") {
  const auto torch = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"torch", "--name", "a"});
    flags.insert(flags.end(), {"--", "torchrun", "t.py"});
    return refused(flags);
  };
  CHECK(
      torch({"--claim", "My Claim"}) ==
      R"(2: trainjobc: --claim: "My Claim" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit; such as "my-claim"
)");
  CHECK(torch({"--claim", "c", "--claim-path", "out"}) ==
        R"(2: trainjobc: --claim-path out is not an absolute path
See "trainjobc new --help".
)");
  CHECK(torch({"--claim-path", "/out"}) == R"(2: trainjobc: --claim-path requires --claim
See "trainjobc new --help".
)");
  CHECK(
      torch({"--claim", "c", "--trainer-version", "2.1"}) ==
      R"(2: trainjobc: --claim: Trainer 2.1 has no runtimePatches; add --runtime to write a runtime that mounts it
)");
  CHECK(torch({"--claim", "c", "--claim-path", "/dev/shm", "--shared-memory", "1Gi"})
            .starts_with("1: trainjobc: --shared-memory: "));
  CHECK(torch({"--processes", "0"}) == R"(2: trainjobc: --processes: a node needs at least one
)");
  CHECK(torch({"--cpu", "0"}) == R"(2: trainjobc: --cpu: 0 sets no limit; leave out the flag
)");
  CHECK(torch({"--memory", "0Gi"}) == R"(2: trainjobc: --memory: 0Gi sets no limit; leave out the flag
)");
  CHECK(torch({"--shared-memory", "0"}) ==
        R"(2: trainjobc: --shared-memory: 0 sets no limit; leave out the flag
)");
  CHECK(torch({"--gpus", "00"}) == torch({"--gpus", "0"}));
  CHECK(torch({"--image", ""}) == R"(2: trainjobc: --image is empty
)");
  CHECK(torch({"-n", ""}) == R"(2: trainjobc: --namespace is empty
)");
  CHECK(torch({"--nodes", "010"}) ==
        R"(1: trainjobc: --nodes: spec.trainer.numNodes must be an integer, not the string "010" [input/type]
)");
  CHECK(torch({"--image", "a\xff"}) == R"(2: trainjobc: --image: its text is not UTF-8
)");
  CHECK(refused({"torch", "--name", "a", "--command", " "}) == R"(2: trainjobc: --command is empty
)");
  CHECK(refused({"torch", "--name", "a", "--", ""}) == R"(2: trainjobc: the command after "--" is empty
)");
}

TEST_CASE("new: a file is not overwritten") {
  base::MemoryFileSystem files;
  const std::vector<std::string> arguments{"torch", "--name", "a", "-o", "a.yaml", "--", "torchrun", "t.py"};
  CHECK(make(files, arguments).err == "note: a.yaml is written\n");
  const std::string written = files.files["a.yaml"];
  CHECK(seen(written) == "1 job: no findings\n\"nodes\": 1 \"processes\": 1");
  const Run again = make(files, arguments);
  CHECK(again.err == "trainjobc: a.yaml exists, and is not overwritten\n");
  CHECK(again.status == 2);
  CHECK(files.files["a.yaml"] == written);
  CHECK(make(files, {"torch", "--name", "a", "-o", "-", "--", "torchrun", "t.py"}).out == written);
}

TEST_CASE("new: questions on a terminal") {
  base::MemoryFileSystem files;
  const Run made = answer(files, {"new"}, "tensorflow\n\nbert\n\n\n4\n8\n");
  CHECK(made.status == 0);
  CHECK(
      made.err ==
      R"(framework (torch, torchtune, deepspeed, mlx, mpi, jax, xgboost, flux, plain) [torch]: trainjobc: there is no framework "tensorflow", only torch, torchtune, deepspeed, mlx, mpi, jax, xgboost, flux, plain
framework (torch, torchtune, deepspeed, mlx, mpi, jax, xgboost, flux, plain) [torch]: name [my-job]: image [pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime]: command [torchrun /workspace/train.py]: nodes [1]: GPUs of each node [0]: )");
  CHECK(made.out == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: bert
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    image: pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime  # the image with your training code
    command: [torchrun, /workspace/train.py]
    numNodes: 4
    resourcesPerNode:
      limits:
        nvidia.com/gpu: 8
)");
  const Run left = answer(files, {"new", "torch"}, "bert\n");
  CHECK(left.status == 2);
  CHECK(left.out == "");
}

TEST_CASE("new: a wrong answer is asked for again, and only that") {
  base::MemoryFileSystem files;
  const Run made = answer(files, {"new", "torch", "--gpus", "8"}, "Bert\n\n\ntwo\nbert\n2\n");
  CHECK(
      made.err ==
      R"(name [my-job]: image [pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime]: command [torchrun /workspace/train.py]: nodes [1]: trainjobc: --name: metadata.name "Bert" may contain only lower-case letters, digits, '-' and '.', and must begin and end
    with a letter or digit; such as "bert" [input/name]
trainjobc: --nodes: spec.trainer.numNodes must be an integer, not the string "two" [input/type]
name [my-job]: nodes [1]: )");
  CHECK(seen(made.out) == "1 job: no findings\n\"nodes\": 2 \"processes\": 16");
  const Run given = answer(files, {"new", "torch", "--gpus", "x"}, "bert\n\n\n\n");
  CHECK(given.status == 1);
}

TEST_CASE("new: all defaults are a job that lint accepts") {
  const auto defaults = [](const std::string& framework) {
    base::MemoryFileSystem files;
    return seen(answer(files, {"new", framework}, "\n\n\n\n\n").out);
  };
  CHECK(defaults("torch") == "1 job: no findings\n\"nodes\": 1 \"processes\": 1");
  CHECK(defaults("torchtune") == "1 job: no findings\n\"nodes\": 1 \"processes\": 2");
  CHECK(defaults("deepspeed") == "1 job: no findings\n\"nodes\": 2 \"processes\": 2");
  CHECK(defaults("mlx") == "1 job: no findings\n\"nodes\": 2 \"processes\": 2");
  CHECK(defaults("mpi") == "1 job, 1 runtime: no findings\n\"nodes\": 2 \"processes\": 2");
  CHECK(defaults("jax") == "1 job: no findings\n\"nodes\": 1 \"processes\": 1");
  CHECK(defaults("xgboost") == "1 job: no findings\n\"nodes\": 1 \"processes\": 1");
  CHECK(defaults("flux") == "1 job, 1 runtime: no findings\n\"nodes\": 1 \"processes\": 1");
  CHECK(defaults("plain") == "1 job, 1 runtime: no findings\n\"nodes\": 1 \"processes\": 1");
}

TEST_CASE("new: what a runtime leaves open") {
  base::MemoryFileSystem files;
  files.files["runtimes/a.yaml"] = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: torch-h100, namespace: research, labels: {trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy: {numNodes: 2, torch: {}}
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
                  image: train:1
                  command: [torchrun, t.py]
                  resources: {limits: {nvidia.com/gpu: 8}}
)";
  const Run made =
      answer(files, {"new", "--from-runtime", "torch-h100", "--runtimes", "runtimes"}, "bert\n\n\n");
  CHECK(made.err == "name [my-job]: nodes [2]: GPUs of each node [8]: ");
  CHECK(made.out == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: bert
  namespace: research
spec:
  runtimeRef:
    kind: TrainingRuntime
    name: torch-h100
  trainer:
    numNodes: 2
)");
}

TEST_CASE("new: a script decides on framework and arguments") {
  base::MemoryFileSystem files;
  files.files["src/train.py"] = R"(# import jax
import argparse, os
"""import deepspeed"""
import torch.distributed as dist
parser = argparse.ArgumentParser(description="a (b")
parser.add_argument("--data", required=True, help="a folder, with (x")
parser.add_argument('-l', '--lr', type=float, default=1e-4)
parser.add_argument("--epochs", type=int,
                    default=3)
parser.add_argument("--local-rank", default=0)
)";
  const Run made = make(files, {"--from-script", "src/train.py", "--name", "a", "--", "--data=/data"});
  CHECK(made.err == "note: src/train.py:4: imports torch.distributed: the framework is torch\n");
  CHECK(made.out == R"(# train.py also takes --lr (1e-4), --epochs (3)
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: a
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    image: pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime  # the image with your training code
    command: [torchrun, /workspace/train.py, --data=/data]  # where the image has the script
    numNodes: 1
    numProcPerNode: 1
)");
  CHECK(make(files, {"--from-script", "src/train.py", "--name", "a"}).err ==
        R"(note: src/train.py:4: imports torch.distributed: the framework is torch
trainjobc: train.py needs --data: give it after "--"
)");
  CHECK(make(files, {"--from-script", "none.py", "--name", "a"}).err ==
        "trainjobc: open none.py: No such file or directory\n");
  files.files["plain.py"] = "print(1)\n";
  CHECK(
      make(files, {"--from-script", "plain.py", "--name", "a"}).err ==
      R"(trainjobc: plain.py imports no framework that is known here; name the framework (torch, torchtune, deepspeed, mlx, mpi, jax, xgboost, flux, plain) or --from-runtime
)");
  CHECK(make(files, {"xgboost", "--from-script", "plain.py", "--name", "a"}).err == "");
}

TEST_CASE("new: what a script doesn't tell") {
  base::MemoryFileSystem files;
  const auto said = [&](const std::string& text, std::vector<std::string> flags) {
    files.files["t.py"] = text;
    std::vector<std::string> arguments{flags[0], "--from-script", "t.py", "--name", "a"};
    arguments.insert(arguments.end(), flags.begin() + 1, flags.end());
    return make(files, arguments).err;
  };
  CHECK(
      said("import torch\n", {"torch", "--gpus", "2"}) ==
      R"(note: t.py does not import torch.distributed: unless another module of yours does, each process trains alone
)");
  CHECK(said("import torch\n", {"torch"}) == "");
  CHECK(said("import torch.distributed, click\n", {"torch"}) ==
        R"(note: t.py: imports click: its arguments are not known here; give them after "--"
)");
  CHECK(said("import torch.distributed, click\n", {"torch", "--", "--lr=1"}) == "");
  CHECK(said("import jax\ns = p.add_subparsers()\ns.add_parser('a').add_argument('--x', required=True)\n",
             {"jax"}) ==
        R"(note: t.py: it has subcommands: its arguments are not known here; give them after "--"
)");
  CHECK(said("import jax\n", {"torch"}) == "note: t.py:1: imports jax, but the framework is torch\n");
  CHECK(said("import jax\np.add_argument('--x', required=True)\np.add_argument('y')\n", {"jax"}) ==
        R"(trainjobc: t.py needs --x, y: give them after "--"
)");
  files.files["n.ipynb"] = "{}";
  CHECK(make(files, {"--from-script", "n.ipynb", "--name", "a"}).err ==
        "trainjobc: n.ipynb is a notebook: jupyter nbconvert --to script makes a script of it\n");
}

TEST_CASE("new: the comment on a script's arguments has lines of a page, and only comments") {
  base::MemoryFileSystem files;
  files.files["t.py"] = "import jax\np.add_argument('--evil', default='''x\nkind: Pod''')\n";
  for (int i = 0; i < 12; ++i)
    files.files["t.py"] += "p.add_argument('--argument-" + std::to_string(i) + "', default=1)\n";
  const Run made = make(files, {"--from-script", "t.py", "--name", "a"});
  CHECK(made.out.substr(0, made.out.find("apiVersion")) ==
        R"(# t.py also takes --evil (x\nkind: Pod), --argument-0 (1), --argument-1 (1), --argument-2 (1),
# --argument-3 (1), --argument-4 (1), --argument-5 (1), --argument-6 (1), --argument-7 (1),
# --argument-8 (1), --argument-9 (1), --argument-10 (1), --argument-11 (1)
)");
}

TEST_CASE("new: a script's arguments are asked for") {
  base::MemoryFileSystem files;
  files.files["t.py"] =
      "import jax\np.add_argument('--x', required=True)\np.add_argument('y')\n"
      "p.add_argument('-z', required=True)\n";
  const Run made = answer(files, {"new", "--from-script", "t.py"}, "a\n\n\n1\n2\n3\n\n\n");
  CHECK(made.err.substr(made.err.find("--x")) ==
        "--x of t.py: --x of t.py: y of t.py: -z of t.py: nodes [1]: GPUs of each node [0]: ");
  CHECK(
      made.out.find("command: [python, /workspace/t.py, --x=1, \"2\", -z, \"3\"]  # where the image has the "
                    "script\n") != std::string::npos);
}

TEST_CASE("new: what a script says") {
  const auto framework = [](std::string_view text) {
    const create::ScriptFacts facts = create::read_script(text);
    return facts.framework + " " + facts.module + ":" + std::to_string(facts.line);
  };
  CHECK(framework("import torch\nimport deepspeed as ds, os\n") == "deepspeed deepspeed:2");
  CHECK(framework("from jax import numpy as np\n") == "jax jax:1");
  CHECK(framework("import os; import mlx.core as mx") == "mlx mlx:1");
  CHECK(framework("from mpi4py import (\n  MPI,\n)\n") == "mpi mpi4py:1");
  CHECK(framework("from torch import distributed as dist\n") == "torch torch.distributed:1");
  CHECK(framework("if True:\n    from accelerate import Accelerator\n") == "torch accelerate:2");
  CHECK(framework("x = 'import jax'\nimport jaxtyping\n# import torch\nimport \\\n  xgboost\n") ==
        "xgboost xgboost:4");
  const auto why = [](const std::string& module) {
    const create::ScriptFacts facts = create::read_script("import torch\nimport " + module + "\n");
    return facts.framework + ": " + facts.why;
  };
  for (const std::string module : {"trl", "peft", "transformers", "unsloth"})
    CHECK(why(module) == "torch: it trains with accelerate, which reads the variables of torchrun");
  CHECK(why("lightning.pytorch") ==
        "torch: it reads the variables of torchrun; its num_nodes and devices must be those of the job");
  CHECK(why("composer") ==
        "torch: composer's own launcher would need the rank of each node, which torchrun has");
  CHECK(why("megatron.core") == "torch: it reads the variables of torchrun");
  CHECK(why("torchtune") == "torch: a recipe of one's own is started with torchrun, as tune run does");
  CHECK(why("ultralytics") == "plain: for several devices, it starts torchrun itself, on its own node");
  CHECK(why("ray.train") == "plain: its program is one driver, and its workers run where ray start ran");
  CHECK(framework("'unfinished\nimport torch\n\"\"\"never ends") == "torch torch:2");
  CHECK(framework("\xEF\xBB\xBFimport torch\r\n") == "torch torch:1");
  CHECK(framework("") == " :0");
  const auto arguments = [](std::string_view text) {
    std::string said;
    for (const create::ScriptArgument& one : create::read_script(text).arguments)
      said += one.name + (one.is_required ? "!" : "") + "=" + one.default_value + " ";
    return said;
  };
  CHECK(arguments("p.add_argument('data', help='x')\np.add_argument('out', nargs='?')\np.add_argument('-v', "
                  "'--verbose', "
                  "action='store_true'); p.add_argument('--opt', choices=['a', 'b'], "
                  "required=True)\np.add_argument(") == "data!= out= --verbose= --opt!= ");
  CHECK(arguments("x = [q('y'), p.add_argument('--a', default='b', type=p.add_argument('--c')), "
                  "p.add_argument('d', help='e'), p.add_argument('--f', default='g'") == "--a=b d!= --f=g ");
}

}  // namespace trainjobc::create_test
