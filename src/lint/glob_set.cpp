// SPDX-License-Identifier: Apache-2.0

#include "lint/glob_set.h"

#include <algorithm>
#include <iterator>

#include "base/text/glob.h"

namespace trainjobc::lint {

void GlobSet::Index::add(std::string_view glob, size_t number) {
  const std::string_view text = glob.substr(0, glob.find_first_of("*?[\\"));
  globs[std::string(text)].push_back(number);
  lengths.insert(text.size());
}

void GlobSet::Index::find(std::string_view path, std::set<size_t>& numbers) const {
  for (const size_t length : lengths) {
    if (length > path.size()) break;
    const auto found = globs.find(path.substr(0, length));
    if (found != globs.end()) numbers.insert(found->second.begin(), found->second.end());
  }
}

size_t GlobSet::add(const std::string& glob) {
  const auto [at, is_new] = numbers_.try_emplace(glob, globs_.size());
  if (!is_new) return at->second;
  globs_.push_back(glob);
  const std::string_view text = glob;
  if (text.starts_with("**/")) {
    from_any_name_.add(text.substr(3), at->second);
  } else {
    from_root_.add(text, at->second);
  }
  return at->second;
}

std::vector<size_t> GlobSet::matches(std::string_view path) const {
  std::set<size_t> candidates;
  from_root_.find(path, candidates);
  for (size_t at = 0; at != std::string_view::npos && at <= path.size();) {
    from_any_name_.find(path.substr(at), candidates);
    const size_t slash = path.find('/', at);
    at = slash == std::string_view::npos ? slash : slash + 1;
  }
  std::vector<size_t> matching;
  std::ranges::copy_if(candidates, std::back_inserter(matching), [&](size_t number) {
    return base::matches_glob(globs_[number], path, base::Stars::Anything);
  });
  return matching;
}

}  // namespace trainjobc::lint
