// SPDX-License-Identifier: Apache-2.0

// What Flux's kustomize-controller and Argo CD change in a kustomization before they build it. Plain folders
// whose objects get only another namespace or name are changed here, without kustomize. Source of the rules:
// github.com/fluxcd/pkg/kustomize, Generator; util/kustomize of Argo CD.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/files/file_system.h"
#include "inputs/gitops/roots.h"
#include "inputs/kustomize/build.h"
#include "yaml/node.h"

namespace trainjobc::gitops {

// Whether the root's object sets fields that only kustomize can apply.
bool needs_kustomize(const Root& root);

// Makes the kustomization that kustomize then builds; `manifests` are the files of a root that has none.
std::shared_ptr<const kustomize::Replacement> replacement_of(const base::FileSystem& files, const Root& root,
                                                             const Manifests& manifests,
                                                             std::shared_ptr<const void> memory);

// What Flux does with the objects of plain files, since it builds these with kustomize, too:

// Returns the items of a List; for any other object, the object itself.
std::vector<const yaml::Node*> objects_of(const yaml::Node& root);
// Whether kustomize leaves the object out.
bool is_local_config(const yaml::Node& object);
// Reads words of YAML 1.1, such as on and no, as strings, and dates as time stamps.
const yaml::Node* as_kustomize_reads(const yaml::Node& node, const yaml::Maker& make);
// Applies targetNamespace, namePrefix and nameSuffix, if no other field needs kustomize.
const yaml::Node* with_overlay(const Root& root, const yaml::Node& object, const yaml::Maker& make);

// Applies commonMetadata, as the last step.
const yaml::Node* with_common_metadata(const Root& root, const yaml::Node& object, const yaml::Maker& make);

// Whether the root's fields change the objects of its files.
bool is_changed(const Root& root);
bool is_read_differently(const Source& source);

// A document because of which kustomize can't read its file.
struct Refused {
  base::Location at;
  std::string_view why;
};
struct RefusedDocuments {
  std::vector<Refused> found;
  std::shared_ptr<const void> memory;  // keeps what `found` refers to
};
RefusedDocuments find_refused(const Source& source);

}  // namespace trainjobc::gitops
