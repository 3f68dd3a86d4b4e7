// SPDX-License-Identifier: Apache-2.0

// What is wrong with a command line: words that no program understands, `tune run`, JAX without its numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "compile/trials.h"
#include "launch/launch.h"
#include "launch/words.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "rules/rules.h"
#include "secret/secret.h"
#include "yaml/rewrite/edits.h"
#include "yaml/write/writer.h"

namespace trainjobc::compile::advice::commands {
namespace {

using launch::base_name;
using launch::CommandLine;
using launch::is_launcher;
using launch::is_tune_run;
using launch::place_of_word;
using launch::script_index;
using launch::WordPlace;
using launch::words_of;
using policy::Framework;
using yaml::Node;

// Commands that no container can run as written.

constexpr size_t kMostWords = 128;  // the limit for a list in a TrainJob

// Placeholders of templating tools aren't checked, but for Katib's: a parameter is one word or a part of one.
bool is_template(std::string_view word) {
  for (size_t at = word.find("${"); at != std::string_view::npos; at = word.find("${", at + 1)) {
    if (!is_trial_placeholder(word.substr(at))) return true;
  }
  return word.find("{{") != std::string_view::npos;
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

// Splits the line into one item per word, or has a shell split it.
std::vector<base::Edit> split(const Node& line, bool is_alone) {
  const auto words = base::split_words(line.text());
  if (words) return yaml::split_item(line, *words);
  if (!is_alone || line.text().find('\n') != std::string_view::npos) return {};
  return yaml::split_item(line, {"sh", "-c", std::string(line.text())});
}

void check_program(const Node* command, const std::string& field, Advisor& advisor) {
  const Node* program = command && command->size() > 0 ? command->items().front() : nullptr;
  if (!program || is_template(program->text()) || !holds_words(program->text())) return;
  base::Diagnostic& found =
      advisor.warn("advice/one-word-command", fmt::format("{}[0]", field),
                   "the container looks for a program with this whole line as its name: each item of a "
                   "command must be one word",
                   yaml::locate(*program), "write one item per word, or [sh, -c, \"…\"]");
  found.hide_source = secret::may_hold_secret(program->text());
  auto edits = split(*program, command->size() == 1);
  if (base::split_words(program->text()).value_or(std::vector<std::string>()).size() + command->size() - 1 <=
      kMostWords)
    base::suggest_fix(found, std::move(edits));
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
  return base::find(kSigns, code, &Sign::code);
}

// Whether a character at that place replaced the typed one: an opening quote, or a dash before a flag.
bool is_meant(const Sign& sign, std::string_view before, std::string_view after) {
  if (sign.code == 0xA0) return true;
  const bool starts = before.empty() || is_space(before.back());
  if (sign.typed == "--") return starts && !after.empty() && after.front() >= 'A' && after.front() <= 'z';
  return starts || before.back() == '=' || before.back() == '(' || before.back() == ',';
}

struct PlacedSign {
  const Sign* sign = nullptr;  // nullptr if there is none
  size_t at = 0;
};

// The first such character in a script outside of quotes and comments.
PlacedSign sign_in_script(std::string_view script) {
  if (script.find("<<") != std::string_view::npos) return {};  // it may be in a here-document
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
      if (is_meant(*sign, script.substr(0, at), script.substr(at + point.length))) return {sign, at};
    }
    at += std::max<size_t>(point.length, 1);
  }
  return {};
}

// Finds such a character in a word that no shell reads: at its beginning, or after --flag=.
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

// The script with typed characters in place of those that replaced them.
std::string retyped(std::string_view script) {
  std::string out;
  char quote = 0;
  for (size_t at = 0; at < script.size();) {
    const size_t length = std::max<size_t>(base::decode_utf8(script.substr(at)).length, 1);
    const char c = script[at];
    const Sign* sign = quote == 0 ? find_sign(base::decode_utf8(script.substr(at)).value) : nullptr;
    const bool is_dash = sign && sign->typed == "--";
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    }
    if (sign && (!is_dash || is_meant(*sign, script.substr(0, at), script.substr(at + length)))) {
      out += sign->code == 0xA0 ? " " : sign->typed;
    } else {
      out += script.substr(at, length);
    }
    at += length;
  }
  return out;
}

