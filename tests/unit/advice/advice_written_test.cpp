// SPDX-License-Identifier: Apache-2.0

// Advice on what is accepted as it is written, and was meant otherwise: arguments, volumes, images, scripts
// with keys.
#include <doctest/doctest.h>

#include <vector>

#include "support/advice.h"

namespace trainjobc::advice_written_test {
using trainjobc::test::advice;
using trainjobc::test::job;
using trainjobc::test::lint;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

std::string with_trainer(const std::string& fields, const std::string& runtime_fields = "") {
  return runtime("{torch: {}}", trainer(runtime_fields)) + job("  trainer: {" + fields + "}\n");
}

std::string of_args(const std::string& args) {
  return advice("advice/one-word-argument",
                with_trainer("command: [torchrun, train.py], args: [" + args + "]"));
}

std::string of_script(const std::string& script) {
  return advice("advice/plain-secret", with_trainer("command: [bash, -c, '" + script + "']"));
}

std::string of_image(const std::string& image) {
  return advice("advice/misspelt-image", with_trainer("image: '" + image + "'"));
}

}  // namespace

TEST_CASE("advice/one-word-argument: flags and their values in one item") {
  CHECK(
      of_args("\"--lr 1e-4 --epochs 3\"") ==
      R"(in.yaml:28:51: warning: the program gets these 4 words as one argument, with the spaces between them [advice/one-word-argument]
   28 |   trainer: {command: [torchrun, train.py], args: ["--lr 1e-4 --epochs 3"]}
      |                                                   ^~~~~~~~~~~~~~~~~~~~~~ write one item per word: [--lr, "1e-4", --epochs, "3"]
)");
  CHECK(
      of_args("--fp16=true, \"--lr=1e-4 --epochs=3\"") ==
      R"(in.yaml:28:64: warning: the program gets these 2 words as one argument, with the spaces between them [advice/one-word-argument]
   28 |   trainer: {command: [torchrun, train.py], args: [--fp16=true, "--lr=1e-4 --epochs=3"]}
      |                                                                ^~~~~~~~~~~~~~~~~~~~~~ write one item per word: [--lr=1e-4, --epochs=3]
)");
  CHECK(
      of_args("\"--learning-rate 1e-4 --epochs 3 --dataset-path /data/tokens --batch-size 32\"") ==
      R"(in.yaml:28:51: warning: the program gets these 8 words as one argument, with the spaces between them [advice/one-word-argument]
   28 |   trainer: {command: [torchrun, train.py], args: ["--learning-rate 1e-4 --epochs 3 --dataset-path /data/tokens --batch-size 32"]}
      |                                                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ write one item per word
)");
  CHECK(
      advice("advice/one-word-argument", with_trainer("command: [python, train.py, \"-a 1 -b\"]")) ==
      R"(in.yaml:28:41: warning: the program gets these 3 words as one argument, with the spaces between them [advice/one-word-argument]
   28 |   trainer: {command: [python, train.py, "-a 1 -b"]}
      |                                         ^~~~~~~~~ write one item per word: [-a, "1", -b]
)");
}

TEST_CASE("advice/one-word-argument: programs that may split it") {
  CHECK(
      advice("advice/one-word-argument", with_trainer("args: [\"--lr 1e-4 --epochs 3\"]")) ==
      R"(in.yaml:28:20: info: the program gets these 4 words as one argument, with the spaces between them [advice/one-word-argument]
   28 |   trainer: {args: ["--lr 1e-4 --epochs 3"]}
      |                    ^~~~~~~~~~~~~~~~~~~~~~ write one item per word: [--lr, "1e-4", --epochs, "3"]
)");
  CHECK(
      advice("advice/one-word-argument",
             with_trainer("command: [bash, train.sh], args: [\"--lr 1e-4 --epochs 3\"]")) ==
      R"(in.yaml:28:47: info: the program gets these 4 words as one argument, with the spaces between them [advice/one-word-argument]
   28 |   trainer: {command: [bash, train.sh], args: ["--lr 1e-4 --epochs 3"]}
      |                                               ^~~~~~~~~~~~~~~~~~~~~~ write one item per word: [--lr, "1e-4", --epochs, "3"]
)");
  const std::string in_runtime = "                  command: [torchrun, train.py]\n";
  CHECK(
      advice("advice/one-word-argument", with_trainer("args: [\"--lr 1e-4 --epochs 3\"]", in_runtime)) ==
      R"(in.yaml:29:20: warning: the program gets these 4 words as one argument, with the spaces between them [advice/one-word-argument]
   29 |   trainer: {args: ["--lr 1e-4 --epochs 3"]}
      |                    ^~~~~~~~~~~~~~~~~~~~~~ write one item per word: [--lr, "1e-4", --epochs, "3"]
)");
}

