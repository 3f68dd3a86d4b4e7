// SPDX-License-Identifier: Apache-2.0

// The only source that includes CLI11, whose header takes seconds to compile. CLI11 splits the line into
// flags and arguments; what they mean is checked here against the descriptions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "cli/command.h"

namespace trainjobc::cli {
namespace {

// A flag, and what CLI11 has read for it.
struct Binding {
  Flag* flag = nullptr;
  CLI::Option* option = nullptr;
  bool is_on = false;
  std::string text;
  std::vector<std::string> texts;
};

// A command and CLI11's counterpart.
struct ParsedCommand {
  Command* command = nullptr;
  CLI::App* app = nullptr;
  std::deque<Binding> bindings;
};

// The flags that the words of a line may name. CLI11 is slow at adding flags, so only these are added.
class NamedFlags {
 public:
  explicit NamedFlags(std::span<const std::string> words) : words_(words) {}

  bool has(const std::string& command) const { return base::contains(words_, command); }

  // Whether the line names the flag, or whether the command or a named flag requires it.
  bool has(const Flag& flag, const Command& command) const {
    return flag.positional || flag.required || is_named(flag) ||
           std::ranges::any_of(command.flags, [&](const Flag& other) {
             return std::ranges::any_of(other.needed,
                                        [&](const std::string& name) { return flag.has_name(name); }) &&
                    is_named(other);
           });
  }

 private:
  bool is_named(const Flag& flag) const {
    const auto is_on_line = [&](const std::string& name) { return is_in_words(name); };
    return std::ranges::any_of(flag.names, is_on_line) || std::ranges::any_of(flag.old_names, is_on_line);
  }

  // Whether a word such as "-Rf" contains the letter of "-f".
  bool is_in_words(std::string_view name) const {
    return std::ranges::any_of(words_, [&](std::string_view word) {
      if (!name.starts_with("--")) return word.starts_with('-') && word.find(name.substr(1)) != word.npos;
      return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '=');
    });
  }

  std::span<const std::string> words_;
};

class Tree {
 public:
  Tree(Command& root, std::span<const std::string> words) : named_(words), app_(root.summary, root.name) {
    add(root, app_);
  }

  CLI::App& app() { return app_; }

  ParsedCommand& chosen() {
    ParsedCommand* node = &nodes_.front();
    for (ParsedCommand& one : nodes_) {
      if (one.app->parsed()) node = &one;  // parents come first
    }
    return *node;
  }

 private:
  void add(Command& command, CLI::App& app) {
    ParsedCommand& node = nodes_.emplace_back();
    node.command = &command;
    node.app = &app;
    app.require_subcommand(command.needs_command ? 1 : 0);
    for (Flag& flag : command.flags) {
      if (!flag.after_dashes && named_.has(flag, command)) add(flag, node);
    }
    for (const Binding& binding : node.bindings) relate(binding, node);
    for (Command& sub : command.commands) {
      if (named_.has(sub.name)) add(sub, *app.add_subcommand(sub.name, sub.summary));
    }
  }

  static void add(Flag& flag, ParsedCommand& node) {
    if (std::holds_alternative<std::monostate>(flag.target)) {
      if (flag.has_name("--version")) node.app->set_version_flag("--version", "");
      return;  // CLI11 has its own --help
    }
    Binding& binding = node.bindings.emplace_back();
    binding.flag = &flag;
    std::vector<std::string> names = flag.names;
    names.insert(names.end(), flag.old_names.begin(), flag.old_names.end());
    // CLI11 writes a flag that may be given without its value as --flag{value}.
    const std::string bare = flag.bare.empty() ? "" : fmt::format("{{{}}}", flag.bare);
    const std::string joined = fmt::format("{}{}", fmt::join(names, bare + ","), bare);
    if (!flag.bare.empty()) {
      binding.option = node.app->add_flag(joined, binding.text);
    } else if (std::holds_alternative<bool*>(flag.target)) {
      binding.option = node.app->add_flag(joined, binding.is_on);
    } else if (flag.repeats) {
      binding.option = node.app->add_option(joined, binding.texts);
      if (!flag.positional) binding.option->allow_extra_args(false);
    } else {
      binding.option = node.app->add_option(joined, binding.text);
      if (flag.value_optional) binding.option->expected(0, 1);
      binding.option->type_name(flag.value);
    }
    binding.option->required(flag.required);
  }

