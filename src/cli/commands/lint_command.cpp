// SPDX-License-Identifier: Apache-2.0

// trainjobc lint
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/files/paths.h"
#include "base/source.h"
#include "base/text/diff.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "compile/mended.h"
#include "inputs/kustomize/roots.h"
#include "inputs/repository.h"
#include "lint/baseline.h"
#include "lint/changes.h"
#include "lint/lint.h"
#include "lint/report/document.h"
#include "lint/report/findings.h"
#include "platform/team.h"
#include "rules/rules.h"
#include "secret/secret.h"

namespace trainjobc::cli {
namespace {

struct LintFlags {
  InputFlags input;
  ColourFlag colour;
  RevisionFlags since;
  std::vector<std::string> formats;
  std::vector<std::string> outputs;
  std::vector<bool> is_output;  // for each --format and --output-file in order: whether it is --output-file
  std::string fail_on;
  std::string explain;
  bool list_rules = false;
  std::string fix;  // "" if not given
  bool show_diff = false;
  std::string baseline;
  bool write_baseline = false;
  bool new_only = false;
  bool quiet = false;

  base::Certainty certainty() const {
    return fix == "all" ? base::Certainty::Suggested : base::Certainty::Safe;
  }
};

// A report and the file that it is written to; "" is stdout.
struct Report {
  lint::ReportFormat format = lint::ReportFormat::Text;
  std::string file;
};

// Pairs each --output-file with the --format before it. nullopt, after an error, if one has no partner.
std::optional<std::vector<Report>> plan_reports(Console& console, const LintFlags& flags) {
  std::vector<Report> reports;
  size_t formats = 0;
  size_t outputs = 0;
  for (const bool is_output : flags.is_output) {
    if (!is_output) {
      reports.push_back(
          {lint::parse_report_format(flags.formats[formats++]).value_or(lint::ReportFormat::Text), ""});
      continue;
    }
    if (reports.empty() || !reports.back().file.empty()) {
      fail(console, "--output-file must follow its --format");
      return std::nullopt;
    }
    reports.back().file = flags.outputs[outputs++];
  }
  if (reports.empty()) reports.push_back({});
  if (std::ranges::count(reports, "", &Report::file) > 1) {
    fail(console, "only one report can go to standard output: give the others an --output-file");
    return std::nullopt;
  }
  return reports;
}

// Writes the fixed files, or prints what would change. False, after an error, if one could not be written;
// the others have been.
bool write_fixed(Console& console, const std::vector<Source>& before, const std::vector<Source>& after,
                 std::set<std::string>& seen, std::set<std::string>& shown, bool only_show) {
  bool is_written = true;
  for (size_t i = 0; i < before.size(); ++i) {
    const Source& old = before[i];
    const std::string& text = after[i].text;
    if (old.text == text || !seen.insert(old.name).second) continue;
    if (!only_show && seen.size() > 1 && console.files().text_of(old.name) == text)
      continue;  // written by another name of it
    if (only_show) {
      const std::string diff = base::unified_diff(old.text, text, old.name, old.name);
      if (!shown.insert(base::real_path(old.name)).second) continue;
      if (print_text(console, secret::without_secrets(diff, old.text)) != kOk) return false;
    } else if (const auto error = console.files().replace(old.name, old.text, text)) {
      fail(console, error->message);
      is_written = false;
    }
  }
  return is_written;
}

bool write_all_fixed(Console& console, const std::vector<inputs::InputGroup>& before,
                     const std::vector<inputs::InputGroup>& after, bool only_show) {
  bool is_written = true;
  std::set<std::string> seen;   // several roots may be made of one file
  std::set<std::string> shown;  // and a file may have several names
  for (size_t i = 0; i < before.size(); ++i) {
    is_written =
        write_fixed(console, before[i].inputs, after[i].inputs, seen, shown, only_show) && is_written;
    is_written = write_fixed(console, before[i].parts, after[i].parts, seen, shown, only_show) && is_written;
  }
  return is_written;
}

// Consumes the findings.
int print_reports(Console& console, lint::Findings& findings, const std::vector<Report>& reports,
                  const std::vector<inputs::BuildProgram>& programs, const LintFlags& flags) {
  lint::ReportInput input{.files = findings.files, .objects = findings.compiled.linted};
  input.programs = programs;
  input.style.colour = use_colour(flags.colour.value(), console, console.stdout_is_terminal());
  input.style.width = console.stdout_width();
  input.is_quiet = flags.quiet;
  input.team_rules = findings.team_rules();
  input.fails = [&](const base::Diagnostic& diagnostic) {
    return diagnostic.severity == base::Severity::Error || findings.fails(diagnostic);
  };
  if (std::string root = inputs::repository_of(console.files(), base::working_directory()); !root.empty())
    input.repository = {std::move(root), base::working_directory()};
  for (const Report& report : reports) {
    lint::ReportInput own = input;
    if (!report.file.empty()) own.style = {};
    own.diagnostics =
        &report == &reports.back() ? std::exchange(findings.diagnostics, {}) : findings.diagnostics;
    if (report.file.empty()) {
      const bool is_commands = report.format == lint::ReportFormat::Github;
      const auto write = [&](std::string_view part) {
        return is_commands ? console.write_commands(part) : console.write_stdout(part);
      };
      if (!lint::write_report(report.format, std::move(own), write))
        return fail(console, "can't write the report");
      continue;
    }
    const std::string text = lint::make_report(report.format, std::move(own));
    if (const auto error = console.files().write(report.file, text, 0666))
      return fail(console, error->message);
  }
  return kOk;
}

bool has_failed(const lint::Findings& findings) {
  return std::ranges::any_of(findings.diagnostics.items(),
                             [&](const base::Diagnostic& finding) { return findings.fails(finding); });
}

// Prints, after a diff, the findings that remain after its fixes. Returns whether one of them fails.
bool report_left(Console& console, lint::Findings& findings, const LintFlags& flags) {
  const bool failed = has_failed(findings);
  if (findings.diagnostics.empty()) return failed;
  lint::ReportInput input{.files = findings.files, .objects = findings.compiled.linted};
  input.style.colour = use_colour(flags.colour.value(), console, console.stderr_is_terminal());
  input.is_quiet = flags.quiet;
  input.diagnostics = std::exchange(findings.diagnostics, {});
  console.write_stderr(lint::make_report(lint::ReportFormat::Text, std::move(input)));
  return failed;
}

// Reads TRAINJOBC_FAIL_ON if the flag is not given; false, after an error, if the value is invalid.
bool read_fail_on(Console& console, LintFlags& flags) {
  if (flags.fail_on.empty()) flags.fail_on = console.environment("TRAINJOBC_FAIL_ON");
  constexpr std::array<std::string_view, 4> kLevels{"", "error", "warning", "never"};
  if (base::contains(kLevels, flags.fail_on)) return true;
  fail(console, fmt::format("TRAINJOBC_FAIL_ON {} is not one of error, warning, never", flags.fail_on));
  return false;
}

// The summary of a text report without findings: "13 jobs, 6 runtimes: no findings".
void note_success(Console& console, const lint::Findings& findings, const std::vector<Report>& reports,
                  bool only_new) {
  const auto& objects = findings.compiled.linted;
  const bool has_text = std::ranges::count(reports, lint::ReportFormat::Text, &Report::format) > 0;
  if (!has_text || objects.empty()) return;
  const auto jobs = static_cast<size_t>(std::ranges::count_if(
      objects, [](const LintedObject& object) { return object.object.starts_with("TrainJob/"); }));
  const size_t runtimes = objects.size() - jobs;
  std::string what = jobs > 0 ? base::counted(jobs, "job") : "";
  if (runtimes > 0) what += (what.empty() ? "" : ", ") + base::counted(runtimes, "runtime");
  const std::string unchecked = lint::unchecked_jobs(objects);
  console.write_stderr(what + (only_new ? ": no new findings" : ": no findings") +
                       (unchecked.empty() ? "" : ", " + unchecked) + "\n");
}

// What --changed-since compares the inputs with.
struct Since {
  std::vector<inputs::InputGroup> groups;
  std::string name;         // "8f3ac21b04de (where HEAD left origin/main)"
  inputs::Request request;  // for the current state: its paths are those of the repository
};

// nullopt, after an error, if the revision can't be read.
std::optional<Since> find_earlier(Console& console, const LintFlags& flags) {
  const std::chrono::seconds timeout =
      program_timeout(console, flags.input, std::chrono::seconds(kCallTimeout));
  auto revisions = open_revisions(console, flags.since, flags.input, timeout);
  if (!revisions) return std::nullopt;
  inputs::Request request = revisions->request;
  request.lists_deployed = flags.input.verbose;  // the current state lists them
  auto loaded = load_state(console, request, revisions->before);
  if (!loaded) return std::nullopt;
  return Since{.groups = std::move(loaded->groups),
               .name = revisions->of_base,
               .request = std::move(revisions->request)};
}

// Scopes are compared one by one: several clusters may apply the same files, and a change may affect only
// one.
lint::Findings find_by_scope(std::vector<inputs::InputGroup> groups, const Since& since,
                             const Options& options, const LintFlags& flags, lint::Affected& affected) {
  std::map<std::string, std::vector<inputs::InputGroup>> scopes;
  for (inputs::InputGroup& group : groups) scopes[group.scope].push_back(std::move(group));
  std::vector<lint::Findings> all;
  for (auto& [scope, own] : scopes) {
    lint::EarlierState earlier;
    std::ranges::copy_if(since.groups, std::back_inserter(earlier.groups),
                         [&, &name = scope](const inputs::InputGroup& group) { return group.scope == name; });
    earlier.findings = lint::find(earlier.groups, options, flags.fail_on);
    lint::Findings findings = lint::find(own, options, flags.fail_on);
    if (flags.new_only) lint::leave_new(findings, earlier);
    const lint::Affected here = lint::narrow_to_changes(findings, own, earlier);
    affected.objects += here.objects;
    affected.of += here.of;
    all.push_back(std::move(findings));
  }
  return lint::joined(std::move(all));
}

void note_affected(Console& console, const lint::Affected& affected, const Since& since) {
  if (affected.objects == 0) {
    note(console, fmt::format("what changed since {} affects no job and no runtime", since.name));
    return;
  }
  note(console, fmt::format("what changed since {} affects {} of {} jobs and runtimes", since.name,
                            affected.objects, affected.of));
}

lint::Findings find_all(Console& console, std::vector<inputs::InputGroup> groups, Options options,
                        const LintFlags& flags) {
  const base::Work work(console.progress(), "checking TrainJobs and runtimes", 0);
  options.work = &work;
  return lint::find(std::move(groups), options, flags.fail_on);
}

// The file of --baseline, which lists known findings; these are not reported.
class Baseline {
 public:
  Baseline(Console& console, const std::string& path)
      : console_(console), path_(path), folder_(base::parent_of(base::absolute_path(path))) {}

