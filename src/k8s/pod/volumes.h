// SPDX-License-Identifier: Apache-2.0

// The sources of volumes. Each function checks one source that is given; `source` has the path that the API
// server names it by.
#pragma once

#include "k8s/field.h"
#include "k8s/violations.h"

namespace trainjobc::k8s::pod {

// Files that the API server fills in.
void check_secret_volume(const Field& source, Report& report);
void check_config_map_volume(const Field& source, Report& report);
void check_downward_volume(const Field& source, Report& report);
void check_projected_volume(const Field& source, Report& report);

// spec of a PersistentVolumeClaim.
void check_claim_spec(const Field& spec, Report& report);

// A claim created for the pod.
void check_ephemeral_volume(const Field& source, Report& report);
void check_csi_volume(const Field& source, Report& report);

// Directories and disks.
void check_empty_dir(const Field& source, Report& report);
void check_host_path(const Field& source, Report& report);
void check_git_repo(const Field& source, Report& report);
void check_nfs(const Field& source, Report& report);
void check_image_volume(const Field& source, Report& report);
void check_partitioned_disk(const Field& source, Report& report);
void check_cinder(const Field& source, Report& report);
void check_azure_disk(const Field& source, Report& report);
void check_iscsi(const Field& source, Report& report);
void check_fc(const Field& source, Report& report);
void check_flocker(const Field& source, Report& report);
void check_quobyte(const Field& source, Report& report);
void check_flex_volume(const Field& source, Report& report);
void check_storage_os(const Field& source, Report& report);

}  // namespace trainjobc::k8s::pod
