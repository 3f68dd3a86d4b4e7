// SPDX-License-Identifier: Apache-2.0

#include "base/text/suggest.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include "base/text/text.h"

namespace trainjobc::base {
namespace {

constexpr size_t kMaxLength = 64;
constexpr size_t kMostCompared = 200;  // as many candidates are all compared
constexpr size_t kNeighbours = 40;     // of more, the nearest by beginning and by end are, on each side

bool same(char a, char b) {
  return to_lower(a) == to_lower(b);
}

// Damerau-Levenshtein distance (adjacent transpositions), case-insensitive, of words up to kMaxLength.
size_t distance(std::string_view a, std::string_view b) {
  std::array<std::array<uint8_t, kMaxLength + 1>, kMaxLength + 1> cost;
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = static_cast<uint8_t>(i);
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = static_cast<uint8_t>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const int change = same(a[i - 1], b[j - 1]) ? 0 : 1;
      const int other = std::min(cost[i - 1][j], cost[i][j - 1]) + 1;
      cost[i][j] = static_cast<uint8_t>(std::min(other, cost[i - 1][j - 1] + change));
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        cost[i][j] = std::min(cost[i][j], static_cast<uint8_t>(cost[i - 2][j - 2] + 1));
      }
    }
  }
  return cost[a.size()][b.size()];
}

// The words of a name: runs of letters, and runs of digits.
std::vector<std::string_view> words_of(std::string_view name) {
  const auto kind = [](char c) { return is_digit(c) ? 2 : is_alnum(c) || c < 0 ? 1 : 0; };
  std::vector<std::string_view> words;
  for (size_t at = 0; at < name.size();) {
    const size_t begin = at;
    while (at < name.size() && kind(name[at]) == kind(name[begin])) ++at;
    if (kind(name[begin]) != 0) words.push_back(name.substr(begin, at - begin));
  }
  return words;
}

// The letters and digits of a name, with those that look alike made equal.
std::string shape_of(std::string_view name) {
  std::string shape;
  for (const char c : lower_case(name)) {
    if (is_alnum(c) || c < 0) shape += c == '0' ? 'o' : c == '1' ? 'l' : c;
  }
  return shape;
}

// The most edits that are taken for a typo in a word.
size_t most_edits(std::string_view word) {
  return word.size() <= 2 ? 0 : word.size() <= 5 ? 1 : 2;
}

// Whether one word may be a typo of another. A syllable more makes another word, and so does a different
// letter in a short word: cpu and gpu, dev and prd.
bool is_typo(std::string_view word, std::string_view meant) {
  constexpr size_t kShort = 3;
  const std::string a = lower_case(word);
  const std::string b = lower_case(meant);
  if (a == b) return true;
  if (is_digit(a.front()) || is_digit(b.front())) return false;
  const size_t edits = distance(a, b);
  if (edits > most_edits(word)) return false;
  const auto& [shorter, longer] =
      std::minmax(a, b, [](const auto& x, const auto& y) { return x.size() < y.size(); });
  if (edits > 1 && longer.ends_with(shorter)) return false;
  return a.size() != b.size() || a.size() > kShort || std::ranges::is_permutation(a, b);
}

// Whether a name may be a misspelling of another: a letter or two differ inside its words, or the characters
// between the words. A name with one word more, or with another number, is another name.
bool is_misspelling(std::string_view name, std::string_view meant) {
  const std::vector<std::string_view> words = words_of(name);
  const std::vector<std::string_view> others = words_of(meant);
  if (shape_of(name) == shape_of(meant)) return true;
  return words.size() == others.size() && std::ranges::equal(words, others, is_typo);
}

}  // namespace

std::optional<std::string_view> closest(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr size_t kMostTypos = 3;
  if (word.empty() || word.size() > kMaxLength) return std::nullopt;
  const size_t limit = word.size() <= 3 ? 1 : word.size() <= 8 ? 2 : kMostTypos;
  std::optional<std::string_view> best;
  size_t best_distance = limit + 1;
  for (const std::string_view candidate : candidates) {
    const size_t gap =
        candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
    if (gap >= best_distance || candidate.size() > kMaxLength) continue;
    const size_t d = distance(word, candidate);
    if (d < best_distance && is_misspelling(word, candidate)) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

SuggestionList::SuggestionList(std::vector<std::string_view> candidates)
    : candidates_(std::move(candidates)) {
  if (candidates_.size() <= kMostCompared) return;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    std::string text = lower_case(candidates_[i]);
    forwards_.emplace_back(text, i);
    std::ranges::reverse(text);
    backwards_.emplace_back(std::move(text), i);
  }
  std::ranges::sort(forwards_);
  std::ranges::sort(backwards_);
}

std::optional<std::string_view> SuggestionList::closest(std::string_view word) const {
  if (candidates_.size() <= kMostCompared) return base::closest(word, candidates_);
  std::set<size_t> near;
  const auto add_neighbours = [&](const Ordered& ordered, std::string_view text) {
    const auto place = std::ranges::lower_bound(ordered, text, {}, &Ordered::value_type::first);
    const auto at = static_cast<size_t>(place - ordered.begin());
    const size_t end = std::min(at + kNeighbours, ordered.size());
    for (size_t i = at - std::min(at, kNeighbours); i < end; ++i) near.insert(ordered[i].second);
  };
  std::string text = lower_case(word);
  add_neighbours(forwards_, text);
  std::ranges::reverse(text);
  add_neighbours(backwards_, text);
  std::vector<std::string_view> compared;
  compared.reserve(near.size());
  for (const size_t candidate : near) compared.push_back(candidates_[candidate]);
  return base::closest(word, compared);
}

}  // namespace trainjobc::base
