// SPDX-License-Identifier: Apache-2.0

// Patches for kinds that kustomize has no schema for, such as TrainJobs: applies them, and creates them from
// two versions of an object. A patch replaces lists as a whole. Source of the rules:
// sigs.k8s.io/kustomize/kyaml, merge2.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::kustomize {

// Returns the object with the document or the operations applied; nullptr if they don't fit it.
const yaml::Node* apply_patch(const yaml::Node& object, const yaml::Node& body, const yaml::Maker& make);

// Returns the document that turns `before` into `after`; nullptr if they are equal.
const yaml::Node* merge_patch(const yaml::Node& before, const yaml::Node& after, const yaml::Maker& make);

// Returns the operations that turn `before` into `after`: [{op: replace, path: /spec/…, value: …}]. Their
// paths begin with `prefix`.
std::vector<const yaml::Node*> operations(const yaml::Node& before, const yaml::Node& after,
                                          const std::string& prefix, const yaml::Maker& make);

// The path of a field: keys and indexes of items.
using FieldPath = std::vector<std::string>;

// The steps of a JSON pointer: "/spec/trainer/env/-".
FieldPath parse_pointer(std::string_view pointer);

// Parses a path as in replacements: "spec.containers.[name=node].image"; nullopt if it doesn't name a single
// field.
std::optional<FieldPath> parse_field_path(std::string_view text);
// The value at the path, following indexes and [key=value]; nullptr if there is none.
const yaml::Node* find_field(const yaml::Node& root, const FieldPath& path);
// Returns the tree with another value at the path.
const yaml::Node* with_field(const yaml::Node& root, std::span<const std::string> path,
                             const yaml::Node* value, const yaml::Maker& make);
// The paths of the values that are equal to `value`, in the notation of replacements.
std::vector<std::string> field_paths_of(const yaml::Node& root, const yaml::Node& value);

}  // namespace trainjobc::kustomize
