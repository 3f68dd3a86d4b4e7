// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "features/migrate/migrate.h"
#include "lint/report/document.h"
#include "lint/report/findings.h"
#include "lint/report/json.h"
#include "model/trainer_names.h"
#include "rules/rules.h"

namespace trainjobc::migrate {
namespace {

using base::Diagnostic;
using report::Json;

bool is_runtime(const std::string& object) {
  return model::is_runtime_kind(std::string_view(object).substr(0, object.find('/')));
}

std::string_view to_string(Fate fate) {
  switch (fate) {
    case Fate::Migrated: return "migrated";
    case Fate::Unchanged: return "unchanged";
    case Fate::Left: break;
  }
  return "left";
}

// A file of the migration, in the order in which to apply the files, with the runtimes in it.
struct AppliedFile {
  std::string file;
  std::vector<std::string> runtimes;
};

std::vector<AppliedFile> files_to_apply(const Migration& migration) {
  std::vector<AppliedFile> files;
  std::vector<AppliedFile> apart;
  for (const Outcome& outcome : migration.outcomes) {
    if (outcome.fate == Fate::Left) continue;
    if (files.empty() || files.back().file != outcome.file) files.push_back({outcome.file, {}});
    std::vector<std::string>& runtimes =
        outcome.runtime_file.empty() ? files.back().runtimes
                                     : apart.emplace_back(AppliedFile{outcome.runtime_file, {}}).runtimes;
    std::ranges::copy_if(outcome.becomes, std::back_inserter(runtimes), is_runtime);
  }
  std::ranges::stable_partition(files, [](const AppliedFile& one) { return !one.runtimes.empty(); });
  files.insert(files.begin(), apart.begin(), apart.end());
  return files;
}

// The findings of each object; last those without an object.
using FindingsByObject = std::vector<std::vector<Diagnostic>>;

FindingsByObject by_object(const Migration& migration) {
  FindingsByObject findings(migration.outcomes.size() + 1);
  std::map<std::pair<std::string_view, std::string_view>, size_t> numbers;
  for (size_t i = 0; i < migration.outcomes.size(); ++i)
    numbers.try_emplace({migration.outcomes[i].object, migration.outcomes[i].file}, i);
  for (const Diagnostic& finding : migration.findings.items()) {
    std::string_view file;
    if (finding.location.file) file = finding.location.file->name();
    const auto found = numbers.find({finding.object, file});
    findings[found != numbers.end() ? found->second : migration.outcomes.size()].push_back(finding);
  }
  return findings;
}

// An object's name as people write it: a cluster's runtime has no namespace.
std::string shown(std::string object) {
  if (const size_t at = object.find("//"); at != std::string::npos) object.erase(at, 1);
  return object;
}

std::string joined(const std::vector<std::string>& objects) {
  std::vector<std::string> all;
  std::ranges::transform(objects, std::back_inserter(all), shown);
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string place_of(const Outcome& outcome) {
  return fmt::format("{}:{}", outcome.file, outcome.line);
}

std::string result_of(const Outcome& outcome) {
  if (outcome.fate == Fate::Left) return "stays as it is";
  if (outcome.fate == Fate::Unchanged) return "unchanged";
  return joined(outcome.becomes);
}

report::Table table_of(const Migration& migration, const FindingsByObject& findings, bool is_text) {
  const auto title = [&](std::string_view words, std::string_view text) {
    return std::string(is_text ? text : words);
  };
  report::Table table{.columns = {{title("object", "OBJECT")},
                                  {title("place", "PLACE")},
                                  {title("becomes", "BECOMES")},
                                  {title("to look at", "FINDINGS"), true}}};
  for (size_t i = 0; i < migration.outcomes.size(); ++i) {
    const Outcome& outcome = migration.outcomes[i];
    table.rows.push_back(
        {shown(outcome.object), place_of(outcome), result_of(outcome), std::to_string(findings[i].size())});
  }
  return table;
}

size_t count(const Migration& migration, Fate fate) {
  return static_cast<size_t>(std::ranges::count(migration.outcomes, fate, &Outcome::fate));
}

report::Block order_block(const std::vector<AppliedFile>& files) {
  report::Block block{.head = {{"Apply in this order", report::Style::Title}}};
  size_t others = 0;
  for (const AppliedFile& file : files) {
    if (file.runtimes.empty()) {
      ++others;
    } else {
      block.lines.push_back({.parts = {{joined(file.runtimes)}}, .place = file.file});
    }
  }
  if (others > 0)
    block.lines.push_back({.parts = {{block.lines.empty() ? "in any order: no file has a runtime"
                                                          : "then " + base::counted(others, "other file")}}});
  return block;
}

// The documents that were neither migrated nor left as they are.
std::vector<PassedOver> not_for_trainer(const Migration& migration) {
  std::set<std::pair<std::string_view, uint32_t>> places;
  for (const Outcome& outcome : migration.outcomes) places.emplace(outcome.file, outcome.line);
  std::vector<PassedOver> others;
  std::ranges::copy_if(migration.passed_over, std::back_inserter(others), [&](const PassedOver& one) {
    return !places.contains({one.file, one.line});
  });
  return others;
}

Json to_json(const Outcome& outcome, const std::vector<Diagnostic>& findings) {
  return {{"object", outcome.object},
          {"file", outcome.file},
          {"line", outcome.line},
          {"result", to_string(outcome.fate)},
          {"becomes", Json::array(outcome.becomes)},
          {"findings", Json::array(findings, lint::finding_json)}};
}

}  // namespace

std::string format_table(const Migration& migration, size_t width) {
  if (migration.outcomes.empty()) return "";
  report::Document document;
  document.blocks.push_back({.table = table_of(migration, by_object(migration), true)});
  std::string text = report::to_text(document, {false, width});
  text.erase(text.find_last_not_of('\n') + 2);
  return text;
}

std::string format_markdown(const Migration& migration, const std::string& to) {
  const FindingsByObject findings = by_object(migration);
  report::Document document{.heading = "Migration to Trainer " + to};
  document.blocks.push_back(
      {.head = {
           {fmt::format("{} migrated, {} unchanged, {} left as they are", count(migration, Fate::Migrated),
                        count(migration, Fate::Unchanged), count(migration, Fate::Left)),
            report::Style::Title}}});
  if (!migration.outcomes.empty()) document.blocks.push_back({.table = table_of(migration, findings, false)});
  if (const auto files = files_to_apply(migration); !files.empty())
    document.blocks.push_back(order_block(files));
  for (size_t i = 0; i < migration.outcomes.size(); ++i) {
    const Outcome& outcome = migration.outcomes[i];
    if (findings[i].empty()) continue;
    document.blocks.push_back(
        {.head = {{shown(outcome.object), report::Style::Title},
                  {(outcome.fate == Fate::Migrated ? "becomes " : "") + result_of(outcome)},
                  {place_of(outcome)}},
         .findings = findings[i]});
  }
  if (!findings.back().empty())
    document.blocks.push_back(
        {.head = {{"Of no object", report::Style::Title}}, .findings = findings.back()});
  if (const auto others = not_for_trainer(migration); !others.empty()) {
    report::Block block{.head = {{"Not for Trainer", report::Style::Title}}};
    for (const PassedOver& one : others)
      block.lines.push_back({.parts = {{one.what}}, .place = fmt::format("{}:{}", one.file, one.line)});
    document.blocks.push_back(std::move(block));
  }
  if (migration.of_v1 > 0)
    document.blocks.push_back({.head = {{"What differs from v1 in every job", report::Style::Title},
                                        {rules::address_of("from-v1")}}});
  return report::to_markdown(document, report::kWhole);
}

std::string format_json(const Migration& migration, const std::string& to) {
  const FindingsByObject findings = by_object(migration);
  Json objects = Json::array();
  for (size_t i = 0; i < migration.outcomes.size(); ++i)
    objects.add(to_json(migration.outcomes[i], findings[i]));
  const auto passed_over = [](const PassedOver& one) {
    return Json{{"file", one.file}, {"line", one.line}, {"what", one.what}};
  };
  const auto applied = [](const AppliedFile& file) {
    return Json{{"file", file.file}, {"runtimes", Json::array(file.runtimes)}};
  };
  return Json{{"version", report::kReportVersion},
              {"trainerVersion", to},
              {"objects", objects},
              {"apply", Json::array(files_to_apply(migration), applied)},
              {"findings", Json::array(findings.back(), lint::finding_json)},
              {"notForTrainer", Json::array(not_for_trainer(migration), passed_over)}}
      .report();
}

}  // namespace trainjobc::migrate
