// SPDX-License-Identifier: Apache-2.0

// Kustomizations as roots.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/kustomize/build.h"
#include "inputs/kustomize/kustomization.h"
#include "inputs/roots.h"

namespace trainjobc::kustomize {

class Kustomizations final : public inputs::RootKind {
 public:
  explicit Kustomizations(const inputs::RootLoader& loader) : loader_(loader) {}

  std::string_view flag() const override { return "-k"; }
  std::string_view plural() const override { return "kustomizations"; }
  std::string scope_of(const inputs::Root& root) const override { return root.folder; }
  std::vector<inputs::Root> find(const std::vector<Source>& sources) override;
  std::vector<std::string> files_of(const inputs::Root& root,
                                    const std::vector<Source>& sources) const override;
  std::vector<inputs::BuiltGroup> build(std::span<const inputs::Root> roots) override;
  inputs::InputGroup failed(const inputs::Root& root, const BuildFailure& failure) override;
  // Takes patches. Those of roots that were not built are checked for the fields that they have.
  void take_fragments(inputs::LeftOut& left_out, std::vector<std::string>& kept,
                      std::vector<inputs::InputGroup>& groups) override;

 private:
  // A kustomization among the files of a directory, or one of the repository of a file that a path names.
  struct Found {
    std::string folder;
    std::shared_ptr<const Tree> tree;
    std::shared_ptr<const inputs::Config> config;
    bool is_whole = true;         // a directory has it: all that is found in it is wanted
    std::set<std::string> named;  // otherwise, its files that paths name, absolute; none: it is not wanted

    bool is_wanted() const { return is_whole || !named.empty(); }
  };

  void add(const std::string& file, const std::set<std::string>* named);
  std::set<std::string> placed_files() const;
  void find_including(const std::vector<Source>& sources);
  bool is_root(const Found& found) const;

  const inputs::RootLoader& loader_;
  std::vector<Found> found_;
};

// The group of a kustomization that was built.
inputs::InputGroup group_of(Built built, inputs::Configurations& configurations);

// Moves a finding about a kustomization that can't be built to the place where it can be fixed, or to the
// beginning of its file.
void point_into(const Tree& tree, bool allow_remote, base::Diagnostic& found);

// Finds the parts that other kustomizations of the repository use too.
void find_shared_parts(const base::FileSystem& files, std::vector<inputs::InputGroup>& groups);

}  // namespace trainjobc::kustomize
