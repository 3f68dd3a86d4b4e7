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
  std::string alias;  // of the source
  std::string from;   // "apps/base"; "" for all of it
  std::string to;     // "base"; "" for the artifact's root
};

bool has_pattern(std::string_view path) {
  return path.find_first_of("*?[{") != std::string_view::npos;
}

// Without a slash at its ends, and "./".
std::string plain_path(std::string_view path) {
  return base::normal_path(fmt::format("/{}", path)).substr(1);
}

// nullopt for one of single files, by other patterns, or that leaves files out. "apps/**" copies what is in
// the folder; "apps/*" and "apps" copy the folder itself, under its whole path and under its name.
template <class IsFolder>
std::optional<Copy> read_copy(const yaml::Node& copy, const IsFolder& is_folder) {
  constexpr std::string_view kArtifact = "@artifact/";
  const std::string_view source = yaml::string_at(copy, "from");
  const std::string_view to = yaml::string_at(copy, "to");
  const std::string_view strategy = yaml::string_at(copy, "strategy");
  const size_t slash = source.find('/');
  const bool is_whole = !copy.get("exclude") && (strategy.empty() || strategy == "Overwrite");
  if (!is_whole || !source.starts_with('@') || slash == std::string_view::npos || !to.starts_with(kArtifact))
    return std::nullopt;
  Copy read{std::string(source.substr(1, slash - 1)), "", plain_path(to.substr(kArtifact.size()))};
  std::string_view path = source.substr(slash + 1);
  const bool is_content = path == "**" || path == "*" || path.ends_with("/**");
  const bool is_path = !is_content && path.ends_with("/*");
  if (is_content || is_path) path = path.substr(0, path.find_last_not_of("*/") + 1);
  read.from = plain_path(path);
  if (has_pattern(read.from) || has_pattern(read.to)) return std::nullopt;
  if (is_content || read.from.empty()) return read;
  if (!is_path && !is_folder(read.from)) return std::nullopt;
  const std::string name = is_path ? read.from : read.from.substr(read.from.rfind('/') + 1);
  read.to = plain_path(fmt::format("{}/{}", read.to, name));
  return read;
}

// The folder of the source that looks as the artifact does, as far as this copy goes: "apps" for "apps/base"
// that becomes "base".
std::optional<std::string> source_root_of(const Copy& copy) {
  if (copy.to.empty()) return copy.from;
  if (copy.from == copy.to) return "";
  if (!copy.from.ends_with(copy.to) || !copy.from.substr(0, copy.from.size() - copy.to.size()).ends_with('/'))
    return std::nullopt;
  return copy.from.substr(0, copy.from.size() - copy.to.size() - 1);
}

}  // namespace

OwnSource::OwnSource(const base::FileSystem& files, const std::string& repository, const Objects& objects)
    : files_(files), repository_(repository), objects_(objects), names_(remote_names(files, repository)) {}

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
  const auto is_folder = [&](const std::string& path) {
    return files_.is_directory(path_in(repository_, path));
  };
  for (const yaml::Node* written : yaml::items_at(artifact, "copy")) {
    const std::optional<Copy> copy = read_copy(*written, is_folder);
    const std::optional<std::string> folder = copy ? source_root_of(*copy) : std::nullopt;
    if (!folder || root.value_or(*folder) != *folder) return {"", composed};
    root = folder;
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
