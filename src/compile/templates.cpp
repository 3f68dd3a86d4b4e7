// SPDX-License-Identifier: Apache-2.0

#include "compile/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "rules/rules.h"

namespace trainjobc::compile {
namespace {

using base::Diagnostic;
using base::SourceFile;
using base::Stage;

// {{ name }}, ${name}, and ${name:=default}, which Flux knows, but GNU envsubst does not.
enum class Syntax { Braces, Dollar, Defaults };

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Whether YAML misreads the line: a template action begins it, or is a value.
bool has_action(std::string_view line) {
  const std::string_view text = base::trimmed(line, base::kBlanks);
  if (text.starts_with('#')) return false;
  if (text.starts_with("{{") || text.starts_with("{%")) return true;
  return contains(text, ": {{") || contains(text, "- {{") || contains(text, "{{-") || contains(text, "-}}");
}

bool has_actions(const SourceFile& file) {
  if (!contains(file.text(), "{{") && !contains(file.text(), "{%")) return false;
  for (uint32_t line = 1; line <= file.line_count(); ++line) {
    if (has_action(file.line(line))) return true;
  }
  return false;
}

// The syntax of the variables in the text; nullopt if it has none.
std::optional<Syntax> variables_in(std::string_view text) {
  std::optional<Syntax> found;
  const size_t last_close = text.rfind('}');
  if (last_close == std::string_view::npos) return std::nullopt;
  for (size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 1)) {
    const auto in_name = [](char c) { return base::is_alnum(c) || c == '_'; };
    size_t end = at + 2;
    while (end < text.size() && in_name(text[end])) ++end;
    if (end == at + 2 || end > last_close || text[end] == '.') continue;  // no name has a dot: Katib's do
    if (text[end] != '}') return Syntax::Defaults;
    found = Syntax::Dollar;
  }
  return found;
}

// Whether the value is $NAME, which envsubst replaces too.
bool begins_with_variable(std::string_view value) {
  return value.size() > 1 && value.front() == '$' && value[1] >= 'A' && value[1] <= 'Z';
}

// The text that the diagnostic points at, if that is on one line.
std::string_view pointed_at(const base::Location& at) {
  if (at.line == 0 || at.line != at.end_line || at.end_column <= at.column) return {};
  const std::string_view line = at.file->line(at.line);
  return at.column - 1 < line.size() ? line.substr(at.column - 1, at.end_column - at.column)
                                     : std::string_view();
}

// In a shell script, ${NAME} is a shell variable.
bool is_script(const Diagnostic& diagnostic) {
  return contains(diagnostic.field, ".args") || contains(diagnostic.field, ".command");
}

bool mentions_trainer(std::string_view text) {
  return contains(text, "TrainJob") || contains(text, "TrainingRuntime") ||
         contains(text, "trainer.kubeflow.org");
}

// Whether the file may contain an object of Trainer. A chart that installs Trainer also has webhooks and
// roles, whose rules mention it.
bool may_have_object(const SourceFile& file) {
  constexpr std::array kGroups{std::string_view("trainer.kubeflow.org"), std::string_view("kubeflow.org"),
                               std::string_view("{{"), std::string_view("${")};
  constexpr std::string_view kKey = "apiVersion";
  if (!mentions_trainer(file.text())) return false;
  for (uint32_t line = 1; line <= file.line_count(); ++line) {
    const std::string_view text = file.line(line);
    const size_t key = text.find(kKey);
    if (key == std::string_view::npos) continue;
    const std::string_view value = base::trimmed(text.substr(key + kKey.size()), " \t:\"'");
    if (std::ranges::any_of(kGroups, [&](std::string_view group) { return value.starts_with(group); }))
      return true;
  }
  return false;
}

// Documents that programs made, such as a chart's. Whether those of other projects are well-formed is not
// ours to check.
class MadeDocuments {
 public:
  explicit MadeDocuments(const InputSet& inputs) : inputs_(inputs) {}