  static void relate(const Binding& binding, ParsedCommand& node) {
    for (const std::string& name : binding.flag->needed) {
      if (CLI::Option* other = node.app->get_option_no_throw(name)) binding.option->needs(other);
    }
    for (const std::string& name : binding.flag->excluded) {
      if (CLI::Option* other = node.app->get_option_no_throw(name)) binding.option->excludes(other);
    }
  }

  NamedFlags named_;
  CLI::App app_;
  std::deque<ParsedCommand> nodes_;
};

// A name that other tools use, and our name for it.
struct OtherName {
  std::string_view name;
  std::string_view here;
};

constexpr std::array kOtherNames = std::to_array<OtherName>({{"apply", "submit"},
                                                             {"build", "render"},
                                                             {"check", "lint"},
                                                             {"compile", "render"},
                                                             {"convert", "migrate"},
                                                             {"create", "new"},
                                                             {"fix", "lint --fix"},
                                                             {"fmt", "lint --fix"},
                                                             {"format", "lint --fix"},
                                                             {"init", "new"},
                                                             {"rules", "lint --list-rules"},
                                                             {"template", "render"},
                                                             {"upgrade", "migrate"},
                                                             {"validate", "lint"},
                                                             {"verify", "lint"}});

std::string unknown_command(const Command& root, const std::string& word) {
  std::string meant = base::did_you_mean(word, root.commands, &Command::name);
  const auto other = std::ranges::find(kOtherNames, word, &OtherName::name);
  if (other != kOtherNames.end()) {
    const bool exists = root.find_command(other->here.substr(0, other->here.find(' '))) != nullptr;
    meant = exists ? fmt::format(", did you mean \"{}\"?", other->here) : "";
  }
  return fmt::format("unknown command \"{}\"{}", word, meant);
}

std::string unknown_word(const Command& root, const Command& chosen, const std::string& word) {
  std::vector<std::string> names;
  if (word.starts_with("-")) {
    for (const Flag& flag : chosen.flags) {
      if (!flag.positional && word.size() > 2)
        names.insert(names.end(), flag.names.begin(), flag.names.end());
    }
    const std::string flag = word.substr(0, word.find('='));
    if (base::contains(names, flag))
      return fmt::format("write {} after \"{}\", with its value if it takes one", flag, chosen.name);
    return fmt::format("unknown flag \"{}\"{}", flag, base::did_you_mean(flag, names));
  }
  if (&chosen != &root) return fmt::format("unexpected argument \"{}\"", word);
  return unknown_command(root, word);
}

// Replaces the text by the value that it means. Returns "" if the flag accepts it, else an error.
std::string read_value(const Flag& flag, std::string& text) {
  if (flag.reader) {
    auto read = flag.reader(text);
    if (!read) return fmt::format("{} {} is not {}", flag.long_name(), text, flag.expected);
    text = std::move(*read);
  }
  if (flag.choices.empty() || base::contains(flag.choices, text)) return "";
  // A version that doesn't exist isn't a typo.
  const bool is_number = text.find_first_of("0123456789") != std::string::npos;
  return fmt::format("{} {} is not one of {}{}", flag.long_name(), text, fmt::join(flag.choices, ", "),
                     is_number ? "" : base::did_you_mean(text, flag.choices));
}

std::string read_number(const Flag& flag, const std::string& text, unsigned& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? "" : fmt::format("{} {} is not a number", flag.long_name(), text);
}

// Moves what CLI11 has read to the flag's target. Returns an error, or "".
std::string store(Binding& binding) {
  Flag& flag = *binding.flag;
  flag.given = true;
  if (const auto* on = std::get_if<bool*>(&flag.target)) {
    **on = binding.is_on;
    return "";
  }
  if (const auto* texts = std::get_if<std::vector<std::string>*>(&flag.target)) {
    for (std::string& text : binding.texts) {
      if (std::string error = read_value(flag, text); !error.empty()) return error;
    }
    **texts = std::move(binding.texts);
    return "";
  }
  if (flag.value_optional && binding.text.empty()) return "";
  if (std::string error = read_value(flag, binding.text); !error.empty()) return error;
  if (const auto* number = std::get_if<unsigned*>(&flag.target))
    return read_number(flag, binding.text, **number);
  *std::get<std::string*>(flag.target) = std::move(binding.text);
  return "";
}

std::string store_all(ParsedCommand& node) {
  for (Command* command = node.command; command; command = command->parent) command->chosen = true;
  for (Binding& binding : node.bindings) {
    if (binding.option->count() == 0) continue;
    if (std::string error = store(binding); !error.empty()) return error;
  }
  for (const CLI::Option* option : node.app->parse_order()) {
    const auto binding = std::ranges::find(node.bindings, option, &Binding::option);
    if (binding != node.bindings.end()) node.command->given_flags.push_back(binding->flag);
  }
  for (const auto& use : node.command->when_parsed) use(node.command->given_flags);
  return "";
}

// The flag of the line's command that takes the words after "--"; nullptr if it has none.
Flag* taker_of_rest(Command& root, const std::vector<std::string>& arguments) {
  const auto is_named = [&](const Command& one) { return base::contains(arguments, one.name); };
  const auto command = std::ranges::find_if(root.commands, is_named);
  if (command == root.commands.end()) return nullptr;
  const auto flag = std::ranges::find_if(command->flags, &Flag::after_dashes);
  return flag != command->flags.end() ? &*flag : nullptr;
}

bool takes_word(const Command& command, const std::string& name) {
  const auto is_taker = [&](const Flag& flag) { return flag.has_name(name) && flag.takes_word(); };
  return std::ranges::any_of(command.flags, is_taker) ||
         std::ranges::any_of(command.commands, [&](const Command& sub) { return takes_word(sub, name); });
}

// CLI11 would take the next word for the value of "--flag=", so the empty value becomes a word of its own.
std::vector<std::string> with_empty_values(const Command& root, std::span<const std::string> words) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
    const bool is_empty = word.starts_with("--") && word.find('=') == word.size() - 1;
    const std::string name = word.substr(0, word.size() - (is_empty ? 1 : 0));
    const bool splits = is_empty && takes_word(root, name);
    out.push_back(splits ? name : word);
    if (splits) out.emplace_back();
  }
  return out;
}

