// SPDX-License-Identifier: Apache-2.0

// The built-in runtime catalogue, templates/v*/*.yaml, as of the build of the binary.
#pragma once

#include <span>
#include <string_view>

namespace trainjobc::compile {

struct CatalogueFile {
  std::string_view version;  // of Trainer: "2.3"
  std::string_view name;     // "torch_distributed.yaml"
  std::string_view text;
};

// Oldest version first, by name within a version.
std::span<const CatalogueFile> catalogue_files();

}  // namespace trainjobc::compile
