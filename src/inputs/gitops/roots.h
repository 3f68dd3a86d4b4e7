// SPDX-License-Identifier: Apache-2.0

// The folders that a repository's objects of Flux and Argo CD name: what a cluster is made of.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "base/files/file_system.h"
#include "compile/compile.h"
#include "inputs/gitops/substitute.h"
#include "inputs/helm/build.h"

namespace trainjobc::gitops {

class Objects;
class OwnSource;
struct Manifest;

enum class Tool { Flux, ArgoCd };

// How the folder becomes manifests.
enum class Content { Kustomization, Files, Chart };

struct Root {
  Tool tool = Tool::Flux;
  std::string title;  // "Kustomization flux-system/apps"
  std::string place;  // "clusters/prod/apps.yaml:1"
  std::string file;   // of the object
  uint32_t line = 1;
  base::Location location;           // of the object
  const yaml::Node* spec = nullptr;  // of a Kustomization; of an Application, source.kustomize
  std::string folder;                // as paths of the working directory: "apps/prod"
  std::string cluster;               // the roots of one cluster have the same text: "clusters/prod"
  std::string ns;                    // of objects that have none; "": `default`
  std::string missing;               // why the folder can't be read; "" if it can
  Content content = Content::Files;
  bool is_implied = false;                        // no object names it, but it has objects that name roots
  std::shared_ptr<const void> memory;             // of `spec`, beside the objects
  std::shared_ptr<const base::FileSystem> files;  // those that the tool gets; nullptr: all

  // Of charts.
  helm::Release release;
  std::vector<std::string> without;  // "Secret team-a/keys": Flux takes values from it that are unknown
  helm::UnknownValues unknown_values;

  // Of Argo CD's directories.
  bool recurses = true;
  std::string include;  // globs, "": all
  std::string exclude;

  // Of Flux's postBuild.
  Variables variables;
  std::map<std::string, base::Location> definitions;  // of the variables
  std::set<std::string> unknown;                      // variables that a Secret sets: its values are not read
  std::vector<std::string> not_here;  // "ConfigMap flux-system/vars", of which no file defines the content
  std::vector<std::string> bad_variables;  // with names that Flux refuses
  bool always_substitutes = false;
  Strictness strictness = Strictness::Lax;

  std::vector<std::string> ignored;  // fields that change the objects and are not applied: "spec.images"

  std::vector<std::string>
      remarks;  // what else is to be said: "ConfigMap flux-system/vars is that of a.yaml"

  bool is_helm_release() const { return tool == Tool::Flux && content == Content::Chart; }

  // Flux replaces variables only if there are any.
  bool has_variables() const {
    return always_substitutes || !variables.empty() || !unknown.empty() || !not_here.empty();
  }
  std::string_view text_at(std::string_view field) const {
    return spec ? yaml::string_at(*spec, field) : std::string_view();
  }
};

// The repository, as Flux and Argo CD see it.
class Repository {
 public:
  // `at` is the folder to which paths of the objects are relative, `all` are the objects of all files.
  Repository(const base::FileSystem& on, std::string at, const Objects& all, const OwnSource& own)
      : files(on), folder(std::move(at)), objects(all), source(own) {}

  const base::FileSystem& files;
  const std::string folder;
  const Objects& objects;
  const OwnSource& source;

  // The files that Flux gets, if its source ignores these patterns.
  std::shared_ptr<const base::FileSystem> artifact(const std::string& ignore) const;

 private:
  mutable std::map<std::string, std::shared_ptr<const base::FileSystem>> artifacts_;
};

// The root that the object names, without its content.
Root root_of(const Manifest& object);
// Sets `content` if the root's folder has a kustomization, and `missing` if there is no such folder.
void find_content(const base::FileSystem& files, Root& root);
// Adds a values file to the release of a root; one that is not there is missing, unless it may be skipped.
void add_values_file(const base::FileSystem& files, std::string_view written, std::string path, bool may_skip,
                     Root& root);

// Reads the root of a Kustomization of Flux, without its variables.
Root read_flux(const Repository& repository, const Manifest& object);

// The name of a ConfigMap or Secret.
struct ObjectName {
  std::string kind;
  std::string ns;
  std::string name;

  std::string title() const;  // "ConfigMap flux-system/vars"
  auto operator<=>(const ObjectName&) const = default;
};
// The objects that the root takes variables from; its own object is in the namespace `ns`.
std::vector<ObjectName> substitute_sources(const Root& root, const std::string& ns);
// Sets the variables of the root: those of the named objects, and its own. `find` returns nullptr for an
// object that is not in the repository.
using FindObject = std::function<const yaml::Node*(const ObjectName&)>;
void add_variables(Root& root, const std::vector<ObjectName>& names, const FindObject& find);

// Returns a root for each of the Application's sources that is a folder.
std::vector<Root> read_application(const Repository& repository, const Manifest& object);

// The beginnings of the apiVersions of Flux's Kustomizations and HelmReleases.
inline constexpr std::string_view kKustomizationGroup = "kustomize.toolkit.fluxcd.io/";
inline constexpr std::string_view kHelmReleaseGroup = "helm.toolkit.fluxcd.io/";

// What a HelmRelease installs, with its values. ConfigMaps are looked for among the objects.
Root read_release(const Repository& repository, const Objects& objects, const Manifest& object);

// Returns the HelmReleases among the objects, all of which one cluster applies.
std::vector<Root> find_releases(const Repository& repository, const Objects& objects,
                                const std::string& cluster);

// The manifests of a root whose content is files: what Flux's kustomize-controller puts into the
// kustomization that it generates, or what Argo CD reads. `kustomizations` are the folders below it that Flux
// builds instead.
struct Manifests {
  std::vector<std::string> files;
  std::vector<std::string> kustomizations;
};
base::IoResult<Manifests> list_manifests(const base::FileSystem& files, const Root& root);

// Argo CD's globs: * matches slashes, too; {a,b} is one of them.
bool matches_argo_glob(std::string_view pattern, std::string_view path);

// The manifests of a root with its variables (inputs/gitops/render.cpp).
struct Rendered {
  Source source;               // all documents, as Flux applies them; their values are located in the files
  std::vector<Source> unread;  // files with an error: they stay as they are
  base::Diagnostics found;     // variables that nobody sets, and text that can't be substituted
  // Lines whose variables have no value, or one that is not read: by file.
  std::vector<std::pair<std::string, uint32_t>> undecided;
  std::function<void(base::Diagnostic&)> annotate;  // adds an explanation to findings on them
  std::shared_ptr<const void> memory;               // keeps what `found` refers to
};

// `name` is the name of the resulting source.
Rendered render(const Root& root, const std::vector<Source>& sources, std::string name);

}  // namespace trainjobc::gitops
