// SPDX-License-Identifier: Apache-2.0

// Secrets on the command lines of programs: the word after --token, `wandb login KEY`, `curl -u
// user:password`, `aws configure set NAME VALUE`, `echo PASSWORD | docker login --password-stdin`.
#include "secret/commands.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "base/text/text.h"
#include "secret/parts.h"

namespace trainjobc::secret {
namespace {

constexpr std::string_view kPassword = "a password";
constexpr std::string_view kKey = "an API key";

// How a flag's password is written.
enum class Form : uint8_t {
  Word,      // -p PASSWORD
  Attached,  // -pPASSWORD
  Either,
  Pair,    // -u USER:PASSWORD
  Source,  // -passin pass:PASSWORD
};

struct PasswordFlag {
  std::string_view program;
  std::string_view flag;
  Form form = Form::Word;
  std::string_view subcommand;  // "" for any
};
constexpr std::array kPasswordFlags = std::to_array<PasswordFlag>({
    {"curl", "-u", Form::Pair},
    {"curl", "--user", Form::Pair},
    {"curl", "-U", Form::Pair},
    {"curl", "--proxy-user", Form::Pair},
    {"http", "-a", Form::Pair},
    {"https", "-a", Form::Pair},
    {"skopeo", "--creds", Form::Pair},
    {"skopeo", "--src-creds", Form::Pair},
    {"skopeo", "--dest-creds", Form::Pair},
    {"podman", "--creds", Form::Pair},
    {"buildah", "--creds", Form::Pair},
    {"sshpass", "-p", Form::Either},
    {"mysql", "-p", Form::Attached},
    {"mysqldump", "-p", Form::Attached},
    {"mysqladmin", "-p", Form::Attached},
    {"mariadb", "-p", Form::Attached},
    {"mongo", "-p"},
    {"mongosh", "-p"},
    {"mongodump", "-p"},
    {"mongorestore", "-p"},
    {"cqlsh", "-p"},
    {"redis-cli", "-a"},
    {"sqlcmd", "-P", Form::Either},
    {"ldapsearch", "-w"},
    {"ipmitool", "-P"},
    {"zip", "-P"},
    {"unzip", "-P"},
    {"7z", "-p", Form::Attached},
    {"openssl", "-passin", Form::Source},
    {"openssl", "-passout", Form::Source},
    {"openssl", "-pass", Form::Source},
    {"openssl", "-k", Form::Word, "enc"},
    {"ssh-keygen", "-N"},
    {"snowsql", "-p"},
    {"docker", "-p", Form::Either, "login"},
    {"podman", "-p", Form::Either, "login"},
    {"nerdctl", "-p", Form::Either, "login"},
    {"buildah", "-p", Form::Either, "login"},
    {"oras", "-p", Form::Either, "login"},
    {"helm", "-p", Form::Either, "login"},
    {"crane", "-p", Form::Either, "login"},
    {"az", "-p", Form::Word, "login"},
});

using Words = std::span<const std::string_view>;

std::string_view base_name(std::string_view program) {
  return program.substr(program.rfind('/') + 1);
}

bool is_flag(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

// Whether the word may be a password that someone made up; a number, such as a port, is not.
bool may_be_password(std::string_view word) {
  constexpr size_t kShortest = 6;
  return word.size() >= kShortest && !is_flag(word) && is_literal(word) && !is_no_secret(word) &&
         word.find('/') == std::string_view::npos && word.find_first_of("%\\") == std::string_view::npos;
}

bool is_hex(std::string_view word) {
  constexpr size_t kShortest = 32;
  return word.size() >= kShortest && std::ranges::all_of(word, [](char c) {
           return base::is_digit(c) || (base::to_lower(c) >= 'a' && base::to_lower(c) <= 'f');
         });
}

class CommandSecrets {
 public:
  explicit CommandSecrets(Words words) : words_(words) {}

  std::vector<SecretWord> take() {
    const bool is_told = reads_secret(words_);
    for (size_t i = 0; i < words_.size(); ++i) {
      check_named_flag(i);
      if (programs_.insert(base_name(words_[i])).second) check_program(i);
      check_setting(i);
      if (is_told && words_[i] == "<<<" && may_be_password(at(i + 1))) add(i + 1, kPassword, "");
    }
    std::ranges::stable_sort(found_, {}, &SecretWord::index);
    const auto same = std::ranges::unique(found_, {}, &SecretWord::index);
    found_.erase(same.begin(), same.end());
    return std::move(found_);
  }

 private:
  std::string_view at(size_t index) const {
    return index < words_.size() ? words_[index] : std::string_view();
  }

  void add(size_t index, std::string_view what, std::string_view name, size_t begin = 0) {
    found_.push_back({index, {what, name, begin, words_[index].size() - begin}});
  }

  // Checks --token VALUE.
  void check_named_flag(size_t i) {
    const std::string_view flag = words_[i];
    const std::string_view value = at(i + 1);
    if (!is_flag(flag) || is_flag(value) || flag.find_first_of("= ") != std::string_view::npos) return;
    const NameKind kind = kind_of_name(flag);
    if (kind != NameKind::None && is_value_of(flag, kind, value)) add(i + 1, "", flag);
  }

  // Checks the flags of a program. Only called for its first occurrence, which precedes the words after all
  // others.
  void check_program(size_t i) {
    const std::string_view program = base_name(words_[i]);
    if (program == "login" && i > 0) check_login(i);
    if (program == "mc" || program == "mcli") check_alias(i);
    for (const PasswordFlag& known : kPasswordFlags) {
      if (known.program != program) continue;
      if (!known.subcommand.empty() && !base::contains(words_, known.subcommand)) continue;
      for (size_t place = i + 1; place < words_.size(); ++place) check_password_flag(known, place);
    }
  }

  // mc alias set NAME URL USER PASSWORD
  void check_alias(size_t i) {
    const bool is_alias = at(i + 1) == "alias" && (at(i + 2) == "set" || at(i + 2) == "s");
    if (is_alias && may_be_password(at(i + 6))) add(i + 6, kPassword, "");
  }

  void check_password_flag(const PasswordFlag& known, size_t place) {
    const std::string_view word = words_[place];
    const bool is_attached = word.size() > known.flag.size() && word.starts_with(known.flag);
    const bool takes_attached = known.form == Form::Attached || known.form == Form::Either ||
                                (known.form == Form::Pair && !known.flag.starts_with("--"));
    if (is_attached && takes_attached) check_value(known, place, known.flag.size());
    if (word == known.flag && known.form != Form::Attached && place + 1 < words_.size())
      check_value(known, place + 1, 0);
  }

  void check_value(const PasswordFlag& known, size_t place, size_t begin) {
    std::string_view value = words_[place].substr(begin);
    if (value.starts_with('=')) ++begin;
    if (known.form == Form::Pair || known.form == Form::Source) {
      const size_t colon = words_[place].find(':', begin);
      if (colon == std::string_view::npos) return;
      if (known.form == Form::Source && words_[place].substr(begin, colon - begin) != "pass") return;
      begin = colon + 1;
    }
    value = words_[place].substr(begin);
    const bool is_all_letters = std::ranges::none_of(value, base::is_digit) && value.size() < 8;
    if (may_be_password(value) && !is_all_letters) add(place, kPassword, "", begin);
  }

  // Checks wandb login KEY.
  void check_login(size_t i) {
    static constexpr std::array<std::string_view, 6> kSwitches{"--relogin",   "--cloud",      "--verify",
                                                               "--no-verify", "--no-offline", "--"};
    constexpr size_t kShortest = 20;
    for (size_t place = i + 1; place < words_.size(); ++place) {
      const std::string_view word = words_[place];
      const bool is_value = is_flag(words_[place - 1]) && !base::contains(kSwitches, words_[place - 1]);
      const bool is_word = std::ranges::all_of(word, [](char c) { return base::is_alnum(c) || c == '_'; });
      if (is_value || !is_word || word.size() < kShortest || !is_literal(word)) continue;
      if (is_hex(word) || looks_like_key(word)) add(place, kKey, "");
    }
  }

  // Checks aws configure set aws_secret_access_key VALUE, and npm config set //registry/:_authToken VALUE.
  void check_setting(size_t i) {
    static constexpr std::array<std::string_view, 8> kVerbs{"set",    "config", "configure", "modify",
                                                            "create", "add",    "put",       "setx"};
    has_verb_ = has_verb_ || base::contains(kVerbs, words_[i]);
    const std::string_view value = at(i + 1);
    if (!has_verb_ || is_flag(words_[i]) || !looks_like_key(value) || !is_literal(value)) return;
    const std::string_view name = words_[i].substr(words_[i].find_last_of(".:/") + 1);
    if (kind_of_name(name) != NameKind::None) add(i + 1, "", name);
  }

 public:
  // Whether the command reads a secret from its standard input.
  static bool reads_secret(Words words) {
    static constexpr std::array<std::string_view, 4> kFlags{"--password-stdin", "--with-token", "-S",
                                                            "chpasswd"};
    return std::ranges::any_of(words, [](std::string_view word) { return base::contains(kFlags, word); });
  }

 private:
  Words words_;
  std::set<std::string_view> programs_;  // programs that have been checked
  bool has_verb_ = false;
  std::vector<SecretWord> found_;
};

// A command of a script: its words, without the quotes around them.
struct Command {
  std::vector<std::string_view> words;
  bool is_piped = false;  // its output is the input of the next one
};

// The script's commands, as far as a glance tells: quotes, substitutions and operators are not interpreted.
class Script {
 public:
  explicit Script(std::string_view text) : text_(text) {}

  std::vector<Command> take() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') {
        at_ += 2;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::string_view("\n;|&()`").find(c) != std::string_view::npos) {
        end_command(c == '|');
        ++at_;
      } else {
        take_word();
      }
    }
    end_command(false);
    return std::move(commands_);
  }

