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

// All files of the chart, and those of the values; `call` is helm's command line. nullptr if not all that
// decides is known: the time, chance, packed charts, symbolic links.
std::shared_ptr<const base::Dependencies> dependencies_of(const base::FileSystem& files,
                                                          const Release& release, const Chart& chart,
                                                          std::string call);

}  // namespace trainjobc::helm
