// Rules of admission: what the API server's schema checks and Trainer's webhooks refuse to store. Those of
// the training frameworks and of patches stand in rules_input_policy.cpp.
#include <array>

#include "compile/rules/rules_tables.h"

namespace trainjobc::compile::rules {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kRules = std::to_array<Rule>({
    {"input/ancestor-container", Stage::Input, Error,
     "A labelled replicatedJob lacks the container that its role needs",
     "The label trainer.kubeflow.org/trainjob-ancestor-step says which part of a TrainJob a replicatedJob "
     "runs, and the controller finds the container by a fixed name: \"node\" for trainer, "
     "\"dataset-initializer\" and \"model-initializer\" for those. Without it the job's image, command "
     "and env would go nowhere, so the webhook refuses the runtime. Rename the container."},
    {"input/ancestor-replicas", Stage::Input, Error, "A labelled replicatedJob has other than one replica",
     "The number of nodes is the number of pods of one Job, set by mlPolicy.numNodes or the TrainJob's "
     "trainer.numNodes. Several replicas of the Job would each be a training run of its own, so the "
     "webhook demands exactly one.\n\n"
     "    mlPolicy:\n      numNodes: 4"},
    {"input/annotation", Stage::Input, Error, "An annotation of the object is malformed",
     "An annotation's key is a name of at most 63 letters, digits, dashes, dots and underscores, with an "
     "optional DNS prefix and a slash before it; all annotations of an object hold at most 256 KiB. The "
     "API server refuses the object otherwise. Put large data into a ConfigMap."},
    {"input/bounds", Stage::Input, Error, "A value is too small, too large, too short or too long",
     "The CRD's schema sets limits to numbers, to the length of texts and to the size of lists, and the "
     "API server refuses what lies outside. The message names the limit. An empty string often means a "
     "template variable that was not set; remove the field where you want the default."},
    {"input/cel", Stage::Input, Error, "A validation rule of the CRD does not hold",
     "Beyond types and limits, the CRDs carry rules in the Common Expression Language, such as: a runtime "
     "has at most one ML policy, a TrainJob's name is a DNS label of at most 63 characters, managedBy is "
     "one of two controllers. The message is the API server's own. Change one of the fields that it names."},
    {"input/dialect-field", Stage::Input, Error, "A field of an older dialect has no place in Trainer",
     "Documents of kubeflow.org/v2alpha1 and its kin are read as trainer.kubeflow.org/v1alpha1. This field "
     "has "
     "gone without a successor, so that its effect would silently be missing. The message says what to do in "
     "its place."},
    {"input/duplicate", Stage::Input, Error, "A list holds the same key twice",
     "Some lists are sets or maps by a key, for example containers by name and env by name. The API "
     "server refuses a second element with the same key, since patches could not tell the two apart. "
     "Remove one of them, or rename it if both are meant."},
    {"input/duplicate-object", Stage::Input, Error, "Two documents define the same object",
     "Kind, namespace and name identify an object, so that the document applied last silently wins, and "
     "which one that is depends on the order of the files. The usual cause is a copied file whose name "
     "was not changed. Rename or remove one; an absent namespace counts as \"default\"."},
    {"input/enum", Stage::Input, Error, "A value is none of those allowed",
     "The field takes one of a few words, and upper and lower case matter. The API server refuses others. "
     "Pick one from the list in the message.\n\n"
     "    mpiImplementation: OpenMPI"},
    {"input/finalizer", Stage::Input, Error, "A finalizer is malformed",
     "Finalizers are named like labels, with a DNS prefix that says whose they are, and orphan and "
     "foregroundDeletion exclude each other. The API server refuses the object otherwise. Manifests "
     "seldom need any: a job with a finalizer that no controller removes can't be deleted."},
    {"input/format", Stage::Input, Error, "A text does not have the form of its field",
     "The field holds a date and time as RFC 3339 writes it, with a time zone. The API server can't "
     "decode anything else.\n\n"
     "    time: \"2026-01-31T08:00:00Z\""},
    {"input/initializer", Stage::Input, Error,
     "The job asks for an initializer that its runtime does not have",
     "spec.initializer only configures what the runtime provides. The webhook of Trainer 2.3 looks for a "
     "replicatedJob, a container in it and a mount of the volume \"initializer\", all by the fixed names "
     "dataset-initializer or model-initializer. Use a runtime with them, for instance one of the "
     "torchtune runtimes, or remove the initializer from the job and load the data in the training code."},
    {"input/label", Stage::Input, Error, "A label of the object is malformed",
     "A label's key is a name of at most 63 characters with an optional DNS prefix; its value is at most "
     "63 letters, digits, dashes, dots and underscores that begin and end with a letter or digit. "
     "Selectors rely on that, so the API server refuses others. Free text belongs into an annotation."},
    {"input/missing-runtime", Stage::Input, Error, "The runtime that the job refers to is not known",
     "The webhook refuses a TrainJob whose runtimeRef leads nowhere. Runtimes are looked for in the "
     "inputs, then among --runtimes, then in the catalogue that is built in; a TrainingRuntime must be in "
     "the job's namespace. Correct the name or kind, or name the file or folder that holds the "
     "runtime.\n\n"
     "    trainjobc lint jobs/ --runtimes platform/runtimes/"},
    {"input/name", Stage::Input, Error, "The object's name or namespace is not one that Kubernetes takes",
     "Names are lower-case letters, digits and dashes, for most kinds with dots, too; they begin and end "
     "with a letter or digit. A TrainJob's name becomes a part of host names, so it has no dots, begins "
     "with a letter and has at most 63 characters. The API server refuses others.\n\n"
     "    metadata:\n      name: bert-large-v2"},
    {"input/owner-reference", Stage::Input, Error, "An owner reference is incomplete or contradictory",
     "An owner is named by apiVersion, kind, name and uid, and only one of several can be the controller. "
     "The API server refuses the object otherwise. Controllers write these references; in a manifest the "
     "uid is nearly always that of another cluster, so remove them."},
    {"input/processes-per-node", Stage::Input, Error,
     "numProcPerNode is neither a number nor a word that the framework knows",
     "Torch takes a number or, until Trainer 2.1, auto, cpu or gpu, and the API server or the webhook "
     "refuses other words. MPI needs a number, since it becomes the slots of each host. Write a number, "
     "or leave the field out for the runtime's.\n\n"
     "    trainer:\n      numProcPerNode: 4"},
    {"input/pattern", Stage::Input, Error, "A text does not match the pattern of its field",
     "The CRD's schema gives a regular expression for this text, as for the type and reason of a "
     "condition, and the API server refuses what it does not match. Keep to letters, digits and the "
     "punctuation that the message names."},
    {"input/quantity", Stage::Input, Error, "A value is not a quantity",
     "Amounts of CPU, memory and devices are a number with at most one suffix: m for thousandths, k, M, "
     "G, T, P, E for powers of 1000 and Ki, Mi, Gi, Ti, Pi, Ei for powers of 1024. GB, gb or \"16 Gi\" is "
     "refused by the API server.\n\n"
     "    limits:\n      cpu: 500m\n      memory: 16Gi\n      nvidia.com/gpu: 1"},
    {"input/required", Stage::Input, Error, "A required field is missing",
     "The CRD's schema demands the field, and the API server refuses the object without it. Often it is "
     "there, but indented into another map. Add it where the message says.\n\n"
     "    spec:\n      runtimeRef:\n        name: torch-distributed"},
    {"input/runtime-kind", Stage::Input, Error, "runtimeRef names a kind that is not a runtime",
     "A TrainJob runs from a TrainingRuntime of its own namespace or a ClusterTrainingRuntime, both of "
     "the group trainer.kubeflow.org; the webhook refuses any other kind or group. Leave both fields out "
     "for a ClusterTrainingRuntime, which is the default.\n\n"
     "    runtimeRef:\n      kind: TrainingRuntime\n      name: team-torch"},
    {"input/runtime-snapshot", Stage::Input, Error, "A job's runtime snapshot can't be used",
     "Trainer 2.3 keeps the runtime that a TrainJob began with in the ConfigMap <job>-runtime-snapshot and "
     "uses "
     "that one from then on. It refuses a snapshot that another object owns, that it can't read, or that "
     "holds "
     "another runtime than runtimeRef names. Remove the ConfigMap from the inputs, or give the job's own."},
    {"input/trainer-version", Stage::Input, Error, "No Trainer version takes this, or not with that runtime",
     "Two fields of the TrainJob, or one of it and one of its runtime, never existed in the same version "
     "of Trainer: podSpecOverrides is of 2.0, podTemplateOverrides of 2.1, runtimePatches of 2.2 and later, "
     "and so are the JAX, XGBoost and Flux policies. So no cluster takes both. Write them for the version "
     "that yours runs."},
    {"input/type", Stage::Input, Error, "A value is of another type than its field",
     "The API server checks each value's type. The usual cause is YAML's guess at unquoted words: yes, "
     "no, on, off, 1 and 3.10 are not text unless they stand in quotes, and a number in quotes is text. "
     "env values and annotations are text always.\n\n"
     "    env:\n      - name: DEBUG\n        value: \"1\""},
    {"input/unknown-field", Stage::Input, Error, "A field does not exist in this kind",
     "kubectl and strict clients refuse unknown fields; lenient ones drop them, so that a setting is lost "
     "without a word. Either the name is misspelt, or the field stands at the wrong depth, or it belongs "
     "to another version of Trainer: overrides are podSpecOverrides in 2.0, podTemplateOverrides in 2.1 "
     "and runtimePatches from 2.2 on."},
    {"input/unknown-kind", Stage::Input, Error, "Trainer has no such kind or API version",
     "The document is of the group trainer.kubeflow.org, or of one of its kinds, but Trainer serves no "
     "such resource, so that the API server answers that it knows no match. The kinds are TrainJob, "
     "TrainingRuntime and ClusterTrainingRuntime. API versions from before Trainer 2.0 are read only "
     "while no Trainer version is pinned; migrate rewrites them.\n\n"
     "    apiVersion: trainer.kubeflow.org/v1alpha1\n    kind: TrainJob"},
});

}  // namespace

std::span<const Rule> input() {
  return kRules;
}

}  // namespace trainjobc::compile::rules
