// SPDX-License-Identifier: Apache-2.0

// What kustomize does not know about Trainer's kinds: its transformers change fields of Kubernetes' own kinds
// only, unless `configurations` lists others.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "inputs/kustomize/kustomization.h"

namespace trainjobc::kustomize {

// The configuration that lists the fields, as `trainjobc kustomize-config` prints it, and the file of its
// --openapi: by which keys lists are merged.
std::string configuration();
std::string merge_keys();

// Reports what kustomize did to TrainJobs and runtimes because it does not know their fields: entries of
// `images` that did not reach a job, references to generated ConfigMaps and Secrets without the hash of their
// name, and lists that a patch has replaced. `built` is the text that was built from the tree, which the
// locations refer to.
base::Diagnostics check_built(const Tree& tree, const std::string& built);

// Checks a patch, or an object that patches complete: its fields are checked, but no missing ones are
// reported. Documents that aren't of Trainer's kinds are skipped.
base::Diagnostics check_fields(std::span<const yaml::Node* const> documents);

// Explains a finding on a missing field that a list in the file has: a patch has replaced the whole list,
// because kustomize knows no merge keys for these kinds. Moves the finding to the patch.
void explain_replaced_list(const Tree& tree, base::Diagnostic& found);

// Hints for the names of runtimes that namePrefix or nameSuffix has changed, by the name before.
std::map<std::string, std::string, std::less<>> renamed_runtimes(const Tree& tree);

}  // namespace trainjobc::kustomize
