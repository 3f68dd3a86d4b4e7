// SPDX-License-Identifier: Apache-2.0

#include "cli/input/known_runtimes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files/paths.h"
#include "cli/input/load.h"
#include "compile/input.h"
#include "compile/runtimes.h"
#include "lint/groups.h"
#include "model/trainer_names.h"
#include "yaml/write/writer.h"

namespace trainjobc::cli {
namespace {

KnownRuntime describe(const compile::InputObject& object) {
  KnownRuntime runtime;
  runtime.name = object.id.name;
  runtime.ns = object.id.ns;
  runtime.kind =
      object.kind == compile::InputKind::TrainingRuntime ? "TrainingRuntime" : "ClusterTrainingRuntime";
  if (const yaml::Node* label = object.root->at({"metadata", "labels", model::kFrameworkLabel})) {
    runtime.framework = label->text();
  }
  yaml::write_yaml(*object.root, yaml::KeyOrder::AsIs, runtime.text);
  return runtime;
}

class Finder {
 public:
  std::vector<KnownRuntime> found;

  void add_files(std::vector<Source> sources) {
    for_each(std::move(sources), [&](const compile::InputObject& object) {
      KnownRuntime runtime = describe(object);
      const base::Location at = yaml::locate(*object.root);
      runtime.place = fmt::format("{}:{}", at.file ? at.file->name() : "", at.line);
      if (at.file) files_.push_back(base::absolute_path(at.file->name()));
      if (!same_as(runtime)) found.push_back(std::move(runtime));
    });
  }

  // Those of the directories that added no runtime.
  std::vector<std::string> without_runtimes(std::vector<std::string> directories) const {
    std::erase_if(directories, [&](const std::string& directory) {
      return std::ranges::any_of(files_, [&](const std::string& file) {
        return !base::path_below(file, base::absolute_path(directory)).empty();
      });
    });
    return directories;
  }

  void add_catalogue(const compile::CatalogueFile& file) {
    for_each({{"", std::string(file.text)}}, [&](const compile::InputObject& object) {
      KnownRuntime runtime = describe(object);
      KnownRuntime* known = same_as(runtime);
      if (known && known->versions.empty()) return;  // defined in a file, which takes precedence
      if (!known) known = &found.emplace_back(runtime);
      known->versions.emplace_back(file.version);
      known->text = file.text;  // with its comments
    });
  }

 private:
  std::vector<std::string> files_;  // absolute, with runtimes

  template <class F>
  static void for_each(std::vector<Source> sources, F use) {
    compile::InputSet set;
    base::Diagnostics ignored;
    compile::read_inputs(std::move(sources), set, ignored);
    for (const compile::InputObject& object : set.objects) {
      const bool is_runtime = object.kind == compile::InputKind::TrainingRuntime ||
                              object.kind == compile::InputKind::ClusterTrainingRuntime;
      if (is_runtime) use(object);
    }
  }

  KnownRuntime* same_as(const KnownRuntime& runtime) {
    const auto at = std::ranges::find_if(found, [&](const KnownRuntime& other) {
      return other.kind == runtime.kind && other.ns == runtime.ns && other.name == runtime.name;
    });
    return at != found.end() ? &*at : nullptr;
  }
};

}  // namespace

base::IoResult<KnownRuntimes> known_runtimes(Console& console, lint::Configurations& configurations,
                                             const RuntimeSearch& search) {
  DiscoverOptions how = search.how;
  how.configurations = &configurations;
  auto inputs = load_sources(console, search.paths, how);
  if (const auto* error = std::get_if<base::IoError>(&inputs)) return *error;
  auto& loaded = std::get<Loaded>(inputs);
  std::vector<std::string> later = search.runtimes;
  bool use_catalogue = true;
  for (const lint::InputGroup& group : lint::group_by_configuration(loaded.sources, configurations)) {
    later.insert(later.end(), group.config->runtimes.begin(), group.config->runtimes.end());
    use_catalogue = use_catalogue && group.config->catalogue.value_or(true);
  }
  auto others = load_sources(console, later, how);
  if (const auto* error = std::get_if<base::IoError>(&others)) return *error;
  KnownRuntimes known;
  Finder finder;
  finder.add_files(std::move(loaded.sources));
  known.empty_directories = finder.without_runtimes(std::move(loaded.directories));
  finder.add_files(std::move(std::get<Loaded>(others).sources));
  for (const compile::CatalogueFile& file : compile::catalogue_files()) {
    if (!use_catalogue) break;
    if (search.trainer_version.empty() || search.trainer_version == file.version) finder.add_catalogue(file);
  }
  std::ranges::stable_sort(finder.found, {},
                           [](const KnownRuntime& runtime) { return std::pair(runtime.name, runtime.ns); });
  known.runtimes = std::move(finder.found);
  return known;
}

}  // namespace trainjobc::cli
