// SPDX-License-Identifier: Apache-2.0

#include "inputs/gitops/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/diagnostic.h"
#include "base/files/paths.h"
#include "inputs/gitops/roots.h"
#include "yaml/read/reader.h"

namespace trainjobc::gitops {

using yaml::Node;

namespace {

size_t common_length(const std::string& a, const std::string& b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

bool may_have_objects(std::string_view text) {
  for (const std::string_view word : {"toolkit.fluxcd.io/", "source.extensions.fluxcd.io/", "argoproj.io/",
                                      "kind: ConfigMap", "kind: Secret"}) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

std::string Manifest::title() const {
  return ns().empty() ? fmt::format("{} {}", kind(), name()) : fmt::format("{} {}/{}", kind(), ns(), name());
}

std::string Manifest::place() const {
  return fmt::format("{}:{}", base::normal_path(file), line);
}

bool Manifest::is(std::string_view group, std::string_view kind_of) const {
  return kind() == kind_of && yaml::string_at(*root, "apiVersion").starts_with(group) && root->get("spec") &&
         root->get("spec")->is_map();
}

Objects::Objects(const std::vector<Source>& sources) {
  for (const Source& source : sources) {
    if (!may_have_objects(source.text)) continue;
    const base::SourceFile& file = files_.emplace_back(base::normal_path(source.name), source.text);
    if (source.relocator) relocators_.push_back(source.relocator);
    base::Diagnostics ignored;
    for (const yaml::Document& document : yaml::read(file, arena_, ignored)) {
      if (!document.root->is_map()) continue;
      const Node* written =
          source.relocator ? source.relocator->relocate(*document.root, yaml::Maker(arena_)) : document.root;
      const base::Location at = yaml::locate(*written);
      all_.push_back({written, at.file ? at.file->name() : source.name, at.line});
    }
  }
  for (const Manifest& object : all_) {
    named_[{std::string(object.kind()), object.ns(), object.name()}].try_emplace(object.file, &object);
    anywhere_[{std::string(object.kind()), object.name()}].try_emplace(object.file, &object);
  }
}

const Manifest* Objects::find(std::string_view kind, const std::string& ns, const std::string& name,
                              const std::string& file) const {
  const Manifest* best = nullptr;
  size_t most = 0;
  for (const std::string& own_ns : {ns, std::string()}) {
    const auto named = named_.find(std::tuple(std::string(kind), own_ns, name));
    if (named == named_.end()) continue;
    const Manifest& nearest = nearest_to(file, named->second);
    const size_t common = common_length(nearest.file, file);
    if (best && common <= most) continue;
    best = &nearest;
    most = common;
  }
  return best;
}

const Manifest* Objects::find_anywhere(std::string_view kind, const std::string& name,
                                       const std::string& file) const {
  const auto named = anywhere_.find(std::pair(std::string(kind), name));
  return named != anywhere_.end() ? &nearest_to(file, named->second) : nullptr;
}

const Manifest* Objects::find_nearest(const std::string& file,
                                      const std::function<bool(const Manifest&)>& is_it) const {
  const Manifest* nearest = nullptr;
  for (const Manifest& object : all_) {
    if (!is_it(object)) continue;
    if (!nearest || common_length(object.file, file) > common_length(nearest->file, file)) nearest = &object;
  }
  return nearest;
}

std::vector<const Manifest*> Objects::find_all(std::string_view kind, const std::string& ns,
                                               const std::string& name) const {
  std::vector<const Manifest*> found;
  for (const std::string& own_ns : {ns, std::string()}) {
    const auto named = named_.find(std::tuple(std::string(kind), own_ns, name));
    if (named == named_.end()) continue;
    for (const auto& [file, object] : named->second) found.push_back(object);
    if (ns.empty()) break;
  }
  return found;
}

std::string ObjectName::title() const {
  return ns.empty() ? fmt::format("{} {}", kind, name) : fmt::format("{} {}/{}", kind, ns, name);
}

// The one whose path has the longest beginning in common; of several, the first.
const Manifest& Objects::nearest_to(const std::string& file, const ByFile& objects) {
  const auto after = objects.lower_bound(file);
  size_t common = after != objects.end() ? common_length(after->first, file) : 0;
  if (after != objects.begin()) common = std::max(common, common_length(std::prev(after)->first, file));
  return *objects.lower_bound(file.substr(0, common))->second;
}

std::string path_in(const std::string& repository, std::string_view path) {
  std::string inside = base::normal_path(fmt::format("/{}", path));
  return base::shortest_path(base::absolute_path(repository) + (inside == "/" ? "" : inside));
}

std::vector<std::string> present(const Node* map, const std::string& prefix,
                                 std::initializer_list<std::string_view> fields) {
  std::vector<std::string> found;
  for (const std::string_view field : fields) {
    const Node* value = map ? map->get(field) : nullptr;
    if (value && !value->is_null()) found.push_back(fmt::format("{}.{}", prefix, field));
  }
  return found;
}

std::string other_cluster(const Manifest& object) {
  const Node& spec = *object.root->get("spec");
  std::string_view other = yaml::string_at(spec, {"kubeConfig", "secretRef", "name"});
  if (other.empty()) other = yaml::string_at(spec, {"destination", "name"});
  if (other.empty()) other = yaml::string_at(spec, {"destination", "server"});
  const bool is_own = other.empty() || other == "in-cluster" || other == "https://kubernetes.default.svc";
  return is_own ? "" : fmt::format(" ({})", other);
}

}  // namespace trainjobc::gitops
