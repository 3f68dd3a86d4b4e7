// SPDX-License-Identifier: Apache-2.0

// The kinds of Training Operator v1 and of the MPI Operator, which came before Trainer 2.0. One row of facts
// each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace trainjobc::model {

struct V1Kind {
  std::string_view kind;           // "PyTorchJob"
  std::string_view api_version;    // "kubeflow.org/v1"
  std::string_view replica_specs;  // "pytorchReplicaSpecs"
  std::span<const std::string_view>
      roles;  // roles of the replicas, in the order in which their pods are ranked
  std::span<const std::string_view> fields;  // fields of spec, besides the replica specs and runPolicy
  std::string_view container;                // the container that the operator sets up; "" for the first one
  std::string_view port_name;                // the port of that container where the pods meet; "" for none
  int64_t port = 0;
  std::string_view restart_policy;  // the default of a replica's restartPolicy
};

// Finds a kind by apiVersion and kind; nullptr for all others.
const V1Kind* find_v1_kind(std::string_view api_version, std::string_view kind);
// Finds the kind of an older version of its API (v1alpha1 to v1beta2), whose fields are elsewhere; nullptr
// for all others.
const V1Kind* find_older_v1_kind(std::string_view api_version, std::string_view kind);
// Whether some version of the operators has the kind.
bool is_v1_kind(std::string_view group, std::string_view kind);
bool is_v1_kind_of(std::string_view api_version, std::string_view kind);

}  // namespace trainjobc::model
