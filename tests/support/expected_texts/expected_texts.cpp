// SPDX-License-Identifier: Apache-2.0

#include "support/expected_texts/expected_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>

namespace trainjobc::test {
namespace {

constexpr std::string_view kEqual = " == ";

struct Range {
  size_t begin = 0;
  size_t end = 0;
};

// What is right of == in the assert that begins in that line.
std::optional<Range> right_side(std::string_view code, size_t line) {
  size_t start = 0;
  for (size_t i = 1; i < line && start != code.npos; ++i) start = code.find('\n', start) + 1;
  const size_t open = code.find('(', std::min(code.find("CHECK", start), code.find("REQUIRE", start)));
  std::optional<size_t> begin;
  size_t depth = 0;
  for (size_t i = open; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth == 1 && !begin && code.substr(i, 2) == "==") begin = i + 2;
    if (begin && (depth == 0 || (depth == 1 && c == ','))) return Range{*begin, i};
    if (depth == 0) return std::nullopt;
  }
  return std::nullopt;
}

std::vector<const StringLiteral*> literals_in(const CppSource& source, Range range) {
  std::vector<const StringLiteral*> found;
  for (const StringLiteral& literal : source.literals) {
    if (literal.begin >= range.begin && literal.end <= range.end) found.push_back(&literal);
  }
  return found;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// What `part` of `old_text` has to become, everywhere, so that `old_text` becomes `text`; nothing if that is
// not enough.
std::optional<std::string> changed_part(const std::string& part, const std::string& old_text,
                                        const std::string& text) {
  if (part.empty()) return std::nullopt;
  const size_t without = replaced(old_text, part, "").size();
  const size_t times = (old_text.size() - without) / part.size();
  if (times == 0 || text.size() < without || (text.size() - without) % times != 0) return std::nullopt;
  const size_t begin = old_text.find(part);
  if (begin > text.size()) return std::nullopt;
  const std::string changed = text.substr(begin, (text.size() - without) / times);
  return replaced(old_text, part, changed) == text ? std::optional(changed) : std::nullopt;
}

// The longest of the literals that can change so that the actual text is expected.
std::optional<ExpectedText> changed_literal(const std::vector<const StringLiteral*>& literals,
                                            const std::string& expected, const std::string& actual) {
  std::optional<ExpectedText> best;
  size_t longest = 0;
  bool is_only = false;
  for (const StringLiteral* literal : literals) {
    if (literal->value.size() < longest) continue;
    auto value = changed_part(literal->value, expected, actual);
    if (!value) continue;
    is_only = literal->value.size() > longest;
    longest = literal->value.size();
    best = {literal->begin, std::move(*value)};
  }
  return is_only ? best : std::nullopt;
}

}  // namespace

std::optional<ExpectedText> expected_text(const CppSource& source, size_t line, std::string_view values) {
  const std::optional<Range> side = right_side(source.code, line);
  if (!side) return std::nullopt;
  const std::vector<const StringLiteral*> literals = literals_in(source, *side);
  const std::string_view code = std::string_view(source.code).substr(side->begin, side->end - side->begin);
  if (literals.size() == 1 && code.find_first_not_of(" \n") == code.npos) {
    const std::string end = std::string(kEqual) + literals[0]->value;
    if (!values.ends_with(end)) return std::nullopt;
    return ExpectedText{literals[0]->begin, std::string(values.substr(0, values.size() - end.size()))};
  }
  const size_t equal = values.find(kEqual);
  if (equal == values.npos || values.find(kEqual, equal + 1) != values.npos) return std::nullopt;
  const std::string actual(values.substr(0, equal));
  const std::string expected(values.substr(equal + kEqual.size()));
  if (auto part = changed_literal(literals, expected, actual)) return part;
  return changed_literal(literals_in(source, {0, source.text.size()}), expected, actual);
}

ExpectedTexts::File& ExpectedTexts::file(const std::string& path) {
  const auto [at, is_new] = by_path_.try_emplace(path);
  if (is_new) {
    auto text = files_.read(path);
    if (auto* read = std::get_if<std::string>(&text)) at->second.source.emplace(std::move(*read));
  }
  return at->second;
}

void ExpectedTexts::add_failure(const std::string& path, size_t line, std::string_view values) {
  File& file = this->file(path);
  auto text = file.source ? expected_text(*file.source, line, values) : std::nullopt;
  if (!text) {
    file.left.push_back(line);
    return;
  }
  const auto [at, is_new] = file.values.try_emplace(text->literal, text->value);
  // An assert in a loop can't have two texts.
  if (!is_new && at->second != text->value)
    file.left.push_back(line);
  else
    file.lines[text->literal].push_back(line);
}

bool ExpectedTexts::write(const std::string& path, File& file) {
  if (!file.source) return false;
  std::string text = file.source->text;
  bool changes = false;
  for (const auto& [begin, value] : std::views::reverse(file.values)) {
    const CppSource source(text);
    const StringLiteral* literal = source.literal_at(begin);
    std::string changed = literal ? with_value(source, *literal, value) : "";
    if (changed.empty()) {
      file.left.insert(file.left.end(), file.lines[begin].begin(), file.lines[begin].end());
      continue;
    }
    text = std::move(changed);
    changes = true;
  }
  return changes && !files_.replace(path, file.source->text, text);
}

std::string ExpectedTexts::rewrite() {
  std::string report;
  for (auto& [path, file] : by_path_) {
    if (write(path, file)) report += fmt::format("{}: rewritten\n", path);
    for (const size_t line : std::set<size_t>(file.left.begin(), file.left.end())) {
      report += fmt::format("{}:{}: not rewritten: no single literal holds what is expected\n", path, line);
    }
  }
  return report;
}

}  // namespace trainjobc::test
