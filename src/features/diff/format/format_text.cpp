// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text/layout.h"
#include "base/text/lines.h"
#include "base/text/unified_diff.h"
#include "features/diff/cost.h"
#include "features/diff/difference_text.h"
#include "features/diff/format/formats.h"

namespace trainjobc::diff {
namespace {

// A wider path doesn't widen the column.
constexpr size_t kWidestPath = 76;
constexpr size_t kWidestValues = 60;

class Painter {
 public:
  explicit Painter(bool colour) : colour_(colour) {}
  std::string operator()(std::string_view code, std::string_view text) const {
    return colour_ ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
  }

 private:
  bool colour_;
};

constexpr std::string_view kBold = "1";
constexpr std::string_view kDim = "2";
constexpr std::string_view kRed = "31";
constexpr std::string_view kGreen = "32";
constexpr std::string_view kYellow = "33";

// The number of characters, for columns.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

std::string padded(std::string_view text, size_t width) {
  const size_t has = width_of(text);
  return fmt::format("{}{}", text, std::string(width > has ? width - has : 0, ' '));
}

bool is_block(const Difference& difference) {
  const auto has_breaks = [](const yaml::Node* value) {
    return value && value->is_string() && value->text().find('\n') != std::string_view::npos;
  };
  return difference.live && difference.rendered && difference.live->is_string() &&
         difference.rendered->is_string() && (has_breaks(difference.live) || has_breaks(difference.rendered));
}

// If both texts end without a line break, that isn't reported.
std::string hunks_of(std::string_view live, std::string_view rendered) {
  if (live.ends_with('\n') || rendered.ends_with('\n')) return base::unified_hunks(live, rendered);
  return base::unified_hunks(fmt::format("{}\n", live), fmt::format("{}\n", rendered));
}

// One line of the report, and what is under it.
struct Row {
  std::string mark = "  ";
  std::string path;
  ValueTexts values;
  std::string cause;
  std::string block;  // hunks of a text of several lines
  bool ignored = false;

