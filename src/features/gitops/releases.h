// SPDX-License-Identifier: Apache-2.0

// Flux's HelmReleases of charts in the repository.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files/file_system.h"
#include "compile/compile.h"
#include "features/gitops/objects.h"
#include "features/gitops/roots.h"

namespace trainjobc::gitops {

inline constexpr std::string_view kHelmReleaseGroup = "helm.toolkit.fluxcd.io/";

// What a HelmRelease installs, with its values. ConfigMaps are looked for among the objects.
Root read_release(const base::FileSystem& files, const Objects& objects, const std::string& repository,
                  const Manifest& object);

// Those among the sources, which one cluster applies.
std::vector<Root> find_releases(const base::FileSystem& files, const std::vector<Source>& sources,
                                const std::string& repository, const std::string& cluster);

}  // namespace trainjobc::gitops
