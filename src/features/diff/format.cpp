// SPDX-License-Identifier: Apache-2.0

#include "features/diff/format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <system_error>
#include <tuple>

#include "base/files/file_system.h"
#include "base/signals.h"
#include "base/text/diff.h"
#include "base/text/layout.h"
#include "base/text/text.h"
#include "features/objects/difference_text.h"
#include "k8s/object_meta.h"
#include "lint/report/document.h"
#include "lint/report/json.h"
#include "yaml/write/writer.h"

namespace trainjobc::diff {

std::vector<Cost> costs_of(const objects::Report& report) {
  std::map<std::pair<std::string, std::string>, Cost> by_namespace;
  for (const objects::ObjectDiff& object : report.objects) {
    if (object.kind != "JobSet" || !object.differs()) continue;
    const std::string ns(k8s::effective_namespace(object.ns));
    Cost& cost = by_namespace[{object.scope, ns}];
    cost.scope = object.scope;
    cost.ns = ns;
    cost.pods += object.more.pods;
    objects::add(cost.requests, object.more.requests);
  }
  std::vector<Cost> costs;
  for (auto& [place, cost] : by_namespace) {
    std::erase_if(cost.requests, [](const auto& entry) { return entry.second.is_zero(); });
    if (cost.pods != 0 || !cost.requests.empty()) costs.push_back(std::move(cost));
  }
  return costs;
}

std::string cost_text(const Cost& cost) {
  std::vector<std::string> parts;
  for (const std::string& resource : objects::in_order(cost.requests)) {
    const k8s::Quantity& amount = cost.requests.find(resource)->second;
    parts.push_back(fmt::format("{}{} {}", amount.sign() > 0 ? "+" : "", amount.exact_text(), resource));
  }
  if (parts.empty())
    parts.push_back(fmt::format("{:+} {}", cost.pods, cost.pods == 1 || cost.pods == -1 ? "pod" : "pods"));
  return fmt::format("{} in {}{}", fmt::join(parts, ", "), cost.ns,
                     cost.scope.empty() ? "" : " of " + cost.scope);
}

namespace {

using base::counted;
using report::Block;
using report::Cell;
using report::Json;
using report::Style;

bool is_shown(const objects::Difference& difference, const FormatOptions& options) {
  return difference.kind != objects::DifferenceKind::Ignored || options.show_ignored;
}

// Whether a value is a text of several lines.
bool is_block(const objects::Difference& difference) {
  const yaml::Node* live = difference.live;
  const yaml::Node* rendered = difference.rendered;
  return live && rendered && live->is_string() && rendered->is_string() &&
         (live->text().find('\n') != std::string_view::npos ||
          rendered->text().find('\n') != std::string_view::npos);
}

// A line break that both texts lack at the end isn't reported.
std::vector<Cell> hunks_of(std::string_view live, std::string_view rendered) {
  const std::string_view end = live.ends_with('\n') || rendered.ends_with('\n') ? "" : "\n";
  const std::string hunks =
      base::unified_hunks(fmt::format("{}{}", live, end), fmt::format("{}{}", rendered, end));
  std::vector<Cell> lines;
  for (const std::string_view line : base::Lines(hunks)) {
    if (line.starts_with("@@")) continue;
    lines.push_back({std::string(line), line.starts_with('-')   ? Style::Removed
                                        : line.starts_with('+') ? Style::Added
                                                                : Style::Plain});
  }
  return lines;
}

// Names the first objects; the rest are counted.
std::string names_of(const std::vector<std::string>& objects) {
  constexpr size_t kNamed = 8;
  std::string text;
  for (size_t i = 0; i < std::min(objects.size(), kNamed); ++i) text += (i > 0 ? ", " : "") + objects[i];
  if (objects.size() > kNamed) text += fmt::format(" and {} more", objects.size() - kNamed);
  return text;
}

// What the reports for people say; a comment has paths and values in full, no hunks and no colours.
class Describer {
 public:
  Describer(const objects::Report& report, const FormatOptions& options, bool is_comment)
      : report_(report), options_(options), is_comment_(is_comment) {}

