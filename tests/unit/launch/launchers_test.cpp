// SPDX-License-Identifier: Apache-2.0

// What launchers come to on several nodes: how many processes, and what lint says. The truth was seen in pods
// with the versions that launchers/programs.yaml names.
#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "features/plan/plan.h"
#include "launch/programs.h"
#include "support/advice.h"

namespace trainjobc::launchers_test {
namespace {

// A job with this command and these variables (flow style), on nodes with so many GPUs; none: two CPUs.
std::string job_of(const std::string& command, const std::string& env, int nodes, int gpus) {
  const std::string resources = gpus > 0 ? "nvidia.com/gpu: " + std::to_string(gpus) : std::string("cpu: 2");
  return test::runtime("{torch: {}}", test::trainer()) +
         test::job("  trainer:\n    numNodes: " + std::to_string(nodes) + "\n    command: " + command +
                   "\n    env: " + env + "\n    resourcesPerNode: {limits: {" + resources + "}}\n");
}

std::string count_of(const std::string& text) {
  Options options;
  options.use_catalogue = false;
  options.threads = 1;
  options.trainer_version = "2.3";
  options.with_defaults = true;
  const Compilation compiled = compile_sources({{"in.yaml", text}}, {}, options);
  REQUIRE(!compiled.objects.empty());
  const auto processes = plan::plan_job(compiled.objects, {}).processes;
  return processes ? std::to_string(*processes) : "?";
}

// "8 processes" and the findings on what the job starts, a line each.
std::string seen(const std::string& command, const std::string& env = "[]", int nodes = 4, int gpus = 8) {
  const std::string text = job_of(command, env, nodes, gpus);
  std::string out = count_of(text) + "\n";
  const Compilation compiled = test::lint(text);
  for (const base::Diagnostic& found : compiled.diagnostics.items()) {
    if (found.rule != "advice/no-launcher" && found.rule != "advice/launcher-setting" &&
        found.rule != "advice/unseen-launcher")
      continue;
    out += std::to_string(found.location.column) + " " + found.rule + ": " + found.message + "; " +
           found.hint + "\n";
  }
  return out;
}

// The job's command after --fix=all.
std::string mended(const std::string& command, int gpus = 8) {
  std::string text = job_of(command, "[]", 4, gpus);
  for (const char* rule : {"advice/no-launcher", "advice/launcher-setting"}) text = test::fixed(rule, text);
  const size_t at = text.find("    command: ") + 13;
  return text.substr(at, text.find('\n', at) - at);
}

}  // namespace

TEST_CASE("launchers: each row names a version, and each program is in one row but for its condition") {
  for (const launch::Program& program : launch::programs()) {
    CAPTURE(program.name);
    CHECK(!program.version.empty());
    CHECK(!program.cases.empty());
    CHECK(program.cases.back().conditions.empty());
    CHECK((!program.programs.empty() || !program.modules.empty()));
  }
}

TEST_CASE("launchers: torchrun on four nodes of eight GPUs") {
  CHECK(seen("[torchrun, train.py]") == R"(32
)");
  CHECK(seen("[torchrun, --no-python, /opt/bench, --nnodes, '2', --nproc-per-node, '1']") == R"(32
)");
  CHECK(seen("[torchrun, src/main, --standalone]") == R"(32
)");
  CHECK(seen("[torchrun, --nproc-per-node=2, -m, pkg.train, --nnodes, '2']") == R"(8
)");
  CHECK(seen("[torchrun, --rdzv-backend, c10d, train.py]") == R"(32
25 advice/launcher-setting: without --rdzv-endpoint, c10d meets on localhost, another host on each of the 4 nodes: they never meet; remove it: torchrun reads PET_*
)");
  CHECK(seen("[torchrun, --rdzv-backend, c10d, '--rdzv-endpoint=$(PET_MASTER_ADDR):29500', train.py]") ==
        R"(32
)");
  CHECK(seen("[torchrun, --nnodes=4, --node-rank=0, train.py]") == R"(32
37 advice/launcher-setting: --node-rank 0 is the rank of each of the 4 nodes: they never meet; remove it: torchrun reads PET_NODE_RANK
)");
  CHECK(seen("[torchrun, --nnodes=4, --node-rank=$(PET_NODE_RANK), train.py]") == R"(32
)");
  CHECK(seen("[torchrun, --nnodes=$PET_NNODES, train.py]") == R"(?
25 advice/launcher-setting: torchrun gets the text $PET_NNODES: without a shell, nothing expands it; write $(PET_NNODES)
)");
  CHECK(seen("[bash, -c, torchrun --nnodes=$PET_NNODES --node-rank=$PET_NODE_RANK train.py]") == R"(32
)");
  CHECK(seen("[bash, -c, 'torchrun --nnodes=${PET_NNODES} --nproc-per-node=${GPUS:-4} train.py']") == R"(16
)");
  CHECK(seen("[bash, -c, torchrun --nproc_per_node=8 --nnodes=$WORLD_SIZE --node_rank=$RANK "
             "--master_addr=$MASTER_ADDR train.py]") == R"(?
)");
  CHECK(seen("[uv, run, -m, torch.distributed.run, train.py]") == R"(32
)");
  CHECK(seen("[python, /usr/local/bin/torchrun, train.py]") == R"(32
)");
  CHECK(seen("[ft_launcher, train.py]") == R"(?
15 advice/launcher-setting: ft_launcher does not know the auto of PET_NPROC_PER_NODE, and fails; add --nproc-per-node=gpu --rdzv-endpoint=$(PET_MASTER_ADDR):$(PET_MASTER_PORT)
)");
  CHECK(seen("[ft_launcher, --nproc-per-node=gpu, train.py]") == R"(32
15 advice/launcher-setting: without --rdzv-endpoint, ft_launcher meets on localhost, another host on each of the 4 nodes: they never meet; add --rdzv-endpoint=$(PET_MASTER_ADDR):$(PET_MASTER_PORT)
)");
  CHECK(seen("[ft_launcher, --nproc-per-node=gpu, '--rdzv-endpoint=$(PET_MASTER_ADDR):29500', train.py]") ==
        R"(32
)");
}

TEST_CASE("launchers: accelerate on four nodes of eight GPUs") {
  CHECK(seen("[accelerate, launch, train.py]") == R"(32
)");
  CHECK(seen("[accelerate-launch, --num_processes, '8', train.py]") == R"(32
)");
  CHECK(seen("[accelerate, launch, --num_machines, '1', --num_processes, '8', train.py]") == R"(32
)");
  CHECK(seen("[accelerate, launch, --num_machines, '4', --num_processes, '32', --machine_rank, "
             "$(PET_NODE_RANK), --main_process_ip, $(PET_MASTER_ADDR), --main_process_port, "
             "$(PET_MASTER_PORT), train.py]") == R"(32
)");
  CHECK(seen("[accelerate, launch, --num_machines, '2', --num_processes, '16', --machine_rank, "
             "$(PET_NODE_RANK), --main_process_ip, $(PET_MASTER_ADDR), train.py]") == R"(32
35 advice/launcher-setting: --num-machines 2 contradicts the job, which has 4 nodes; write 4
)");
  CHECK(seen("[accelerate, launch, --num_machines=4, --num_processes=32, train.py]") == R"(?
35 advice/launcher-setting: with --num_machines, accelerate needs --machine_rank too, and fails without it; add --machine_rank=$(PET_NODE_RANK) --main_process_ip=$(PET_MASTER_ADDR) --main_process_port=$(PET_MASTER_PORT)
)");
  CHECK(seen("[accelerate, launch, --num_machines=4, --num_processes=32, --machine_rank=$(PET_NODE_RANK), "
             "train.py]") == R"(32
35 advice/launcher-setting: with --num_machines, accelerate needs --main_process_ip too, and calls a host named None: they never meet; add --main_process_ip=$(PET_MASTER_ADDR) --main_process_port=$(PET_MASTER_PORT)
)");
  CHECK(seen("[accelerate, launch, --num_machines=4, --num_processes=32, --machine_rank=0, "
             "--main_process_ip=$(PET_MASTER_ADDR), train.py]") == R"(32
73 advice/launcher-setting: --machine-rank 0 is the rank of each of the 4 nodes: they never meet; write $(PET_NODE_RANK)
)");
  CHECK(seen("[accelerate, launch, --config_file, zero3.yaml, --num_processes, '7', grpo.py]") == R"(?
)");
  CHECK(seen("[accelerate, launch, --config_file, zero3.yaml, grpo.py]") == R"(?
)");
  CHECK(seen("[accelerate, launch, --cpu, train.py]") == R"(4
15 advice/no-launcher: with --cpu, accelerate starts one process on each node: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[accelerate, launch, --num_processes, '1', train.py]") == R"(4
15 advice/no-launcher: with --num_processes 1, accelerate starts plain Python unless it gets --multi_gpu: the 4 nodes train alone, each the whole job; write the number of GPUs of a node
)");
  CHECK(seen("[accelerate, launch, --rdzv_backend, c10d, train.py]") == R"(32
35 advice/launcher-setting: without an endpoint, c10d meets on localhost, another host on each of the 4 nodes: they never meet; remove it
)");
  CHECK(seen("[trl, sft, --model, m]") == R"(32
)");
  CHECK(seen("[axolotl, train, a.yml]") == R"(32
)");
  CHECK(seen("[axolotl, train, a.yml, --launcher, torchrun]") == R"(32
)");
  CHECK(seen("[axolotl, train, a.yml, --launcher, python]") == R"(4
15 advice/no-launcher: with --launcher python, axolotl is one process on each node: the 4 nodes train alone, each the whole job; write --launcher torchrun
)");
  CHECK(seen("[axolotl, preprocess, a.yml]") == R"(4
)");
}

TEST_CASE("launchers: frameworks on four nodes of eight GPUs") {
  CHECK(seen("[llamafactory-cli, train, a.yaml]") == R"(32
15 advice/no-launcher: llamafactory-cli starts torchrun with NNODES, which is 1 unless it is set, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, -m, llamafactory.launcher, …]
)");
  CHECK(seen("[python, -m, llamafactory.cli, train, a.yaml]") == R"(32
15 advice/no-launcher: llamafactory-cli starts torchrun with NNODES, which is 1 unless it is set, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, -m, llamafactory.launcher, …]
)");
  CHECK(seen("[bash, -c, 'cd /app && lmf train a.yaml']") == R"(32
37 advice/no-launcher: llamafactory-cli starts torchrun with NNODES, which is 1 unless it is set, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: torchrun -m llamafactory.launcher …
)");
  CHECK(seen("[torchrun, -m, llamafactory.cli, train, a.yaml]") == R"(32
15 advice/launcher-setting: torchrun starts llamafactory-cli once for each process, and each starts processes of its own; write -m llamafactory.launcher instead
)");
  CHECK(seen("[torchrun, -m, llamafactory.launcher, a.yaml]") == R"(32
)");
  CHECK(seen("[env, FORCE_TORCHRUN=1, NNODES=4, NODE_RANK=$(PET_NODE_RANK), MASTER_ADDR=$(PET_MASTER_ADDR), "
             "MASTER_PORT=29500, llamafactory-cli, train, a.yaml]") == R"(32
)");
  CHECK(seen("[env, NNODES=4, llamafactory-cli, train, a.yaml]") == R"(32
30 advice/launcher-setting: llamafactory-cli reads NODE_RANK, which is 0 on each of the 4 nodes unless it is set: they never meet; start it with torchrun: [torchrun, -m, llamafactory.launcher, …]
)");
  CHECK(seen("[swift, sft, --model, m]") == R"(4
15 advice/no-launcher: swift starts one process on each node unless NPROC_PER_NODE or NNODES is set: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, -m, swift.cli.main, sft, …]
)");
  CHECK(seen("[bash, -c, NPROC_PER_NODE=8 swift sft --model m]") == R"(32
)");
  CHECK(seen("[torchrun, -m, swift.cli.main, sft, --model, m]") == R"(32
)");
  CHECK(seen("[megatron, sft, --model, m]") == R"(4
15 advice/no-launcher: megatron starts one process on each node unless NPROC_PER_NODE or NNODES is set: the 4 nodes train alone, each the whole job; set NPROC_PER_NODE: megatron then starts torchrun, which reads PET_*
)");
  CHECK(seen("[xtuner, train, a.py]") == R"(4
15 advice/no-launcher: xtuner starts one process on each node unless NNODES or NPROC_PER_NODE is set: the 4 nodes train alone, each the whole job; start it with torchrun: torchrun -m xtuner.tools.train … --launcher pytorch
)");
  CHECK(seen("[automodel, a.yaml]") == R"(32
)");
  CHECK(seen("[tune, run, full_finetune_distributed, --config, llama3/8B_full]") == R"(4
15 advice/no-launcher: without a flag of torchrun, tune run starts one process on each node: the 4 nodes train alone, each the whole job; add --rdzv-endpoint=$(PET_MASTER_ADDR):29500: tune run then starts torchrun
)");
  CHECK(seen("[tune, run, --nproc-per-node, '8', full_finetune_distributed, --config, llama3/8B_full]") ==
        R"(32
15 advice/launcher-setting: without --rdzv-endpoint, tune run adds --standalone: each of the 4 nodes waits for itself: they never meet; add --rdzv-endpoint=$(PET_MASTER_ADDR):29500
)");
  CHECK(seen("[tune, run, --nproc-per-node, '8', '--rdzv-endpoint=$(PET_MASTER_ADDR):29500', "
             "full_finetune_distributed, --config, llama3/8B_full]") == R"(32
)");
  CHECK(seen("[yolo, train, data=coco.yaml, 'device=0,1,2,3,4,5,6,7']") == R"(32
15 advice/launcher-setting: for several devices, yolo starts torchrun with another --master_port on each node: they never meet; train on one node: numNodes: 1
)");
  CHECK(seen("[yolo, predict, model=a.pt]") == R"(4
)");
  CHECK(seen("[python, -m, verl.trainer.main_ppo, trainer.nnodes=4]") == R"(?
15 advice/no-launcher: verl calls ray.init(), which starts a cluster of its own on each node; start Ray on each node (ray start), and this program on the first one
)");
  CHECK(seen("[torchrun, -m, verl.trainer.main_ppo]") == R"(32
15 advice/launcher-setting: torchrun starts verl once for each process, and it must run once; start Ray on each node (ray start), and this program on the first one
)");
  CHECK(seen("[bash, -c, 'ray start --head; python -m verl.trainer.main_ppo trainer.nnodes=4']") == R"(?
)");
  CHECK(seen("[litgpt, finetune, m]") == R"(4
15 advice/no-launcher: litgpt starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, …]
)");
  CHECK(seen("[thub, sft, --config, a.yaml]") == R"(32
)");
  CHECK(seen("[thub, estimate, --model-path, m]") == R"(4
)");
}

