#include "base/unified_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace trainjobc::base {
namespace {

using Lines = std::vector<std::string_view>;

// Lines with their breaks.
Lines split(std::string_view text) {
  Lines lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

// One line of the edit script.
struct Step {
  char mark;  // ' ', '-' or '+'
  std::string_view line;
};

// Myers' greedy algorithm: the shortest edit script. `trace` keeps the furthest points of each distance.
std::vector<std::vector<int>> furthest_points(const Lines& a, const Lines& b) {
  const int n = static_cast<int>(a.size());
  const int m = static_cast<int>(b.size());
  const int offset = n + m + 1;
  std::vector<int> v(static_cast<size_t>(2 * offset + 1), 0);
  const auto at = [&](int k) -> int& { return v[static_cast<size_t>(k + offset)]; };
  std::vector<std::vector<int>> trace;
  for (int d = 0; d <= n + m; ++d) {
    trace.push_back(v);
    for (int k = -d; k <= d; k += 2) {
      int x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      int y = x - k;
      while (x < n && y < m && a[static_cast<size_t>(x)] == b[static_cast<size_t>(y)]) {
        ++x;
        ++y;
      }
      at(k) = x;
      if (x >= n && y >= m) return trace;
    }
  }
  return trace;
}

std::vector<Step> edit_script(const Lines& a, const Lines& b) {
  const auto trace = furthest_points(a, b);
  const int offset = static_cast<int>(a.size() + b.size()) + 1;
  int x = static_cast<int>(a.size());
  int y = static_cast<int>(b.size());
  std::vector<Step> steps;
  for (int d = static_cast<int>(trace.size()) - 1; d >= 0; --d) {
    const std::vector<int>& v = trace[static_cast<size_t>(d)];
    const auto at = [&](int k) { return v[static_cast<size_t>(k + offset)]; };
    const int k = x - y;
    const int before = k == -d || (k != d && at(k - 1) < at(k + 1)) ? k + 1 : k - 1;
    const int from_x = at(before);
    const int from_y = from_x - before;
    while (x > from_x && y > from_y && x > 0 && y > 0) {
      steps.push_back({' ', a[static_cast<size_t>(--x)]});
      --y;
    }
    if (d == 0) break;
    if (x == from_x) {
      steps.push_back({'+', b[static_cast<size_t>(--y)]});
    } else {
      steps.push_back({'-', a[static_cast<size_t>(--x)]});
    }
  }
  std::ranges::reverse(steps);
  return steps;
}

std::string range(size_t first, size_t count) {
  if (count == 1) return std::to_string(first);
  return fmt::format("{},{}", count == 0 ? first - 1 : first, count);
}

// The steps from `begin` to `end` as a hunk; line numbers are those of the first step.
std::string print_hunk(const std::vector<Step>& steps, size_t begin, size_t end, size_t old_line,
                       size_t new_line) {
  std::string body;
  size_t old_count = 0;
  size_t new_count = 0;
  for (size_t i = begin; i < end; ++i) {
    if (steps[i].mark != '+') ++old_count;
    if (steps[i].mark != '-') ++new_count;
    body += steps[i].mark;
    body += steps[i].line;
    if (!steps[i].line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
  }
  return fmt::format("@@ -{} +{} @@\n{}", range(old_line, old_count), range(new_line, new_count), body);
}

}  // namespace

std::string unified_diff(std::string_view old_text, std::string_view new_text, std::string_view old_name,
                         std::string_view new_name) {
  if (old_text == new_text) return "";
  constexpr size_t kContext = 3;
  const std::vector<Step> steps = edit_script(split(old_text), split(new_text));
  std::string out = fmt::format("--- {}\n+++ {}\n", old_name, new_name);
  size_t old_line = 1;
  size_t new_line = 1;
  size_t counted = 0;  // steps whose lines old_line and new_line have passed
  const auto advance = [&](size_t to) {
    for (; counted < to; ++counted) {
      if (steps[counted].mark != '+') ++old_line;
      if (steps[counted].mark != '-') ++new_line;
    }
  };
  const auto is_change = [](const Step& step) { return step.mark != ' '; };
  for (size_t i = 0; i < steps.size();) {
    if (!is_change(steps[i])) {
      ++i;
      continue;
    }
    const size_t begin = i > kContext ? std::max(i - kContext, counted) : 0;
    size_t end = i + 1;  // one past the last change of the hunk
    for (size_t j = end; j < steps.size() && j <= end + 2 * kContext; ++j) {
      if (is_change(steps[j])) end = j + 1;
    }
    const size_t stop = std::min(end + kContext, steps.size());
    advance(begin);
    out += print_hunk(steps, begin, stop, old_line, new_line);
    advance(stop);
    i = stop;
  }
  return out;
}

}  // namespace trainjobc::base