// Counts the words at the beginning that are flags of the command or their values.
size_t count_flags(const Command& command, std::span<const std::string> words) {
  size_t count = 0;
  while (count < words.size() && words[count].starts_with("-") && words[count] != "--") {
    const std::string& word = words[count];
    const std::string name = word.substr(0, word.find('='));
    const auto flag =
        std::ranges::find_if(command.flags, [&](const Flag& one) { return one.has_name(name); });
    if (flag == command.flags.end() || flag->positional) return count;
    count += flag->takes_word() && word.size() == name.size() ? 2 : 1;
  }
  return count;
}

// Moves flags after the command: "trainjobc --color never lint jobs" becomes "trainjobc lint --color never
// jobs".
std::vector<std::string> with_command_first(const Command& root, const std::vector<std::string>& arguments) {
  for (size_t i = 1; i < arguments.size() && arguments.front().starts_with("-"); ++i) {
    const Command* command = root.find_command(arguments[i]);
    if (!command || count_flags(*command, arguments) != i) continue;
    std::vector<std::string> sorted = arguments;
    std::rotate(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(i),
                sorted.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return sorted;
  }
  return arguments;
}

}  // namespace

ParsedLine parse(Command& root, const std::vector<std::string>& written) {
  const std::vector<std::string> arguments = with_command_first(root, written);
  Tree tree(root, arguments);
  ParsedLine line;
  line.command = &root;
  auto end = arguments.end();
  if (Flag* rest = taker_of_rest(root, arguments)) {
    end = std::ranges::find(arguments, "--");
    if (end != arguments.end())
      std::get<std::vector<std::string>*>(rest->target)->assign(end + 1, arguments.end());
    rest->given = end != arguments.end();
  }
  std::vector<std::string> reversed = with_empty_values(root, {arguments.begin(), end});
  std::ranges::reverse(reversed);
  try {
    tree.app().parse(reversed);
    ParsedCommand& chosen = tree.chosen();
    line.command = chosen.command;
    line.error = store_all(chosen);
    if (line.error.empty()) line.wanted = Wanted::Run;
  } catch (const CLI::CallForHelp&) {
    line.command = tree.chosen().command;
    line.wanted = Wanted::Help;
  } catch (const CLI::CallForVersion&) {
    line.wanted = Wanted::Version;
  } catch (const CLI::ParseError& error) {
    line.command = tree.chosen().command;
    const std::vector<std::string> unknown = tree.app().remaining(true);
    line.error = unknown.empty() ? error.what() : unknown_word(root, *line.command, unknown.front());
  }
  return line;
}

}  // namespace trainjobc::cli
