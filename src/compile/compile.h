// SPDX-License-Identifier: Apache-2.0

// All passes: TrainJobs and runtimes in, the objects that Kubeflow Trainer would create out. `features` and
// `cli` compile with it; other programs use trainjobc/trainjobc.h, whose results own what they hold.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/progress.h"
#include "base/text/digest.h"
#include "platform/pod_security.h"
#include "policy/plugin.h"
#include "yaml/node.h"

namespace trainjobc::schema {
struct VersionSchemas;
}
namespace trainjobc::platform {
class Platform;
class TeamRules;
}  // namespace trainjobc::platform
namespace trainjobc::yaml {
class Relocator;
}

namespace trainjobc {

// One input file. `name` is its name in diagnostics.
struct Source {
  std::string name;
  std::string text;
  bool named = true;  // false: it was found in a directory
  // For text that another program made of files, where it comes from; nullptr for a file.
  std::shared_ptr<const yaml::Relocator> relocator = {};
};

// What a caller sets in the spec.trainer of every TrainJob before it is compiled: the same job, but of
// another size.
struct JobScale {
  int64_t nodes = 0;      // 0: as the job says
  int64_t processes = 0;  // per node, each with one GPU if the job requests GPUs; 0: as the job says

  bool is_set() const { return nodes > 0 || processes > 0; }
};

// What is emitted for an OptimizationJob: nothing, the job with its defaults, or what its trials create.
enum class TrialOutput : uint8_t { None, OptimizationJob, Objects, TrainJobsAndObjects };

struct Options {
  std::string trainer_version = "auto";  // "2.3", or "auto"
  bool use_catalogue = true;             // also resolve runtimes from the built-in catalogue, last
  bool with_defaults = false;            // emit the JobSet as its admission stores it
  bool render = true;                    // false: only produce diagnostics
  bool owner_references = false;         // the objects refer to their TrainJob, if it has a uid
  TrialOutput trials = TrialOutput::Objects;
  bool snapshot = false;          // emit the runtime-snapshot ConfigMap too (Trainer 2.3)
  bool passthrough = false;       // return foreign objects too, unchanged
  std::vector<std::string> jobs;  // TrainJobs to compile, as NAME or NAMESPACE/NAME; empty: all
  std::string ns;                 // namespace of TrainJobs that name none
  std::string name_suffix;        // for metadata.generateName; "": the content's hash
  std::string scope;              // of the objects; "", unless there are several
  JobScale scale;
  policy::PolicyOptions policy;
  // Returns a hint for a missing runtime of this kind and name: that another scope has it, or that kustomize
  // has renamed it; "" if there is none. Several threads call it. May be empty.
  std::function<std::string(std::string_view kind, std::string_view name)> hint_for_runtime;
  std::vector<std::shared_ptr<const platform::TeamRules>> team_rules;  // that jobs and runtimes must follow
  platform::SecurityExemptions security_exemptions;                    // of the cluster
  std::vector<Source> policies;      // files of what a cluster has beside the inputs: policies, Namespaces…
  unsigned threads = 0;              // 0: one per processor
  std::string kubernetes_version;    // "1.36"; "": the newest that the Trainer version was tested with
  std::optional<bool> is_openshift;  // not set: as the inputs' objects show
  std::optional<bool> allows_privileged;  // likewise
  bool is_rendered = false;          // a template was rendered: ${NAME} in its files is not a placeholder
  bool translate_pinned = false;     // read the older dialects even if trainer_version is not "auto"
  const base::Work* work = nullptr;  // whose steps are TrainJobs, as long as they are compiled
};

struct Object {
  std::string_view api_version;
  std::string_view kind;
  std::string_view ns;
  std::string_view name;
  const yaml::Node* root = nullptr;
  const yaml::Node* train_job = nullptr;  // the job that it was made from; nullptr if passed through
  std::string_view scope;                 // "", unless the inputs were compiled in several scopes
  bool passthrough = false;               // an input of another kind, passed through as it was read
  // The schemas of its Trainer version; nullptr for a passed-through object.
  const schema::VersionSchemas* schemas = nullptr;
  // The TrainJob as its file has it; nullptr if it was translated, or is one of a List.
  const yaml::Node* written = nullptr;
  // What is in the way of the job in the cluster; nullptr if passed through.
  const platform::Platform* platform = nullptr;
};

// Fills in an object's fields from its root, which must outlive it.
Object described(const yaml::Node& root);

// Receives the objects of each TrainJob as soon as they are made, so that they need not all be held at a
// time.
class ObjectSink {
 public:
  ObjectSink() = default;
  ObjectSink(const ObjectSink&) = delete;
  ObjectSink& operator=(const ObjectSink&) = delete;
  virtual ~ObjectSink() = default;