// Curly quotes around a plain scalar stand for YAML's own; in other words they are removed.
std::vector<base::Edit> retype_word(const Node& word) {
  const std::string_view text = word.text();
  const std::string_view inner = base::without_curly_quotes(text);
  if (inner.size() != text.size()) {
    std::string quoted;
    yaml::write_json_string(inner, quoted);
    return yaml::replace_scalar(word, quoted);
  }
  const size_t value = text.starts_with('-') ? text.find('=') : std::string_view::npos;
  if (value != std::string_view::npos) {
    const std::string_view bare = base::without_curly_quotes(text.substr(value + 1));
    if (bare.size() + value + 1 == text.size()) return {};
    return yaml::replace_text(word, fmt::format("{}{}", text.substr(0, value + 1), bare));
  }
  const Sign* sign = find_sign(base::decode_utf8(text).value);
  if (!sign || sign->typed != "--") return {};
  return yaml::replace_text(word, fmt::format("--{}", text.substr(base::decode_utf8(text).length)));
}

base::Location locate_sign(const Node& script, size_t at) {
  const size_t length = base::decode_utf8(script.text().substr(at)).length;
  return yaml::WrittenText(script).place_or_all(at, length);
}

void check_signs(const CommandLine& line, const std::string& command, const std::string& args,
                 Advisor& advisor) {
  const auto words = words_of(line);
  const size_t script = script_index(words);
  for (size_t i = 0; i < words.size(); ++i) {
    const auto [sign, at] = i == script ? sign_in_script(words[i]) : PlacedSign{sign_in_word(words[i]), 0};
    if (!sign) continue;
    const WordPlace place = place_of_word(line, i);
    const Node& word = *place.word;
    base::Diagnostic& found = advisor.warn(
        "advice/typographic-sign", fmt::format("{}[{}]", place.in_args ? args : command, place.item),
        fmt::format("{} has no special meaning to a program or a shell: it stays part of the word",
                    sign->name),
        i == script ? locate_sign(word, at) : yaml::locate(word), fmt::format("write {}", sign->typed));
    found.hide_source = secret::may_hold_secret(word.text());
    base::suggest_fix(found,
                      i == script ? yaml::replace_script(word, retyped(word.text())) : retype_word(word));
  }
}

// Curly quotes around the whole value of a variable, which stand for YAML's.
void check_env_signs(const Node* env, const std::string& field, Advisor& advisor) {
  for (size_t i = 0; i < yaml::items_of(env).size(); ++i) {
    const Node* value = env->items()[i]->get("value");
    const std::string_view text = yaml::string_of(value);
    const auto at = value ? yaml::written_scalar(*value) : std::nullopt;
    const bool is_quoted = at && at->end_column - at->column != text.size();
    if (!at || is_quoted || base::without_curly_quotes(text).size() == text.size()) continue;
    base::Diagnostic& found = advisor.warn(
        "advice/typographic-sign", fmt::format("{}[{}].value", field, i),
        "the curly quotes around the value are a part of it: they are not YAML's", *at, "type the quotes");
    found.hide_source = value->origin().is_secret() || secret::may_hold_secret(text);
    base::suggest_fix(found, retype_word(*value));
  }
}

// Several arguments in one item: "--lr 1e-4 --epochs 3".

// Programs that take each of their arguments as one word. Others, such as shell scripts, may split words.
bool takes_exact_words(const std::vector<std::string_view>& words) {
  const std::string_view program = words.empty() ? "" : base_name(words.front());
  return program.starts_with("python") || program == "horovodrun" || program == "mpirun" ||
         is_launcher(program);
}

// Accepts --lr and -n, but not -1.
bool is_flag(std::string_view word) {
  const size_t name = std::min(word.find_first_not_of('-'), word.size());
  return (name == 1 || name == 2) && name < word.size() && base::is_alnum(word[name]) &&
         !base::is_digit(word[name]);
}

