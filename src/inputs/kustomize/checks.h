// SPDX-License-Identifier: Apache-2.0

// What kustomize does not know of Trainer's kinds: its transformers change the fields of Kubernetes' own
// kinds only, unless `configurations` names more.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "inputs/kustomize/kustomization.h"

namespace trainjobc::kustomize {

// The configuration that tells it: what `trainjobc kustomize-config` prints.
std::string configuration();

// Entries of `images` that were meant for a TrainJob and did not reach it. `built` is the text that was built
// from the tree, which the locations refer to.
base::Diagnostics check_images(const Tree& tree, const std::string& built);

// A patch, or an object that patches complete, is not a whole object: its fields are checked, but not which
// ones it lacks. What isn't of one of Trainer's kinds is passed over.
base::Diagnostics check_fields(std::span<const yaml::Node* const> documents);

// What a field lacks that was in a list of the file: a patch has replaced the list as a whole, since
// kustomize knows no merge keys of these kinds. Moves such a finding to the patch.
void explain_replaced_list(const Tree& tree, base::Diagnostic& found);

// Hints for the names of runtimes that namePrefix or nameSuffix has changed, by the name before.
std::map<std::string, std::string, std::less<>> renamed_runtimes(const Tree& tree);

}  // namespace trainjobc::kustomize
