// SPDX-License-Identifier: Apache-2.0

// Advice on MPI runs, and on processes per GPU.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_mpi_test {
using trainjobc::test::advice;
using trainjobc::test::job;
using trainjobc::test::replicated_job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

std::string mpi(const std::string& launcher, const std::string& node, const std::string& policy = "{mpi: {}}",
                const std::string& label = "trainer") {
  return runtime(policy, "      replicatedJobs:\n" + replicated_job("launcher", label, launcher) +
                             replicated_job("node", label.empty() ? "trainer" : "", node));
}

std::string gpus(int number) {
  return "                  resources: {limits: {nvidia.com/gpu: " + std::to_string(number) + "}}\n";
}

}  // namespace

TEST_CASE("advice/mpi-launcher: a program that trains alone") {
  const auto launcher = [](const std::string& words) {
    return advice("advice/mpi-launcher",
                  mpi("", "") + job("  trainer: {numNodes: 2, command: " + words + "}\n"));
  };
  CHECK(
      launcher("[python, train.py]") ==
      R"(in.yaml:36:36: warning: the launcher runs python itself: nothing starts processes on the nodes [advice/mpi-launcher]
   36 |   trainer: {numNodes: 2, command: [python, train.py]}
      |                                    ^~~~~~ start it with mpirun: [mpirun, …]
)");
  CHECK(launcher("[bash, -c, 'export A=1; cd /w && exec python3 train.py']") != "");
  CHECK(launcher("[torchrun, train.py]") != "");
  CHECK(launcher("[python, train.py, --deepspeed, zero3.json]") != "");
  for (const char* words :
       {"[mpirun, python, train.py]", "[/opt/amazon/openmpi/bin/mpiexec.hydra, a]",
        "[deepspeed, --hostfile=/etc/mpi/hostfile, train.py]", "[deepspeed, -H, /etc/mpi/hostfile, train.py]",
        "[bash, -c, 'ln -s /etc/mpi/hostfile /job/hostfile; deepspeed train.py']", "[mpirun, deepspeed]",
        "[horovodrun, python, a.py]", "[mlx.launch, a.py]", "[prterun, a]", "[./run.sh]", "[bash, run.sh]",
        "[bash, -c, './prepare && python train.py']", "[bash, -c, 'mpirun python train.py']",
        "[python, -m, deepspeed.launcher.runner]", "[python, launch.py]", "[sleep, inf]",
        "[bash, -c, 'f() { python x; }; f']"})
    CHECK_MESSAGE(launcher(words) == "", words);
  CHECK(advice("advice/mpi-launcher", mpi("", "") + job("  trainer: {args: [python]}\n")) == "");
  // Without nodes the launcher may train alone.
  const std::string alone = runtime("{mpi: {runLauncherAsNode: true}}",
                                    "      replicatedJobs:\n" + replicated_job("launcher", "trainer"));
  CHECK(advice("advice/mpi-launcher", alone + job("  trainer: {command: [python, a.py]}\n")) == "");
}

TEST_CASE("advice/launcher-setting: the hosts of mpirun are removed with their flag") {
  const std::string before = mpi("", "") + job("  trainer: {numNodes: 2, command: [mpirun, ");
  const std::string after = "python, a.py]}\n";
  CHECK(test::fixed("advice/launcher-setting", before + "-H, 'job-node-0-0.job:2', -np, '2', " + after) ==
        before + "-np, '2', " + after);
}

TEST_CASE("advice/mpi-launcher: deepspeed does not read the controller's hostfile") {
  const auto launcher = [](const std::string& words) {
    return advice("advice/mpi-launcher", mpi("", "") + job("  trainer: {command: " + words + "}\n"));
  };
  CHECK(
      launcher("[deepspeed, train.py]") ==
      R"(in.yaml:36:23: warning: the launcher runs deepspeed without --hostfile: it starts no processes on the nodes [advice/mpi-launcher]
   36 |   trainer: {command: [deepspeed, train.py]}
      |                       ^~~~~~~~~ use mpirun instead: [mpirun, python, …]
)");
  CHECK(
      launcher("[bash, -c, 'cd /w && deepspeed --num_gpus 8 train.py']") ==
      R"(in.yaml:36:23: warning: the launcher runs deepspeed without --hostfile: it starts no processes on the nodes [advice/mpi-launcher]
   36 |   trainer: {command: [bash, -c, 'cd /w && deepspeed --num_gpus 8 train.py']}
      |                       ^~~~ use mpirun instead: [mpirun, python, …]
)");
}