// The arguments in the word, if it begins with a flag and contains another one. Empty for any other word,
// also for the value of --flag=VALUE, and for text with quotes, which some other program reads.
std::vector<std::string_view> arguments_in(std::string_view word) {
  if (!is_flag(word) || is_template(word) || word.find_first_of("'\"`\\\n\t") != std::string_view::npos)
    return {};
  std::vector<std::string_view> parts = base::non_empty_parts(word, " ");
  const size_t equals = parts.front().find('=');
  const auto is_plain = [&](std::string_view part) {
    return is_flag(part) && part.find('=') != std::string_view::npos;
  };
  if (std::ranges::count_if(parts, is_flag) < 2) return {};
  if (equals == std::string_view::npos) return parts;
  const bool is_value =
      parts.front().substr(equals + 1).starts_with('-') || equals + 1 == parts.front().size();
  return !is_value && std::ranges::all_of(parts, is_plain) ? parts : std::vector<std::string_view>();
}

// Flags of mpirun that take several values. (Those of Hydra, which MPICH and Intel MPI use, set a variable.)
struct LongFlag {
  std::string_view name;  // with any number of dashes
  size_t values = 0;
};
constexpr std::array kLongFlags = std::to_array<LongFlag>({{"mca", 2},
                                                           {"gmca", 2},
                                                           {"pmca", 2},
                                                           {"omca", 2},
                                                           {"gomca", 2},
                                                           {"prtemca", 2},
                                                           {"gprtemca", 2},
                                                           {"pmixmca", 2},
                                                           {"gpmixmca", 2},
                                                           {"env", 2},
                                                           {"genv", 2}});

// How many values the flag has; nullopt if only its program knows.
std::optional<size_t> values_of(std::string_view flag, bool is_mpi) {
  const std::string_view name = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  const LongFlag* known = is_mpi ? base::find(kLongFlags, name, &LongFlag::name) : nullptr;
  return known ? std::optional(known->values) : std::nullopt;
}

bool is_mpi_program(std::string_view program) {
  return program.starts_with("mpirun") || program.starts_with("mpiexec") || program == "orterun" ||
         program == "prterun" || program == "horovodrun";
}

enum class WordRole { Value, Unknown, Argument };

// Whether the word at `index` is the value of a flag before it, or an argument of its own. How many words a
// flag takes is rarely known: at least one.
WordRole role_of(const std::vector<std::string_view>& words, size_t index) {
  const bool is_mpi =
      std::ranges::any_of(words.begin(), words.begin() + static_cast<ptrdiff_t>(index),
                          [](std::string_view word) { return is_mpi_program(base_name(word)); });
  size_t between = 0;
  for (size_t at = index; at-- > 0; ++between) {
    const std::string_view word = words[at];
    if (word.ends_with(".py"))
      return WordRole::Argument;  // a script: the words after it are its own arguments
    if (!is_flag(word) || word.find(' ') != std::string_view::npos) continue;
    if (word.find('=') != std::string_view::npos) return WordRole::Argument;
    const auto values = values_of(word, is_mpi);
    if (between < values.value_or(1)) return WordRole::Value;
    return values && between == *values ? WordRole::Argument : WordRole::Unknown;
  }
  return WordRole::Argument;
}

// Whether each flag among the words has at most one value, so that they can't mean anything else.
bool is_certain(const std::vector<std::string_view>& parts, bool is_mpi) {
  size_t values = 0;
  size_t most = 0;
  for (const std::string_view part : parts) {
    if (is_flag(part)) {
      if (most > 1 && values != most) return false;
      values = 0;
      most = part.find('=') != std::string_view::npos ? 0 : values_of(part, is_mpi).value_or(1);
    } else if (++values > most || part.find("=-") != std::string_view::npos) {
      return false;
    }
  }
  return true;
}

std::string items_hint(const std::vector<std::string_view>& parts) {
  constexpr size_t kMost = 60;
  std::string items;
  for (const std::string_view part : parts) {
    const std::string_view quote = is_flag(part) ? "" : "\"";
    items += fmt::format("{}{}{}{}", items.empty() ? "" : ", ", quote, part, quote);
  }
  return items.size() > kMost ? "write one item per word"
                              : fmt::format("write one item per word: [{}]", items);
}

