// SPDX-License-Identifier: Apache-2.0

// Rules of trainjobc's own configuration, and of the controller: it accepts the job and then fails to create
// its objects. Both are reported with the inputs.
#include <array>

#include "rules/rules_tables.h"

namespace trainjobc::rules::tables {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kRenderRules = std::to_array<Rule>({
    {"config/invalid", Stage::Input, Error, "The configuration file can't be used",
     ".trainjobc.yaml is read strictly, so a misspelt setting is never silently ignored: unknown keys, "
     "rules and values are refused, and lint exits with status 2. The message names the place; the "
     "published JSON Schema of the file lets editors complete it."},
    {"render/flux-needs-num-nodes", Stage::Input, Error, "A Flux job has no spec.trainer.numNodes",
     "The Flux plugin reads the number of nodes from the TrainJob without checking that it is set. The "
     "API server accepts the job, but the controller crashes on it again and again, which stops other "
     "jobs too. Set the number, even if the runtime sets one.\n\n"
     "    spec:\n      trainer:\n        numNodes: 2"},
    {"render/jax-needs-trainer", Stage::Input, Error,
     "A JAX runtime has no replicatedJob with the trainer label",
     "The JAX plugin counts the nodes of the replicatedJob whose template has the label "
     "trainer.kubeflow.org/trainjob-ancestor-step: trainer, and crashes if there is none. Label that "
     "template in the runtime, and check that no patch of the job removes the label.\n\n"
     "    template:\n      metadata:\n        labels:\n"
     "          trainer.kubeflow.org/trainjob-ancestor-step: trainer"},
    {"render/ssh-key", Stage::Input, Error, "The SSH key for an MPI job can't be read or used",
     "MPI jobs get a Secret with a key pair, which lets the launcher start processes on the other nodes. "
     "The key file or seed given with --ssh-key could not be read or used. Name another one, have a key "
     "generated, or leave the Secret out with --ssh-key omit and create it yourself."},
});

}  // namespace

std::span<const Rule> render() {
  return kRenderRules;
}

}  // namespace trainjobc::rules::tables
