// SPDX-License-Identifier: Apache-2.0

// Kustomizations as they are written: which files each one reads, and what it does to their objects. Building
// them is left to kustomize (kustomize/build.h). Source of the rules: sigs.k8s.io/kustomize/api,
// types.Kustomization, and its transformers.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/files/file_system.h"
#include "base/source.h"
#include "secret/secret.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"

namespace trainjobc::kustomize {

inline constexpr std::array<std::string_view, 3> kKustomizationFiles{"kustomization.yaml",
                                                                     "kustomization.yml", "Kustomization"};

// That file of a folder; "" if it has none.
std::string find_kustomization(const base::FileSystem& files, const std::string& folder);
bool is_kustomization(std::string_view path);
// Whether kustomize takes the path for a repository, even if there is a folder of that name.
bool is_remote(std::string_view path);

// A document of patches, or a list of JSON patch operations.
struct Patch {
  const yaml::Node* body = nullptr;
  const yaml::Node* target = nullptr;  // nullptr for the document's own kind and name
  bool may_rename = false;             // options.allowNameChange

  bool is_operations() const { return body->is_list(); }
};

// Why kustomize is not run: something that it would fetch, or a file that it may read in another way.
struct Obstacle {
  base::Location location;
  std::string message;
  bool is_fetched = false;
};

struct Kustomization {
  std::string folder;  // as the user spelled the root: "overlays/prod"
  std::string path;    // the path of its file
  const yaml::Node* root = nullptr;
  bool is_component = false;
  std::vector<const Kustomization*> bases;  // folders in resources and bases
  std::vector<const Kustomization*> components;
  std::vector<const yaml::Node*> resources;  // the documents of its files
  std::vector<Patch> patches;
  std::vector<const yaml::Node*> transformers;  // their documents
};

// An object that a root builds, and what happens to it on the way.
struct Resource {
  const yaml::Node* root = nullptr;  // as its file has it
  std::string kind;
  std::vector<std::string> names;            // all names that it had; the last one is its current name
  std::vector<std::string> aliases;          // its names instead, if patches for it change its name
  std::vector<Patch> patches;                // in the order of application
  std::vector<const Kustomization*> layers;  // the kustomizations around it, the innermost first
};

// A kustomization that takes the place of a folder's own, or that a folder without one gets.
struct Replacement {
  const yaml::Node* root = nullptr;
  std::shared_ptr<const void> memory;  // of `root`, and of the files that it refers to
};

// A root with everything below it. Owns the files.
class Tree {
 public:
  const Kustomization* root() const { return root_; }
  const std::vector<Resource>& resources() const { return resources_; }
  // The kustomizations, resources and patches that were read, as absolute paths.
  const std::set<std::string>& files() const { return files_; }
  // The files among them that are patches.
  const std::set<std::string>& patch_files() const { return patch_files_; }
  // The files that were read, with their texts.
  std::vector<const base::SourceFile*> sources() const;
  // The documents of one of the files.
  std::span<const yaml::Node* const> documents(const std::string& file) const;
  // The absolute folders of the kustomizations below the root.
  const std::set<std::string>& folders() const { return folders_; }
  // The secrets in the files and patches.
  secret::SecretTexts secrets() const;
  const std::vector<Obstacle>& obstacles() const { return obstacles_; }
  // The items of helmCharts in all of its kustomizations.
  std::vector<const yaml::Node*> helm_charts() const;

 private:
  friend class TreeReader;

  base::Arena arena_;
  std::deque<base::SourceFile> sources_;
  std::deque<base::SourceFile> inline_;  // patches that are strings in a kustomization
  std::deque<Kustomization> kustomizations_;
  const Kustomization* root_ = nullptr;
  std::vector<Resource> resources_;
  std::set<std::string> files_;
  std::set<std::string> patch_files_;
  std::map<std::string, std::vector<const yaml::Node*>> documents_;  // by absolute path
  std::set<std::string> folders_;
  std::vector<Obstacle> obstacles_;
  std::shared_ptr<const Replacement> replacement_;
};

// Reads the tree below a folder. Resources and patches that can't be read are left out: kustomize says why.
std::shared_ptr<const Tree> read_tree(const base::FileSystem& files, const std::string& folder,
                                      std::shared_ptr<const Replacement> replacement = {});

// Traces values to their origins (inputs/kustomize/origins.cpp).

// Finds out where the values of a built kustomization come from: the base or patch that has the value, the
// field of the kustomization that set it, or else the nearest field that a file has.
std::shared_ptr<const yaml::Relocator> make_relocator(std::shared_ptr<const Tree> tree);

// `built` with the origins of `written`, the object that it was made of.
const yaml::Node* with_origins_of(const yaml::Node& built, const yaml::Node& written,
                                  const yaml::Maker& make);

// The repository of an image, without tag and digest.
std::string_view repository_of(std::string_view image);

}  // namespace trainjobc::kustomize
