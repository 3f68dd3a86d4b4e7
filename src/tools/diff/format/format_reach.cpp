#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "tools/diff/difference_text.h"
#include "tools/diff/format/formats.h"

namespace trainjobc::diff {
namespace {

// How many jobs are named.
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

class Collector {
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

  std::string text() const {
    std::string out;
    for (const Source& source : sources_) {
      out += fmt::format("{}   reaches {}\n", source.place, counted(source.objects.size(), "object"));
      for (const Change& change : source.changes) {
        const bool all = change.objects.size() == source.objects.size();
        out += fmt::format("  {}   {} → {}{}\n", change.path, change.values.live, change.values.rendered,
                           all ? "" : fmt::format("   in {}", names(change.objects)));
      }
      out += fmt::format("  in {}\n\n", names(source.objects));
    }
    return out;
  }

 private:
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
  Collector collector;
  std::string whole;
  for (const ObjectDiff& object : report.objects) {
    for (const Difference& difference : object.differences) {
      if (difference.kind == DifferenceKind::Changed) {
        collector.add(object, difference);
      } else if (difference.kind != DifferenceKind::Ignored) {
        whole += fmt::format("{}   {}\n", title_of(object),
                             difference.kind == DifferenceKind::Missing ? "added" : "removed");
      }
    }
  }
  if (!whole.empty()) whole += '\n';
  return collector.text() + whole + summary_of(report, options.files) + "\n";
}

}  // namespace trainjobc::diff
