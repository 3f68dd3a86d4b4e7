// SPDX-License-Identifier: Apache-2.0

// Reads and checks a job of Training Operator v1 or of the MPI Operator: the fields that its API has, and the
// replicas of its kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "model/train_job.h"
#include "model/v1_kinds.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

// The kind of a job that can be converted, in any version of its API; nullptr for all other objects.
const model::V1Kind* convertible_kind(const yaml::Node& object);
// Whether some version of the operators has the object's kind.
bool is_v1(const yaml::Node& object);
// Whether a target or field in a kustomization names such a kind, by `kind` and possibly `group`.
bool names_v1(const yaml::Node& target);

class V1Findings {
 public:
  // The job can't be converted: Trainer has no equivalent.
  void lose(std::string field, std::string message, std::string hint, const yaml::Node* where);
  // The job is converted, but this part of it has another meaning afterwards.
  void change(std::string field, std::string message, std::string hint, const yaml::Node* where);
  // The v1 API ignores this field.
  void ignore(base::Diagnostic diagnostic);

  // Any other finding.
  void take(base::Diagnostic diagnostic) { items_.push_back(std::move(diagnostic)); }

  bool refused() const { return refused_; }
  const std::vector<base::Diagnostic>& items() const { return items_; }

 private:
  void add(std::string_view rule, std::string field, std::string message, std::string hint,
           const yaml::Node* where);

  std::vector<base::Diagnostic> items_;
  bool refused_ = false;
};

// One entry of the replica specs.
struct Replica {
  std::string_view role;  // "Master"
  std::string field;      // spec.pytorchReplicaSpecs.Master
  const yaml::Node* node = nullptr;
  int64_t count = 1;
  const yaml::Node* count_node = nullptr;  // nullptr if the count is the default
  std::string_view restart_policy;
  const yaml::Node* restart_node = nullptr;  // nullptr if the policy is the default
  const yaml::Node* pod_template = nullptr;
  size_t main = 0;  // index of the container that the operator sets up
};

struct Job {
  const model::V1Kind* kind = nullptr;
  const yaml::Node* root = nullptr;  // with known fields only
  model::ObjectId id;
  const yaml::Node* spec = nullptr;
  std::vector<Replica> replicas;  // in the order of the kind's roles; without those that have no pods

  const Replica* replica(std::string_view role) const;
  int64_t pods() const;
  // A field of spec; nullptr if there is none.
  const yaml::Node* get(std::string_view field) const { return spec->get(field); }
  const yaml::Node* run_policy(std::string_view field) const { return spec->at({"runPolicy", field}); }
  bool is_mpi_v2() const { return kind->api_version == "kubeflow.org/v2beta1"; }
  // The port of the container that the operator sets up, on which the replica's pods listen.
  int64_t port(const Replica& replica) const;
};

// Returns nullopt, with findings, for a job that the v1 operator does not accept.
std::optional<Job> read_job(const yaml::Node& root, const model::V1Kind& kind, V1Findings& findings);

// The job without unknown fields, which an API server drops, and without nulls and its status. Each unknown
// field is a finding. `pod_template` is the schema of a PodTemplateSpec.
const yaml::Node* with_known_fields(const yaml::Node& root, const model::V1Kind& kind,
                                    const schema::Schema& pod_template, const yaml::Maker& make,
                                    V1Findings& findings);

// Converts a job of an older API version to the form of kubeflow.org/v1. What v1 can't express becomes a
// finding. (features/migrate/v1/older_versions.cpp)
const yaml::Node* in_form_of_v1(const yaml::Node& root, const model::V1Kind& kind, const yaml::Maker& make,
                                V1Findings& findings);

}  // namespace trainjobc::migrate::v1