  // Must be called for `diagnostics` in order, so that those of a document follow each other.
  bool is_of_others(const Diagnostic& diagnostic) {
    const SourceFile* file = diagnostic.location.file;
    if (diagnostic.stage != Stage::Yaml || !file || !inputs_.made.contains(file)) return false;
    const uint32_t line = diagnostic.location.line;
    if (file != file_ || line < first_ || line >= last_) look_at(*file, line);
    return is_of_others_;
  }

 private:
  // Finds the document of the line.
  void look_at(const SourceFile& file, uint32_t line) {
    const auto begins = [&](uint32_t at) { return file.line(at).starts_with("---"); };
    file_ = &file;
    first_ = line;
    while (first_ > 1 && !begins(first_)) --first_;
    last_ = line + 1;
    while (last_ <= file.line_count() && !begins(last_)) ++last_;
    const size_t begin = file.line_start(first_);
    is_of_others_ = !mentions_trainer(file.text().substr(begin, file.line_start(last_) - begin));
  }

  const InputSet& inputs_;
  const SourceFile* file_ = nullptr;
  uint32_t first_ = 0;
  uint32_t last_ = 0;
  bool is_of_others_ = false;
};

// The folder of the chart that a file belongs to, by its path; "" if the path shows none.
std::string_view chart_of(std::string_view path) {
  constexpr std::string_view kCharts = "charts/";
  if (const size_t templates = path.rfind("/templates/"); templates != std::string_view::npos)
    return path.substr(0, templates);
  const size_t charts = path.starts_with(kCharts) ? 0 : path.find("/charts/");
  if (charts == std::string_view::npos) return {};
  const size_t name = path.find(kCharts, charts) + kCharts.size();
  return path.substr(0, std::min(path.size(), path.find('/', name)));
}

std::string hint_of(const SourceFile& file, Syntax syntax) {
  const auto rendered_by = [](std::string_view program) {
    return fmt::format("pipe in its rendered output: {} | trainjobc lint -", program);
  };
  switch (syntax) {
    case Syntax::Braces: {
      const std::string_view chart = chart_of(file.name());
      return chart.empty() ? rendered_by("helm template CHART")
                           : fmt::format("check what the chart makes of it: trainjobc lint --helm {}", chart);
    }
    case Syntax::Dollar: return rendered_by("envsubst < FILE");
    case Syntax::Defaults: return rendered_by("flux envsubst < FILE");
  }
  return "";
}

Diagnostic template_finding(const Diagnostic& culprit, Syntax syntax) {
  Diagnostic diagnostic = rules::finding("yaml/template", "this is an unrendered template");
  diagnostic.object = culprit.object;
  diagnostic.hint = hint_of(*culprit.location.file, syntax);
  diagnostic.location = culprit.location;
  diagnostic.hide_source = culprit.hide_source;
  return diagnostic;
}

// What replaces a file's diagnostics.
struct Fold {
  std::optional<Diagnostic> finding;  // nullopt: the file is skipped
  std::string_view what;
};

// Finds the files to fold. Whole texts, and lines with errors, are searched once, however many errors they
// have.
class TemplateFinder {
 public:
  explicit TemplateFinder(const InputSet& inputs) : inputs_(inputs) {
    for (const auto& file : inputs.files) input_files_.insert(file.get());
  }

  std::optional<Fold> fold_of(const Diagnostic& diagnostic) {
    const SourceFile* file = diagnostic.location.file;
    if (!file) return std::nullopt;
    const auto syntax = base::is_refusal(diagnostic) ? syntax_at(diagnostic) : std::nullopt;
    if (syntax) {
      if (!may_have_object(*file)) return Fold{std::nullopt, "is a template"};
      return Fold{template_finding(diagnostic, *syntax), ""};
    }
    const bool is_data = diagnostic.stage == Stage::Yaml && file->name().ends_with(".json") &&
                         inputs_.found.contains(file) && !text_of(*file).mentions_trainer;
    return is_data ? std::optional(Fold{std::nullopt, "is not JSON that Kubernetes can read"}) : std::nullopt;
  }

