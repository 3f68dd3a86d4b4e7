// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/action_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "base/text/text.h"
#include "lint/lint.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"

namespace trainjobc::lsp {
namespace {

using base::Diagnostic;

// Fixes.

using Findings = std::span<const Diagnostic* const>;

bool can_apply(Findings findings) {
  base::Diagnostics all;
  for (const Diagnostic* found : findings) all.add(*found);
  return lint::apply_fixes(all, base::Certainty::Suggested).applied == findings.size();
}

// Finds the fixes that can be applied: if not all together can, tries each half, and so on down to those that
// can't.
void try_fixes(Findings findings, FindingSet& applicable) {
  if (findings.empty()) return;
  if (can_apply(findings)) {
    applicable.insert(findings.begin(), findings.end());
  } else if (findings.size() > 1) {
    const size_t half = findings.size() / 2;
    try_fixes(findings.first(half), applicable);
    try_fixes(findings.subspan(half), applicable);
  }
}

// The part of a file that a fix changes: from the first of its edits to the last.
struct Span {
  const base::SourceFile* file = nullptr;
  std::pair<uint32_t, uint32_t> begin;
  std::pair<uint32_t, uint32_t> end;
  const Diagnostic* found = nullptr;
};

// The span of a fix in one file; if it edits several, the file is nullptr.
Span span_of(const Diagnostic& found) {
  Span span{.found = &found};
  for (const base::Edit& edit : found.fix) {
    const base::Location& at = edit.range;
    if (span.file && span.file != at.file) return {.found = &found};
    const std::pair begin{at.line, at.column};
    const std::pair end{at.end_line, at.end_column};
    span.begin = span.file ? std::min(span.begin, begin) : begin;
    span.end = span.file ? std::max(span.end, end) : end;
    span.file = at.file;
  }
  return span;
}

// The smallest number of groups in which no fixes overlap.
std::vector<std::vector<const Diagnostic*>> without_overlaps(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, [](const Span& span) { return std::tuple(span.file, span.begin, span.end); });
  using End = std::tuple<std::pair<uint32_t, uint32_t>, size_t>;  // the end of a group, and its number
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  std::vector<std::vector<const Diagnostic*>> groups;
  const base::SourceFile* file = nullptr;
  for (const Span& span : spans) {
    if (std::exchange(file, span.file) != span.file) ends = {};
    size_t group = groups.size();
    if (!ends.empty() && std::get<0>(ends.top()) < span.begin) {
      group = std::get<1>(ends.top());
      ends.pop();
    } else {
      groups.emplace_back();
    }
    groups[group].push_back(span.found);
    ends.emplace(span.end, group);
  }
  return groups;
}

// The changes that the fix makes, as text: equal for fixes that do the same.
std::string effect_of(const Diagnostic& found) {
  std::string effect;
  for (const base::Edit& edit : found.fix) {
    const base::Location& at = edit.range;
    effect += fmt::format("{} {}:{}-{}:{} {}\n", static_cast<const void*>(at.file), at.line, at.column,
                          at.end_line, at.end_column, edit.text);
  }
  return effect;
}

// Comments.

void add_texts(const yaml::Node& node, std::vector<std::string_view>& texts) {
  if (node.is_string()) texts.push_back(node.text());
  for (const yaml::Entry& entry : node.entries()) {
    texts.push_back(entry.key);
    add_texts(*entry.value, texts);
  }
  for (const yaml::Node* item : node.items()) add_texts(*item, texts);
}

class CommentTrial {
 public:
  explicit CommentTrial(const base::SourceFile& file) : file_(file) {
    base::Diagnostics problems;
    documents_ = yaml::read(file, arena_, problems);
    is_readable_ = !problems.has_errors();
  }

