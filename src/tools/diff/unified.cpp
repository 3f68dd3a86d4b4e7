#include "tools/diff/unified.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace trainjobc::diff {
namespace {

using Lines = std::vector<std::string_view>;

constexpr size_t kContext = 3;
// Edits beyond which the shortest script isn't looked for: its search takes memory of their square.
constexpr int kMostEdits = 2000;

enum class Mark : char { Same = ' ', Out = '-', In = '+' };

struct Line {
  Mark mark;
  std::string_view text;
};

Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Myers, "An O(ND) difference algorithm": how far each diagonal gets with d edits, for every d.
class Search {
 public:
  Search(const Lines& before, const Lines& after)
      : before_(before),
        after_(after),
        n_(static_cast<int>(before.size())),
        m_(static_cast<int>(after.size())) {}

  // The script, in order; empty where it would be too long to look for.
  std::vector<Line> run() {
    const int most = std::min(n_ + m_, kMostEdits);
    std::vector<int> reach(2 * static_cast<size_t>(most) + 3, 0);
    for (int d = 0; d <= most; ++d) {
      steps_.push_back(reach);
      for (int k = -d; k <= d; k += 2) {
        int x = goes_down(reach, k, d, most) ? at(reach, k + 1, most) : at(reach, k - 1, most) + 1;
        while (x < n_ && x - k < m_ && line(before_, x) == line(after_, x - k)) ++x;
        at(reach, k, most) = x;
        if (x >= n_ && x - k >= m_) return trace(d, most);
      }
    }
    return {};
  }

 private:
  static std::string_view line(const Lines& lines, int i) { return lines[static_cast<size_t>(i)]; }
  static int& at(std::vector<int>& reach, int k, int most) {
    return reach[static_cast<size_t>(k + most + 1)];
  }

  static bool goes_down(std::vector<int>& reach, int k, int d, int most) {
    return k == -d || (k != d && at(reach, k - 1, most) < at(reach, k + 1, most));
  }

  std::vector<Line> trace(int d, int most) {
    std::vector<Line> script;
    int x = n_;
    int y = m_;
    for (; d >= 0; --d) {
      std::vector<int>& reach = steps_[static_cast<size_t>(d)];
      const int k = x - y;
      const bool down = d > 0 && goes_down(reach, k, d, most);
      const int from_x = d == 0 ? 0 : down ? at(reach, k + 1, most) : at(reach, k - 1, most);
      const int from_y = d == 0 ? 0 : from_x - (down ? k + 1 : k - 1);
      while (x > from_x && y > from_y) script.push_back({Mark::Same, line(before_, --x)}), --y;
      if (d > 0 && down) script.push_back({Mark::In, line(after_, --y)});
      if (d > 0 && !down) script.push_back({Mark::Out, line(before_, --x)});
    }
    std::ranges::reverse(script);
    return script;
  }

  const Lines& before_;
  const Lines& after_;
  int n_;
  int m_;
  std::vector<std::vector<int>> steps_;
};

std::vector<Line> script_of(const Lines& before, const Lines& after) {
  std::vector<Line> script;
  if (!before.empty() && !after.empty()) script = Search(before, after).run();
  if (!script.empty()) return script;
  for (const std::string_view line : before) script.push_back({Mark::Out, line});
  for (const std::string_view line : after) script.push_back({Mark::In, line});
  return script;
}

std::string range(size_t first, size_t count) {
  // diff names the line before an empty range.
  if (count == 0) return fmt::format("{},0", first);
  return count == 1 ? fmt::format("{}", first + 1) : fmt::format("{},{}", first + 1, count);
}

}  // namespace

std::string unified_hunks(std::string_view before, std::string_view after) {
  const Lines old_lines = split(before);
  const Lines new_lines = split(after);
  const std::vector<Line> script = script_of(old_lines, new_lines);
  const auto changed = [&](size_t i) { return script[i].mark != Mark::Same; };
  std::string out;
  size_t old_at = 0;
  size_t new_at = 0;
  size_t done = 0;  // lines of the script that were counted
  const auto count_to = [&](size_t end) {
    for (; done < end; ++done) {
      old_at += script[done].mark != Mark::In ? 1 : 0;
      new_at += script[done].mark != Mark::Out ? 1 : 0;
    }
  };
  for (size_t i = 0; i < script.size(); ++i) {
    if (!changed(i)) continue;
    const size_t begin = i - std::min(i - done, kContext);
    size_t last = i;
    for (size_t j = i; j < script.size() && j <= last + 2 * kContext + 1; ++j) {
      if (changed(j)) last = j;
    }
    const size_t end = std::min(last + 1 + kContext, script.size());
    count_to(begin);
    const size_t old_first = old_at;
    const size_t new_first = new_at;
    std::string body;
    for (size_t j = begin; j < end; ++j)
      body += fmt::format("{}{}\n", static_cast<char>(script[j].mark), script[j].text);
    count_to(end);
    out += fmt::format("@@ -{} +{} @@\n{}", range(old_first, old_at - old_first),
                       range(new_first, new_at - new_first), body);
    i = end - 1;
  }
  return out;
}

}  // namespace trainjobc::diff
