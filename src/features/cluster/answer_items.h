// SPDX-License-Identifier: Apache-2.0

// Takes the items out of a JSON list while its text comes, so that it is never in memory as a whole.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace trainjobc::cluster {

class AnswerItems {
 public:
  // Gets the text of each object in the list's `items`; those for which it returns false stay in the rest.
  using Take = std::function<bool(std::string_view item)>;

  explicit AnswerItems(Take take) : take_(std::move(take)) {}

  void add(std::string_view part);
  // The text without what was taken: all of it, if it is not a JSON object.
  std::string rest() { return std::move(rest_); }

 private:
  void add_in_string(char c);
  void add_structure(char c);
  void end_item();
  // Whether the rest ends with the key of the list's items.
  bool is_after_key() const;
  // Where the last character of the rest is that is not white space; npos if there is none.
  size_t last() const;
  bool is_among_items() const { return is_in_items_ && depth_ == 2; }

  Take take_;
  std::string rest_;
  size_t depth_ = 0;  // of braces and brackets
  bool is_in_string_ = false;
  bool is_escaped_ = false;      // the next character is, in a string
  bool is_in_items_ = false;     // within the brackets of `items`
  bool is_after_taken_ = false;  // the last item was taken
  size_t item_ = 0;              // where the item begins in the rest
};

}  // namespace trainjobc::cluster
