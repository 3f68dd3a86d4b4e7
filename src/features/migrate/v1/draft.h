// SPDX-License-Identifier: Apache-2.0

// What a v1 job becomes, before it is known which part its TrainJob sets and which part a runtime: a complete
// runtime. Each kind of job fills one in.
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

// A pod template without what the job or Trainer decides, and its container that trains, called "node".
struct PodTemplate {
  const yaml::Node* node = nullptr;
  size_t main = 0;
};

struct DraftRole {
  std::string name;     // of the replicatedJob
  bool trains = false;  // spec.trainer is about its container "node"
  PodTemplate pods;
  Entries job_spec;  // backoffLimit and what else the Job template's spec says
  const yaml::Node* depends_on = nullptr;
  int64_t replicas = 1;     // Jobs
  int64_t completions = 0;  // pods of a Job; 0: Trainer decides
};

// Pods of v1 in the order of their indexes, and what becomes of them.
struct PodRange {
  std::string role;   // as in their names: "worker"
  int64_t first = 0;  // the index of the first of them
  int64_t count = 1;
  std::string job;        // the replicatedJob
  int64_t begin = 0;      // the index of the first one among its pods, or its Jobs
  bool one_each = false;  // each is a Job of its own
};

struct Draft {
  std::string_view framework;  // of the runtime's label
  std::string variant;         // what else its name says: "openmpi"; "" for nothing
  Entries policy;              // of mlPolicy, besides numNodes
  const yaml::Node* gang = nullptr;
  Entries job_set;  // of the JobSet's spec, besides replicatedJobs
  std::vector<DraftRole> roles;
  std::vector<PodRange> pods;
  bool is_own = false;  // the runtime contains the job's name, and is for it alone
  // Of the TrainJob.
  const yaml::Node* num_nodes = nullptr;
  const yaml::Node* processes = nullptr;  // per node
  const yaml::Node* queue = nullptr;      // of Volcano
};

// The volume with the copy of an MPI job's key that root's ssh takes.
inline constexpr std::string_view kRootKeyVolume = "root-ssh-key";
// The volume with the hostfile of Trainer in the form of MPICH and Intel MPI.
inline constexpr std::string_view kHydraVolume = "hydra-hostfile";
// Open MPI's variable with the program that reaches the nodes.
inline constexpr std::string_view kOpenMpiAgent = "OMPI_MCA_plm_rsh_agent";

// A job that is being converted.
struct Conversion {
  const Job& job;
  const yaml::Maker& make;
  V1Findings& findings;
  const MigrateOptions& options;
  std::string_view trainer;  // the version: "2.3"
  Draft draft = {};
};

// One for each kind, in the file of its name: fills in the draft, or reports why it can't.
void draft_torch(Conversion& conversion);
void draft_xgboost(Conversion& conversion);
void draft_jax(Conversion& conversion);
void draft_mpi(Conversion& conversion);
void draft_tensorflow(Conversion& conversion);
void draft_paddle(Conversion& conversion);

// The pods of all replicas, one after the other, in one replicatedJob.
std::vector<PodRange> ranked_pods(const Job& job, std::string_view replicated_job);
// Those of the replica in a replicatedJob called like it.
PodRange own_pods(const Replica& replica, bool one_each);

// What spec.runPolicy says of the job as a whole: time to live, deadline, gang. After the roles.
void apply_run_policy(Conversion& conversion);

// The replica's pod template as Trainer takes it: the main container is called "node" (with `renamed`), the
// operator's port is gone, the others have names, and the restart policy is the Job's.
PodTemplate pods_of(const Conversion& conversion, const Replica& replica, bool renamed = true);

// One environment variable: a value, or a field of the pod.
const yaml::Node* variable(const yaml::Maker& make, std::string_view name, std::string_view value);
const yaml::Node* variable_of_field(const yaml::Maker& make, std::string_view name, std::string_view path);

// The template with the variables added to the main container, after its own. Those of the same names, and
// `without`, are removed: the operator's replace the user's.
PodTemplate with_env(const yaml::Maker& make, PodTemplate pods, const NodeList& env,
                     std::span<const std::string_view> without = {});

// The main container.
const yaml::Node& main_container(const PodTemplate& pods);
PodTemplate with_main(const yaml::Maker& make, PodTemplate pods, const yaml::Node* container);

// The same for the other containers and the init containers: each gets those that its command mentions.
PodTemplate with_env_of_others(const yaml::Maker& make, PodTemplate pods, const NodeList& env);

// The job's name in a variable's value, so that a copy of the job under another name has addresses of its
// own. with_env and with_env_of_others add the variable that it refers to.
inline constexpr std::string_view kJobSetName = "$(JOBSET_NAME)";

// <job>-<replicatedJob>-<index>-<pod>.<job>, for a variable's value.
std::string address_of(std::string_view replicated_job, int64_t index, int64_t pod);

// The restart policy of a replica, as the Job template's spec and its pod template say it.
void apply_restart_policy(Conversion& conversion, const Replica& replica, DraftRole& role);

// The replica that all nodes are like: the first one if all replicas of the job are alike but for their
// number. If they differ in labels, annotations or the restart policy only, one of them, with a warning.
// nullptr if each has to be written out: with --plain, and, with a warning, if they differ in anything else.
const Replica* only_template(Conversion& conversion);

// Adds the replicatedJob of a job whose pods are all nodes of Trainer, with this pod template, and, with
// `has_policy`, an empty policy of the framework's name.
void add_nodes(Conversion& conversion, const Replica& replica, const PodTemplate& pods,
               std::string_view framework, bool has_policy = true);

// What to do if a job whose addresses are written out is to have more or fewer pods.
inline constexpr std::string_view kOtherNumberHint = "for another number of pods, migrate the v1 job again";

// Whether one of these lists, "limits" or "requests", of the container has GPUs.
bool has_gpus(const yaml::Node& container, std::initializer_list<std::string_view> lists);

// Whether the text is in a command, an argument or a variable's value of the container.
bool mentions(const yaml::Node& container, std::string_view text);

// Where no policy of Trainer sets up the job: the variables, written out.

// A replica as a replicatedJob of its own, called like the replica. Its container keeps its name.
DraftRole plain_role(Conversion& conversion, const Replica& replica);
// Makes the draft a runtime of this job only.
void finish_plain(Conversion& conversion, std::string_view framework);

// Adds a Job for each pod of the replica, so that the ranks of all replicas follow each other: kRankField.
void add_ranked(Conversion& conversion, const Replica& replica, const NodeList& env);
// The index of the pod's Job among all Jobs of the JobSet.
inline constexpr std::string_view kRankField = "metadata.annotations['jobset.sigs.k8s.io/job-global-index']";

// The job succeeds when this replicatedJob does.
void succeed_with(Conversion& conversion, std::string_view replicated_job);

}  // namespace trainjobc::migrate::v1
