// SPDX-License-Identifier: Apache-2.0

#include "cli/roots.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/files/paths.h"
#include "features/kustomize/build.h"
#include "model/trainer_names.h"

namespace trainjobc::cli {
namespace {

using kustomize::Built;
using kustomize::BuildFailure;
using lint::Building;

lint::InputGroup group_of(Built built, lint::Configurations& configurations) {
  lint::InputGroup group;
  group.config = configurations.of_file(built.source.name);
  group.scope = built.folder;
  group.inputs.push_back(std::move(built.source));
  return group;
}

}  // namespace

std::optional<std::vector<lint::InputGroup>> build_named(Console& console, const RootFlags& flags,
                                                         lint::Configurations& configurations) {
  std::vector<lint::InputGroup> groups;
  std::set<std::string> places;
  for (const std::string& named : flags.kustomize) {
    const std::string folder = base::normal_path(named);
    if (!places.insert(base::absolute_path(folder)).second) continue;
    auto built = kustomize::build(console.files(), console.processes(), folder, {flags.allow_remote});
    if (const auto* failure = std::get_if<BuildFailure>(&built)) {
      fail(console, failure->has_no_program ? fmt::format("-k {}: {}", folder, failure->message)
                                            : failure->message);
      return std::nullopt;
    }
    groups.push_back(group_of(std::move(std::get<Built>(built)), configurations));
  }
  return groups;
}

namespace {

// A kustomization among the files of a directory.
struct FoundRoot {
  std::string folder;
  std::shared_ptr<const kustomize::Tree> tree;
  std::shared_ptr<const lint::Config> config;
  bool is_wanted = false;  // by the settings
};

bool has_our_kinds(const kustomize::Tree& tree) {
  return std::ranges::any_of(tree.resources(), [](const kustomize::Resource& resource) {
    return resource.kind == model::kTrainJob || resource.kind == model::kTrainingRuntime ||
           resource.kind == model::kClusterTrainingRuntime;
  });
}

class Roots {
 public:
  Roots(Console& console, Loaded& loaded, lint::Configurations& configurations)
      : console_(console), loaded_(loaded), configurations_(configurations) {}

  std::optional<std::vector<lint::InputGroup>> take(bool builds) {
    find();
    std::vector<lint::InputGroup> groups;
    for (FoundRoot& root : found_) {
      if (builds && is_built(root) && !build(root, groups)) return std::nullopt;
    }
    leave_out_patches();
    const auto is_left_out = [&](const Source& source) { return left_out_.contains(source.name); };
    std::erase_if(loaded_.sources, is_left_out);
    for (const auto& [name, why] : left_out_) loaded_.passed_over.push_back({name, 0, why});
    return groups;
  }

 private:
  void find() {
    for (const Source& source : loaded_.sources) {
      if (source.named || !kustomize::is_kustomization(source.name)) continue;
      const std::string place = base::absolute_path(source.name);
      const std::string folder = base::shortest_path(base::parent_of(place));
      FoundRoot root{folder, kustomize::read_tree(console_.files(), folder), configurations_.of_file(source.name)};
      if (!root.tree->root()) continue;
      root.is_wanted = root.config->kustomize.names(root.config->folder, folder);
      found_.push_back(std::move(root));
    }
  }

  // What another one includes is built with it, and a component only there.
  bool is_built(const FoundRoot& root) const {
    const lint::KustomizeSettings& settings = root.config->kustomize;
    if (settings.build == Building::Never || !has_our_kinds(*root.tree)) return false;
    if (!settings.roots.empty()) return root.is_wanted;
    if (root.tree->root()->is_component) return false;
    const std::string place = base::absolute_path(root.folder);
    return std::ranges::none_of(found_, [&](const FoundRoot& other) {
      return &other != &root && other.tree->folders().contains(place);
    });
  }

  // False, after an error, if the settings require what can't be built.
  bool build(const FoundRoot& root, std::vector<lint::InputGroup>& groups) {
    auto result = kustomize::build(console_.files(), console_.processes(), root.folder, {});
    if (const auto* failure = std::get_if<BuildFailure>(&result)) {
      if (root.config->kustomize.build == Building::Required) {
        fail(console_, failure->message);
        return false;
      }
      explain(root, *failure);
      return true;
    }
    for (const std::string& file : root.tree->files()) {
      const std::string name = base::shortest_path(file);
      left_out_.try_emplace(name, fmt::format("is part of {}, which was built", root.folder));
    }
    groups.push_back(group_of(std::move(std::get<Built>(result)), configurations_));
    return true;
  }

  void explain(const FoundRoot& root, const BuildFailure& failure) {
    if (!failure.has_no_program) {
      note(console_, fmt::format("{}\n    its files are checked one by one", failure.message));
    } else if (!std::exchange(has_said_so_, true)) {
      note(console_, fmt::format("{} and other kustomizations are read as files: {}", root.folder,
                                 failure.message));
    }
  }

  void leave_out_patches() {
    for (const FoundRoot& root : found_) {
      for (const std::string& file : root.tree->patch_files()) {
        left_out_.try_emplace(base::shortest_path(file),
                              fmt::format("is a patch of {}", root.tree->root()->path));
      }
    }
  }

  Console& console_;
  Loaded& loaded_;
  lint::Configurations& configurations_;
  std::vector<FoundRoot> found_;
  std::map<std::string, std::string> left_out_;  // files, with the reason
  bool has_said_so_ = false;
};

}  // namespace

std::optional<std::vector<lint::InputGroup>> take_roots(Console& console, Loaded& loaded,
                                                        lint::Configurations& configurations, bool builds) {
  return Roots(console, loaded, configurations).take(builds);
}

}  // namespace trainjobc::cli
