// SPDX-License-Identifier: Apache-2.0

// A job of the v1 API, read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/train_job.h"
#include "model/v1_kinds.h"
#include "features/migrate/v1/findings.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

// One entry of the replica specs.
struct Replica {
  std::string_view role;  // "Master"
  std::string field;      // spec.pytorchReplicaSpecs.Master
  const yaml::Node* node = nullptr;
  int64_t count = 1;
  const yaml::Node* count_node = nullptr;  // nullptr if it is the default
  std::string_view restart_policy;
  const yaml::Node* restart_node = nullptr;  // nullptr if it is the default
  const yaml::Node* pod_template = nullptr;
  size_t main = 0;  // the container that the operator sets up
};

struct Job {
  const model::V1Kind* kind = nullptr;
  const yaml::Node* root = nullptr;  // with known fields only
  model::ObjectId id;
  const yaml::Node* spec = nullptr;
  std::vector<Replica> replicas;  // in the order of the kind's roles, without those of no pod

  const Replica* replica(std::string_view role) const;
  int64_t pods() const;
  // A field of spec; nullptr if there is none.
  const yaml::Node* get(std::string_view field) const { return spec->get(field); }
  const yaml::Node* run_policy(std::string_view field) const { return spec->at({"runPolicy", field}); }
  bool is_mpi_v2() const { return kind->api_version == "kubeflow.org/v2beta1"; }
  // Of the container that the operator sets up: where the replica's pods listen.
  int64_t port(const Replica& replica) const;
};

// nullopt, with findings, for a job that the v1 operator does not accept.
std::optional<Job> read_job(const yaml::Node& root, const model::V1Kind& kind, V1Findings& findings);

}  // namespace trainjobc::migrate::v1
