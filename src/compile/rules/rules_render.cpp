// Rules of trainjobc's own configuration, and of the controller: it takes the job and then fails to make
// objects of it. Both are reported with the inputs.
#include <array>

#include "compile/rules/rules_tables.h"

namespace trainjobc::compile::rules {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kRules = std::to_array<Rule>({
    {"config/invalid", Stage::Input, Error, "The configuration file can't be used",
     "A .trainjobc.yaml is read strictly, so that a misspelt setting is not silently without effect: "
     "unknown keys, rules and values are refused, and lint ends with status 2. The message names the "
     "place; the published JSON Schema of the file helps editors to complete it."},
    {"render/flux-needs-num-nodes", Stage::Input, Error, "A Flux job has no spec.trainer.numNodes",
     "The Flux plugin reads the number of nodes from the TrainJob without looking whether it is there. "
     "The API server takes the job, but the controller crashes on it, again and again, and takes other "
     "jobs down with it. Set the number, even where the runtime names one.\n\n"
     "    spec:\n      trainer:\n        numNodes: 2"},
    {"render/jax-needs-trainer", Stage::Input, Error, "A JAX runtime has no replicatedJob that trains",
     "The JAX plugin counts the nodes of the replicatedJob whose template carries the label "
     "trainer.kubeflow.org/trainjob-ancestor-step: trainer, and crashes where there is none. Label that "
     "template in the runtime, and check that no patch of the job removes the label.\n\n"
     "    template:\n      metadata:\n        labels:\n"
     "          trainer.kubeflow.org/trainjob-ancestor-step: trainer"},
    {"render/ssh-key", Stage::Input, Error, "The SSH key for an MPI job can't be had",
     "MPI jobs get a Secret with a key pair, so that the launcher may start processes on the other nodes. "
     "The key file or seed that --ssh-key names could not be read or used. Name another one, have a key "
     "generated, or leave the Secret out with --ssh-key omit and create it yourself."},
});

}  // namespace

std::span<const Rule> render() {
  return kRules;
}

}  // namespace trainjobc::compile::rules