  // Changes the hint of an error that a placeholder causes in an object which the cluster would store: it
  // needs another fix.
  void adapt(Diagnostic& diagnostic) {
    if (!diagnostic.location.file || base::is_refusal(diagnostic)) return;
    const auto syntax = syntax_at(diagnostic);
    if (!syntax) return;
    diagnostic.hint = hint_of(*diagnostic.location.file, *syntax);
    diagnostic.fix.clear();
  }

 private:
  // The syntax of the placeholder that causes an error.
  std::optional<Syntax> syntax_at(const Diagnostic& diagnostic) {
    const auto syntax = placeholder_of(diagnostic);
    // Templates of a chart that was built are not inputs.
    const bool is_built = syntax == Syntax::Braces && !input_files_.contains(diagnostic.location.file);
    return is_built ? std::nullopt : syntax;
  }

  struct Text {
    bool has_actions = false;
    bool mentions_trainer = false;
  };

  // Finds the placeholder that causes an error.
  std::optional<Syntax> placeholder_of(const Diagnostic& diagnostic) {
    const base::Location& at = diagnostic.location;
    if (diagnostic.severity != base::Severity::Error || at.line == 0) return std::nullopt;
    if (diagnostic.stage == Stage::Yaml) {
      const auto [known, is_new] = of_lines_.try_emplace({at.file, at.line});
      if (is_new) known->second = placeholder_near(*at.file, at.line);
      return known->second;
    }
    const std::string_view text = pointed_at(at);
    if (contains(text, "{{") && contains(text, "}}")) return Syntax::Braces;
    if (is_script(diagnostic)) return std::nullopt;
    return begins_with_variable(text) ? Syntax::Dollar : variables_in(text);
  }

  std::optional<Syntax> placeholder_near(const SourceFile& file, uint32_t number) {
    const std::string_view line = file.line(number);
    if (text_of(file).has_actions || (contains(line, "{{") && contains(line, "}}"))) return Syntax::Braces;
    const auto here = variables_in(line);
    return here || number == 1 ? here : variables_in(file.line(number - 1));
  }

  const Text& text_of(const SourceFile& file) {
    const auto [known, is_new] = texts_.try_emplace(&file);
    if (is_new) known->second = {has_actions(file), mentions_trainer(file.text())};
    return known->second;
  }

  const InputSet& inputs_;
  std::set<const SourceFile*> input_files_;
  std::map<const SourceFile*, Text> texts_;
  std::map<std::pair<const SourceFile*, uint32_t>, std::optional<Syntax>> of_lines_;
};

}  // namespace

void leave_out_foreign(base::Diagnostics& diagnostics, InputSet& inputs) {
  MadeDocuments made(inputs);
  diagnostics.retain([&](const Diagnostic& diagnostic) {
    if (!made.is_of_others(diagnostic)) return true;
    inputs.passed_over.push_back(
        {diagnostic.location.file->name(), diagnostic.location.line, "is not YAML that Kubernetes can read"});
    return false;
  });
}

void fold_templates(base::Diagnostics& diagnostics, InputSet& inputs) {
  std::map<const SourceFile*, Fold> folds;
  TemplateFinder finder(inputs);
  for (const Diagnostic& diagnostic : diagnostics.items()) {
    if (folds.contains(diagnostic.location.file)) continue;
    if (auto fold = finder.fold_of(diagnostic)) folds.emplace(diagnostic.location.file, std::move(*fold));
  }
  diagnostics.retain([&](Diagnostic& diagnostic) {
    finder.adapt(diagnostic);
    return true;
  });
  if (folds.empty()) return;
  base::Diagnostics kept;
  for (const Diagnostic& diagnostic : diagnostics.items()) {
    if (!folds.contains(diagnostic.location.file)) kept.add(diagnostic);
  }
  for (auto& [file, fold] : folds) {
    if (fold.finding) {
      kept.add(std::move(*fold.finding));
    } else {
      inputs.passed_over.push_back({file->name(), 0, std::string(fold.what)});
    }
  }
  kept.sort();
  diagnostics = std::move(kept);
}

}  // namespace trainjobc::compile
