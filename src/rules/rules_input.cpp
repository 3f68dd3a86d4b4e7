// SPDX-License-Identifier: Apache-2.0

// Rules of admission: what the API server's schema checks and Trainer's webhooks refuse to store. Those of
// the training frameworks and of patches are in rules_input_policy.cpp.
#include <array>

#include "rules/rules_tables.h"

namespace trainjobc::rules::tables {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kInputRules = std::to_array<Rule>({
    {"input/ancestor-container", Stage::Input, Error,
     "A labelled replicatedJob lacks the container for its role",
     "The label trainer.kubeflow.org/trainjob-ancestor-step says which part of a TrainJob a replicatedJob "
     "runs, and the controller finds the container by a fixed name: \"node\" for trainer, "
     "\"dataset-initializer\" and \"model-initializer\" for those roles. Without that container, the "
     "job's image, command and env would have no effect, so the webhook refuses the runtime. Rename the "
     "container."},
    {"input/ancestor-replicas", Stage::Input, Error,
     "A labelled replicatedJob does not have exactly one replica",
     "The number of nodes is the number of pods of one Job, set by mlPolicy.numNodes or the TrainJob's "
     "trainer.numNodes. With several replicas, each Job would be a separate training run, so the webhook "
     "requires exactly one.\n\n"
     "    mlPolicy:\n      numNodes: 4"},
    {"input/annotation", Stage::Input, Error, "An annotation of the object is invalid",
     "An annotation's key is a name of at most 63 letters, digits, dashes, dots and underscores, after an "
     "optional DNS prefix and a slash; all annotations of an object together hold at most 256 KiB. The "
     "API server refuses the object otherwise. Put large data into a ConfigMap."},
    {"input/bounds", Stage::Input, Error, "A value is too small, too large, too short or too long",
     "The CRD's schema limits numbers, the length of strings and the size of lists, and the API server "
     "refuses values outside these limits. The message names the limit. An empty string often means that "
     "a template variable was not set; remove the field if you want the default."},
    {"input/cel", Stage::Input, Error, "A validation rule of the CRD fails",
     "Besides types and limits, the CRDs contain rules in the Common Expression Language, for example: a "
     "runtime has at most one ML policy, a TrainJob's name is a DNS label of at most 63 characters, "
     "managedBy is one of two controllers. The message is the API server's own. Change one of the fields "
     "that it names."},
    {"input/dialect-field", Stage::Input, Error,
     "A field of an older API version no longer exists in Trainer",
     "Documents of kubeflow.org/v2alpha1 and related API versions are read as "
     "trainer.kubeflow.org/v1alpha1. This field was removed without a replacement, so its effect would "
     "silently be lost. The message says what to do instead."},
    {"input/duplicate", Stage::Input, Error, "A list contains the same key twice",
     "Some lists are sets, or maps with a key, for example containers by name and env by name. The API "
     "server refuses a second element with the same key, because patches could not tell the two apart. "
     "Remove one of them, or rename it if you need both."},
    {"input/duplicate-object", Stage::Input, Error, "Two documents define the same object",
     "Kind, namespace and name identify an object, so the document applied last silently wins, and the "
     "order of the files decides which one that is. Usually a file was copied and its name was not "
     "changed. Rename or remove one; an object without a namespace is in \"default\"."},
    {"input/enum", Stage::Input, Error, "A value is not one of the allowed values",
     "The field accepts only certain words, and they are case-sensitive. The API server refuses others. "
     "Use a value from the list in the message.\n\n"
     "    mpiImplementation: OpenMPI"},
    {"input/finalizer", Stage::Input, Error, "A finalizer is invalid",
     "Finalizers are named like labels, with a DNS prefix that says who owns them, and orphan and "
     "foregroundDeletion exclude each other. The API server refuses the object otherwise. Manifests "
     "seldom need finalizers: a job with a finalizer that no controller removes can't be deleted."},
    {"input/format", Stage::Input, Error, "A string does not have the format of its field",
     "The field is a date and time in RFC 3339 format, with a time zone. The API server can't decode "
     "anything else.\n\n"
     "    time: \"2026-01-31T08:00:00Z\""},
    {"input/initializer", Stage::Input, Error,
     "The job configures an initializer that its runtime does not have",
     "spec.initializer only configures what the runtime provides. The webhook of Trainer 2.3 looks for a "
     "replicatedJob, a container in it and a mount of the volume \"initializer\", by the fixed names "
     "dataset-initializer or model-initializer. Use a runtime that has them, for example one of the "
     "torchtune runtimes, or remove the initializer from the job and load the data in the training code."},
    {"input/label", Stage::Input, Error, "A label of the object is invalid",
     "A label's key is a name of at most 63 characters after an optional DNS prefix; its value is at most "
     "63 letters, digits, dashes, dots and underscores, and begins and ends with a letter or digit. "
     "Selectors rely on this, so the API server refuses others. Free text belongs in an annotation."},
    {"input/missing-runtime", Stage::Input, Error, "The runtime that the job refers to was not found",
     "The webhook refuses a TrainJob whose runtimeRef does not exist. Runtimes are looked up first in the "
     "inputs, then in --runtimes, then in the built-in catalogue; a TrainingRuntime must be in the job's "
     "namespace. Correct the name or kind, or pass the file or folder that contains the runtime.\n\n"
     "    trainjobc lint jobs/ --runtimes platform/runtimes/",
     Warning /* of a job that is migrated */},
    {"input/name", Stage::Input, Error, "The object's name or namespace is not a valid Kubernetes name",
     "Names are lower-case letters, digits and dashes, and for most kinds also dots; they begin and end "
     "with a letter or digit. A TrainJob's name becomes part of host names, so it has no dots, begins "
     "with a letter and has at most 63 characters. The API server refuses others.\n\n"
     "    metadata:\n      name: bert-large-v2"},
    {"input/owner-reference", Stage::Input, Error, "An owner reference is incomplete or contradictory",
     "An owner reference needs apiVersion, kind, name and uid, and only one owner can be the controller. "
     "The API server refuses the object otherwise. Controllers write these references; in a manifest the "
     "uid nearly always comes from another cluster, so remove them."},
    {"input/processes-per-node", Stage::Input, Error,
     "numProcPerNode is not a number or word that the framework accepts",
     "Torch accepts a number or, until Trainer 2.1, auto, cpu or gpu; the API server or the webhook "
     "refuses other words. MPI needs a number, because it becomes the slots of each host. Write a number, "
     "or leave the field out to use the runtime's value.\n\n"
     "    trainer:\n      numProcPerNode: 4"},
    {"input/pattern", Stage::Input, Error, "A string does not match the pattern of its field",
     "The CRD's schema has a regular expression for this string, for example for the type and reason of a "
     "condition, and the API server refuses strings that don't match it. Use only letters, digits and the "
     "punctuation that the message names."},
    {"input/quantity", Stage::Input, Error, "A value is not a valid quantity",
     "Amounts of CPU, memory and devices are a number with at most one suffix: m for thousandths, k, M, "
     "G, T, P, E for powers of 1000 and Ki, Mi, Gi, Ti, Pi, Ei for powers of 1024. The API server refuses "
     "GB, gb and \"16 Gi\".\n\n"
     "    limits:\n      cpu: 500m\n      memory: 16Gi\n      nvidia.com/gpu: 1"},
    {"input/required", Stage::Input, Error, "A required field is missing",
     "The CRD's schema requires the field, and the API server refuses the object without it. Often the "
     "field exists but is indented into another map. Add it where the message says.\n\n"
     "    spec:\n      runtimeRef:\n        name: torch-distributed"},
    {"input/runtime-kind", Stage::Input, Error, "runtimeRef names a kind that is not a runtime",
     "A TrainJob runs from a TrainingRuntime in its own namespace or from a ClusterTrainingRuntime, both "
     "in the group trainer.kubeflow.org; the webhook refuses any other kind or group. For a "
     "ClusterTrainingRuntime leave both fields out, since it is the default.\n\n"
     "    runtimeRef:\n      kind: TrainingRuntime\n      name: team-torch"},
    {"input/runtime-snapshot", Stage::Input, Error, "A job's runtime snapshot can't be used",
     "Trainer 2.3 saves the runtime that a TrainJob started with in the ConfigMap <job>-runtime-snapshot "
     "and uses it from then on. It refuses a snapshot that another object owns, that it can't read, or "
     "that contains a different runtime from the one in runtimeRef. Remove the ConfigMap from the inputs, "
     "or use the one of this job."},
    {"input/trainer-version", Stage::Input, Error,
     "No Trainer version accepts this, or not with that runtime",
     "Two fields of the TrainJob, or one field of the TrainJob and one of its runtime, never existed in "
     "the same version of Trainer: podSpecOverrides is in 2.0 only, podTemplateOverrides in 2.1 only, "
     "runtimePatches in 2.2 and later, as are the JAX, XGBoost and Flux policies. So no cluster accepts "
     "both. Write them for the version that your cluster runs."},
    {"input/type", Stage::Input, Error, "A value has the wrong type for its field",
     "The API server checks the type of each value. The usual cause is how YAML reads unquoted words: "
     "yes, no, on, off, 1 and 3.10 are not strings unless they are in quotes, and a number in quotes is a "
     "string. Values of env and annotations are always strings.\n\n"
     "    env:\n      - name: DEBUG\n        value: \"1\""},
    {"input/unknown-field", Stage::Input, Error, "The field does not exist in this kind",
     "kubectl and strict clients refuse unknown fields; lenient clients drop them, so a setting is "
     "silently lost. Either the name is misspelt, or the field is at the wrong level, or it belongs to "
     "another version of Trainer: overrides are podSpecOverrides in 2.0, podTemplateOverrides in 2.1 and "
     "runtimePatches since 2.2."},
    {"input/unknown-kind", Stage::Input, Error, "Trainer has no such kind or API version",
     "The document is in the group trainer.kubeflow.org, or has one of its kinds, but Trainer serves no "
     "such resource, so the API server answers that there are no matches for the kind. The kinds are "
     "TrainJob, TrainingRuntime and ClusterTrainingRuntime. API versions from before Trainer 2.0 are read "
     "only if no Trainer version is pinned; migrate rewrites them.\n\n"
     "    apiVersion: trainer.kubeflow.org/v1alpha1\n    kind: TrainJob"},
});

}  // namespace

std::span<const Rule> input() {
  return kInputRules;
}

}  // namespace trainjobc::rules::tables