// `program` is the word that names the program which reads the arguments.
void check_arguments(const CommandLine& line, const Node* program, const std::string& command,
                     const std::string& args, Advisor& advisor) {
  const auto own = words_of(line);
  const auto words = line.command ? own : words_of({program, line.args});
  const size_t skipped = words.size() - own.size();
  for (size_t i = skipped; i < script_index(words); ++i) {
    const std::vector<std::string_view> parts = arguments_in(words[i]);
    const WordRole role = parts.empty() ? WordRole::Value : role_of(words, i);
    if (role == WordRole::Value) continue;
    const WordPlace place = place_of_word(line, i - skipped);
    const Node& word = *place.word;
    const bool is_secret = secret::may_hold_secret(word.text());
    base::Diagnostic& found = advisor.warn(
        "advice/one-word-argument", fmt::format("{}[{}]", place.in_args ? args : command, place.item),
        fmt::format("the program gets these {} words as one argument, with the spaces between them",
                    parts.size()),
        yaml::locate(word), is_secret ? "write one item per word" : items_hint(parts));
    found.hide_source = is_secret;
    const bool is_mpi =
        std::ranges::any_of(words, [](std::string_view one) { return is_mpi_program(base_name(one)); });
    const size_t items = (place.in_args ? line.args : line.command)->size() - 1 + parts.size();
    if (role == WordRole::Argument && is_certain(parts, is_mpi) && items <= kMostWords)
      base::suggest_fix(found, yaml::split_item(word, {parts.begin(), parts.end()}));
    if (!takes_exact_words(words)) rules::except(found);
    return;
  }
}

// Flux joins the words into one line, which a shell runs.
bool is_joined(const policy::RuntimeInfo& info, const policy::PodSet* set) {
  return info.policy && info.policy->flux && (!set || set->ancestor == model::kTrainer);
}

// The command of the container that trains.
const Node* command_of_runtime(const AdviceContext& context) {
  const TrainerPlace trainer = trainer_of(context.merged);
  const policy::Container* node = trainer.set ? find_container(*trainer.set, model::kNode) : nullptr;
  return node ? node->node->get("command") : nullptr;
}

void check_job_command(const AdviceContext& context, Advisor& advisor) {
  if (!context.job.trainer) return;
  const CommandLine line{context.job.trainer->command, context.job.trainer->args};
  if (!is_joined(context.merged, nullptr)) {
    check_program(line.command, "spec.trainer.command", advisor);
    check_arguments(line, command_of_runtime(context), "spec.trainer.command", "spec.trainer.args", advisor);
  }
  check_signs(line, "spec.trainer.command", "spec.trainer.args", advisor);
  check_env_signs(context.job.trainer->env, "spec.trainer.env", advisor);
}

void check_runtime_commands(const RuntimeContext& context, Advisor& advisor) {
  for (const ContainerPlace& place : containers_of(context.info)) {
    const CommandLine line{place.container.node->get("command"), place.container.node->get("args")};
    if (!is_joined(context.info, &place.set)) {
      check_program(line.command, place.field + ".command", advisor);
      check_arguments(line, nullptr, place.field + ".command", place.field + ".args", advisor);
    }
    check_signs(line, place.field + ".command", place.field + ".args", advisor);
    check_env_signs(place.container.node->get("env"), place.field + ".env", advisor);
  }
}

// Command lines of `tune run` that torchtune refuses.

constexpr std::string_view kTuneCommand = "advice/tune-command";
constexpr std::string_view kSingleDevice = "_single_device";
constexpr std::string_view kAttentionModules = "model.lora_attn_modules";

// Settings that only the models of LoRA recipes have.
constexpr std::array<std::string_view, 8> kLoraSettings{
    kAttentionModules, "model.apply_lora_to_mlp", "model.apply_lora_to_output",
    "model.lora_rank", "model.lora_alpha",        "model.lora_dropout",
    "model.use_dora",  "model.quantize_base"};

// Parts of the command tune run [FLAG…] RECIPE --config CONFIG [SETTING…].
struct TuneRun {
  bool is_generated = false;     // Trainer completes the job's [tune, run]
  bool starts_torchrun = false;  // tune does if there are flags before the recipe
  std::string_view recipe;       // "" if the command has another form
  std::string_view config;
  bool has_own_model = false;  // the settings of such a model are unknown
};

