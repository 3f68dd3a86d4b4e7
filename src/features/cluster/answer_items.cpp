// SPDX-License-Identifier: Apache-2.0

#include "features/cluster/answer_items.h"

#include "base/text/text.h"

namespace trainjobc::cluster {

void AnswerItems::add(std::string_view part) {
  for (const char c : part) {
    if (is_in_string_) {
      add_in_string(c);
    } else {
      add_structure(c);
    }
  }
}

void AnswerItems::add_in_string(char c) {
  rest_ += c;
  is_in_string_ = is_escaped_ || c != '"';
  is_escaped_ = !is_escaped_ && c == '\\';
}

void AnswerItems::add_structure(char c) {
  switch (c) {
    case '"': is_in_string_ = true; break;
    case '{':
    case '[':
      if (c == '[' && depth_ == 1) is_in_items_ = is_after_key();
      if (is_among_items()) item_ = rest_.size();
      ++depth_;
      break;
    case '}':
    case ']':
      if (depth_ > 0) --depth_;
      if (is_among_items() && c == '}') {
        rest_ += c;
        return end_item();
      }
      if (is_in_items_ && depth_ == 1) {
        is_in_items_ = false;
        if (is_after_taken_ && rest_[last()] == ',') rest_.erase(last());
      }
      break;
    case ',':
      if (is_among_items() && std::exchange(is_after_taken_, false)) return;
      break;
    default: break;
  }
  rest_ += c;
}

void AnswerItems::end_item() {
  is_after_taken_ = take_(std::string_view(rest_).substr(item_));
  if (is_after_taken_) rest_.resize(item_);
}

bool AnswerItems::is_after_key() const {
  return std::string_view(rest_).substr(0, last() + 1).ends_with("\"items\":") &&
         base::trimmed(rest_).starts_with('{');
}

size_t AnswerItems::last() const {
  return rest_.find_last_not_of(base::kSpace);
}

}  // namespace trainjobc::cluster