TEST_CASE("advice/one-word-argument: text with spaces that is one argument") {
  for (const char* args :
       {"--extra, \"--lr 1e-4 --epochs 3\"", "\"--extra=--lr 1 --epochs 3\"", "\"--name=a b --c d\"",
        "\"--lr 1e-4\"", "\"--prompt 'a --b c'\"", "\"-1 --b\"", "\"{{args}} --a --b\"",
        "\"write --like this\"", "\"--a=${B} --c=d\"", "\"--title x -- y\""}) {
    CAPTURE(args);
    CHECK(of_args(args) == "");
  }
  CHECK(advice("advice/one-word-argument", with_trainer("command: [sh, -c, \"--a 1 --b 2\"]")) == "");
  CHECK(advice("advice/one-word-argument", with_trainer("command: [sh, -c, x], args: [\"--a 1 --b 2\"]")) ==
        "");
  CHECK(advice("advice/one-word-argument", runtime("{flux: {}}", trainer()) +
                                               job("  trainer: {numNodes: 1, args: [\"--a 1 --b 2\"]}\n")) ==
        "");
}

TEST_CASE("advice/one-word-argument: mpirun's flags have as many values as they take") {
  const auto of_mpirun = [](const std::string& words) {
    return test::advised_fields("advice/one-word-argument", with_trainer("command: [" + words + "]"));
  };
  CHECK(of_mpirun("mpirun, --mca, plm_rsh_args, '-p 2222 -q', python, a.py") == "");
  CHECK(of_mpirun("/opt/mpi/bin/mpirun, -np, '8', -x, 'A=1 -x', python, a.py") == "");
  CHECK(
      of_mpirun("run, --mca, plm_rsh_args, '-p 2222 -q', python, a.py") ==
      R"(spec.trainer.command[3]: the program gets these 3 words as one argument, with the spaces between them
)");
  const std::string job =
      with_trainer("command: [mpirun, --mca, btl, self, '--tag-output --oversubscribe', a]");
  CHECK(test::fixed("advice/one-word-argument", job) ==
        with_trainer("command: [mpirun, --mca, btl, self, \"--tag-output\", \"--oversubscribe\", a]"));
}

TEST_CASE("advice/unmounted-volume: of a runtime") {
  const std::string volumes =
      "                initContainers: [{name: i, image: i, volumeMounts: [{name: a, mountPath: /a}]}]\n"
      "                volumes:\n"
      "                - {name: a, emptyDir: {}}\n"
      "                - {name: b, persistentVolumeClaim: {claimName: b}}\n"
      "                - {name: c, configMap: {name: c}}\n"
      "                - {name: d, persistentVolumeClaim: {claimName: d}}\n";
  const std::string uses =
      "                  volumeDevices: [{name: d, devicePath: /dev/d}]\n"
      "                  volumeMounts: [{name: c, mountPath: /c}]\n";
  CHECK(advice("advice/unmounted-volume", runtime("{torch: {}}", trainer(uses) + volumes)) ==
        R"(in.yaml:26:26: info: no container of the pod mounts volume "b" [advice/unmounted-volume]
   26 |                 - {name: b, persistentVolumeClaim: {claimName: b}}
      |                          ^ add volumeMounts: [{name: b, mountPath: …}] to a container, or remove it
)");
}