  // Returns false, and prints an error, if the file can't be read. A file that will be written may be
  // missing.
  bool read(bool may_be_missing) {
    if (!console_.files().exists(path_)) {
      if (!may_be_missing)
        fail(console_, fmt::format("there is no baseline {}: --write-baseline writes it", path_));
      return may_be_missing;
    }
    auto text = console_.files().read(path_);
    if (const auto* error = std::get_if<base::IoError>(&text)) {
      fail(console_, error->message);
      return false;
    }
    const base::SourceFile file(path_, std::get<std::string>(std::move(text)));
    auto known = lint::read_baseline(file);
    if (const auto* problems = std::get_if<base::Diagnostics>(&known)) {
      for (const base::Diagnostic& one : problems->items()) console_.write_stderr(base::format_text(one, {}));
      return false;
    }
    known_ = std::get<std::vector<lint::KnownFinding>>(std::move(known));
    return true;
  }

  // Removes the findings that the baseline lists.
  void narrow(lint::Findings& findings) {
    findings.diagnostics = base::without_consequences(std::move(findings.diagnostics));
    const Checked checked(findings);
    const size_t all = findings.diagnostics.items().size();
    gone_ = lint::drop_known(findings.diagnostics, known_, folder_);
    matched_ = all - findings.diagnostics.items().size();
    std::erase_if(gone_, [&](const lint::KnownFinding& one) { return !is_checked(one, checked); });
  }

