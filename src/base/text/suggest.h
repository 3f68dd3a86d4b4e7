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

// The candidate with the fewest edits (a transposition is one) from `word`, ignoring case, if it is close
// enough; of several, the first.
std::optional<std::string_view> closest(std::string_view word, std::span<const std::string_view> candidates);

// Returns ", did you mean \"torch\"?" with the closest of the candidates; "" if none is close.
template <class Candidates, class Projection = std::identity>
std::string did_you_mean(std::string_view word, const Candidates& candidates, Projection name = {}) {
  std::vector<std::string_view> names;
  for (const auto& candidate : candidates) names.push_back(std::invoke(name, candidate));
  const auto meant = closest(word, names);
  return meant ? ", did you mean \"" + std::string(*meant) + "\"?" : "";
}

// `closest` for many words and one list of candidates. Of several hundred candidates, only those with the
// most similar beginning or end are compared. The candidates' texts must outlive the list.
class SuggestionList {
 public:
  explicit SuggestionList(std::vector<std::string_view> candidates);

  std::optional<std::string_view> closest(std::string_view word) const;

 private:
  using Ordered = std::vector<std::pair<std::string, size_t>>;  // each in lower case, with its index

  std::vector<std::string_view> candidates_;
  Ordered forwards_;
  Ordered backwards_;
};

}  // namespace trainjobc::base
