// Dialects: what TrainJobs and runtimes looked like before Trainer 2.0, and in a fork. One row of facts each;
// translate() turns their documents into today's.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "model/located.h"
#include "yaml/node.h"

namespace trainjobc::model {

struct Runtime;

struct Dialect {
  std::string_view api_version;  // "kubeflow.org/v2alpha1"
  std::string_view group;
  std::string_view manager;                         // what spec.managedBy says by default
  std::span<const std::string_view> training_jobs;  // names of the replicatedJob that trains, likeliest first
  std::string_view trainer_container;               // its container; "" if any name will do
};

const Dialect* find_dialect(std::string_view api_version);
// The dialect of an API group in a runtimeRef; nullptr for today's.
const Dialect* find_dialect_of_group(std::string_view group);

// spec.mlPolicy.torch.elasticPolicy of a dialect.
struct ElasticPolicy {
  const yaml::Node* node = nullptr;
  std::optional<LocatedInt> min_nodes;
  std::optional<LocatedInt> max_nodes;
  std::optional<LocatedInt> max_restarts;
};

// What a dialect's runtime says and today's API has no field for. The policies expand it.
struct DialectFields {
  std::optional<LocatedText> mpi_implementation;  // "Intel" or "MPICH"
  std::optional<ElasticPolicy> elastic;
  std::optional<LocatedInt> min_member;  // of Volcano's PodGroup

  bool empty() const { return !mpi_implementation && !elastic && !min_member; }
};

// Adds the fields to a decoded runtime.
void apply(const DialectFields& fields, Runtime& runtime);

struct Translation {
  const yaml::Node* root = nullptr;  // as trainer.kubeflow.org/v1alpha1; what changed is derived from the old
  DialectFields fields;
  std::vector<base::Diagnostic> findings;  // without object
};

// A TrainJob or runtime of the dialect as today's: API group, names of what trains, fields that moved.
Translation translate(const yaml::Node& root, const Dialect& dialect, const yaml::Maker& make);

}  // namespace trainjobc::model