TEST_CASE("advice/unmounted-volume: a patch without a pod comes before") {
  const auto patch = [](const std::string& manager, const std::string& job_spec) {
    return "  - manager: example.com/" + manager +
           "\n    trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: node, template: " +
           job_spec + "}]}}}\n";
  };
  CHECK(
      test::advised_fields("advice/unmounted-volume",
                           runtime("{torch: {}}", trainer()) +
                               job("  runtimePatches:\n" + patch("a", "{metadata: {labels: {a: b}}}") +
                                   patch("b",
                                         "{spec: {template: {spec: {volumes: [{name: a, "
                                         "emptyDir: {}}]}}}}"))) ==
      R"(spec.runtimePatches[1].trainingRuntimeSpec.template.spec.replicatedJobs[0].template.spec.template.spec.volumes[0].name: no container of the pod mounts volume "a"
)");
}

TEST_CASE("advice/unmounted-volume: of a patch") {
  const auto patch = [](const std::string& pod_spec) {
    return runtime("{torch: {}}",
                   trainer("                  volumeMounts: [{name: of-runtime, mountPath: /c}]\n") +
                       "                volumes: [{name: of-runtime, emptyDir: {}}]\n") +
           job("  runtimePatches:\n  - manager: a.com/b\n    trainingRuntimeSpec:\n      template:\n        "
               "spec:\n"
               "          replicatedJobs:\n          - name: node\n            template: {spec: {template: "
               "{spec: {" +
               pod_spec + "}}}}\n");
  };
  CHECK(advice("advice/unmounted-volume", patch("volumes: [{name: dshm, emptyDir: {medium: Memory}}]")) ==
        R"(in.yaml:37:66: info: no container of the pod mounts volume "dshm" [advice/unmounted-volume]
   37 |             template: {spec: {template: {spec: {volumes: [{name: dshm, emptyDir: {medium: Memory}}]}}}}
      |                                                                  ^~~~ add volumeMounts: [{name: dshm, mountPath: …}] to a container, or remove it
)");
  CHECK(
      advice(
          "advice/unmounted-volume",
          patch(
              "volumes: [{name: dshm, emptyDir: {medium: Memory}}], containers: [{name: node, volumeMounts: "
              "[{name: dshm, mountPath: /dev/shm}]}]")) == "");
  CHECK(advice("advice/unmounted-volume",
               patch("volumes: [{name: of-runtime, emptyDir: {sizeLimit: 1Gi}}]")) == "");
}

TEST_CASE("advice/misspelt-image: one letter off a well-known one") {
  CHECK(
      of_image("pytroch/pytorch:2.7.1") ==
      R"(in.yaml:28:20: info: image "pytroch/pytorch" is spelt almost like "pytorch/pytorch": if there is none of that name, the pods stay in ImagePullBackOff [advice/misspelt-image]
   28 |   trainer: {image: 'pytroch/pytorch:2.7.1'}
      |                    ^~~~~~~~~~~~~~~~~~~~~~~ did you mean "pytorch/pytorch"?
)");
  CHECK(
      of_image("docker.io/tensorflow/tensoflow:2.18") ==
      R"(in.yaml:28:20: info: image "tensorflow/tensoflow" is spelt almost like "tensorflow/tensorflow": if there is none of that name, the pods stay in ImagePullBackOff [advice/misspelt-image]
   28 |   trainer: {image: 'docker.io/tensorflow/tensoflow:2.18'}
      |                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ did you mean "tensorflow/tensorflow"?
)");
  CHECK(
      of_image("nvcr.io/nvidai/pytorch:25.01-py3") ==
      R"(in.yaml:28:20: info: image "nvcr.io/nvidai/pytorch" is spelt almost like "nvcr.io/nvidia/pytorch": if there is none of that name, the pods stay in ImagePullBackOff [advice/misspelt-image]
   28 |   trainer: {image: 'nvcr.io/nvidai/pytorch:25.01-py3'}
      |                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ did you mean "nvcr.io/nvidia/pytorch"?
)");
  CHECK(of_image("pyhton:3.12").find("did you mean \"python\"?") != std::string::npos);
  for (const std::string& image : std::vector<std::string>{
           "pytorch/pytorch:2.7.1", "docker.io/library/python:3.12", "pytorch/pytorch2:1",
           "registry.example/pytroch/pytorch:1", "me/pytorch:1", "team/pytroch:1", "rocm/jay:1",
           "pytorch/pytorch-ci:1", "nvcr.io/nvidia/pytorch@sha256:" + std::string(64, 'a')}) {
    CAPTURE(image);
    CHECK(of_image(image) == "");
  }
}

