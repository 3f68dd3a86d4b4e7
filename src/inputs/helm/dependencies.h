// SPDX-License-Identifier: Apache-2.0

// Which files decide what helm renders.
#pragma once

#include <memory>
#include <string>

#include "base/files/file_system.h"
#include "base/process.h"
#include "inputs/helm/build.h"
#include "inputs/helm/chart.h"

namespace trainjobc::helm {

// Returns all files of the chart and of the values; `call` is helm's command line. nullptr if the output may
// depend on anything else: the time, chance, packed charts, symbolic links.
std::shared_ptr<const base::Dependencies> dependencies_of(const base::FileSystem& files,
                                                          const Release& release, const Chart& chart,
                                                          std::string call);

}  // namespace trainjobc::helm
