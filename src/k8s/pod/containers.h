// SPDX-License-Identifier: Apache-2.0

// Containers of all kinds, and their parts. `container` is one of spec.containers, initContainers or
// ephemeralContainers.
#pragma once

#include "k8s/field.h"
#include "k8s/pod/pod.h"
#include "k8s/violations.h"

namespace trainjobc::k8s::pod {

// spec.containers, spec.initContainers and spec.ephemeralContainers.
void check_containers(const Field& spec, const PodFacts& facts, Report& report);

// What containers of every kind share.
void check_container(const Field& container, const PodFacts& facts, Report& report);

void check_env(const Field& container, Report& report);
// Volumes that files of environment variables are read from must be emptyDirs.
void check_env_files(const Field& spec, const PodFacts& facts, Report& report);
void check_ports(const Field& ports, Report& report);
void check_resize_policy(const Field& policies, const PodFacts& facts, Report& report);
// restartPolicy and restartPolicyRules.
void check_container_restart(const Field& container, Report& report);
// volumeMounts and volumeDevices.
void check_mounts(const Field& container, const PodFacts& facts, Report& report);
// lifecycle and the three probes, of containers that may have them.
void check_hooks(const Field& container, const PodFacts& facts, Report& report);
// Whether the API server sees a lifecycle: it drops stopSignal, and a lifecycle of nothing else with it.
bool has_lifecycle(const Field& container);

// fieldRef and resourceFieldRef, of environment variables and of files in downwardAPI volumes.
void check_field_ref(const Field& reference, bool in_volume, Report& report);
void check_resource_field_ref(const Field& reference, bool in_volume, Report& report);

}  // namespace trainjobc::k8s::pod
