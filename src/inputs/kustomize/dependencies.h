// SPDX-License-Identifier: Apache-2.0

// Which files decide what kustomize builds.
#pragma once

#include <memory>

#include "base/files/file_system.h"
#include "base/process.h"
#include "inputs/kustomize/kustomization.h"

namespace trainjobc::kustomize {

// Returns all files that decide; nullptr if they are not known, or if something else may decide: what
// kustomize fetches, plugins, environment variables, symbolic links.
std::shared_ptr<const base::Dependencies> dependencies_of(const base::FileSystem& files, const Tree& tree);

}  // namespace trainjobc::kustomize
