// SPDX-License-Identifier: Apache-2.0

// Passes 1 to 7 of all TrainJobs, in parallel: one thread reads, compiles and forgets a document that looks
// like a TrainJob, so that memory does not grow with the number of jobs.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "compile/input.h"
#include "compile/passes.h"
#include "compile/runtimes.h"
#include "compile/surroundings.h"
#include "compile/versions.h"
#include "model/behaviours.h"
#include "yaml/node.h"

namespace trainjobc::platform {
class Platform;
}

namespace trainjobc::compile {

// What remains of a TrainJob after its passes.
struct JobResult {
  enum class State {
    None,     // the document can't be read or is not for Trainer
    Other,    // not one TrainJob: it must be read like other inputs
    LeftOut,  // because of Options::jobs
    Compiled,
  };
  State state = State::None;
  std::string ns;  // the TrainJob's namespace; "" if it sets none
  std::string name;
  std::string object;                     // its name in diagnostics; "" unless compiled or left out
  base::Location location;                // of its document
  std::optional<base::Location> name_at;  // where its metadata.name is, if it was admitted
  base::Diagnostics reading;              // findings on its text
  base::Diagnostics diagnostics;
  size_t of_admission = 0;  // how many diagnostics are of passes 2 and 3
  std::vector<PassedOver> passed_over;
  const StoredRuntime* runtime = nullptr;
  bool refused = false;
  bool complete = false;  // every rule was looked at
  bool has_refused_runtime = false;
  bool has_objects = false;
  std::string runtime_name;  // "ClusterTrainingRuntime torch"; "" if nothing is rendered
  VersionedJob versioned;
  std::shared_ptr<JobUnit> unit;     // set if units are kept
  const yaml::Node* root = nullptr;  // as it was read; set if units are kept
};

struct JobsContext {
  const Options& options;
  const ReadOptions& reading;
  const VersionChoice& versions;
  const AdmittedRuntimes& runtimes;
  const RuntimeIndex& index;
  const InputSet& inputs;
  const Surroundings& around;
  const platform::Platform& platform;
  ObjectSink* sink = nullptr;  // receives the objects of each job; nullptr: none does
  bool keeps_units = false;
  bool are_accepted = false;  // the jobs are made again
};

// The rendered objects of a job.
std::vector<Object> objects_of(const JobUnit& unit);

// The TrainJobs among the inputs' objects, in order.
std::vector<const InputObject*> jobs_of(const InputSet& inputs);

// Runs the passes of each job. Jobs share no mutable state, so the result does not depend on the number of
// threads.
std::vector<JobResult> run_jobs(const std::vector<const InputObject*>& jobs, const JobsContext& context);

// Runs the passes of one job again, and keeps its objects.
RemadeJob remake_job(const InputObject& job, const JobsContext& context);

// Finds out which Trainer versions accept the fields of each job, and sets its `versioned`.
void survey_jobs(const std::vector<const InputObject*>& jobs, const JobsContext& context,
                 std::vector<JobResult>& results);

// TrainJobs with the same name and namespace would fight for one JobSet. Returns an error for each but the
// first, and drops its objects.
base::Diagnostics find_duplicates(std::vector<JobResult>& results);

// Which documents of the inputs had all rules checked. `jobs` are the results of the inputs' TrainJobs,
// `diagnostics` show which files could not be read to their end.
std::vector<CheckedDocument> checked_documents(const InputSet& inputs, const std::vector<JobResult>& jobs,
                                               const base::Diagnostics& diagnostics);

// Checks runtimes that no TrainJob of the inputs uses for what would make the cluster refuse all their jobs.

// A TrainJob of that runtime whose spec.trainer contains only what a job of the runtime must set: an image if
// the runtime has none, limits that its requests lack, Flux's number of nodes. Findings on the job point at
// the runtime's name.
const yaml::Node* trial_job(const StoredRuntime& runtime, const model::Behaviours& behaviours,
                            std::optional<int64_t> num_nodes, const yaml::Maker& make);

// Runs the passes for each runtime, with such a job. Findings that another number of nodes would fix are left
// to the real jobs. The cluster stores the runtimes anyway, so all findings have stage job.
void run_trials(std::deque<Trial>& trials, const Surroundings& around, const Options& options);

}  // namespace trainjobc::compile
