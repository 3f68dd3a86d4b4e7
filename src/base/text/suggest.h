// SPDX-License-Identifier: Apache-2.0

// "Did you mean" suggestions.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainjobc::base {

// The candidate with the fewest edits (a transposition is one) to `word`, ignoring case, if it is close
// enough; the first of several. nullopt if there is none.
std::optional<std::string_view> closest(std::string_view word, std::span<const std::string_view> candidates);

// ", did you mean \"torch\"?" with the closest name of the candidates; "" if there is none.
template <class Candidates, class Projection = std::identity>
std::string did_you_mean(std::string_view word, const Candidates& candidates, Projection name = {}) {
  std::vector<std::string_view> names;
  for (const auto& candidate : candidates) names.push_back(std::invoke(name, candidate));
  const auto meant = closest(word, names);
  return meant ? ", did you mean \"" + std::string(*meant) + "\"?" : "";
}

// The same as `closest` for many words and one list of candidates. Of several hundred candidates, only those
// with the most similar beginning or end are compared. The candidates' texts must outlive the list.
class SuggestionList {
 public:
  explicit SuggestionList(std::vector<std::string_view> candidates);

  std::optional<std::string_view> closest(std::string_view word) const;

 private:
  using Ordered = std::vector<std::pair<std::string, size_t>>;  // in lower case, and which candidate it is

  std::vector<std::string_view> candidates_;
  Ordered forwards_;
  Ordered backwards_;
};

}  // namespace trainjobc::base
