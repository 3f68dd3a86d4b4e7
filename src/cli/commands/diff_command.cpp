// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/text/text.h"
#include "cli/commands.h"
#include "compile/compile.h"
#include "compile/kept_jobs.h"
#include "features/cluster/compare.h"
#include "features/cluster/live.h"
#include "features/cluster/live_fields.h"
#include "features/cluster/outlines.h"
#include "features/diff/format.h"
#include "features/objects/acceptance.h"
#include "features/objects/difference_text.h"
#include "features/objects/differences.h"
#include "k8s/violations.h"
#include "lint/report/document.h"
#include "secret/secret.h"
#include "yaml/node.h"

namespace trainjobc::cli {
namespace {

using cluster::Answer;
using cluster::LiveSet;

constexpr int kReadings = 3;

// kubectl's message may quote the objects that it was sent.
bool is_answer(Console& console, const Answer& answer, const Compilation& sent) {
  if (answer.ok() && answer.warnings.empty()) return true;
  secret::SecretTexts secrets;
  for_each_object(sent, 1, [&](std::span<const Object> objects) {
    for (const Object& object : objects) secrets.collect_unmarked(*object.root);
  });
  console.write_stderr(secrets.hide(answer.warnings));
  if (!answer.ok()) fail(console, secrets.hide(kubectl::describe(answer.failure)));
  return answer.ok();
}

// Existing SSH keys keep their content, whatever is rendered.
std::set<std::string> kept_secrets(const LiveSet& live) {
  std::set<std::string> kept;
  for (const cluster::LiveObject& object : live.objects) {
    if (object.kind == "Secret") kept.insert(objects::object_id(object.kind, object.ns, object.name));
  }
  return kept;
}

// Objects whose dry run would only repeat that the update is refused.
std::set<std::string> refused_objects(const objects::Report& report) {
  std::set<std::string> refused;
  for (const objects::ObjectDiff& object : report.objects) {
    const auto is_refused = [](const objects::Difference& field) { return !field.refusal.empty(); };
    if (std::ranges::any_of(object.differences, is_refused)) refused.insert(object.id);
  }
  return refused;
}

// The objects as an update sends them: existing JobSets keep the order of their variables.
std::vector<Object> as_updates(const Compilation& compiled, const LiveSet& live, const yaml::Maker& make) {
  std::map<std::pair<std::string_view, std::string_view>, const yaml::Node*> job_sets;
  for (const cluster::LiveObject& object : live.objects) {
    if (object.kind == "JobSet") job_sets[{object.ns, object.name}] = object.root;
  }
  std::vector<Object> updates = compiled.objects;
  for (Object& object : updates) {
    if (object.kind != "JobSet") continue;
    const auto found = job_sets.find({object.ns, object.name});
    if (found != job_sets.end())
      object.root = cluster::with_live_env_order(*object.root, *found->second, make);
  }
  return updates;
}

// Identifies the objects' state: changes whenever one of them does, except for a JobSet's status.
std::set<std::string> state_of(const LiveSet& live) {
  std::set<std::string> state;
  for (const cluster::LiveObject& object : live.objects) {
    state.insert(fmt::format("{} {} {}", objects::object_id(object.kind, object.ns, object.name),
                             yaml::text_at(*object.root, {"metadata", "uid"}),
                             yaml::text_at(*object.root, {"metadata", "generation"})));
  }
  return state;
}

Answer read_live(const kubectl::Kubectl& kubectl, std::span<const Object> rendered, LiveSet& live) {
  Answer objects = cluster::fetch(kubectl, rendered, true, live);
  if (!objects.ok()) return objects;
  Answer train_jobs = cluster::fetch_train_jobs(kubectl, rendered, false, live);
  return {std::move(train_jobs.failure), objects.warnings + train_jobs.warnings};
}

struct Readings {
  std::shared_ptr<LiveSet> live;
  std::shared_ptr<LiveSet> dry_run = std::make_shared<LiveSet>();
  Answer answer;
};

class Reader {
 public:
  // `rendered` are the compiled objects, or their outlines unless --server-side sends them.
  Reader(const kubectl::Kubectl& kubectl, const DiffFlags& flags, const Compilation& compiled,
         std::span<const Object> rendered, const cluster::CompareOptions& options)
      : kubectl_(kubectl), flags_(flags), compiled_(compiled), rendered_(rendered), options_(options) {}

