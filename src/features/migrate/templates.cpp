// SPDX-License-Identifier: Apache-2.0

// Migrates inputs with placeholders twice, with different stand-ins. If both give the same text once the
// placeholders are back, their values don't matter.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "features/migrate/migrate.h"
#include "features/migrate/placeholders.h"
#include "yaml/read/reader.h"

namespace trainjobc::migrate {
namespace {

Migration migrate_filled(std::vector<Source> inputs, const std::vector<Source>& runtimes,
                         MigrateOptions options, const Placeholders& placeholders) {
  options.placeholders = &placeholders;
  return migrate_once(std::move(inputs), runtimes, options);
}

// Whether the new text is readable, and the same for all values of the placeholders, judging by a second
// migration with other stand-ins.
bool is_exact(const MigratedFile& file, const Placeholders& placeholders, const Migration& other,
              const Placeholders& others) {
  const auto same = std::ranges::find(other.files, file.name, &MigratedFile::name);
  const std::string text = placeholders.put_back(file.new_text);
  if (same == other.files.end() || others.put_back(same->new_text) != text) return false;
  const base::SourceFile read("", text);
  base::Arena arena;
  base::Diagnostics problems;
  yaml::read(read, arena, problems);
  return !problems.has_errors();
}

// Files whose migration depends on the values, and files that can't be migrated with stand-ins.
std::set<std::string> inexact_files(const Migration& migration, const Placeholders& placeholders,
                                    const Migration& other, const Placeholders& others) {
  std::set<std::string> inexact;
  for (const MigratedFile& file : migration.files) {
    if (!is_exact(file, placeholders, other, others)) inexact.insert(file.name);
  }
  for (const base::Diagnostic& finding : migration.findings.items()) {
    if (finding.severity != base::Severity::Error || !finding.location.file) continue;
    const std::string& name = finding.location.file->name();
    if (placeholders.knows(name) && !placeholders.are_needed(name)) inexact.insert(name);
  }
  return inexact;
}

// The text without the part that differs in the other one: a number that was computed from a stand-in.
std::string without_computed(const std::string& text, const std::string& other) {
  if (text == other) return text;
  const size_t most = std::min(text.size(), other.size());
  size_t begin = 0;
  while (begin < most && text[begin] == other[begin]) ++begin;
  size_t end = 0;
  while (end < most - begin && text[text.size() - 1 - end] == other[other.size() - 1 - end]) ++end;
  while (begin > 0 && base::is_digit(text[begin - 1])) --begin;
  while (end > 0 && base::is_digit(text[text.size() - end])) --end;
  return text.substr(0, begin) + "…" + text.substr(text.size() - end);
}

// The migration with its placeholders back in place; `other` is one with other stand-ins.
Migration with_placeholders(Migration migration, const Placeholders& placeholders, const Migration& other,
                            const Placeholders& others) {
  const auto put_back = [&](std::string& text) { text = placeholders.put_back(text); };
  for (MigratedFile& file : migration.files) {
    put_back(file.old_text);
    put_back(file.new_text);
    if (!placeholders.knows(file.name)) put_back(file.name);  // a new runtime's file
  }
  for (Outcome& outcome : migration.outcomes) {
    put_back(outcome.object);
    put_back(outcome.runtime_file);
    std::ranges::for_each(outcome.becomes, put_back);
  }
  for (LintedObject& object : migration.linted) put_back(object.object);
  const auto place_of = [](const base::Diagnostic& finding) {
    const std::string_view file = finding.location.file ? finding.location.file->name() : std::string_view();
    return std::tuple(file, finding.location.line, finding.location.column, finding.rule, finding.field);
  };
  std::map<decltype(place_of(base::Diagnostic())), base::Diagnostic> by_place;
  for (const base::Diagnostic& finding : other.findings.items()) {
    base::Diagnostic same = others.put_back(finding);
    by_place.try_emplace(place_of(same), std::move(same));
  }
  base::Diagnostics findings;
  for (const base::Diagnostic& finding : migration.findings.items()) {
    base::Diagnostic own = placeholders.put_back(finding);
    if (const auto same = by_place.find(place_of(own)); same != by_place.end()) {
      own.message = without_computed(own.message, same->second.message);
      own.hint = without_computed(own.hint, same->second.hint);
    }
    findings.add(std::move(own));
  }
  findings.sort();
  migration.findings = std::move(findings);
  migration.memory.push_back(placeholders.memory());
  return migration;
}

// The files that kustomizations read, which must stay as they are.
std::set<std::string> kustomized_files(const std::vector<Source>& inputs, const MigrateOptions& options) {
  std::set<std::string> files;
  for (const Source& input : inputs) {
    const std::string path = base::absolute_path(input.name);
    const auto reads = [&](const auto& tree) { return tree->files().contains(path); };
    if (std::ranges::any_of(options.kustomizations, reads)) files.insert(input.name);
  }
  return files;
}

// Whether all texts with stand-ins equal those of a migration of more files, in which they were exact.
bool is_part_of(const Migration& part, const Placeholders& placeholders, const Migration& whole,
                const Placeholders& of_whole) {
  return std::ranges::all_of(part.files, [&](const MigratedFile& file) {
    const std::string text = placeholders.put_back(file.new_text);
    if (text == file.new_text) return true;
    const auto same = std::ranges::find(whole.files, file.name, &MigratedFile::name);
    return same != whole.files.end() && of_whole.put_back(same->new_text) == text;
  });
}

}  // namespace

Migration migrate(std::vector<Source> inputs, std::vector<Source> runtimes, const MigrateOptions& options) {
  std::set<std::string> without = kustomized_files(inputs, options);
  std::vector<Source> filled = inputs;
  const Placeholders placeholders(filled, without, 0);
  if (placeholders.empty()) {
    std::vector<Source>().swap(filled);
    return migrate_once(std::move(inputs), std::move(runtimes), options);
  }
  std::vector<Source> other = inputs;
  const Placeholders others(other, without, 1);
  Migration made = migrate_filled(std::move(filled), runtimes, options, placeholders);
  const Migration second = migrate_filled(std::move(other), runtimes, options, others);
  const std::set<std::string> inexact = inexact_files(made, placeholders, second, others);
  if (inexact.empty() && made.files.size() == second.files.size())
    return with_placeholders(std::move(made), placeholders, second, others);
  // Migrate again, without stand-ins in files where they can't stay.
  const auto is_known = [&](const std::string& file) { return placeholders.knows(file); };
  without.insert(inexact.begin(), inexact.end());
  std::vector<Source> part = inputs;
  const Placeholders kept(part, without, 2);
  if (!inexact.empty() && std::ranges::all_of(inexact, is_known) && !kept.empty()) {
    Migration less = migrate_filled(std::move(part), runtimes, options, kept);
    if (is_part_of(less, kept, made, placeholders))
      return with_placeholders(std::move(less), kept, made, placeholders);
  }
  return migrate_once(std::move(inputs), std::move(runtimes), options);
}

}  // namespace trainjobc::migrate
