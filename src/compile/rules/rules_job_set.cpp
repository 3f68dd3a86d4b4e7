// Rules of JobSet's webhook: the controller can't create the JobSet, and tries again without end.
#include <array>

#include "compile/rules/rules_tables.h"

namespace trainjobc::compile::rules {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kRules = std::to_array<Rule>({
    {"jobset/claim-mount", Stage::JobSet, Error, "No container mounts a claim that the JobSet makes",
     "Each template in volumeClaimPolicies makes a claim and a volume of the same name for the pods. The "
     "JobSet webhook refuses a template that nothing uses. Mount it, or remove the template.\n\n"
     "    volumeMounts:\n      - name: checkpoints\n        mountPath: /checkpoints"},
    {"jobset/claim-name", Stage::JobSet, Error, "The name of a claim template can't be used",
     "JobSet calls the claim <template>-<jobset>, which may have at most 63 characters and must be a DNS "
     "name, and each template needs a name of its own. The TrainJob's name is a part of it: shorten one "
     "of the two."},
    {"jobset/claim-volume", Stage::JobSet, Error, "A pod has a volume of the same name as a claim template",
     "JobSet adds a volume called like the claim template to the pods, and a pod can't have two volumes "
     "of one name. Remove the volume to use the claim, or rename one of them."},
    {"jobset/coordinator", Stage::JobSet, Error, "The coordinator is a pod that will not exist",
     "spec.coordinator picks one pod by replicatedJob, jobIndex and podIndex, counted from 0, and all "
     "pods learn its address. The replicatedJob must be there, be Indexed, and have that many Jobs and "
     "pods. Correct the index; with one replica jobIndex is 0.\n\n"
     "    coordinator:\n      replicatedJob: node\n      jobIndex: 0\n      podIndex: 0"},
    {"jobset/coordinator-label", Stage::JobSet, Error, "The coordinator's address does not fit into a label",
     "JobSet writes the address <jobset>-<replicatedJob>-<job>-<pod>.<subdomain> into a label of each "
     "pod, and a label's value has at most 63 characters. The subdomain is the JobSet's name where none "
     "is given, so that a long TrainJob name counts twice. Shorten it, or set a short subdomain."},
    {"jobset/depends-on", Stage::JobSet, Error, "A replicatedJob depends on one that does not come before it",
     "JobSet creates replicatedJobs in the order of the list, and dependsOn may name only earlier ones; "
     "the first can't depend on any. A name that is not in the list is refused, too, and so is what a "
     "patch leaves behind when it removes or renames one. Reorder the list or correct the name."},
    {"jobset/failure-policy", Stage::JobSet, Error,
     "The failure policy names a replicatedJob that is not there",
     "targetReplicatedJobs restricts a rule to some replicatedJobs. The webhook refuses names that the "
     "JobSet does not have, since the rule would never apply. Correct the name, or leave the list out for a "
     "rule that holds for all."},
    {"jobset/failure-reason", Stage::JobSet, Error, "The failure policy names a reason that no Job fails for",
     "onJobFailureReasons are the reasons of a Job's Failed condition: BackoffLimitExceeded, "
     "DeadlineExceeded, FailedIndexes, MaxFailedIndexesExceeded and PodFailurePolicy. Pods' reasons such "
     "as OOMKilled or Evicted are none of them; match those in the Job's podFailurePolicy."},
    {"jobset/failure-rule-name", Stage::JobSet, Error, "A failure policy rule has an unusable name",
     "Events and status refer to rules by name, so each has its own, of at most 128 letters, digits and "
     "underscores, with commas and colons inside, a letter first. JobSet makes up names where there are "
     "none. Rename the rule, or leave its name out."},
    {"jobset/feature-gate", Stage::JobSet, Error, "The setting needs a feature gate that is off by default",
     "Restarting one Job of a JobSet and restarting in place are new in JobSet and refused unless the "
     "gate that the message names is switched on in its controller. Use the setting's stable counterpart, "
     "such as RestartJobSet and Recreate."},
    {"jobset/group-name", Stage::JobSet, Error, "A groupName is not a DNS label",
     "Groups of replicatedJobs are marked by a label, and their names follow the rules for hosts: at most "
     "63 lower-case letters, digits and dashes, a letter first. Rename the group."},
    {"jobset/in-place-restart", Stage::JobSet, Error, "A Job can't be restarted in place",
     "To restart in place, JobSet needs Jobs that never give up and never replace a running pod: a "
     "backoffLimit of 2147483647, podReplacementPolicy Failed, and as many completions as parallelism. "
     "Set all three in each replicatedJob.\n\n"
     "    backoffLimit: 2147483647\n    podReplacementPolicy: Failed"},
    {"jobset/managed-by", Stage::JobSet, Error, "The JobSet's managedBy is not a domain-prefixed path",
     "managedBy hands a JobSet to another controller, which is named by a DNS domain, a slash and a path, "
     "with at most 63 characters.\n\n"
     "    managedBy: kueue.x-k8s.io/multikueue"},
    {"jobset/name", Stage::JobSet, Error, "A Job's name would be no DNS label",
     "Jobs are called <trainjob>-<replicatedJob>-<index>, and the names of their pods become host names, "
     "so they take lower-case letters, digits and dashes, a letter first. Rename the replicatedJob or the "
     "TrainJob."},
    {"jobset/name-length", Stage::JobSet, Error, "A pod's name would be too long",
     "Pods are called <trainjob>-<replicatedJob>-<index>-<pod>-<five letters>, and a host name has at "
     "most 63 characters. More nodes make it longer, since the number of the last pod counts. Shorten the "
     "TrainJob's name; metadata.name of about 40 characters is safe with the usual runtimes."},
    {"jobset/pod-count", Stage::JobSet, Error, "A replicatedJob would run too many pods",
     "The pods of a replicatedJob, its replicas times its parallelism, are counted in 32 bits, and the "
     "webhook refuses more. The cause is nearly always a number with digits too many; the number of nodes "
     "is mlPolicy.numNodes or trainer.numNodes."},
    {"jobset/restart-limit", Stage::JobSet, Error, "Too many replicas to restart Jobs one by one",
     "For the actions that restart a single Job, JobSet keeps a count for each Job in its status, so a "
     "replicatedJob may have at most 1024 replicas. Use fewer replicas with more pods each, or restart "
     "the whole JobSet."},
    {"jobset/subdomain", Stage::JobSet, Error, "The subdomain is not a DNS label",
     "spec.network.subdomain names the headless Service through which the pods find each other, and "
     "Services are named by DNS labels: at most 63 lower-case letters, digits and dashes, a letter first. "
     "Rename it, or leave it out for the JobSet's own name."},
    {"jobset/success-policy", Stage::JobSet, Error,
     "The success policy waits for a replicatedJob that is not there",
     "targetReplicatedJobs lists those that must succeed. A name which the JobSet does not have would never "
     "succeed, so the webhook refuses it. Correct the name, often \"node\" or \"launcher\", or leave the "
     "list out to wait for all."},
});

}  // namespace

std::span<const Rule> job_set() {
  return kRules;
}

}  // namespace trainjobc::compile::rules
