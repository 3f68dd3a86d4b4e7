// SPDX-License-Identifier: Apache-2.0

// Whether the source that an object of Flux or Argo CD names is the repository that is read, and which of its
// files it leaves out.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/files/file_system.h"
#include "inputs/gitops/objects.h"

namespace trainjobc::gitops {

// A folder of the repository that is read, or why the path is in none.
struct SourcePath {
  std::string path;
  std::string missing;  // "": nothing is
};

class OwnSource {
 public:
  // `objects` are searched for the sources.
  OwnSource(const base::FileSystem& files, const std::string& repository, const Objects& objects);

  // Says why `ref`, the sourceRef of an object in that namespace, is another source; "" if it is this
  // repository.
  std::string why_other(const yaml::Node* ref, const std::string& ns, const std::string& file) const;
  // Where a path of that source is: for an ExternalArtifact, below what its ArtifactGenerator copies.
  // Source of the rules: github.com/fluxcd/source-watcher 2.0, ArtifactGenerator v1beta1.
  SourcePath path_in_source(std::string_view path, const yaml::Node* ref, const std::string& ns,
                            const std::string& file) const;
  // The same of an address of Argo CD.
  std::string why_other_url(std::string_view url) const;
  // The source's patterns, in spec.ignore.
  std::string ignored_by(const yaml::Node* ref, const std::string& ns, const std::string& file) const;

 private:
  SourcePath copied_folder(const Manifest& generator, const yaml::Node& artifact) const;
  const Manifest* source_of(const yaml::Node& ref, const std::string& ns, const std::string& file) const;

  const base::FileSystem& files_;
  std::string repository_;
  const Objects& objects_;
  std::set<std::string> names_;  // the repository's names, by its remotes: "ml"
};

}  // namespace trainjobc::gitops