TEST_CASE("advice/mpi-launcher: a command of the runtime") {
  const std::string python = "                  command: [python, train.py]\n";
  CHECK(
      advice("advice/mpi-launcher", mpi(python, "") + job("  trainer: {}\n")) ==
      R"(in.yaml:36:22: warning: the launcher runs python itself: nothing starts processes on the nodes [advice/mpi-launcher]
   36 |   runtimeRef: {name: rt}
      |                      ^~ give the job a command that runs mpirun
  note: the runtime's command at in.yaml:21:28
)");
  // Without the label no job can set it.
  CHECK(
      advice("advice/mpi-launcher", mpi(python, "", "{mpi: {}}", "")) ==
      R"(in.yaml:20:29: warning: the launcher runs python itself: nothing starts processes on the nodes [advice/mpi-launcher]
   20 |                   command: [python, train.py]
      |                             ^~~~~~ start it with mpirun: [mpirun, …]
)");
  CHECK(advice("advice/mpi-launcher", mpi(python, "")) == "");
}

TEST_CASE("advice/mpi-image: two images instead of one") {
  const auto with_image = [](const std::string& text, const std::string& image) {
    return advice("advice/mpi-image", text + job("  trainer: {image: \"" + image + "\"}\n"));
  };
  CHECK(
      with_image(mpi("", ""), "mine:1") ==
      R"(in.yaml:36:20: warning: the image reaches only replicatedJob "launcher": "node" keeps "img:1", and mpirun runs one program on both [advice/mpi-image]
   36 |   trainer: {image: "mine:1"}
      |                    ^~~~~~~~ use a runtime whose replicatedJob "node" has this image too
  note: the image of "node" at in.yaml:28:26
)");
  CHECK(
      with_image(mpi("", "", "{mpi: {}}", ""), "mine:1") ==
      R"(in.yaml:36:20: warning: the image reaches only replicatedJob "node": "launcher" keeps "img:1", and mpirun runs one program on both [advice/mpi-image]
   36 |   trainer: {image: "mine:1"}
      |                    ^~~~~~~~ use a runtime whose replicatedJob "launcher" has this image too
  note: the image of "launcher" at in.yaml:19:26
)");
  CHECK(with_image(mpi("", ""), "img:1") == "");
  std::string different = mpi("", "");
  different.replace(different.find("img:1"), 5, "launch:1");
  CHECK(with_image(different, "mine:1") == "");
  CHECK(advice("advice/mpi-image",
               runtime("{torch: {}}", trainer()) + job("  trainer: {image: \"a:1\"}\n")) == "");
}

TEST_CASE("input/mpi-hostfile: more lines than a ConfigMap holds") {
  const auto nodes = [](const std::string& number) {
    return advice("input/mpi-hostfile", mpi("", "") + job("  trainer: {numNodes: " + number + "}\n"));
  };
  CHECK(
      nodes("50000") ==
      R"(in.yaml:36:23: error: the hostfile has 1405 KiB, and a ConfigMap holds at most 1024: the controller can't create it, and no pod starts [input/mpi-hostfile]
   36 |   trainer: {numNodes: 50000}
      |                       ^~~~~ write fewer nodes, or shorten the job's name
)");
  CHECK(nodes("30000") == "");
}

TEST_CASE("input/mpi-hostfile: the size is that of the hostfile; nothing is built if it is too large") {
  trainjobc::Options options;
  options.policy.ssh_key.source = trainjobc::policy::SshKeySource::Omit;
  const auto size = [&](int nodes) {
    const std::string text = mpi("", "") + job("  trainer: {numNodes: " + std::to_string(nodes) + "}\n");
    const trainjobc::Compilation compiled = compile_sources({{"in.yaml", text}}, {}, options);
    if (compiled.objects.empty()) return size_t{0};
    return compiled.objects.at(0).root->at({"data", "hostfile"})->text().size();
  };
  // A line is job-node-0-NNNNN.job slots=1: 29 bytes with five digits.
  CHECK(size(36540) == 36540 * 29 - 11110);
  CHECK(size(36541) == 0);
  CHECK(size(2147483647) == 0);
}

