// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/signals.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "compile/compile.h"
#include "compile/kept_jobs.h"
#include "features/cluster/compare.h"
#include "features/cluster/outlines.h"
#include "features/diff/format.h"
#include "features/kubectl/kubectl.h"
#include "features/objects/difference_text.h"
#include "features/objects/differences.h"
#include "features/submit/send.h"
#include "features/submit/wait.h"
#include "lint/lint.h"
#include "lint/report/document.h"
#include "model/train_job.h"
#include "model/trainer_names.h"
#include "schema/schema.h"
#include "secret/secret.h"

namespace trainjobc::cli {
namespace {

using submit::Action;
using submit::Batch;
using submit::DryRun;
using submit::End;
using submit::Item;
using submit::Outcome;
using submit::Result;
using submit::title_of;

std::string_view word_of(Result result) {
  switch (result) {
    case Result::Created: return "created";
    case Result::Changed: return "changed";
    case Result::Unchanged: return "unchanged";
    case Result::Kept: return "kept: already exists";
    case Result::Replaced: return "replaced";
    case Result::Applied: return "applied";
    case Result::Failed:
    case Result::NotSent: break;
  }
  return "not applied";
}

std::string_view dry_run_suffix(submit::DryRun dry_run) {
  return dry_run == submit::DryRun::None ? "" : " (dry run)";
}

const yaml::Node* label_of(const yaml::Node& object, std::string_view label) {
  return object.at({"metadata", "labels", label});
}

bool is_in_place(const Outcome& outcome) {
  return outcome.result != Result::Failed && outcome.result != Result::NotSent;
}

std::string list_of(const submit::Sending& sending, bool in_place) {
  std::string text;
  for (const Outcome& outcome : sending.outcomes) {
    if (is_in_place(outcome) != in_place || outcome.result == Result::Kept) continue;
    text += fmt::format("  {}{}\n", title_of(*outcome.item->object),
                        outcome.deleted && !in_place ? " (deleted by --replace)" : "");
  }
  return text;
}

std::string losses(const submit::Batch& batch, const objects::Report& report) {
  std::string text;
  for (const Item& item : batch.items) {
    if (item.action == Action::Replace) text += loss_of(item, report);
  }
  return text;
}

// Warns about each live TrainJob: its controller owns the JobSet of the same name.
std::string train_job_warnings(const cluster::LiveSet& live) {
  std::string text;
  for (const cluster::LiveObject& job : live.objects) {
    if (job.kind != model::kTrainJob) continue;
    const std::string in = job.ns.empty() ? "" : fmt::format(" -n {}", job.ns);
    text += fmt::format(
        "warning: TrainJob {}{}{} exists in the cluster: the Trainer controller owns the JobSet of that name "
        "and may revert what is submitted; apply the TrainJob instead, or delete it first (kubectl delete "
        "trainjob {}{} also deletes its JobSet)\n",
        job.ns, job.ns.empty() ? "" : "/", job.name, job.name, in);
  }
  return text;
}

constexpr std::string_view kHasTrainer =
    "warning: the cluster has Kubeflow Trainer: what is submitted are JobSets of their own, which it does "
    "not "
    "manage; --as trainjob applies the TrainJobs instead\n";

// The updates that would be refused, and what deleting the objects would lose.
std::string refusal_text(const submit::Batch& batch, const objects::Report& report, bool colour) {
  const objects::Report refused = submit::refused_part(report);
  std::string text = diff::format_objects(refused, {.colour = colour}) +
                     fmt::format("trainjobc: nothing was sent: the cluster would refuse to update {}",
                                 base::counted(refused.objects.size(), "object"));
  const std::string lost = losses(batch, report);
  if (lost.empty()) return text + "\n";
  return fmt::format("{}; --replace deletes and recreates {}, which loses:\n{}", text,
                     refused.objects.size() == 1 ? "it" : "them", lost);
}

// Lists what --replace is about to delete.
std::string losses_text(const submit::Batch& batch, const objects::Report& report) {
  const std::string lost = losses(batch, report);
  return lost.empty()
             ? ""
             : fmt::format("warning: --replace deletes and recreates objects; this is lost:\n{}", lost);
}

// Notes which fields are left to other controllers.
void note_left_out(Console& console, const submit::Batch& batch) {
  std::map<std::pair<std::string, std::string>, std::vector<const Item*>> fields;
  for (const Item& item : batch.items) {
    for (const submit::LeftOut& left : item.left_out) fields[{left.field, left.manager}].push_back(&item);
  }
  for (const auto& [field, items] : fields) {
    note(console, fmt::format("{}, owned by {}, is left unchanged in {}", field.first, field.second,
                              items.size() == 1 ? title_of(*items.front()->object)
                                                : base::counted(items.size(), "object")));
  }
}

// Notes which TrainJobs name a Kueue queue that their JobSets don't name.
void note_unused_queues(Console& console, const submit::Batch& batch) {
  constexpr std::string_view kLabel = model::kKueueLabel;
  for (const Item& item : batch.items) {
    if (item.object->kind != "JobSet" || !item.object->train_job) continue;
    const yaml::Node* queue = label_of(*item.object->train_job, kLabel);
    if (!queue || queue->text().empty() || label_of(*item.object->root, kLabel)) continue;
    note(console,
         fmt::format(
             "{} is not queued: its TrainJob names the Kueue queue \"{}\", but the labels of a TrainJob "
             "don't reach its JobSet; set {} in spec.template.metadata.labels of the runtime",
             title_of(*item.object), queue->text(), kLabel));
  }
}

// "JobSet team-a/llama created (dry run)"
std::string outcome_line(const Outcome& outcome, submit::DryRun dry_run) {
  return fmt::format("{} {}{}\n", title_of(*outcome.item->object), word_of(outcome.result),
                     dry_run_suffix(dry_run));
}

// "3 jobs: 1 created, 2 unchanged (dry run)"
std::string summary_line(const submit::Sending& sending, submit::DryRun dry_run) {
  size_t jobs = 0;
  std::array<std::pair<std::string_view, size_t>, 6> counts{{{"created", 0},
                                                             {"changed", 0},
                                                             {"unchanged", 0},
                                                             {"replaced", 0},
                                                             {"applied", 0},
                                                             {"not applied", 0}}};
  for (const Outcome& outcome : sending.outcomes) {
    if (!submit::is_job(*outcome.item->object)) continue;
    ++jobs;
    for (auto& [word, count] : counts) {
      if (word == word_of(outcome.result)) ++count;
    }
  }
  std::string text = base::counted(jobs, "job");
  std::string_view mark = ": ";
  for (const auto& [word, count] : counts) {
    if (count == 0) continue;
    text += fmt::format("{}{} {}", mark, count, word);
    mark = ", ";
  }
  return fmt::format("{}{}\n", text, dry_run_suffix(dry_run));
}

// After a failure, lists which objects are in place and which are not.
std::string partial_text(const submit::Sending& sending) {
  const std::string applied = list_of(sending, true);
  // The cluster may have stored what kubectl sent last.
  const bool is_cut = std::ranges::any_of(sending.failures, [](const kubectl::Failure& failure) {
    return failure.cause == kubectl::Cause::NoAnswer || failure.cause == kubectl::Cause::Interrupted;
  });
  return fmt::format("{}not applied{}:\n{}", applied.empty() ? "" : "applied:\n" + applied,
                     is_cut ? ", as far as kubectl said" : "", list_of(sending, false));
}

// A request that takes longer is repeated.
constexpr std::chrono::seconds kLongestQuestion{60};

std::string end_line(const submit::News& news) {
  const std::string title = title_of(*news.job_set);
  if (*news.end == End::Completed) return title + " completed\n";
  if (*news.end == End::Deleted) return title + " was deleted before its result was seen\n";
  return fmt::format("{} failed{}{}\n", title, news.text.empty() ? "" : ": ", news.text);
}

std::string list_of(const std::vector<const Object*>& job_sets) {
  std::string text;
  for (const Object* job_set : job_sets) text += fmt::format("  {}\n", title_of(*job_set));
  return text;
}

class Wait {
 public:
  Wait(Console& console, const SubmitFlags& flags, base::Clock& clock)
      : console_(console),
        flags_(flags),
        clock_(clock),
        progress_(console),
        kubectl_(console.processes(), {"kubectl", flags.kubectl.context, flags.kubectl.kubeconfig,
                                       program_timeout(console, flags.input, kLongestQuestion)}) {}

