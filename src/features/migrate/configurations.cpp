// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "features/migrate/kustomizations.h"
#include "features/migrate/left_jobs.h"
#include "features/migrate/v1/job.h"
#include "yaml/read/reader.h"

namespace trainjobc::migrate {
namespace {

using yaml::Node;

// Settings of a configuration that kustomize::configuration() also has for TrainJobs.
constexpr std::array<std::string_view, 3> kKnown{"images", "nameReference", "replicas"};

class ConfigurationReader {
 public:
  explicit ConfigurationReader(Configuration& configuration) : configuration_(configuration) {}

  void read(const Node& root) {
    for (const yaml::Entry& section : root.entries()) {
      const bool is_known = base::contains(kKnown, section.key);
      for (const Node* field : section.value->items()) {
        read_field(*field, section.key, is_known);
        for (const Node* inner : yaml::items_at(*field, "fieldSpecs")) read_field(*inner, "", is_known);
      }
    }
  }

 private:
  void read_field(const Node& field, std::string_view section, bool is_known) {
    if (!v1::names_v1(field)) return;
    const Node* kind = field.get("kind");
    configuration_.names_jobs = true;
    if (section == "replicas") {
      std::string path(yaml::string_at(field, "path"));
      std::ranges::replace(path, '/', '.');
      configuration_.replicas.push_back({std::string(kind->text()), std::move(path)});
    }
    if (!is_known) configuration_.lost.add(left_in_kustomization(*kind));
  }

  Configuration& configuration_;
};

}  // namespace

Configuration read_configurations(const kustomize::Kustomization& kustomization, const FilesByPath& files) {
  Configuration configuration;
  for (const Node* name : yaml::items_at(*kustomization.root, "configurations")) {
    const std::string folder = base::parent_of(base::absolute_path(kustomization.path));
    const auto file = files.find(base::absolute_path(folder + "/" + std::string(name->text())));
    if (file == files.end()) continue;
    base::Arena arena;
    base::Diagnostics ignored;
    for (const yaml::Document& document : yaml::read(*file->second, arena, ignored))
      ConfigurationReader(configuration).read(*document.root);
  }
  return configuration;
}

}  // namespace trainjobc::migrate