  void note_what_is_known() const {
    constexpr size_t kMostListed = 10;
    if (matched_ > 0)
      note(console_, fmt::format("{} in {} {} not shown", base::counted(matched_, "finding"), path_,
                                 matched_ == 1 ? "is" : "are"));
    if (gone_.empty()) return;
    std::string text =
        fmt::format("{} in {} {} gone: --write-baseline removes {}", base::counted(gone_.size(), "finding"),
                    path_, gone_.size() == 1 ? "is" : "are", gone_.size() == 1 ? "it" : "them");
    for (size_t i = 0; i < std::min(gone_.size(), kMostListed); ++i)
      text += fmt::format("\n    {}: {} [{}]", gone_[i].file, gone_[i].message, gone_[i].rule);
    if (gone_.size() > kMostListed) text += fmt::format("\n    … and {} more", gone_.size() - kMostListed);
    note(console_, text);
  }

  // Writes all findings, and keeps the known ones of what was not checked.
  int write(lint::Findings& findings, bool is_quiet) {
    const auto all = base::without_consequences(findings.diagnostics);
    std::vector<lint::KnownFinding> known = lint::known_findings(all, folder_);
    const Checked checked(findings);
    const size_t before = known_.size();
    base::Diagnostics added = all;
    std::vector<lint::KnownFinding> gone = lint::drop_known(added, known_, folder_);
    std::erase_if(gone, [&](const lint::KnownFinding& one) {
      if (is_checked(one, checked)) return false;
      known.push_back(one);
      return true;
    });
    std::ranges::sort(known);
    if (const auto error = console_.files().write(path_, lint::baseline_text(known), 0666))
      return fail(console_, error->message);
    const std::string change =
        before == 0 ? "" : fmt::format(": {} new, {} gone", added.items().size(), gone.size());
    if (!is_quiet)
      note(console_, fmt::format("wrote {} to {}{}", base::counted(known.size(), "finding"), path_, change));
    return kOk;
  }

