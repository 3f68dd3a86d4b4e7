// SPDX-License-Identifier: Apache-2.0

#include "cli/commands/submit/submit_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "cli/commands.h"
#include "cli/commands/submit/submit_report.h"
#include "cli/commands/submit/submit_wait.h"
#include "cli/exit_status.h"
#include "cli/ssh/key_guard.h"
#include "cli/ssh/ssh_key_notes.h"
#include "compile/compile.h"
#include "features/cluster/compare.h"
#include "features/diff/format.h"
#include "features/submit/lookup.h"
#include "schema/schema.h"
#include "secret/secret.h"

namespace trainjobc::cli {
namespace {

using submit::DryRun;
using submit::Plan;
using submit::title_of;

DryRun dry_run_of(const SubmitFlags& flags) {
  if (flags.dry_run == "client") return DryRun::Client;
  return flags.dry_run == "server" ? DryRun::Server : DryRun::None;
}

struct Compiled {
  Compilation sent;
  Compilation compared;  // the same, as the cluster would store it
};

// As lint and render do. An exit status, after a message, if there is nothing to send.
std::variant<Compiled, int> compile(Console& console, const SubmitFlags& flags, policy::SshKeyOptions key) {
  Options options = to_options(flags.input);
  options.policy.ssh_key = std::move(key);
  auto loaded = load_inputs(console, flags.input);
  if (!loaded) return kFailed;
  Compiled compiled;
  lint::GroupedCompilation grouped = lint::compile_groups(loaded->groups, options);
  base::Diagnostics shown = lint::apply_configs(grouped.governed, false);
  compiled.sent = std::move(grouped.all);
  const Compilation& sent = compiled.sent;
  if (!check_inputs(console, flags.input, *loaded, sent)) return kFailed;
  const bool refused = sent.diagnostics.has_refusals();
  const bool rejected = refused || shown.has_errors();
  if (refused && !shown.has_errors()) shown = sent.diagnostics;
  print_diagnostics(console, shown, flags.colour.value(), false);
  note_trainer_version(console, sent);
  note_other_managers(console, sent);
  if (rejected) {
    fail(console, "nothing was sent");
    return kRejected;
  }
  if (sent.train_jobs == 0) {
    note_no_job(console);
    return kOk;
  }
  SshKeys keys;
  for (const Object& object : sent.objects) keys.add(object);
  keys.note_omitted(console, options.policy.ssh_key);
  options.with_defaults = true;
  options.policy.ssh_key.source = policy::SshKeySource::Omit;
  compiled.compared = lint::compile_groups(std::move(loaded->groups), options).all;
  return compiled;
}

cluster::Report compare(const Compiled& compiled, std::shared_ptr<const cluster::LiveSet> live) {
  Compilation without_secrets = compiled.compared;
  std::erase_if(without_secrets.objects, [](const Object& object) { return object.kind == "Secret"; });
  const schema::VersionSchemas* chosen = schema::find_version(compiled.compared.trainer_version);
  cluster::CompareOptions options;
  options.schemas = chosen ? chosen : &schema::all_versions().back();
  options.default_is_none = false;
  options.orphans = cluster::Orphans::None;
  return cluster::compare_objects(without_secrets, std::move(live), options);
}

// Reports objects that are being deleted, which would take an update with them; whether there are any.
bool is_in_the_way(Console& console, const Plan& plan) {
  bool found = false;
  for (const submit::Item& item : plan.items) {
    if (!item.live || item.step == submit::Step::Replace) continue;
    if (!item.live->root->at({"metadata", "deletionTimestamp"})) continue;
    fail(console, fmt::format("nothing was sent: {} is being deleted; submit again after it is gone",
                              title_of(*item.object)));
    found = true;
  }
  return found;
}

// kubectl's message may quote the objects that it got.
void report_failure(Console& console, const submit::Sending& sending, const secret::SecretTexts& secrets) {
  for (const kubectl::Failure& failure : sending.failures)
    fail(console, secrets.hide(kubectl::describe(failure)));
  console.write_stderr(partial_text(sending));
}

int send(Console& console, const SubmitFlags& flags, const Plan& plan, const kubectl::Kubectl& kubectl,
         const SubmitSystem& system, const secret::SecretTexts& secrets) {
  const DryRun dry_run = dry_run_of(flags);
  bool written = true;
  const auto done = [&](const submit::Outcome& outcome) {
    written = console.write_stdout(outcome_line(outcome, dry_run)) && written;
  };
  const submit::Sending sending = submit::send(plan, kubectl, {dry_run, flags.force_conflicts}, done);
  console.write_stderr(secrets.hide(sending.notes));
  written = console.write_stdout(summary_line(sending, dry_run)) && written;
  if (!sending.complete()) {
    report_failure(console, sending, secrets);
    return kFailed;
  }
  if (!written) return fail(console, "can't write the output");
  return flags.wait ? wait_for_end(console, flags, sending, system) : kOk;
}

}  // namespace

int run_submit(Console& outer, SubmitFlags flags, const SubmitSystem& system) {
  policy::SshKeyOptions key;
  if (!flags.ssh_key.read(outer, key)) return kFailed;
  GuardedConsole console(outer, flags.ssh_key);
  if (flags.wait && !flags.dry_run.empty())
    return fail(console, "--wait and --dry-run can't be used together");
  const auto result = compile(console, flags, std::move(key));
  if (const int* status = std::get_if<int>(&result)) return *status;
  const auto& compiled = std::get<Compiled>(result);
  const kubectl::Kubectl kubectl(
      system.runner, {"kubectl", flags.context, flags.kubeconfig, std::chrono::seconds(flags.timeout)});
  auto cluster = std::make_shared<submit::Cluster>();
  const cluster::Answer answer = submit::look_up(kubectl, compiled.sent.objects, *cluster);
  console.write_stderr(answer.warnings);
  if (!answer.ok()) return fail(console, kubectl::describe(answer.failure) + "\nnothing was sent");
  console.write_stderr(train_job_warnings(cluster->live));
  const cluster::Report report = compare(compiled, {cluster, &cluster->live});
  for (const std::string& warning : report.warnings)
    console.write_stderr(fmt::format("warning: {}\n", warning));
  const Plan plan = submit::make_plan(compiled.sent.objects,
                                      {report, cluster->live, cluster->secrets, flags.force_conflicts});
  if (is_in_the_way(console, plan)) return kRejected;
  if (!flags.replace && !submit::refused_part(report).objects.empty()) {
    console.write_stderr(
        refusal_text(plan, report, use_colour(flags.colour.value(), console, console.stderr_is_terminal())));
    return kRejected;
  }
  console.write_stderr(losses_text(plan, report));
  note_left_out(console, plan);
  note_unused_queues(console, plan);
  return send(console, flags, plan, kubectl, system, secret::secrets_of(compiled.sent.objects));
}

std::function<int(Console&)> setup_submit(Command& command) {
  auto flags = std::make_shared<SubmitFlags>();
  flags->input.add_to(command);
  command.add("--context", &flags->context, "kubeconfig context to use").takes("NAME");
  command.add("--kubeconfig", &flags->kubeconfig, "kubeconfig file to use").takes("FILE");
  command
      .add("--dry-run", &flags->dry_run,
           "Change nothing; client: only compare with the cluster, server: also send a server-side dry run")
      .one_of({"client", "server"});
  command.add("--force-conflicts", &flags->force_conflicts, "Take over fields that other managers own");
  command.add("--replace", &flags->replace,
              "Delete and recreate objects that can't be updated, and list what is lost");
  command.add("--wait", &flags->wait,
              "Follow the JobSets until they complete or fail, and report what blocks them");
  command
      .add("--cancel-on-interrupt", &flags->cancel_on_interrupt,
           "Delete unfinished JobSets when Ctrl-C or SIGTERM ends the wait")
      .needs("--wait");
  add_timeout(command, flags->timeout, "Time limit for the wait, and for each kubectl call");
  flags->ssh_key.add_to(command);
  flags->colour.add_to(command);
  command.details = {
      "Lints and renders the inputs, stops at an error, then runs kubectl apply --server-side "
      "--field-manager=trainjobc. Existing Secrets are kept. --wait polls the JobSets, their pods and "
      "events; Ctrl-C stops waiting and leaves the jobs running."};
  command.exit_statuses = {{0, "all objects applied"},
                           {1, "an input was rejected or a JobSet failed"},
                           {2, "usage, I/O or kubectl"}};
  command.examples = {"trainjobc submit --dry-run=server jobs/",
                      "trainjobc submit jobs/ml-research/bert-pretrain.yaml --wait --timeout 2h",
                      "trainjobc submit jobs/ --context staging --namespace research"};
  return [flags](Console& console) {
    base::RealProcessRunner runner;
    base::RealClock clock;
    return run_submit(console, *flags, {runner, clock});
  };
}

}  // namespace trainjobc::cli
