// SPDX-License-Identifier: Apache-2.0

// Kustomizations of v1 jobs: rewrites their patches, replacements, images and names so that they apply to the
// TrainJobs; also patches of TrainJobs and runtimes for another Trainer version. The new patch turns the new
// job into the new form of the patched job, so that it is exact; if there is none, there is a finding.
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

// What users configure for v1 kinds, in the files under `configurations`.
// (features/migrate/configurations.cpp)

// Files by absolute path.
using FilesByPath = std::map<std::string, const base::SourceFile*>;

// A field of jobs that the kustomization's `replicas` sets.
struct ReplicasField {
  std::string kind;
  std::string path;  // spec.pytorchReplicaSpecs.Worker.replicas
};

struct Configuration {
  bool names_jobs = false;
  std::vector<ReplicasField> replicas;
  // Findings on what the kustomize configuration can't express.
  base::Diagnostics lost;
};

// Reads the kustomization's configurations; files that are not in `files` are left out.
Configuration read_configurations(const kustomize::Kustomization& kustomization, const FilesByPath& files);

class Kustomizations {
 public:
  using Trees = std::span<const std::shared_ptr<const kustomize::Tree>>;

  // The trees must outlive the object.
  explicit Kustomizations(Trees trees);

  // The places of jobs that kustomizations use.
  const std::set<JobPlace>& jobs() const { return jobs_; }

  // Whether it is a kustomization.
  bool knows(const base::SourceFile& file) const;

  // Finds what becomes of the patches, after the jobs have been converted. `files` are the inputs.
  // `to_version` converts a TrainJob or runtime; it returns nullptr and the reason if that stays unchanged.
  using ToVersion = std::function<const yaml::Node*(const yaml::Node& object, const yaml::Maker& make,
                                                    base::Diagnostics& problems)>;
  void translate(V1Jobs& jobs, std::span<const base::SourceFile* const> files, const ToVersion& to_version);

  // Converts a patch or kustomization; nullopt if the document is neither, or is not about v1 jobs.
  std::optional<Changed> convert(const yaml::Node& document, const yaml::Maker& make,
                                 base::Diagnostics& problems);

  // New files with a kustomize configuration for TrainJobs, next to the kustomizations that convert() has
  // changed.
  const std::vector<Source>& new_files() const { return new_files_; }

 private:
  friend class KustomizationRewriter;

  // The place of a document of patches, or of a text in a kustomization: {absolute path, line, column}.
  using Place = std::tuple<std::string, uint32_t, uint32_t>;

  // A job of a kustomization after some of its patches.
  struct State {
    const kustomize::Resource* resource = nullptr;
    const yaml::Node* job = nullptr;
    V1Preview preview;
    std::string runtime;  // the name of its new runtime
  };

  // A patch, translated.
  struct Translation {
    const yaml::Node* body = nullptr;
    std::string problem;  // "" if the translation is exact
    std::string hint;
    const yaml::Node* merged = nullptr;         // the change to the TrainJob, as a document
    std::vector<const yaml::Node*> operations;  // the same, as JSON patch operations
    std::vector<const yaml::Node*> of_runtime;  // operations on the runtime
    std::string runtime;                        // the runtime's name
    const yaml::Node* added = nullptr;          // a runtime that only the patched job needs
    std::vector<base::Diagnostic> findings;     // findings that only the patched job has
  };

  static Place place_of(const yaml::Node& node);
  void follow(const kustomize::Resource& resource, V1Jobs& jobs);
  void follow_trainer(const kustomize::Resource& resource, const ToVersion& to_version, bool is_input);
  void add(const kustomize::Patch& patch, const State& before, const State& after);
  void fail(const kustomize::Patch& patch, std::string problem, std::string hint);
  // Records the kustomize configuration that the TrainJob's image and runtime name need.
  void collect_needed(const State& state);
  // The translations of the patches in a file.
  std::vector<const Translation*> patches_in(const std::string& file) const;
  Changed convert_patch(const yaml::Node& document, const Translation& translation, const yaml::Maker& make,
                        base::Diagnostics& problems) const;

  Trees trees_;
  std::set<JobPlace> jobs_;
  std::set<std::string> files_;  // of kustomizations, by absolute path
  V1Jobs* converter_ = nullptr;
  // Valid for one round.
  std::unique_ptr<base::Arena> arena_;
  std::map<Place, Translation> patches_;
  std::map<std::string, std::vector<State>> states_;     // by absolute path of the kustomization's file
  std::map<std::string, size_t> users_;                  // number of jobs, by new runtime
  std::set<std::string> needed_;                         // kustomizations that need a configuration
  std::map<std::string, Configuration> configurations_;  // by absolute path of the kustomization's file
  std::vector<Source> new_files_;
};

}  // namespace trainjobc::migrate
