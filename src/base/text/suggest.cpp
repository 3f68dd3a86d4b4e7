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
constexpr size_t kMostCompared = 200;  // candidates that are all compared
constexpr size_t kNeighbours = 40;     // of more: on each side, in the order of beginnings and of ends

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

}  // namespace

std::optional<std::string_view> closest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kMaxLength) return std::nullopt;
  const size_t limit = word.size() <= 3 ? 1 : word.size() <= 8 ? 2 : 1 + word.size() / 4;
  std::optional<std::string_view> best;
  size_t best_distance = limit + 1;
  for (const std::string_view candidate : candidates) {
    const size_t gap =
        candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
    if (gap >= best_distance || candidate.size() > kMaxLength) continue;
    const size_t d = distance(word, candidate);
    if (d < best_distance) {
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