  // Jobs that change only for a common cause, such as their runtime, share a block.
  std::vector<Block> acceptances() const {
    std::vector<Block> blocks;
    std::map<std::pair<objects::Verdict, std::string>, std::vector<const objects::Acceptance*>> by_cause;
    const auto key_of = [](const objects::Acceptance& one) { return std::pair(one.verdict, one.cause); };
    const auto is_alone = [](const objects::Acceptance& one) {
      return one.cause.empty() || !one.refusals.empty();
    };
    for (const objects::Acceptance& one : report_.acceptances) {
      if (!is_alone(one)) by_cause[key_of(one)].push_back(&one);
    }
    for (const objects::Acceptance& one : report_.acceptances) {
      const auto same = is_alone(one) ? by_cause.end() : by_cause.find(key_of(one));
      if (same == by_cause.end()) {
        if (is_alone(one)) blocks.push_back(block_of(one));
        continue;
      }
      blocks.push_back(block_of(one));
      if (same->second.size() > 1) name_all(same->second, blocks.back());
      by_cause.erase(same);
    }
    return blocks;
  }

  std::vector<Block> blocks() {
    std::vector<Block> blocks = acceptances();
    for (const objects::ObjectDiff& object : report_.objects) {
      if (object.differs() || options_.show_ignored) blocks.push_back(block_of(object));
    }
    return blocks;
  }

 private:
  Block block_of(const objects::Acceptance& acceptance) const {
    const Style style = acceptance.verdict == objects::Verdict::Newly ? Style::Added : Style::Removed;
    Block block{
        .head = {{acceptance.title(), Style::Title}, {verdict_text(acceptance.verdict, report_), style}},
        .findings = acceptance.refusals};
    if (!acceptance.cause.empty())
      block.lines.push_back({.parts = {{acceptance.cause}}, .place = acceptance.place});
    return block;
  }

  static void name_all(const std::vector<const objects::Acceptance*>& all, Block& block) {
    std::vector<std::string> titles;
    for (const objects::Acceptance* one : all) titles.push_back(one->title());
    block.head.front().text = counted(all.size(), "object");
    block.lines.front().place.clear();
    block.lines.push_back({.parts = {{names_of(titles)}}, .hang = 4});
  }

  Block block_of(const objects::ObjectDiff& object) {
    Block block{.head = {{objects::title_of(object), Style::Title}}};
    if (is_comment_) causes_.new_table();
    const objects::Difference& first = object.differences.front();
    const std::string is = is_comment_ ? "is " : "";
    if (first.kind == objects::DifferenceKind::Missing) {
      block.head.push_back({is + (options_.files ? "added" : "missing: it would be created"), Style::Added});
      block.head.push_back({causes_.of(first), Style::Muted});
    } else if (first.kind == objects::DifferenceKind::Orphaned) {
      block.head.push_back(
          {is + (options_.files ? "removed" : "orphaned: no input creates it"), Style::Removed});
    } else {
      add_fields(object, block);
      add_refusals(object, block);
    }
    return block;
  }

  void add_fields(const objects::ObjectDiff& object, Block& block) {
    block.fields.before_title = options_.files ? "old" : "live";
    block.fields.after_title = options_.files ? "new" : "rendered";
    schema::FieldPath above;
    size_t ignored = 0;
    for (const objects::Difference& difference : object.differences) {
      if (!is_shown(difference, options_)) continue;
      if (difference.kind == objects::DifferenceKind::Ignored) ++ignored;
      block.fields.rows.push_back(field_of(difference, above));
      above = difference.path;
    }
    block.folded = counted(block.fields.rows.size() - ignored, "field");
    if (ignored > 0) block.folded += fmt::format(", {} ignored", ignored);
  }