  // An update may be refused because an object was created or changed after the first reading; then
  // everything is read again.
  Readings read() const {
    Readings readings = read_once();
    for (int left = kReadings - 1; left > 0 && is_refused(readings.answer); --left) {
      Readings again = read_once();
      const bool is_same = again.live && state_of(*again.live) == state_of(*readings.live);
      readings = std::move(again);
      if (is_same) break;
    }
    return readings;
  }

 private:
  static bool is_refused(const Answer& answer) {
    return answer.failure.cause == kubectl::Cause::Refused || answer.failure.cause == kubectl::Cause::Claim;
  }

  Readings read_once() const {
    Readings readings;
    readings.live = std::make_shared<LiveSet>();
    readings.answer = read_live(kubectl_, rendered_, *readings.live);
    if (!flags_.server_side || !readings.answer.ok()) return readings;
    std::set<std::string> skip = kept_secrets(*readings.live);
    skip.merge(refused_objects(cluster::compare_objects(compiled_, readings.live, options_)));
    const auto updates = as_updates(compiled_, *readings.live, yaml::Maker(readings.dry_run->arena));
    Answer answer = cluster::dry_run(kubectl_, updates, skip, flags_.field_manager, *readings.dry_run);
    readings.answer.warnings += answer.warnings;
    readings.answer.failure = std::move(answer.failure);
    return readings;
  }

  const kubectl::Kubectl& kubectl_;
  const DiffFlags& flags_;
  const Compilation& compiled_;
  std::span<const Object> rendered_;
  const cluster::CompareOptions& options_;
};

// What is compiled of the inputs. The objects of TrainJobs are kept only if they are sent to the cluster.
struct Rendered {
  cluster::Outlines outlines;  // unless objects were saved
  KeptJobs<char> nothing{[](std::span<const Object>) { return '\0'; }};
  std::optional<CompiledInputs> inputs;

