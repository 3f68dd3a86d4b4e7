// SPDX-License-Identifier: Apache-2.0

#include "cli/roots.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "inputs/kustomize/checks.h"
#include "model/trainer_names.h"
#include "rules/rules.h"

namespace trainjobc::cli {
namespace {

using builder::BuildFailure;
using inputs::Building;
using kustomize::Built;

// Groups of no inputs, which say why there are none.

inputs::InputGroup failed_group(Console& console, const BuildFailure& failure, const std::string& folder,
                                bool allow_remote, inputs::Configurations& configurations) {
  const auto tree = kustomize::read_tree(console.files(), folder);
  const auto file = std::make_shared<base::SourceFile>(base::normal_path(folder + "/kustomization.yaml"), "");
  base::Diagnostic found = rules::finding("yaml/root", in_one_line(failure.message), "", {file.get()});
  point_into(*tree, allow_remote, found);
  inputs::InputGroup group;
  group.config = configurations.of_file(found.location.file->name());
  group.scope = folder;
  group.memory = {tree, file};
  group.found.add(std::move(found));
  return group;
}

inputs::InputGroup failed_group(Console& console, const BuildFailure& failure, const helm::Release& release,
                                inputs::Configurations& configurations) {
  const std::string name = release.chart + "/Chart.yaml";
  const auto file = std::make_shared<base::SourceFile>(name, console.files().text_of(name));
  inputs::InputGroup group;
  group.config = configurations.of_file(name);
  group.scope = release.scope();
  group.memory.push_back(file);
  group.found.add(rules::finding("yaml/root", in_one_line(failure.message), "", {file.get(), 1, 1, 1, 1}));
  return group;
}

}  // namespace

std::string repository_root(Console& console) {
  std::string folder = base::working_directory();
  while (!folder.empty() && !console.files().exists(folder + "/.git")) folder = base::parent_of(folder);
  return folder;
}

std::string repository_or_working_directory(Console& console) {
  std::string root = repository_root(console);
  return root.empty() ? base::working_directory() : root;
}

void find_shared_parts(Console& console, std::vector<inputs::InputGroup>& groups) {
  std::set<std::string> parts;
  for (const inputs::InputGroup& group : groups) {
    for (const Source& part : group.parts) parts.insert(base::absolute_path(part.name));
  }
  if (parts.empty()) return;
  std::set<std::string> files;  // of the other kustomizations
  const std::string root = base::shortest_path(repository_or_working_directory(console));
  const auto found = discover(console.files(), root, {});
  if (const auto* all = std::get_if<Discovery>(&found)) {
    for (const std::string& file : all->files) {
      if (!kustomize::is_kustomization(file) || parts.contains(base::absolute_path(file))) continue;
      const std::string folder = base::shortest_path(base::parent_of(base::absolute_path(file)));
      const auto tree = kustomize::read_tree(console.files(), folder);
      files.insert(tree->files().begin(), tree->files().end());
    }
  }
  for (inputs::InputGroup& group : groups) {
    for (const Source& part : group.parts) {
      if (files.contains(base::absolute_path(part.name))) group.shared_parts.push_back(part.name);
    }
  }
}

std::string in_one_line(std::string_view said) {
  std::string line;
  for (const std::string_view part : base::Lines(said))
    line.append(line.empty() ? "" : line.ends_with(':') ? " " : "; ").append(base::trimmed(part));
  return line;
}

void point_into(const kustomize::Tree& tree, bool allow_remote, base::Diagnostic& found) {
  for (const base::SourceFile* file : tree.sources()) {
    if (tree.root() && file->name() == tree.root()->path) found.location = {file, 1, 1, 1, 1};
  }
  if (allow_remote || tree.obstacles().empty()) return;
  const kustomize::Obstacle& first = tree.obstacles().front();
  found.location = first.location;
  found.message = first.message;
  if (first.is_fetched) found.hint = "--kustomize-remote allows that";
}

inputs::InputGroup group_of(Built built, inputs::Configurations& configurations) {
  inputs::InputGroup group;
  group.config = configurations.of_file(built.source.name);
  group.scope = built.folder;
  group.renamed = kustomize::renamed_runtimes(*built.tree);
  group.found = kustomize::check_images(*built.tree, built.source.text);
  group.memory.push_back(built.tree);
  for (const base::SourceFile* file : built.tree->sources())
    group.parts.push_back(
        {file->name(), (file->had_byte_order_mark() ? "\xEF\xBB\xBF" : "") + std::string(file->text())});
  group.inputs.push_back(std::move(built.source));
  return group;
}

inputs::InputGroup group_of(helm::Built built, inputs::Configurations& configurations) {
  inputs::InputGroup group;
  group.config = configurations.of_file(built.release.chart + "/Chart.yaml");
  group.scope = built.release.scope();
  group.templates = built.chart->files();
  group.memory.push_back(built.chart);
  group.annotate = [release = built.release, chart = built.chart](base::Diagnostic& found) {
    if (auto note = helm::note_on_value(release, *chart, found.location))
      found.notes.push_back(std::move(*note));
  };
  group.inputs.push_back(std::move(built.source));
  return group;
}

void RootFlags::add_to(Command& command) {
  command_ = &command;
  command
      .add("-k,--kustomize", &kustomize,
           "Build this kustomization, with the kustomize or kubectl on the PATH; can be repeated")
      .takes("DIR");
  command.add("--kustomize-remote", &allow_remote, "Let kustomize fetch bases that are not here");
  command.add("--helm", &charts, "Build this chart, with the helm on the PATH; can be repeated").takes("DIR");
  command.add("--values", &values, "Values for the --helm before it; can be repeated")
      .takes("FILE")
      .needs("--helm");
  command.add("--release", &releases, "Name of the release for the --helm before it")
      .takes("NAME")
      .needs("--helm");
}

// nullopt, after an error, if a flag has no --helm before it.
std::optional<std::vector<helm::Release>> releases_of(Console& console, const RootFlags& flags) {
  std::vector<helm::Release> releases;
  size_t values = 0;
  size_t names = 0;
  if (!flags.command_) return releases;
  for (const Flag* flag : flags.command_->given_flags) {
    if (flag->has_name("--helm")) {
      releases.push_back({.chart = base::normal_path(flags.charts[releases.size()])});
    } else if (flag->has_name("--values") || flag->has_name("--release")) {
      if (releases.empty()) {
        fail(console, fmt::format("{} is for the --helm before it", flag->long_name()));
        return std::nullopt;
      }
      if (flag->has_name("--values"))
        releases.back().values.push_back(base::normal_path(flags.values[values++]));
      else
        releases.back().name = flags.releases[names++];
    }
  }
  if (flags.is_missing) {
    std::erase_if(releases, [&](const helm::Release& release) {
      return flags.is_missing(release.chart) || std::ranges::any_of(release.values, flags.is_missing);
    });
  }
  return releases;
}

namespace {

// Adds a group for each --helm.
bool build_charts(Console& console, const RootFlags& flags, const std::string& ns,
                  inputs::Configurations& configurations, std::vector<inputs::InputGroup>& groups) {
  auto releases = releases_of(console, flags);
  if (!releases) return false;
  for (helm::Release& release : *releases) {
    const auto config = configurations.of_file(release.chart + "/Chart.yaml");
    release.ns = ns.empty() ? config->ns.value_or("") : ns;
  }
  auto results = helm::build(console.files(), console.processes(), *releases, base::is_inside, {});
  for (size_t i = 0; i < results.size(); ++i) {
    helm::BuildResult& result = results[i];
    if (auto* built = std::get_if<helm::Built>(&result)) {
      groups.push_back(group_of(std::move(*built), configurations));
      continue;
    }
    const auto& failure = std::get<BuildFailure>(result);
    if (!flags.goes_on || failure.has_no_program) {
      fail(console, failure.has_no_program ? fmt::format("--helm: {}", failure.message) : failure.message);
      return false;
    }
    groups.push_back(failed_group(console, failure, (*releases)[i], configurations));
  }
  return true;
}

}  // namespace

std::optional<std::vector<inputs::InputGroup>> build_named(Console& console, const RootFlags& flags,
                                                           const std::string& ns,
                                                           inputs::Configurations& configurations) {
  std::vector<std::string> folders;
  std::set<std::string> places;
  for (const std::string& named : flags.kustomize) {
    if (places.insert(base::absolute_path(named)).second) folders.push_back(base::normal_path(named));
  }
  std::vector<inputs::InputGroup> groups;
  auto results = kustomize::build(console.files(), console.processes(), folders, {flags.allow_remote});
  for (size_t i = 0; i < results.size(); ++i) {
    if (auto* built = std::get_if<Built>(&results[i])) {
      groups.push_back(group_of(std::move(*built), configurations));
      continue;
    }
    const auto& failure = std::get<BuildFailure>(results[i]);
    if (!flags.goes_on || failure.has_no_program) {
      fail(console, failure.has_no_program ? fmt::format("-k: {}", failure.message) : failure.message);
      return std::nullopt;
    }
    groups.push_back(failed_group(console, failure, folders[i], flags.allow_remote, configurations));
  }
  if (!build_charts(console, flags, ns, configurations, groups)) return std::nullopt;
  return groups;
}

namespace {

// A kustomization among the files of a directory.
struct FoundRoot {
  std::string folder;
  std::shared_ptr<const kustomize::Tree> tree;
  std::shared_ptr<const inputs::Config> config;
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
  Roots(Console& console, Loaded& loaded, const RootFlags& flags, const std::string& ns,
        inputs::Configurations& configurations)
      : console_(console), loaded_(loaded), flags_(flags), ns_(ns), configurations_(configurations) {}

