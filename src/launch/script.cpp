// SPDX-License-Identifier: Apache-2.0

#include "launch/script.h"

#include <algorithm>
#include <utility>

#include "launch/words.h"

namespace trainjobc::launch {
namespace {

class ScriptSplitter {
 public:
  explicit ScriptSplitter(std::string_view script) : script_(script) {}

  std::vector<Words> split() {
    for (at_ = 0; at_ < script_.size() && known_; ++at_) take(script_[at_]);
    end_program();
    return known_ && quote_ == 0 ? programs_ : std::vector<Words>();
  }

 private:
  void take(char c) {
    if (quote_ != 0) return take_quoted(c);
    switch (c) {
      case '\'':
      case '"':
        quote_ = c;
        in_word_ = true;
        return;
      case '\\': return take_escaped();
      case '#':
        if (in_word_) break;
        at_ = std::min(script_.find('\n', at_), script_.size()) - 1;
        return;
      case '\n': end_program(); return skip_documents();
      case '&':
        if (next() == '>') return;  // the second character of &>
        [[fallthrough]];
      case ';':
      case '|':
        if (next() == c) ++at_;
        return end_program();
      case ' ':
      case '\t': return end_word();
      case '<':
      case '>': return next() == '(' ? take_substitution(1) : redirect();
      case '$':
        if (next() == '(' || next() == '{') return take_substitution(1);
        break;
      case '`': return take_until_backtick();
      case '(': return take_parenthesis();
      case ')': return end_program();
      default: break;
    }
    add(c);
  }

  char next() const { return at_ + 1 < script_.size() ? script_[at_ + 1] : '\0'; }

  void take_escaped() {
    if (at_ + 1 == script_.size()) return;
    ++at_;
    if (script_[at_] != '\n') add(script_[at_]);
  }

  // Handles > file, >> file, 2>&1, << END and <<< word.
  void redirect() {
    if (word_.find_first_not_of("0123456789") == std::string::npos) word_.clear(), in_word_ = false;
    end_word();
    const bool is_document = script_.substr(at_).starts_with("<<") && !script_.substr(at_).starts_with("<<<");
    if (is_document) return read_delimiter();
    while (next() == '>' || next() == '<' || next() == '&') ++at_;
    while (next() == ' ') ++at_;
    is_target_ = true;
  }

  void read_delimiter() {
    at_ += 2;
    while (at_ < script_.size() && (script_[at_] == '-' || script_[at_] == ' ')) ++at_;
    const size_t end = std::min(script_.find_first_of(" \t\n;&|)", at_), script_.size());
    std::string delimiter(script_.substr(at_, end - at_));
    std::erase_if(delimiter, [](char c) { return c == '\'' || c == '"' || c == '\\'; });
    documents_.push_back(std::move(delimiter));
    at_ = end - 1;
  }

  // Skips the here-documents that follow the line.
  void skip_documents() {
    for (const std::string& delimiter : documents_) {
      bool found = false;
      while (!found && at_ + 1 < script_.size()) {
        const size_t end = std::min(script_.find('\n', at_ + 1), script_.size());
        std::string_view line = script_.substr(at_ + 1, end - at_ - 1);
        line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
        found = line == delimiter;
        at_ = end;
      }
    }
    documents_.clear();
  }

  // Takes $(…), ${…} or <(…) as it is written. `open` is the distance to its bracket.
  void take_substitution(size_t open) {
    const size_t end = closing(at_ + open);
    if (end == std::string_view::npos) {
      known_ = false;
      return;
    }
    word_ += script_.substr(at_, end - at_ + 1);
    in_word_ = true;
    at_ = end;
  }

  void take_until_backtick() {
    const size_t end = script_.find('`', at_ + 1);
    known_ = end != std::string_view::npos;
    if (!known_) return;
    word_ += script_.substr(at_, end - at_ + 1);
    in_word_ = true;
    at_ = end;
  }

  // Handles a subshell, an arithmetic command, or the items of an array; a function makes the script unknown.
  void take_parenthesis() {
    if (in_word_ && word_.ends_with('=')) return take_substitution(0);
    if (in_word_ || !program_.empty()) {
      known_ = false;
    } else if (next() == '(') {
      const size_t end = closing(at_);
      known_ = end != std::string_view::npos;
      if (known_) at_ = end;
    }
  }

  // The bracket that closes the one at `open`.
  size_t closing(size_t open) const {
    const char opening = script_[open];
    const char close = opening == '(' ? ')' : '}';
    char quote = 0;
    size_t depth = 0;
    for (size_t i = open; i < script_.size(); ++i) {
      const char c = script_[i];
      if (c == '\\') {
        ++i;
      } else if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == opening) {
        ++depth;
      } else if (c == close && --depth == 0) {
        return i;
      }
    }
    return std::string_view::npos;
  }

  void take_quoted(char c) {
    if (c == quote_) {
      quote_ = 0;
    } else if (quote_ == '"' && c == '$' && next() == '(') {
      take_substitution(1);
    } else if (quote_ == '"' && c == '`') {
      take_until_backtick();
    } else if (quote_ == '"' && c == '\\' &&
               std::string_view("\"\\$`\n").find(next()) != std::string_view::npos) {
      take_escaped();
    } else {
      add(c);
    }
  }

  void add(char c) {
    word_ += c;
    in_word_ = true;
  }

  void end_word() {
    if (in_word_ && !std::exchange(is_target_, false)) program_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  void end_program() {
    end_word();
    if (!program_.empty()) programs_.push_back(std::move(program_));
    program_.clear();
    is_target_ = false;
  }

  std::string_view script_;
  size_t at_ = 0;
  bool known_ = true;
  char quote_ = 0;
  bool in_word_ = false;
  bool is_target_ = false;  // the next word is a redirection's target
  std::string word_;
  Words program_;
  Words documents_;  // delimiters of here-documents that follow
  std::vector<Words> programs_;
};

}  // namespace

std::vector<Words> split_script(std::string_view script) {
  return ScriptSplitter(script).split();
}

}  // namespace trainjobc::launch
