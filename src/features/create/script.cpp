// SPDX-License-Identifier: Apache-2.0

#include "features/create/script.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"

namespace trainjobc::create {
namespace {

// A statement on one line, without comments; kString stands for each string, whose text is in `strings`.
struct PythonStatement {
  std::string code;
  std::vector<std::string> strings;
  size_t line = 0;
};

constexpr char kString = '\x01';

// Updates the number of open brackets after the character.
void count_bracket(char c, size_t& depth) {
  if (c == '(' || c == '[' || c == '{') ++depth;
  if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
}

class PythonReader {
 public:
  explicit PythonReader(std::string_view text) : text_(text) {}

  std::vector<PythonStatement> read() {
    while (at_ < text_.size()) step();
    end_statement();
    return std::move(statements_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '"' || c == '\'') {
      read_string(c);
    } else if (c == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') {
      ++line_;
      at_ += 2;
    } else if (c == '\n') {
      ++at_;
      if (depth_ == 0) end_statement();
      ++line_;
    } else if (c == ';' && depth_ == 0) {
      ++at_;
      end_statement();
    } else {
      count_bracket(c, depth_);
      add(c);
      ++at_;
    }
  }

  void add(char c) {
    if (statement_.code.empty()) statement_.line = line_;
    if (c != '\r') statement_.code += c;
  }

  void read_string(char quote) {
    const std::string three(3, quote);
    const std::string end = text_.substr(at_, 3) == three ? three : std::string(1, quote);
    add(kString);
    std::string value;
    at_ += end.size();
    while (at_ < text_.size() && text_.substr(at_, end.size()) != end) {
      if (text_[at_] == '\n' && end.size() == 1) break;  // it was not a string after all
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) value += text_[at_++];
      if (text_[at_] == '\n') ++line_;
      value += text_[at_++];
    }
    if (text_.substr(at_, end.size()) == end) at_ += end.size();
    statement_.strings.push_back(std::move(value));
  }