std::string_view before_equals(std::string_view text) {
  return text.substr(0, text.find('='));
}

bool is_own_model(std::string_view word) {
  return before_equals(word) == "model" || before_equals(word) == "model._component_";
}

TuneRun read_command(const AdviceContext& context, const Node* container) {
  TuneRun run;
  run.is_generated = is_tune_run(context.job.trainer->command);
  const Node* command = container ? container->get("command") : nullptr;
  const auto words = words_of({command, container ? container->get("args") : nullptr});
  const auto flag = std::ranges::find(words, "--config");
  const bool is_tune = words.size() > 2 && base_name(words[0]) == "tune" && words[1] == "run";
  if (!is_tune || words.end() - flag < 2 || flag - words.begin() < 3) return run;
  run.recipe = *(flag - 1);
  run.config = *(flag + 1);
  run.starts_torchrun = words[2] != run.recipe;
  run.has_own_model = run.config.ends_with(".yaml") || std::ranges::any_of(words, is_own_model);
  return run;
}

// The place in spec.trainer where the number of processes comes from, and its field.
struct Place {
  base::Location where;
  std::string field;
};

Place place_of_processes(const model::Trainer& trainer) {
  for (const std::string_view key : {"numProcPerNode", "resourcesPerNode"}) {
    const base::Location where = locate_key_of(trainer.node, key);
    if (where.file) return {where, fmt::format("spec.trainer.{}", key)};
  }
  return {yaml::locate(*trainer.node), "spec.trainer"};
}

struct Fix {
  bool is_needed = false;
  std::string hint;
};

// The configurations that Trainer writes and its webhook accepts, but torchtune doesn't have.
Fix fix_of(std::string_view config) {
  if (config.starts_with("llama3_2/7B")) return {true, "use a runtime of another model"};
  if (config.starts_with("llama3_3/70B"))
    return {config.ends_with(kSingleDevice), "ask for several GPUs, without numProcPerNode: 1"};
  if (config.starts_with("qwen2_5/"))
    return {config.find("_qlora") != config.npos, "remove model.quantize_base"};
  return {config.ends_with("_qlora"), "ask for one GPU, or write numProcPerNode: 1"};
}

bool check_config(const AdviceContext& context, const TuneRun& run, Advisor& advisor) {
  Fix fix = fix_of(run.config);
  if (!fix.is_needed) return false;
  const Node* name = context.job.runtime_ref.name.node;
  advisor.warn(kTuneCommand, "spec.runtimeRef.name",
               fmt::format("torchtune has no configuration \"{}\"", run.config), yaml::locate(*name),
               std::move(fix.hint));
  return true;
}

// Reports a recipe that doesn't fit the way in which tune starts it.
bool check_launch(const AdviceContext& context, const TuneRun& run, Advisor& advisor) {
  const bool is_single = run.recipe.ends_with(kSingleDevice);
  if (is_single != run.starts_torchrun) return false;
  Place place = place_of_processes(*context.job.trainer);
  if (is_single) {
    const auto processes =
        rendered_number(context.admitted_job_set, policy::framework_of(context.merged)->processes);
    base::Diagnostic& found = advisor.warn(
        kTuneCommand, std::move(place.field),
        fmt::format("tune refuses to start {} processes: with one GPU, Trainer chooses recipe {}, which does "
                    "not support torchrun",
                    processes.value_or(0), run.recipe),
        place.where, "write numProcPerNode: 1");
    const model::Trainer& trainer = *context.job.trainer;
    const yaml::NewPair one{"numProcPerNode: 1", "\"numProcPerNode\": 1"};
    base::suggest_fix(found, trainer.num_proc_per_node ? yaml::replace_scalar(*trainer.num_proc_per_node, "1")
                                                       : yaml::insert_into(*trainer.node, one));
  } else {
    advisor.warn(kTuneCommand, std::move(place.field),
                 fmt::format("tune starts recipe {} without torchrun, and it fails: the job has neither GPUs "
                             "nor a number of processes",
                             run.recipe),
                 place.where, "ask for GPUs in resourcesPerNode, or write a number");
  }
  return true;
}