TEST_CASE("advice/image-name: spaces around the name") {
  CHECK(
      advice("advice/image-name", with_trainer("image: 'me/train:1 '")) ==
      R"(in.yaml:28:20: error: the image's name begins or ends with a space: the API server refuses every pod of it [advice/image-name]
   28 |   trainer: {image: 'me/train:1 '}
      |                    ^~~~~~~~~~~~~ remove it
)");
  CHECK(
      advice("advice/image-name", with_trainer("image: \"\\tme/train:1\\n\"")) ==
      R"(in.yaml:28:20: error: the image's name begins or ends with a space: the API server refuses every pod of it [advice/image-name]
   28 |   trainer: {image: "\tme/train:1\n"}
      |                    ^~~~~~~~~~~~~~~~ remove it
)");
}

TEST_CASE("advice/plain-secret: in a script") {
  CHECK(
      of_script("huggingface-cli login --token hf_0123456789abcdefghijklmnop && torchrun train.py") ==
      R"(in.yaml:28:64: warning: this looks like a Hugging Face token and is in plain text here [advice/plain-secret]
  hint: read it from an env variable that a Secret fills
)");
  CHECK(
      of_script("export WANDB_API_KEY=0123456789abcdef && torchrun train.py") ==
      R"(in.yaml:28:55: warning: WANDB_API_KEY looks like a secret and is in plain text here [advice/plain-secret]
  hint: read it from an env variable that a Secret fills
)");
  CHECK(
      of_script("wandb login --api-key 0123456789abcdef01") ==
      R"(in.yaml:28:56: warning: --api-key looks like a secret and is in plain text here [advice/plain-secret]
  hint: read it from an env variable that a Secret fills
)");
  // Each of them, once.
  CHECK(
      of_script("export HF_TOKEN=hf_0123456789abcdefghijklmnop WANDB_API_KEY=0123456789abcdef && export "
                "WANDB_API_KEY=0123456789abcdef && torchrun train.py") ==
      R"(in.yaml:28:50: warning: this looks like a Hugging Face token and is in plain text here [advice/plain-secret]
  hint: read it from an env variable that a Secret fills
in.yaml:28:94: warning: WANDB_API_KEY looks like a secret and is in plain text here [advice/plain-secret]
  hint: read it from an env variable that a Secret fills
)");
  for (const std::string& script : std::vector<std::string>{
           "export HF_TOKEN=$HF_TOKEN", "export HF_TOKEN=\"$(cat /run/token)\"",
           "HF_TOKEN=`cat token` python train.py", "export HF_TOKEN=/run/secrets/token",
           "serve --api-key EMPTY", "export HF_TOKEN=<your token>", "export API_KEY=your-api-key",
           "export API_KEY=" + std::string(12, 'x'), "train --pad-token 0123456789abcdef01",
           "export TOKENIZERS_PARALLELISM=false", "python -c \"login(token=os.environ[x])\"",
           "echo eyJ0cmFpbl9iYXRjaF9zaXplIjogMTZ9 | base64 -d", "export HF_TOKEN=short"}) {
    CAPTURE(script);
    CHECK(of_script(script) == "");
  }
}

TEST_CASE("advice/plain-secret: no report shows the value in a script") {
  const std::string value = "0123456789abcdef";
  const trainjobc::Compilation compiled = lint(
      with_trainer("command: [bash, -c, \"export WANDB_API_KEY=" + value + "; train “x”\"], numNodes: 0"));
  std::string out;
  for (const auto& found : compiled.diagnostics.items())
    out += format_text(found, {}) + found.message + found.hint;
  CHECK(out.find("advice/plain-secret") != std::string::npos);
  CHECK(out.find(value) == std::string::npos);
}

}  // namespace trainjobc::advice_written_test
