// SPDX-License-Identifier: Apache-2.0

// Advice on what the cluster takes and then does not train: commands, images, amounts, numbers of nodes.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_accepted_test {
using trainjobc::test::advice;
using trainjobc::test::errors;
using trainjobc::test::job;
using trainjobc::test::replicated_job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

std::string torch_job(const std::string& lines) {
  return runtime("{torch: {}}", trainer()) + job(lines);
}

std::string torch_runtime(const std::string& lines) {
  return runtime("{torch: {}}", trainer("                  " + lines + "\n"));
}

std::string command(const std::string& rule, const std::string& words) {
  return advice("advice/" + rule, torch_job("  trainer: {command: " + words + "}\n"));
}

std::string mpi(const std::string& launcher, const std::string& node,
                const std::string& policy = "{mpi: {}}") {
  return runtime(policy, "      replicatedJobs:\n" + replicated_job("launcher", "trainer", launcher) +
                             replicated_job("node", "", node));
}

// How often the rule was found.
size_t count(std::string_view rule, const std::string& report) {
  size_t found = 0;
  const std::string mark = "[" + std::string(rule) + "]";
  for (size_t at = report.find(mark); at != std::string::npos; at = report.find(mark, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("advice/num-nodes-zero: by framework") {
  CHECK(
      advice("advice/num-nodes-zero", torch_job("  trainer: {numNodes: 0}\n")) ==
      R"(in.yaml:28:23: error: numNodes: 0: no pod trains, and the job counts as complete [advice/num-nodes-zero]
   28 |   trainer: {numNodes: 0}
      |                       ^ write 1 or more; suspend: true keeps a job from starting
)");
  const std::string zero = job("  trainer: {numNodes: 0}\n");
  CHECK(
      advice("advice/num-nodes-zero", mpi("", "") + zero) ==
      R"(in.yaml:36:23: error: numNodes: 0: the hostfile is empty, and mpirun finds no node [advice/num-nodes-zero]
   36 |   trainer: {numNodes: 0}
      |                       ^ write 1 or more; suspend: true keeps a job from starting
)");
  CHECK(
      advice("advice/num-nodes-zero", mpi("", "", "{mpi: {runLauncherAsNode: true}}") + zero) ==
      R"(in.yaml:36:23: warning: numNodes: 0: the launcher counts as a node, and at least one worker is always created [advice/num-nodes-zero]
   36 |   trainer: {numNodes: 0}
      |                       ^ write 1 or more; suspend: true keeps a job from starting
)");
  CHECK(advice("advice/num-nodes-zero", torch_job("  trainer: {numNodes: 1}\n")) == "");
}

TEST_CASE("advice/suspended: nothing resumes the job") {
  CHECK(
      advice("advice/suspended", torch_job("  suspend: true\n")) ==
      R"(in.yaml:28:12: info: no pod runs until suspend is set to false, which no queue does for this job [advice/suspended]
   28 |   suspend: true
      |            ^~~~ remove it, or name a queue: labels: {kueue.x-k8s.io/queue-name: QUEUE}
)");
  CHECK(advice("advice/suspended", torch_job("  suspend: false\n")) == "");
  std::string queued = torch_job("  suspend: true\n");
  const std::string name = "  name: job\n";
  queued.replace(queued.find(name), name.size(), name + "  labels: {kueue.x-k8s.io/queue-name: a}\n");
  CHECK(advice("advice/suspended", queued) == "");
  CHECK(advice("advice/suspended", torch_job("  suspend: true\n  managedBy: kueue.x-k8s.io/multikueue\n")) ==
        "");
}

TEST_CASE("advice/one-word-command: a whole line as the program") {
  CHECK(
      command("one-word-command", "[\"torchrun train.py\"]") ==
      R"(in.yaml:28:23: error: the container looks for a program with this whole line as its name: each item of a command must be one word [advice/one-word-command]
   28 |   trainer: {command: ["torchrun train.py"]}
      |                       ^~~~~~~~~~~~~~~~~~~ write one item per word, or [sh, -c, "…"]
)");
  CHECK(command("one-word-command", "[torchrun, \"a b.py\"]") == "");
  CHECK(command("one-word-command", "[\"{{ command }}\"]") == "");
  CHECK(command("one-word-command", "[\" torchrun \"]") == "");
  CHECK(count("advice/one-word-command",
              advice("advice/one-word-command", torch_runtime("command: [\"sleep 1\"]"))) == 1);
  // Flux makes one line of the words itself.
  CHECK(advice("advice/one-word-command", runtime("{flux: {}}", trainer()) +
                                              job("  trainer: {numNodes: 1, command: [\"lmp -v x\"]}\n")) ==
        "");
}

TEST_CASE("advice/one-word-command: a line with a secret is not shown") {
  for (const char* line : {"python a.py --token=hunter2", "DB_PASSWORD=hunter2 python a.py",
                           "python a.py --api-key hf_hunter2abcdefghijklm", "a hf_hunter2abcdefghijklm"}) {
    const std::string found = command("one-word-command", "[\"" + std::string(line) + "\"]");
    CHECK_MESSAGE(found.find("advice/one-word-command") != std::string::npos, line);
    CHECK_MESSAGE(found.find("hunter2") == std::string::npos, line);
  }
  CHECK(
      command("one-word-command", "[\"python a.py --pad-token=x\"]") ==
      R"(in.yaml:28:23: error: the container looks for a program with this whole line as its name: each item of a command must be one word [advice/one-word-command]
   28 |   trainer: {command: ["python a.py --pad-token=x"]}
      |                       ^~~~~~~~~~~~~~~~~~~~~~~~~~~ write one item per word, or [sh, -c, "…"]
)");
}

TEST_CASE("advice/typographic-sign: words") {
  CHECK(
      command("typographic-sign", "[torchrun, \"–nproc-per-node=4\"]") ==
      R"(in.yaml:28:33: warning: the dash – has no special meaning to a program or a shell: it stays part of the word [advice/typographic-sign]
   28 |   trainer: {command: [torchrun, "–nproc-per-node=4"]}
      |                                 ^~~~~~~~~~~~~~~~~~~ write --
)");
  CHECK(
      command("typographic-sign", "[a, \"--name=“b”\"]") ==
      R"(in.yaml:28:26: warning: the curly quote “ has no special meaning to a program or a shell: it stays part of the word [advice/typographic-sign]
   28 |   trainer: {command: [a, "--name=“b”"]}
      |                          ^~~~~~~~~~~~ write "
)");
  CHECK(
      command("typographic-sign", "[a, “b”]") ==
      R"(in.yaml:28:26: warning: the curly quote “ has no special meaning to a program or a shell: it stays part of the word [advice/typographic-sign]
   28 |   trainer: {command: [a, “b”]}
      |                          ^~~ write "
)");
  CHECK(command("typographic-sign", "[a, \"don’t say “x” – ever\"]") == "");
  CHECK(count("advice/typographic-sign",
              advice("advice/typographic-sign", torch_job("  trainer: {args: [‘a’]}\n"))) == 1);
  CHECK(count("advice/typographic-sign", advice("advice/typographic-sign", torch_runtime("args: [–a]"))) ==
        1);
}

TEST_CASE("advice/typographic-sign: scripts") {
  const auto script = [](const std::string& text) {
    return count("advice/typographic-sign", command("typographic-sign", "[bash, -c, '" + text + "']"));
  };
  CHECK(script("python train.py --name “a b”") == 1);
  CHECK(script("python train.py –lr 1") == 1);
  CHECK(script("python\u00a0train.py") == 1);
  CHECK(script("echo \"a “quoted” word – here\"") == 0);
  CHECK(script("true # “a comment”") == 0);
  CHECK(script("echo a – b") == 0);
  CHECK(script("cat <<EOF “x” EOF") == 0);
}

TEST_CASE("advice/size-unit: bytes and thousandths") {
  const auto limits = [](const std::string& list) {
    return advice("advice/size-unit", torch_job("  trainer: {resourcesPerNode: {limits: " + list + "}}\n"));
  };
  CHECK(limits("{memory: 64}") ==
        R"(in.yaml:28:49: error: memory: 64 is 64 bytes: no container can start with it [advice/size-unit]
   28 |   trainer: {resourcesPerNode: {limits: {memory: 64}}}
      |                                                 ^~ did you mean "64Gi"?
)");
  CHECK(
      limits("{memory: 128m}") ==
      R"(in.yaml:28:49: error: memory: 128m is 128 thousandths of a byte: no container can start with it [advice/size-unit]
   28 |   trainer: {resourcesPerNode: {limits: {memory: 128m}}}
      |                                                 ^~~~ did you mean "128Mi"?
)");
  CHECK(limits("{ephemeral-storage: 2048}") ==
        R"(in.yaml:28:60: warning: ephemeral-storage: 2048 is 2048 bytes [advice/size-unit]
   28 |   trainer: {resourcesPerNode: {limits: {ephemeral-storage: 2048}}}
      |                                                            ^~~~ did you mean "2048Mi"?
)");
  CHECK(
      limits("{memory: \"0.5\"}") ==
      R"(in.yaml:28:49: error: memory: 500m is 500 thousandths of a byte: no container can start with it [advice/size-unit]
   28 |   trainer: {resourcesPerNode: {limits: {memory: "0.5"}}}
      |                                                 ^~~~~ did you mean "500Mi"?
)");
  CHECK(limits("{memory: 64Gi, cpu: 500m}") == "");
  CHECK(limits("{memory: 107374182400m}") == "");
  CHECK(limits("{memory: 8589934592}") == "");
  CHECK(limits("{memory: 0}") == "");
  CHECK(count("advice/size-unit",
              advice("advice/size-unit", torch_runtime("resources: {requests: {memory: 512}}"))) == 1);
  const std::string shm =
      "                volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 64}}]\n";
  CHECK(advice("advice/size-unit", runtime("{torch: {}}", trainer() + shm)) ==
        R"(in.yaml:21:77: warning: sizeLimit: 64 is 64 bytes [advice/size-unit]
   21 |                 volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 64}}]
      |                                                                             ^~ did you mean "64Gi"?
)");
}