TEST_CASE("launchers: other launchers on four nodes of eight GPUs") {
  CHECK(seen("[deepspeed, train.py]") == R"(32
15 advice/no-launcher: deepspeed starts processes on its own node only, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[deepspeed, --master_addr, $(PET_MASTER_ADDR), --num_gpus, '8', train.py]") == R"(32
15 advice/no-launcher: without a hostfile, deepspeed replaces --master_addr by 127.0.0.1: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[deepspeed, --num_nodes, '4', train.py]") == R"(?
26 advice/launcher-setting: deepspeed needs a hostfile for --num_nodes, and fails without one; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[deepspeed, --no_ssh, --node_rank=$(PET_NODE_RANK), train.py]") == R"(?
26 advice/launcher-setting: without a hostfile, deepspeed --no_ssh trains on the first node alone, and fails on the others; start it with torchrun, or add a hostfile with the 4 nodes
)");
  CHECK(seen("[deepspeed, --hostfile=/etc/hosts.txt, train.py]") == R"(?
)");
  CHECK(seen("[composer, -n, '8', train.py]") == R"(32
15 advice/no-launcher: composer starts processes on its own node only, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[composer, -n, '8', --master_addr, $(PET_MASTER_ADDR), train.py]") == R"(32
34 advice/launcher-setting: without --world_size, each composer counts its own processes only, with rank 0 on a port of its own: they never meet; start it with torchrun, or add --world_size, --node_rank and --master_port
)");
  CHECK(seen("[composer, --world_size, '32', train.py]") == R"(?
25 advice/launcher-setting: composer needs --node_rank for --world_size, and fails without it; start it with torchrun, or add --node_rank, --master_addr and --master_port
)");
  CHECK(seen("[composer, --world_size, '32', --node_rank, $(PET_NODE_RANK), --master_addr, "
             "$(PET_MASTER_ADDR), --master_port, '7501', train.py]") == R"(32
)");
  CHECK(seen("[composer, --world_size, '16', --node_rank, $(PET_NODE_RANK), --master_addr, "
             "$(PET_MASTER_ADDR), --master_port, '7501', train.py]") == R"(32
25 advice/launcher-setting: --world-size 16 contradicts the job, which has 4 nodes with 8 processes each; write 32
)");
  CHECK(seen("[fabric, run, train.py]") == R"(4
15 advice/no-launcher: fabric starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[fabric, run, --devices, '8', --num-nodes, '4', train.py]") == R"(32
44 advice/launcher-setting: without --node-rank, each of the 4 nodes is node 0: they never meet; start it with torchrun, or add --node-rank=$(PET_NODE_RANK) --main-address=$(PET_MASTER_ADDR)
)");
  CHECK(seen("[fabric, run, --devices=8, --num-nodes=4, --node-rank=$(PET_NODE_RANK), "
             "--main-address=$(PET_MASTER_ADDR), train.py]") == R"(32
)");
  CHECK(seen("[colossalai, run, --nproc_per_node, '8', --num_nodes, '4', --master_addr, $(PET_MASTER_ADDR), "
             "train.py]") == R"(32
73 advice/launcher-setting: without --host or --hostfile, each of the 4 nodes is the first of a world of one node: they never meet; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[colossalai, run, --nproc_per_node, '8', --num_nodes, '4', train.py]") == R"(32
15 advice/no-launcher: without --host or --hostfile, colossalai ignores --num_nodes: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[mpirun, -np, '8', python, train.py]") == R"(32
15 advice/no-launcher: without a hostfile, mpirun starts processes on its own node only: the 4 nodes train alone, each the whole job; use a runtime for MPI (runtimeRef: mpi-distributed), or start the program with torchrun
)");
  CHECK(seen("[mpirun, -H, 'a,b', python, train.py]") == R"(?
)");
  CHECK(seen("[horovodrun, -np, '8', python, train.py]") == R"(32
15 advice/no-launcher: horovodrun starts processes on its own node only, and does not read PET_*: the 4 nodes train alone, each the whole job; use a runtime for MPI (runtimeRef: mpi-distributed)
)");
  CHECK(seen("[torchx, run, dist.ddp, -j, 4x8, --script, train.py]") == R"(?
15 advice/no-launcher: torchx starts all replicas on its own node: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, …]
)");
  CHECK(seen("[lightning, run, model, train.py]") == R"(4
15 advice/no-launcher: fabric starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[fabric, run, --devices, '0,1', train.py]") == R"(8
15 advice/no-launcher: fabric starts processes on its own node only, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
}

TEST_CASE("launchers: the job can't mend the command of its runtime") {
  const std::string text =
      test::runtime("{torch: {}}",
                    test::trainer("                  command: [llamafactory-cli, train, a.yaml]\n")) +
      test::job("  trainer: {numNodes: 4, resourcesPerNode: {limits: {nvidia.com/gpu: 8}}}\n");
  CHECK(
      test::advised_fields("advice/no-launcher", text) ==
      R"(spec.runtimeRef.name: llamafactory-cli starts torchrun with NNODES, which is 1 unless it is set, and does not read PET_*: the 4 nodes train alone, each the whole job
)");
  CHECK(test::fixed("advice/no-launcher", text) == text);
}

TEST_CASE("launchers: code that needs ranks is started by torchrun") {
  CHECK(
      mended(R"x([python, -c, "import torch.distributed as d; d.init_process_group()"])x") ==
      R"x([torchrun, "--no_python", python, -c, "import torch.distributed as d; d.init_process_group()"])x");
  CHECK(
      mended(R"x([bash, -c, 'python -c "import torch.distributed as d; d.init_process_group()"'])x") ==
      R"x([bash, -c, 'torchrun --no_python python -c "import torch.distributed as d; d.init_process_group()"'])x");
}

TEST_CASE("launchers: files of settings may say the number of nodes") {
  CHECK(seen("[trl, sft, --config, sft.yaml]") == R"(?
)");
  CHECK(seen("[trl, sft, --config=sft.yml]") == R"(?
)");
  CHECK(seen("[trl, sft, --config, sft]") == R"(32
)");
  CHECK(seen("[trl, sft, --model, a.yaml]") == R"(32
)");
  CHECK(seen("[swift, sft, sft.json]") == R"(?
)");
  CHECK(seen("[swift, sft, --model, sft]") == R"(4
15 advice/no-launcher: swift starts one process on each node unless NPROC_PER_NODE or NNODES is set: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, -m, swift.cli.main, sft, …]
)");
}

TEST_CASE("launchers: programs around the one that trains") {
  CHECK(seen("[bash, -euo, pipefail, -c, python train.py]") == R"(4
41 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: torchrun train.py …
)");
  CHECK(seen("[nohup, --, python, train.py]") == R"(4
26 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[nohup, --, -a, python, train.py]") == R"(?
)");  // a program of that name
  CHECK(seen("[bash, -c, . venv/bin/activate && python train.py]") == R"(4
48 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: torchrun train.py …
)");
  CHECK(seen("[bash, -c, ./activate && python train.py]") == R"(?
)");
  CHECK(seen("[torchrun, -m, --nproc-per-node=2, pkg.train]") == R"(8
)");
  CHECK(seen("[torchrun, -m]") == R"(32
)");
  CHECK(seen("[bash, -c, $(which python) train.py]") == R"(?
)");
  CHECK(seen("[bash, -c, '>/tmp/log python train.py']") == R"(4
36 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: torchrun train.py …
)");
  CHECK(seen("[bash, -c, (python train.py)]") == R"(4
26 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: torchrun train.py …
)");
  // Only -c is followed by code.
  CHECK(seen("[python, -Xpycache, train.py]") == R"(4
15 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[bash, -c, ulimit -n 65536; python train.py]") == R"(4
42 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: torchrun train.py …
)");
  CHECK(seen("[bash, -c, '(cd /app; python train.py) & wait']") == R"(4
36 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: torchrun train.py …
)");
  CHECK(seen("[bash, -c, 'trap \"echo end\" EXIT; LOG=$(date +%s).log; python train.py > $LOG']") == R"(4
69 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: torchrun train.py …
)");
  CHECK(seen("[bash, -c, \"cat > a.json <<'E'\\n{\\\"a\\\": 1}\\nE\\npython train.py\"]") == R"(4
25 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: torchrun train.py …
)");
  CHECK(seen("[taskset, -c, 0-7, python, train.py]") == R"(4
33 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[setsid, gosu, app, ionice, -c, '2', xvfb-run, -a, ddtrace-run, python, train.py]") == R"(4
78 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[env, -u, HOME, A=b, bash, -c, python train.py]") == R"(4
45 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: torchrun train.py …
)");
  CHECK(seen("[pixi, run, -e, cuda, python, train.py]") == R"(4
36 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[pixi, run, train]") == R"(?
)");
  CHECK(seen("[mamba, run, -n, x, torchrun, train.py]") == R"(32
)");
  CHECK(seen("[timeout, 1h, uv, run, --with, x, train.py]") == R"(4
48 advice/no-launcher: train.py starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[bash, -c, 'f() { python train.py; }; f']") == R"(?
)");
  CHECK(seen("[/opt/train]") == R"(?
)");
}

TEST_CASE("launchers: debuggers and profilers of Python") {
  for (const char* tracer : {"python, -m, cProfile, -o, out", "python3, -u, -m, pdb",
                             "coverage, run, --branch", "python, -m, debugpy, --listen, '0.0.0.0:5678'",
                             "viztracer, -o, out.json", "python, -m, memray, run, -o, out.bin"}) {
    const std::string words = tracer;
    CAPTURE(words);
    CHECK(seen("[" + words + ", -m, torch.distributed.run, train.py]") == R"(32
)");
  }
  CHECK(seen("[py-spy, record, -o, out.svg, --, torchrun, train.py]") == R"(32
)");
  CHECK(seen("[python, -m, cProfile, -m, torch.distributed.run, --standalone, train.py]") == R"(32
64 advice/launcher-setting: --standalone makes each of the 4 nodes wait for itself: they never meet; remove it: torchrun reads PET_*
)");
  CHECK(seen("[python, -m, cProfile, -o, out, train.py]") == R"(4
46 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, -m, cProfile, …]
)");
  CHECK(mended("[python, -m, cProfile, -o, out, train.py]") == "[python, -m, cProfile, -o, out, train.py]");
  CHECK(seen("[coverage, run, train.py]") == R"(?
)");
}

TEST_CASE("launchers: variables") {
  CHECK(seen("[torchrun, train.py]", "[{name: PET_RDZV_BACKEND, value: c10d}]") == R"(32
43 advice/launcher-setting: without --rdzv-endpoint, c10d meets on localhost, another host on each of the 4 nodes: they never meet; remove it: torchrun reads PET_*
)");
  CHECK(seen("[llamafactory-cli, train, a.yaml]",
             "[{name: FORCE_TORCHRUN, value: '1'}, {name: NNODES, value: '4'}, {name: NODE_RANK, value: "
             "$(PET_NODE_RANK)}, {name: MASTER_ADDR, value: $(PET_MASTER_ADDR)}, {name: MASTER_PORT, value: "
             "$(PET_MASTER_PORT)}]") == R"(?
)");
  CHECK(seen("[llamafactory-cli, train, a.yaml]",
             "[{name: NNODES, value: '4'}, {name: NODE_RANK, value: '0'}, {name: MASTER_ADDR, value: j}, "
             "{name: MASTER_PORT, value: '29500'}]") == R"(32
64 advice/launcher-setting: NODE_RANK 0 is the rank of each of the 4 nodes: they never meet; set it in the command: [env, NODE_RANK=$(PET_NODE_RANK), …]
)");
  CHECK(seen("[swift, sft, --model, m]", "[{name: NPROC_PER_NODE, value: '8'}]") == R"(32
)");
  CHECK(seen("[swift, sft, --model, m]", "[{name: NNODES, value: '2'}]") == R"(32
33 advice/launcher-setting: NNODES: 2 contradicts the job, which has 4 nodes; write "4"
)");
  CHECK(seen("[composer, train.py]",
             "[{name: WORLD_SIZE, value: '32'}, {name: NODE_RANK, value: '1'}, {name: MASTER_ADDR, value: "
             "x}, {name: MASTER_PORT, value: '1'}]") == R"(32
69 advice/launcher-setting: NODE_RANK 1 is the rank of each of the 4 nodes: they never meet; set it in the command: [env, NODE_RANK=$(PET_NODE_RANK), …]
)");
}

TEST_CASE("launchers: four nodes of one GPU, two of two CPUs, one of eight GPUs") {
  CHECK(seen("[torchrun, train.py]", "[]", 4, 1) == R"(4
)");
  CHECK(seen("[accelerate, launch, train.py]", "[]", 4, 1) == R"(4
15 advice/no-launcher: on a node without several GPUs, accelerate starts plain Python: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(
      seen(
          "[accelerate, launch, --num_machines, '4', --num_processes, '4', --machine_rank, $(PET_NODE_RANK), "
          "--main_process_ip, $(PET_MASTER_ADDR), --main_process_port, $(PET_MASTER_PORT), train.py]",
          "[]", 4, 1) == R"(4
15 advice/no-launcher: on a node without several GPUs, accelerate starts plain Python unless it gets --multi_gpu: the 4 nodes train alone, each the whole job; add --multi_gpu
)");
  CHECK(seen("[accelerate, launch, --multi_gpu, --num_machines, '4', --num_processes, '4', --machine_rank, "
             "$(PET_NODE_RANK), --main_process_ip, $(PET_MASTER_ADDR), train.py]",
             "[]", 4, 1) == R"(4
)");
  CHECK(seen("[llamafactory-cli, train, a.yaml]", "[]", 4, 1) == R"(4
15 advice/no-launcher: on a node without several GPUs, llamafactory-cli starts one process unless FORCE_TORCHRUN is set: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, -m, llamafactory.launcher, …]
)");
  CHECK(seen("[swift, sft]", "[]", 4, 1) == R"(4
15 advice/no-launcher: swift starts one process on each node unless NPROC_PER_NODE or NNODES is set: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, -m, swift.cli.main, sft, …]
)");
  CHECK(seen("[trl, sft]", "[]", 4, 1) == R"(4
15 advice/no-launcher: on a node without several GPUs, trl starts plain Python: the 4 nodes train alone, each the whole job; start it with torchrun: torchrun -m trl.scripts.sft …
)");
  CHECK(seen("[axolotl, train, a.yml]", "[]", 4, 1) == R"(4
15 advice/no-launcher: on a node without several GPUs, axolotl starts plain Python: the 4 nodes train alone, each the whole job; add --launcher torchrun
)");
  CHECK(seen("[automodel, a.yaml]", "[]", 4, 1) == R"(4
15 advice/no-launcher: on a node with one GPU, automodel is one process, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: torchrun -m nemo_automodel.cli.app …
)");
  CHECK(seen("[deepspeed, train.py]", "[]", 4, 1) == R"(4
15 advice/no-launcher: deepspeed starts processes on its own node only, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[composer, train.py]", "[]", 4, 1) == R"(4
15 advice/no-launcher: composer starts processes on its own node only, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[fabric, run, train.py]", "[]", 4, 1) == R"(4
15 advice/no-launcher: fabric starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[yolo, train, data=a.yaml]", "[]", 4, 1) == R"(4
15 advice/no-launcher: yolo starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; train on one node: numNodes: 1
)");
  CHECK(seen("[torchrun, train.py]", "[]", 2, 0) == R"(4
)");
  CHECK(seen("[accelerate, launch, train.py]", "[]", 2, 0) == R"(2
15 advice/no-launcher: on a node without several GPUs, accelerate starts plain Python: the 2 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[llamafactory-cli, train, a.yaml]", "[]", 2, 0) == R"(2
15 advice/no-launcher: on a node without several GPUs, llamafactory-cli starts one process unless FORCE_TORCHRUN is set: the 2 nodes train alone, each the whole job; start it with torchrun: [torchrun, -m, llamafactory.launcher, …]
)");
  CHECK(seen("[swift, sft]", "[]", 2, 0) == R"(2
15 advice/no-launcher: swift starts one process on each node unless NPROC_PER_NODE or NNODES is set: the 2 nodes train alone, each the whole job; start it with torchrun: [torchrun, -m, swift.cli.main, sft, …]
)");
  CHECK(seen("[axolotl, train, a.yml]", "[]", 2, 0) == R"(2
15 advice/no-launcher: on a node without several GPUs, axolotl starts plain Python: the 2 nodes train alone, each the whole job; add --launcher torchrun
)");
  CHECK(seen("[composer, train.py]", "[]", 2, 0) == R"(2
15 advice/no-launcher: composer starts processes on its own node only, and does not read PET_*: the 2 nodes train alone, each the whole job; start it with torchrun: [torchrun, train.py, …]
)");
  CHECK(seen("[torchrun, --standalone, train.py]", "[]", 1, 8) == R"(8
)");
  CHECK(seen("[accelerate, launch, train.py]", "[]", 1, 8) == R"(8
)");
  CHECK(seen("[llamafactory-cli, train, a.yaml]", "[]", 1, 8) == R"(8
)");
  CHECK(seen("[torchrun, -m, llamafactory.cli, train, a.yaml]", "[]", 1, 8) == R"(8
15 advice/launcher-setting: torchrun starts llamafactory-cli once for each process, and each starts processes of its own; write -m llamafactory.launcher instead
)");
  CHECK(seen("[swift, sft]", "[]", 1, 8) == R"(1
)");
  CHECK(seen("[deepspeed, train.py]", "[]", 1, 8) == R"(8
)");
  CHECK(seen("[fabric, run, --devices, '8', train.py]", "[]", 1, 8) == R"(8
)");
  CHECK(seen("[tune, run, --nproc-per-node, '8', a, --config, b]", "[]", 1, 8) == R"(8
)");
  CHECK(seen("[torchrun, --nnodes=$PET_NNODES, train.py]", "[]", 1, 8) == R"(?
25 advice/launcher-setting: torchrun gets the text $PET_NNODES: without a shell, nothing expands it; write $(PET_NNODES)
)");
}

TEST_CASE("launchers: fixes give one world") {
  CHECK(mended("[llamafactory-cli, train, a.yaml]") == "[torchrun, \"-m\", llamafactory.launcher, a.yaml]");
  CHECK(mended("[python, -m, llamafactory.cli, train, a.yaml]") ==
        "[torchrun, \"-m\", llamafactory.launcher, a.yaml]");
  CHECK(mended("[bash, -c, cd /app && llamafactory-cli train a.yaml]") ==
        "[bash, -c, cd /app && torchrun -m llamafactory.launcher a.yaml]");
  CHECK(mended("[swift, sft, --model, m]") == "[torchrun, \"-m\", swift.cli.main, sft, --model, m]");
  CHECK(mended("[torchrun, --node-rank=0, train.py]") == "[torchrun, train.py]");
  CHECK(mended("[torchrun, --rdzv-backend, c10d, train.py]") == "[torchrun, train.py]");
  CHECK(mended("[torchrun, --standalone, train.py]") == "[torchrun, train.py]");
  CHECK(mended("[uv, run, -m, pkg.train]") == "[uv, run, torchrun, \"-m\", pkg.train]");
  CHECK(mended("[uv, run, train.py]") == "[uv, run, torchrun, train.py]");
  CHECK(mended("[deepspeed, train.py]") == "[torchrun, train.py]");
  CHECK(mended("[torchrun, --no-python, /opt/bench, --nnodes, '2']") ==
        "[torchrun, --no-python, /opt/bench, --nnodes, '2']");
  CHECK(mended("[python, -m, verl.trainer.main_ppo]") == "[python, -m, verl.trainer.main_ppo]");
  CHECK(mended("[accelerate, launch, train.py]") == "[accelerate, launch, train.py]");
}

TEST_CASE("launchers: what prepares a script's training is not taken for it") {
  CHECK(mended("[bash, -c, python -m pip install -r a.txt && python train.py]") ==
        "[bash, -c, python -m pip install -r a.txt && torchrun train.py]");
  CHECK(mended("[bash, -c, python3 -m venv /v; python train.py]") ==
        "[bash, -c, python3 -m venv /v; torchrun train.py]");
  CHECK(seen("[python, -m, pip, install, a]") == "4\n");
  // Which one trains is a guess, so nothing is rewritten.
  CHECK(mended("[bash, -c, python prepare.py && python train.py]") ==
        "[bash, -c, python prepare.py && python train.py]");
  CHECK(seen("[bash, -c, python prepare.py && python train.py]") == R"(4
46 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: torchrun train.py …
)");
  CHECK(seen("[bash, -c, 'python train.py && python -c \"print(1)\"']") == R"(4
26 advice/no-launcher: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, each the whole job; start it with torchrun: torchrun train.py …
)");
}

TEST_CASE("launchers: a command over several lines, in a script that can't be parsed") {
  CHECK(seen("[bash, -c, \"run() { torchrun \\\\\\n  --nnodes 2 train.py; }; run\"]") == R"(32
25 advice/launcher-setting: --nnodes 2 contradicts the job, which has 4 nodes; remove it: torchrun reads PET_NNODES
)");
}

}  // namespace trainjobc::launchers_test
