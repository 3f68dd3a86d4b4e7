// SPDX-License-Identifier: Apache-2.0

// The lines of a text, one after the other:
//
//   for (const std::string_view line : base::Lines(text)) …
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace trainjobc::base {

// Lines without their '\n'. A '\n' at the end does not begin another line; an empty text has no lines.
class Lines {
 public:
  class Iterator {
   public:
    explicit Iterator(std::string_view rest) : rest_(rest), size_(line_size(rest)) {}

    std::string_view operator*() const { return rest_.substr(0, size_); }
    Iterator& operator++() {
      rest_.remove_prefix(std::min(size_ + 1, rest_.size()));
      size_ = line_size(rest_);
      return *this;
    }
    bool operator==(std::default_sentinel_t) const { return rest_.empty(); }

   private:
    static size_t line_size(std::string_view text) { return std::min(text.find('\n'), text.size()); }

    std::string_view rest_;
    size_t size_;
  };

  explicit Lines(std::string_view text) : text_(text) {}

  Iterator begin() const { return Iterator(text_); }
  std::default_sentinel_t end() const { return {}; }

 private:
  std::string_view text_;
};

}  // namespace trainjobc::base