TEST_CASE("advice/processes-per-gpu: torch") {
  const auto found = [](const std::string& trainer_section, int number) {
    return advice("advice/processes-per-gpu", runtime("{torch: {}}", trainer(gpus(number))) +
                                                  job("  trainer: " + trainer_section + "\n"));
  };
  CHECK(found("{numProcPerNode: 8}", 4) ==
        R"(in.yaml:29:29: warning: 8 processes per node share its 4 nvidia.com/gpu [advice/processes-per-gpu]
   29 |   trainer: {numProcPerNode: 8}
      |                             ^ 4 would give one process each
  note: the node's nvidia.com/gpu at in.yaml:21:56
)");
  CHECK(
      found("{numProcPerNode: 2}", 4) ==
      R"(in.yaml:29:29: warning: 2 processes per node leave 2 of its 4 nvidia.com/gpu idle, unless a process uses several [advice/processes-per-gpu]
   29 |   trainer: {numProcPerNode: 2}
      |                             ^ 4 would give one process each
  note: the node's nvidia.com/gpu at in.yaml:21:56
)");
  CHECK(found("{numProcPerNode: 4}", 4) == "");
  CHECK(found("{numProcPerNode: 1}", 4) == "");
  CHECK(found("{}", 4) == "");
  CHECK(found("{numProcPerNode: 8, resourcesPerNode: {limits: {nvidia.com/gpu: 8}}}", 4) == "");
  CHECK(advice("advice/processes-per-gpu",
               runtime("{torch: {}}", trainer()) + job("  trainer: {numProcPerNode: 8}\n")) == "");
}

TEST_CASE("advice/processes-per-gpu: a flag of torchrun overrides the field") {
  const auto found = [](const std::string& trainer_section) {
    return advice("advice/processes-per-gpu",
                  runtime("{torch: {}}", trainer(gpus(4))) + job("  trainer: " + trainer_section + "\n"));
  };
  CHECK(found("{command: [torchrun, --nproc_per_node=8, a.py]}") ==
        R"(in.yaml:29:33: warning: 8 processes per node share its 4 nvidia.com/gpu [advice/processes-per-gpu]
   29 |   trainer: {command: [torchrun, --nproc_per_node=8, a.py]}
      |                                 ^~~~~~~~~~~~~~~~~~ 4 would give one process each
  note: the node's nvidia.com/gpu at in.yaml:21:56
)");
  CHECK(found("{args: [--nproc-per-node, \"8\", a.py]}") ==
        R"(in.yaml:29:20: warning: 8 processes per node share its 4 nvidia.com/gpu [advice/processes-per-gpu]
   29 |   trainer: {args: [--nproc-per-node, "8", a.py]}
      |                    ^~~~~~~~~~~~~~~~ 4 would give one process each
  note: the node's nvidia.com/gpu at in.yaml:21:56
)");
  CHECK(found("{numProcPerNode: 8, args: [--nproc-per-node=4, a.py]}") == "");
  // The script's own.
  CHECK(found("{command: [torchrun, a.py], args: [--nproc-per-node=8]}") == "");
  CHECK(found("{numProcPerNode: 8, args: [--nproc-per-node=gpu, a.py]}") == "");
  // Of advice/launcher-setting.
  CHECK(found("{numProcPerNode: 4, command: [torchrun, --nproc_per_node=2, a.py]}") == "");
  CHECK(found("{numProcPerNode: 8, command: [bash, -c, \"torchrun --nproc_per_node 4 a.py\"]}") == "");
}

