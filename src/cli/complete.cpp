// SPDX-License-Identifier: Apache-2.0

// Names that completion offers: rules, and the runtimes and jobs of the inputs on the line.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "cli/command.h"
#include "compile/input.h"
#include "features/json_schema/json_schema.h"
#include "inputs/config.h"
#include "inputs/known_runtimes.h"
#include "model/runtime.h"
#include "rules/rules.h"

namespace trainjobc::cli {
namespace {

struct CompletionInputs {
  std::vector<std::string> paths;
  std::vector<std::string> runtimes;
  bool recurse = true;
  std::string typed;  // the beginning of the value at the cursor
};

// The sources that can be read; standard input is left to the command.
std::vector<Source> readable(Console& console, const std::vector<std::string>& paths, bool recurse) {
  inputs::Configurations configurations(console.files(), "", false);
  inputs::DiscoverOptions options;
  options.recurse = recurse;
  options.configurations = &configurations;
  std::vector<Source> all;
  for (const std::string& path : paths) {
    if (path == "-") continue;
    auto loaded = inputs::read_sources(console.files(), {path}, options);
    if (auto* some = std::get_if<inputs::FoundSources>(&loaded))
      std::ranges::move(some->sources, std::back_inserter(all));
  }
  return all;
}

std::vector<Candidate> rule_candidates() {
  std::vector<Candidate> candidates;
  for (const rules::Rule& rule : rules::all_rules()) {
    candidates.push_back({std::string(rule.id), std::string(rule.summary)});
  }
  return candidates;
}

// The kinds that have a JSON Schema.
std::vector<std::string> schema_kinds() {
  std::vector<std::string> names;
  for (const schema::KindSchema* kind : json_schema::kinds_of(schema::all_versions().back()))
    names.emplace_back(kind->kind);
  return names;
}

using schema::Schema;

void collect_names(const Schema& schema, std::set<const Schema*>& seen, std::set<std::string>& names) {
  if (!seen.insert(&schema).second) return;
  for (const schema::Property& property : schema.properties) {
    names.emplace(property.name);
    collect_names(*property.schema, seen, names);
  }
  for (const Schema* below : {schema.items, schema.additional}) {
    if (below) collect_names(*below, seen, names);
  }
}

// The schema that a JSONPath of keys and brackets leads to; nullptr if there is none.
const Schema* schema_along(const Schema* schema, std::string_view path) {
  while (schema && !path.empty()) {
    if (path.front() == '[') {
      const size_t close = path.find(']');
      if (close == std::string_view::npos) return nullptr;
      schema = schema->items ? schema->items : schema->additional;
      path.remove_prefix(close + 1);
      continue;
    }
    path.remove_prefix(1);  // the dot
    const std::string_view name = path.substr(0, std::min(path.find_first_of(".["), path.size()));
    const schema::Property* property = schema->property(name);
    schema = property ? property->schema : schema->additional;
    path.remove_prefix(name.size());
  }
  return schema;
}

// Names of fields that begin with the typed text; for a JSONPath, the paths that continue it.
std::vector<std::string> field_names(std::string_view typed) {
  const schema::KindSchema* job_set = schema::all_versions().back().kind("JobSet");
  std::set<std::string> names;
  if (!typed.starts_with('.')) {
    std::set<const Schema*> seen;
    collect_names(*job_set->schema, seen, names);
    return {names.begin(), names.end()};
  }
  const std::string_view before = typed.substr(0, typed.rfind('.'));
  if (const Schema* schema = schema_along(job_set->schema, before)) {
    for (const schema::Property& property : schema->properties) {
      const bool is_list = property.schema->items != nullptr;
      names.insert(std::string(before) + "." + std::string(property.name) + (is_list ? "[*]" : ""));
    }
  }
  return {names.begin(), names.end()};
}

// The names of the runtimes in the inputs, --runtimes, the configuration and the catalogue, sorted. Files
// that can't be read are skipped.
std::vector<std::string> runtime_names(Console& console, const CompletionInputs& inputs) {
  inputs::Configurations configurations(console.files(), "", false);
  inputs::RuntimeSearch search{inputs.paths, inputs.runtimes, {}, ""};
  search.how.recurse = inputs.recurse;
  const auto found = inputs::known_runtimes(console.files(), configurations, search);
  std::set<std::string> names;
  if (const auto* all = std::get_if<inputs::KnownRuntimes>(&found)) {
    for (const inputs::KnownRuntime& runtime : all->runtimes) names.insert(runtime.name);
  }
  return {names.begin(), names.end()};
}

// The names of the jobs in the inputs or, if the line names none, in the current folder; sorted.
std::vector<std::string> job_names(Console& console, const CompletionInputs& inputs) {
  const std::vector<std::string> here{"."};
  compile::InputSet set;
  base::Diagnostics ignored;
  compile::read_inputs(readable(console, inputs.paths.empty() ? here : inputs.paths, inputs.recurse), set,
                       ignored);
  std::map<std::string_view, std::set<std::string>> namespaces;
  for (const compile::InputObject& object : set.objects) {
    if (object.kind == compile::InputKind::TrainJob && !object.id.name.empty())
      namespaces[object.id.name].emplace(model::effective_namespace(object.id));
  }
  // A name in several namespaces is offered once per namespace.
  std::set<std::string> names;
  for (const auto& [name, of] : namespaces) {
    names.emplace(name);
    for (const std::string& ns : of) {
      if (of.size() > 1) names.insert(ns + "/" + std::string(name));
    }
  }
  return {names.begin(), names.end()};
}

// What completion needs to know about the words before the cursor.
struct Line {
  const Command* command = nullptr;
  const Flag* pending = nullptr;  // the flag whose value comes next
  std::vector<std::string> used;  // flags that were given
  CompletionInputs inputs;
  size_t positionals = 0;
};

void take_value(Line& line, const Flag& flag, const std::string& value) {
  if (flag.has_name("--filename")) line.inputs.paths.push_back(value);
  if (flag.has_name("--runtimes")) line.inputs.runtimes.push_back(value);
}

void take_flag(Line& line, const std::string& word) {
  const size_t equals = word.find('=');
  const Flag* flag = line.command->find_flag(word.substr(0, equals));
  if (!flag) return;
  line.used.insert(line.used.end(), flag->names.begin(), flag->names.end());
  if (flag->has_name("--no-recursive")) line.inputs.recurse = false;
  if (!flag->takes_word()) return;
  if (equals == std::string::npos) {
    line.pending = flag;
  } else {
    take_value(line, *flag, word.substr(equals + 1));
  }
}

Line read_line(const Command& root, std::span<const std::string> words) {
  Line line;
  line.command = &root;
  for (const std::string& word : words) {
    if (line.pending) {
      take_value(line, *line.pending, word);
      line.pending = nullptr;
    } else if (word.starts_with("-") && word != "-") {
      take_flag(line, word);
    } else if (const Command* sub = line.command->find_command(word); sub && line.positionals == 0) {
      line.command = sub;
    } else {
      ++line.positionals;
      line.inputs.paths.push_back(word);
    }
  }
  return line;
}

Completion of_words(const std::vector<std::string>& words) {
  Completion completion;
  for (const std::string& word : words) completion.candidates.push_back({word, ""});
  return completion;
}

// Offers values according to the name of the flag's value.
Completion complete_value(const Flag& flag, const CompletionInputs& inputs, Console& console) {
  if (!flag.choices.empty()) return of_words(flag.choices);
  if (flag.value == "PATH") return {{{"yaml", ""}, {"yml", ""}, {"json", ""}}, FileCompletion::Extensions};
  if (flag.value == "FILE") return {{}, FileCompletion::Any};
  if (flag.value == "DIR") return {{}, FileCompletion::Directories};
  if (flag.value == "RULE") return {rule_candidates(), FileCompletion::None};
  if (flag.value == "FIELD") {
    Completion fields = of_words(field_names(inputs.typed));
    fields.files = inputs.typed.starts_with('.') ? FileCompletion::NoneNoSpace : FileCompletion::None;
    return fields;
  }
  if (flag.value == "KIND") return of_words(schema_kinds());
  if (flag.value == "RUNTIME") return of_words(runtime_names(console, inputs));
  if (flag.value == "JOB") return of_words(job_names(console, inputs));
  if (flag.value == "KEY") {
    return {{{"generate", ""}, {"omit", ""}, {"file:", ""}, {"seed:", ""}}, FileCompletion::NoneNoSpace};
  }
  return {};
}

Completion complete_flag_name(const Line& line) {
  Completion completion;
  for (const Flag& flag : line.command->flags) {
    const bool used = std::ranges::count(line.used, flag.names.back()) > 0;
    if (flag.positional || (used && !flag.repeats)) continue;
    for (const std::string& name : flag.names) completion.candidates.push_back({name, flag.description});
  }
  return completion;
}

Completion complete_argument(const Line& line, Console& console) {
  Completion completion;
  for (const Command& sub : line.command->commands) completion.candidates.push_back({sub.name, sub.summary});
  for (const Flag& flag : line.command->flags) {
    if (!flag.positional || (!flag.repeats && line.positionals > 0)) continue;
    // A shell offers either words or files with a suffix.
    if (!completion.candidates.empty() && line.positionals == 0)
      completion.files = FileCompletion::Any;
    else
      completion = complete_value(flag, line.inputs, console);
    return completion;
  }
  return completion;
}

void keep_those_that_begin(Completion& completion, const std::string& prefix, const std::string& typed) {
  if (completion.files == FileCompletion::Extensions) return;
  std::erase_if(completion.candidates,
                [&](const Candidate& candidate) { return !candidate.word.starts_with(typed); });
  for (Candidate& candidate : completion.candidates) candidate.word = prefix + candidate.word;
}

}  // namespace

Completion complete(const Command& root, std::span<const std::string> words, Console& console) {
  const std::string typed = words.empty() ? "" : words.back();
  Line line = read_line(root, words.first(words.empty() ? 0 : words.size() - 1));
  line.inputs.typed = typed;
  Completion completion;
  std::string prefix;
  if (line.pending) {
    completion = complete_value(*line.pending, line.inputs, console);
  } else if (const size_t equals = typed.find('='); typed.starts_with("--") && equals != std::string::npos) {
    prefix = typed.substr(0, equals + 1);
    line.inputs.typed = typed.substr(equals + 1);
    if (const Flag* flag = line.command->find_flag(typed.substr(0, equals))) {
      completion = complete_value(*flag, line.inputs, console);
    }
  } else if (typed.starts_with("-")) {
    completion = complete_flag_name(line);
  } else {
    completion = complete_argument(line, console);
  }
  keep_those_that_begin(completion, prefix, typed.substr(prefix.size()));
  return completion;
}

int print_completion(const Command& root, std::span<const std::string> words, Console& console) {
  const Completion completion = complete(root, words, console);
  std::string out;
  for (const Candidate& candidate : completion.candidates) {
    out += candidate.description.empty() ? candidate.word
                                         : fmt::format("{}\t{}", candidate.word, candidate.description);
    out += '\n';
  }
  out += fmt::format(":{}\n", static_cast<int>(completion.files));
  return console.write_stdout(out) ? kOk : kFailed;
}

}  // namespace trainjobc::cli
