// SPDX-License-Identifier: Apache-2.0

#include "base/text/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace trainjobc::base {
namespace {

using LineSpan = std::span<const std::string_view>;
using Numbers = std::vector<uint32_t>;  // equal lines have equal numbers

// The maximum number of edits per search: its time and memory are quadratic in them.
constexpr int kMostEdits = 400;

// Texts that still have to be compared: lines from `begin` to `end` of each.
struct Window {
  size_t old_begin;
  size_t old_end;
  size_t new_begin;
  size_t new_end;
};

// Myers, "An O(ND) difference algorithm": how far each diagonal gets with d edits, for every d in turn.
class Search {
 public:
  Search(std::span<const uint32_t> before, std::span<const uint32_t> after)
      : before_(before),
        after_(after),
        n_(static_cast<int>(before.size())),
        m_(static_cast<int>(after.size())),
        most_(std::min(n_ + m_, kMostEdits)),
        reach_(2 * static_cast<size_t>(most_) + 3, 0) {}

  // The marks of the shortest script, or of its beginning if it has more than kMostEdits edits.
  std::vector<char> run() {
    for (int d = 0; d <= most_; ++d) {
      steps_.push_back(neighbourhood(d));
      for (int k = -d; k <= d; k += 2) {
        int x = goes_down(k, d) ? at(k + 1) : at(k - 1) + 1;
        while (x < n_ && x - k < m_ && line(before_, x) == line(after_, x - k)) ++x;
        at(k) = x;
        if (x >= n_ && x - k >= m_) return trace(d, k);
      }
    }
    return trace(most_, furthest());
  }

 private:
  static uint32_t line(std::span<const uint32_t> lines, int i) { return lines[static_cast<size_t>(i)]; }
  int& at(int k) {
    const int place = k + most_ + 1;
    return reach_[static_cast<size_t>(place)];
  }

  bool goes_down(int k, int d) { return k == -d || (k != d && at(k - 1) < at(k + 1)); }

  // Copies what the diagonals -d - 1 to d + 1 have reached before step d.
  std::vector<int> neighbourhood(int d) const {
    const auto middle = reach_.begin() + most_ + 1;
    return {middle - std::min(d + 1, most_ + 1), middle + std::min(d + 1, most_ + 1) + 1};
  }

  // The diagonal that got through the most lines of both texts; one that is past the end of a text doesn't
  // count.
  int furthest() {
    int best = 0;
    int most = -1;
    for (int k = -most_; k <= most_; k += 2) {
      const int x = at(k);
      if (x > n_ || x - k > m_ || 2 * x - k <= most) continue;
      most = 2 * x - k;
      best = k;
    }
    return best;
  }

  std::vector<char> trace(int d, int k) {
    std::vector<char> marks;
    int x = at(k);
    for (; d > 0; --d) {
      const std::vector<int>& before = steps_[static_cast<size_t>(d)];
      const auto reached = [&](int diagonal) {
        const int place = diagonal + d + 1;
        return before[static_cast<size_t>(place)];
      };
      const bool down = k == -d || (k != d && reached(k - 1) < reached(k + 1));
      const int from_k = down ? k + 1 : k - 1;
      const int start = down ? reached(from_k) : reached(from_k) + 1;
      marks.insert(marks.end(), static_cast<size_t>(x - start), ' ');
      marks.push_back(down ? '+' : '-');
      x = reached(from_k);
      k = from_k;
    }
    marks.insert(marks.end(), static_cast<size_t>(x), ' ');
    std::ranges::reverse(marks);
    return marks;
  }

  std::span<const uint32_t> before_;
  std::span<const uint32_t> after_;
  int n_;
  int m_;
  int most_;
  std::vector<int> reach_;               // indexed by diagonal
  std::vector<std::vector<int>> steps_;  // indexed by number of edits
};

class Comparison {
 public:
  Comparison(LineSpan before, LineSpan after) : before_(before), after_(after) {
    std::unordered_map<std::string_view, uint32_t> numbers;
    const auto number = [&](std::string_view line) {
      return numbers.try_emplace(line, static_cast<uint32_t>(numbers.size())).first->second;
    };
    for (const std::string_view line : before) old_.push_back(number(line));
    for (const std::string_view line : after) new_.push_back(number(line));
    count_ = numbers.size();
  }

  std::vector<MarkedLine> run() {
    const Window all{0, old_.size(), 0, new_.size()};
    const std::vector<char> marks = search(all);
    if (reaches_end(marks, all)) {
      apply(marks);
      return std::move(script_);
    }
    for (const auto& [in_old, in_new] : anchors()) compare({old_at_, in_old, new_at_, in_new});
    compare({old_at_, old_.size(), new_at_, new_.size()});
    return std::move(script_);
  }

 private:
  std::vector<char> search(const Window& window) const {
    return Search(std::span(old_).subspan(window.old_begin, window.old_end - window.old_begin),
                  std::span(new_).subspan(window.new_begin, window.new_end - window.new_begin))
        .run();
  }

  static bool reaches_end(const std::vector<char>& marks, const Window& window) {
    const auto added = static_cast<size_t>(std::ranges::count(marks, '+'));
    const auto removed = static_cast<size_t>(std::ranges::count(marks, '-'));
    return marks.size() - added == window.old_end - window.old_begin &&
           marks.size() - removed == window.new_end - window.new_begin;
  }

