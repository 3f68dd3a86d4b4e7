#include "cli/known_runtimes.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/load.h"
#include "compile/catalogue.h"
#include "compile/input.h"
#include "yaml/writer.h"

namespace trainjobc::cli {
namespace {

constexpr std::string_view kFrameworkLabel = "trainer.kubeflow.org/framework";

KnownRuntime describe(const compile::InputObject& object) {
  KnownRuntime runtime;
  runtime.name = object.id.name;
  runtime.ns = object.id.ns;
  runtime.kind =
      object.kind == compile::InputKind::TrainingRuntime ? "TrainingRuntime" : "ClusterTrainingRuntime";
  if (const yaml::Node* label = object.root->at({"metadata", "labels", kFrameworkLabel})) {
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
      if (!same_as(runtime)) found.push_back(std::move(runtime));
    });
  }

  void add_catalogue(const compile::CatalogueFile& file) {
    for_each({{"", std::string(file.text)}}, [&](const compile::InputObject& object) {
      KnownRuntime runtime = describe(object);
      KnownRuntime* known = same_as(runtime);
      if (known && known->versions.empty()) return;  // in a file, which counts
      if (!known) known = &found.emplace_back(runtime);
      known->versions.emplace_back(file.version);
      known->text = file.text;  // with its comments
    });
  }

 private:
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

base::IoResult<std::vector<KnownRuntime>> known_runtimes(Console& console, const Config& config,
                                                         const RuntimeSearch& search) {
  std::vector<std::string> later = search.runtimes;
  later.insert(later.end(), config.runtimes.begin(), config.runtimes.end());
  Finder finder;
  for (const auto& paths : {search.paths, later}) {
    auto sources = load_sources(console, paths, search.recurse);
    if (const auto* error = std::get_if<base::IoError>(&sources)) return *error;
    finder.add_files(std::move(std::get<std::vector<Source>>(sources)));
  }
  for (const compile::CatalogueFile& file : compile::catalogue_files()) {
    if (!config.catalogue.value_or(true)) break;
    if (search.trainer_version.empty() || search.trainer_version == file.version) finder.add_catalogue(file);
  }
  std::ranges::stable_sort(finder.found, {},
                           [](const KnownRuntime& runtime) { return std::pair(runtime.name, runtime.ns); });
  return std::move(finder.found);
}

}  // namespace trainjobc::cli
