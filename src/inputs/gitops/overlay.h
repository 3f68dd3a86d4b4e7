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

// Whether kustomize has to apply the object's fields.
bool needs_kustomize(const Root& root);

// The kustomization that it is given then; `manifests` are those of a root without one.
std::shared_ptr<const kustomize::Replacement> replacement_of(const base::FileSystem& files, const Root& root,
                                                             const Manifests& manifests,
                                                             std::shared_ptr<const void> memory);

// What Flux does with the objects of plain files, which go through kustomize:

// The items of a List; otherwise the object.
std::vector<const yaml::Node*> objects_of(const yaml::Node& root);
// Whether kustomize leaves it out.
bool is_local_config(const yaml::Node& object);
// Words of YAML 1.1, such as on and no, are strings, and dates are time stamps.
const yaml::Node* as_kustomize_reads(const yaml::Node& node, const yaml::Maker& make);
// With targetNamespace, namePrefix and nameSuffix, if kustomize is not needed for others.
const yaml::Node* with_overlay(const Root& root, const yaml::Node& object, const yaml::Maker& make);

// With commonMetadata, which comes last.
const yaml::Node* with_common_metadata(const Root& root, const yaml::Node& object, const yaml::Maker& make);

// Whether an object of these files becomes another one.
bool is_changed(const Root& root);
bool is_read_differently(const Source& source);

// A document that keeps kustomize from reading its file.
struct Refused {
  base::Location at;
  std::string_view why;
};
struct RefusedDocuments {
  std::vector<Refused> found;
  std::shared_ptr<const void> memory;  // of `found`
};
RefusedDocuments find_refused(const Source& source);

}  // namespace trainjobc::gitops
