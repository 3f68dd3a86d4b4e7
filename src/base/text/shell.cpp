// SPDX-License-Identifier: Apache-2.0

#include "base/text/shell.h"

#include <utility>

#include "base/text/text.h"

namespace trainjobc::base {
namespace {

constexpr std::string_view kSpecial = "|&;<>()$`*?[]{}~!\n";  // means something to a shell outside of quotes

class WordSplitter {
 public:
  explicit WordSplitter(std::string_view line) : line_(line) {}

  std::optional<std::vector<std::string>> split() {
    for (; at_ < line_.size(); ++at_) {
      if (!take(line_[at_])) return std::nullopt;
    }
    end_word();
    return std::move(words_);
  }

 private:
  bool take(char c) {
    if (is_blank(c)) {
      end_word();
      return true;
    }
    if (c == '\'' || c == '"') return take_quoted(c);
    if (c == '\\') return take_escaped();
    if (const size_t length = variable_length(); length > 0) {
      for (size_t i = 0; i < length; ++i) add(line_[at_ + i]);
      at_ += length - 1;
      return true;
    }
    if (kSpecial.find(c) != std::string_view::npos || (c == '#' && !in_word_)) return false;
    add(c);
    return true;
  }

  // Of $(NAME) at this place; 0 if there is none.
  size_t variable_length() const {
    const std::string_view rest = line_.substr(at_);
    if (!rest.starts_with("$(")) return 0;
    size_t end = 2;
    while (end < rest.size() && (is_upper(rest[end]) || is_digit(rest[end]) || rest[end] == '_')) ++end;
    return end > 2 && end < rest.size() && rest[end] == ')' ? end + 1 : 0;
  }

  bool take_quoted(char quote) {
    in_word_ = true;
    for (++at_; at_ < line_.size() && line_[at_] != quote; ++at_) {
      if (quote == '"' && (line_[at_] == '$' || line_[at_] == '`')) return false;
      const bool escapes = quote == '"' && line_[at_] == '\\' && at_ + 1 < line_.size() &&
                           (line_[at_ + 1] == '"' || line_[at_ + 1] == '\\');
      if (escapes) ++at_;
      add(line_[at_]);
    }
    return at_ < line_.size();
  }

  bool take_escaped() {
    if (at_ + 1 >= line_.size() || line_[at_ + 1] == '\n') return false;
    add(line_[++at_]);
    return true;
  }

  void add(char c) {
    word_ += c;
    in_word_ = true;
  }

  void end_word() {
    if (in_word_) words_.push_back(std::exchange(word_, {}));
    in_word_ = false;
  }

  std::string_view line_;
  size_t at_ = 0;
  bool in_word_ = false;
  std::string word_;
  std::vector<std::string> words_;
};

}  // namespace

std::optional<std::vector<std::string>> split_words(std::string_view line) {
  return WordSplitter(line).split();
}

}  // namespace trainjobc::base
