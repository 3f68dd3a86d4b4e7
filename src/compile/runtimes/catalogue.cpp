// SPDX-License-Identifier: Apache-2.0

#include "compile/runtimes/catalogue.h"

#include <algorithm>

namespace trainjobc::compile {

const CatalogueFile* find_catalogue_runtime(std::string_view version, std::string_view name) {
  constexpr std::string_view kSuffix = ".yaml";
  const auto files = catalogue_files();
  const auto found = std::ranges::find_if(files, [&](const CatalogueFile& file) {
    return file.version == version && file.name.ends_with(kSuffix) &&
           file.name.substr(0, file.name.size() - kSuffix.size()) == name;
  });
  return found != files.end() ? &*found : nullptr;
}

}  // namespace trainjobc::compile
