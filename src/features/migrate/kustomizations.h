// SPDX-License-Identifier: Apache-2.0

// Kustomizations of v1 jobs: their patches, replacements, images and names, said of the TrainJobs; and
// patches of TrainJobs and runtimes of another Trainer version. A patch becomes what turns the new job into
// the new form of the patched job, so that it is exact, or a finding.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "compile/compile.h"
#include "features/migrate/rewrite_file.h"
#include "features/migrate/v1_jobs.h"
#include "inputs/kustomize/kustomization.h"
#include "yaml/node.h"

namespace trainjobc::migrate {

// What users tell kustomize of v1 kinds, in the files under `configurations`.
// (features/migrate/configurations.cpp)

// By absolute path.
using FilesByPath = std::map<std::string, const base::SourceFile*>;

// A field of jobs that `replicas` of the kustomization sets.
struct ReplicasField {
  std::string kind;
  std::string path;  // spec.pytorchReplicaSpecs.Worker.replicas
};

struct Configuration {
  bool names_jobs = false;
  std::vector<ReplicasField> replicas;
  // What the file that tells kustomize of TrainJobs does not say of them.
  base::Diagnostics lost;
};

// Those of the kustomization; files that are not among `files` are left out.
Configuration read_configurations(const kustomize::Kustomization& kustomization, const FilesByPath& files);

class Kustomizations {
 public:
  using Trees = std::span<const std::shared_ptr<const kustomize::Tree>>;

  // The trees must outlive the object.
  explicit Kustomizations(Trees trees);

  // Where jobs are that kustomizations use.
  const std::set<JobPlace>& jobs() const { return jobs_; }

  // Whether it is a kustomization.
  bool knows(const base::SourceFile& file) const;

  // Finds what becomes of the patches, after the jobs have been converted. `files` are the inputs.
  // `to_version` is what becomes of a TrainJob or runtime; nullptr, with the reason, if it stays as it is.
  using ToVersion = std::function<const yaml::Node*(const yaml::Node& object, const yaml::Maker& make,
                                                    base::Diagnostics& problems)>;
  void translate(V1Jobs& jobs, std::span<const base::SourceFile* const> files, const ToVersion& to_version);

  // What becomes of a patch or kustomization; nullopt if the document is neither, or is not about v1 jobs.
  std::optional<Changed> convert(const yaml::Node& document, const yaml::Maker& make,
                                 base::Diagnostics& problems);

  // What kustomize has to know of TrainJobs: files beside the kustomizations that convert() has changed.
  const std::vector<Source>& new_files() const { return new_files_; }

 private:
  friend class KustomizationRewriter;

  // Of a document of patches, or of a text in a kustomization: absolute path, line and column.
  using Place = std::tuple<std::string, uint32_t, uint32_t>;

  // A job of a kustomization as its patches have left it.
  struct State {
    const kustomize::Resource* resource = nullptr;
    const yaml::Node* job = nullptr;
    V1Preview preview;
    std::string runtime;  // the name of its new one
  };

  // What a patch becomes.
  struct Translation {
    const yaml::Node* body = nullptr;
    std::string problem;  // "" if it is exact
    std::string hint;
    const yaml::Node* merged = nullptr;         // of the TrainJob, as a document says it
    std::vector<const yaml::Node*> operations;  // of the TrainJob
    std::vector<const yaml::Node*> of_runtime;  // operations
    std::string runtime;                        // its name
    const yaml::Node* added = nullptr;          // a runtime that the patched job needs, and the job does not
    std::vector<base::Diagnostic> findings;     // what the patched job has, and the job has not
  };

  static Place place_of(const yaml::Node& node);
  void follow(const kustomize::Resource& resource, V1Jobs& jobs);
  void follow_trainer(const kustomize::Resource& resource, const ToVersion& to_version, bool is_input);
  void add(const kustomize::Patch& patch, const State& before, const State& after);
  void fail(const kustomize::Patch& patch, std::string problem, std::string hint);
  // What kustomize has to know of the TrainJob to change its image and the name of its runtime.
  void collect_needed(const State& state);
  // Those of the patches that a file has.
  std::vector<const Translation*> patches_in(const std::string& file) const;
  Changed convert_patch(const yaml::Node& document, const Translation& translation, const yaml::Maker& make,
                        base::Diagnostics& problems) const;

  Trees trees_;
  std::set<JobPlace> jobs_;
  std::set<std::string> files_;  // of kustomizations, absolute
  V1Jobs* converter_ = nullptr;
  // Of one round.
  std::unique_ptr<base::Arena> arena_;
  std::map<Place, Translation> patches_;
  std::map<std::string, std::vector<State>> states_;     // by the file of a kustomization, absolute
  std::map<std::string, size_t> users_;                  // jobs, by new runtime
  std::set<std::string> needed_;                         // files of kustomizations
  std::map<std::string, Configuration> configurations_;  // by the file of a kustomization, absolute
  std::vector<Source> new_files_;
};

}  // namespace trainjobc::migrate