  int run(const std::vector<const Object*>& job_sets) {
    submit::Listener listener;
    listener.news = [&](const submit::News& news) { tell(news); };
    listener.note = [&](const std::string& note) { say(fmt::format("note: {}\n", note)); };
    listener.progress = [&](const std::vector<std::string>& lines) { progress_.show(lines); };
    int status = kOk;
    submit::wait_for(
        job_sets, kubectl_,
        {.timeout = std::chrono::seconds(flags_.kubectl.timeout), .are_awaited = are_train_jobs()}, clock_,
        listener, [&](const submit::WaitResult& result) { status = end(result, job_sets.size()); });
    return status;
  }

 private:
  void say(const std::string& text) {
    progress_.clear();
    console_.write_stderr(text);
  }

  void tell(const submit::News& news) {
    if (!news.end) {
      // The progress lines show how far it got.
      if (!news.is_progress || !progress_.is_shown()) say(news.text + "\n");
      return;
    }
    progress_.clear();
    is_written_ = console_.write_stdout(end_line(news)) && is_written_;
  }

  int end(const submit::WaitResult& result, size_t count) {
    progress_.clear();
    if (result.signal != 0) return interrupted(result);
    if (!is_written_) return fail(console_, "can't write the output");
    if (result.pending.empty()) return result.unsuccessful > 0 ? kRejected : kOk;
    if (result.failure.cause != kubectl::Cause::None) return fail(console_, describe(result.failure));
    return fail(console_, fmt::format("{} of {} JobSets had not finished after {} s; they continue to run",
                                      result.pending.size(), count, flags_.kubectl.timeout));
  }

