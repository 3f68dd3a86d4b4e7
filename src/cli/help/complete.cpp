// SPDX-License-Identifier: Apache-2.0

#include "cli/help/complete.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/exit_status.h"
#include "cli/help/complete_names.h"

namespace trainjobc::cli {
namespace {

// What completion needs to know of the words before the cursor.
struct Line {
  const Command* command = nullptr;
  const Flag* pending = nullptr;  // a flag that waits for its value
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
  if (flag->value.empty()) return;
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

// By the kind of value that the command's setup names.
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
