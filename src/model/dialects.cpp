// SPDX-License-Identifier: Apache-2.0

#include "model/dialects.h"

#include <algorithm>
#include <array>

#include "model/runtime.h"

namespace trainjobc::model {
namespace {

constexpr std::array<std::string_view, 3> kTrainerNodes{"trainer-node", "node", "trainer"};
constexpr std::array<std::string_view, 3> kWorkers{"worker", "node", "trainer"};

// Source of the facts: the API types of kubeflow/training-operator before its group became
// trainer.kubeflow.org/v1alpha1, and the documentation of OME.
constexpr std::array kDialects = std::to_array<Dialect>({
    {"kubeflow.org/v2alpha1", "kubeflow.org", "kubeflow.org/trainjob-controller", kTrainerNodes, "trainer"},
    {"trainer.kubeflow.org/v2alpha1", "trainer.kubeflow.org", "kubeflow.org/trainjob-controller",
     kTrainerNodes, "trainer"},
    {"ome.io/v1beta1", "ome.io", "", kWorkers, ""},
});

}  // namespace

const Dialect* find_dialect(std::string_view api_version) {
  const auto found = std::ranges::find(kDialects, api_version, &Dialect::api_version);
  return found != kDialects.end() ? &*found : nullptr;
}

const Dialect* find_dialect_of_group(std::string_view group) {
  const auto found = std::ranges::find(kDialects, group, &Dialect::group);
  return found != kDialects.end() ? &*found : nullptr;
}

void apply(const DialectFields& fields, Runtime& runtime) {
  if (runtime.ml_policy && runtime.ml_policy->mpi && fields.mpi_implementation)
    runtime.ml_policy->mpi->implementation = fields.mpi_implementation;
  if (runtime.ml_policy && runtime.ml_policy->torch && fields.elastic) {
    runtime.ml_policy->torch->elastic = fields.elastic;
    if (!runtime.ml_policy->num_nodes) runtime.ml_policy->num_nodes = fields.elastic->max_nodes;
  }
  if (runtime.pod_group_policy && fields.min_member) runtime.pod_group_policy->min_member = fields.min_member;
}

}  // namespace trainjobc::model
