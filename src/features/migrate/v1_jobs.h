// SPDX-License-Identifier: Apache-2.0

// The v1 jobs of a migration, and the objects that select their pods.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "compile/compile.h"
#include "features/migrate/migrate.h"
#include "features/migrate/rewrite_file.h"
#include "features/migrate/v1/convert.h"
#include "features/migrate/v1/enclosing.h"
#include "features/migrate/v1/old_names.h"
#include "features/migrate/v1/workflow.h"
#include "model/v1_kinds.h"
#include "yaml/node.h"

namespace trainjobc::migrate {

// {absolute path of a job's file, its line}
using JobPlace = std::pair<std::string, uint32_t>;

// What a job would become.
struct V1Preview {
  const yaml::Node* train_job = nullptr;  // nullptr if it can't be converted: see `findings`
  const yaml::Node* runtime = nullptr;    // nullptr if an existing one fits
  std::vector<base::Diagnostic> findings;
};

// Converts v1 jobs, and keeps track of those that Trainer would refuse afterwards.
class V1Jobs {
 public:
  // The arguments must outlive this object.
  V1Jobs(const MigrateOptions& options, const std::vector<Source>& inputs,
         const std::vector<Source>& runtimes)
      : options_(options), inputs_(inputs), runtimes_(runtimes) {}

  // Forgets the conversions before another round, but not the refusals.
  void start();

  // Sets the places of jobs that kustomizations use, whose runtimes follow them. `jobs` must outlive this
  // object.
  void set_kustomized(const std::set<JobPlace>& jobs) { kustomized_ = &jobs; }

  // Converts the object; nullopt if it is not a job of a v1 API, and contains none.
  std::optional<Changed> convert(const yaml::Node& object, const yaml::Maker& make,
                                 base::Diagnostics& problems);

  // Converts a Service or another object that selects pods to the labels that the pods of the last round's
  // jobs have now; nullopt if nothing in it changes.
  std::optional<Changed> select_again(const yaml::Node& object, const yaml::Maker& make,
                                      base::Diagnostics& problems);

  // The name of the runtime of the job at that place, in this round; nullopt if no job there was converted.
  std::optional<std::string> runtime_at(const JobPlace& place) const;
  // Converts `job` as if it were the job at `place`; makes nodes in `make`'s arena.
  V1Preview preview(const yaml::Node& job, const JobPlace& place, const yaml::Maker& make);

  // Finds new runtimes that jobs of several files share: from the next round on, each has a file of its own,
  // in the folder that contains all these files. Returns whether there are more than before.
  bool find_shared();
  // The folder of such a runtime's file; "" for other runtimes.
  std::string folder_of(const std::string& runtime) const;

  // Whether --job selects the TrainJob.
  bool is_wanted(const std::string& job) const;
  size_t count() const { return jobs_.size(); }
  // The number of this round's jobs that stay as they are.
  size_t staying() const { return staying_; }
  // This round's TrainJobs inside other objects.
  const std::vector<Source>& trials() const { return trials_; }

  // Whether objects of this round select pods of v1 jobs, so that another round is needed.
  bool has_selectors() const { return selectors_ > 0; }

  // Remembers the jobs whose new objects have errors. Returns whether there are any: they have to stay as
  // they are in another round.
  bool refuse(const base::Diagnostics& after);

  // Whether the object is one of the jobs: "PyTorchJob/default/mnist".
  bool knows(const std::string& object) const;
  // Adds the jobs of the last round, as the TrainJobs that they are or would be.
  void collect(std::vector<LintedObject>& objects) const;

 private:
  using Place = JobPlace;  // with the file's name as in the inputs

  struct V1Name {
    std::string v1;         // PyTorchJob/default/mnist
    std::string train_job;  // TrainJob/default/mnist
  };

  struct FirstJob {
    std::string v1;
    Place place;
    base::Location name;
  };

  // A TrainJob inside another object, to be checked like others.
  struct Trial {
    std::string object;
    Source source;
  };

  v1::Converter& converter();
  // The folder of the kustomization that uses the job; "" if none does.
  std::string base_of(const JobPlace& place) const;
  bool is_apart(const yaml::Node& runtime) const;
  v1::Converted convert_trial(const yaml::Node& experiment, const model::V1Kind& kind,
                              const yaml::Maker& make, const Place& place);
  v1::Converted convert_workflow(const yaml::Node& workflow, const std::vector<v1::JobTemplate>& jobs,
                                 const yaml::Maker& make, const Place& place);
  v1::Converted convert_template(const yaml::Node& workflow, const v1::JobTemplate& job,
                                 const yaml::Maker& make, const Place& place, std::vector<Trial>& trials);
  // The placeholder that Argo would have to replace in the runtime, but doesn't; "" if there is none.
  std::string placeholder_of_argo(const yaml::Node& runtime) const;
  static Trial trial_of(const yaml::Node& train_job, const Place& place);
  void add_trial(Trial trial, const Place& place);
  // Adds the other components of an AppWrapper.
  void unwrap(const yaml::Node& wrapper, const v1::Wrapped& wrapped, const yaml::Maker& make,
              v1::Converted& converted);
  // A finding if an earlier job becomes a TrainJob with the same name.
  std::optional<base::Diagnostic> check_name(const yaml::Node& object, const V1Name& name,
                                             const Place& place);

  const MigrateOptions& options_;
  const std::vector<Source>& inputs_;
  const std::vector<Source>& runtimes_;
  std::unique_ptr<v1::Converter> converter_;
  std::map<Place, V1Name> jobs_;
  std::set<std::string> names_;                      // names of the v1 jobs
  std::map<std::string, FirstJob> first_;            // by TrainJob
  std::map<std::string, v1::NewNames> new_names_;    // of this round's jobs, by namespace/name
  std::map<std::string, v1::NewNames> known_names_;  // of the last round's jobs
  std::vector<Source> trials_;
  size_t selectors_ = 0;
  size_t staying_ = 0;
  std::map<std::string, std::vector<Place>> made_;  // the jobs from which each new object was made
  std::map<Place, std::vector<base::Diagnostic>> refused_;
  const std::set<JobPlace>* kustomized_ = nullptr;
  std::map<std::string, std::string> apart_;       // folders, by runtime that files share
  std::map<JobPlace, std::string> runtime_names_;  // of this round's jobs
};

}  // namespace trainjobc::migrate