  std::optional<std::vector<inputs::InputGroup>> take() {
    find();
    find_releases();
    std::vector<inputs::InputGroup> groups;
    if (!flags_.builds_found) {
      name_unbuilt();
    } else if (!build(groups) || !build_charts(groups)) {
      return std::nullopt;
    }
    leave_out_patches(groups);
    std::erase_if(loaded_.sources, [&](const Source& source) {
      const auto found = left_out_.find(base::absolute_path(source.name));
      if (source.named || found == left_out_.end()) return false;
      loaded_.passed_over.push_back({source.name, 0, found->second});
      if (patches_.contains(found->first)) loaded_.patches.push_back(source);
      return true;
    });
    return groups;
  }

 private:
  void name_unbuilt() {
    for (const FoundRoot& root : found_) {
      if (is_built(root) && !is_named(root.folder)) loaded_.roots.push_back("-k " + root.folder);
    }
    for (const helm::Release& release : releases_) loaded_.roots.push_back("--helm " + release.chart);
  }

  void find() {
    for (const Source& source : loaded_.sources) {
      if (source.named || !kustomize::is_kustomization(source.name)) continue;
      const std::string place = base::absolute_path(source.name);
      const std::string folder = base::shortest_path(base::parent_of(place));
      FoundRoot root{folder, kustomize::read_tree(console_.files(), folder),
                     configurations_.of_file(source.name)};
      if (!root.tree->root()) continue;
      root.is_wanted = root.config->kustomize.names(root.config->folder, folder);
      found_.push_back(std::move(root));
    }
  }

