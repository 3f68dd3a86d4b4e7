// SPDX-License-Identifier: Apache-2.0

// Converts jobs of Training Operator v1 and of the MPI Operator into TrainJobs and the runtimes that they
// need.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "compile/versions.h"
#include "features/migrate/migrate.h"
#include "features/migrate/v1/shared_runtime.h"
#include "model/v1_kinds.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

struct Converted {
  // The new documents: a runtime, if no known one fits, and the TrainJob. Empty if the job can't be
  // converted.
  std::vector<const yaml::Node*> documents;
  std::vector<PodRange> pods;              // which pods become which
  std::vector<base::Diagnostic> findings;  // without their objects
};

// The finding that says why the job can't be converted; nullptr if there is none.
const base::Diagnostic* refusal_in(const std::vector<base::Diagnostic>& findings);

// Converts the jobs of one run, in order: a job shares runtimes that earlier jobs needed.
class Converter {
 public:
  // The options must outlive the converter.
  Converter(const MigrateOptions& options, const compile::Target& target)
      : options_(options), target_(target) {}

  // Adds an existing runtime; earlier ones are preferred. Anything else in the text is ignored.
  void add_known(const std::string& name, const std::string& text);

  // Makes nodes in `make`'s arena. `base` is the folder of the kustomization that contains the job, or "":
  // its runtime is then a TrainingRuntime in that folder, which gets the job's namespace, prefix and images.
  Converted convert(const yaml::Node& root, const model::V1Kind& kind, const yaml::Maker& make,
                    const std::string& base = "");

  // Like convert, but uses no runtimes of other jobs, and leaves none for later jobs.
  Converted preview(const yaml::Node& root, const model::V1Kind& kind, const yaml::Maker& make,
                    const std::string& base);

  // For forgetting new runtimes that are not written, so that no other job uses them.
  size_t known_runtimes() const { return known_.size(); }
  void forget_runtimes(size_t known) {
    known_.erase(known_.begin() + static_cast<ptrdiff_t>(known), known_.end());
  }

 private:
  struct Known {
    std::string_view kind;
    std::string ns;
    std::string name;
    SplitRuntime runtime;
    bool is_new = false;
    std::string base = {};
  };

  const Known* find(const SplitRuntime& wanted, std::string_view ns, const yaml::Maker& make,
                    std::vector<RoleSettings>& needed) const;
  std::vector<const yaml::Node*> documents_of(const Conversion& conversion);
  std::string name_for(const Draft& draft, const yaml::Node& spec, const Job& job);
  // A copy of the tree that lives as long as the converter.
  const yaml::Node* keep(const yaml::Node& node);

  const MigrateOptions& options_;
  compile::Target target_;
  base::Arena arena_;
  std::vector<std::unique_ptr<base::SourceFile>> files_;
  std::vector<Known> known_;
  std::set<std::string> names_;  // of new runtimes
  std::string base_;             // folder of the kustomization that contains the current job
  bool is_preview_ = false;
};

}  // namespace trainjobc::migrate::v1
