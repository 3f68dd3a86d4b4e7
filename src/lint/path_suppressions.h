// SPDX-License-Identifier: Apache-2.0

// The suppressions of the configuration, each of a rule in some files.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "lint/config.h"
#include "lint/glob_set.h"

namespace trainjobc::lint {

class PathSuppressions {
 public:
  explicit PathSuppressions(const Config& config);

  // Adds a file that was linted.
  void add(const base::SourceFile& file);

  // Whether the finding is suppressed.
  bool suppress(const base::Diagnostic& finding);

  // Those that suppressed nothing although they match linted files and `was_looked_at` is true for all of
  // these.
  std::vector<const PathSuppression*> unused(
      const std::function<bool(std::string_view file)>& was_looked_at) const;

 private:
  using RuleInFiles = std::pair<std::string_view, size_t>;  // a rule and the number of a glob

  // The numbers of the globs that the file matches.
  const std::vector<size_t>& globs_of(const base::SourceFile& file);

  template <class Predicate>
  bool any_glob(const PathSuppression& suppression, const Predicate& predicate) const;

  const Config& config_;
  GlobSet globs_;
  std::map<std::string, size_t> numbers_;  // of the globs
  std::map<RuleInFiles, bool> used_;
  std::vector<bool> reached_;  // by glob: a file that was linted matches it
  std::map<std::string_view, std::vector<size_t>> by_file_;
};

}  // namespace trainjobc::lint
