// SPDX-License-Identifier: Apache-2.0

#include "inputs/gitops/own_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"

namespace trainjobc::gitops {
namespace {

// The name that `flux bootstrap` gives to the source for the repository that it sets up.
constexpr std::string_view kBootstrapped = "flux-system";

// The repository's name in a URL: "ml" for git@github.com:acme/ml.git. Forks and mirrors keep it.
std::string name_in(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  if (url.ends_with(".git")) url.remove_suffix(4);
  return base::lower_case(url.substr(url.find_last_of("/:") + 1));
}

// Finds Git's folder; in a worktree or submodule, .git is a file that names it.
std::string git_folder(const base::FileSystem& files, const std::string& repository) {
  std::string folder = base::joined_path(base::shortest_path(repository), ".git");
  if (files.is_directory(folder)) return folder;
  constexpr std::string_view kPrefix = "gitdir:";
  const std::string text = files.text_of(folder);
  if (!text.starts_with(kPrefix)) return folder;
  std::string named(base::trimmed(std::string_view(text).substr(kPrefix.size())));
  if (!named.starts_with('/')) named = base::normal_path(repository + "/" + named);
  return named.substr(0, named.find("/worktrees/"));
}

std::set<std::string> remote_names(const base::FileSystem& files, const std::string& repository) {
  std::set<std::string> names;
  bool is_remote = false;
  const std::string config = files.text_of(git_folder(files, repository) + "/config");
  for (std::string_view line : base::Lines(config)) {
    line = base::trimmed(line);
    if (line.starts_with('[')) is_remote = line.starts_with("[remote ");
    const size_t equals = line.find('=');
    if (is_remote && equals != std::string_view::npos && base::trimmed(line.substr(0, equals)) == "url")
      names.insert(name_in(base::trimmed(line.substr(equals + 1))));
  }
  return names;
}

// What an ArtifactGenerator makes under that name; nullptr if it makes nothing.
const yaml::Node* artifact_of(const Manifest& generator, std::string_view name) {
  return yaml::find_named(yaml::items_at(*generator.root, {"spec", "artifacts"}), name);
}

// A whole folder that a generator copies.
struct Copy {
  std::string_view alias;  // of the source
  std::string_view from;   // "apps/base"; "" for all of it
  std::string_view to;     // "base"; "" for the artifact's root
};

bool has_pattern(std::string_view path) {
  return path.find_first_of("*?[{") != std::string_view::npos;
}

// nullopt for one of single files, by patterns, or that leaves files out.
std::optional<Copy> read_copy(const yaml::Node& copy) {
  constexpr std::string_view kAll = "/**";
  constexpr std::string_view kArtifact = "@artifact/";
  std::string_view from = yaml::string_at(copy, "from");
  std::string_view to = yaml::string_at(copy, "to");
  if (!from.starts_with('@') || !from.ends_with(kAll) || !to.starts_with(kArtifact)) return std::nullopt;
  if (copy.get("exclude") || copy.get("strategy")) return std::nullopt;
  from = from.substr(1, from.size() - 1 - kAll.size());
  to.remove_prefix(kArtifact.size());
  if (to.ends_with('/')) to.remove_suffix(1);
  const size_t slash = std::min(from.find('/'), from.size());
  const std::string_view folder = slash == from.size() ? "" : from.substr(slash + 1);
  if (has_pattern(folder) || has_pattern(to)) return std::nullopt;
  return Copy{from.substr(0, slash), folder, to};
}

// The folder of the source that looks as the artifact does, as far as this copy goes: "apps" for "apps/base"
// that becomes "base".
std::optional<std::string_view> source_root_of(const Copy& copy) {
  if (copy.to.empty()) return copy.from;
  if (copy.from == copy.to) return "";
  if (!copy.from.ends_with(copy.to) || !copy.from.substr(0, copy.from.size() - copy.to.size()).ends_with('/'))
    return std::nullopt;
  return copy.from.substr(0, copy.from.size() - copy.to.size() - 1);
}

}  // namespace

OwnSource::OwnSource(const base::FileSystem& files, const std::string& repository, const Objects& objects)
    : objects_(objects), names_(remote_names(files, repository)) {}

// A parent may have moved both to another namespace: then it is the nearest one of that name.
const Manifest* OwnSource::source_of(const yaml::Node& ref, const std::string& ns,
                                     const std::string& file) const {
  const std::string written(yaml::string_at(ref, "namespace"));
  const std::string_view kind = yaml::string_at(ref, "kind");
  const std::string name(yaml::string_at(ref, "name"));
  const Manifest* found = objects_.find(kind, written.empty() ? ns : written, name, file);
  if (found || !written.empty()) return found;
  return objects_.find_anywhere(kind, name, file);
}

// A source that is not defined in the repository was created by hand, or by a bootstrap, and counts as this
// repository.
std::string OwnSource::why_other(const yaml::Node* ref, const std::string& ns,
                                 const std::string& file) const {
  if (!ref || !ref->is_map()) return "";
  const Manifest* source = source_of(*ref, ns, file);
  if (!source || source->name() == kBootstrapped) return "";
  const std::string_view kind = yaml::string_at(*ref, "kind");
  if (kind != "GitRepository") return fmt::format("its source is another one, {}", source->title());
  const std::string_view url = yaml::string_at(*source->root, {"spec", "url"});
  const std::string why = why_other_url(url);
  if (!why.empty() || !names_.empty()) return why;
  // Without a remote, the source of the bootstrap is this repository.
  const Manifest* own = objects_.find(kind, source->ns(), std::string(kBootstrapped), file);
  const std::string_view own_url = own ? yaml::string_at(*own->root, {"spec", "url"}) : "";
  return own_url.empty() || name_in(own_url) == name_in(url) ? "" : fmt::format("its source is {}", url);
}

SourcePath OwnSource::path_in_source(std::string_view path, const yaml::Node* ref, const std::string& ns,
                                     const std::string& file) const {
  if (!ref || yaml::string_at(*ref, "kind") != "ExternalArtifact")
    return {std::string(path), why_other(ref, ns, file)};
  const std::string_view name = yaml::string_at(*ref, "name");
  const Manifest* generator = objects_.find_nearest(file, [&](const Manifest& object) {
    return object.is("source.extensions.fluxcd.io/", "ArtifactGenerator") && artifact_of(object, name);
  });
  if (!generator)
    return {std::string(path),
            fmt::format("its source is ExternalArtifact {}, which no ArtifactGenerator here makes", name)};
  SourcePath folder = copied_folder(*generator, *artifact_of(*generator, name));
  folder.path += fmt::format("/{}", path);
  return folder;
}

SourcePath OwnSource::copied_folder(const Manifest& generator, const yaml::Node& artifact) const {
  const std::string composed = fmt::format("{} composes its source", generator.title());
  std::optional<std::string> root;
  for (const yaml::Node* written : yaml::items_at(artifact, "copy")) {
    const std::optional<Copy> copy = read_copy(*written);
    const std::optional<std::string_view> folder = copy ? source_root_of(*copy) : std::nullopt;
    if (!folder || root.value_or(std::string(*folder)) != *folder) return {"", composed};
    root = std::string(*folder);
    for (const yaml::Node* source : yaml::items_at(*generator.root, {"spec", "sources"})) {
      if (yaml::string_at(*source, "alias") != copy->alias) continue;
      std::string other = why_other(source, generator.ns(), generator.file);
      if (!other.empty()) return {"", std::move(other)};
    }
  }
  return root ? SourcePath{*root, ""} : SourcePath{"", composed};
}

std::string OwnSource::why_other_url(std::string_view url) const {
  if (url.empty() || names_.empty() || names_.contains(name_in(url))) return "";
  return fmt::format("its source is {}", url);
}

std::string OwnSource::ignored_by(const yaml::Node* ref, const std::string& ns,
                                  const std::string& file) const {
  const Manifest* source = ref && ref->is_map() ? source_of(*ref, ns, file) : nullptr;
  return source ? std::string(yaml::string_at(*source->root, {"spec", "ignore"})) : "";
}

}  // namespace trainjobc::gitops
