// SPDX-License-Identifier: Apache-2.0

#include "inputs/helm/roots.h"

#include <memory>
#include <utility>

#include "base/files/paths.h"
#include "rules/rules.h"

namespace trainjobc::helm {

using inputs::InputGroup;
using inputs::Root;

namespace {

std::string file_of(const std::string& chart) {
  return chart + "/Chart.yaml";
}

}  // namespace

Release Charts::release_of(const Root& root) const {
  Release release{root.folder, root.values, root.release, root.ns};
  if (!loader_.request.ns.empty() && (!root.config || root.ns.empty())) release.ns = loader_.request.ns;
  if (release.ns.empty()) {
    const auto config = root.config ? root.config : loader_.configurations.of_file(file_of(root.folder));
    release.ns = config->ns.value_or("");
  }
  return release;
}

std::string Charts::scope_of(const Root& root) const {
  return release_of(root).scope();
}

std::vector<Root> Charts::find(const std::vector<Source>& sources) {
  std::vector<Root> roots;
  for (const Source& source : sources) {
    if (source.named || !(source.name == "Chart.yaml" || source.name.ends_with("/Chart.yaml"))) continue;
    const std::string folder = base::shortest_path(base::parent_of(base::absolute_path(source.name)));
    for (auto config = loader_.configurations.of_file(source.name); config; config = config->outer) {
      if (config->helm.build == inputs::Building::Never) continue;
      for (const inputs::HelmChart& chart : config->helm.charts) {
        if (!inputs::names_folder(chart.chart, config->folder, folder)) continue;
        roots.push_back({std::string(flag()), folder, chart.values, chart.release, chart.ns, config,
                         config->helm.build == inputs::Building::Required});
      }
    }
  }
  return roots;
}

std::vector<std::string> Charts::files_of(const Root& root, const std::vector<Source>& sources) const {
  std::vector<std::string> files;
  const std::string place = base::absolute_path(root.folder);
  for (const Source& source : sources) {
    std::string file = base::absolute_path(source.name);
    if (!base::path_below(file, place).empty()) files.push_back(std::move(file));
  }
  for (const std::string& path : root.values) files.push_back(base::absolute_path(path));
  return files;
}

std::vector<inputs::BuiltGroup> Charts::build(std::span<const Root> roots) {
  std::vector<Release> releases;
  for (const Root& root : roots) releases.push_back(release_of(root));
  std::vector<inputs::BuiltGroup> groups;
  for (BuildResult& result :
       helm::build(loader_.files, loader_.programs, releases, {loader_.build_timeout()})) {
    if (auto* built = std::get_if<Built>(&result))
      groups.emplace_back(group_of(std::move(*built), loader_.configurations));
    else
      groups.emplace_back(std::get<BuildFailure>(std::move(result)));
  }
  return groups;
}

InputGroup Charts::failed(const Root& root, const BuildFailure& failure) {
  const std::string name = file_of(root.folder);
  const auto file = std::make_shared<base::SourceFile>(name, loader_.files.text_of(name));
  InputGroup group;
  group.config = loader_.configurations.of_file(name);
  group.scope = scope_of(root);
  group.memory.push_back(file);
  group.found.add(
      rules::finding("yaml/root", inputs::in_one_line(failure.message), "", {file.get(), 1, 1, 1, 1}));
  return group;
}

InputGroup group_of(Built built, inputs::Configurations& configurations) {
  InputGroup group;
  group.config = configurations.of_file(file_of(built.release.chart));
  group.scope = built.release.scope();
  group.ns = built.release.ns;
  group.templates = built.chart->files();
  group.memory.push_back(built.chart);
  group.annotate = [release = built.release, chart = built.chart](base::Diagnostic& found) {
    if (auto note = note_on_value(release, *chart, found.location)) found.notes.push_back(std::move(*note));
  };
  group.inputs.push_back(std::move(built.source));
  return group;
}

}  // namespace trainjobc::helm