  // What another one includes is built with it, and a component only there.
  bool is_built(const FoundRoot& root) const {
    const inputs::KustomizeSettings& settings = root.config->kustomize;
    if (settings.build == Building::Never || !has_our_kinds(*root.tree)) return false;
    if (!settings.roots.empty()) return root.is_wanted;
    if (root.tree->root()->is_component) return false;
    const std::string place = base::absolute_path(root.folder);
    return std::ranges::none_of(found_, [&](const FoundRoot& other) {
      return &other != &root && other.tree->folders().contains(place);
    });
  }

  // False, after an error, if the settings require what can't be built.
  bool build(std::vector<inputs::InputGroup>& groups) {
    std::vector<const FoundRoot*> roots;
    std::vector<std::string> folders;
    for (const FoundRoot& root : found_) {
      if (!is_built(root) || is_left_out(root.folder)) continue;
      if (is_named(root.folder)) {
        leave_out_files(*root.tree, root.folder, "was built");
        continue;
      }
      roots.push_back(&root);
      folders.push_back(root.folder);
    }
    auto results = kustomize::build(console_.files(), console_.processes(), folders, {flags_.allow_remote});
    for (size_t i = 0; i < roots.size(); ++i) {
      const FoundRoot& root = *roots[i];
      if (auto* built = std::get_if<Built>(&results[i])) {
        leave_out_files(*root.tree, root.folder, "was built");
        groups.push_back(group_of(std::move(*built), configurations_));
        continue;
      }
      const auto& failure = std::get<BuildFailure>(results[i]);
      if (flags_.goes_on && !failure.has_no_program) {
        leave_out_files(*root.tree, root.folder, "can't be built");
        groups.push_back(failed_group(console_, failure, root.folder, flags_.allow_remote, configurations_));
      } else if (root.config->kustomize.build == Building::Required) {
        fail(console_, fmt::format("{}: {}", root.config->file->name(), failure.message));
        return false;
      } else {
        explain(root.folder, "kustomizations", failure);
      }
    }
    return true;
  }

  // Whether -k, which has built it, names it.
  bool is_named(const std::string& folder) const {
    return std::ranges::any_of(flags_.kustomize, [&](const std::string& named) {
      return base::absolute_path(named) == base::absolute_path(folder);
    });
  }

  void leave_out_files(const kustomize::Tree& tree, const std::string& folder, std::string_view why) {
    for (const std::string& file : tree.files())
      left_out_.try_emplace(file, fmt::format("is part of {}, which {}", folder, why));
  }

  bool is_left_out(const std::string& scope) const { return flags_.is_left_out && flags_.is_left_out(scope); }

