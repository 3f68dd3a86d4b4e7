// SPDX-License-Identifier: Apache-2.0

#include "lint/path_suppressions.h"

#include <algorithm>

#include "base/files/paths.h"

namespace trainjobc::lint {
namespace {

// A file's name as the globs of the configuration see it: relative to the configuration's folder.
std::string relative_to(const std::string& name, const std::string& folder) {
  if (name.starts_with('<')) return name;  // <stdin>
  const std::string path =
      base::path_from(base::absolute_path(name), base::absolute_path(folder.empty() ? "." : folder));
  return path.empty() ? name : path;
}

}  // namespace

PathSuppressions::PathSuppressions(const Config& config) : config_(config) {
  for (const PathSuppression& suppression : config.suppressions) {
    for (const std::string& glob : suppression.paths) {
      const size_t number = globs_.add(glob);
      numbers_.emplace(glob, number);
      used_.emplace(RuleInFiles(suppression.rule, number), false);
    }
  }
  reached_.resize(globs_.size());
}

void PathSuppressions::add(const base::SourceFile& file) {
  for (const size_t glob : globs_of(file)) reached_[glob] = true;
}

bool PathSuppressions::suppress(const base::Diagnostic& finding) {
  if (!finding.location.file || used_.empty()) return false;
  bool found = false;
  for (const size_t glob : globs_of(*finding.location.file)) {
    const auto rule = used_.find(RuleInFiles(finding.rule, glob));
    if (rule == used_.end()) continue;
    rule->second = true;
    found = true;
  }
  return found;
}

std::vector<const PathSuppression*> PathSuppressions::unused(
    const std::function<bool(std::string_view file)>& was_looked_at) const {
  std::vector<bool> is_open(globs_.size());  // a file that matches it was not checked
  for (const auto& [file, globs] : by_file_) {
    if (globs.empty() || was_looked_at(file)) continue;
    for (const size_t glob : globs) is_open[glob] = true;
  }
  std::vector<const PathSuppression*> unused;
  for (const PathSuppression& suppression : config_.suppressions) {
    const auto is_used = [&](size_t glob) { return used_.at(RuleInFiles(suppression.rule, glob)); };
    const auto is_reached = [&](size_t glob) { return reached_[glob]; };
    const auto may_be_used = [&](size_t glob) { return is_open[glob]; };
    if (any_glob(suppression, is_reached) && !any_glob(suppression, is_used) &&
        !any_glob(suppression, may_be_used)) {
      unused.push_back(&suppression);
    }
  }
  return unused;
}

const std::vector<size_t>& PathSuppressions::globs_of(const base::SourceFile& file) {
  const auto [at, is_new] = by_file_.try_emplace(file.name());
  if (is_new && globs_.size() > 0) at->second = globs_.matches(relative_to(file.name(), config_.folder));
  return at->second;
}

template <class Predicate>
bool PathSuppressions::any_glob(const PathSuppression& suppression, const Predicate& predicate) const {
  return std::ranges::any_of(suppression.paths,
                             [&](const std::string& glob) { return predicate(numbers_.at(glob)); });
}

}  // namespace trainjobc::lint