  // Called before the first job, with their number. A second call makes void what was taken before.
  virtual void begin(size_t jobs) = 0;
  // Called by several threads, each for another job. The objects' nodes are freed when it returns.
  virtual void take(size_t job, std::span<const Object> objects) = 0;
};

// A TrainJob or runtime of the inputs for which all rules were checked.
struct LintedObject {
  std::string file;
  std::string object;                // "Kind/namespace/name", as diagnostics name it
  uint32_t line = 0;                 // where it begins, from 1
  base::Location name;               // of a TrainJob's metadata.name; without a file if it has none
  const yaml::Node* root = nullptr;  // as it was read; nullptr for a TrainJob that is not kept
  std::string runtime;     // of a TrainJob: "ClusterTrainingRuntime torch"; "" if nothing is rendered
  bool is_checked = true;  // false: its runtime is refused, so most rules could not be checked
};

// The objects of a TrainJob that were made again. Their nodes live as long as `memory`.
struct RemadeJob {
  std::vector<Object> objects;
  std::shared_ptr<const void> memory;
};

// Compiles single TrainJobs of a compilation again, for callers that don't keep what the sink took. Several
// threads may call it.
class JobMaker {
 public:
  JobMaker() = default;
  JobMaker(const JobMaker&) = delete;
  JobMaker& operator=(const JobMaker&) = delete;
  virtual ~JobMaker() = default;

  virtual RemadeJob make(size_t job) const = 0;
};

// A job whose objects the sink took, and its index there.
struct CollectedJob {
  size_t group = 0;  // set by callers that compile the inputs in groups
  size_t job = 0;
  std::string scope;  // "" if there is only one
  std::string ns;
  std::string name;
  const base::SourceFile* file = nullptr;  // of the TrainJob
  // Lives as long as the compilation's memory; nullptr if there was no sink.
  const JobMaker* maker = nullptr;
  base::Digest content = {};  // of the job with its objects; set by JobContents

  RemadeJob make_again() const { return maker->make(job); }
};

// A document that is not for Trainer and gets no findings.
struct PassedOver {
  std::string file;
  uint32_t line = 0;
  std::string what;  // "has no apiVersion and kind", "is a Deployment of apps/v1"
};

// A document of the inputs, and whether all rules that may have findings in it were checked: not if an error
// ended the passes early, or if Options::jobs left out a job that may concern it.
struct CheckedDocument {
  const base::SourceFile* file = nullptr;
  uint32_t line = 0;  // the line on which it begins
  bool complete = false;
};

// The result of a compilation. Nodes live as long as `memory`.
struct Compilation {
  Compilation();
  Compilation(const Compilation&);
  Compilation(Compilation&&) noexcept;
  Compilation& operator=(const Compilation&);
  Compilation& operator=(Compilation&&) noexcept;
  ~Compilation();

  // Passed-through objects and OptimizationJobs first, then the objects of the TrainJobs without errors, by
  // namespace and name of the TrainJob: ConfigMaps, Secrets, PodGroup, JobSet.
  std::vector<Object> objects;
  base::Diagnostics diagnostics;               // sorted
  std::vector<LintedObject> linted;            // in the order of the inputs
  std::vector<PassedOver> passed_over;         // sorted by file and line
  std::vector<CheckedDocument> checked;        // in no particular order
  std::vector<CollectedJob> collected;         // jobs whose objects are valid, by namespace and name
  std::vector<const base::SourceFile*> files;  // the inputs, in their order
  std::set<std::string> with_findings;         // the files that diagnostics are about
  std::string trainer_version;          // "2.3"; several are joined by ", " if no version fits all files
  std::string trainer_version_reason;   // why not the newest: "torch.yaml:11:7 torch.numProcPerNode exists
                                        // only until 2.1"
  std::vector<std::string> other_jobs;  // TrainJobs that Options::jobs left out, as namespace/name
  size_t train_jobs = 0;                // the number of TrainJobs in the inputs
  size_t documents = 0;
  std::shared_ptr<const void> memory;
};

// Runs all passes. `runtimes` are searched for runtimes after `inputs`; their other objects are ignored.
Compilation compile_sources(std::vector<Source> inputs, std::vector<Source> runtimes, const Options& options);

// Like compile_sources, in little memory: only the findings and what the sink keeps are left of the
// TrainJobs. `sink` is nullptr if nothing is rendered.
Compilation compile_into_sink(std::vector<Source> inputs, std::vector<Source> runtimes,
                              const Options& options, ObjectSink* sink);

}  // namespace trainjobc
