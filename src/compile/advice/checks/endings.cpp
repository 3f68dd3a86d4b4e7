// SPDX-License-Identifier: Apache-2.0

// MPI jobs that never end, because nothing stops sshd, or never begin, because nodes run none; jobs that
// start again when a TTL has deleted their JobSet.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "launch/words.h"
#include "model/trainer_names.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::endings {
namespace {

using launch::base_name;
using launch::CommandLine;
using launch::programs_of;
using launch::Words;
using launch::words_of;
using policy::Container;
using policy::PodSet;
using yaml::Node;

CommandLine line_of(const Container& container) {
  return {container.node->get("command"), container.node->get("args")};
}

// Whether one of the flags has that letter: D of -D, -De and -eD, not of -oDenyUsers=root.
bool has_flag(const Words& program, char letter) {
  constexpr std::string_view kWithValue = "bCcEfghkopu";  // of sshd
  return std::any_of(program.begin() + 1, program.end(), [&](const std::string& word) {
    const size_t at = word.find(letter);
    return word.starts_with('-') && at != std::string::npos && at <= word.find_first_of(kWithValue);
  });
}

// sshd in the foreground, or what keeps a container alive for the one in the background.
bool runs_until_stopped(const Words& program) {
  const std::string_view name = base_name(program.front());
  if (name == "sshd") return has_flag(program, 'D');
  if (name == "sleep") return program.size() == 2 && (program[1] == "infinity" || program[1] == "inf");
  return name == "tail" && has_flag(program, 'f') && program.back() == "/dev/null";
}

// The program of a set that runs until it is stopped: "sshd"; "" if there is none.
std::string waiting_program(const PodSet& set) {
  for (const Container& container : set.containers) {
    const std::vector<Words> programs = programs_of(words_of(line_of(container)));
    const auto at = std::ranges::find_if(programs, runs_until_stopped);
    if (at != programs.end()) return std::string(base_name(at->front()));
  }
  return "";
}

// Whether the JobSet completes only after this replicatedJob has: JobSet's default is all of them.
bool waits_for(const Node& job_set_spec, std::string_view name) {
  const Node* policy = job_set_spec.get("successPolicy");
  if (!policy) return true;
  const auto targets = items_at(*policy, "targetReplicatedJobs");
  const bool is_target = targets.empty() || base::contains(targets, name, &yaml::Node::text);
  return is_target && text_at(*policy, "operator") != "Any";
}

void check_success(const RuntimeContext& context, Advisor& advisor) {
  const policy::RuntimeInfo& info = context.info;
  if (!info.is_mpi() || info.pod_sets.size() < 2 || !info.job_set_spec) return;
  for (size_t i = 0; i < info.pod_sets.size(); ++i) {
    const PodSet& set = info.pod_sets[i];
    const std::string program = waiting_program(set);
    if (program.empty() || set.name == model::kLauncher || !waits_for(*info.job_set_spec, set.name)) continue;
    const bool has_policy = info.job_set_spec->get("successPolicy") != nullptr;
    base::Diagnostic& found = advisor.warn(
        "advice/never-ends", "spec.template.spec.successPolicy",
        fmt::format(
            "jobs never end: \"{}\" runs {}, which does not exit, and {}", set.name, program,
            has_policy ? "the successPolicy waits for it" : "without successPolicy the JobSet waits for it"),
        has_policy ? locate_key_of(info.job_set_spec, "successPolicy")
                   : yaml::locate(*set.replicated_job->get("name")));
    if (!info.pod_set_by_name(model::kLauncher)) continue;
    found.hint = fmt::format("{}successPolicy: {{operator: All, targetReplicatedJobs: [{}]}}",
                             has_policy ? "write " : "add ", model::kLauncher);
    if (has_policy) continue;
    base::suggest_fix(
        found,
        yaml::insert_into(
            *info.job_set_spec,
            {fmt::format("successPolicy: {{operator: All, targetReplicatedJobs: [{}]}}", model::kLauncher),
             fmt::format(R"("successPolicy": {{"operator": "All", "targetReplicatedJobs": ["{}"]}})",
                         model::kLauncher)}));
  }
}

// Programs that start no others, or those of their own node only.
bool starts_no_server(const Words& program) {
  constexpr std::array<std::string_view, 11> kNames{"sleep",   "tail",      "torchrun",  "mpirun",
                                                    "mpiexec", "deepspeed", "echo",      "nvidia-smi",
                                                    "cat",     "hostname",  "horovodrun"};
  const std::string_view name = base_name(program.front());
  return base::contains(kNames, name) || name.starts_with("python") || launch::is_harmless(name);
}

// The launcher reaches the nodes by ssh.
void check_servers(const RuntimeContext& context, Advisor& advisor) {
  const PodSet* node = context.info.is_mpi() && context.info.pod_set_by_name(model::kLauncher)
                           ? context.info.pod_set_by_name(model::kNode)
                           : nullptr;
  const Container* container = node ? find_container(*node, model::kNode) : nullptr;
  if (!container || node->containers.size() > 1) return;
  const CommandLine line = line_of(*container);
  const auto words = words_of(line);
  const auto is_server = [](std::string_view word) { return word.find("ssh") != std::string_view::npos; };
  const auto programs = line.command ? programs_of(words) : std::vector<Words>();
  if (programs.empty()) return;
  const bool is_in_background = base_name(words.front()) == "sshd" && !has_flag(programs.front(), 'D') &&
                                !has_flag(programs.front(), 'd');
  const bool is_other =
      std::ranges::none_of(words, is_server) && std::ranges::all_of(programs, starts_no_server);
  if (!is_in_background && !is_other) return;
  const size_t index = static_cast<size_t>(node - context.info.pod_sets.data());
  advisor.warn(
      "advice/mpi-sshd",
      fmt::format("{}.template.spec.template.spec.containers[0].command", replicated_job_field(index)),
      fmt::format("the launcher can't start processes in \"{}\": {}", model::kNode,
                  is_other ? fmt::format("it runs {}, and no sshd", base_name(programs.front().front()))
                           : "without -D, sshd goes to the background, and the container ends"),
      locate_key_of(container->node, "command"),
      is_other ? "write command: [/usr/sbin/sshd, -De], with the configuration that the image needs"
               : "add -D");
}

// Trainer removes the Failed condition before it looks for the JobSet, and creates the JobSet again if it is
// missing. Source of the rule: pkg/controller/trainjob_controller.go of Trainer 2.1 to 2.3.0.
void check_ttl(const RuntimeContext& context, Advisor& advisor) {
  const model::Behaviours& behaviours = *context.info.behaviours;
  const base::Location where = locate_key_of(context.info.job_set_spec, "ttlSecondsAfterFinished");
  if (!where.file || !behaviours.repeats_failed_jobs) return;
  advisor.warn(
      "advice/ttl-restart", "spec.template.spec.ttlSecondsAfterFinished",
      fmt::format("a job that {} runs again each time the TTL has deleted its JobSet: Trainer {} creates the "
                  "JobSet anew",
                  behaviours.repeats_completed_jobs ? "has ended" : "failed", behaviours.trainer),
      where, "remove it, and delete TrainJobs that have ended: their JobSets go with them");
}

}  // namespace

Checks checks() {
  return {.job = {}, .runtime = {check_success, check_servers, check_ttl}};
}

}  // namespace trainjobc::compile::advice::endings
