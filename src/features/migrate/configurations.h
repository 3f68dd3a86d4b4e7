// SPDX-License-Identifier: Apache-2.0

// What users tell kustomize of v1 kinds, in the files under `configurations`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "features/kustomize/kustomization.h"

namespace trainjobc::migrate {

// By absolute path.
using FilesByPath = std::map<std::string, const base::SourceFile*>;

// A field of jobs that `replicas` of the kustomization sets.
struct ReplicasField {
  std::string kind;
  std::string path;  // spec.pytorchReplicaSpecs.Worker.replicas
};

struct Configuration {
  bool names_jobs = false;
  std::vector<ReplicasField> replicas;
  // What the file that tells kustomize of TrainJobs does not say of them.
  base::Diagnostics lost;
};

// Those of the kustomization; files that are not among `files` are left out.
Configuration read_configurations(const kustomize::Kustomization& kustomization, const FilesByPath& files);

}  // namespace trainjobc::migrate