  int interrupted(const submit::WaitResult& result) {
    const bool cancels = result.signal == SIGINT || result.signal == SIGTERM;
    if (flags_.cancel_on_interrupt && cancels) {
      cancel(result.pending);
    } else if (!result.pending.empty()) {
      fail(console_,
           fmt::format("interrupted; {} to run (stop a job with kubectl delete {}):\n{}",
                       result.pending.size() == 1 ? "this JobSet continues" : "these JobSets continue",
                       are_train_jobs() ? "trainjob" : "jobset", without_break(list_of(result.pending))));
    }
    return 128 + result.signal;
  }

  static std::string without_break(std::string text) {
    text.pop_back();
    return text;
  }

  // Trainer would create the JobSet of a TrainJob again.
  bool are_train_jobs() const { return flags_.as == "trainjob"; }

  void cancel(const std::vector<const Object*>& job_sets) {
    std::map<std::string, std::vector<const Object*>> namespaces;
    for (const Object* job_set : job_sets) namespaces[std::string(job_set->ns)].push_back(job_set);
    for (const auto& [ns, of_namespace] : namespaces) {
      kubectl::Call call;
      call.ns = ns;
      const std::string_view kind = are_train_jobs() ? model::kTrainJob : "JobSet";
      call.words = {"delete", std::string(kubectl::resource_of("", kind)), "--ignore-not-found",
                    "--wait=false"};
      std::string list;
      for (const Object* job_set : of_namespace) {
        call.names.emplace_back(job_set->name);
        Object named = *job_set;
        named.kind = kind;
        list += fmt::format("  {}\n", title_of(named));
      }
      const kubectl::Reply reply = kubectl_.run(call);
      fail(console_, reply.ok()
                         ? fmt::format("interrupted; deleted:\n{}", without_break(list))
                         : fmt::format("interrupted; not deleted:\n{}{}", list, describe(reply.failure)));
    }
  }

