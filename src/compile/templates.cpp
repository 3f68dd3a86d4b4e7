// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "base/text/text.h"
#include "compile/input.h"
#include "rules/rules.h"

namespace trainjobc::compile {
namespace {

using base::Diagnostic;
using base::SourceFile;
using base::Stage;

// {{ name }}, ${name}, and ${name:=default}, which GNU envsubst does not know and Flux does.
enum class Syntax { Braces, Dollar, Defaults };

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// A line that YAML misreads: a template action at its beginning or as a value.
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

// Of the variables in the text; nullopt if there are none.
std::optional<Syntax> variables_in(std::string_view text) {
  std::optional<Syntax> found;
  for (size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 1)) {
    const auto in_name = [](char c) { return base::is_alnum(c) || c == '_'; };
    size_t end = at + 2;
    while (end < text.size() && in_name(text[end])) ++end;
    if (end == at + 2 || text.find('}', end) == std::string_view::npos) continue;
    if (text[end] != '}') return Syntax::Defaults;
    found = Syntax::Dollar;
  }
  return found;
}

// The text that the diagnostic points at, if it is on one line.
std::string_view text_of(const base::Location& at) {
  if (at.line == 0 || at.line != at.end_line || at.end_column <= at.column) return {};
  const std::string_view line = at.file->line(at.line);
  return at.column - 1 < line.size() ? line.substr(at.column - 1, at.end_column - at.column)
                                     : std::string_view();
}

// In a shell script, ${NAME} is a shell variable.
bool is_script(const Diagnostic& diagnostic) {
  return contains(diagnostic.field, ".args") || contains(diagnostic.field, ".command");
}

// The placeholder that causes an error.
std::optional<Syntax> placeholder_of(const Diagnostic& diagnostic) {
  const base::Location& at = diagnostic.location;
  if (diagnostic.severity != base::Severity::Error || !at.file || at.line == 0) return std::nullopt;
  if (diagnostic.stage == Stage::Yaml) {
    const std::string_view line = at.file->line(at.line);
    if (has_actions(*at.file) || (contains(line, "{{") && contains(line, "}}"))) return Syntax::Braces;
    const auto here = variables_in(line);
    return here || at.line == 1 ? here : variables_in(at.file->line(at.line - 1));
  }
  const std::string_view text = text_of(at);
  if (contains(text, "{{") && contains(text, "}}")) return Syntax::Braces;
  return is_script(diagnostic) ? std::nullopt : variables_in(text);
}

bool mentions_trainer(std::string_view text) {
  return contains(text, "TrainJob") || contains(text, "TrainingRuntime") ||
         contains(text, "trainer.kubeflow.org");
}

// Whether an object of Trainer may be in it: a chart that installs Trainer also has webhooks and roles, whose
// rules mention it.
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

// Whether a document that a program made, such as those of a chart, is of others: how they read it is not
// ours to check.
bool is_of_others(const Diagnostic& diagnostic, const InputSet& inputs) {
  const SourceFile* file = diagnostic.location.file;
  if (diagnostic.stage != Stage::Yaml || !file || !inputs.made.contains(file)) return false;
  const auto begins = [&](uint32_t line) { return file->line(line).starts_with("---"); };
  uint32_t first = diagnostic.location.line;
  while (first > 1 && !begins(first)) --first;
  uint32_t last = diagnostic.location.line + 1;
  while (last <= file->line_count() && !begins(last)) ++last;
  const size_t begin = file->line_start(first);
  return !mentions_trainer(file->text().substr(begin, file->line_start(last) - begin));
}

// The folder of the chart that a file is part of, by its path; "" if that names none.
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

bool is_input(const SourceFile& file, const InputSet& inputs) {
  return std::ranges::any_of(inputs.files, [&](const auto& input) { return input.get() == &file; });
}

std::optional<Fold> fold_of(const Diagnostic& diagnostic, const InputSet& inputs) {
  const SourceFile* file = diagnostic.location.file;
  if (!file) return std::nullopt;
  const auto syntax = placeholder_of(diagnostic);
  // Of a chart that was built, the templates are not the inputs.
  const bool is_built = syntax == Syntax::Braces && !is_input(*file, inputs);
  if (syntax && !is_built) {
    if (!may_have_object(*file)) return Fold{std::nullopt, "is a template"};
    return Fold{template_finding(diagnostic, *syntax), ""};
  }
  const bool is_data = diagnostic.stage == Stage::Yaml && file->name().ends_with(".json") &&
                       inputs.found.contains(file) && !mentions_trainer(file->text());
  return is_data ? std::optional(Fold{std::nullopt, "is not JSON that Kubernetes can read"}) : std::nullopt;
}

}  // namespace

void leave_out_foreign(base::Diagnostics& diagnostics, InputSet& inputs) {
  diagnostics.retain([&](const Diagnostic& diagnostic) {
    if (!is_of_others(diagnostic, inputs)) return true;
    inputs.passed_over.push_back(
        {diagnostic.location.file->name(), diagnostic.location.line, "is not YAML that Kubernetes can read"});
    return false;
  });
}

void fold_templates(base::Diagnostics& diagnostics, InputSet& inputs) {
  std::map<const SourceFile*, Fold> folds;
  for (const Diagnostic& diagnostic : diagnostics.items()) {
    if (folds.contains(diagnostic.location.file)) continue;
    if (auto fold = fold_of(diagnostic, inputs)) folds.emplace(diagnostic.location.file, std::move(*fold));
  }
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