  // As wide as "old → new" is.
  size_t values_width() const {
    return block.empty() ? width_of(values.live) + 3 + width_of(values.rendered) : 0;
  }
};

Row row_of(const Difference& difference, const schema::FieldPath& above, Causes& causes) {
  Row row;
  row.path = short_path(difference.path, above);
  if (difference.order) row.path += " (order)";
  row.ignored = difference.kind == DifferenceKind::Ignored;
  if (!difference.refusal.empty()) row.mark = "! ";
  if (is_block(difference)) {
    row.block = hunks_of(difference.live->text(), difference.rendered->text());
  } else {
    row.values = value_texts(difference);
  }
  if (row.ignored) {
    row.cause = fmt::format("ignored: managed by {}", difference.manager);
  } else {
    row.cause = causes.of(difference);
    if (!difference.manager.empty()) {
      row.cause += fmt::format("{}last written by {}", row.cause.empty() ? "" : ", ", difference.manager);
    }
  }
  return row;
}

void print_block(std::string_view hunks, size_t width, const Painter& paint, std::string& out) {
  constexpr std::string_view kIndent = "      ";
  for (const std::string_view line : base::Lines(hunks)) {
    if (line.starts_with("@@")) continue;
    const std::string text =
        base::wrap(fmt::format("{}{}", kIndent, line), width, kIndent.size() + 2).substr(kIndent.size());
    out += fmt::format("{}{}\n", kIndent,
                       line.starts_with('-')   ? paint(kRed, text)
                       : line.starts_with('+') ? paint(kGreen, text)
                                               : text);
  }
}

// If a row is too wide for the terminal, what doesn't fit beside the path goes below it.
std::string in_lines(const Row& row, size_t width, const Painter& paint) {
  constexpr size_t kIndent = 6;
  const std::string_view live_colour = row.ignored ? kDim : kRed;
  const std::string_view rendered_colour = row.ignored ? kDim : kGreen;
  std::vector<std::string> parts{row.mark + row.path};
  if (row.block.empty() && row.values_width() + kIndent <= width) {
    parts.push_back(fmt::format("{} → {}", paint(live_colour, row.values.live),
                                paint(rendered_colour, row.values.rendered)));
  } else if (row.block.empty()) {
    const size_t most = width > kIndent + 2 ? width - kIndent - 2 : 1;
    parts.push_back(fmt::format("{} →", paint(live_colour, base::cut(row.values.live, most))));
    parts.push_back(paint(rendered_colour, base::cut(row.values.rendered, most)));
  }
  std::string text = base::beside_or_below(parts, width, kIndent);
  if (row.cause.empty()) return text;
  return text + "\n" + base::wrap(std::string(kIndent, ' ') + paint(kDim, row.cause), width, kIndent + 2);
}

void print_rows(const std::vector<Row>& rows, size_t width, const Painter& paint, std::string& out) {
  size_t path_width = 0;
  size_t values_width = 0;
  for (const Row& row : rows) {
    path_width = std::max(path_width, std::min(width_of(row.path), kWidestPath));
    values_width = std::max(values_width, std::min(row.values_width(), kWidestValues));
  }
  for (const Row& row : rows) {
    const std::string path = padded(row.path, path_width);
    std::string line = fmt::format("{}{}   ", row.mark, path);
    if (row.block.empty()) {
      const std::string gap(values_width > row.values_width() ? values_width - row.values_width() : 0, ' ');
      line =
          fmt::format("{}{}   {} → {}{}", row.mark, path, paint(row.ignored ? kDim : kRed, row.values.live),
                      paint(row.ignored ? kDim : kGreen, row.values.rendered), row.cause.empty() ? "" : gap);
    }
    if (!row.cause.empty()) line += fmt::format("   {}", paint(kDim, row.cause));
    line.erase(line.find_last_not_of(' ') + 1);
    const bool fits = width == 0 || base::display_width(line) <= width;
    out += (fits ? line : in_lines(row, width, paint)) + "\n";
    print_block(row.block, width, paint, out);
  }
}

// Each reason once, with the number of fields.
void print_refusals(const ObjectDiff& object, size_t width, const Painter& paint, std::string& out) {
  std::vector<std::pair<const Difference*, size_t>> reasons;
  for (const Difference& difference : object.differences) {
    if (difference.refusal.empty()) continue;
    const auto known = std::ranges::find(reasons, difference.refusal,
                                         [](const auto& entry) { return entry.first->refusal; });
    if (known == reasons.end()) {
      reasons.emplace_back(&difference, 1);
    } else {
      ++known->second;
    }
  }
  for (const auto& [difference, count] : reasons) {
    const std::string what = paint(kYellow, fmt::format("! refused ({})", counted(count, "field")));
    out += base::wrap(fmt::format("  {}: {}", what, difference->refusal), width, 6) + "\n";
    out += base::wrap("    " + difference->remedy, width, 6) + "\n";
  }
}

void print_object(const ObjectDiff& object, const FormatOptions& options, const Painter& paint,
                  Causes& causes, std::string& out) {
  const std::string title = paint(kBold, title_of(object));
  const Difference& first = object.differences.front();
  if (first.kind == DifferenceKind::Missing) {
    const std::string cause = causes.of(first);
    const std::string what = paint(kGreen, options.files ? "added" : "missing: it would be created");
    const std::string from = cause.empty() ? "" : paint(kDim, cause);
    out += base::beside_or_below({title, what, from}, options.width, 4) + "\n";
    return;
  }
  if (first.kind == DifferenceKind::Orphaned) {
    const std::string what = paint(kRed, options.files ? "removed" : "orphaned: no input creates it");
    out += base::beside_or_below({title, what}, options.width, 4) + "\n";
    return;
  }
  std::vector<Row> rows;
  schema::FieldPath above;
  for (const Difference& difference : object.differences) {
    if (difference.kind == DifferenceKind::Ignored && !options.show_ignored) continue;
    rows.push_back(row_of(difference, above, causes));
    above = difference.path;
  }
  out += title + "\n";
  print_rows(rows, options.width, paint, out);
  print_refusals(object, options.width, paint, out);
}

void print_acceptance(const Acceptance& acceptance, const Report& report, const FormatOptions& options,
                      const Painter& paint, std::string& out) {
  const bool better = acceptance.verdict == Verdict::Newly;
  const std::string verdict = paint(better ? kGreen : kRed, verdict_text(acceptance.verdict, report));
  out += base::beside_or_below({paint(kBold, acceptance.title()), verdict}, options.width, 4) + "\n";
  if (!acceptance.cause.empty()) {
    const base::Location& at = acceptance.location;
    const std::string cause =
        fmt::format("  {}:{}: {}", at.file ? at.file->name() : "", at.line, acceptance.cause);
    out += base::wrap(cause, options.width, 4) + "\n";
  }
  for (const base::Diagnostic& refusal : acceptance.refusals)
    out += base::format_text(refusal, {options.colour, options.width});
}

}  // namespace

std::string verdict_text(Verdict verdict, const Report& report) {
  switch (verdict) {
    case Verdict::NoLonger: return fmt::format("no longer accepted by Trainer {}", report.new_version);
    case Verdict::Newly: return fmt::format("newly accepted by Trainer {}", report.new_version);
    case Verdict::Never:
      return fmt::format("accepted neither by Trainer {} nor by {}", report.old_version, report.new_version);
  }
  return "";
}

namespace {

// "Trainer 2.1 → 2.3: 3 of 14 jobs change, 1 no longer accepted"
std::string summary_of_versions(const Report& report, std::string_view changes) {
  std::string text = fmt::format("Trainer {} → {}: {}", report.old_version, report.new_version, changes);
  const auto add = [&](Verdict verdict, std::string_view words) {
    const size_t count = report.count(verdict, true);
    if (count > 0) text += fmt::format(", {} {}", count, words);
  };
  add(Verdict::NoLonger, "no longer accepted");
  add(Verdict::Newly, "newly accepted");
  add(Verdict::Never, "accepted by neither");
  return text;
}

}  // namespace

std::string summary_of(const Report& report, bool files) {
  const auto is_new = [](const ObjectDiff& object) {
    return object.kind == "JobSet" && object.differences.front().kind == DifferenceKind::Missing;
  };
  const size_t differing = report.differing_jobs();
  const size_t added = files ? static_cast<size_t>(std::ranges::count_if(report.objects, is_new)) : 0;
  const size_t jobs = differing - added;
  std::string text = fmt::format("no difference in {}", counted(report.jobs, "job"));
  if (files && differing > 0) {
    text = fmt::format("{} of {} {}", jobs, counted(report.jobs, "job"), jobs == 1 ? "changes" : "change");
  } else if (differing > 0) {
    text = fmt::format("{} of {} {}", jobs, counted(report.jobs, "job"), jobs == 1 ? "differs" : "differ");
  }
  if (!report.new_version.empty()) text = summary_of_versions(report, text);
  if (added > 0) text += fmt::format(", {} added", counted(added, "job"));
  if (report.orphans() == 0) return text;
  return fmt::format("{}, {} {}", text, counted(report.orphans(), "object"), files ? "removed" : "orphaned");
}

std::string format_objects(const Report& report, const FormatOptions& options) {
  const Painter paint(options.colour);
  std::string out;
  Causes causes;
  for (const Acceptance& acceptance : report.acceptances) {
    print_acceptance(acceptance, report, options, paint, out);
    out += '\n';
  }
  for (const ObjectDiff& object : report.objects) {
    if (!object.differs() && !options.show_ignored) continue;
    print_object(object, options, paint, causes, out);
    out += '\n';
  }
  return out;
}

std::string format_text(const Report& report, const FormatOptions& options) {
  std::string text = format_objects(report, options) +
                     base::wrap(summary_of(report, options.files), options.width, 2) + "\n" +
                     cost_lines(report, options.width);
  if (!report.new_version.empty() && report.count(Verdict::NoLonger, false) > 0) {
    const std::string advice =
        fmt::format("trainjobc migrate --to {} rewrites what can be carried over", report.new_version);
    text += base::wrap(advice, options.width, 2) + "\n";
  }
  return text;
}

}  // namespace trainjobc::diff
