// SPDX-License-Identifier: Apache-2.0

// Groups of what the roots of Flux and Argo CD were read as.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "inputs/gitops/roots.h"
#include "inputs/gitops_builds.h"
#include "inputs/roots.h"

namespace trainjobc::inputs {

// The result for a root.
struct RootResult {
  std::vector<InputGroup> groups;
  std::vector<std::string> notes;  // about it, without its name
  std::vector<std::string> files;  // the files that it is made of, as absolute paths
};

class GitopsGroups {
 public:
  // `memory` keeps the objects of the roots.
  GitopsGroups(RootLoader& loader, std::shared_ptr<const void> memory)
      : loader_(loader), memory_(std::move(memory)) {}

  RootResult of(const gitops::Root& root, RootRead read) const;
  // Returns a finding where the failure can be fixed.
  RootResult of(const gitops::Root& root, const RootFailure& failure) const;

 private:
  void add(const gitops::Root& root, InputGroup group, RootResult& result) const;
  void add_read(const gitops::Root& root, RootRead read, RootResult& result) const;
  void add_rendered(const gitops::Root& root, RootRead read, RootResult& result) const;
  void add_refused(const gitops::Root& root, const RootRead& read, RootResult& result) const;
  void note_values(const gitops::Root& root, InputGroup& group) const;

  RootLoader& loader_;
  std::shared_ptr<const void> memory_;
};

}  // namespace trainjobc::inputs