TEST_CASE("advice/device-name: names that no device plugin offers") {
  const auto device = [](const std::string& name) {
    return advice("advice/device-name",
                  torch_job("  trainer: {resourcesPerNode: {limits: {" + name + ": 4}}}\n"));
  };
  CHECK(device("nvidia.com/gpus") ==
        R"(in.yaml:28:41: error: no node offers nvidia.com/gpus: the pods stay pending [advice/device-name]
   28 |   trainer: {resourcesPerNode: {limits: {nvidia.com/gpus: 4}}}
      |                                         ^~~~~~~~~~~~~~~ did you mean "nvidia.com/gpu"?
)");
  for (const char* name :
       {"nvidia.com/GPU", "nvidia/gpu", "nvidea.com/gpu", "nvidia.io/gpu", "nvidia.com/GPUs"})
    CHECK_MESSAGE(device(name).find("did you mean \"nvidia.com/gpu\"?") != std::string::npos, name);
  CHECK(device("amd.com/gpus") ==
        R"(in.yaml:28:41: error: no node offers amd.com/gpus: the pods stay pending [advice/device-name]
   28 |   trainer: {resourcesPerNode: {limits: {amd.com/gpus: 4}}}
      |                                         ^~~~~~~~~~~~ did you mean "amd.com/gpu"?
)");
  CHECK(device("google.com/tpus") ==
        R"(in.yaml:28:41: error: no node offers google.com/tpus: the pods stay pending [advice/device-name]
   28 |   trainer: {resourcesPerNode: {limits: {google.com/tpus: 4}}}
      |                                         ^~~~~~~~~~~~~~~ did you mean "google.com/tpu"?
)");
  for (const char* name :
       {"nvidia.com/gpu", "amd.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.5gb", "nvidia.com/vgpu",
        "nvidia.com/gpumem", "media.com/gpu", "nvidia.example.com/gpu", "example.com/gpu", "rdma/hca", "cpu",
        "gpu.intel.com/i915", "acme.io/gpus", "huawei.com/Ascend910", "intel.com/gpu"})
    CHECK_MESSAGE(device(name) == "", name);
  const std::string twice = "resources: {limits: {amd.com/gpus: 1}, requests: {amd.com/gpus: 1}}";
  CHECK(count("advice/device-name", advice("advice/device-name", torch_runtime(twice))) == 1);
}