 private:
  // What a run looked at: the absolute paths of files, but for objects and files that were refused before all
  // rules could be checked.
  struct Checked {
    std::set<std::string> files;
    std::set<std::string> refused;  // objects, and absolute paths of files that can't be read

    explicit Checked(const lint::Findings& findings) {
      for (const std::string& file : findings.files) files.insert(base::absolute_path(file));
      for (const LintedObject& one : findings.compiled.linted) {
        if (!one.is_checked) refused.insert(one.object);
      }
      for (const base::Diagnostic& found : findings.diagnostics.items()) {
        if (found.severity != base::Severity::Error || found.stage == base::Stage::Advice) continue;
        if (!found.object.empty())
          refused.insert(found.object);
        else if (found.location.file)
          refused.insert(base::absolute_path(found.location.file->name()));
      }
    }
  };

  // Whether a known finding that was not found again is gone: what it is about was checked, or its file no
  // longer exists.
  bool is_checked(const lint::KnownFinding& one, const Checked& checked) const {
    const rules::Rule* rule = rules::find_rule(one.rule);
    const bool is_early = rule && (rule->stage == base::Stage::Yaml || rule->stage == base::Stage::Input);
    if (!is_early && !compile::looks_at_one_value(one.rule) && checked.refused.contains(one.object))
      return false;
    if (one.file.empty() || one.file == base::kStdin) return true;
    const std::string place = base::normal_path(base::joined_path(folder_, one.file));
    if (checked.refused.contains(place)) return false;
    return checked.files.contains(place) || !console_.files().exists(base::shortest_path(place));
  }

