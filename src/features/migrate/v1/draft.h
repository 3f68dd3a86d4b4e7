// SPDX-License-Identifier: Apache-2.0

// The draft of a v1 job: a complete runtime, before it is decided which part of it the TrainJob sets and
// which part a runtime. Each kind of job has a function that fills one in.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/migrate/migrate.h"
#include "features/migrate/v1/job.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

using NodeList = std::vector<const yaml::Node*>;
using Entries = std::vector<yaml::Entry>;

// The entry of the key; nullptr if there is none.
const yaml::Entry* entry_of(const Entries& entries, std::string_view key);

// A pod template without what the job or Trainer determines, and the index of its training container, which
// is called "node".
struct PodTemplate {
  const yaml::Node* node = nullptr;
  size_t main = 0;
};

struct DraftRole {
  std::string name;     // of the replicatedJob
  bool trains = false;  // spec.trainer configures its container "node"
  PodTemplate pods;
  Entries job_spec;  // backoffLimit and other fields of the Job template's spec
  const yaml::Node* depends_on = nullptr;
  int64_t replicas = 1;     // number of Jobs
  int64_t completions = 0;  // pods per Job; 0: as Trainer decides
};

// Consecutive pods of v1, and what becomes of them.
struct PodRange {
  std::string role;   // as in the pods' names: "worker"
  int64_t first = 0;  // index of the first pod
  int64_t count = 1;
  std::string job;        // their replicatedJob
  int64_t begin = 0;      // index of the first pod among its pods, or its Jobs
  bool one_each = false;  // whether each pod is a Job of its own
};

struct Draft {
  std::string_view framework;  // for the runtime's label
  std::string variant;         // a further part of the runtime's name: "openmpi"; "" for none
  Entries policy;              // fields of mlPolicy, besides numNodes
  const yaml::Node* gang = nullptr;
  Entries job_set;  // fields of the JobSet's spec, besides replicatedJobs
  std::vector<DraftRole> roles;
  std::vector<PodRange> pods;
  bool is_own = false;  // the runtime contains the job's name, so only this job can use it
  // Settings of the TrainJob.
  const yaml::Node* num_nodes = nullptr;
  const yaml::Node* processes = nullptr;  // per node
  const yaml::Node* queue = nullptr;      // Volcano's
};

// The volume with the copy of an MPI job's key, which root's ssh accepts.
inline constexpr std::string_view kRootKeyVolume = "root-ssh-key";
// The volume with Trainer's hostfile in the form for MPICH and Intel MPI.
inline constexpr std::string_view kHydraVolume = "hydra-hostfile";
// Open MPI's variable that names the program to reach the nodes.
inline constexpr std::string_view kOpenMpiAgent = "OMPI_MCA_plm_rsh_agent";

// A job that is being converted.
struct Conversion {
  const Job& job;
  const yaml::Maker& make;
  V1Findings& findings;
  const MigrateOptions& options;
  std::string_view trainer;  // the Trainer version: "2.3"
  Draft draft = {};
};

// One function for each kind, in the file of its name: fills in the draft, or reports why it can't.
void draft_torch(Conversion& conversion);
void draft_xgboost(Conversion& conversion);
void draft_jax(Conversion& conversion);
void draft_mpi(Conversion& conversion);
void draft_tensorflow(Conversion& conversion);
void draft_paddle(Conversion& conversion);

// The pods of all replicas, in their order, as those of one replicatedJob.
std::vector<PodRange> ranked_pods(const Job& job, std::string_view replicated_job);
// The replica's pods, in a replicatedJob with the replica's name.
PodRange own_pods(const Replica& replica, bool one_each);

// Applies what spec.runPolicy says about the whole job: time to live, deadline, gang. To be called after the
// roles are added.
void apply_run_policy(Conversion& conversion);

// The replica's pod template as Trainer accepts it: the main container is called "node" (with `renamed`), the
// operator's port is removed, other ports have names, and the restart policy is the Job's.
PodTemplate pods_of(const Conversion& conversion, const Replica& replica, bool renamed = true);

// An environment variable with a value, or with a field of the pod.
const yaml::Node* variable(const yaml::Maker& make, std::string_view name, std::string_view value);
const yaml::Node* variable_of_field(const yaml::Maker& make, std::string_view name, std::string_view path);

// The template with the variables added to the main container, after its own. Its own ones with the same
// names, and those in `without`, are removed: the operator's replace the user's.
PodTemplate with_env(const yaml::Maker& make, PodTemplate pods, const NodeList& env,
                     std::span<const std::string_view> without = {});

// The main container.
const yaml::Node& main_container(const PodTemplate& pods);
PodTemplate with_main(const yaml::Maker& make, PodTemplate pods, const yaml::Node* container);

// Like with_env, for the other containers and the init containers: each gets only those that it mentions.
PodTemplate with_env_of_others(const yaml::Maker& make, PodTemplate pods, const NodeList& env);

// Stands for the job's name in a variable's value, so that a copy of the job under another name has its own
// addresses. with_env and with_env_of_others add the variable to which it refers.
inline constexpr std::string_view kJobSetName = "$(JOBSET_NAME)";

// The address <job>-<replicatedJob>-<index>-<pod>.<job>, for a variable's value.
std::string address_of(std::string_view replicated_job, int64_t index, int64_t pod);

// Applies a replica's restart policy to the Job template's spec and the pod template.
void apply_restart_policy(Conversion& conversion, const Replica& replica, DraftRole& role);

// The replica that all nodes follow: the first one if all replicas are alike except for their number. If they
// differ only in labels, annotations or the restart policy, one of them, with a warning. nullptr if each has
// to be written out: with --plain, or, with a warning, if they differ in anything else.
const Replica* only_template(Conversion& conversion);

// Adds the replicatedJob of a job whose pods are all nodes of Trainer, with this pod template; with
// `has_policy`, also an empty policy with the framework's name.
void add_nodes(Conversion& conversion, const Replica& replica, const PodTemplate& pods,
               std::string_view framework, bool has_policy = true);

// The hint for changing the number of pods of a job whose addresses are written out.
inline constexpr std::string_view kOtherNumberHint = "for another number of pods, migrate the v1 job again";

// Whether the container has GPUs in one of these lists, "limits" or "requests".
bool has_gpus(const yaml::Node& container, std::initializer_list<std::string_view> lists);

// Whether a command, an argument or a variable's value of the container contains the text.
bool mentions(const yaml::Node& container, std::string_view text);

// Jobs that no policy of Trainer sets up: their variables are written out.

// The replica as a replicatedJob of its own, with the replica's name. Its container keeps its name.
DraftRole plain_role(Conversion& conversion, const Replica& replica);
// Turns the draft into a runtime for this job only.
void finish_plain(Conversion& conversion, std::string_view framework);

// Adds a Job for each pod of the replica, so that ranks go on from replica to replica: see kRankField.
void add_ranked(Conversion& conversion, const Replica& replica, const NodeList& env);
// The index of the pod's Job among all Jobs of the JobSet.
inline constexpr std::string_view kRankField = "metadata.annotations['jobset.sigs.k8s.io/job-global-index']";

// Makes the job succeed when this replicatedJob does.
void succeed_with(Conversion& conversion, std::string_view replicated_job);

}  // namespace trainjobc::migrate::v1