std::string lora_hint(const AdviceContext& context, const TuneRun& run, bool names_modules) {
  if (!context.merged.behaviours->torchtune.has_lora) return "remove it; Trainer 2.1 and newer support LoRA";
  if (!run.is_generated) return "write command: [tune, run], so that Trainer chooses a LoRA recipe";
  if (!names_modules) return fmt::format("add {}, which selects a LoRA recipe", kAttentionModules);
  return "write numNodes: 1: LoRA runs on one node only";
}

// Reports LoRA's settings if the recipe's model doesn't have them.
void check_lora(const AdviceContext& context, const TuneRun& run, Advisor& advisor) {
  const Node* args = context.job.trainer->args;
  if (!args || run.has_own_model || !run.recipe.starts_with("full_finetune")) return;
  const Node* first = nullptr;
  size_t index = 0;
  bool names_modules = false;
  for (size_t i = 0; i < args->size(); ++i) {
    const std::string_view name = before_equals(args->items()[i]->text());
    names_modules |= name == kAttentionModules;
    if (first || !base::contains(kLoraSettings, name)) continue;
    first = args->items()[i];
    index = i;
  }
  if (!first) return;
  advisor.warn(
      kTuneCommand, fmt::format("spec.trainer.args[{}]", index),
      fmt::format("recipe {} has no setting {}, and fails", run.recipe, before_equals(first->text())),
      yaml::locate(*first), lora_hint(context, run, names_modules));
}

void check_tune_command(const AdviceContext& context, Advisor& advisor) {
  if (!context.job.trainer || !context.merged.policy || !context.merged.policy->torch) return;
  const TrainerPlace trainer = trainer_of(context.merged);
  if (!trainer.set) return;
  const TuneRun run = read_command(context, rendered_node(context.admitted_job_set, trainer.set->name));
  if (run.recipe.empty()) return;
  const bool is_refused =
      run.is_generated && (check_config(context, run, advisor) || check_launch(context, run, advisor));
  if (!is_refused) check_lora(context, run, advisor);
}

// Programs that start JAX without numbers, which it does not read from the environment.

// Whether the script calls the function without arguments.
bool calls_plainly(std::string_view script, std::string_view function) {
  for (size_t at = script.find(function); at != std::string_view::npos; at = script.find(function, at + 1)) {
    const std::string_view rest = script.substr(at + function.size());
    if (!rest.starts_with('(')) continue;
    const size_t next = rest.find_first_not_of(" \t\r\n", 1);
    if (next != std::string_view::npos && rest[next] == ')') return true;
  }
  return false;
}

// The variable that contains the process's own number.
std::string_view rank_variable(const Framework& framework) {
  const auto found = std::ranges::find_if(framework.env, [&](std::string_view name) {
    return name != framework.processes && name != framework.address;
  });
  return found != framework.env.end() ? *found : "";
}

void check_jax_initialize(const AdviceContext& context, Advisor& advisor) {
  const Framework* framework = policy::framework_of(context.merged);
  if (!context.job.trainer || !framework || framework->field != "jax") return;
  const std::string function = fmt::format("{}.initialize", framework->env_reader);
  const auto check = [&](const yaml::Node* list, std::string_view field) {
    for (size_t i = 0; list && i < list->size(); ++i) {
      const yaml::Node& word = *list->items()[i];
      if (!calls_plainly(word.text(), function)) continue;
      base::Diagnostic& found = advisor.warn(
          "advice/jax-initialize", fmt::format("{}[{}]", field, i),
          fmt::format("{}() reads {} only: without arguments it does not know how many processes there are",
                      function, framework->address),
          yaml::locate(word),
          fmt::format("pass num_processes=int(os.environ[\"{}\"]), process_id=int(os.environ[\"{}\"])",
                      framework->processes, rank_variable(*framework)));
      found.hide_source = secret::may_hold_secret(word.text());
    }
  };
  check(context.job.trainer->command, "spec.trainer.command");
  check(context.job.trainer->args, "spec.trainer.args");
}

}  // namespace

Checks checks() {
  return {.job = {check_job_command, check_tune_command, check_jax_initialize},
          .runtime = {check_runtime_commands}};
}

}  // namespace trainjobc::compile::advice::commands
