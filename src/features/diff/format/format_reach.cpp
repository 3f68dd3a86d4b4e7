// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "base/text/layout.h"
#include "features/diff/cost.h"
#include "features/diff/difference_text.h"
#include "features/diff/format/formats.h"

namespace trainjobc::diff {
namespace {

// The number of jobs to name.
constexpr size_t kNamed = 8;

// The same change of the same field in several objects.
struct Change {
  std::string path;
  ValueTexts values;
  std::vector<std::string> objects;
};

// What one line of the inputs changes.
struct Source {
  std::string place;
  std::vector<Change> changes;
  std::vector<std::string> objects;
  std::map<std::tuple<std::string, std::string, std::string>, size_t> indexes;  // path and values: of changes
};

// The differences of one object follow each other.
void add_once(std::string text, std::vector<std::string>& to) {
  if (to.empty() || to.back() != text) to.push_back(std::move(text));
}

std::string names(const std::vector<std::string>& objects) {
  std::string text;
  for (size_t i = 0; i < std::min(objects.size(), kNamed); ++i)
    text += fmt::format("{}{}", i > 0 ? ", " : "", objects[i]);
  if (objects.size() > kNamed) text += fmt::format(" and {} more", objects.size() - kNamed);
  return text;
}

class ReachCollector {
 public:
  void add(const ObjectDiff& object, const Difference& difference) {
    const base::Location& at = difference.location;
    std::string place = at.file ? fmt::format("{}:{}", at.file->name(), at.line) : "elsewhere";
    const std::string field = difference.cause ? fields_.of(*difference.cause) : "";
    if (!field.empty()) place += "  " + field;
    Source& source = source_at(place);
    Change change{short_path(difference.path), value_texts(difference), {}};
    const auto [known, is_new] = source.indexes.try_emplace(
        {change.path, change.values.live, change.values.rendered}, source.changes.size());
    if (is_new) source.changes.push_back(std::move(change));
    Change& to = source.changes[known->second];
    add_once(title_of(object), to.objects);
    add_once(title_of(object), source.objects);
  }

  // For a terminal with that many columns; 0: no terminal.
  std::string text(size_t width) const {
    std::string out;
    for (const Source& source : sources_) {
      const std::string reaches = "reaches " + counted(source.objects.size(), "object");
      out += base::beside_or_below({source.place, reaches}, width, 4) + "\n";
      for (const Change& change : source.changes) {
        const bool all = change.objects.size() == source.objects.size();
        out += line_of(change, all ? "" : "in " + names(change.objects), width) + "\n";
      }
      out += base::wrap(fmt::format("  in {}", names(source.objects)), width, 5) + "\n\n";
    }
    return out;
  }

 private:
  static std::string line_of(const Change& change, const std::string& where, size_t width) {
    constexpr size_t kIndent = 6;
    const std::string path = "  " + change.path;
    const std::string both = fmt::format("{} → {}", change.values.live, change.values.rendered);
    if (width == 0 || base::display_width(both) + kIndent <= width)
      return base::beside_or_below({path, both, where}, width, kIndent);
    const size_t most = width > kIndent + 2 ? width - kIndent - 2 : 1;
    return base::beside_or_below(
        {path, base::cut(change.values.live, most) + " →", base::cut(change.values.rendered, most), where},
        width, kIndent);
  }

  Source& source_at(const std::string& place) {
    const auto [known, is_new] = by_place_.try_emplace(place, sources_.size());
    if (is_new) sources_.push_back({place, {}, {}, {}});
    return sources_[known->second];
  }

  InputFields fields_;
  std::vector<Source> sources_;
  std::map<std::string, size_t> by_place_;
};

}  // namespace

std::string format_reach(const Report& report, const FormatOptions& options) {
  ReachCollector collector;
  std::string whole;
  for (const ObjectDiff& object : report.objects) {
    for (const Difference& difference : object.differences) {
      if (difference.kind == DifferenceKind::Changed) {
        collector.add(object, difference);
      } else if (difference.kind != DifferenceKind::Ignored) {
        const std::string what = difference.kind == DifferenceKind::Missing ? "added" : "removed";
        whole += base::beside_or_below({title_of(object), what}, options.width, 4) + "\n";
      }
    }
  }
  if (!whole.empty()) whole += '\n';
  return collector.text(options.width) + whole +
         base::wrap(summary_of(report, options.files), options.width, 2) + "\n" +
         cost_lines(report, options.width);
}

}  // namespace trainjobc::diff
