// SPDX-License-Identifier: Apache-2.0

#include "lint/lint.h"

#include <algorithm>
#include <utility>

#include "lint/fix.h"

namespace trainjobc::lint {
namespace {

constexpr int kRounds = 10;

base::Severity least_severity(const std::string& level) {
  return level == "warning" ? base::Severity::Warning : base::Severity::Error;
}

// Removes the fixes for files other than these.
base::Diagnostics fixable(base::Diagnostics diagnostics, const std::vector<std::string>& files) {
  const auto is_input = [&](const base::Edit& edit) {
    return edit.range.file && std::ranges::binary_search(files, edit.range.file->name());
  };
  diagnostics.retain([&](base::Diagnostic& diagnostic) {
    if (!std::ranges::all_of(diagnostic.fix, is_input)) diagnostic.fix.clear();
    return true;
  });
  return diagnostics;
}

void apply(const FixedFiles& fixed, std::vector<InputGroup>& groups) {
  for (InputGroup& group : groups) {
    for (Source& source : group.inputs) {
      const auto text = fixed.texts.find(source.name);
      if (text != fixed.texts.end()) source.text = text->second;
    }
  }
}

}  // namespace

bool Findings::fails(const base::Diagnostic& finding) const {
  const auto is_enough = [&](const std::string& level) {
    return level != "never" && finding.severity <= least_severity(level);
  };
  const base::SourceFile* file = finding.location.file;
  const auto level = file ? levels.find(file->name()) : levels.end();
  if (level != levels.end()) return is_enough(level->second);
  return std::ranges::any_of(levels, [&](const auto& entry) { return is_enough(entry.second); });
}

Findings find(std::vector<InputGroup> groups, const Options& options, const std::string& fail_on) {
  Findings findings;
  for (const InputGroup& group : groups) {
    findings.configs.push_back(group.config);
    for (const Source& source : group.inputs) {
      findings.files.push_back(source.name);
      findings.levels[source.name] = fail_on.empty() ? group.config->fail_on.value_or("error") : fail_on;
    }
  }
  std::ranges::sort(findings.files);
  GroupedCompilation grouped = find_in_groups(std::move(groups), options);
  findings.diagnostics = fixable(apply_configs(std::move(grouped.governed)), findings.files);
  findings.compiled = std::move(grouped.all);
  return findings;
}

size_t fix(std::vector<InputGroup>& groups, Findings& findings, const Options& options,
           const std::string& fail_on) {
  size_t applied = 0;
  for (int round = 0; round < kRounds; ++round) {
    const FixedFiles fixed = apply_fixes(findings.diagnostics);
    if (fixed.applied == 0) break;
    applied += fixed.applied;
    apply(fixed, groups);
    findings = find(groups, options, fail_on);
  }
  findings.diagnostics =
      fixable(std::move(findings.diagnostics), {});  // the remaining fixes can't be applied
  return applied;
}

}  // namespace trainjobc::lint
