// SPDX-License-Identifier: Apache-2.0

#include "inputs/known_runtimes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/files/paths.h"
#include "compile/input.h"
#include "compile/runtimes.h"
#include "model/behaviours.h"
#include "model/trainer_names.h"
#include "secret/secret.h"
#include "yaml/write/writer.h"

namespace trainjobc::inputs {

namespace {

KnownRuntime describe(const compile::InputObject& object) {
  KnownRuntime runtime;
  runtime.name = object.id.name;
  runtime.ns = object.id.ns;
  runtime.kind = object.id.kind;
  if (const yaml::Node* label = object.root->at({"metadata", "labels", model::kFrameworkLabel})) {
    runtime.framework = secret::without_keys(label->text());
  }
  yaml::write_yaml(*object.root, yaml::KeyOrder::AsIs, runtime.text);
  return runtime;
}

class Finder {
 public:
  std::vector<KnownRuntime> found;

  void add_files(std::vector<Source> sources, const std::string& scope) {
    for_each(std::move(sources), [&](const compile::InputObject& object) {
      KnownRuntime runtime = describe(object);
      runtime.scope = scope;
      const base::Location at = yaml::locate(*object.root);
      runtime.place = base::place_of(at);
      if (at.file) files_.push_back(base::absolute_path(at.file->name()));
      if (!same_as(runtime, scope)) found.push_back(std::move(runtime));
    });
  }

  // The directories that contributed no runtime.
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
      if (known && known->versions.empty()) return;  // a file defines it, which takes precedence
      if (!known) known = &found.emplace_back(runtime);
      known->versions.emplace_back(file.version);
      known->text = file.text;  // the file's text, which has comments
    });
  }

 private:
  std::vector<std::string> files_;  // absolute paths of files with runtimes

  template <class F>
  static void for_each(std::vector<Source> sources, F use) {
    compile::InputSet set;
    base::Diagnostics ignored;
    compile::read_inputs(std::move(sources), set, ignored);
    for (const compile::InputObject& object : set.objects) {
      if (object.is_runtime()) use(object);
    }
  }

  // Looks in all scopes if none is given.
  KnownRuntime* same_as(const KnownRuntime& runtime, const std::optional<std::string>& scope = {}) {
    const auto at = std::ranges::find_if(found, [&](const KnownRuntime& other) {
      return other.kind == runtime.kind && other.ns == runtime.ns && other.name == runtime.name &&
             (!scope || other.scope == *scope);
    });
    return at != found.end() ? &*at : nullptr;
  }
};

}  // namespace

base::IoResult<KnownRuntimes> known_runtimes(const base::FileSystem& files, Configurations& configurations,
                                             const RuntimeSearch& search) {
  DiscoverOptions how = search.how;
  how.configurations = &configurations;
  FoundSources loaded;
  if (auto error = base::take(read_sources(files, search.paths, how), loaded)) return *error;
  const auto groups = group_by_configuration(std::move(loaded.sources), configurations);
  KnownRuntimes known;
  Finder finder;
  for (const InputGroup& group : groups) finder.add_files(group.inputs, group.scope);
  if (search.built) {
    for (const InputGroup& group : *search.built) finder.add_files(group.inputs, group.scope);
  }
  known.empty_directories = finder.without_runtimes(std::move(loaded.directories));
  bool use_catalogue = true;
  for (const InputGroup& group : groups) {
    std::vector<std::string> later = search.runtimes;
    later.insert(later.end(), group.config->runtimes.begin(), group.config->runtimes.end());
    FoundSources others;
    if (auto error = base::take(read_sources(files, later, how), others)) return *error;
    finder.add_files(std::move(others.sources), group.scope);
    use_catalogue = use_catalogue && group.config->catalogue.value_or(true);
  }
  for (const compile::CatalogueFile& file : compile::catalogue_files()) {
    if (!use_catalogue) break;
    const bool is_meant = search.trainer_version.empty() ? model::find_behaviours(file.version)->preview.empty()
                                                         : search.trainer_version == file.version;
    if (is_meant) finder.add_catalogue(file);
  }
  std::ranges::stable_sort(finder.found, {},
                           [](const KnownRuntime& runtime) { return std::pair(runtime.name, runtime.ns); });
  known.runtimes = std::move(finder.found);
  return known;
}

}  // namespace trainjobc::inputs
