// SPDX-License-Identifier: Apache-2.0

#include "inputs/gitops/artifact.h"

#include <optional>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"

namespace trainjobc::gitops {
namespace {

constexpr std::string_view kIgnoreFile = ".sourceignore";
// Files that are left out unless a pattern includes them again.
constexpr std::string_view kAlwaysIgnored =
    ".git/\n.gitignore\n.gitmodules\n.gitattributes\n"
    "*.jpg\n*.jpeg\n*.gif\n*.png\n*.wmv\n*.flv\n*.tar.gz\n*.zip\n"
    ".github/\n.circleci/\n.travis.yml\n.gitlab-ci.yml\nappveyor.yml\n.drone.yml\ncloudbuild.yaml\n"
    "codeship-services.yml\ncodeship-steps.yml\n"
    "**/.goreleaser.yml\n**/.sops.yaml\n**/.flux.yaml\n";

// Decides as the patterns do: one that matches a folder also decides on the files below, unless another
// pattern matches these.
std::optional<bool> decided(const base::GitIgnore& lines, std::string_view path) {
  std::optional<bool> result;
  for (size_t end = path.find('/'); end != std::string_view::npos; end = path.find('/', end + 1)) {
    if (const auto own = lines.decide(path.substr(0, end), true)) result = own;
  }
  if (const auto own = lines.decide(path, false)) result = own;
  return result;
}

}  // namespace

ArtifactFiles::ArtifactFiles(const base::FileSystem& files, std::string repository, const std::string& ignore)
    : files_(files), repository_(std::move(repository)) {
  patterns_.push_back({repository_, base::GitIgnore(kAlwaysIgnored)});
  add_below(repository_);
  if (!ignore.empty()) patterns_.push_back({repository_, base::GitIgnore(ignore)});
}

void ArtifactFiles::add_below(const std::string& folder) {
  const std::string spelled = base::shortest_path(folder);
  auto listed = files_.list(spelled);
  const auto* entries = std::get_if<std::vector<base::DirectoryEntry>>(&listed);
  if (!entries) return;
  for (const base::DirectoryEntry& entry : *entries) {
    if (entry.kind == base::FileKind::File && entry.name == kIgnoreFile)
      patterns_.push_back({folder, base::GitIgnore(files_.text_of(base::joined_path(spelled, entry.name)))});
  }
  for (const base::DirectoryEntry& entry : *entries) {
    if (entry.kind == base::FileKind::Directory && !entry.is_link && entry.name != ".git")
      add_below(base::joined_path(folder, entry.name));
  }
}

bool ArtifactFiles::is_ignored(const std::string& path) const {
  const std::string place = base::absolute_path(path);
  const auto [known, is_new] = ignored_.try_emplace(place, false);
  if (!is_new) return known->second;
  std::optional<bool> result;
  for (const Patterns& own : patterns_) {
    const std::string below = base::path_below(place, own.folder);
    if (below.empty()) continue;
    if (const auto one = decided(own.lines, below)) result = one;
  }
  known->second = result.value_or(false);
  return known->second;
}

base::FileKind ArtifactFiles::kind(const std::string& path) const {
  const base::FileKind kind = files_.kind(path);
  return kind == base::FileKind::File && is_ignored(path) ? base::FileKind::None : kind;
}

base::IoResult<std::string> ArtifactFiles::read(const std::string& path) const {
  return files_.read(path);
}

base::IoResult<std::vector<base::DirectoryEntry>> ArtifactFiles::list(const std::string& path) const {
  auto listed = files_.list(path);
  if (auto* entries = std::get_if<std::vector<base::DirectoryEntry>>(&listed)) {
    std::erase_if(*entries, [&](const base::DirectoryEntry& entry) {
      return entry.kind == base::FileKind::File && is_ignored(base::joined_path(path, entry.name));
    });
  }
  return listed;
}

}  // namespace trainjobc::gitops
