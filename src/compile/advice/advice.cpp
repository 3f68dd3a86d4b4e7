// SPDX-License-Identifier: Apache-2.0

// The list of advice checks, and the functions that run them.
#include "compile/advice/advice.h"

#include <array>

#include "compile/advice/checks.h"

namespace trainjobc::compile {
namespace {

using namespace advice;

using JobRule = void (*)(const AdviceContext&, Advisor&);
using RuntimeRule = void (*)(const RuntimeContext&, Advisor&);

constexpr std::array kJobRules = std::to_array<JobRule>({
    check_job_image,          check_job_command,    check_job_launcher,       check_mpi_images,
    check_job_devices,        check_job_sizes,      check_job_processes,      check_hidden_gpus,
    check_num_nodes,          check_zero_nodes,     check_trainer_section,    check_trainer_effect,
    check_initializer_effect, check_overridden_env, check_env_sources,        check_generated_env,
    check_flux_settings,      check_job_secrets,    check_gang_retries,       check_job_starts,
    check_job_size,           check_job_deadline,   check_suspended_claims,   check_job_queue,
    check_suspended,          check_patch_targets,  check_overridden_patches, check_idle_patches,
    check_tune_command,       check_jax_initialize,
});

constexpr std::array kRuntimeRules = std::to_array<RuntimeRule>({
    check_framework_label,  check_kueue_label,     check_runtime_images,  check_runtime_commands,
    check_runtime_launcher, check_runtime_devices, check_runtime_sizes,   check_runtime_processes,
    check_gpu_limits,       check_mpi_jobs,        check_launcher_count,  check_second_trainer,
    check_pod_counts,       check_addresses,       check_ports,           check_runtime_generated_env,
    check_runtime_secrets,  check_ssh_key,         check_failure_policy,  check_job_retries,
    check_runtime_starts,   check_runtime_size,    check_retained_claims, check_priority_classes,
    check_runtime_queue,
});

}  // namespace

k8s::Violations advise_job(const AdviceContext& context) {
  Advisor advisor;
  for (const JobRule rule : kJobRules) rule(context, advisor);
  return advisor.take();
}

k8s::Violations advise_runtime(const model::Runtime& runtime, const model::Behaviours& behaviours,
                               bool has_jobs) {
  const model::TrainJob job;
  const policy::RuntimeInfo info = policy::make_runtime_info(job, runtime, runtime.job_set_spec, behaviours);
  Advisor advisor;
  for (const RuntimeRule rule : kRuntimeRules) rule({runtime, info, has_jobs}, advisor);
  return advisor.take();
}

}  // namespace trainjobc::compile