  report::Field field_of(const objects::Difference& difference, const schema::FieldPath& above) {
    report::Field field;
    field.is_muted = difference.kind == objects::DifferenceKind::Ignored;
    field.is_marked = !difference.refusal.empty();
    field.source =
        field.is_muted ? fmt::format("ignored: managed by {}", difference.manager) : causes_.of(difference);
    const auto add_source = [&](const std::string& text) {
      field.source += (field.source.empty() ? "" : ", ") + text;
    };
    if (is_comment_) {
      field.path = schema::to_keyed_string(difference.path);
      if (field.is_marked) add_source("refused");
    } else {
      field.path = objects::short_path(difference.path, above);
      if (difference.order) field.path += " (order)";
      if (!field.is_muted && !difference.manager.empty()) add_source("last written by " + difference.manager);
      if (is_block(difference)) {
        field.below = hunks_of(difference.live->text(), difference.rendered->text());
        return field;
      }
    }
    const objects::ValueTexts values = objects::value_texts(difference);
    field.before = values.live;
    field.after = values.rendered;
    return field;
  }

  // Adds each reason once, with the number of fields.
  void add_refusals(const objects::ObjectDiff& object, Block& block) const {
    std::vector<std::pair<const objects::Difference*, size_t>> reasons;
    for (const objects::Difference& difference : object.differences) {
      if (difference.refusal.empty()) continue;
      const auto known = std::ranges::find(reasons, difference.refusal,
                                           [](const auto& entry) { return entry.first->refusal; });
      if (known == reasons.end()) {
        reasons.emplace_back(&difference, 1);
      } else {
        ++known->second;
      }
    }
    for (const auto& [difference, count] : reasons)
      block.warnings.push_back({is_comment_ ? "The cluster would refuse this"
                                            : fmt::format("! refused ({})", counted(count, "field")),
                                difference->refusal, difference->remedy});
  }

  const objects::Report& report_;
  const FormatOptions& options_;
  bool is_comment_;
  objects::Causes causes_;
};

std::vector<std::string> cost_lines(const objects::Report& report) {
  std::vector<std::string> lines;
  for (const Cost& cost : costs_of(report)) lines.push_back("cost: " + cost_text(cost));
  return lines;
}

// "team-a/llama, team-a/bert and 10 more"
std::string named_jobs(const std::vector<std::string>& jobs) {
  constexpr size_t kMostNamed = 3;
  if (jobs.size() <= kMostNamed) return base::word_list(jobs);
  return fmt::format("{}, {} and {} more", jobs[0], jobs[1], jobs.size() - 2);
}

// What a cluster leaves as it is, grouped by the reason.
std::vector<std::string> left_lines(const objects::Report& report) {
  std::map<std::pair<std::string, std::vector<std::string>>, std::vector<std::string>> by_reason;
  for (const objects::LeftJob& left : report.left_jobs)
    by_reason[{left.trainer, left.refused}].push_back(
        left.scope.empty() ? left.job : fmt::format("{} in {}", left.job, left.scope));
  std::vector<std::string> lines;
  for (const auto& [reason, jobs] : by_reason) {
    const auto& [trainer, fields] = reason;
    const std::string what = fields.empty() ? "does not change the JobSet"
                                            : fmt::format("refuses to change {}", base::word_list(fields));
    lines.push_back(fmt::format(
        "update: Trainer {} {} of a TrainJob that exists: delete {} and create {} again (submit --replace)",
        trainer, what, named_jobs(jobs), jobs.size() == 1 ? "it" : "them"));
  }
  return lines;
}

std::vector<std::string> closing_of(const objects::Report& report, const FormatOptions& options) {
  std::vector<std::string> lines = cost_lines(report);
  lines.insert(lines.begin(), summary_of(report, options.files));
  std::ranges::move(left_lines(report), std::back_inserter(lines));
  return lines;
}

// "Trainer 2.1 → 2.3: 3 of 14 jobs change, 1 no longer accepted"
std::string summary_with_verdicts(const objects::Report& report, std::string text) {
  const bool has_versions = !report.new_version.empty();
  if (has_versions) text = fmt::format("Trainer {} → {}: {}", report.old_version, report.new_version, text);
  const auto add = [&](objects::Verdict verdict, std::string_view words) {
    const size_t count = report.count(verdict, true);
    if (count > 0) text += fmt::format(", {} {}", count, words);
  };
  add(objects::Verdict::NoLonger, "no longer accepted");
  add(objects::Verdict::Newly, "newly accepted");
  add(objects::Verdict::Never, has_versions ? "accepted by neither" : "not accepted");
  return text;
}

// A change of one field that is the same in several objects.
struct Change {
  std::string path;
  objects::ValueTexts values;
  std::vector<std::string> objects;
};

// The changes that one line of the inputs causes.
struct Source {
  std::string place;
  std::vector<Change> changes;
  std::vector<std::string> objects;
  std::map<std::tuple<std::string, std::string, std::string>, size_t>
      indexes;  // index of each change, by {path, old value, new value}
};

// Adds the text once: the differences of an object are consecutive.
void add_once(std::string text, std::vector<std::string>& to) {
  if (to.empty() || to.back() != text) to.push_back(std::move(text));
}

class ReachCollector {
 public:
  void add(const objects::ObjectDiff& object, const objects::Difference& difference) {
    const base::Location& at = difference.location;
    std::string place = at.file ? base::place_of(at) : "elsewhere";
    if (!difference.field.empty()) place += "  " + difference.field;
    Source& source = source_at(place);
    Change change{objects::short_path(difference.path), objects::value_texts(difference), {}};
    const auto [known, is_new] = source.indexes.try_emplace(
        {change.path, change.values.live, change.values.rendered}, source.changes.size());
    if (is_new) source.changes.push_back(std::move(change));
    Change& to = source.changes[known->second];
    add_once(objects::title_of(object), to.objects);
    add_once(objects::title_of(object), source.objects);
  }