  Console& console_;
  const SubmitFlags& flags_;
  base::Clock& clock_;
  ProgressBlock progress_;
  bool is_written_ = true;
  kubectl::Kubectl kubectl_;
};

// Waits for the JobSets that were sent, or that the controller creates from the TrainJobs that were. Returns
// the exit status of submit.
int wait_for_end(Console& console, const SubmitFlags& flags, std::span<const Object> sent,
                 base::Clock& clock) {
  std::vector<const Object*> job_sets;
  for (const Object& object : sent) {
    if (object.kind == "JobSet") job_sets.push_back(&object);
  }
  return Wait(console, flags, clock).run(job_sets);
}

DryRun dry_run_of(const SubmitFlags& flags) {
  if (flags.dry_run == "client") return DryRun::Client;
  return flags.dry_run == "server" ? DryRun::Server : DryRun::None;
}

struct Compiled {
  Compilation sent;
  cluster::Outlines outlines;
  std::vector<Object> objects;  // those of `sent`; their outlines, unless TrainJobs are sent
  // What the same objects are made of, as the cluster would store them.
  std::vector<inputs::InputGroup> groups;
  Options options;
};

// Compiles as lint and render do. Returns an exit status, after a message, if there is nothing to send. The
// objects of TrainJobs are made again when they are compared and sent.
std::optional<int> compile(Console& console, const SubmitFlags& flags, policy::SshKeyOptions key,
                           Compiled& compiled) {
  Options options = to_options(flags.input);
  options.trials = TrialOutput::None;
  options.policy.ssh_key = std::move(key);
  const auto shown = [](inputs::GroupedCompilation& grouped) {
    return lint::apply_configs(grouped.governed, false);
  };
  CompileStyle style{.is_governed = true, .shown = shown, .keeps_inputs = true};
  if (flags.as != "trainjob") style.sink_of = compiled.outlines.sinks();
  auto inputs = compile_inputs(console, flags.input, flags.colour, options, style);
  if (!inputs) return kFailed;
  note_other_managers(console, inputs->all);
  if (inputs->rejected) {
    fail(console, "nothing was sent");
    return kRejected;
  }
  compiled.sent = std::move(inputs->all);
  const Compilation& sent = compiled.sent;
  if (sent.train_jobs == 0) return kOk;
  if (const std::string shared = shared_name(sent); !shared.empty())
    return fail(console,
                shared + ", and a cluster has one of them: name the folder of one scope\nnothing was sent");
  compiled.objects = style.sink_of ? compiled.outlines.take(sent) : sent.objects;
  SshKeys keys;
  for (const Object& object : compiled.objects) keys.add(object);
  keys.note_omitted(console, options.policy.ssh_key);
  options.with_defaults = true;
  options.policy.ssh_key.source = policy::SshKeySource::Omit;
  compiled.options = std::move(options);
  compiled.groups = std::move(inputs->loaded.groups);
  return std::nullopt;
}

// Can be called only once. Objects that the cluster lacks are left out if it has none of the inputs'.
objects::Report compare(Console& console, const SubmitFlags& flags, Compiled& compiled,
                        const cluster::LiveSet& live) {
  if (live.objects.empty()) return {};
  const base::Work work(console.progress(), "comparing TrainJobs", compiled.sent.collected.size());
  KeptJobs<char> nothing([](std::span<const Object>) { return '\0'; });
  const Compilation compared =
      inputs::compile_groups_into_sinks(std::move(compiled.groups), compiled.options, nothing.sinks()).all;
  cluster::CompareOptions options;
  options.schemas = &schema::version_or_newest(compared.trainer_version);
  options.default_is_none = false;
  options.orphans = cluster::Orphans::None;
  objects::InputFields fields;
  options.fields = &fields;
  return cluster::compare_remade(compared, live, options,
                                 {.with_secrets = false, .threads = flags.input.threads, .work = &work});
}

// Reports objects that are being deleted, as an update would be lost with them. Returns whether there are
// any.
bool is_in_the_way(Console& console, const Batch& batch) {
  bool found = false;
  for (const submit::Item& item : batch.items) {
    if (!item.live || item.action == submit::Action::Replace) continue;
    if (!item.live->root->at({"metadata", "deletionTimestamp"})) continue;
    fail(console, fmt::format("nothing was sent: {} is being deleted; submit again after it is gone",
                              title_of(*item.object)));
    found = true;
  }
  return found;
}

// kubectl's message may quote the objects that it was sent.
void report_failure(Console& console, const submit::Sending& sending, const secret::SecretTexts& secrets) {
  for (const kubectl::Failure& failure : sending.failures)
    fail(console, secrets.hide(kubectl::describe(failure)));
  console.write_stderr(partial_text(sending));
}

// Sends the batch and reports the outcome. A signal in the meantime ends kubectl at once, and this process
// after the report. nullopt if everything is in place, else an exit status.
std::optional<int> send_and_report(Console& console, const SubmitFlags& flags, const Batch& batch,
                                   const kubectl::Kubectl& kubectl, const secret::SecretTexts& secrets,
                                   submit::Sending& sending) {
  const base::HeldSignals held;
  const DryRun dry_run = dry_run_of(flags);
  bool written = true;
  const auto done = [&](const submit::Outcome& outcome) {
    written = console.write_stdout(outcome_line(outcome, dry_run)) && written;
  };
  sending = submit::send(batch, kubectl, {dry_run, flags.force_conflicts}, done);
  console.write_stderr(secrets.hide(sending.notes));
  written = console.write_stdout(summary_line(sending, dry_run)) && written;
  if (!sending.complete()) {
    report_failure(console, sending, secrets);
    return kFailed;
  }
  if (!written) return fail(console, "can't write the output");
  return std::nullopt;
}

// `rendered` contains the JobSets that --wait follows, and the objects that they mount.
int send(Console& console, const SubmitFlags& flags, const Batch& batch, const kubectl::Kubectl& kubectl,
         base::Clock& clock, std::span<const Object> rendered, const secret::SecretTexts& secrets) {
  submit::Sending sending;
  if (const auto status = send_and_report(console, flags, batch, kubectl, secrets, sending)) return *status;
  return flags.wait ? wait_for_end(console, flags, rendered, clock) : kOk;
}

// Returns the runtimes of the inputs that TrainJobs refer to, then the TrainJobs as their files have them.
std::vector<Object> train_jobs_of(const Compilation& compiled) {
  std::vector<Object> jobs;
  std::set<std::string> used;
  for (const Object& object : compiled.objects) {
    if (object.kind != "JobSet" || !object.train_job) continue;
    used.insert(model::runtime_of(*object.train_job, object.ns).str());
    jobs.push_back(described(object.written ? *object.written : *object.train_job));
    jobs.back().kind = model::kTrainJob;
    jobs.back().ns = object.ns;
    jobs.back().name = object.name;
  }
  std::vector<Object> all;
  for (const LintedObject& linted : compiled.linted) {
    if (linted.root && used.contains(linted.object)) all.push_back(described(*linted.root));
  }
  base::append(all, jobs);
  return all;
}

}  // namespace

int run_submit(Console& outer, SubmitFlags flags, base::Clock& clock) {
  policy::SshKeyOptions key;
  if (!flags.ssh_key.read(outer, key)) return kFailed;
  GuardedConsole console(outer, flags.ssh_key);
  if (flags.wait && !flags.dry_run.empty())
    return fail(console, "--wait and --dry-run can't be used together");
  if (flags.replace && flags.as == "trainjob")
    return fail(
        console,
        "--replace is for JobSets: a TrainJob that can't be updated has to be deleted (kubectl delete "
        "trainjob NAME)");
  Compiled compiled;
  if (const auto status = compile(console, flags, std::move(key), compiled)) return *status;
  const std::chrono::seconds longest_call =
      program_timeout(console, flags.input, std::chrono::seconds(kCallTimeout));
  const kubectl::Kubectl kubectl(console.processes(), flags.kubectl.settings(longest_call));
  if (flags.as == "trainjob") {
    const std::vector<Object> train_jobs = train_jobs_of(compiled.sent);
    return send(console, flags, submit::batch_of_train_jobs(train_jobs), kubectl, clock, compiled.objects,
                secret::secrets_of(compiled.objects));
  }
  submit::Cluster cluster;
  const cluster::Answer answer = submit::look_up(kubectl, compiled.objects, cluster);
  console.write_stderr(answer.warnings);
  if (!answer.ok()) return fail(console, kubectl::describe(answer.failure) + "\nnothing was sent");
  const std::string of_jobs = train_job_warnings(cluster.live);
  console.write_stderr(of_jobs.empty() && cluster.has_trainer ? std::string(kHasTrainer) : of_jobs);
  const objects::Report report = compare(console, flags, compiled, cluster.live);
  for (const std::string& warning : report.warnings)
    console.write_stderr(fmt::format("warning: {}\n", warning));
  const Batch batch = submit::make_batch({compiled.objects, compiled.sent, flags.input.threads},
                                         {report, cluster.live, cluster.secrets, flags.force_conflicts});
  if (is_in_the_way(console, batch)) return kRejected;
  if (!flags.replace && !submit::refused_part(report).objects.empty()) {
    console.write_stderr(
        refusal_text(batch, report, use_colour(flags.colour.value(), console, console.stderr_is_terminal())));
    return kRejected;
  }
  console.write_stderr(losses_text(batch, report));
  note_left_out(console, batch);
  note_unused_queues(console, batch);
  return send(console, flags, batch, kubectl, clock, compiled.objects, batch.secrets);
}

std::function<int(Console&)> setup_submit(Command& command) {
  auto flags = std::make_shared<SubmitFlags>();
  flags->input.add_to(command);
  flags->kubectl.add_cluster_to(command);
  command
      .add("--dry-run", &flags->dry_run,
           "Change nothing; client: only compare with the cluster, server: also send a server-side dry run")
      .one_of({"client", "server"});
  command
      .add("--as", &flags->as,
           "What is applied: JobSets, for clusters without Trainer, or the TrainJobs with their runtimes, "
           "for Trainer")
      .one_of({"jobset", "trainjob"})
      .shows_default();
  command.add("--force-conflicts", &flags->force_conflicts, "Take over fields that other managers own");
  command.add("--replace", &flags->replace,
              "Delete and recreate objects that can't be updated, and list what is lost");
  command.add("--wait", &flags->wait,
              "Follow the JobSets until they complete or fail, and report what blocks them");
  command
      .add("--cancel-on-interrupt", &flags->cancel_on_interrupt,
           "Delete unfinished JobSets, or with --as trainjob TrainJobs, when Ctrl-C or SIGTERM ends the wait")
      .needs("--wait");
  flags->kubectl.add_timeout_to(command, "the wait; each kubectl call has 10m at most");
  flags->ssh_key.add_to(command);
  flags->colour.add_to(command);
  command.details = {
      "Applies JobSets, not TrainJobs, for clusters without Trainer, which would not manage them; with --as "
      "trainjob, the TrainJobs as they are written, and the runtimes of the inputs that they use. Lints and "
      "renders the inputs, stops at an error, then runs kubectl apply --server-side "
      "--field-manager=trainjobc. Existing Secrets are kept. --wait polls the JobSets, their pods and "
      "events; Ctrl-C stops waiting and leaves the jobs running."};
  command.exit_statuses = {{0, "all objects applied"},
                           {1, "an input was rejected or a JobSet failed"},
                           {2, "usage, I/O or kubectl error"}};
  command.examples = {"trainjobc submit --dry-run=server jobs/",
                      "trainjobc submit jobs/ml-research/bert-pretrain.yaml --wait --timeout 2h",
                      "trainjobc submit jobs/ --context staging --namespace research"};
  return [flags](Console& console) {
    base::RealClock clock;
    return run_submit(console, *flags, clock);
  };
}

}  // namespace trainjobc::cli
