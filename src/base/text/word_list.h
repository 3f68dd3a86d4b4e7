// SPDX-License-Identifier: Apache-2.0

// Lists of words in a sentence.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trainjobc::base {

// "a", "a and b", "a, b and c"
inline std::string word_list(std::span<const std::string_view> words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
    out += words[i];
  }
  return out;
}

}  // namespace trainjobc::base
