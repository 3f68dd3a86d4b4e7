// SPDX-License-Identifier: Apache-2.0

// Where the values of a built kustomization come from: the base or the patch that has the value, the field of the
// kustomization that set it, or else the place of the nearest field that a file has.
#pragma once

#include <memory>

#include "features/kustomize/kustomization.h"
#include "yaml/read/reader.h"

namespace trainjobc::kustomize {

// The repository of an image, without tag and digest.
std::string_view repository_of(std::string_view image);

std::shared_ptr<const yaml::Relocator> make_relocator(std::shared_ptr<const Tree> tree);

}  // namespace trainjobc::kustomize
