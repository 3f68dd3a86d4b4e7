// SPDX-License-Identifier: Apache-2.0

#include "inputs/revisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/files/paths.h"

namespace trainjobc::inputs {
namespace {

using base::IoError;
using base::IoResult;

// The path, or the nearest folder above it that exists.
std::string existing_folder(const base::FileSystem& files, const std::string& path) {
  for (std::string at = base::absolute_path(path); !at.empty(); at = base::parent_of(at)) {
    if (files.is_directory(at)) return at;
  }
  return base::working_directory();
}

bool is_in(const std::string& root, const std::string& absolute) {
  return absolute == root || !base::path_below(absolute, root).empty();
}

// The path within the tree: links on the way are followed if its text doesn't lead there. An error if it is
// outside.
IoResult<std::string> path_in(const git::Repository& repository, const std::string& path) {
  if (is_in(repository.root, base::absolute_path(path))) return path;
  const std::string real = base::real_path(path);
  if (is_in(repository.root, real)) return base::shortest_path(real);
  return IoError{fmt::format("{} is not in the repository {}", path, repository.root)};
}

class Opening {
 public:
  Opening(base::FileSystem& files, base::ProcessRunner& programs, const RevisionNames& names,
          std::chrono::milliseconds timeout)
      : files_(files), names_(names), git_(programs, timeout) {}

  IoResult<Revisions> open(Request request) {
    if (request.paths.empty() && request.roots.empty()) request.paths = {"."};
    Revisions opened{.request = std::move(request)};
    if (auto error = find_paths(opened.request)) return *error;
    if (auto error = find_commits()) return *error;
    std::vector<std::string> wanted;
    for (const std::string& path : opened.request.paths) wanted.push_back(base::absolute_path(path));
    if (auto error = open_state(base_, wanted, opened.before)) return *error;
    opened.after.name = "the working tree";
    if (!names_.head.empty()) {
      if (auto error = open_state(*head_, wanted, opened.after)) return *error;
    }
    opened.of_base = base_.name;
    if (base_.name != names_.base)
      opened.of_base = fmt::format("{} (where {} left {})", base_.name, head_->name, names_.base);
    if (auto error = check_paths(opened)) return *error;
    return opened;
  }

 private:
  std::optional<IoError> find_paths(Request& request) {
    std::vector<std::string*> all;
    for (std::string& path : request.paths) all.push_back(&path);
    for (Root& root : request.roots) all.push_back(&root.folder);
    for (std::string* path : all) {
      if (*path == "-") return IoError{"standard input has no revisions: name files or directories"};
    }
    const std::string folder = existing_folder(files_, *all.front());
    if (auto error = base::take(git::find_repository(git_, folder), repository_)) return error;
    for (std::string* path : all) {
      if (auto error = base::take(path_in(repository_, *path), *path)) return error;
    }
    return std::nullopt;
  }

  std::optional<IoError> find_commits() {
    if (auto error = base::take(git::find_commit(git_, repository_, names_.base), base_)) return error;
    if (names_.head.empty() && names_.no_merge_base) return std::nullopt;
    const std::string head = names_.head.empty() ? "HEAD" : names_.head;
    if (auto error = base::take(git::find_commit(git_, repository_, head), head_.emplace())) return error;
    if (names_.no_merge_base) return std::nullopt;
    return base::take(git::find_merge_base(git_, repository_, base_, *head_), base_);
  }

  std::optional<IoError> open_state(const git::Commit& commit, const std::vector<std::string>& wanted,
                                    State& state) {
    state.name = commit.name;
    state.prefix = fmt::format("{}:{}", commit.name, repository_.prefix);
    return base::take(git::RevisionFiles::open(git_, repository_, commit, files_, wanted), state.files);
  }

  std::optional<IoError> check_paths(const Revisions& opened) const {
    const base::FileSystem& after = opened.after.files ? *opened.after.files : files_;
    std::vector<std::string> all = opened.request.paths;
    for (const Root& root : opened.request.roots) all.push_back(root.folder);
    for (const std::string& path : all) {
      if (!after.exists(path) && !opened.before.files->exists(path))
        return IoError{
            fmt::format("{} is neither in {} nor in {}", path, opened.before.name, opened.after.name)};
    }
    return std::nullopt;
  }

  base::FileSystem& files_;
  const RevisionNames& names_;
  git::Git git_;
  git::Repository repository_;
  git::Commit base_;
  std::optional<git::Commit> head_;
};

void name_sources(const git::RevisionFiles& files, std::vector<Source>& sources) {
  for (Source& source : sources) source.name = files.name_of(source.name);
}

}  // namespace

IoResult<Revisions> open_revisions(base::FileSystem& files, base::ProcessRunner& programs,
                                   const RevisionNames& names, Request request,
                                   std::chrono::milliseconds timeout) {
  return Opening(files, programs, names, timeout).open(std::move(request));
}

Loaded load_state(base::FileSystem& files, base::ProcessRunner& programs, const Request& request,
                  const State& state) {
  base::FileSystem& own = state.files ? *state.files : files;
  Request there = request;
  const auto is_missing = [&](const std::string& path) { return !own.exists(path); };
  std::erase_if(there.paths, is_missing);
  std::erase_if(there.roots, [&](const Root& root) {
    return is_missing(root.folder) || std::ranges::any_of(root.values, is_missing);
  });
  if (state.files) {  // may lack what the request names, if the other state has it
    std::erase_if(there.runtimes, is_missing);
    there.no_config = there.no_config || (!there.config.empty() && is_missing(there.config));
    if (there.no_config) there.config.clear();
  }
  Loaded loaded = load(own, programs, there);
  if (!state.files) return loaded;
  if (loaded.failed()) {
    loaded.fail(fmt::format("the inputs of {} can't be read", state.name));
    return loaded;
  }
  for (InputGroup& group : loaded.groups) {
    name_sources(*state.files, group.inputs);
    name_sources(*state.files, group.runtimes);
  }
  for (const std::string& name : state.files->filtered())
    loaded.note(
        fmt::format("{} is stored by a filter, such as Git LFS, which trainjobc does not run: what it "
                    "defines is not compared",
                    name));
  return loaded;
}

}  // namespace trainjobc::inputs