 private:
  void take_word() {
    const size_t begin = at_;
    char quote = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (std::string_view(" \t\r\n;|&()`").find(c) != std::string_view::npos) {
        break;
      }
    }
    std::string_view word = text_.substr(begin, at_ - begin);
    const bool is_quoted = word.size() > 1 && (word.front() == '"' || word.front() == '\'') &&
                           word.find(word.front(), 1) == word.size() - 1;
    if (is_quoted) word = word.substr(1, word.size() - 2);
    words_.push_back(word);
  }

  void end_command(bool is_piped) {
    if (!words_.empty()) commands_.push_back({std::move(words_), is_piped});
    words_.clear();
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<std::string_view> words_;
  std::vector<Command> commands_;
};

// A quick test, false for most texts.
bool may_give_secrets(std::string_view text) {
  static constexpr std::array kTelling = std::to_array<std::string_view>(
      {"login",  "curl",    "http",     "sshpass",  "mysql", "mariadb", "mongo", "redis-cli",  "cqlsh",
       "sqlcmd", "ldap",    "ipmitool", "zip",      "7z",    "-creds",  "-pass", "passwd",     "sudo",
       " set ",  " config", " modify",  " create ", " add ", " put ",   "enc",   "ssh-keygen", "snowsql"});
  return text.find(' ') != std::string_view::npos &&
         std::ranges::any_of(
             kTelling, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

}  // namespace

std::vector<SecretWord> find_secret_words(std::span<const std::string_view> words) {
  return CommandSecrets(words).take();
}

void add_commands(std::string_view text, std::vector<SecretInText>& places) {
  if (!may_give_secrets(text)) return;
  const std::vector<Command> commands = Script(text).take();
  const auto place_of = [&](std::string_view word) { return static_cast<size_t>(word.data() - text.data()); };
  for (size_t i = 0; i < commands.size(); ++i) {
    const Command& command = commands[i];
    for (const SecretWord& found : find_secret_words(command.words)) {
      SecretInText place = found.secret;
      place.begin += place_of(command.words[found.index]);
      places.push_back(place);
    }
    const bool is_told = command.is_piped && i + 1 < commands.size() &&
                         (command.words.front() == "echo" || command.words.front() == "printf");
    const std::string_view said = command.words.back();
    if (is_told && command.words.size() > 1 && CommandSecrets::reads_secret(commands[i + 1].words)) {
      const size_t begin = commands[i + 1].words.back() == "chpasswd" ? said.find(':') + 1 : 0;
      if (may_be_password(said.substr(begin)))
        places.push_back({kPassword, "", place_of(said) + begin, said.size() - begin});
    }
  }
}

}  // namespace trainjobc::secret