TEST_CASE("advice/processes-per-gpu: Flux asks for the node's GPUs for each process") {
  const auto found = [](const std::string& policy, const std::string& trainer_section) {
    return advice("advice/processes-per-gpu", runtime("{flux: " + policy + "}", trainer(gpus(4))) +
                                                  job("  trainer: " + trainer_section + "\n"));
  };
  CHECK(
      found("{}", "{numNodes: 2, numProcPerNode: 4}") ==
      R"(in.yaml:29:42: warning: Flux requests 4 GPUs for each of the 4 processes of a node, and the node has no more than that: they never start [advice/processes-per-gpu]
   29 |   trainer: {numNodes: 2, numProcPerNode: 4}
      |                                          ^ write numProcPerNode: 1
)");
  CHECK(found("{}", "{numNodes: 2}") == "");
  CHECK(
      found("{numProcPerNode: 2}", "{numNodes: 2}") ==
      R"(in.yaml:8:37: warning: Flux requests 4 GPUs for each of the 2 processes of a node, and the node has no more than that: they never start [advice/processes-per-gpu]
    8 |   mlPolicy: {flux: {numProcPerNode: 2}}
      |                                     ^ write numProcPerNode: 1
)");
  CHECK(found("{}", "{numNodes: 2, numProcPerNode: 4, resourcesPerNode: {requests: {cpu: 4}}}") == "");
}

TEST_CASE("advice/processes-per-gpu: MPI slots") {
  const std::string two = "{mpi: {numProcPerNode: 2}}";
  CHECK(
      advice("advice/processes-per-gpu", mpi("", gpus(8), two)) ==
      R"(in.yaml:8:36: warning: 2 processes per node leave 6 of its 8 nvidia.com/gpu idle, unless a process uses several [advice/processes-per-gpu]
    8 |   mlPolicy: {mpi: {numProcPerNode: 2}}
      |                                    ^ 8 would give one process each
  note: the node's nvidia.com/gpu at in.yaml:29:56
)");
  // The runtime hears of it, its jobs don't.
  CHECK(advice("advice/processes-per-gpu", mpi("", gpus(8), two) + job("  trainer: {numNodes: 2}\n")) ==
        advice("advice/processes-per-gpu", mpi("", gpus(8), two)));
  CHECK(advice("advice/processes-per-gpu", mpi("", gpus(8)) + job("  trainer: {numProcPerNode: 16}\n")) ==
        R"(in.yaml:37:29: warning: 16 processes per node share its 8 nvidia.com/gpu [advice/processes-per-gpu]
   37 |   trainer: {numProcPerNode: 16}
      |                             ^~ 8 would give one process each
  note: the node's nvidia.com/gpu at in.yaml:29:56
)");
  CHECK(advice("advice/processes-per-gpu", mpi("", gpus(2), two) + job("  trainer: {}\n")) == "");
  CHECK(advice("advice/processes-per-gpu", mpi(gpus(8), "", two) + job("  trainer: {}\n")) == "");
}

TEST_CASE("advice/processes-per-gpu: the variable of the implementation of MPI") {
  const auto found = [](const std::string& implementation, const std::string& processes) {
    const std::string pods =
        "spec: {template: {spec: {containers: [{name: node, image: 'r.io/a:1', "
        "resources: {limits: {nvidia.com/gpu: 4}}}]}}}";
    return advice("advice/processes-per-gpu",
                  "apiVersion: kubeflow.org/v2alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: rt}\n"
                  "spec:\n  mlPolicy: {numNodes: 1, mpi: {mpiImplementation: " +
                      implementation + ", numProcPerNode: 4}}\n  template: {spec: {replicatedJobs: [{name: " +
                      "launcher, template: {" + pods + "}}, {name: node, template: {" + pods +
                      "}}]}}\n---\n" +
                      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: job}\n"
                      "spec:\n  runtimeRef: {name: rt}\n  trainer: {numProcPerNode: " +
                      processes + "}\n",
                  {}, "auto");
  };
  CHECK(found("Intel", "8") ==
        R"(in.yaml:13:29: warning: 8 processes per node share its 4 nvidia.com/gpu [advice/processes-per-gpu]
   13 |   trainer: {numProcPerNode: 8}
      |                             ^ 4 would give one process each
  note: the node's nvidia.com/gpu at in.yaml:6:316
)");
  CHECK(found("Intel", "4") == "");
}

}  // namespace trainjobc::advice_mpi_test
