// SPDX-License-Identifier: Apache-2.0

// Commands that no container can run as written.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/utf8.h"
#include "compile/advice/checks.h"
#include "compile/advice/containers/all_containers.h"
#include "compile/advice/containers/command_lines.h"
#include "model/trainer_names.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Node;

// Placeholders of templating tools aren't checked.
bool is_template(std::string_view word) {
  return word.find("{{") != std::string_view::npos || word.find("${") != std::string_view::npos;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

// Whether there are words on both sides of a space.
bool holds_words(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\n");
  const size_t space = begin == std::string_view::npos ? begin : text.find_first_of(" \t\n", begin);
  return space != std::string_view::npos && text.find_first_not_of(" \t\n", space) != std::string_view::npos;
}

void check_program(const Node* command, const std::string& field, Advisor& advisor) {
  const Node* program = command && command->size() > 0 ? command->items().front() : nullptr;
  if (!program || is_template(program->text()) || !holds_words(program->text())) return;
  base::Diagnostic& found =
      advisor.warn("advice/one-word-command", fmt::format("{}[0]", field),
                   "the container looks for a program with this whole line as its name: each item of a "
                   "command must be one word",
                   yaml::locate(*program), "write one item per word, or [sh, -c, \"…\"]");
  found.hide_source = may_hold_secret(program->text());
}

// A character that word processors substitute for a typed one.
struct Sign {
  uint32_t code;
  std::string_view name;
  std::string_view typed;
};

constexpr Sign kSigns[] = {{0x201C, "the curly quote “", "\""}, {0x201D, "the curly quote ”", "\""},
                           {0x201E, "the curly quote „", "\""}, {0x2018, "the curly quote ‘", "'"},
                           {0x2019, "the curly quote ’", "'"},  {0x2013, "the dash –", "--"},
                           {0x2014, "the dash —", "--"},        {0xA0, "a no-break space", "a space"}};

const Sign* find_sign(uint32_t code) {
  for (const Sign& sign : kSigns) {
    if (sign.code == code) return &sign;
  }
  return nullptr;
}

// Whether a character at that place replaced the typed one: an opening quote, a dash before a flag.
bool is_meant(const Sign& sign, std::string_view before, std::string_view after) {
  if (sign.code == 0xA0) return true;
  const bool starts = before.empty() || is_space(before.back());
  if (sign.typed == "--") return starts && !after.empty() && after.front() >= 'A' && after.front() <= 'z';
  return starts || before.back() == '=' || before.back() == '(' || before.back() == ',';
}

// The first such character in a script outside of quotes and comments.
const Sign* sign_in_script(std::string_view script) {
  if (script.find("<<") != std::string_view::npos) return nullptr;  // a here-document
  char quote = 0;
  for (size_t at = 0; at < script.size();) {
    const base::CodePoint point = base::decode_utf8(script.substr(at));
    const char c = script[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '#' && (at == 0 || is_space(script[at - 1]))) {
      at = std::min(script.find('\n', at), script.size());
      continue;
    } else if (const Sign* sign = find_sign(point.value)) {
      if (is_meant(*sign, script.substr(0, at), script.substr(at + point.length))) return sign;
    }
    at += std::max<size_t>(point.length, 1);
  }
  return nullptr;
}

// The same in a word that no shell reads: at its begin, or after --flag=.
const Sign* sign_in_word(std::string_view word) {
  const size_t equals = word.find('=');
  const bool is_flag = equals != std::string_view::npos && !holds_words(word.substr(0, equals));
  const auto sign_at = [&](size_t at) -> const Sign* {
    const Sign* sign = find_sign(base::decode_utf8(word.substr(at)).value);
    const size_t length = base::decode_utf8(word.substr(at)).length;
    if (!sign || sign->code == 0xA0) return nullptr;
    return is_meant(*sign, word.substr(0, at), word.substr(at + length)) ? sign : nullptr;
  };
  if (const Sign* sign = word.empty() ? nullptr : sign_at(0)) return sign;
  return is_flag && equals + 1 < word.size() ? sign_at(equals + 1) : nullptr;
}

void check_signs(const CommandLine& line, const std::string& command, const std::string& args,
                 Advisor& advisor) {
  const auto words = words_of(line);
  const size_t script = script_index(words);
  const size_t of_command = line.command ? line.command->size() : 0;
  for (size_t i = 0; i < words.size(); ++i) {
    const Sign* sign = i == script ? sign_in_script(words[i]) : sign_in_word(words[i]);
    if (!sign) continue;
    const bool in_args = i >= of_command;
    const size_t index = in_args ? i - of_command : i;
    const Node& word = *(in_args ? line.args : line.command)->items()[index];
    base::Diagnostic& found = advisor.warn(
        "advice/typographic-sign", fmt::format("{}[{}]", in_args ? args : command, index),
        fmt::format("{} has no special meaning to a program or a shell: it stays part of the word",
                    sign->name),
        yaml::locate(word), fmt::format("write {}", sign->typed));
    found.hide_source = may_hold_secret(word.text());
  }
}

// Flux joins the words into one line, which a shell runs.
bool is_joined(const policy::RuntimeInfo& info, const policy::PodSet* set) {
  return info.policy && info.policy->flux && (!set || set->ancestor == model::kTrainer);
}

}  // namespace

void check_job_command(const AdviceContext& context, Advisor& advisor) {
  if (!context.job.trainer) return;
  const CommandLine line{context.job.trainer->command, context.job.trainer->args};
  if (!is_joined(context.merged, nullptr)) check_program(line.command, "spec.trainer.command", advisor);
  check_signs(line, "spec.trainer.command", "spec.trainer.args", advisor);
}

void check_runtime_commands(const RuntimeContext& context, Advisor& advisor) {
  for (const ContainerPlace& place : containers_of(context.info)) {
    const CommandLine line{place.container.node->get("command"), place.container.node->get("args")};
    if (!is_joined(context.info, &place.set)) check_program(line.command, place.field + ".command", advisor);
    check_signs(line, place.field + ".command", place.field + ".args", advisor);
  }
}

}  // namespace trainjobc::compile::advice
