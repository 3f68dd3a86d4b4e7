// SPDX-License-Identifier: Apache-2.0

// Advice on what containers start: too few processes, ones that don't meet, or none.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_launch_test {
using trainjobc::test::advice;
using trainjobc::test::job;
using trainjobc::test::replicated_job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

// A job of four nodes with these fields of spec.trainer, of a torch runtime whose container has these lines.
std::string on_four(const std::string& fields, const std::string& container = "",
                    const std::string& image = "") {
  std::string text = runtime("{torch: {}}", trainer(container));
  if (!image.empty()) text.replace(text.find("img:1"), 5, image);
  return text + job("  trainer:\n    numNodes: 4\n" + fields);
}

std::string no_launcher(const std::string& fields, const std::string& container = "") {
  return advice("advice/no-launcher", on_four(fields, container));
}

std::string setting(const std::string& fields) {
  return advice("advice/launcher-setting", on_four(fields));
}

}  // namespace

TEST_CASE("advice/no-launcher: Python on several nodes") {
  CHECK(
      no_launcher("    command: [python, train.py, --lr, '1e-4']\n") ==
      R"(in.yaml:30:15: warning: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job [advice/no-launcher]
   30 |     command: [python, train.py, --lr, '1e-4']
      |               ^~~~~~ start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(
      no_launcher("    command: [python3, -m, pkg.train]\n") ==
      R"(in.yaml:30:15: warning: python3 starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job [advice/no-launcher]
   30 |     command: [python3, -m, pkg.train]
      |               ^~~~~~~ start it with torchrun: [torchrun, -m, pkg.train, …]
)");
  CHECK(
      no_launcher("    command: [bash, -c, cd /app && python train.py 2>&1 | tee log]\n") ==
      R"(in.yaml:30:36: warning: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job [advice/no-launcher]
   30 |     command: [bash, -c, cd /app && python train.py 2>&1 | tee log]
      |                                    ^~~~~~~~~~~~~~~ start it with torchrun: torchrun train.py …
)");
  CHECK(
      no_launcher(
          "    command: [bash, -c, source venv/bin/activate && conda activate x && python train.py]\n") ==
      R"(in.yaml:30:73: warning: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job [advice/no-launcher]
   30 |     command: [bash, -c, source venv/bin/activate && conda activate x && python train.py]
      |                                                                         ^~~~~~~~~~~~~~~ start it with torchrun: torchrun train.py …
)");
  CHECK(
      no_launcher("    args: [--lr=1]\n", "                  command: [python, train.py]\n") ==
      R"(in.yaml:28:22: warning: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job [advice/no-launcher]
   28 |   runtimeRef: {name: rt}
      |                      ^~ start it with torchrun: [torchrun, train.py, …]
  note: the runtime's command at in.yaml:21:29
)");
  CHECK(
      no_launcher("    command: [deepspeed, --num_gpus=8, train.py]\n") ==
      R"(in.yaml:30:15: warning: deepspeed starts processes on its own node only, and does not read PET_*: the 4 nodes train alone, each the whole job [advice/no-launcher]
   30 |     command: [deepspeed, --num_gpus=8, train.py]
      |               ^~~~~~~~~ start it with torchrun: [torchrun, train.py, …]
)");
}

TEST_CASE("advice/no-launcher: code on the command line") {
  CHECK(
      no_launcher("    command: [python, -c, 'import torch; train(torch.cuda)']\n") ==
      R"(in.yaml:30:15: warning: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job [advice/no-launcher]
   30 |     command: [python, -c, 'import torch; train(torch.cuda)']
      |               ^~~~~~ start it with torchrun: [torchrun, …]
)");
}

TEST_CASE("advice/no-launcher: code on the command line that needs the ranks") {
  const auto lint = [](int nodes, const std::string& command) {
    return advice("advice/no-launcher", runtime("{torch: {}}", trainer()) +
                                            job("  trainer:\n    numNodes: " + std::to_string(nodes) +
                                                "\n    command: " + command + "\n"));
  };
  for (const int nodes : {1, 4}) {
    CHECK(
        lint(nodes, "[python3, -c, 'import torch.distributed as d; d.init_process_group()']") ==
        R"(in.yaml:30:15: warning: python3 does not read PET_*: init_process_group finds no RANK, and fails [advice/no-launcher]
   30 |     command: [python3, -c, 'import torch.distributed as d; d.init_process_group()']
      |               ^~~~~~~ start it with torchrun: [torchrun, --no_python, python3, -c, …]
)");
  }
  for (const char* command : {
           "[torchrun, --no_python, python, -c, 'import torch.distributed as d; d.init_process_group()']",
           "[python, -c, 'import torch.distributed as d; d.init_process_group(store=s, rank=0, "
           "world_size=1)']",
           "[python, -c, 'import torch.distributed as d; d.init_process_group(\"mpi\")']",
           "[python, -c, 'import torch.distributed as d; d.init_process_group(init_method=\"file:///x\")']",
           "[python, -c, 'import os, torch.distributed as d; os.environ.update(x); d.init_process_group()']",
           "[python, -c, 'import torch.distributed as d; d.is_available()']",
       }) {
    CAPTURE(command);
    CHECK(lint(4, command) == "");
  }
}

TEST_CASE("advice/no-launcher: Python on one node with several GPUs") {
  const auto on_one = [](const std::string& fields) {
    return advice("advice/no-launcher",
                  runtime("{torch: {}}", trainer()) + job("  trainer:\n    numNodes: 1\n" + fields));
  };
  CHECK(
      on_one("    command: [python, train.py]\n    resourcesPerNode: {limits: {nvidia.com/gpu: 8}}\n") ==
      R"(in.yaml:30:15: info: python is one process, and the node is to run 8, unless the script starts the others [advice/no-launcher]
   30 |     command: [python, train.py]
      |               ^~~~~~ start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(on_one("    command: [python, train.py]\n    resourcesPerNode: {limits: {nvidia.com/gpu: 1}}\n") ==
        "");
  CHECK(on_one("    command: [python, train.py]\n    resourcesPerNode: {requests: {cpu: 8}}\n") == "");
}

TEST_CASE("advice/no-launcher: what reads the controller's variables, or is told by the job") {
  for (const char* command : {
           "[torchrun, train.py]",
           "[python, -m, torch.distributed.run, train.py]",
           "[python3, -u, -m, torch.distributed.launch, train.py]",
           "[bash, -c, 'set -e; pip install x; exec torchrun train.py']",
           "[accelerate, launch, train.py]",
           "[tune, run, --nnodes=4, full_finetune_distributed, --config, a]",
           "[deepspeed, --hostfile=/etc/hosts.txt, train.py]",
           "[composer, --world_size, '8', --node_rank, $(PET_NODE_RANK), train.py]",
           "[llamafactory-cli, train, a.yaml]",
           "[python, train.py, --master-addr, $(PET_MASTER_ADDR)]",
           "[python, train.py, --init_method=tcp://a:1]",
           "[bash, -c, 'RANK=$JOB_COMPLETION_INDEX python train.py']",
           "[bash, train.sh]",
           "[/opt/train]",
           "[sleep, infinity]",
           "[python, launch.py]",
           "[python, -c, 'import subprocess; subprocess.run(x)']",
           "[python, -c, 'print(1)']",
           "[bash, -c, 'read x <<E; torchrun train.py']",
       }) {
    CAPTURE(command);
    CHECK(no_launcher(std::string("    command: ") + command + "\n") == "");
  }
  CHECK(no_launcher("    command: [python, train.py]\n    env: [{name: WORLD_SIZE, value: '4'}]\n") == "");
  CHECK(no_launcher("    command: [python, train.py]\n",
                    "                  envFrom: [{configMapRef: {name: c}}]\n") == "");
}

TEST_CASE("advice/unseen-launcher: a shell script of the image") {
  const auto unseen = [](const std::string& command) {
    return advice("advice/unseen-launcher", on_four("    command: " + command + "\n"));
  };
  CHECK(
      unseen("[bash, /app/train.sh, --lr=1]") ==
      R"(in.yaml:30:21: info: whether train.sh starts torchrun on the 4 nodes can't be seen here [advice/unseen-launcher]
   30 |     command: [bash, /app/train.sh, --lr=1]
      |                     ^~~~~~~~~~~~~
)");
  CHECK(unseen("[bash, train.sh, $(PET_NNODES)]") == "");
  CHECK(
      unseen("[accelerate, launch, --num_processes=8, train.py]") ==
      R"(in.yaml:30:15: info: whether accelerate finds the job's other nodes can't be seen here [advice/unseen-launcher]
   30 |     command: [accelerate, launch, --num_processes=8, train.py]
      |               ^~~~~~~~~~
)");
  CHECK(unseen("[accelerate, launch, --config_file, a.yaml, train.py]") == "");
  CHECK(
      unseen("[accelerate, launch, --num_machines=4, --machine_rank=$(PET_NODE_RANK), train.py]") ==
      R"(in.yaml:30:15: info: whether accelerate finds the job's other nodes can't be seen here [advice/unseen-launcher]
   30 |     command: [accelerate, launch, --num_machines=4, --machine_rank=$(PET_NODE_RANK), train.py]
      |               ^~~~~~~~~~
)");
  CHECK(
      unseen("[llamafactory-cli, train, a.yaml]") ==
      R"(in.yaml:30:15: info: whether llamafactory-cli finds the job's other nodes can't be seen here [advice/unseen-launcher]
   30 |     command: [llamafactory-cli, train, a.yaml]
      |               ^~~~~~~~~~~~~~~~
)");
  CHECK(unseen("[torchrun, train.py]") == "");
}

TEST_CASE("advice/no-command: images that open a shell") {
  const auto none = [](const std::string& fields, const std::string& image) {
    return advice("advice/no-command", on_four(fields, "", image));
  };
  CHECK(
      none("", "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime") ==
      R"(in.yaml:28:3: warning: nothing trains: neither the job nor its runtime has a command, and image "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime" only opens a shell or an interpreter [advice/no-command]
   28 |   trainer:
      |   ^~~~~~~ add a command: [torchrun, train.py]
)");
  CHECK(
      none("", "docker.io/library/python:3.12") ==
      R"(in.yaml:28:3: warning: nothing trains: neither the job nor its runtime has a command, and image "docker.io/library/python:3.12" only opens a shell or an interpreter [advice/no-command]
   28 |   trainer:
      |   ^~~~~~~ add a command: [torchrun, train.py]
)");
  CHECK(
      none("    args: [--lr=1]\n", "nvcr.io/nvidia/pytorch:25.10-py3") ==
      R"(in.yaml:30:12: warning: args without a command: the container looks for a program called "--lr=1", since image "nvcr.io/nvidia/pytorch:25.10-py3" starts none itself [advice/no-command]
   30 |     args: [--lr=1]
      |            ^~~~~~ add a command
)");
  CHECK(none("    args: [torchrun, train.py]\n", "pytorch/pytorch:2") == "");
  CHECK(none("", "team/pytorch:2") == "");
}

TEST_CASE("advice/launcher-setting: flags of torchrun") {
  CHECK(
      setting("    command: [torchrun, --standalone, train.py]\n") ==
      R"(in.yaml:30:25: warning: --standalone makes each of the 4 nodes wait for itself: they never meet [advice/launcher-setting]
   30 |     command: [torchrun, --standalone, train.py]
      |                         ^~~~~~~~~~~~ remove it: torchrun reads PET_*
)");
  CHECK(setting("    command: [torchrun, --nnodes=2, train.py]\n") ==
        R"(in.yaml:30:25: warning: --nnodes 2 contradicts the job, which has 4 nodes [advice/launcher-setting]
   30 |     command: [torchrun, --nnodes=2, train.py]
      |                         ^~~~~~~~~~ remove it: torchrun reads PET_NNODES
)");
  CHECK(setting("    command: [bash, -c, 'torchrun --nnodes 1 --rdzv_endpoint=localhost:0 train.py']\n") ==
        R"(in.yaml:30:35: warning: --nnodes 1 contradicts the job, which has 4 nodes [advice/launcher-setting]
   30 |     command: [bash, -c, 'torchrun --nnodes 1 --rdzv_endpoint=localhost:0 train.py']
      |                                   ^~~~~~~~~~ remove it: torchrun reads PET_NNODES
)");
  CHECK(setting("    command:\n    - sh\n    - -c\n    - >\n      cd /app &&\n\n      torchrun --nnodes=2\n"
                "      train.py\n") ==
        R"(in.yaml:36:16: warning: --nnodes 2 contradicts the job, which has 4 nodes [advice/launcher-setting]
   36 |       torchrun --nnodes=2
      |                ^~~~~~~~~~ remove it: torchrun reads PET_NNODES
)");
  CHECK(setting("    command: [sh, -c, \"cd \\\"$D\\\" && torchrun --nnodes=2 train.py\"]\n") ==
        R"(in.yaml:30:46: warning: --nnodes 2 contradicts the job, which has 4 nodes [advice/launcher-setting]
   30 |     command: [sh, -c, "cd \"$D\" && torchrun --nnodes=2 train.py"]
      |                                              ^~~~~~~~~~ remove it: torchrun reads PET_NNODES
)");
  // Where it is written twice, the script.
  CHECK(setting("    command: [sh, -c, torchrun --nnodes=2 a.py; torchrun --nnodes=2 b.py]\n") ==
        R"(in.yaml:30:23: warning: --nnodes 2 contradicts the job, which has 4 nodes [advice/launcher-setting]
   30 |     command: [sh, -c, torchrun --nnodes=2 a.py; torchrun --nnodes=2 b.py]
      |                       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ remove it: torchrun reads PET_NNODES
)");
  CHECK(
      setting("    command: [torchrun, '--rdzv-endpoint=localhost:29400', train.py]\n") ==
      R"(in.yaml:30:25: warning: --rdzv-endpoint localhost:29400 is another host on each of the 4 nodes: they never meet [advice/launcher-setting]
   30 |     command: [torchrun, '--rdzv-endpoint=localhost:29400', train.py]
      |                         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ remove it: torchrun reads PET_MASTER_ADDR
)");
  CHECK(
      setting("    numProcPerNode: 8\n    command: [torchrun, --nproc_per_node, '4', train.py]\n") ==
      R"(in.yaml:31:25: warning: --nproc-per-node 4 replaces the job's numProcPerNode: 8 [advice/launcher-setting]
   31 |     command: [torchrun, --nproc_per_node, '4', train.py]
      |                         ^~~~~~~~~~~~~~~~ remove it: torchrun reads PET_NPROC_PER_NODE
)");
  for (const char* own : {"job-node-0-0.job", "job-node-0-3.job", "$HOST.job", "job-node-1-0"})
    CHECK_MESSAGE(setting("    command: [torchrun, --master_addr=" + std::string(own) + ", train.py]\n")
                          .find("is not a pod of this job") == std::string::npos,
                  own);
  for (const char* foreign : {"job-node-1-0.job", "job-node-0-4.job", "job-nodes-0-0.job"})
    CHECK_MESSAGE(setting("    command: [torchrun, --master_addr=" + std::string(foreign) + ", train.py]\n")
                          .find(foreign + std::string(" is not a pod of this job")) != std::string::npos,
                  foreign);
  for (const char* same : {"8", "auto", "gpu"})
    CHECK_MESSAGE(setting("    numProcPerNode: 8\n    command: [torchrun, --nproc_per_node=" +
                          std::string(same) + ", train.py]\n") == "",
                  same);
  CHECK(
      setting("    command: [torchrun, --master_addr=old-node-0-0.old, train.py]\n") ==
      R"(in.yaml:30:25: warning: old-node-0-0.old is not a pod of this job, whose first node is job-node-0-0.job [advice/launcher-setting]
   30 |     command: [torchrun, --master_addr=old-node-0-0.old, train.py]
      |                         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ remove it: torchrun reads PET_MASTER_ADDR
)");
  CHECK(setting("    command: [torchrun, --nnodes=1:4, --nproc_per_node=auto, train.py, --nnodes=3]\n") ==
        "");
  CHECK(
      setting("    command: [env, PET_RDZV_BACKEND=c10d, torchrun, train.py]\n") ==
      R"(in.yaml:30:20: warning: without --rdzv-endpoint, c10d meets on localhost, another host on each of the 4 nodes: they never meet [advice/launcher-setting]
   30 |     command: [env, PET_RDZV_BACKEND=c10d, torchrun, train.py]
      |                    ^~~~~~~~~~~~~~~~~~~~~ remove it: torchrun reads PET_*
)");
  CHECK(
      setting("    command: [bash, -c, 'export PET_RDZV_BACKEND=c10d; torchrun train.py']\n") ==
      R"(in.yaml:30:33: warning: without --rdzv-endpoint, c10d meets on localhost, another host on each of the 4 nodes: they never meet [advice/launcher-setting]
   30 |     command: [bash, -c, 'export PET_RDZV_BACKEND=c10d; torchrun train.py']
      |                                 ^~~~~~~~~~~~~~~~~~~~~ remove it: torchrun reads PET_*
)");
  CHECK(
      setting("    env: [{name: PORT, value: '4000'}]\n    command: [torchrun, --nnodes=$PET_NNODES, "
              "--node-rank, '${NODE_RANK}', --master-addr=$HOST, '--master-port=${PORT}', train.py]\n") ==
      R"(in.yaml:31:25: warning: torchrun gets the text $PET_NNODES: without a shell, nothing expands it [advice/launcher-setting]
   31 |     command: [torchrun, --nnodes=$PET_NNODES, --node-rank, '${NODE_RANK}', --master-addr=$HOST, '--master-port=${PORT}', train.py]
      |                         ^~~~~~~~~~~~~~~~~~~~ write $(PET_NNODES)
in.yaml:31:47: warning: torchrun gets the text ${NODE_RANK}: without a shell, nothing expands it [advice/launcher-setting]
   31 |     command: [torchrun, --nnodes=$PET_NNODES, --node-rank, '${NODE_RANK}', --master-addr=$HOST, '--master-port=${PORT}', train.py]
      |                                               ^~~~~~~~~~~ write $(PET_NODE_RANK)
in.yaml:31:76: warning: torchrun gets the text $HOST: without a shell, nothing expands it [advice/launcher-setting]
   31 |     command: [torchrun, --nnodes=$PET_NNODES, --node-rank, '${NODE_RANK}', --master-addr=$HOST, '--master-port=${PORT}', train.py]
      |                                                                            ^~~~~~~~~~~~~~~~~~~ write $(PET_MASTER_ADDR)
in.yaml:31:97: warning: torchrun gets the text ${PORT}: without a shell, nothing expands it [advice/launcher-setting]
   31 |     command: [torchrun, --nnodes=$PET_NNODES, --node-rank, '${NODE_RANK}', --master-addr=$HOST, '--master-port=${PORT}', train.py]
      |                                                                                                 ^~~~~~~~~~~~~~~~~~~~~~~ write $(PORT)
)");
  CHECK(
      setting("    command: [torchrun, --rdzv-backend=static, '--rdzv-endpoint=${MASTER_ADDR}:29400', "
              "train.py]\n") ==
      R"(in.yaml:30:48: warning: torchrun gets the text ${MASTER_ADDR}:29400: without a shell, nothing expands it [advice/launcher-setting]
   30 |     command: [torchrun, --rdzv-backend=static, '--rdzv-endpoint=${MASTER_ADDR}:29400', train.py]
      |                                                ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ write $(PET_MASTER_ADDR)
)");
  CHECK(
      setting("    command: [torchrun, --nnodes=$N, --master_addr=10.0.0.1, train.py]\n") ==
      R"(in.yaml:30:25: warning: torchrun gets the text $N: without a shell, nothing expands it [advice/launcher-setting]
   30 |     command: [torchrun, --nnodes=$N, --master_addr=10.0.0.1, train.py]
      |                         ^~~~~~~~~~~ write $(PET_NNODES)
)");
}

TEST_CASE("advice/launcher-setting: numbers and addresses for a script") {
  const auto variable = [](const std::string& name, const std::string& value) {
    return setting("    command: [python, train.py]\n    env: [{name: " + name + ", value: \"" + value +
                   "\"}]\n");
  };
  CHECK(
      variable("WORLD_SIZE", "2") ==
      R"(in.yaml:31:37: warning: WORLD_SIZE: 2 is not a multiple of the job's 4 nodes [advice/launcher-setting]
   31 |     env: [{name: WORLD_SIZE, value: "2"}]
      |                                     ^~~
)");
  CHECK(variable("NNODES", "2") ==
        R"(in.yaml:31:33: warning: NNODES: 2 contradicts the job, which has 4 nodes [advice/launcher-setting]
   31 |     env: [{name: NNODES, value: "2"}]
      |                                 ^~~ write "4"
)");
  CHECK(
      variable("MASTER_ADDR", "old-node-0-0.old") ==
      R"(in.yaml:31:38: warning: MASTER_ADDR: old-node-0-0.old is not a pod of this job, whose first node is job-node-0-0.job [advice/launcher-setting]
   31 |     env: [{name: MASTER_ADDR, value: "old-node-0-0.old"}]
      |                                      ^~~~~~~~~~~~~~~~~~ write job-node-0-0.job
)");
  CHECK(variable("MASTER_ADDR", "$(JOBSET_NAME)-node-0-0.$(JOBSET_NAME)") == "");
  CHECK(
      variable("MASTER_ADDR", "localhost") ==
      R"(in.yaml:31:38: warning: MASTER_ADDR: localhost is another host on each of the 4 nodes: they never meet [advice/launcher-setting]
   31 |     env: [{name: MASTER_ADDR, value: "localhost"}]
      |                                      ^~~~~~~~~~~ write job-node-0-0.job
)");
  CHECK(
      setting("    command: [python, train.py, --world_size=6]\n") ==
      R"(in.yaml:30:33: warning: --world-size: 6 is not a multiple of the job's 4 nodes [advice/launcher-setting]
   30 |     command: [python, train.py, --world_size=6]
      |                                 ^~~~~~~~~~~~~~
)");
  CHECK(variable("WORLD_SIZE", "4") == "");
  CHECK(variable("WORLD_SIZE", "32") == "");
  CHECK(variable("MASTER_ADDR", "job-node-0-3.job") == "");
}

TEST_CASE("advice/launcher-setting: mpirun") {
  const std::string mpi =
      runtime("{mpi: {numProcPerNode: 2, mpiImplementation: OpenMPI}, numNodes: 2}",
              "      replicatedJobs:\n" + replicated_job("launcher", "") + replicated_job("node", "trainer"));
  const auto run = [&](const std::string& command) {
    std::string text = mpi;
    text.replace(text.find("image: img:1"), 12, "image: img:1\n                  command: " + command);
    return advice("advice/launcher-setting", text + job("  trainer: {numNodes: 3}\n"));
  };
  CHECK(
      run("[mpirun, -np, '8', train]") ==
      R"(in.yaml:36:22: warning: mpirun refuses to start 8 processes: the hostfile has 6 slots [advice/launcher-setting]
   36 |   runtimeRef: {name: rt}
      |                      ^~ remove the number, or raise numNodes or numProcPerNode
  note: the runtime's command at in.yaml:20:42
)");
  CHECK(
      run("[bash, -c, 'mpirun -np 8 train']") ==
      R"(in.yaml:36:22: warning: mpirun refuses to start 8 processes: the hostfile has 6 slots [advice/launcher-setting]
   36 |   runtimeRef: {name: rt}
      |                      ^~ remove the number, or raise numNodes or numProcPerNode
  note: the runtime's command at in.yaml:20:39
)");
  CHECK(run("[mpirun, -np, '8', --oversubscribe, train]") == "");
  const auto on_gpus = [&](int gpus) {
    std::string text = mpi;
    text.replace(text.find("numProcPerNode: 2"), 17, "numProcPerNode: 1");
    text.replace(text.find("image: img:1"), 12,
                 "image: img:1\n                  command: [mpirun, -np, '8', train]");
    return advice("advice/launcher-setting",
                  text + job("  trainer:\n    numNodes: 3\n    resourcesPerNode: {limits: {nvidia.com/gpu: " +
                             std::to_string(gpus) + "}}\n"));
  };
  CHECK(
      on_gpus(2) ==
      R"(in.yaml:36:22: warning: mpirun refuses to start 8 processes: the hostfile has 6 slots [advice/launcher-setting]
   36 |   runtimeRef: {name: rt}
      |                      ^~ remove the number, or raise numNodes or numProcPerNode
  note: the runtime's command at in.yaml:20:42
)");
  CHECK(on_gpus(4) == "");
  CHECK(run("[mpirun, -np, '6', train]") == "");
  CHECK(
      run("[mpirun, -H, 'job-node-0-0.job,job-node-0-2.job:4', train]") ==
      R"(in.yaml:36:22: warning: mpirun: -H names 2 of the job's 3 nodes: the others have nothing to do [advice/launcher-setting]
   36 |   runtimeRef: {name: rt}
      |                      ^~ remove it: mpirun reads the hostfile
  note: the runtime's command at in.yaml:20:37
)");
  CHECK(run("[mpirun, --host, 'job-node-0-0.job,job-node-0-1.job,job-node-0-2.job', train]") == "");
  CHECK(run("[mpirun, -H, 'job-node-0-0.job,localhost', train]") == "");
  CHECK(run("[mpirun, -H, 'old-node-0-0.old:2', train]") ==
        R"(in.yaml:36:22: warning: mpirun: old-node-0-0.old is not a pod of this job [advice/launcher-setting]
   36 |   runtimeRef: {name: rt}
      |                      ^~ remove it: mpirun reads the hostfile
  note: the runtime's command at in.yaml:20:37
)");
}

TEST_CASE("advice/launcher-setting: Hydra starts more processes than there are slots") {
  const auto run = [](const std::string& implementation) {
    const auto pod = [](const std::string& more) {
      return "template: {spec: {template: {spec: {containers: [{name: node, image: 'r.io/a:1'" + more +
             "}]}}}}";
    };
    return advice(
        "advice/launcher-setting",
        "apiVersion: kubeflow.org/v2alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: rt}\nspec:\n"
        "  mlPolicy: {numNodes: 2, mpi: {mpiImplementation: " +
            implementation + ", numProcPerNode: 2}}\n  template: {spec: {replicatedJobs: [{name: launcher, " +
            pod(", command: [mpirun, -np, '8', train]") + "}, {name: node, " + pod("") + "}]}}\n" +
            job("  trainer: {}\n"),
        {}, "auto");
  };
  CHECK(
      run("OpenMPI") ==
      R"(in.yaml:13:22: warning: mpirun refuses to start 8 processes: the hostfile has 4 slots [advice/launcher-setting]
   13 |   runtimeRef: {name: rt}
      |                      ^~ remove the number, or raise numNodes or numProcPerNode
  note: the runtime's command at in.yaml:6:159
)");
  CHECK(run("MPICH") == "");
  CHECK(run("Intel") == "");
}

}  // namespace trainjobc::advice_launch_test
