// SPDX-License-Identifier: Apache-2.0

#include "launch/words.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"

namespace trainjobc::launch {

bool is_shell(std::string_view program) {
  constexpr std::array<std::string_view, 5> kShells{"sh", "bash", "dash", "ash", "zsh"};
  return base::contains(kShells, base_name(program));
}

bool is_python(std::string_view program) {
  return base_name(program).starts_with("python");
}

namespace {

// -c, and a shell's -ec or -lc.
bool takes_script(std::string_view flag) {
  return flag.size() >= 2 && flag.size() <= 6 && flag.front() == '-' && flag[1] != '-' && flag.ends_with('c');
}

// Splits a script at its line breaks, ;, && and |, and drops redirections. Gives up on scripts with more
// syntax.
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
    if (quote_ != 0) {
      take_quoted(c);
    } else if (c == '\'' || c == '"') {
      quote_ = c;
      in_word_ = true;
    } else if (c == '\\' && at_ + 1 < script_.size() && script_[at_ + 1] == '\n') {
      ++at_;
    } else if (c == '#' && !in_word_) {
      at_ = std::min(script_.find('\n', at_), script_.size()) - 1;
    } else if (c == '&' && next() == '>') {
      // of &>
    } else if (c == '\n' || c == ';' || c == '&' || c == '|') {
      if (next() == c) ++at_;
      end_program();
    } else if (c == ' ' || c == '\t') {
      end_word();
    } else if ((c == '>' || c == '<') && next() != '(' && !script_.substr(at_).starts_with("<<")) {
      redirect();
    } else if (std::string_view("`<>(){}\\").find(c) != std::string_view::npos) {
      known_ = is_variable(c);
      add(c);
    } else {
      add(c);
    }
  }

  char next() const { return at_ + 1 < script_.size() ? script_[at_ + 1] : '\0'; }

  // > file, >> file, 2>&1
  void redirect() {
    if (word_.find_first_not_of("0123456789") == std::string::npos) word_.clear(), in_word_ = false;
    end_word();
    while (next() == '>' || next() == '&') ++at_;
    while (next() == ' ') ++at_;
    is_target_ = true;
  }

  // ${NAME}
  bool is_variable(char c) {
    if (c == '{' && at_ > 0 && script_[at_ - 1] == '$') return in_variable_ = true;
    return c == '}' && std::exchange(in_variable_, false);
  }

  void take_quoted(char c) {
    if (c == quote_) {
      quote_ = 0;
    } else {
      if (quote_ == '"' && (c == '`' || (c == '(' && at_ > 0 && script_[at_ - 1] == '$'))) known_ = false;
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
  bool in_variable_ = false;
  bool is_target_ = false;  // of a redirection
  std::string word_;
  Words program_;
  std::vector<Words> programs_;
};

// Whether the word is a NAME=value before a program.
bool is_assignment(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  return std::ranges::all_of(word.substr(0, equals), [](char c) { return base::is_alnum(c) || c == '_'; });
}

// Drops words that only prepare the start of a program.
void drop_prefix(Words& program) {
  while (!program.empty() &&
         (program.front() == "exec" || program.front() == "env" || is_assignment(program.front()))) {
    program.erase(program.begin());
  }
}

}  // namespace

std::vector<std::string_view> words_of(const CommandLine& line) {
  std::vector<std::string_view> words;
  for (const yaml::Node* list : {line.command, line.args}) {
    for (const yaml::Node* word : yaml::items_of(list)) words.push_back(word->text());
  }
  return words;
}

WordPlace place_of_word(const CommandLine& line, size_t index) {
  const size_t of_command = line.command ? line.command->size() : 0;
  const bool in_args = index >= of_command;
  const size_t item = in_args ? index - of_command : index;
  return {in_args, item, (in_args ? line.args : line.command)->items()[item]};
}

bool is_tune_run(const yaml::Node* command) {
  return command && command->size() == 2 && command->items()[0]->text() == "tune" &&
         command->items()[1]->text() == "run";
}

size_t script_index(const std::vector<std::string_view>& words) {
  if (words.empty() || !(is_shell(words.front()) || is_python(words.front()))) return words.size();
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    if (takes_script(words[i])) return i + 1;
    if (!words[i].starts_with('-')) break;  // a file, and its arguments
  }
  return words.size();
}

std::string_view base_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::vector<Words> programs_of(const std::vector<std::string_view>& words) {
  if (words.empty()) return {};
  std::vector<Words> programs;
  if (!is_shell(words.front())) {
    programs.push_back(Words(words.begin(), words.end()));
  } else if (const size_t script = script_index(words); script < words.size()) {
    programs = ScriptSplitter(words[script]).split();
  }
  for (Words& program : programs) drop_prefix(program);
  std::erase_if(programs, [](const Words& program) { return program.empty(); });
  return programs;
}

}  // namespace trainjobc::launch
