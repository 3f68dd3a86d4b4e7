// SPDX-License-Identifier: Apache-2.0

// Passes 2 and 3 of runtimes: the built-in catalogue, the runtimes of a run, and which one a TrainJob means.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/text/suggest.h"
#include "compile/compile.h"
#include "compile/input.h"
#include "compile/mended.h"
#include "compile/surroundings.h"
#include "compile/versions.h"
#include "model/behaviours.h"
#include "model/runtime.h"
#include "schema/schema.h"
#include "secret/secret.h"

namespace trainjobc::platform {
class Platform;
}

namespace trainjobc::compile {

// The built-in runtime catalogue: templates/v*/*.yaml when the binary was built.

struct CatalogueFile {
  std::string_view version;  // the Trainer version: "2.3"
  std::string_view name;     // "torch_distributed.yaml"
  std::string_view text;
};

// Oldest version first; sorted by name within a version.
std::span<const CatalogueFile> catalogue_files();

// The catalogue's file for a runtime of a Trainer version; nullptr if there is none of that name.
const CatalogueFile* find_catalogue_runtime(std::string_view version, std::string_view name);

struct StoredRuntime {
  InputObject object;
  model::Runtime runtime;               // decoded, if accepted
  const yaml::Node* encoded = nullptr;  // as Go would encode it, if accepted
  secret::DocumentSecrets secrets;      // of the object as written, once admitted
  bool admitted = false;                // all rules were checked
  bool accepted = false;                // no rule is violated
  bool is_input = false;
  bool has_jobs = false;  // a TrainJob was resolved to it
  // Of a refused one: the runtime without what is refused, and as it was meant; nullptr if that is refused,
  // too (see compile/mended.h).
  std::array<std::shared_ptr<const StoredRuntime>, kMends.size()> mended = {};
  bool is_known = true;  // a name was meant for everything that is refused
};

// A runtime to check with a trial job.
struct Trial {
  Target target;
  const StoredRuntime* runtime = nullptr;
  base::Diagnostics findings;  // on the runtime
};

// The result of a lookup.
struct Resolution {
  const StoredRuntime* found = nullptr;
  std::optional<std::string_view> meant;  // if nothing was found: a runtime of that kind with a similar name
  const StoredRuntime* meant_runtime = nullptr;  // that one
  std::vector<std::string> elsewhere;  // runtimes of that name with another kind or namespace, in words
  bool other_kind = false;             // whether one of them is of the other kind and usable
  std::string hint;                    // see Options::hint_for_runtime
};

// The runtimes of a run: those of the inputs, then of --runtimes, then of the catalogue. Each is admitted
// once; runtimes that are not inputs only when a job needs them, so that runtimes without jobs cause no
// errors.
class RuntimeStore {
 public:
  RuntimeStore(const schema::VersionSchemas& schemas, const model::Behaviours& behaviours,
               const platform::Platform& platform, base::Diagnostics& diagnostics)
      : schemas_(schemas), behaviours_(behaviours), platform_(platform), diagnostics_(diagnostics) {}

  void surround(Surroundings around) { around_ = std::move(around); }

  // Adds an object; the first with its name counts. Another one in the inputs (`is_input`) is an error,
  // elsewhere it is skipped.
  void add(const InputObject& object, bool is_input);

  // Adds a snapshot ConfigMap: the runtime in it replaces the one that its job refers to.
  void add_snapshot(const InputObject& object);

  // Adds the documents of the runtimes that TrainJobs use.
  void collect_used(std::set<const yaml::Node*>& documents) const;

  // Gives advice on the accepted runtimes of the inputs, once all jobs are resolved. `used` are the documents
  // of those with jobs, under any Trainer version.
  void advise(const std::set<const yaml::Node*>& used);

  // The accepted runtimes of the inputs whose document is not in `used`.
  std::vector<const StoredRuntime*> without_jobs(const std::set<const yaml::Node*>& used) const;

  // Finds the runtime of a job: its snapshot, if there is one. A TrainingRuntime must be in the job's
  // namespace. The catalogue has only ClusterTrainingRuntimes. Threads may call this concurrently; the
  // runtime that it finds no longer changes.
  Resolution resolve(const model::TrainJob& job, bool use_catalogue);

 private:
  using Key = std::tuple<std::string_view, std::string, std::string_view>;  // kind, namespace, name

  Resolution look_up(const model::TrainJob& job, bool use_catalogue);
  void admit(StoredRuntime& stored);
  bool accept(StoredRuntime& stored, base::Diagnostics& found);
  void mend(StoredRuntime& stored, const base::Diagnostics& refusals);
  base::Diagnostics advice_on(const StoredRuntime& stored, bool has_jobs) const;
  StoredRuntime& store(const InputObject& object);
  const StoredRuntime* find_meant(const Key& key);
  const StoredRuntime* from_snapshot(const model::TrainJob& job);
  const StoredRuntime* from_catalogue(std::string_view name);
  const base::SuggestionList& names_of(std::string_view kind, const std::string& ns, bool use_catalogue);
  void look_elsewhere(const model::TrainJob& job, bool use_catalogue, Resolution& nothing);

  const schema::VersionSchemas& schemas_;
  const model::Behaviours& behaviours_;
  const platform::Platform& platform_;  // whose rules those of the inputs follow
  Surroundings around_;                 // of the inputs
  base::Diagnostics& diagnostics_;
  base::Arena arena_;                                // of admitted runtimes
  std::mutex mutex_;                                 // held while a job looks for its runtime
  std::vector<std::unique_ptr<InputSet>> embedded_;  // from the catalogue and snapshots
  std::map<std::pair<std::string, std::string_view>, const yaml::Node*> snapshots_;  // by namespace and name
  std::vector<std::unique_ptr<StoredRuntime>> of_snapshots_;
  std::map<Key, std::unique_ptr<StoredRuntime>> runtimes_;
  std::map<std::pair<std::string, std::string>, base::SuggestionList> names_;  // by kind and namespace
  std::multimap<std::string_view, Key> by_name_;                               // without the catalogue's
};

// Pass 2 of the runtimes: admits those of the inputs, for each Trainer version in use.

// The runtimes as one Trainer version sees them.
struct Library {
  Target target;
  base::Diagnostics diagnostics;
  std::unique_ptr<RuntimeStore> store;
};

struct AdmittedRuntimes {
  std::deque<Library> libraries;  // one per Trainer version in use

  RuntimeStore& store_for(const Target& target) const;
};

std::unique_ptr<AdmittedRuntimes> admit_runtimes(const InputSet& inputs, const InputSet& runtimes,
                                                 const VersionChoice& versions,
                                                 const platform::Platform& platform, const Options& options);

// Findings on the runtimes, once each TrainJob has found its own.
struct RuntimeFindings {
  std::deque<Trial> trials;  // for the inputs' runtimes without a TrainJob, if nothing is rendered
  base::Diagnostics diagnostics;
  std::set<const InputObject*> refused;
};

RuntimeFindings find_in_runtimes(const AdmittedRuntimes& admitted, const InputSet& inputs,
                                 const InputSet& runtimes, const VersionChoice& versions,
                                 const Options& options);

}  // namespace trainjobc::compile
