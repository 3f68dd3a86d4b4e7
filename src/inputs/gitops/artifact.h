// SPDX-License-Identifier: Apache-2.0

// The files of a repository that Flux's source-controller passes on: without those that .sourceignore files,
// a source's spec.ignore and its own defaults name. Source of the rules: github.com/fluxcd/pkg/sourceignore.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file_system.h"
#include "base/text/glob.h"

namespace trainjobc::gitops {

class ArtifactFiles final : public base::ReadOnlyFileSystem {
 public:
  // `repository` is an absolute path; `ignore` is the text of spec.ignore.
  ArtifactFiles(const base::FileSystem& files, std::string repository, const std::string& ignore);

  base::FileKind kind(const std::string& path) const override;
  base::IoResult<std::string> read(const std::string& path) const override;
  base::IoResult<std::vector<base::DirectoryEntry>> list(const std::string& path) const override;
  bool stays_inside(const std::string& directory, const std::string& path) const override {
    return files_.stays_inside(directory, path);
  }
  base::IoResult<std::string> on_disk(const std::string& path) const override { return files_.on_disk(path); }

  // Whether the file is left out.
  bool is_ignored(const std::string& path) const;

 private:
  // The patterns of a folder, which apply to the paths below it.
  struct Patterns {
    std::string folder;
    base::GitIgnore lines;
  };

  void add_below(const std::string& folder);

  const base::FileSystem& files_;
  std::string repository_;
  std::vector<Patterns> patterns_;               // the last one that matches a path decides
  mutable std::map<std::string, bool> ignored_;  // the answers so far, by absolute path
};

}  // namespace trainjobc::gitops
