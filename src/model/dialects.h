// SPDX-License-Identifier: Apache-2.0

// Dialects: the APIs of TrainJobs and runtimes before Trainer 2.0, and that of a fork. Each is a row of
// facts; translate() converts their documents to today's API.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "model/train_job.h"
#include "yaml/node.h"

namespace trainjobc::model {

struct Runtime;

struct Dialect {
  std::string_view api_version;  // "kubeflow.org/v2alpha1"
  std::string_view group;
  std::string_view manager;                         // the default of spec.managedBy
  std::span<const std::string_view> training_jobs;  // names of the training replicatedJob, likeliest first
  std::string_view trainer_container;               // its training container; "" if it may have any name
};

const Dialect* find_dialect(std::string_view api_version);

// A dialect's spec.mlPolicy.torch.elasticPolicy.
struct ElasticPolicy {
  const yaml::Node* node = nullptr;
  std::optional<LocatedInt> min_nodes;
  std::optional<LocatedInt> max_nodes;
  std::optional<LocatedInt> max_restarts;
};

// Settings of a dialect's runtime for which today's API has no field. The policies apply them.
struct DialectFields {
  std::optional<LocatedText> mpi_implementation;  // "Intel" or "MPICH"
  std::optional<ElasticPolicy> elastic;
  std::optional<LocatedInt> min_member;  // in Volcano's PodGroup

  bool empty() const { return !mpi_implementation && !elastic && !min_member; }
};

// Adds the fields to a decoded runtime.
void apply(const DialectFields& fields, Runtime& runtime);

struct Translation {
  const yaml::Node* root =
      nullptr;  // as trainer.kubeflow.org/v1alpha1; changed values derive from the old ones
  DialectFields fields;
  std::vector<base::Diagnostic> findings;  // the object isn't set
};

// Converts a dialect's TrainJob or runtime to today's API: its API group, the names of training jobs and
// containers, and fields that moved.
Translation translate(const yaml::Node& root, const Dialect& dialect, const yaml::Maker& make);

}  // namespace trainjobc::model
