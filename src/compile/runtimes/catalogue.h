// SPDX-License-Identifier: Apache-2.0

// The built-in runtime catalogue.
#pragma once

#include <string_view>

#include "compile/runtimes/catalogue_files.h"

namespace trainjobc::compile {

// The catalogue's text for a runtime of a Trainer version; nullptr if there is none of that name.
const CatalogueFile* find_catalogue_runtime(std::string_view version, std::string_view name);

}  // namespace trainjobc::compile