  // Works like try_fixes(), but recognises comments at once that became part of a text.
  void try_lines(const std::vector<uint32_t>& lines) {
    if (lines.empty() || !is_readable_) return;
    const base::SourceFile after(file_.name(), with_comments(lines));
    base::Arena arena;
    base::Diagnostics problems;
    const auto documents = yaml::read(after, arena, problems);
    if (!problems.has_errors() && is_same(documents)) {
      good_.insert(lines.begin(), lines.end());
      return;
    }
    if (lines.size() == 1) return;
    const std::set<uint32_t> inside = problems.has_errors() ? std::set<uint32_t>() : inside_texts(documents);
    if (!inside.empty()) {
      std::vector<uint32_t> rest;
      std::ranges::set_difference(lines, inside, std::back_inserter(rest));
      return try_lines(rest);
    }
    const auto middle = lines.begin() + static_cast<ptrdiff_t>(lines.size() / 2);
    try_lines({lines.begin(), middle});
    try_lines({middle, lines.end()});
  }

  std::set<uint32_t> take() { return std::move(good_); }

 private:
  static constexpr std::string_view kMark = "# trainjobc-trial ";

  std::string with_comments(const std::vector<uint32_t>& lines) const {
    std::string text;
    size_t at = 0;
    for (const uint32_t line : lines) {
      const size_t begin = file_.line_start(line);
      text += file_.text().substr(at, begin - at);
      text += comment_above(file_, line, fmt::format("{}{} ", kMark, line));
      at = begin;
    }
    return text.append(file_.text().substr(at));
  }

  bool is_same(const std::vector<yaml::Document>& documents) const {
    return std::ranges::equal(documents_, documents, [](const yaml::Document& a, const yaml::Document& b) {
      return yaml::equal(*a.root, *b.root);
    });
  }

  // The lines on which a comment would be inside a text.
  static std::set<uint32_t> inside_texts(const std::vector<yaml::Document>& documents) {
    std::vector<std::string_view> texts;
    for (const yaml::Document& document : documents) add_texts(*document.root, texts);
    std::set<uint32_t> lines;
    for (const std::string_view text : texts) {
      for (size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at)) {
        at += kMark.size();
        const auto line = base::read_integer(text.substr(at, text.find(' ', at) - at));
        if (line) lines.insert(static_cast<uint32_t>(*line));
      }
    }
    return lines;
  }

  const base::SourceFile& file_;
  base::Arena arena_;
  std::vector<yaml::Document> documents_;
  bool is_readable_ = false;
  std::set<uint32_t> good_;
};

}  // namespace

FindingSet applicable_fixes(Findings findings) {
  std::map<std::string, std::vector<const Diagnostic*>> by_effect;
  for (const Diagnostic* found : findings) {
    const auto has_place = [](const base::Edit& edit) { return edit.range.file && edit.range.line != 0; };
    if (!found->fix.empty() && std::ranges::all_of(found->fix, has_place))
      by_effect[effect_of(*found)].push_back(found);
  }
  std::vector<Span> spans;
  FindingSet applicable;
  for (const auto& [effect, same] : by_effect) {
    const Span span = span_of(*same.front());
    if (span.file)
      spans.push_back(span);
    else
      try_fixes(std::array{same.front()}, applicable);
  }
  for (const auto& group : without_overlaps(std::move(spans))) try_fixes(group, applicable);
  for (const auto& [effect, same] : by_effect) {
    if (applicable.contains(same.front())) applicable.insert(same.begin(), same.end());
  }
  return applicable;
}

std::set<uint32_t> lines_for_comments(const base::SourceFile& file, const std::set<uint32_t>& lines) {
  CommentTrial trial(file);
  trial.try_lines({lines.begin(), lines.end()});
  return trial.take();
}

std::string comment_above(const base::SourceFile& file, uint32_t line, std::string_view comment) {
  const std::string_view text = file.line(line);
  const std::string_view first = file.text().substr(0, file.text().find('\n'));
  return fmt::format("{}{}{}", std::string(base::indent_of(text), ' '), comment,
                     first.ends_with('\r') ? "\r\n" : "\n");
}

}  // namespace trainjobc::lsp
