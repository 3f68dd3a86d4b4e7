// SPDX-License-Identifier: Apache-2.0

// Patches of kinds that kustomize has no schema for, such as jobs: applied to an object, and made of the
// difference of two. Lists of a document are replaced as a whole. Source of the rules:
// sigs.k8s.io/kustomize/kyaml, merge2.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::kustomize {

// The object with the document or the operations applied; nullptr if they don't fit it.
const yaml::Node* apply_patch(const yaml::Node& object, const yaml::Node& body, const yaml::Maker& make);

// What a document has to say so that `before` becomes `after`; nullptr if they are equal.
const yaml::Node* merge_patch(const yaml::Node& before, const yaml::Node& after, const yaml::Maker& make);

// The operations that turn `before` into `after`: [{op: replace, path: /spec/…, value: …}]. Paths begin with
// `prefix`.
std::vector<const yaml::Node*> operations(const yaml::Node& before, const yaml::Node& after,
                                          const std::string& prefix, const yaml::Maker& make);

// A field of an object: keys and indexes of items.
using FieldPath = std::vector<std::string>;

// The steps of a JSON pointer: "/spec/trainer/env/-".
FieldPath parse_pointer(std::string_view pointer);

// As replacements write it: "spec.containers.[name=node].image"; nullopt for what names no single field.
std::optional<FieldPath> parse_field_path(std::string_view text);
// The value there, following indexes and [key=value]; nullptr if there is none.
const yaml::Node* find_field(const yaml::Node& root, const FieldPath& path);
// The tree with another value there.
const yaml::Node* with_field(const yaml::Node& root, std::span<const std::string> path,
                             const yaml::Node* value, const yaml::Maker& make);
// The paths of the values that are equal to `value`, as replacements write them.
std::vector<std::string> field_paths_of(const yaml::Node& root, const yaml::Node& value);

}  // namespace trainjobc::kustomize
