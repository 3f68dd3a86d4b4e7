// SPDX-License-Identifier: Apache-2.0

// --torchrun flags: which flags of a command are torchrun's own.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/advice.h"

namespace trainjobc::torchrun_flags_test {
namespace {

// The command that the container gets, as one line, and the flags that were there already.
std::string command_of(const std::string& trainer) {
  Options options;
  options.trainer_version = "2.3";
  options.use_catalogue = false;
  options.policy.torchrun = policy::TorchrunStyle::Flags;
  const Compilation compiled = compile_sources({{"in.yaml", test::runtime("{torch: {}}", test::trainer()) +
                                                                test::job("  trainer: " + trainer + "\n")}},
                                               {}, options);
  std::string text;
  for (const Object& object : compiled.objects) {
    if (object.kind != "JobSet") continue;
    const yaml::Node& job = *object.root->at({"spec", "replicatedJobs"})->items()[0];
    const yaml::Node& container = *job.at({"template", "spec", "template", "spec", "containers"})->items()[0];
    for (const yaml::Node* word : container.get("command")->items()) text += std::string(word->text()) + " ";
  }
  for (const base::Diagnostic& found : compiled.diagnostics.items()) {
    if (found.rule == "advice/torchrun-flags")
      text += "| " + found.message.substr(0, found.message.find(" is "));
  }
  return text;
}

}  // namespace

TEST_CASE("torchrun flags: those of the script are not torchrun's") {
  CHECK(command_of("{command: [torchrun, a.py]}") ==
        "torchrun --nnodes=1 --nproc_per_node=1 --node_rank=$(PET_NODE_RANK) --master_addr=job-node-0-0.job "
        "--master_port=29500 a.py ");
  CHECK(command_of("{command: [/opt/bin/torchrun], args: [a.py]}") ==
        "/opt/bin/torchrun --nnodes=1 --nproc_per_node=1 --node_rank=$(PET_NODE_RANK) "
        "--master_addr=job-node-0-0.job --master_port=29500 ");
  CHECK(command_of("{command: [torchrun, a.py, --nnodes=3]}") ==
        "torchrun --nnodes=1 --nproc_per_node=1 --node_rank=$(PET_NODE_RANK) --master_addr=job-node-0-0.job "
        "--master_port=29500 a.py --nnodes=3 ");
  CHECK(command_of("{command: [torchrun, -m, a, --nnodes=3]}") ==
        "torchrun --nnodes=1 --nproc_per_node=1 --node_rank=$(PET_NODE_RANK) --master_addr=job-node-0-0.job "
        "--master_port=29500 -m a --nnodes=3 ");
  CHECK(command_of("{command: [torchrun, --, --nnodes=3]}") ==
        "torchrun --nnodes=1 --nproc_per_node=1 --node_rank=$(PET_NODE_RANK) --master_addr=job-node-0-0.job "
        "--master_port=29500 -- --nnodes=3 ");
  CHECK(command_of("{command: [torchrun, a.py], args: [--nnodes=3]}") ==
        "torchrun --nnodes=1 --nproc_per_node=1 --node_rank=$(PET_NODE_RANK) --master_addr=job-node-0-0.job "
        "--master_port=29500 a.py ");
}

TEST_CASE("torchrun flags: a command that doesn't begin with torchrun stays as it is") {
  CHECK(command_of("{command: [python, a.py]}") ==
        R"(python a.py | the command doesn't begin with torchrun, so --torchrun flags changes nothing here)");
  CHECK(
      command_of("{command: [my-torchrun, a.py]}") ==
      R"(my-torchrun a.py | the command doesn't begin with torchrun, so --torchrun flags changes nothing here)");
}

TEST_CASE("torchrun flags: those before the script stay as they are") {
  CHECK(command_of("{command: [torchrun, --nnodes, '3', a.py, --master_port=1]}") ==
        "torchrun --nproc_per_node=1 --node_rank=$(PET_NODE_RANK) --master_addr=job-node-0-0.job "
        "--master_port=29500 --nnodes 3 a.py --master_port=1 | --nnodes");
  CHECK(command_of("{command: [/bin/torchrun, --standalone, -r3, -t, '3', --nnodes=3, a.py]}") ==
        "/bin/torchrun --nproc_per_node=1 --node_rank=$(PET_NODE_RANK) --master_addr=job-node-0-0.job "
        "--master_port=29500 --standalone -r3 -t 3 --nnodes=3 a.py | --nnodes");
  CHECK(command_of("{command: [torchrun, --rdzv-id=1], args: [--nnodes=3, a.py]}") ==
        "torchrun --nproc_per_node=1 --node_rank=$(PET_NODE_RANK) --master_addr=job-node-0-0.job "
        "--master_port=29500 --rdzv-id=1 | --nnodes");
  CHECK(command_of("{command: [torchrun, --nnodes]}") ==
        "torchrun --nproc_per_node=1 --node_rank=$(PET_NODE_RANK) --master_addr=job-node-0-0.job "
        "--master_port=29500 --nnodes | --nnodes");
}

}  // namespace trainjobc::torchrun_flags_test
