#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tools/diff/formats.h"
#include "tools/diff/unified.h"
#include "tools/diff/words.h"

namespace trainjobc::diff {
namespace {

// A path column that is wider is no column any more.
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

// Characters, for columns.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

std::string padded(std::string_view text, size_t width) {
  const size_t has = width_of(text);
  return fmt::format("{}{}", text, std::string(width > has ? width - has : 0, ' '));
}

// spec | replicatedJobs[node] | template…
std::vector<std::string> segments_of(const schema::FieldPath& path) {
  std::vector<std::string> segments;
  for (const schema::Step& step : path) {
    const std::string text = schema::to_keyed_string({step});
    if (text.starts_with('[') && !segments.empty()) {
      segments.back() += text;
    } else {
      segments.push_back(text);
    }
  }
  return segments;
}

// The path without what it shares with the line above.
std::string shortened(const std::vector<std::string>& segments, const std::vector<std::string>& above) {
  size_t shared = 0;
  while (shared + 1 < segments.size() && shared < above.size() && segments[shared] == above[shared]) ++shared;
  if (shared < 2) shared = 0;
  std::string text = shared > 0 ? "…" : "";
  for (size_t i = shared; i < segments.size(); ++i) {
    if (i > shared) text += '.';
    text += segments[i];
  }
  return text;
}

bool is_block(const Difference& difference) {
  const auto has_breaks = [](const yaml::Node* value) {
    return value && value->is_string() && value->text().find('\n') != std::string_view::npos;
  };
  return difference.live && difference.rendered && difference.live->is_string() &&
         difference.rendered->is_string() && (has_breaks(difference.live) || has_breaks(difference.rendered));
}

// One line of the report, and what stands under it.
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

Row row_of(const Difference& difference, const std::vector<std::string>& segments,
           const std::vector<std::string>& above, Causes& causes) {
  Row row;
  row.path = shortened(segments, above);
  if (difference.order) row.path += " (order)";
  row.ignored = difference.kind == DifferenceKind::Ignored;
  if (!difference.refusal.empty()) row.mark = "! ";
  if (is_block(difference)) {
    row.block = unified_hunks(difference.live->text(), difference.rendered->text());
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

void print_block(std::string_view hunks, const Painter& paint, std::string& out) {
  while (!hunks.empty()) {
    const size_t end = std::min(hunks.find('\n'), hunks.size());
    const std::string_view line = hunks.substr(0, end);
    hunks.remove_prefix(std::min(end + 1, hunks.size()));
    if (line.starts_with("@@")) continue;
    out += fmt::format("      {}\n", line.starts_with('-')   ? paint(kRed, line)
                                     : line.starts_with('+') ? paint(kGreen, line)
                                                             : std::string(line));
  }
}

void print_rows(const std::vector<Row>& rows, const Painter& paint, std::string& out) {
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
    out += line + "\n";
    print_block(row.block, paint, out);
  }
}

// Each reason once, with how many fields it is about.
void print_refusals(const ObjectDiff& object, const Painter& paint, std::string& out) {
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
    out += fmt::format("  {}: {}\n    {}\n",
                       paint(kYellow, fmt::format("! refused ({})", counted(count, "field"))),
                       difference->refusal, difference->remedy);
  }
}

void print_object(const ObjectDiff& object, const FormatOptions& options, const Painter& paint,
                  Causes& causes, std::string& out) {
  const std::string title = paint(kBold, title_of(object));
  const Difference& first = object.differences.front();
  if (first.kind == DifferenceKind::Missing) {
    const std::string cause = causes.of(first);
    out += fmt::format("{}   {}{}\n", title,
                       paint(kGreen, options.files ? "added" : "missing: it would be created"),
                       cause.empty() ? "" : fmt::format("   {}", paint(kDim, cause)));
    return;
  }
  if (first.kind == DifferenceKind::Orphaned) {
    out += fmt::format("{}   {}\n", title,
                       paint(kRed, options.files ? "removed" : "orphaned: no input makes it"));
    return;
  }
  std::vector<Row> rows;
  std::vector<std::string> above;
  for (const Difference& difference : object.differences) {
    if (difference.kind == DifferenceKind::Ignored && !options.show_ignored) continue;
    std::vector<std::string> segments = segments_of(difference.path);
    rows.push_back(row_of(difference, segments, above, causes));
    above = std::move(segments);
  }
  out += title + "\n";
  print_rows(rows, paint, out);
  print_refusals(object, paint, out);
}

}  // namespace

std::string summary_of(const Report& report, bool files) {
  const size_t jobs = report.differing_jobs();
  std::string text = jobs == 0 ? fmt::format("no difference in {}", counted(report.jobs, "job"))
                               : fmt::format("{} of {} {}", jobs, counted(report.jobs, "job"),
                                             files ? (jobs == 1 ? "changes" : "change")
                                                   : (jobs == 1 ? "differs" : "differ"));
  if (report.orphans() > 0) {
    text += fmt::format(", {} {}", counted(report.orphans(), "object"), files ? "removed" : "orphaned");
  }
  return text;
}

std::string format_text(const Report& report, const FormatOptions& options) {
  const Painter paint(options.colour);
  std::string out;
  Causes causes;
  for (const ObjectDiff& object : report.objects) {
    if (!object.differs() && !options.show_ignored) continue;
    print_object(object, options, paint, causes, out);
    out += '\n';
  }
  return out + summary_of(report, options.files) + "\n";
}

}  // namespace trainjobc::diff
