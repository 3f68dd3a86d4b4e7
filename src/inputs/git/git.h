// SPDX-License-Identifier: Apache-2.0

// A Git repository, read with the `git` on the PATH: its commits, and the files of one as a file system.
//
// A repository's configuration can name programs: fsmonitor, filters, diff drivers, remote helpers, hooks.
// Only calls that run none of them are made (rev-parse, merge-base, ls-tree, cat-file --batch), none writes
// or uses the index, and objects that a partial clone lacks are not fetched. So what a filter would put in
// place of a file's content, as Git LFS and git-crypt do, stays what is stored.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file_system.h"
#include "base/process.h"

namespace trainjobc::git {

// Runs git.
class Git {
 public:
  Git(base::ProcessRunner& runner, std::chrono::milliseconds timeout) : runner_(runner), timeout_(timeout) {}

  // The result of `git <words>` in the folder; an error if git is not there, or does not end in time.
  base::IoResult<base::ProcessResult> run(const std::string& folder, std::vector<std::string> words,
                                          std::string input = "") const;
  // Returns the output of such a call; an error with git's message if it fails.
  base::IoResult<std::string> ask(const std::string& folder, std::vector<std::string> words,
                                  std::string input = "") const;

 private:
  base::ProcessRunner& runner_;
  std::chrono::milliseconds timeout_;
};

// The working tree of a repository.
struct Repository {
  std::string root;    // absolute, without symbolic links
  std::string prefix;  // the working directory's path in the tree, if it is there: "clusters/prod/"
};

// Finds the repository of an existing folder.
base::IoResult<Repository> find_repository(const Git& git, const std::string& folder);

struct Commit {
  std::string id;
  std::string name;  // "origin/main", or the beginning of the id
};

// The commit that the text names.
base::IoResult<Commit> find_commit(const Git& git, const Repository& repository, const std::string& revision);

// The commit where the history of `head` branched off from that of `base`: `git diff base...head` starts
// there.
base::IoResult<Commit> find_merge_base(const Git& git, const Repository& repository, const Commit& base,
                                       const Commit& head);

// The files of a commit, at the paths that they have in the working tree. They can't be written. Submodules
// are read at the commits that the commit names, if the working tree has their repositories. A link leads to
// a file of the commit, or to one outside of the working tree. Paths outside of the tree, and those in .git
// folders, are read from `outside`. Threads may share an object.
class RevisionFiles final : public base::ReadOnlyFileSystem {
 public:
  // `wanted` are the absolute paths below which most files will be read: their files are fetched at once.
  static base::IoResult<std::unique_ptr<RevisionFiles>> open(const Git& git, const Repository& repository,
                                                             const Commit& commit, base::FileSystem& outside,
                                                             std::vector<std::string> wanted);

  // The absolute path of the working tree.
  const std::string& root() const { return repository_.root; }

  // "origin/main:jobs/a.yaml", as git show names a file of the commit; the path itself if it is outside.
  std::string name_of(const std::string& path) const;

  // The names of the files read so far that a Git filter would have changed.
  std::set<std::string> filtered() const;

  base::FileKind kind(const std::string& path) const override;
  base::IoResult<std::string> read(const std::string& path) const override;
  base::IoResult<std::vector<base::DirectoryEntry>> list(const std::string& path) const override;
  bool stays_inside(const std::string&, const std::string&) const override { return false; }
  // The file in a copy of all files, without links, which is removed with this object.
  base::IoResult<std::string> on_disk(const std::string& path) const override;
  ~RevisionFiles() override;

 private:
  enum class Type { File, Link, Submodule };

  struct Entry {
    Type type = Type::File;
    std::string id;          // id of the blob, or of the submodule's commit
    std::string repository;  // the folder whose repository has the object
  };

  // Where a path leads.
  struct Place {
    bool is_outside = false;
    std::string path;  // path in the tree, "" for its root; or a path outside
    base::FileKind kind = base::FileKind::None;
  };

  RevisionFiles(const Git& git, Repository repository, Commit commit, base::FileSystem& outside)
      : git_(git), repository_(std::move(repository)), commit_(std::move(commit)), outside_(outside) {}

  std::optional<base::IoError> add_tree(const std::string& folder, const std::string& commit,
                                        const std::string& below) const;
  void enter_submodules(const std::string& path) const;
  std::optional<std::string> in_tree(const std::string& path) const;
  bool is_git_folder(const std::string& path) const;
  void fetch_all() const;
  std::optional<base::IoError> copy_all() const;
  std::optional<base::IoError> copy_below(const std::string& folder) const;
  Place find(const std::string& path) const;
  std::optional<Place> follow(const std::string& path, std::string& at, int& links) const;
  base::FileKind kind_of(const std::string& path) const;
  bool has_below(const std::string& path) const;
  base::IoError error(std::string_view what, const std::string& path, std::string_view why) const;
  base::IoResult<std::string> blob(const std::string& path, const Entry& entry) const;
  std::set<std::string> beside(const std::string& path, const Entry& entry) const;
  std::optional<base::IoError> fetch(const std::string& folder, const std::set<std::string>& ids,
                                     const std::string& needed) const;

  Git git_;
  Repository repository_;
  Commit commit_;
  base::FileSystem& outside_;
  std::vector<std::string> wanted_;  // paths in the tree

  mutable std::mutex mutex_;
  mutable std::map<std::string, Entry> entries_;               // by path in the tree
  mutable std::map<std::string, std::string> texts_;           // by blob id
  mutable std::map<std::string, std::string> bad_submodules_;  // why they can't be read, by path
  mutable bool has_links_ = false;
  mutable std::set<std::string> filtered_;
  mutable std::string copy_;  // the folder of the copy; "" until there is one
};

}  // namespace trainjobc::git