  const Compilation& compiled() const { return inputs->all; }
};

objects::Report compare_remade(Console& console, const DiffFlags& flags, const Compilation& compiled,
                               const LiveSet& live, const cluster::CompareOptions& options) {
  const base::Work work(console.progress(), "comparing TrainJobs", compiled.collected.size());
  return cluster::compare_remade(
      compiled, live, options,
      {.with_objects = flags.format == "json", .threads = flags.input.threads, .work = &work});
}

// nullopt if the cluster does not respond, which has been reported. `options` have no dry run yet.
std::optional<objects::Report> compare_with_cluster(Console& console, const DiffFlags& flags,
                                                    Rendered& rendered, cluster::CompareOptions options) {
  const kubectl::Kubectl kubectl(console.processes(),
                                 flags.kubectl.settings(program_timeout(console, flags.input)));
  const Compilation& compiled = rendered.compiled();
  const std::vector<Object> objects = flags.server_side ? compiled.objects : rendered.outlines.take(compiled);
  Readings readings = Reader(kubectl, flags, compiled, objects, options).read();
  if (!is_answer(console, readings.answer, compiled)) return std::nullopt;
  if (!flags.server_side) return compare_remade(console, flags, compiled, *readings.live, options);
  options.dry_run = readings.dry_run.get();
  objects::Report report = cluster::compare_objects(compiled, std::move(readings.live), options);
  report.memory.push_back(std::move(readings.dry_run));
  return report;
}

// Prints to stderr what a report in this format leaves out: the objects that a version refuses.
void print_acceptances(Console& console, const objects::Report& report, const DiffFlags& flags) {
  const base::TextStyle style{use_colour(flags.colour.value(), console, console.stderr_is_terminal()),
                              console.stderr_width()};
  for (const objects::Acceptance& acceptance : report.acceptances) {
    note(console,
         fmt::format("{}: {}{}{}", acceptance.title(), diff::verdict_text(acceptance.verdict, report),
                     acceptance.cause.empty() ? "" : ": ", acceptance.cause));
    std::string text;
    for (const base::Diagnostic& refusal : acceptance.refusals) text += base::format_text(refusal, style);
    console.write_stderr(text);
  }
}

constexpr int kDifferent = 1;

base::Diagnostics refusals_of(inputs::GroupedCompilation& found) {
  base::Diagnostics shown = unread_jobs_of(found.all);
  for (const base::Diagnostic& diagnostic : found.all.diagnostics.items()) {
    if (base::is_refusal(diagnostic)) shown.add(diagnostic);
  }
  return shown;
}

// Compiles the inputs without rejected ones, which have been reported. False, after an error, if nothing is
// left.
bool compile(Console& console, const DiffFlags& flags, Rendered& rendered) {
  CompileStyle style{.is_governed = true, .shown = refusals_of};
  if (!flags.live.empty()) {
    style.sink_of = rendered.nothing.sinks();
  } else if (!flags.server_side) {
    style.sink_of = rendered.outlines.sinks();
  }
  rendered.inputs = compile_inputs(console, flags.input, flags.colour, options_of(flags), style);
  if (!rendered.inputs) return false;
  const Compilation& compiled = rendered.compiled();
  if (rendered.inputs->rejected && compiled.objects.empty() && compiled.collected.empty()) return false;
  if (const std::string shared = shared_name(compiled); !shared.empty()) {
    fail(console, shared + ": compare one scope at a time");
    return false;
  }
  return true;
}

// Rejected objects are neither compared nor orphans; it is unknown what an unreadable file defines.
void note_rejected(Console& console, const Compilation& compiled, cluster::CompareOptions& options) {
  const size_t jobs = objects::refused_jobs(compiled).size();
  if (jobs > 0)
    note(console, fmt::format("{} of {} {} not compared: {}", jobs, base::counted(compiled.train_jobs, "job"),
                              jobs == 1 ? "is" : "are", jobs == 1 ? "it is rejected" : "they are rejected"));
  const auto is_unread = [](const base::Diagnostic& found) {
    return base::is_refusal(found) && found.object.empty();
  };
  if (options.orphans == cluster::Orphans::None ||
      std::ranges::none_of(compiled.diagnostics.items(), is_unread))
    return;
  options.orphans = cluster::Orphans::None;
  note(console, "orphaned objects are not listed: not every file can be read");
}

// Why saved objects can't be read: skipping them would make them look missing in the cluster.
std::string strange_text(const yaml::Node& strange) {
  const std::string place = base::place_of(yaml::locate(strange));
  if (strange.is_list()) {
    return fmt::format(
        "--live: {}: this is an array, not a List: write {{\"kind\": \"List\", \"items\": […]}}, as kubectl "
        "get -o "
        "json does",
        place);
  }
  return fmt::format("--live: {}: this is {}, which is neither an object nor a List of objects", place,
                     k8s::kind_words(strange));
}

std::shared_ptr<cluster::LiveSet> read_saved(Console& console, const DiffFlags& flags) {
  inputs::DiscoverOptions options = flags.input.directories.options();
  options.git_ignores = false;  // saved objects are rarely committed
  auto loaded = got(console, load_sources(console, flags.live, options), "--live: ");
  if (!loaded) return nullptr;
  auto live = std::make_shared<cluster::LiveSet>();
  base::Diagnostics diagnostics;
  for (Source& source : loaded->sources) {
    const bool is_named = source.named;
    const cluster::LiveText text =
        cluster::read_live(std::move(source), *live, diagnostics, cluster::LiveNodes::Lists);
    if (!text.strange || !is_named) continue;
    fail(console, strange_text(*text.strange));
    return nullptr;
  }
  // Any line may be part of a saved Secret.
  base::Diagnostics shown;
  for (base::Diagnostic diagnostic : diagnostics.items()) {
    diagnostic.hide_source = true;
    shown.add(std::move(diagnostic));
  }
  print_diagnostics(console, shown, flags.colour.value(), false);
  return diagnostics.has_errors() ? nullptr : live;
}

cluster::Orphans orphans_of(Console& console, const DiffFlags& flags) {
  if (flags.orphans == "all") return cluster::Orphans::All;
  if (flags.orphans == "none") return cluster::Orphans::None;
  if (flags.orphans == "inputs" || !flags.input.jobs.empty()) return cluster::Orphans::OfInputs;
  // Someone who names single files rarely means everything in the namespace.
  const auto is_directory = [&](const std::string& path) { return console.files().is_directory(path); };
  const bool whole = std::ranges::any_of(flags.input.paths, is_directory) ||
                     std::ranges::any_of(flags.input.filenames, is_directory);
  return whole || !flags.live.empty() ? cluster::Orphans::All : cluster::Orphans::OfInputs;
}

// The inputs, and what they are compared with.
struct Sides {
  InputFlags input;
  InputFlags from;
  bool files = false;  // `from` names files, not objects of a cluster
};

bool names_two_directories(Console& console, const DiffFlags& flags) {
  const InputFlags& input = flags.input;
  const bool cluster = flags.kubectl.name_cluster() || flags.server_side;
  return input.paths.size() == 2 && input.filenames.empty() && flags.live.empty() && flags.from.empty() &&
         !cluster && std::ranges::all_of(input.paths, [&](const std::string& path) {
           return console.files().is_directory(path);
         });
}

// `OLD_DIR NEW_DIR` name both sides.
Sides sides_of(Console& console, const DiffFlags& flags) {
  Sides sides{flags.input, flags.input, false};
  sides.from.filenames.clear();
  if (!flags.from_runtimes.empty()) sides.from.runtimes = flags.from_runtimes;
  if (names_two_directories(console, flags)) {
    sides.files = true;
    sides.from.paths = {flags.input.paths.front()};
    sides.input.paths = {flags.input.paths.back()};
    note(console,
         fmt::format(
             "comparing the files of {} with those of {}; to compare both with a cluster, pass them with -f",
             flags.input.paths.front(), flags.input.paths.back()));
  } else if (!flags.from.empty()) {
    sides.files = true;
    sides.from.paths = flags.from;
  }
  return sides;
}

// Names the missing flag if an input without a namespace has the name of a saved object in one.
void note_namespace(Console& console, const objects::Report& report) {
  for (const objects::ObjectDiff& object : report.objects) {
    const auto is_it = [&](const objects::ObjectDiff& other) {
      return !other.is_wanted && other.kind == object.kind && other.name == object.name;
    };
    const auto there = std::ranges::find_if(report.objects, is_it);
    if (object.is_live || !object.ns.empty() || there == report.objects.end()) continue;
    note(console,
         fmt::format("{} \"{}\" has no namespace, the live one is in \"{}\": --namespace {} compares them",
                     object.kind, object.name, there->ns, there->ns));
    return;
  }
}

// Returns "" if the flags can be used together, else an error.
std::string check_flags(const DiffFlags& flags) {
  const bool cluster = flags.kubectl.name_cluster() || flags.server_side;
  if (!flags.live.empty() && !flags.from.empty()) return "--live and --from can't be used together";
  if (cluster && !flags.live.empty())
    return "--live needs no cluster: leave out --context, --kubeconfig, --server-side";
  if (cluster && !flags.from.empty())
    return "--from needs no cluster: leave out --context, --kubeconfig, --server-side";
  if (!flags.revisions.names.base.empty()) {
    if (cluster || !flags.live.empty() || !flags.from.empty() || !flags.from_version.empty())
      return "--base compares revisions of files: leave out --live, --from, --from-version, --context, "
             "--kubeconfig, --server-side";
    return "";
  }
  if (!flags.from_version.empty()) {
    if (cluster || !flags.live.empty() || !flags.from.empty()) {
      return "--from-version and --to-version compare the inputs with themselves: leave out --live, --from, "
             "--context, --kubeconfig, --server-side";
    }
    if (!flags.input.trainer_version.empty())
      return "--from-version and --to-version set the versions: leave out --trainer-version";
  }
  const auto reads = [](const std::vector<std::string>& paths) { return std::ranges::count(paths, "-"); };
  const bool default_stdin = flags.input.paths.empty() && flags.input.filenames.empty();
  if (reads(flags.input.paths) + reads(flags.input.filenames) + reads(flags.live) + reads(flags.from) +
          (default_stdin ? 1 : 0) >
      1) {
    return "standard input can be read only once";
  }
  return "";
}

bool page(Console& console, const std::string& text) {
  std::string pager = console.environment("PAGER");
  if (pager.empty() || pager == "less") pager = "less -FRX";
  if (pager == "cat") return false;
  base::ProcessRequest request;
  for (const std::string_view word : base::non_empty_parts(pager, " ")) request.argv.emplace_back(word);
  if (request.argv.empty()) return false;
  request.input = console.readable(text);
  request.streams = base::Streams::Terminal;
  const auto shown = console.processes().run(request);
  const auto* result = std::get_if<base::ProcessResult>(&shown);
  return result && result->status != 127;
}

std::string format(const objects::Report& report, const DiffFlags& flags, bool files, bool colour,
                   size_t width) {
  const diff::FormatOptions options{colour, flags.show_ignored, files, width};
  if (flags.format == "json") return diff::format_json(report, options);
  if (flags.format == "markdown") return diff::format_markdown(report, options);
  if (flags.format == "unified") return diff::format_unified(report, options);
  const bool by_change = files && report.new_version.empty();
  return by_change ? diff::format_reach(report, options) : diff::format_text(report, options);
}

// The exit status of the diff program, interpreted as kubectl does.
int run_external(Console& console, const objects::Report& report, const std::string& variable, bool files) {
  const base::Streams streams =
      console.stdout_is_terminal() ? base::Streams::Terminal : base::Streams::Capture;
  const auto result = got(
      console, diff::run_external(report, variable, diff::side_names(files), streams, console.processes()));
  if (!result) return kFailed;
  console.write_stderr(result->err);
  return print_text(console, result->out, result->status > kDifferent ? kFailed : result->status);
}

int print(Console& console, const objects::Report& report, const DiffFlags& flags, bool files) {
  for (const std::string& warning : report.warnings)
    console.write_stderr(fmt::format("warning: {}\n", warning));
  // A version may refuse what another one accepts, which is a difference; files that can't be deployed are an
  // error.
  const bool has_broken = report.new_version.empty() && report.count(objects::Verdict::NoLonger, false) > 0;
  const bool all_compared = report.count(objects::Verdict::Never, false) == 0 && !has_broken;
  const int status = !all_compared ? kFailed : report.differs() ? kDifferent : kOk;
  const std::string external = console.environment("KUBECTL_EXTERNAL_DIFF");
  const bool readable = flags.format.empty() || flags.format == "text" || flags.format == "unified";
  const bool is_external = has_external_diff(console, flags);
  if (is_external || flags.format == "unified") {
    print_acceptances(console, report, flags);
    // A patch can't contain these.
    for (const diff::Cost& cost : diff::costs_of(report)) note(console, "cost: " + diff::cost_text(cost));
  }
  if (is_external) {
    const int verdict = report.objects.empty() ? kOk : run_external(console, report, external, files);
    return std::max(verdict, status);
  }
  const bool terminal = console.stdout_is_terminal();
  const std::string text =
      format(report, flags, files, readable && use_colour(flags.colour.value(), console, terminal),
             console.stdout_width());
  if (terminal && readable && !text.empty() && page(console, text)) return status;
  return print_text(console, text, status);
}

// Compares with a cluster, or with objects saved from one.
int compare_live(Console& console, const DiffFlags& flags) {
  Rendered rendered;
  if (!compile(console, flags, rendered)) return kFailed;
  const Compilation& compiled = rendered.compiled();
  const bool is_rejected = rendered.inputs->rejected;
  cluster::CompareOptions options;
  options.schemas = &schema::version_or_newest(compiled.trainer_version);
  options.default_is_none = !flags.live.empty();
  options.orphans = orphans_of(console, flags);
  objects::InputFields fields;
  options.fields = &fields;
  options.manifests = manifests_for(console, flags);
  if (is_rejected) note_rejected(console, compiled, options);
  std::optional<objects::Report> report;
  if (flags.live.empty()) {
    report = compare_with_cluster(console, flags, rendered, options);
  } else if (const auto live = read_saved(console, flags)) {
    report = compare_remade(console, flags, compiled, *live, options);
    note_namespace(console, *report);
  }
  if (!report) return kFailed;
  const int status = print(console, *report, flags, false);
  return is_rejected ? kFailed : status;
}

}  // namespace

bool has_external_diff(const Console& console, const DiffFlags& flags) {
  return !console.environment("KUBECTL_EXTERNAL_DIFF").empty() &&
         (flags.format.empty() || flags.format == "unified");
}

objects::Manifests manifests_for(const Console& console, const DiffFlags& flags) {
  if (has_external_diff(console, flags)) return objects::Manifests::Texts;
  return flags.format == "unified" ? objects::Manifests::Hunks : objects::Manifests::None;
}

int run_diff(Console& console, const DiffFlags& flags) {
  if (const std::string wrong = check_flags(flags); !wrong.empty()) return fail(console, wrong);
  std::optional<objects::Report> report;
  if (!flags.from_version.empty()) {
    report = compare_versions(console, flags);
  } else if (!flags.revisions.names.base.empty()) {
    report = compare_revisions(console, flags);
  } else {
    const Sides sides = sides_of(console, flags);
    if (!sides.files) return compare_live(console, flags);
    report = compare_files(console, flags, sides.from, sides.input);
  }
  return report ? print(console, *report, flags, true) : kFailed;
}

std::function<int(Console&)> setup_diff(Command& command) {
  auto flags = std::make_shared<DiffFlags>();
  flags->input.add_to(command);
  flags->input.add_deployed_to(command, "Compare");
  command
      .add("--live", &flags->live,
           "Compare with objects saved from a cluster: file, directory, or - for standard input")
      .takes("PATH");
  command
      .add("--from", &flags->from,
           "Compare with what these files or directories render to; two directories as PATHs are OLD and NEW")
      .takes("PATH");
  command.add("--from-runtimes", &flags->from_runtimes, "Like --runtimes, for --from").takes("PATH");
  flags->revisions.add_to(command, "--base",
                          "Compare with the files of this Git revision, where HEAD, or --head, left it");
  command.add("--head", &flags->revisions.names.head, "Git revision to compare, instead of the working tree")
      .takes("REV")
      .needs("--base");
  add_version_flag(command, "--from-version", flags->from_version,
                   "Compare what this Trainer version renders with what --to-version renders", false)
      .needs("--to-version");
  add_version_flag(command, "--to-version", flags->to_version, "Trainer version to upgrade to", false)
      .needs("--from-version");
  command
      .add("-o,--format", &flags->format,
           "Output format (default: text, or what KUBECTL_EXTERNAL_DIFF shows)")
      .one_of({"text", "unified", "json", "markdown"});
  command.add("--show-ignored", &flags->show_ignored, "Also list fields that other managers own");
  command
      .add("--orphans", &flags->orphans,
           "Which live objects without an input to report: all, those of the inputs' TrainJobs, or "
           "none; auto is inputs when single files are compared with a cluster")
      .one_of({"auto", "all", "inputs", "none"})
      .shows_default();
  flags->kubectl.add_cluster_to(command);
  command.add("--server-side", &flags->server_side,
              "Compare with the result of a server-side dry run of kubectl apply");
  command.add("--field-manager", &flags->field_manager, "Field manager of the dry run")
      .takes("NAME")
      .shows_default();
  flags->kubectl.add_timeout_to(command, "one call of kubectl or git");
  flags->colour.add_to(command);
  command.details = {
      "Compares with kubectl's cluster, or with --live, --from or --base. Two directories as PATHs, "
      "without -f or one of those flags, are OLD_DIR and NEW_DIR: this shows what a change to files does "
      "to every job, without a cluster. --from-version and --to-version show what a Trainer upgrade does "
      "to every job.",
      "--base REV shows what a branch, or a change that is not committed yet, does to every job below the "
      "PATHs (default: the working directory). As with git diff REV...HEAD, what others have committed to "
      "REV since then is left out; --no-merge-base compares with REV itself. Untracked files count; the "
      "index does not matter. git runs no filters, hooks or other programs of the repository's "
      "configuration, and fetches nothing.",
      "A TrainJob or file with errors does not keep the others from being compared: the report lists it, "
      "and the exit status is 2."};
  command.variables.push_back(
      {"KUBECTL_EXTERNAL_DIFF", "Program that shows the differences, as for kubectl diff."});
  command.variables.push_back({"PAGER", "Pager of a long report on a terminal."});
  command.exit_statuses = {
      {0, "no difference"}, {1, "differences"}, {2, "usage, I/O, kubectl or git error, or a rejected input"}};
  command.examples = {
      "trainjobc diff jobs/", "kubectl get jobsets -A -o yaml | trainjobc diff jobs/ --live -",
      "trainjobc diff --base origin/main jobs/", "trainjobc diff --from-version 2.2 --to-version 2.3 jobs/"};
  return [flags](Console& console) { return run_diff(console, *flags); };
}

}  // namespace trainjobc::cli
