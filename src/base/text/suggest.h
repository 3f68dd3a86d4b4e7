// Did-you-mean.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainjobc::base {

// The candidate closest to `word` by edits (a transposition is one), where it is close enough to be meant;
// case is free. The first of equals.
std::optional<std::string_view> closest(std::string_view word, std::span<const std::string_view> candidates);

// The same for many words and the same candidates. Of more than some hundreds, only those are compared that
// begin or end most like the word. The candidates' texts outlive the list.
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
