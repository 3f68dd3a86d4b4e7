// SPDX-License-Identifier: Apache-2.0

// The manifests of a root with its variables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "features/gitops/roots.h"

namespace trainjobc::gitops {

struct Rendered {
  Source source;                // all documents, as Flux applies them; their values are located in the files
  std::vector<Source> unread;   // files with an error: they stay as they are
  base::Diagnostics found;      // variables that nobody sets, and text that can't be substituted
  // Lines whose variables have no value, or one that is not read: by file.
  std::vector<std::pair<std::string, uint32_t>> undecided;
  std::shared_ptr<const void> memory;  // of `found`
};

// `name` is that of the resulting source. The root has variables.
Rendered render(const Root& root, const std::vector<Source>& sources, std::string name);

}  // namespace trainjobc::gitops