TEST_CASE("advice/image-name: names that can't be pulled") {
  const auto image = [](const std::string& name) {
    return advice("advice/image-name", torch_job("  trainer: {image: \"" + name + "\"}\n"));
  };
  CHECK(
      image("ghcr.io/Team/app:1") ==
      R"(in.yaml:28:20: error: the image's repository has capital letters, in "Team": it can't be pulled [advice/image-name]
   28 |   trainer: {image: "ghcr.io/Team/app:1"}
      |                    ^~~~~~~~~~~~~~~~~~~~ write "team"
)");
  CHECK(image("a b:1") ==
        R"(in.yaml:28:20: error: the image's name contains a space: it can't be pulled [advice/image-name]
   28 |   trainer: {image: "a b:1"}
      |                    ^~~~~~~ write it without spaces
)");
  CHECK(
      image("a\u00a0b:1") ==
      R"(in.yaml:28:20: error: the image's name contains a no-break space (U+00A0): it can't be pulled [advice/image-name]
   28 |   trainer: {image: "a b:1"}
      |                    ^~~~~~~ write it without
)");
  CHECK(
      image("Team/app:1") ==
      R"(in.yaml:28:20: error: the image's repository has capital letters, in "Team": it can't be pulled [advice/image-name]
   28 |   trainer: {image: "Team/app:1"}
      |                    ^~~~~~~~~~~~ write "team"
)");
  CHECK(
      image("a//b:1") ==
      R"(in.yaml:28:20: error: the image's repository has an empty part: it can't be pulled [advice/image-name]
   28 |   trainer: {image: "a//b:1"}
      |                    ^~~~~~~~ parts are lower-case letters and digits, with single ., _ or - between them
)");
  CHECK(
      image("a/b-:1") ==
      R"(in.yaml:28:20: error: "b-" is not a valid part of an image's repository: it can't be pulled [advice/image-name]
   28 |   trainer: {image: "a/b-:1"}
      |                    ^~~~~~~~ parts are lower-case letters and digits, with single ., _ or - between them
)");
  CHECK(
      image("a:") ==
      R"(in.yaml:28:20: error: the image ends with a colon and has no tag: it can't be pulled [advice/image-name]
   28 |   trainer: {image: "a:"}
      |                    ^~~~ add the tag
)");
  CHECK(image("a:b:c") ==
        R"(in.yaml:28:20: error: the image's tag is invalid: it can't be pulled [advice/image-name]
   28 |   trainer: {image: "a:b:c"}
      |                    ^~~~~~~ a tag has letters, digits, _, . and -, and at most 128 of them
)");
  CHECK(
      image("a@sha256:12") ==
      R"(in.yaml:28:20: error: the part after the image's @ is not a digest: it can't be pulled [advice/image-name]
   28 |   trainer: {image: "a@sha256:12"}
      |                    ^~~~~~~~~~~~~ a digest is sha256: and 64 of the digits 0-9 and a-f
)");
  CHECK(
      image("host:port/a:1") ==
      R"(in.yaml:28:20: error: the part before the image's first / is not a registry: it can't be pulled [advice/image-name]
   28 |   trainer: {image: "host:port/a:1"}
      |                    ^~~~~~~~~~~~~~~ write HOST or HOST:PORT
)");
  CHECK(
      image("docker://a:1") ==
      R"(in.yaml:28:20: error: an image name has no scheme such as docker://: it can't be pulled [advice/image-name]
   28 |   trainer: {image: "docker://a:1"}
      |                    ^~~~~~~~~~~~~~ leave it out
)");
  const std::string digest(64, 'a');
  for (const std::string& name :
       {std::string("a"), std::string("a:1"), std::string("a/b__c/d--e.f:V1_x"), "a:1@sha256:" + digest,
        std::string("localhost:5000/a/b:1"), std::string("REGISTRY.example.com:443/a:1"),
        std::string("localhost/a:1"), std::string("[fe80::1]:5000/a:1"), std::string("${IMAGE}"),
        std::string("{{ image }}"), std::string("<image>")})
    CHECK_MESSAGE(image(name) == "", name);
  CHECK(count("advice/image-name",
              advice("advice/image-name",
                     runtime("{torch: {}}", trainer() + "                - name: b\n"
                                                        "                  image: A/b:1\n"))) == 1);
}

}  // namespace trainjobc::advice_accepted_test
