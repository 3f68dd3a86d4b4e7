// SPDX-License-Identifier: Apache-2.0

// Lists and builds the roots that objects of Flux and Argo CD name.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "inputs/gitops/roots.h"
#include "inputs/helm/build.h"
#include "inputs/kustomize/build.h"
#include "inputs/roots.h"

namespace trainjobc::inputs {

// What was read of a root: its sources, and what was built for it.
struct RootRead {
  std::vector<Source> sources;
  std::vector<kustomize::Built> built;
  std::vector<helm::Built> charts;
  // Components among the folders, which can't be built on their own.
  std::vector<std::shared_ptr<const kustomize::Tree>> components;
};

// Why a root can't be built, and the folder that is at fault.
struct RootFailure {
  builder::BuildFailure why;
  std::string folder;
};

class GitopsBuilds {
 public:
  // `memory` keeps the objects of the roots.
  GitopsBuilds(RootLoader& loader, const gitops::Repository& repository, std::shared_ptr<const void> memory)
      : loader_(loader), repository_(repository), memory_(std::move(memory)) {}

  // Builds all kustomizations at once, then all charts. The roots must not move.
  void build(std::span<const gitops::Root* const> roots);
  // Returns nullopt if everything of the root was built.
  std::optional<RootFailure> failure_of(const gitops::Root& root) const;
  // Returns an error if a file can't be read.
  base::IoResult<RootRead> read(const gitops::Root& root) const;

 private:
  struct Part {
    std::string folder;
    size_t number = 0;  // its index in targets_
  };

  void list(const gitops::Root& root);
  void add_folder(const gitops::Root& root, const std::string& folder);
  void add_target(const gitops::Root& root, const std::string& folder, const gitops::Manifests* replaced);

  RootLoader& loader_;
  const gitops::Repository& repository_;
  std::shared_ptr<const void> memory_;
  std::map<const gitops::Root*, base::IoResult<gitops::Manifests>> listed_;
  std::map<const gitops::Root*, std::vector<Part>> parts_;
  std::map<const gitops::Root*, std::vector<std::shared_ptr<const kustomize::Tree>>> components_;
  std::map<std::string, size_t> numbers_;  // indexes of targets without a replacement
  std::vector<kustomize::Target> targets_;
  std::vector<kustomize::BuildResult> built_;
  std::map<const gitops::Root*, helm::BuildResult> charts_;
};

}  // namespace trainjobc::inputs