  // The releases that the settings name.
  void find_releases() {
    for (const Source& source : loaded_.sources) {
      if (source.named || !(source.name == "Chart.yaml" || source.name.ends_with("/Chart.yaml"))) continue;
      const std::string folder = base::shortest_path(base::parent_of(base::absolute_path(source.name)));
      for (auto config = configurations_.of_file(source.name); config; config = config->outer)
        add_releases(*config, folder);
    }
  }

  bool build_charts(std::vector<inputs::InputGroup>& groups) {
    auto results = helm::build(console_.files(), console_.processes(), releases_, base::is_inside, {});
    for (size_t i = 0; i < results.size(); ++i) {
      if (auto* built = std::get_if<helm::Built>(&results[i])) {
        leave_out_chart(built->release);
        groups.push_back(group_of(std::move(*built), configurations_));
        continue;
      }
      const auto& failure = std::get<BuildFailure>(results[i]);
      if (flags_.goes_on && !failure.has_no_program) {
        leave_out_chart(releases_[i]);
        groups.push_back(failed_group(console_, failure, releases_[i], configurations_));
      } else if (configs_[i]->helm.build == Building::Required) {
        fail(console_, fmt::format("{}: {}", configs_[i]->file->name(), failure.message));
        return false;
      } else {
        explain(releases_[i].chart, "charts", failure);
      }
    }
    return true;
  }

  // Whether --helm, which has built it, names it.
  bool is_named_release(const helm::Release& release) {
    const auto named = releases_of(console_, flags_);
    return named && std::ranges::any_of(
                        *named, [&](const helm::Release& one) { return one.scope() == release.scope(); });
  }

  void add_releases(const inputs::Config& config, const std::string& folder) {
    if (config.helm.build == Building::Never) return;
    for (const inputs::HelmChart& chart : config.helm.charts) {
      if (!inputs::names_folder(chart.chart, config.folder, folder)) continue;
      std::string ns = !chart.ns.empty() ? chart.ns : !ns_.empty() ? ns_ : config.ns.value_or("");
      helm::Release release{folder, chart.values, chart.release, std::move(ns)};
      if (is_left_out(release.scope()) || is_named_release(release)) continue;
      releases_.push_back(std::move(release));
      configs_.push_back(&config);
    }
  }

  void leave_out_chart(const helm::Release& release) {
    const std::string what = fmt::format("is part of {}, which was built", release.chart);
    const std::string place = base::absolute_path(release.chart);
    for (const Source& source : loaded_.sources) {
      const std::string file = base::absolute_path(source.name);
      if (!base::path_below(file, place).empty()) left_out_.try_emplace(file, what);
    }
    for (const std::string& file : release.values) left_out_.try_emplace(base::absolute_path(file), what);
  }

  // `kind` is what folders of this kind are called.
  void explain(const std::string& folder, std::string_view kind, const BuildFailure& failure) {
    if (!failure.has_no_program) {
      note(console_, fmt::format("{}\n    its files are checked one by one", failure.message));
    } else if (said_.insert(kind).second) {
      note(console_, fmt::format("{} and other {} are read as files: {}", folder, kind, failure.message));
    }
  }

  // Those of roots that were not built are checked for what they have.
  void leave_out_patches(std::vector<inputs::InputGroup>& groups) {
    for (const FoundRoot& root : found_) {
      inputs::InputGroup group;
      for (const std::string& file : root.tree->patch_files()) {
        patches_.insert(file);
        const bool is_new =
            left_out_.try_emplace(file, fmt::format("is a patch of {}", root.tree->root()->path)).second;
        if (is_new) group.found.append(kustomize::check_fields(root.tree->documents(file)));
      }
      if (group.found.empty()) continue;
      group.config = root.config;
      group.scope = inputs::scope_of(*root.config);
      group.memory.push_back(root.tree);
      groups.push_back(std::move(group));
    }
  }

  Console& console_;
  Loaded& loaded_;
  const RootFlags& flags_;
  const std::string& ns_;
  inputs::Configurations& configurations_;
  std::vector<FoundRoot> found_;
  std::vector<helm::Release> releases_;
  std::vector<const inputs::Config*> configs_;   // of the releases
  std::map<std::string, std::string> left_out_;  // absolute paths, with the reason
  std::set<std::string> patches_;                // absolute paths
  std::set<std::string_view> said_;              // those reported as not built, for lack of a program
};

}  // namespace

std::optional<std::vector<inputs::InputGroup>> take_roots(Console& console, Loaded& loaded,
                                                          const RootFlags& flags, const std::string& ns,
                                                          inputs::Configurations& configurations) {
  return Roots(console, loaded, flags, ns, configurations).take();
}

}  // namespace trainjobc::cli
