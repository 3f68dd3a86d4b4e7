// trainjobc lint
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/unified_diff.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/config.h"
#include "cli/exit_status.h"
#include "cli/fix.h"
#include "cli/load.h"
#include "cli/report.h"
#include "cli/rule_texts.h"
#include "cli/suppress.h"

namespace trainjobc::cli {
namespace {

struct LintFlags {
  InputFlags input;
  ColourFlag colour;
  std::vector<std::string> formats;
  std::vector<std::string> outputs;
  std::vector<bool> is_output;  // of each --format and --output, in the order given
  std::string fail_on;
  std::string explain;
  bool list_rules = false;
  bool fix = false;
  bool show_diff = false;
};

// One report and the file it goes to; "" is stdout.
struct Report {
  ReportFormat format = ReportFormat::Text;
  std::string file;
};

// Each --output belongs to the --format before it. nullopt, and said so, where that doesn't work out.
std::optional<std::vector<Report>> plan_reports(Console& console, const LintFlags& flags) {
  std::vector<Report> reports;
  size_t formats = 0;
  size_t outputs = 0;
  for (const bool is_output : flags.is_output) {
    if (!is_output) {
      reports.push_back({parse_report_format(flags.formats[formats++]).value_or(ReportFormat::Text), ""});
      continue;
    }
    if (reports.empty() || !reports.back().file.empty()) {
      fail(console, "--output belongs behind the --format that it is for");
      return std::nullopt;
    }
    reports.back().file = flags.outputs[outputs++];
  }
  if (reports.empty()) reports.push_back({});
  if (std::ranges::count(reports, "", &Report::file) > 1) {
    fail(console, "only one report can go to standard output: give the others an --output");
    return std::nullopt;
  }
  return reports;
}

bool fails(const base::Diagnostics& diagnostics, const std::string& level) {
  if (level == "never") return false;
  const auto least = level == "warning" ? base::Severity::Warning : base::Severity::Error;
  return std::ranges::any_of(diagnostics.items(),
                             [&](const base::Diagnostic& d) { return d.severity <= least; });
}

// Where the nearest folder with a .git is; "" without one.
Repository find_repository(Console& console) {
  std::error_code ignored;
  const std::filesystem::path here = std::filesystem::current_path(ignored);
  for (std::filesystem::path folder = here;; folder = folder.parent_path()) {
    if (console.files().exists((folder / ".git").string())) return {folder.string(), here.string()};
    if (folder == folder.root_path()) return {};
  }
}

struct Findings {
  Compilation compiled;
  base::Diagnostics diagnostics;
  std::vector<std::string> files;
};

// Takes away the fixes of files that are not among these.
base::Diagnostics fixable(const base::Diagnostics& diagnostics, const std::vector<std::string>& files) {
  base::Diagnostics kept;
  for (base::Diagnostic diagnostic : diagnostics.items()) {
    const auto is_input = [&](const base::Edit& edit) {
      return edit.range.file && std::ranges::binary_search(files, edit.range.file->name());
    };
    if (!std::ranges::all_of(diagnostic.fix, is_input)) diagnostic.fix.clear();
    kept.add(std::move(diagnostic));
  }
  return kept;
}

Findings lint(LoadedInputs loaded, const InputFlags& flags, const Config& config) {
  Options options = to_options(flags);
  options.render = false;
  Findings findings;
  for (const Source& source : loaded.inputs) findings.files.push_back(source.name);
  findings.compiled = compile_sources(std::move(loaded.inputs), std::move(loaded.runtimes), options);
  // Not of runtimes beside them, nor of the catalogue.
  findings.diagnostics = fixable(apply_config(findings.compiled.diagnostics, config, findings.compiled.files,
                                              true, findings.compiled.checked),
                                 findings.files);
  return findings;
}

// Applies fixes to the inputs in memory until none is left, since one may make room for the next, and lints
// them anew. Two that undo each other end at kRounds. The number of applied fixes.
size_t fix(LoadedInputs& loaded, Findings& findings, const InputFlags& flags, const Config& config) {
  constexpr int kRounds = 10;
  size_t applied = 0;
  for (int round = 0; round < kRounds; ++round) {
    const FixedFiles fixed = apply_fixes(findings.diagnostics);
    if (fixed.applied == 0) break;
    applied += fixed.applied;
    for (Source& source : loaded.inputs) {
      const auto text = fixed.texts.find(source.name);
      if (text != fixed.texts.end()) source.text = text->second;
    }
    findings = lint(loaded, flags, config);
  }
  findings.diagnostics = fixable(findings.diagnostics, {});  // what is left can't be applied
  return applied;
}

// Writes the files that were fixed, or prints what would change. False, which has been said, if one could not
// be written; the others are.
bool write_fixed(Console& console, const LoadedInputs& before, const LoadedInputs& after, bool only_show) {
  bool is_written = true;
  for (size_t i = 0; i < before.inputs.size(); ++i) {
    const Source& old = before.inputs[i];
    const std::string& text = after.inputs[i].text;
    if (old.text == text) continue;
    if (only_show) {
      if (!console.write_stdout(base::unified_diff(old.text, text, old.name, old.name))) return false;
    } else if (const auto error = console.files().replace(old.name, old.text, text)) {
      fail(console, error->message);
      is_written = false;
    }
  }
  return is_written;
}

int print_reports(Console& console, const Findings& findings, const std::vector<Report>& reports,
                  const LintFlags& flags) {
  ReportInput input{
      .diagnostics = findings.diagnostics, .files = findings.files, .objects = findings.compiled.linted};
  input.style.colour = use_colour(flags.colour.value(), console, console.stdout_is_terminal());
  input.fails_from = flags.fail_on == "warning" ? base::Severity::Warning : base::Severity::Error;
  input.repository = find_repository(console);
  for (const Report& report : reports) {
    const base::TextStyle style = input.style;
    if (!report.file.empty()) input.style.colour = false;
    const std::string text = make_report(report.format, input);
    input.style = style;
    if (report.file.empty()) {
      if (!console.write_stdout(text)) return fail(console, "the report could not be written");
    } else if (const auto error = console.files().write(report.file, text, 0666)) {
      return fail(console, error->message);
    }
  }
  return kOk;
}

int run_lint(Console& console, LintFlags flags) {
  if (flags.list_rules) return console.write_stdout(list_rules()) ? kOk : kFailed;
  if (!flags.explain.empty()) return explain_rule(console, flags.explain);
  const auto reports = plan_reports(console, flags);
  if (!reports) return kFailed;
  const std::optional<Config> read = configure(console, flags.input);
  if (!read) return kFailed;
  const Config& config = *read;
  flags.fail_on = setting(console, flags.fail_on, "TRAINJOBC_FAIL_ON", config.fail_on, "error");
  auto loaded = load_inputs(console, flags.input);
  if (!loaded) return kFailed;
  if (flags.fix && !flags.show_diff &&
      std::ranges::find(loaded->inputs, kStdin, &Source::name) != loaded->inputs.end())
    return fail(console, "--fix can't write to standard input: --fix --diff shows what it would change");
  LoadedInputs before;  // only --fix needs the texts again
  if (flags.fix) before = *loaded;
  Findings findings = lint(std::move(*loaded), flags.input, config);
  if (!check_jobs(console, flags.input, findings.compiled)) return kFailed;
  if (findings.compiled.linted.empty() && findings.diagnostics.empty())
    note_nothing_found(console, flags.input, "TrainJob and no runtime");
  if (flags.fix) {
    LoadedInputs after = before;
    const size_t applied = fix(after, findings, flags.input, config);
    if (!write_fixed(console, before, after, flags.show_diff)) return kFailed;
    if (flags.show_diff) return applied > 0 ? kRejected : kOk;
    if (applied > 0) console.write_stderr(fmt::format("{} fixed\n", applied));
  }
  const int status = print_reports(console, findings, *reports, flags);
  if (status != kOk) return status;
  return fails(findings.diagnostics, flags.fail_on) ? kRejected : kOk;
}

}  // namespace

std::function<int(Console&)> setup_lint(CLI::App& app) {
  auto flags = std::make_shared<LintFlags>();
  flags->input.add_to(app);
  const auto names = report_format_names();
  app.add_option("--format", flags->formats,
                 "Format of the report; may be given several times, each with its own --output")
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
      ->allow_extra_args(false)
      ->type_name("FORMAT");
  app.add_option("--output", flags->outputs, "Write the report of the --format before it to this file")
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_option("--fail-on", flags->fail_on, "What ends with status 1 [error]")
      ->check(CLI::IsMember({"error", "warning", "never"}));
  app.add_flag("--fix", flags->fix, "Apply the safe fixes to the files");
  app.add_flag("--diff", flags->show_diff, "With --fix: show what it would change, and change nothing")
      ->needs("--fix");
  app.add_flag("--list-rules", flags->list_rules, "List all rules");
  app.add_option("--explain", flags->explain, "Explain a rule")->type_name("RULE");
  flags->colour.add_to(app);
  app.footer(
      "--fix replaces a file in one step, with its mode and owner; a read-only file, and one that\n"
      "somebody has changed since it was read, is left as it is.\n"
      "Exit status: 0 no finding at the --fail-on level, 1 findings, 2 usage or I/O.\n"
      "\n"
      "Examples:\n"
      "  trainjobc lint jobs/\n"
      "  trainjobc lint -R . --format github\n"
      "  trainjobc lint jobs/ --format sarif --output lint.sarif --format text\n"
      "  trainjobc lint --explain input/unknown-field");
  return [flags, &app](Console& console) {
    for (const CLI::Option* option : app.parse_order()) {
      const std::string name = option->get_lnames().empty() ? "" : option->get_lnames().front();
      if (name == "format" || name == "output") flags->is_output.push_back(name == "output");
    }
    return run_lint(console, *flags);
  };
}

}  // namespace trainjobc::cli