  Console& console_;
  std::string path_;
  std::string folder_;
  std::vector<lint::KnownFinding> known_;
  std::vector<lint::KnownFinding> gone_;
  size_t matched_ = 0;
};

// With those of the working directory's settings.
int print_rules(Console& console, const InputFlags& flags) {
  const std::string path = flags.config.empty() ? console.environment("TRAINJOBC_CONFIG") : flags.config;
  inputs::Configurations configurations(console.files(), path, flags.no_config);
  const auto config = configurations.of_working_directory();
  if (const auto& error = configurations.error()) {
    print(console, *error);
    return kFailed;
  }
  return print_text(console, list_rules(console.stdout_width(), inputs::rules_of(*config)));
}

int run_lint(Console& console, LintFlags flags) {
  if (flags.list_rules) return print_rules(console, flags.input);
  if (!flags.explain.empty()) return explain_rule(console, flags.explain);
  const auto reports = plan_reports(console, flags);
  if (!reports) return kFailed;
  if (!read_fail_on(console, flags)) return kFailed;
  const base::Work silent(flags.quiet ? console.progress() : nullptr, "", 0);
  Options options = to_options(flags.input);
  options.render = false;
  flags.input.lists_deployed = !flags.quiet;
  flags.input.names_programs = base::contains(*reports, lint::ReportFormat::Json, &Report::format);
  flags.input.has_deployed = flags.fix.empty();
  std::optional<Since> since;
  if (!flags.since.names.base.empty()) {
    since = find_earlier(console, flags);
    if (!since) return kFailed;
  }
  auto loaded = since ? load_inputs(console, since->request) : load_inputs(console, flags.input);
  if (!loaded) return kFailed;
  std::vector<inputs::InputGroup>& groups = loaded->groups;
  const std::string* piped = find_stdin(groups);
  const bool is_piped = piped != nullptr;
  const bool fixes = !flags.fix.empty();
  if (fixes && !flags.show_diff && is_piped)
    return fail(console, "--fix can't write to standard input: --fix --diff shows the changes");
  if (is_piped && base::trimmed(*piped).empty() && !flags.input.directories.allow_empty)
    return fail(console, "standard input is empty: pipe manifests in, or name a file or directory");
  std::optional<Baseline> baseline;
  if (!flags.baseline.empty()) {
    baseline.emplace(console, flags.baseline);
    if (!baseline->read(flags.write_baseline)) return kFailed;
  }
  if (fixes) kustomize::find_shared_parts(console.files(), groups);
  std::vector<inputs::InputGroup> before;  // --fix and --changed-since need the texts afterwards
  const bool is_by_scope = since && loaded->is_deployed;
  if (fixes || since) before = groups;
  lint::Affected affected;
  lint::Findings findings = is_by_scope ? find_by_scope(std::move(groups), *since, options, flags, affected)
                                        : find_all(console, std::move(groups), options, flags);
  if (loaded->has_deployers) lint::name_flag_of_roots(findings.diagnostics);
  if (!check_inputs(console, flags.input, *loaded, findings.compiled)) return kFailed;
  if (is_piped && !flags.quiet && findings.compiled.linted.empty() && findings.diagnostics.empty())
    note(console, "the inputs contain no TrainJob and no runtime");
  if (baseline && flags.write_baseline) return baseline->write(findings, flags.quiet);
  lint::EarlierState earlier;
  if (since && !is_by_scope) {
    earlier.findings = lint::find(since->groups, options, flags.fail_on);
    earlier.groups = std::move(since->groups);
  }
  const lint::NarrowFindings narrow = [&](lint::Findings& all, const std::vector<inputs::InputGroup>& texts) {
    if (baseline) baseline->narrow(all);
    if (!since || is_by_scope) return;
    if (flags.new_only) lint::leave_new(all, earlier);
    affected = lint::narrow_to_changes(all, texts, earlier);
  };
  narrow(findings, before);
  if (since && !flags.quiet) note_affected(console, affected, *since);
  if (baseline && !flags.quiet) baseline->note_what_is_known();
  if (fixes) {
    std::vector<inputs::InputGroup> after = before;
    const size_t applied = lint::fix(after, findings, options, flags.fail_on, flags.certainty(), narrow);
    if (!write_all_fixed(console, before, after, flags.show_diff)) return kFailed;
    if (flags.show_diff) return report_left(console, findings, flags) || applied > 0 ? kRejected : kOk;
    if (applied > 0 && !flags.quiet) console.write_stderr(fmt::format("{} fixed\n", applied));
  }
  const bool failed = has_failed(findings);
  const bool is_clean = findings.diagnostics.empty();
  const int status = print_reports(console, findings, *reports, loaded->programs, flags);
  if (status != kOk) return status;
  if (is_clean && !flags.quiet) note_success(console, findings, *reports, baseline || flags.new_only);
  return failed ? kRejected : kOk;
}

}  // namespace

std::function<int(Console&)> setup_lint(Command& command) {
  auto flags = std::make_shared<LintFlags>();
  flags->input.add_to(command);
  flags->input.found_roots = inputs::FoundRoots::Built;
  const auto names = lint::report_format_names();
  command
      .add("-o,--format", &flags->formats,
           "Format of the report; can be repeated, each with its own --output-file")
      .one_of(std::vector<std::string>(names.begin(), names.end()))
      .takes("FORMAT");
  command.add("--output-file", &flags->outputs, "Write the report of the preceding --format to this file")
      .takes("FILE")
      .was("--output");
  command
      .add("--fail-on", &flags->fail_on, "Exit with status 1 if a finding has at least this severity [error]")
      .one_of({"error", "warning", "never"});
  command
      .add("--fix", &flags->fix,
           "Apply the fixes that can't be wrong to the files; all: what was most likely meant, too")
      .one_of({"safe", "all"})
      .means("safe");
  command.add("--diff", &flags->show_diff, "With --fix: show the changes without writing them")
      .needs("--fix");
  flags->since.add_to(command, "--changed-since",
                      "Only what the changes since this Git revision, or since HEAD left it, can affect");
  command
      .add("--new-only", &flags->new_only,
           "With --changed-since: only findings that the revision does not have")
      .needs("--changed-since");
  command
      .add("--baseline", &flags->baseline,
           "Leave out the findings in this file, which --write-baseline writes; report those that are gone")
      .takes("FILE");
  command
      .add("--write-baseline", &flags->write_baseline,
           "Write the findings to the file of --baseline, so that only new ones are reported from now on")
      .needs("--baseline")
      .excludes("--fix")
      .excludes("--changed-since");
  flags->input.add_deployed_to(command, "Lint", ", and list them").excludes("--fix");
  command.add("-q,--quiet", &flags->quiet, "Print the findings, but no summary and no notes")
      .excludes("--verbose");
  command.add("--list-rules", &flags->list_rules, "List all rules");
  command.add("--explain", &flags->explain, "Explain a rule, by its id or what is after its slash")
      .takes("RULE");
  flags->colour.add_to(command);
  command.details = {
      "--fix replaces files atomically and keeps their mode and owner; read-only files, and files that have "
      "changed since they were read, stay unchanged. --fix=all also writes what hints suggest, such as the "
      "name that a misspelt one is closest to: read the changes, with --diff or git diff. With --diff, the "
      "findings that the changes would leave are on standard error, and the status is 1 if there are "
      "changes, or if one of these findings fails.",
      "--changed-since REV reports on the TrainJobs and runtimes that differ from those of REV, also in "
      "files that are not committed, and on all TrainJobs of a runtime or settings file that differs. As "
      "with git diff REV...HEAD, the comparison begins where HEAD left REV; --no-merge-base compares with "
      "REV itself. A renamed file is not a change. A finding that REV does not have is "
      "always reported; with --new-only, nothing else is.",
      "--baseline FILE is for repositories with many findings: --write-baseline writes them to the file, and "
      "from then on only new ones are reported and fail. A finding is known by its object, field, rule and "
      "message, so it stays known if its lines move or its file is renamed. --write-baseline drops those "
      "that are gone."};
  command.variables.push_back({"TRAINJOBC_FAIL_ON", "Same as --fail-on."});
  command.exit_statuses = {
      {0, "no finding at the --fail-on level"}, {1, "findings"}, {2, "usage or I/O error"}};
  command.examples = {"trainjobc lint jobs/",
                      "trainjobc lint jobs/ --fix=all --diff",
                      "trainjobc lint . --format github",
                      "trainjobc lint --changed-since origin/main .",
                      "trainjobc lint --baseline lint-baseline.json --write-baseline .",
                      "trainjobc lint --roots clusters",
                      "trainjobc lint jobs/ --format sarif --output-file lint.sarif --format text",
                      "trainjobc lint --explain input/unknown-field"};
  return [flags, &command](Console& console) {
    for (const Flag* flag : command.given_flags) {
      const bool is_output = flag->has_name("--output-file");
      if (is_output || flag->has_name("--format")) flags->is_output.push_back(is_output);
    }
    return run_lint(console, *flags);
  };
}

}  // namespace trainjobc::cli
