// SPDX-License-Identifier: Apache-2.0

// The clusters of a repository.
#pragma once

#include <map>
#include <string>

#include "base/files/paths.h"
#include "inputs/gitops/roots.h"

namespace trainjobc::gitops {

// Tells which cluster an object is applied to if nothing else shows it: the cluster of the root whose folder
// contains the object's file; otherwise one that is named after that file's folder.
class Clusters {
 public:
  // Of several roots with one folder, the first one counts.
  void add(const std::string& file, const Root& root) {
    std::string folder = base::absolute_path(root.folder);
    definitions_.try_emplace(folder, Definition{base::absolute_path(file), folder});
  }

  std::string of(const std::string& file) {
    const std::string at = base::absolute_path(file);
    Definition* outer = around(at);
    return base::shortest_path(outer ? cluster_of(*outer) : base::parent_of(at));
  }

 private:
  struct Definition {
    std::string file;
    std::string folder;
    std::string cluster = "";  // "" if not known yet
    size_t place = 0;          // its place in the search of cluster_of, from 1; 0 outside of it
  };

  // The folder of the outermost of the roots that contain each other. If roots contain each other in a
  // circle, the last one before the first is met again.
  const std::string& cluster_of(Definition& first) {
    std::vector<Definition*> way;
    Definition* at = &first;
    while (at && at->cluster.empty() && at->place == 0) {
      way.push_back(at);
      at->place = way.size();
      at = around(at->file);
    }
    if (!at) {
      for (Definition* one : way) one->cluster = way.back()->folder;
    } else if (!at->cluster.empty()) {
      for (Definition* one : way) one->cluster = at->cluster;
    } else {
      const size_t begin = at->place - 1;
      for (size_t i = begin; i < way.size(); ++i)
        way[i]->cluster = way[i == begin ? way.size() - 1 : i - 1]->folder;
      for (size_t i = 0; i < begin; ++i) way[i]->cluster = way[begin]->cluster;
    }
    for (Definition* one : way) one->place = 0;
    return first.cluster;
  }

  // The root whose folder contains the file; the innermost one of several.
  Definition* around(const std::string& file) {
    for (std::string folder = base::parent_of(file); !folder.empty(); folder = base::parent_of(folder)) {
      const auto found = definitions_.find(folder);
      if (found != definitions_.end()) return &found->second;
    }
    return nullptr;
  }

  std::map<std::string, Definition> definitions_;  // by folder
};

}  // namespace trainjobc::gitops