  // `width` is that of the terminal; 0: none.
  std::vector<Block> blocks(size_t width) const {
    std::vector<Block> blocks;
    blocks.reserve(sources_.size());
    for (const Source& source : sources_) {
      Block& block = blocks.emplace_back();
      block.head = {{source.place}, {"changes " + counted(source.objects.size(), "object")}};
      for (const Change& change : source.changes) {
        const bool all = change.objects.size() == source.objects.size();
        block.lines.push_back(line_of(change, all ? "" : "in " + names_of(change.objects), width));
      }
      block.lines.push_back({.parts = {{"in " + names_of(source.objects)}}, .hang = 5});
    }
    return blocks;
  }

  // The blocks of a comment.
  std::vector<Block> comment_blocks() const {
    std::vector<Block> blocks;
    for (const Source& source : sources_) {
      Block& block = blocks.emplace_back();
      block.head = {{source.place, Style::Title}, {"changes " + counted(source.objects.size(), "object")}};
      block.folded =
          fmt::format("{} in {}", counted(source.changes.size(), "field"), names_of(source.objects));
      block.fields.before_title = "old";
      block.fields.after_title = "new";
      block.fields.source_title = "in";
      for (const Change& change : source.changes) {
        report::Field& field = block.fields.rows.emplace_back();
        field.path = change.path;
        field.before = change.values.live;
        field.after = change.values.rendered;
        field.source = change.objects.size() == source.objects.size() ? "all" : names_of(change.objects);
      }
    }
    return blocks;
  }

 private:
  static report::Line line_of(const Change& change, const std::string& where, size_t width) {
    constexpr size_t kIndent = 6;
    const std::string both = fmt::format("{} → {}", change.values.live, change.values.rendered);
    if (width == 0 || base::display_width(both) + kIndent <= width)
      return {.parts = {{change.path}, {both}, {where}}, .hang = kIndent};
    const size_t most = width > kIndent + 2 ? width - kIndent - 2 : 1;
    return {.parts = {{change.path},
                      {base::cut(change.values.live, most) + " →"},
                      {base::cut(change.values.rendered, most)},
                      {where}},
            .hang = kIndent};
  }

