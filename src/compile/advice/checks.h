// SPDX-License-Identifier: Apache-2.0

// The functions in the registry of advice; each checks for one kind of problem.
#pragma once

#include "compile/advice/advice.h"
#include "compile/advice/advisor.h"

namespace trainjobc::compile::advice {

// What advice on a runtime is based on.
struct RuntimeContext {
  const model::Runtime& runtime;
  const policy::RuntimeInfo& info;  // as for a TrainJob that sets nothing
  bool has_jobs = false;
};

// framework_label.cpp
void check_framework_label(const RuntimeContext& context, Advisor& advisor);
void check_kueue_label(const RuntimeContext& context, Advisor& advisor);

// containers/images.cpp
void check_runtime_images(const RuntimeContext& context, Advisor& advisor);
void check_job_image(const AdviceContext& context, Advisor& advisor);

// containers/container_commands.cpp
void check_job_command(const AdviceContext& context, Advisor& advisor);
void check_runtime_commands(const RuntimeContext& context, Advisor& advisor);

// containers/launcher.cpp
void check_runtime_launcher(const RuntimeContext& context, Advisor& advisor);
void check_job_launcher(const AdviceContext& context, Advisor& advisor);
void check_mpi_images(const AdviceContext& context, Advisor& advisor);

// containers/devices.cpp, sizes.cpp
void check_runtime_devices(const RuntimeContext& context, Advisor& advisor);
void check_job_devices(const AdviceContext& context, Advisor& advisor);
void check_runtime_sizes(const RuntimeContext& context, Advisor& advisor);
void check_job_sizes(const AdviceContext& context, Advisor& advisor);

// containers/processes.cpp
void check_runtime_processes(const RuntimeContext& context, Advisor& advisor);
void check_job_processes(const AdviceContext& context, Advisor& advisor);

// containers/tune.cpp, containers/jax_initialize.cpp
void check_tune_command(const AdviceContext& context, Advisor& advisor);
void check_jax_initialize(const AdviceContext& context, Advisor& advisor);

// containers/gpus.cpp
void check_gpu_limits(const RuntimeContext& context, Advisor& advisor);
void check_hidden_gpus(const AdviceContext& context, Advisor& advisor);

// nodes.cpp
void check_mpi_jobs(const RuntimeContext& context, Advisor& advisor);
void check_launcher_count(const RuntimeContext& context, Advisor& advisor);
void check_second_trainer(const RuntimeContext& context, Advisor& advisor);
void check_pod_counts(const RuntimeContext& context, Advisor& advisor);
void check_num_nodes(const AdviceContext& context, Advisor& advisor);
void check_zero_nodes(const AdviceContext& context, Advisor& advisor);

// trainer.cpp
void check_trainer_section(const AdviceContext& context, Advisor& advisor);
void check_trainer_effect(const AdviceContext& context, Advisor& advisor);
void check_initializer_effect(const AdviceContext& context, Advisor& advisor);

// network.cpp
void check_addresses(const RuntimeContext& context, Advisor& advisor);
void check_ports(const RuntimeContext& context, Advisor& advisor);

// containers/env_vars.cpp
void check_overridden_env(const AdviceContext& context, Advisor& advisor);
void check_env_sources(const AdviceContext& context, Advisor& advisor);
void check_generated_env(const AdviceContext& context, Advisor& advisor);
void check_runtime_generated_env(const RuntimeContext& context, Advisor& advisor);
void check_flux_settings(const AdviceContext& context, Advisor& advisor);

// secrets/secrets.cpp
void check_job_secrets(const AdviceContext& context, Advisor& advisor);
void check_runtime_secrets(const RuntimeContext& context, Advisor& advisor);

// ssh_key.cpp
void check_ssh_key(const RuntimeContext& context, Advisor& advisor);

// restarts.cpp
void check_failure_policy(const RuntimeContext& context, Advisor& advisor);
void check_job_retries(const RuntimeContext& context, Advisor& advisor);
void check_gang_retries(const AdviceContext& context, Advisor& advisor);

// never_starts.cpp
void check_runtime_starts(const RuntimeContext& context, Advisor& advisor);
void check_job_starts(const AdviceContext& context, Advisor& advisor);
void check_job_deadline(const AdviceContext& context, Advisor& advisor);

// limits.cpp
void check_runtime_size(const RuntimeContext& context, Advisor& advisor);
void check_job_size(const AdviceContext& context, Advisor& advisor);

// retained_claims.cpp
void check_retained_claims(const RuntimeContext& context, Advisor& advisor);
void check_suspended_claims(const AdviceContext& context, Advisor& advisor);

// queues.cpp
void check_priority_classes(const RuntimeContext& context, Advisor& advisor);
void check_runtime_queue(const RuntimeContext& context, Advisor& advisor);
void check_job_queue(const AdviceContext& context, Advisor& advisor);
void check_suspended(const AdviceContext& context, Advisor& advisor);

// patch_targets.cpp, patch_values.cpp
void check_patch_targets(const AdviceContext& context, Advisor& advisor);
void check_overridden_patches(const AdviceContext& context, Advisor& advisor);
void check_idle_patches(const AdviceContext& context, Advisor& advisor);

}  // namespace trainjobc::compile::advice
