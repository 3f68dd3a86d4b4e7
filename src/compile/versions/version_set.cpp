// SPDX-License-Identifier: Apache-2.0

#include "compile/versions/version_set.h"

#include <fmt/format.h>

#include <vector>

namespace trainjobc::compile {

std::string VersionSet::range() const {
  const auto rows = model::all_behaviours();
  std::vector<size_t> versions;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (has(i)) versions.push_back(i);
  }
  const size_t first = versions.front();
  const size_t last = versions.back();
  const bool is_run = last - first + 1 == versions.size();
  if (versions.size() > 1 && is_run && first == 0) return fmt::format("until {}", rows[last].trainer);
  if (is_run && last + 1 == rows.size()) return fmt::format("since {}", rows[first].trainer);
  std::string words = fmt::format("in {}", rows[first].trainer);
  for (size_t i = 1; i < versions.size(); ++i) {
    words += fmt::format("{}{}", i + 1 == versions.size() ? " and " : ", ", rows[versions[i]].trainer);
  }
  return words;
}

}  // namespace trainjobc::compile
