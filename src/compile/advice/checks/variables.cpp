// SPDX-License-Identifier: Apache-2.0

// References to environment variables that nothing sets: $(NAME), which Kubernetes replaces only if the
// container defines NAME, and $NAME, which only a shell does.
//
// Source of the rules: k8s.io/kubernetes, third_party/forked/golang/expansion and makeEnvironmentVariables of
// the kubelet: an env value may refer to the entries before it, command and args to all of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "launch/launch.h"
#include "launch/words.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "secret/secret.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::variables {
namespace {

using launch::CommandLine;
using launch::is_python;
using launch::place_of_word;
using launch::script_index;
using launch::WordPlace;
using launch::words_of;
using policy::Framework;
using yaml::Node;

constexpr std::string_view kUndefined = "advice/undefined-reference";
constexpr std::string_view kShellVariable = "advice/shell-variable";
constexpr std::string_view kUnsetVariable = "advice/unset-variable";

// The Job controller sets it in the pods of an Indexed Job, after the container's own variables.
constexpr std::string_view kCompletionIndex = "JOB_COMPLETION_INDEX";

// A part of a text that refers to a variable.
struct Reference {
  std::string_view name;
  size_t at = 0;
  size_t length = 0;
  bool is_braced = false;  // written ${NAME}
};

bool starts_name(char c) {
  return base::is_letter(c) || c == '_';
}

bool is_in_name(char c) {
  return base::is_alnum(c) || c == '_';
}

// The identifier at the beginning of the text; "" if there is none.
std::string_view name_at(std::string_view text) {
  if (text.empty() || !starts_name(text.front())) return {};
  const auto end = std::ranges::find_if_not(text, is_in_name);
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

bool is_upper_case(std::string_view name) {
  return std::ranges::none_of(name, base::is_lower);
}

// Finds $(NAME), but not $$(NAME). Names that only Kubernetes accepts, such as params.lr, are other tools'
// placeholders.
std::vector<Reference> kubernetes_references(std::string_view text) {
  std::vector<Reference> found;
  for (size_t at = text.find('$'); at != std::string_view::npos && at + 1 < text.size();
       at = text.find('$', at)) {
    const std::string_view name = text[at + 1] == '(' ? name_at(text.substr(at + 2)) : std::string_view();
    const size_t end = at + 2 + name.size();
    const bool is_reference = !name.empty() && end < text.size() && text[end] == ')';
    if (is_reference) found.push_back({name, at, name.size() + 3});
    at += is_reference ? name.size() + 3 : text[at + 1] == '$' ? 2 : 1;
  }
  return found;
}

// Finds $NAME and ${NAME}, as a shell would replace them.
std::vector<Reference> shell_references(std::string_view text) {
  std::vector<Reference> found;
  for (size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    const bool is_braced = text.substr(at + 1).starts_with('{');
    const std::string_view name = name_at(text.substr(std::min(at + (is_braced ? 2 : 1), text.size())));
    const size_t end = at + 1 + name.size() + (is_braced ? 1 : 0);
    if (name.empty() || (is_braced && (end >= text.size() || text[end] != '}'))) continue;
    found.push_back({name, at, end - at + (is_braced ? 1 : 0), is_braced});
  }
  return found;
}

// Kubernetes sets these for the services of the namespace, before it reads the container's env.
bool may_be_of_service(std::string_view name) {
  return name.starts_with("KUBERNETES_") || name.find("_SERVICE_HOST") != std::string_view::npos ||
         name.find("_SERVICE_PORT") != std::string_view::npos ||
         name.find("_TCP") != std::string_view::npos || name.find("_UDP") != std::string_view::npos;
}

// A container of the JobSet, or of a runtime without jobs, and its variables.
struct Place {
  const policy::RuntimeInfo& info;
  const model::Trainer* trainer = nullptr;  // of the job; nullptr if there is none
  const Node& container;
  std::string field;  // such as spec.replicatedJobs[0].template.spec.template.spec.containers[0]
  bool is_indexed = false;
  bool gets_job_env = false;         // the variables of spec.trainer.env reach it
  std::set<std::string_view> names;  // names in its env

  bool has_unknown() const { return !yaml::items_at(container, "envFrom").empty(); }
};

bool same_place(const Node& a, const Node& b) {
  const base::Location x = yaml::locate(a);
  return x.file && x == yaml::locate(b);
}

// The field "spec.trainer.args[2]" if the job sets the value, otherwise the JobSet's field.
std::string field_of(const Place& place, std::string_view list, size_t index, const Node& value) {
  const std::string item = fmt::format("{}[{}]", list, index);
  const Node* own = place.trainer ? place.trainer->node->get(list) : nullptr;
  const auto items = yaml::items_of(own);
  for (size_t i = 0; i < items.size(); ++i) {
    const Node* written = list == "env" ? items[i]->get("value") : items[i];
    if (!written || !same_place(*written, value)) continue;
    return fmt::format("spec.trainer.{}[{}]{}", list, i, list == "env" ? ".value" : "");
  }
  return fmt::format("{}.{}{}", place.field, item, list == "env" ? ".value" : "");
}

base::Diagnostic& report(std::string_view rule, std::string field, std::string message, const Node& text,
                         const Reference& part, std::string hint, Advisor& advisor) {
  const base::Location where = yaml::WrittenText(text).place_or_all(part.at, part.length);
  base::Diagnostic& found = advisor.warn(rule, std::move(field), std::move(message), where, std::move(hint));
  found.hide_source = secret::may_hold_secret(text.text());
  return found;
}

// References $(NAME).

const Framework* framework_of(const Place& place) {
  return policy::framework_of(place.info);
}

// What Training Operator v1 or torchrun call a number or an address, and the variable in which Trainer has
// it.
struct Rank {
  std::string_view name;
  std::string_view Framework::*instead;
};
constexpr std::array<Rank, 8> kRanks{{{"RANK", &Framework::rank},
                                      {"NODE_RANK", &Framework::rank},
                                      {"WORLD_SIZE", &Framework::nodes},
                                      {"NNODES", &Framework::nodes},
                                      {"MASTER_ADDR", &Framework::address},
                                      {"MASTER_PORT", &Framework::port},
                                      {"NPROC_PER_NODE", &Framework::processes},
                                      {"LOCAL_RANK", nullptr}}};

// The container's variable of Trainer that has what `rank` is about; "" if it has none. The processes of a
// framework are those of a node, or of all nodes.
std::string_view instead_of(const Rank* rank, const Place& place) {
  const Framework* framework = framework_of(place);
  if (!framework || !rank || !rank->instead) return {};
  std::string_view name = framework->*rank->instead;
  if (!framework->processes_per_node && rank->instead == &Framework::processes) name = {};
  if (!framework->processes_per_node && rank->instead == &Framework::nodes) name = framework->processes;
  return place.names.contains(name) ? name : std::string_view();
}

std::string_view instead_of(std::string_view name, const Place& place) {
  return instead_of(base::find(kRanks, name, &Rank::name), place);
}

// Says how to set the variable before the reference, or how to set it at all.
std::string hint_for(const Place& place, std::string_view name, bool is_later) {
  const Framework* framework = framework_of(place);
  const bool is_generated = framework && base::contains(policy::env_of(*framework, place.info), name);
  if (is_later && (is_generated || name == kCompletionIndex))
    return fmt::format("refer to it in command or args, or write ${} in a script", name);
  if (is_later) return fmt::format("move {} before it", name);
  if (name == "PATH" || name == "LD_LIBRARY_PATH" || name == "PYTHONPATH")
    return "write the whole value: that of the image is not known here";
  return fmt::format("define {} in env, or escape it: $$({})", name, name);
}

void check_values(const Place& place, Advisor& advisor) {
  const auto env = yaml::items_at(place.container, "env");
  std::set<std::string_view> before;
  for (size_t i = 0; i < env.size(); ++i) {
    const Node* value = env[i]->get("value");
    const std::string_view own = text_at(*env[i], "name");
    std::set<std::string_view> said;
    for (const Reference& reference : kubernetes_references(yaml::text_of(value))) {
      const std::string_view name = reference.name;
      if (before.contains(name) || may_be_of_service(name) || !said.insert(name).second) continue;
      const bool is_later = name != own && (place.names.contains(name) || name == kCompletionIndex);
      report(kUndefined, field_of(place, "env", i, *value),
             is_later
                 ? fmt::format("$({}) stays as it is: {} is defined after {}", name, name, own)
                 : fmt::format("$({}) stays as it is: no variable before {} defines {}", name, own, name),
             *value, reference, hint_for(place, name, is_later), advisor);
    }
    before.insert(own);
  }
}

// Whether the reference may be a shell's $(command).
bool may_be_command(std::string_view word, std::string_view name, bool is_script) {
  return (is_script || word.find_first_of(" \n\t") != std::string_view::npos) && !is_upper_case(name);
}

// Says what to write for a reference in command or args.
std::string word_hint(const Place& place, std::string_view name, bool is_script) {
  const std::string_view instead = instead_of(name, place);
  if (is_script)
    return instead.empty() ? fmt::format("write ${} for a shell's variable", name)
                           : fmt::format("write ${}", instead);
  return instead.empty() ? hint_for(place, name, false) : fmt::format("write $({})", instead);
}

void check_words(const Place& place, Advisor& advisor) {
  const CommandLine line{place.container.get("command"), place.container.get("args")};
  const auto words = words_of(line);
  const size_t script = script_index(words);
  for (size_t i = 0; i < words.size(); ++i) {
    std::set<std::string_view> said;
    for (const Reference& reference : kubernetes_references(words[i])) {
      const std::string_view name = reference.name;
      if (place.names.contains(name) || may_be_of_service(name) ||
          (place.is_indexed && name == kCompletionIndex) || may_be_command(words[i], name, i == script) ||
          !said.insert(name).second)
        continue;
      const WordPlace word = place_of_word(line, i);
      report(kUndefined, field_of(place, word.in_args ? "args" : "command", word.item, *word.word),
             i == script
                 ? fmt::format("no variable defines {}: the shell looks for a program of that name", name)
                 : fmt::format("$({}) stays as it is: the container has no variable {}", name, name),
             *word.word, reference, word_hint(place, name, i == script), advisor);
    }
  }
}

// References $NAME in the value of a variable.

// Variables that most images and shells set.
bool is_usual(std::string_view name) {
  constexpr std::array<std::string_view, 8> kNames{"PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "LD_PRELOAD",
                                                   "HOME", "HOSTNAME",        "USER",       "PWD"};
  return base::contains(kNames, name);
}

// Whether the value really refers to the variable. A value of several words may be a script for eval, and
// ${NAME} is also a placeholder of templating tools.
bool is_meant(const Place& place, std::string_view own, std::string_view value, const Reference& reference) {
  const bool is_known =
      reference.name == own || is_usual(reference.name) || place.names.contains(reference.name);
  if (reference.is_braced || value.find_first_of(" \t\n") != std::string_view::npos)
    return is_known && !(value.find(' ') != std::string_view::npos && reference.name != own);
  const bool is_apart =
      reference.at == 0 || std::string_view(":/=,").find(value[reference.at - 1]) != std::string_view::npos;
  return is_apart && (is_known || (is_upper_case(reference.name) && reference.name.size() > 1));
}

void check_shell_values(const Place& place, Advisor& advisor) {
  const auto env = yaml::items_at(place.container, "env");
  std::set<std::string_view> before;
  for (size_t i = 0; i < env.size(); ++i) {
    const Node* value = env[i]->get("value");
    const std::string_view text = yaml::text_of(value);
    const std::string_view own = text_at(*env[i], "name");
    const auto references = shell_references(text);
    const auto found = std::ranges::find_if(references, [&](const Reference& reference) {
      return is_meant(place, own, text, reference) && !text.substr(0, reference.at).ends_with('$');
    });
    if (found != references.end() && !secret::is_plain_secret(*env[i])) {
      const bool is_before = before.contains(found->name);
      report(kShellVariable, field_of(place, "env", i, *value),
             fmt::format("{} contains \"{}\" as it is: no shell reads the values of env", own,
                         text.substr(found->at, found->length)),
             *value, *found,
             is_before ? fmt::format("write $({})", found->name)
                       : fmt::format("write its value, or set {} in a script", own),
             advisor);
    }
    before.insert(own);
  }
}

// References $NAME in the words of a program that no shell starts.

// Whether the program gives its words to a shell, which expands them, or may do so.
bool may_expand(std::string_view word) {
  constexpr std::array<std::string_view, 8> kPrograms{"ssh",      "su",         "sudo", "ray",
                                                      "envsubst", "horovodrun", "eval", "colossalai"};
  return launch::is_shell(word) || base::contains(kPrograms, launch::base_name(word));
}

bool is_mpirun(const launch::Launch& launch) {
  return launch.launcher && launch.name() == "mpirun";
}

// The index of the first word that a program gets as it is written: those after a script of Python, and those
// of mpirun. Other programs may expand theirs.
size_t first_plain_word(const std::vector<std::string_view>& words, const launch::Launch& launch,
                        const Place& place) {
  if (launch.in_script || std::ranges::any_of(words, may_expand)) return words.size();
  // Without a hostfile, advice/launcher-setting tells of mpirun's own flags.
  if (is_mpirun(launch)) return place.info.is_mpi() ? launch.word + 1 : words.size();
  return words.size() - launch.script_arguments.size();
}

// Whether the word is a value, or a path, that refers to the variable: $NAME, --out=$NAME/x. Not code, JSON
// or a pattern; and key=${NAME} refers to another key in the programs that use Hydra.
bool is_value(std::string_view word, const Reference& reference) {
  std::string rest(word.substr(0, reference.at));
  if (reference.is_braced && !rest.empty() && rest.front() != '-' && rest.ends_with('=')) return false;
  rest.append(" ").append(word.substr(reference.at + reference.length));
  const size_t space = reference.at;
  const auto is_apart = [](char c) { return std::string_view(":/=,").find(c) != std::string_view::npos; };
  return (space == 0 || is_apart(rest[space - 1])) &&
         (space + 1 == rest.size() || is_apart(rest[space + 1])) &&
         rest.find_first_of("\t\n\"'`\\^$*?()[]{}|;&<>") == std::string::npos && rest.find(' ') == space &&
         rest.rfind(' ') == space;
}

// Whether the program would certainly not get what the word means: the container has the variable, or
// another trainer would.
bool is_variable(const Place& place, std::string_view name) {
  return place.names.contains(name) || base::find(kRanks, name, &Rank::name) || name.starts_with("PET_") ||
         (place.is_indexed && name == kCompletionIndex);
}

// Whether the word is a flag of mpirun with a number of processes.
bool takes_number(const launch::Launch& launch, std::string_view word) {
  return is_mpirun(launch) &&
         base::contains(launch.launcher->sources(launch::Setting::Processes), word, &launch::Source::name);
}

std::string plain_hint(const Place& place, std::string_view name, const launch::Launch& launch) {
  constexpr std::array<std::string_view, 5> kOfProcess{"RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR",
                                                       "MASTER_PORT"};
  const bool is_set = launch.launcher && !launch.script.empty() && base::contains(kOfProcess, name);
  if (is_set) return fmt::format("let the program read {} from its environment", name);
  const std::string_view instead = instead_of(name, place);
  if (!instead.empty()) return fmt::format("write $({})", instead);
  if (place.names.contains(name) || name == kCompletionIndex) return fmt::format("write $({})", name);
  return "write its value";
}

void check_plain_words(const Place& place, Advisor& advisor) {
  const CommandLine line{place.container.get("command"), place.container.get("args")};
  if (!line.command || line.command->size() == 0) return;
  const auto words = words_of(line);
  const launch::Launch launch = launch::launch_of(words);
  const std::string program(is_mpirun(launch) ? launch.name() : std::string_view(launch.script));
  std::set<std::string_view> said;
  for (size_t i = first_plain_word(words, launch, place); i < words.size(); ++i) {
    for (const Reference& reference : shell_references(words[i])) {
      const std::string_view name = reference.name;
      const bool is_meant = is_variable(place, name) || takes_number(launch, words[i - 1]);
      if (!is_meant || !is_value(words[i], reference) || !said.insert(name).second) continue;
      const WordPlace word = place_of_word(line, i);
      report(kShellVariable, field_of(place, word.in_args ? "args" : "command", word.item, *word.word),
             fmt::format("{} gets the text {}: without a shell, nothing expands it", program,
                         words[i].substr(reference.at, reference.length)),
             *word.word, reference, plain_hint(place, name, launch), advisor);
    }
  }
}

// References $NAME in a shell's script to variables that Training Operator v1 or torchrun set elsewhere.

// Finds the places where a shell replaces variables in its script: outside of single quotes, comments and
// here-documents.
class ScriptReader {
 public:
  explicit ScriptReader(std::string_view script) : script_(script) {}

  std::vector<Reference> references() {
    for (size_t at = 0; at < script_.size(); ++at) {
      const char c = script_[at];
      if (c == '\\') {
        ++at;
      } else if (c == '\'' && !in_double_) {
        at = std::min(script_.find('\'', at + 1), script_.size());
      } else if (c == '"') {
        in_double_ = !in_double_;
      } else if (c == '#' && !in_double_ &&
                 (at == 0 || base::kSpace.find(script_[at - 1]) != std::string_view::npos)) {
        at = std::min(script_.find('\n', at), script_.size());
      } else if (script_.substr(at).starts_with("<<") && quotes_document(at)) {
        break;
      } else if (c == '$') {
        read_reference(at);
      }
    }
    return std::move(found_);
  }

 private:
  // Whether the here-document is quoted: << 'EOF'.
  bool quotes_document(size_t at) const {
    const size_t word = script_.find_first_not_of("<- ", at);
    return word != std::string_view::npos &&
           std::string_view("'\"\\").find(script_[word]) != std::string_view::npos;
  }

  // ${NAME:-default} and similar forms say what to do if the variable is not set.
  void read_reference(size_t at) {
    const bool is_braced = script_.substr(at + 1).starts_with('{');
    const std::string_view name = name_at(script_.substr(std::min(at + (is_braced ? 2 : 1), script_.size())));
    if (name.empty()) return;
    const size_t end = at + 1 + name.size() + (is_braced ? 1 : 0);
    const std::string_view rest = script_.substr(std::min(end, script_.size()));
    const bool handles_absence =
        is_braced && (rest.empty() || std::string_view(":-+?=").find(rest.front()) != std::string_view::npos);
    if (!handles_absence)
      found_.push_back({name, at, end - at + (is_braced && rest.starts_with('}') ? 1 : 0)});
  }

  std::string_view script_;
  bool in_double_ = false;
  std::vector<Reference> found_;
};

bool is_word_at(std::string_view text, size_t at, size_t length) {
  const bool begins = at == 0 || !is_in_name(text[at - 1]);
  return begins && (at + length >= text.size() || !is_in_name(text[at + length]));
}

// Whether a test begins at the end of the text, as in [ -n: not a program's flag, as in mpirun -n.
bool is_in_test(std::string_view before) {
  const std::string_view text = base::trimmed(before, " \t\n");
  return std::ranges::any_of(std::array<std::string_view, 8>{"[", "test", "!", "(", "&&", "||", " -a", " -o"},
                             [&](std::string_view word) { return text.ends_with(word); });
}

// Whether a script may set the variable itself, or handles its absence: NAME=…, read NAME, for NAME in,
// ${NAME:-…}, -z "$NAME".
bool handles(std::string_view script, std::string_view name) {
  for (size_t at = script.find(name); at != std::string_view::npos; at = script.find(name, at + 1)) {
    if (!is_word_at(script, at, name.size())) continue;
    const std::string_view before = script.substr(0, at);
    const std::string_view after = script.substr(at + name.size());
    if (before.ends_with("${") && !after.starts_with('}')) return true;
    if (!before.ends_with('$') && !before.ends_with("${")) {
      if (after.starts_with('=') || after.starts_with("+=")) return true;
      for (const std::string_view word : {"read ", "read -r ", "for ", "unset ", "local ", "-v "})
        if (before.ends_with(word)) return true;
    }
    for (const std::string_view test :
         {"-z \"$", "-n \"$", "-z \"${", "-n \"${", "-z $", "-n $", "-z ${", "-n ${"})
      if (before.ends_with(test) && is_in_test(before.substr(0, before.size() - test.size()))) return true;
  }
  return false;
}

// Whether the script may do more than can be seen in it.
bool reads_others(std::string_view script) {
  for (const std::string_view word : {"source ", ". /", ". ./", ". \"", ". $", "eval "}) {
    for (size_t at = script.find(word); at != std::string_view::npos; at = script.find(word, at + 1)) {
      if (at == 0 || std::string_view(" \t\n;&|(").find(script[at - 1]) != std::string_view::npos)
        return true;
    }
  }
  return false;
}

// The variables that Trainer sets for the same purpose: "$PET_NNODES and $PET_NODE_RANK".
std::string list_instead(const std::vector<const Rank*>& ranks, const Place& place) {
  std::vector<std::string> names;
  for (const Rank* rank : ranks) {
    const std::string_view other = instead_of(rank, place);
    const std::string name = fmt::format("${}", other);
    if (!other.empty() && !base::contains(names, name)) names.push_back(name);
  }
  return names.empty() ? "" : base::word_list(names);
}

// `others` are the variables to read instead.
std::string unset_hint(const Place& place, const std::string& others) {
  if (others.empty())
    return place.gets_job_env ? "set it in spec.trainer.env" : "set it in the container's env";
  const Framework& framework = *framework_of(place);
  if (framework.env_reader.empty()) return fmt::format("write {}", others);
  return fmt::format("write {}, or leave the flags out: {} reads {} itself", others, framework.env_reader,
                     framework.env_family);
}

void check_script(const Place& place, Advisor& advisor) {
  const CommandLine line{place.container.get("command"), place.container.get("args")};
  const auto words = words_of(line);
  const size_t index = script_index(words);
  if (index == words.size() ||
      std::any_of(words.begin(), words.begin() + static_cast<ptrdiff_t>(index), is_python) ||
      reads_others(words[index]))
    return;
  const std::string_view script = words[index];
  std::vector<const Rank*> ranks;
  std::vector<std::string> names;
  std::optional<Reference> first;
  for (const Reference& reference : ScriptReader(script).references()) {
    const Rank* rank = base::find(kRanks, reference.name, &Rank::name);
    if (!rank || place.names.contains(rank->name) || base::contains(ranks, rank) ||
        handles(script, rank->name))
      continue;
    if (!first) first = reference;
    ranks.push_back(rank);
    names.push_back(fmt::format("${}", rank->name));
  }
  if (!first) return;
  const WordPlace word = place_of_word(line, index);
  report(kUnsetVariable, field_of(place, word.in_args ? "args" : "command", word.item, *word.word),
         fmt::format("Trainer does not set {}: the shell replaces {} by nothing", base::word_list(names),
                     names.size() == 1 ? "it" : "them"),
         *word.word, *first, unset_hint(place, list_instead(ranks, place)), advisor);
}

void check_container(const Place& place, Advisor& advisor) {
  check_shell_values(place, advisor);
  check_plain_words(place, advisor);
  if (place.has_unknown()) return;
  check_values(place, advisor);
  check_words(place, advisor);
  check_script(place, advisor);
}

void check_variables(const AdviceContext& context, Advisor& advisor) {
  const model::Trainer* trainer = context.job.trainer ? &*context.job.trainer : nullptr;
  const auto jobs = items_at(context.admitted_job_set, {"spec", "replicatedJobs"});
  for (size_t job = 0; job < jobs.size(); ++job) {
    const bool is_indexed = text_at(*jobs[job], {"template", "spec", "completionMode"}) == "Indexed";
    const bool trains = model::ancestor_of(*jobs[job]) == model::kTrainer;
    for (const std::string_view list : {"initContainers", "containers"}) {
      const auto containers = items_at(*jobs[job], {"template", "spec", "template", "spec", list});
      for (size_t i = 0; i < containers.size(); ++i) {
        Place place{context.merged,
                    trainer,
                    *containers[i],
                    fmt::format("spec.replicatedJobs[{}].template.spec.template.spec.{}[{}]", job, list, i),
                    is_indexed,
                    trains && list == "containers" && text_at(*containers[i], "name") == model::kNode,
                    {}};
        for (const Node* item : yaml::items_at(*containers[i], "env"))
          place.names.insert(text_at(*item, "name"));
        check_container(place, advisor);
      }
    }
  }
}

// In a runtime without jobs: what no job can mend.
void check_runtime_variables(const RuntimeContext& context, Advisor& advisor) {
  if (context.has_jobs) return;
  for (const ContainerPlace& at : containers_of(context.info)) {
    if (!at.container.node) continue;
    Place place{.info = context.info, .container = *at.container.node, .field = at.field, .names = {}};
    for (const Node* item : yaml::items_at(place.container, "env"))
      place.names.insert(text_at(*item, "name"));
    check_shell_values(place, advisor);
  }
}

}  // namespace

Checks checks() {
  return {.job = {check_variables}, .runtime = {check_runtime_variables}};
}

}  // namespace trainjobc::compile::advice::variables