  void apply(const std::vector<char>& marks) {
    for (const char mark : marks) {
      script_.push_back({mark, mark == '+' ? after_[new_at_] : before_[old_at_]});
      if (mark != '+') ++old_at_;
      if (mark != '-') ++new_at_;
    }
  }

  // Repeats the search from where the last one stopped.
  void compare(Window window) {
    while (window.old_begin < window.old_end || window.new_begin < window.new_end) {
      apply(search(window));
      window.old_begin = old_at_;
      window.new_begin = new_at_;
    }
  }

  // Pairs of lines that occur once in each text: the longest series that is in the same order in both.
  std::vector<std::pair<size_t, size_t>> anchors() const {
    struct Place {
      size_t times_old = 0;
      size_t times_new = 0;
      size_t in_new = 0;
    };
    std::vector<Place> places(count_);
    for (const uint32_t line : old_) ++places[line].times_old;
    for (size_t i = 0; i < new_.size(); ++i) {
      ++places[new_[i]].times_new;
      places[new_[i]].in_new = i;
    }
    std::vector<std::pair<size_t, size_t>> pairs;
    for (size_t i = 0; i < old_.size(); ++i) {
      const Place& place = places[old_[i]];
      if (place.times_old == 1 && place.times_new == 1) pairs.emplace_back(i, place.in_new);
    }
    return longest_rise(pairs);
  }

  // The longest series of pairs in which both parts rise, by patience sorting.
  static std::vector<std::pair<size_t, size_t>> longest_rise(
      const std::vector<std::pair<size_t, size_t>>& pairs) {
    constexpr size_t kNone = SIZE_MAX;
    std::vector<size_t> tops;  // the last pair of each pile
    std::vector<size_t> below(pairs.size(), kNone);
    for (size_t i = 0; i < pairs.size(); ++i) {
      const auto pile =
          std::ranges::lower_bound(tops, pairs[i].second, {}, [&](size_t top) { return pairs[top].second; });
      if (pile != tops.begin()) below[i] = *(pile - 1);
      if (pile == tops.end()) {
        tops.push_back(i);
      } else {
        *pile = i;
      }
    }
    std::vector<std::pair<size_t, size_t>> rise;
    for (size_t i = tops.empty() ? kNone : tops.back(); i != kNone; i = below[i]) rise.push_back(pairs[i]);
    std::ranges::reverse(rise);
    return rise;
  }

  LineSpan before_;
  LineSpan after_;
  Numbers old_;
  Numbers new_;
  size_t count_ = 0;  // the number of different lines
  size_t old_at_ = 0;
  size_t new_at_ = 0;
  std::vector<MarkedLine> script_;
};

}  // namespace

std::vector<MarkedLine> edit_script(LineSpan before, LineSpan after) {
  return Comparison(before, after).run();
}

namespace {

using LineList = std::vector<std::string_view>;

// The lines, with their breaks.
LineList split(std::string_view text) {
  LineList lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

std::string range(size_t first, size_t count) {
  if (count == 1) return std::to_string(first);
  return fmt::format("{},{}", count == 0 ? first - 1 : first, count);
}

// The edits from `begin` to `end` as a hunk; line numbers are those of the first edit.
std::string print_hunk(const std::vector<MarkedLine>& edits, size_t begin, size_t end, size_t old_line,
                       size_t new_line) {
  std::string body;
  size_t old_count = 0;
  size_t new_count = 0;
  for (size_t i = begin; i < end; ++i) {
    if (edits[i].mark != '+') ++old_count;
    if (edits[i].mark != '-') ++new_count;
    body += edits[i].mark;
    body += edits[i].line;
    if (!edits[i].line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
  }
  return fmt::format("@@ -{} +{} @@\n{}", range(old_line, old_count), range(new_line, new_count), body);
}

}  // namespace

std::string unified_hunks(std::string_view old_text, std::string_view new_text) {
  constexpr size_t kContext = 3;
  const std::vector<MarkedLine> edits = edit_script(split(old_text), split(new_text));
  std::string out;
  size_t old_line = 1;
  size_t new_line = 1;
  size_t counted = 0;  // edits that are included in old_line and new_line
  const auto advance = [&](size_t to) {
    for (; counted < to; ++counted) {
      if (edits[counted].mark != '+') ++old_line;
      if (edits[counted].mark != '-') ++new_line;
    }
  };
  const auto is_change = [](const MarkedLine& line) { return line.mark != ' '; };
  for (size_t i = 0; i < edits.size();) {
    if (!is_change(edits[i])) {
      ++i;
      continue;
    }
    const size_t begin = i > kContext ? std::max(i - kContext, counted) : 0;
    size_t end = i + 1;  // one past the last change of the hunk
    for (size_t j = end; j < edits.size() && j <= end + 2 * kContext; ++j) {
      if (is_change(edits[j])) end = j + 1;
    }
    const size_t stop = std::min(end + kContext, edits.size());
    advance(begin);
    out += print_hunk(edits, begin, stop, old_line, new_line);
    advance(stop);
    i = stop;
  }
  return out;
}

std::string unified_diff(std::string_view old_text, std::string_view new_text, std::string_view old_name,
                         std::string_view new_name) {
  if (old_text == new_text) return "";
  return fmt::format("--- {}\n+++ {}\n{}", old_name, new_name, unified_hunks(old_text, new_text));
}

}  // namespace trainjobc::base
