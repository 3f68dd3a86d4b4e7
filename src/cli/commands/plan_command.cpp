// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "compile/kept_jobs.h"
#include "features/plan/plan.h"
#include "features/plan/quota/capacity.h"
#include "features/plan/quota/quota.h"

namespace trainjobc::cli {
namespace {

struct PlanFlags {
  InputFlags input;
  ColourFlag colour;
  std::vector<std::string> quota;
  std::string kueue_version;
  bool cluster = false;
  KubectlFlags kubectl;
  bool ranks = false;
  std::string format = "text";
};

bool uses_cluster(const PlanFlags& flags) {
  return flags.cluster || flags.kubectl.name_cluster();
}

// Is read before the jobs are compiled, and reported after their findings.
struct QuotaAnswer {
  std::optional<plan::Quota> quota;
  base::Diagnostics diagnostics;
  std::string warnings;
  std::string failure;  // why nothing could be read
};

// `seen` is the version in the cluster.
plan::KueueBehaviour kueue_of(const PlanFlags& flags, const std::optional<plan::KueueBehaviour>& seen = {}) {
  if (const auto given = plan::read_kueue_version(flags.kueue_version)) return *given;
  return seen.value_or(plan::newest_kueue());
}

// Kueue's objects are recognized by their kind.
QuotaAnswer quota_of_files(Console& console, const PlanFlags& flags) {
  QuotaAnswer answer;
  auto loaded = load_sources(console, flags.quota, flags.input.directories.options());
  if (const auto* error = std::get_if<base::IoError>(&loaded)) {
    answer.failure = fmt::format("--quota: {}", error->message);
  } else {
    answer.quota = plan::read_quota(std::move(std::get<inputs::FoundSources>(loaded).sources),
                                    answer.diagnostics, kueue_of(flags));
  }
  return answer;
}

QuotaAnswer quota_of_cluster(Console& console, const PlanFlags& flags) {
  QuotaAnswer answer;
  const kubectl::Kubectl kubectl(console.processes(),
                                 flags.kubectl.settings(program_timeout(console, flags.input)));
  plan::FetchedQuota fetched = plan::fetch_quota(kubectl);
  answer.warnings = std::move(fetched.warnings);
  if (fetched.failure.cause != kubectl::Cause::None) {
    answer.failure = kubectl::describe(fetched.failure);
  } else {
    answer.quota =
        plan::read_quota(std::move(fetched.objects), answer.diagnostics, kueue_of(flags, fetched.kueue));
  }
  return answer;
}

// False, after an error, if there is no quota.
bool report(Console& console, const PlanFlags& flags, const QuotaAnswer& answer) {
  console.write_stderr(answer.warnings);
  if (!answer.quota) {
    fail(console, answer.failure);
    return false;
  }
  print_diagnostics(console, answer.diagnostics, flags.colour.value(), false);
  if (answer.diagnostics.has_errors()) return false;
  if (!uses_cluster(flags) && answer.quota->cluster_queues.empty() && answer.quota->local_queues.empty()) {
    fail(console, "--quota: the files contain no ClusterQueue and no LocalQueue");
    return false;
  }
  return true;
}

std::string print(const plan::Plan& planned, const PlanFlags& flags, bool quota, size_t width) {
  const plan::PlanFormat format{flags.ranks, quota, width};
  if (flags.format == "json") return plan::format_json(planned, format);
  if (flags.format == "markdown") return plan::format_markdown(planned, format);
  return plan::format_text(planned, format);
}

int run_plan(Console& console, const PlanFlags& flags) {
  const bool inputs_are_stdin = flags.input.paths.empty() && flags.input.filenames.empty();
  if (base::contains(flags.quota, "-") && (inputs_are_stdin || base::contains(flags.input.paths, "-")))
    return fail(console, "standard input can be read only once");
  Options options = to_options(flags.input);
  options.with_defaults = true;
  options.policy.ssh_key = unshown_key();
  const bool wants_quota = uses_cluster(flags) || !flags.quota.empty();
  QuotaAnswer answer;
  if (wants_quota)
    answer = uses_cluster(flags) ? quota_of_cluster(console, flags) : quota_of_files(console, flags);
  std::optional<plan::Capacity> capacity;
  if (answer.quota) capacity.emplace(*answer.quota);
  const plan::PlanOptions how{flags.ranks, capacity ? &*capacity : nullptr};
  KeptJobs<plan::JobPlan> jobs([&](std::span<const Object> objects) { return plan::plan_job(objects, how); });
  const auto compiled =
      compile_inputs(console, flags.input, flags.colour, options, {.sink_of = jobs.sinks()});
  if (!compiled || (wants_quota && !report(console, flags, answer))) return kFailed;
  std::vector<plan::JobPlan> plans = jobs.take(compiled->all);
  if (capacity) plan::plan_together(*capacity, plans);
  const plan::Plan planned = plan::add_totals(std::move(plans));
  const bool never = std::ranges::any_of(planned.jobs, [](const plan::JobPlan& job) {
    return job.admission && job.admission->verdict == plan::Verdict::Never;
  });
  return print_text(console, print(planned, flags, wants_quota, console.stdout_width()),
                    never ? kRejected : compiled->status());
}

}  // namespace

std::function<int(Console&)> setup_plan(Command& command) {
  auto flags = std::make_shared<PlanFlags>();
  flags->input.add_to(command);
  flags->input.add_deployed_to(command, "Plan");
  flags->input.found_roots = inputs::FoundRoots::Built;
  command.add("--ranks", &flags->ranks,
              "List what each process sees: ranks, host, command and environment, and MPI's hostfile");
  command
      .add("--quota", &flags->quota,
           "Say whether Kueue could ever admit each job with the ClusterQueues, LocalQueues, "
           "ResourceFlavors and Cohorts of this file or directory, and which of the jobs at the same time")
      .takes("PATH");
  command
      .add("--cluster", &flags->cluster, "Like --quota, with the objects of the cluster, read with kubectl")
      .excludes("--quota");
  command
      .add("--kueue-version", &flags->kueue_version,
           fmt::format(
               "Kueue version that decides: {}, or one of their patches [the cluster's, or the newest]",
               base::word_list(plan::kueue_versions())))
      .takes("VERSION")
      .reads(
          [](const std::string& text) {
            return plan::read_kueue_version(text) ? std::optional(text) : std::nullopt;
          },
          fmt::format("one of {}, or a patch such as 0.17.3", base::word_list(plan::kueue_versions())));
  flags->kubectl.add_cluster_to(command, "; implies --cluster", "--quota");
  flags->kubectl.add_timeout_to(command);
  command.add("-o,--format", &flags->format, "Output format")
      .one_of({"text", "json", "markdown"})
      .shows_default();
  flags->colour.add_to(command);
  command.details = {
      "Counts all pods of a job, initializers and launchers too, as Kueue does; a limit without a request "
      "counts as one. PROCESSES is the world size, and ? if it depends on the machines. HOSTS are the pods' "
      "names in the cluster's DNS, as a shell expands them.",
      "A job can be admitted if it fits while nothing else runs: with the ClusterQueue's own quota and what "
      "its cohorts can lend it, in flavors whose node labels and taints suit its pods. LimitRanges, "
      "RuntimeClasses and resources that Kueue's configuration transforms or excludes are not read. "
      "The labels of Namespaces among the files count.",
      "Jobs are tried as Kueue's scheduler tries them, without fair sharing: as they come by "
      "metadata.creationTimestamp, those without one together at the end; among those that wait, one of each "
      "ClusterQueue at a time, by the value of their WorkloadPriorityClass or PriorityClass, then by age, "
      "then "
      "in the order of their names. None of them ends. Jobs that stay pending don't change the exit status."};
  command.exit_statuses = {{0, "planned"},
                           {1, "an input was rejected or a job can never be admitted"},
                           {2, "usage, I/O or kubectl error"}};
  command.examples = {"trainjobc plan jobs/", "trainjobc plan jobs/ --job ml-research/t5-deepspeed --ranks",
                      "trainjobc plan jobs/ --cluster -o markdown"};
  return [flags](Console& console) { return run_plan(console, *flags); };
}

}  // namespace trainjobc::cli