  Source& source_at(const std::string& place) {
    const auto [known, is_new] = by_place_.try_emplace(place, sources_.size());
    if (is_new) sources_.push_back({place, {}, {}, {}});
    return sources_[known->second];
  }

  std::vector<Source> sources_;
  std::map<std::string, size_t> by_place_;
};

// Changes by their causes, and objects that are new or gone.
class Reach {
 public:
  explicit Reach(const objects::Report& report) {
    for (const objects::ObjectDiff& object : report.objects) {
      for (const objects::Difference& difference : object.differences) add(object, difference);
    }
    if (!whole.empty()) whole.back().is_continued = false;
  }

  ReachCollector collector;
  std::vector<Block> whole;

 private:
  void add(const objects::ObjectDiff& object, const objects::Difference& difference) {
    if (difference.kind == objects::DifferenceKind::Changed) {
      collector.add(object, difference);
    } else if (difference.kind != objects::DifferenceKind::Ignored) {
      const std::string what = difference.kind == objects::DifferenceKind::Missing ? "added" : "removed";
      whole.push_back({.head = {{objects::title_of(object)}, {what}}, .is_continued = true});
    }
  }
};

std::string coloured(std::string_view text) {
  std::string out;
  for (const std::string_view line : base::Lines(text)) {
    const std::string_view code = line.starts_with("@@")                                 ? "36"
                                  : line.starts_with("diff ")                            ? "1"
                                  : line.starts_with("--- ") || line.starts_with("+++ ") ? "1"
                                  : line.starts_with('-')                                ? "31"
                                  : line.starts_with('+')                                ? "32"
                                                                                         : "";
    out += code.empty() ? fmt::format("{}\n", line) : fmt::format("\033[{}m{}\033[0m\n", code, line);
  }
  return out;
}

Json to_json(const base::Diagnostic& d) {
  return {{"rule", d.rule},
          {"field", d.field},
          {"message", d.message},
          {"hint", d.hint},
          {"file", d.location.file_name()},
          {"line", d.location.line},
          {"column", d.location.column}};
}

// `json` with the scope, if there are several scopes.
Json with_scope(Json json, const std::string& scope) {
  if (!scope.empty()) json.add("scope", scope);
  return json;
}

Json to_json(const objects::Acceptance& acceptance) {
  const auto refusal = [](const base::Diagnostic& d) { return to_json(d); };
  return with_scope({{"object", acceptance.object},
                     {"verdict", to_string(acceptance.verdict)},
                     {"cause", acceptance.cause},
                     {"diagnostics", Json::array(acceptance.refusals, refusal)}},
                    acceptance.scope);
}

Json to_json(const objects::ObjectDiff& object, const objects::Difference& difference) {
  return with_scope({{"object", object.id},
                     {"path", difference.name},
                     {"kind", to_string(difference.kind)},
                     {"live", difference.live},
                     {"rendered", difference.rendered},
                     {"file", difference.location.file_name()},
                     {"line", difference.location.line},
                     {"column", difference.location.column},
                     {"rule", difference.rule},
                     {"manager", difference.manager},
                     {"refusal", difference.refusal},
                     {"remedy", difference.remedy}},
                    object.scope);
}

Json to_json(const objects::LeftJob& left) {
  const auto field = [](const std::string& name) { return Json(name); };
  return with_scope(
      {{"job", left.job}, {"trainerVersion", left.trainer}, {"refused", Json::array(left.refused, field)}},
      left.scope);
}

Json to_json(const Cost& cost) {
  Json requests = Json::object();
  for (const auto& [resource, amount] : cost.requests) requests.add(resource, amount.exact_text());
  return with_scope({{"namespace", cost.ns}, {"pods", cost.pods}, {"requests", requests}}, cost.scope);
}

}  // namespace

std::string format_objects(const objects::Report& report, const FormatOptions& options) {
  return report::to_text({.blocks = Describer(report, options, false).blocks()},
                         {options.colour, options.width});
}

std::string format_text(const objects::Report& report, const FormatOptions& options) {
  report::Document document{.blocks = Describer(report, options, false).blocks(),
                            .closing = closing_of(report, options)};
  if (!report.new_version.empty() && report.count(objects::Verdict::NoLonger, false) > 0) {
    document.closing.push_back(
        fmt::format("trainjobc migrate --to {} rewrites what can be carried over", report.new_version));
  }
  return report::to_text(document, {options.colour, options.width});
}

std::string format_markdown(const objects::Report& report, const FormatOptions& options) {
  report::Document document{.heading = "trainjobc diff: " + summary_of(report, options.files),
                            .noun = "object"};
  for (const std::string& line : cost_lines(report))
    document.blocks.push_back({.head = {{line}}, .is_continued = true});
  for (const std::string& line : left_lines(report))
    document.blocks.push_back({.head = {{line}}, .is_continued = true});
  if (!document.blocks.empty()) document.blocks.back().is_continued = false;
  Describer describer(report, options, true);
  if (!options.files) {
    std::ranges::move(describer.blocks(), std::back_inserter(document.blocks));
    return report::to_markdown(document);
  }
  const Reach reach(report);
  std::ranges::move(describer.acceptances(), std::back_inserter(document.blocks));
  std::ranges::move(reach.collector.comment_blocks(), std::back_inserter(document.blocks));
  std::ranges::copy(reach.whole, std::back_inserter(document.blocks));
  return report::to_markdown(document);
}

std::string format_reach(const objects::Report& report, const FormatOptions& options) {
  const Reach reach(report);
  const Describer describer(report, options, false);
  report::Document document{.blocks = reach.collector.blocks(options.width),
                            .closing = closing_of(report, options)};
  std::vector<Block> acceptances = describer.acceptances();
  document.blocks.insert(document.blocks.begin(), std::make_move_iterator(acceptances.begin()),
                         std::make_move_iterator(acceptances.end()));
  std::ranges::copy(reach.whole, std::back_inserter(document.blocks));
  return report::to_text(document, {false, options.width});
}

std::string format_unified(const objects::Report& report, const FormatOptions& options) {
  const SideNames sides = side_names(options.files);
  std::string out;
  for (const objects::ObjectDiff& object : report.objects) {
    if (!object.differs()) continue;
    const std::string name = manifest_name(object);
    out += fmt::format("diff -u -N {1}/{0} {2}/{0}\n--- {1}/{0}\n+++ {2}/{0}\n{3}", name, sides.before,
                       sides.after, object.hunks);
  }
  return options.colour ? coloured(out) : out;
}

std::string format_json(const objects::Report& report, const FormatOptions& options) {
  Json differences = Json::array();
  for (const objects::ObjectDiff& object : report.objects) {
    for (const objects::Difference& difference : object.differences) {
      if (is_shown(difference, options)) differences.add(to_json(object, difference));
    }
  }
  Json json{{"version", report::kReportVersion},
            {"differences", differences},
            {"summary",
             {{"jobs", report.jobs}, {"differing", report.differing_jobs()}, {"orphaned", report.orphans()}}},
            {"cost", Json::array(costs_of(report), [](const Cost& cost) { return to_json(cost); })}};
  const bool has_versions = !report.new_version.empty();
  if (has_versions) {
    json.add("fromVersion", report.old_version);
    json.add("toVersion", report.new_version);
  }
  if (has_versions || options.files) {
    const auto acceptance = [](const objects::Acceptance& one) { return to_json(one); };
    json.add("acceptance", Json::array(report.acceptances, acceptance));
  }
  if (options.files)
    json.add("updates", Json::array(report.left_jobs, [](const auto& left) { return to_json(left); }));
  return json.report();
}

std::string verdict_text(objects::Verdict verdict, const objects::Report& report) {
  const bool has_versions = !report.new_version.empty();
  if (!has_versions)
    return verdict == objects::Verdict::Never ? "not accepted" : std::string(to_string(verdict));
  switch (verdict) {
    case objects::Verdict::NoLonger:
      return fmt::format("no longer accepted by Trainer {}", report.new_version);
    case objects::Verdict::Newly: return fmt::format("newly accepted by Trainer {}", report.new_version);
    case objects::Verdict::Never:
      return fmt::format("accepted neither by Trainer {} nor by {}", report.old_version, report.new_version);
  }
  return "";
}

std::string summary_of(const objects::Report& report, bool files) {
  const auto is_new = [](const objects::ObjectDiff& object) {
    return object.kind == "JobSet" && object.differences.front().kind == objects::DifferenceKind::Missing;
  };
  const size_t differing = report.differing_jobs();
  const size_t added = files ? static_cast<size_t>(std::ranges::count_if(report.objects, is_new)) : 0;
  const size_t jobs = differing - added;
  std::string text = fmt::format("no difference in {}", counted(report.jobs, "job"));
  if (differing > 0) {
    const std::string_view verb = files ? "change" : "differ";
    text = fmt::format("{} of {} {}{}", jobs, counted(report.jobs, "job"), verb, jobs == 1 ? "s" : "");
  }
  text = summary_with_verdicts(report, std::move(text));
  if (added > 0) text += fmt::format(", {} added", counted(added, "job"));
  if (report.orphans() == 0) return text;
  return fmt::format("{}, {} {}", text, counted(report.orphans(), "object"), files ? "removed" : "orphaned");
}

std::string manifest_name(const objects::ObjectDiff& object) {
  const std::string_view group = k8s::group_of(object.api_version);
  const std::string_view version =
      std::string_view(object.api_version).substr(group.empty() ? 0 : group.size() + 1);
  std::string name = fmt::format("{}{}{}{}{}.{}.{}.{}", object.scope, object.scope.empty() ? "" : ".", group,
                                 group.empty() ? "" : ".", version, object.kind,
                                 k8s::effective_namespace(object.ns), object.name);
  // Names of objects in a cluster have no slash, but scopes have, and saved files may have one.
  std::ranges::replace(name, '/', '_');
  return name;
}

namespace {

namespace fs = std::filesystem;

// A folder that only this user can read; the destructor removes it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view prefix) {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    std::string path = (error ? fs::path("/tmp") : parent) / fmt::format("{}-XXXXXX", prefix);
    if (::mkdtemp(path.data())) path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  // Returns "" if it could not be created.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

bool is_plain(std::string_view word) {
  return !word.empty() &&
         std::ranges::all_of(word, [](char c) { return base::is_alnum(c) || c == '-' || c == '='; });
}

}  // namespace

std::vector<std::string> split_external(std::string_view variable) {
  std::vector<std::string> words;
  for (const std::string_view word : base::split(variable, " ")) {
    if (words.empty() || is_plain(word)) words.emplace_back(word);
  }
  return words;
}

base::IoResult<base::ProcessResult> run_external(const objects::Report& report, std::string_view variable,
                                                 const SideNames& sides, base::Streams streams,
                                                 base::ProcessRunner& runner) {
  const base::HeldSignals held;  // until the folders are removed
  const TemporaryFolder live(sides.before);
  const TemporaryFolder merged(sides.after);
  if (live.path().empty() || merged.path().empty()) {
    return base::IoError{
        fmt::format("create a temporary folder: {}", std::generic_category().message(errno))};
  }
  base::RealFileSystem files;
  const auto write = [&](const TemporaryFolder& folder, const objects::ObjectDiff& object,
                         const std::string& text) {
    if (text.empty()) return std::optional<base::IoError>();
    return files.write(fmt::format("{}/{}", folder.path(), manifest_name(object)), text, 0600);
  };
  for (const objects::ObjectDiff& object : report.objects) {
    if (!object.differs()) continue;
    if (auto error = write(live, object, object.live_text)) return *error;
    if (auto error = write(merged, object, object.merged_text)) return *error;
  }
  std::vector<std::string> words = split_external(variable);
  words.insert(words.begin() + 1, {live.path(), merged.path()});
  return runner.run({std::move(words), "", streams});
}

}  // namespace trainjobc::diff
