// SPDX-License-Identifier: Apache-2.0

// Which files decide what kustomize builds.
#pragma once

#include <memory>

#include "base/files/file_system.h"
#include "base/process.h"
#include "inputs/kustomize/kustomization.h"

namespace trainjobc::kustomize {

// All of them; nullptr if they are not known, or not all that decides: what kustomize fetches, plugins,
// variables of the environment, symbolic links.
std::shared_ptr<const base::Dependencies> dependencies_of(const base::FileSystem& files, const Tree& tree);

}  // namespace trainjobc::kustomize
