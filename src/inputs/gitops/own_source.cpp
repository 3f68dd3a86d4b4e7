// SPDX-License-Identifier: Apache-2.0

#include "inputs/gitops/own_source.h"

#include <fmt/format.h>

#include "base/files/paths.h"
#include "base/text/text.h"

namespace trainjobc::gitops {
namespace {

// What a bootstrap of Flux calls the repository that it has set up.
constexpr std::string_view kBootstrapped = "flux-system";

// "ml" for git@github.com:acme/ml.git: forks and mirrors keep it.
std::string name_in(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  if (url.ends_with(".git")) url.remove_suffix(4);
  return base::lower_case(url.substr(url.find_last_of("/:") + 1));
}

// In a worktree or submodule, .git is a file that names the folder.
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

}  // namespace

OwnSource::OwnSource(const base::FileSystem& files, const std::string& repository, const Objects& objects)
    : objects_(objects), names_(remote_names(files, repository)) {}

const Manifest* OwnSource::source_of(const yaml::Node& ref, const std::string& ns,
                                     const std::string& file) const {
  std::string own_ns(yaml::string_at(ref, "namespace"));
  if (own_ns.empty()) own_ns = ns;
  return objects_.find(yaml::string_at(ref, "kind"), own_ns, std::string(yaml::string_at(ref, "name")), file);
}

// A source that is not in the repository was set up by hand, or by a bootstrap, for this one.
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
  // Without a remote, the bootstrapped source is this repository.
  const Manifest* own = objects_.find(kind, source->ns(), std::string(kBootstrapped), file);
  const std::string_view own_url = own ? yaml::string_at(*own->root, {"spec", "url"}) : "";
  return own_url.empty() || name_in(own_url) == name_in(url) ? "" : fmt::format("its source is {}", url);
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
