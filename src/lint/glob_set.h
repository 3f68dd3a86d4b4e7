// SPDX-License-Identifier: Apache-2.0

// Many globs; finds those that a path matches.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::lint {

// Tries only the globs whose text before the first wildcard is in the path at the right position: at its
// beginning, or, after `**/`, at the beginning of a name.
class GlobSet {
 public:
  // Returns the glob's number, counted from 0; a glob that was added before keeps its number.
  size_t add(const std::string& glob);
  size_t size() const { return globs_.size(); }

  // Numbers, in order.
  std::vector<size_t> matches(std::string_view path) const;

 private:
  // By the text before the first wildcard.
  struct Index {
    std::map<std::string, std::vector<size_t>, std::less<>> globs;
    std::set<size_t> lengths;  // of those texts

    void add(std::string_view glob, size_t number);
    void find(std::string_view path, std::set<size_t>& numbers) const;
  };

  std::map<std::string, size_t> numbers_;
  std::vector<std::string> globs_;
  Index from_root_;
  Index from_any_name_;
};

}  // namespace trainjobc::lint
