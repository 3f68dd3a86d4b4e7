// SPDX-License-Identifier: Apache-2.0

// Rules of JobSet's webhook: the controller can't create the JobSet, and retries forever.
#include <array>

#include "rules/rules_tables.h"

namespace trainjobc::rules::tables {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kJobSetRules = std::to_array<Rule>({
    {"jobset/claim-mount", Stage::JobSet, Error, "No container mounts a claim that the JobSet creates",
     "Each template in volumeClaimPolicies creates a claim, and a volume of the same name for the pods. "
     "The JobSet webhook refuses a template that nothing uses. Mount it, or remove the template.\n\n"
     "    volumeMounts:\n      - name: checkpoints\n        mountPath: /checkpoints"},
    {"jobset/claim-name", Stage::JobSet, Error, "A claim template's name can't be used",
     "JobSet names the claim <template>-<jobset>, which must be a DNS name of at most 63 characters, and "
     "each template needs a unique name. The TrainJob's name is part of it: shorten one of the two."},
    {"jobset/claim-volume", Stage::JobSet, Error, "A pod has a volume with the same name as a claim template",
     "JobSet adds a volume with the name of the claim template to the pods, and a pod can't have two "
     "volumes with the same name. Remove the volume to use the claim, or rename one of them."},
    {"jobset/coordinator", Stage::JobSet, Error, "The coordinator is a pod that will not exist",
     "spec.coordinator selects one pod by replicatedJob, jobIndex and podIndex, counted from 0, and all "
     "pods get its address. The replicatedJob must exist, be Indexed, and have that many Jobs and pods. "
     "Correct the index; with one replica jobIndex is 0.\n\n"
     "    coordinator:\n      replicatedJob: node\n      jobIndex: 0\n      podIndex: 0"},
    {"jobset/coordinator-label", Stage::JobSet, Error, "The coordinator's address does not fit into a label",
     "JobSet writes the address <jobset>-<replicatedJob>-<job>-<pod>.<subdomain> into a label of each "
     "pod, and a label's value has at most 63 characters. The subdomain defaults to the JobSet's name, so "
     "a long TrainJob name counts twice. Shorten it, or set a short subdomain."},
    {"jobset/depends-on", Stage::JobSet, Error, "A replicatedJob depends on one that is not listed before it",
     "JobSet creates replicatedJobs in the order of the list, and dependsOn may name only earlier ones; "
     "the first can't depend on any. Names that are not in the list are refused too, including those that "
     "a patch has removed or renamed. Reorder the list or correct the name."},
    {"jobset/failure-policy", Stage::JobSet, Error,
     "The failure policy names a replicatedJob that does not exist",
     "targetReplicatedJobs limits a rule to some replicatedJobs. The webhook refuses names that the "
     "JobSet does not have, because the rule would never apply. Correct the name, or leave the list out "
     "to apply the rule to all."},
    {"jobset/failure-reason", Stage::JobSet, Error,
     "The failure policy names a reason for which no Job fails",
     "onJobFailureReasons are the reasons of a Job's Failed condition: BackoffLimitExceeded, "
     "DeadlineExceeded, FailedIndexes, MaxFailedIndexesExceeded and PodFailurePolicy. They do not include "
     "pod reasons such as OOMKilled or Evicted; match those in the Job's podFailurePolicy."},
    {"jobset/failure-rule-name", Stage::JobSet, Error, "A failure policy rule has an invalid name",
     "Events and status refer to rules by name, so each name is unique and has at most 128 letters, "
     "digits and underscores, with commas and colons inside, and begins with a letter. JobSet generates "
     "missing names. Rename the rule, or leave its name out."},
    {"jobset/feature-gate", Stage::JobSet, Error, "The setting needs a feature gate that is off by default",
     "Restarting one Job of a JobSet and restarting in place are new in JobSet, and are refused unless "
     "its controller enables the feature gate that the message names. Use the stable equivalent of the "
     "setting, such as RestartJobSet and Recreate."},
    {"jobset/group-name", Stage::JobSet, Error, "A groupName is not a DNS label",
     "A label marks groups of replicatedJobs, and their names follow the rules for host names: at most 63 "
     "lower-case letters, digits and dashes, beginning with a letter. Rename the group."},
    {"jobset/in-place-restart", Stage::JobSet, Error, "A Job can't be restarted in place",
     "To restart in place, JobSet needs Jobs that never give up and never replace a running pod: a "
     "backoffLimit of 2147483647, podReplacementPolicy Failed, and completions equal to parallelism. Set "
     "all three in each replicatedJob.\n\n"
     "    backoffLimit: 2147483647\n    podReplacementPolicy: Failed"},
    {"jobset/managed-by", Stage::JobSet, Error, "The JobSet's managedBy is not a domain-prefixed path",
     "managedBy hands a JobSet to another controller. The controller's name is a DNS domain, a slash and "
     "a path, at most 63 characters in all.\n\n"
     "    managedBy: kueue.x-k8s.io/multikueue"},
    {"jobset/name", Stage::JobSet, Error, "A Job's name is not a valid DNS label",
     "Jobs are named <trainjob>-<replicatedJob>-<index>, and the names of their pods become host names, "
     "so they contain only lower-case letters, digits and dashes, and begin with a letter. Rename the "
     "replicatedJob or the TrainJob."},
    {"jobset/name-length", Stage::JobSet, Error, "A pod's name is too long",
     "Pods are named <trainjob>-<replicatedJob>-<index>-<pod>-<five letters>, and a host name has at most "
     "63 characters. More nodes make the name longer, because the number of the last pod counts. Shorten "
     "the TrainJob's name; about 40 characters are safe with the usual runtimes."},
    {"jobset/pod-count", Stage::JobSet, Error, "A replicatedJob has too many pods",
     "The pods of a replicatedJob, its replicas times its parallelism, are counted in 32 bits, and the "
     "webhook refuses more. The cause is nearly always a number with too many digits; the number of nodes "
     "is mlPolicy.numNodes or trainer.numNodes."},
    {"jobset/restart-limit", Stage::JobSet, Error, "Too many replicas to restart Jobs individually",
     "For the actions that restart a single Job, JobSet counts the restarts of each Job in its status, so "
     "a replicatedJob may have at most 1024 replicas. Use fewer replicas with more pods each, or restart "
     "the whole JobSet."},
    {"jobset/subdomain", Stage::JobSet, Error, "The subdomain is not a DNS label",
     "spec.network.subdomain names the headless Service through which the pods find each other, and names "
     "of Services are DNS labels: at most 63 lower-case letters, digits and dashes, beginning with a "
     "letter. Rename it, or leave it out to use the JobSet's own name."},
    {"jobset/success-policy", Stage::JobSet, Error,
     "The success policy waits for a replicatedJob that does not exist",
     "targetReplicatedJobs lists the replicatedJobs that must succeed. One that the JobSet does not have "
     "would never succeed, so the webhook refuses its name. Correct the name, often \"node\" or "
     "\"launcher\", or leave the list out to wait for all."},
});

}  // namespace

std::span<const Rule> job_set() {
  return kJobSetRules;
}

}  // namespace trainjobc::rules::tables