  void end_statement() {
    const size_t first = statement_.code.find_first_not_of(base::kBlanks);
    if (first != std::string::npos) {
      statement_.code.erase(0, first);
      statements_.push_back(std::move(statement_));
    }
    statement_ = {};
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t line_ = 1;
  size_t depth_ = 0;
  PythonStatement statement_;
  std::vector<PythonStatement> statements_;
};

// The modules that a statement imports: "import a.b as c, d", "from a.b import c" (also "a.b.c").
std::vector<std::string> imports_of(std::string_view code) {
  const bool is_from = code.starts_with("from ");
  if (!is_from && !code.starts_with("import ")) return {};
  code.remove_prefix(is_from ? 5 : 7);
  std::vector<std::string> words;
  std::string word;
  for (const char c : code) {
    if (base::is_alnum(c) || c == '_' || c == '.') {
      word += c;
      continue;
    }
    if (!word.empty()) words.push_back(std::exchange(word, ""));
    if (c == ',') words.emplace_back(",");
  }
  if (!word.empty()) words.push_back(word);
  std::vector<std::string> modules;
  bool is_name = true;  // false after "as"
  for (const std::string& one : words) {
    if (one == "import") continue;
    if (one == "," || one == "as") {
      is_name = one == ",";
    } else if (is_name) {
      modules.push_back(is_from && !modules.empty() ? modules.front() + "." + one : one);
    }
  }
  return modules;
}

struct ModuleOf {
  std::string_view module;
  std::string_view framework;
  std::string_view why = "";  // why it is this framework, if the module's name does not say so
};

constexpr std::string_view kByAccelerate = "it trains with accelerate, which reads the variables of torchrun";
constexpr std::string_view kByTorchrun = "it reads the variables of torchrun";

// The first match decides: DeepSpeed, JAX, Ray and MPI programs often import torch as well, and libraries on
// top of torch say more than torch.
constexpr std::array kModules = std::to_array<ModuleOf>(
    {{"deepspeed", "deepspeed"},
     {"mlx", "mlx"},
     {"jax", "jax"},
     {"flax", "jax"},
     {"horovod", "mpi"},
     {"mpi4py", "mpi"},
     {"ray", "plain", "its program is one driver, and its workers run where ray start ran"},
     {"ultralytics", "plain", "for several devices, it starts torchrun itself, on its own node"},
     {"unsloth", "torch", kByAccelerate},
     {"trl", "torch", kByAccelerate},
     {"lightning", "torch",
      "it reads the variables of torchrun; its num_nodes and devices must be those of the job"},
     {"pytorch_lightning", "torch",
      "it reads the variables of torchrun; its num_nodes and devices must be those of the job"},
     {"composer", "torch", "composer's own launcher would need the rank of each node, which torchrun has"},
     {"megatron", "torch", kByTorchrun},
     {"torchtune", "torch", "a recipe of one's own is started with torchrun, as tune run does"},
     {"peft", "torch", kByAccelerate},
     {"transformers", "torch", kByAccelerate},
     {"accelerate", "torch", kByTorchrun},
     {"torch.distributed", "torch"},
     {"xgboost", "xgboost"},
     {"torch", "torch"}});

// Libraries that also read arguments, in ways that are not followed here.
constexpr std::array<std::string_view, 10> kReaders{
    "absl.flags", "click",        "draccus",        "fire",
    "hydra",      "jsonargparse", "simple_parsing", "transformers.HfArgumentParser",
    "typer",      "tyro"};

bool is_of(std::string_view module, std::string_view package) {
  return module.starts_with(package) && (module.size() == package.size() || module[package.size()] == '.');
}

// The text inside the brackets that open before `at`.
std::string_view bracketed(std::string_view code, size_t at) {
  size_t depth = 1;
  for (size_t end = at; end < code.size(); ++end) {
    count_bracket(code[end], depth);
    if (depth == 0) return code.substr(at, end - at);
  }
  return code.substr(at);
}

std::vector<std::string_view> split_arguments(std::string_view list) {
  std::vector<std::string_view> parts;
  size_t depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at <= list.size(); ++at) {
    if (at == list.size() || (list[at] == ',' && depth == 0)) {
      const std::string_view part = base::trimmed(list.substr(begin, at - begin), base::kBlanks);
      if (!part.empty()) parts.push_back(part);
      begin = at + 1;
    } else {
      count_bracket(list[at], depth);
    }
  }
  return parts;
}

bool is_literal(std::string_view value) {
  return !value.empty() && value != "None" && value.find_first_of("([{") == std::string_view::npos &&
         (base::is_digit(value.front()) || value.front() == '-' || value == "True" || value == "False");
}

// The arguments of one add_argument(…); `string` is the index of its first string.
ScriptArgument argument_of(std::string_view call, const std::vector<std::string>& strings, size_t string) {
  ScriptArgument argument;
  bool is_optional = false;
  for (const std::string_view part : split_arguments(call)) {
    const size_t used = static_cast<size_t>(std::ranges::count(part, kString));
    const size_t equals = part.find('=');
    const std::string_view value = equals == std::string_view::npos ? part : part.substr(equals + 1);
    if (equals == std::string_view::npos && part == std::string_view(&kString, 1)) {
      const std::string& name = strings[string];
      if (argument.name.empty() || name.starts_with("--")) argument.name = name;
    } else if (part.starts_with("required")) {
      argument.is_required = value == "True";
    } else if (part.starts_with("default")) {
      is_optional = true;
      if (value == std::string_view(&kString, 1)) argument.default_value = strings[string];
      if (is_literal(value)) argument.default_value = value;
    } else if (part.starts_with("nargs") && used == 1) {
      is_optional = is_optional || strings[string] == "?" || strings[string] == "*";
    }
    string += used;
  }
  if (!argument.name.starts_with('-')) argument.is_required = !is_optional;
  return argument;
}

void add_arguments(const PythonStatement& statement, std::vector<ScriptArgument>& out) {
  constexpr std::string_view kCall = ".add_argument(";
  const std::string_view code = statement.code;
  size_t string = 0;  // index of the first string after `end`
  size_t end = 0;     // end of what has been read
  for (size_t at = code.find(kCall); at != std::string_view::npos; at = code.find(kCall, end)) {
    const size_t begin = at + kCall.size();
    const std::string_view call = bracketed(code, begin);
    string += static_cast<size_t>(std::ranges::count(code.substr(end, begin - end), kString));
    ScriptArgument argument = argument_of(call, statement.strings, string);
    string += static_cast<size_t>(std::ranges::count(call, kString));
    end = begin + call.size();
    // torch.distributed.launch passed this to processes; torchrun sets LOCAL_RANK instead.
    const bool is_rank = argument.name == "--local_rank" || argument.name == "--local-rank";
    if (!argument.name.empty() && !is_rank) out.push_back(std::move(argument));
  }
}

}  // namespace

ScriptFacts read_script(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  ScriptFacts facts;
  size_t best = kModules.size();
  for (const PythonStatement& statement : PythonReader(text).read()) {
    add_arguments(statement, facts.arguments);
    if (statement.code.find(".add_subparsers(") != std::string::npos) facts.unread = "subcommands";
    for (const std::string& module : imports_of(statement.code)) {
      const auto reader =
          std::ranges::find_if(kReaders, [&](std::string_view one) { return is_of(module, one); });
      if (reader != kReaders.end()) facts.unread = *reader;
      const auto found =
          std::ranges::find_if(kModules, [&](const ModuleOf& one) { return is_of(module, one.module); });
      const auto rank = static_cast<size_t>(found - kModules.begin());
      if (rank >= best) continue;
      best = rank;
      facts.framework = found->framework;
      facts.module = found->module;
      facts.why = found->why;
      facts.line = statement.line;
    }
  }
  if (facts.unread == "subcommands") facts.arguments.clear();  // each has its own arguments
  return facts;
}

}  // namespace trainjobc::create
