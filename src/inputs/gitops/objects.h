// SPDX-License-Identifier: Apache-2.0

// The objects of a repository that say what its clusters run, and how their fields are read.
#pragma once

#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "base/source.h"
#include "compile/compile.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"

namespace trainjobc::gitops {

// An object, and the file that has it.
struct Manifest {
  const yaml::Node* root = nullptr;
  std::string file;
  uint32_t line = 1;

  std::string_view kind() const { return yaml::string_at(*root, "kind"); }
  std::string name() const { return std::string(yaml::string_at(*root, {"metadata", "name"})); }
  std::string ns() const { return std::string(yaml::string_at(*root, {"metadata", "namespace"})); }
  std::string title() const;  // "Kustomization flux-system/apps"
  std::string place() const;  // "clusters/prod/apps.yaml:1"
  // Whether it is of that kind and has a spec.
  bool is(std::string_view group, std::string_view kind) const;
};

// Whether a file with this text may contain objects that Objects keeps.
bool may_have_objects(std::string_view text);

// The objects of Flux and Argo CD, ConfigMaps and Secrets.
class Objects {
 public:
  // All objects of that kind and name, in the order of their files.
  std::vector<const Manifest*> find_all(std::string_view kind, const std::string& ns,
                                        const std::string& name) const;

  explicit Objects(const std::vector<Source>& sources);

  const std::vector<Manifest>& all() const { return all_; }

  // The object of that kind and name: of several, the one that is nearest to the file.
  const Manifest* find(std::string_view kind, const std::string& ns, const std::string& name,
                       const std::string& file) const;
  // The same, in any namespace.
  const Manifest* find_anywhere(std::string_view kind, const std::string& name,
                                const std::string& file) const;
  // The one for which `is_it` holds: of several, the nearest to the file.
  const Manifest* find_nearest(const std::string& file,
                               const std::function<bool(const Manifest&)>& is_it) const;

 private:
  using ByFile = std::map<std::string, const Manifest*>;

  static const Manifest& nearest_to(const std::string& file, const ByFile& objects);

  std::deque<base::SourceFile> files_;
  // Kept, because they own the files that nodes refer to.
  std::vector<std::shared_ptr<const yaml::Relocator>> relocators_;
  base::Arena arena_;
  std::vector<Manifest> all_;
  std::map<std::tuple<std::string, std::string, std::string>, ByFile> named_;  // by kind, namespace and name
  std::map<std::pair<std::string, std::string>, ByFile> anywhere_;             // by kind and name
};

// A path of the repository without "./" and a slash at its begin, and not above its root.
std::string path_in(const std::string& repository, std::string_view path);

// The fields of these that are there: "spec.images".
std::vector<std::string> present(const yaml::Node* map, const std::string& prefix,
                                 std::initializer_list<std::string_view> fields);

// " (spot)" for objects that are applied to another cluster than the one they are in.
std::string other_cluster(const Manifest& object);

}  // namespace trainjobc::gitops
