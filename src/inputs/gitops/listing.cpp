// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "inputs/gitops/roots.h"
#include "inputs/kustomize/kustomization.h"

namespace trainjobc::gitops {
namespace {

bool is_yaml(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

class Lister {
 public:
  Lister(const base::FileSystem& files, const Root& root) : files_(files), root_(root) {}

  Manifests found;

  std::optional<base::IoError> enter(const std::string& folder, const std::string& below) {
    std::vector<base::DirectoryEntry> listed;
    if (auto error = base::take(files_.list(folder), listed)) return error;
    for (const base::DirectoryEntry& entry : listed) {
      if (entry.name.starts_with(".git")) continue;
      const std::string path = base::joined_path(folder, entry.name);
      const std::string inside = below + entry.name;
      if (entry.kind == base::FileKind::File && is_wanted(entry.name, inside) && !is_marked(path))
        found.files.push_back(path);
      if (entry.kind != base::FileKind::Directory || entry.is_link || !root_.recurses) continue;
      if (root_.tool == Tool::Flux && !kustomize::find_kustomization(files_, path).empty()) {
        found.kustomizations.push_back(path);
      } else if (auto error = enter(path, inside + "/")) {
        return error;
      }
    }
    return std::nullopt;
  }

 private:
  bool is_wanted(const std::string& name, const std::string& inside) const {
    if (root_.tool == Tool::Flux) return is_yaml(name);
    if (!is_yaml(name) && !name.ends_with(".json")) return false;
    if (!root_.exclude.empty() && matches_argo_glob(root_.exclude, inside)) return false;
    return root_.include.empty() || matches_argo_glob(root_.include, inside);
  }

  // Argo CD passes over a file that says so.
  bool is_marked(const std::string& path) const {
    return root_.tool == Tool::ArgoCd &&
           files_.text_of(path).find("+argocd:skip-file-rendering") != std::string::npos;
  }

  const base::FileSystem& files_;
  const Root& root_;
};

// The alternatives of the first braces, each with what surrounds them; the pattern itself if there are none.
std::vector<std::string> alternatives_of(std::string_view pattern) {
  const size_t open = pattern.find('{');
  const size_t close = open == std::string_view::npos ? open : pattern.find('}', open);
  if (close == std::string_view::npos) return {std::string(pattern)};
  std::vector<std::string> all;
  for (const std::string_view one : base::split(pattern.substr(open + 1, close - open - 1), ","))
    all.push_back(fmt::format("{}{}{}", pattern.substr(0, open), one, pattern.substr(close + 1)));
  return all;
}

bool matches_stars(std::string_view pattern, std::string_view path) {
  size_t at = 0;
  size_t in = 0;
  size_t star = std::string_view::npos;
  size_t from = 0;
  while (in < path.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = ++at;
      from = in;
    } else if (at < pattern.size() && (pattern[at] == path[in] || pattern[at] == '?')) {
      ++at;
      ++in;
    } else if (star != std::string_view::npos) {
      at = star;
      in = ++from;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

}  // namespace

base::IoResult<Manifests> list_manifests(const base::FileSystem& files, const Root& root) {
  Lister lister(files, root);
  if (auto error = lister.enter(root.folder, "")) return *error;
  return std::move(lister.found);
}

bool matches_argo_glob(std::string_view pattern, std::string_view path) {
  const std::vector<std::string> alternatives = alternatives_of(pattern);
  if (alternatives.size() == 1 && alternatives.front() == pattern) return matches_stars(pattern, path);
  return std::ranges::any_of(alternatives,
                             [&](const std::string& one) { return matches_argo_glob(one, path); });
}

}  // namespace trainjobc::gitops
