// SPDX-License-Identifier: Apache-2.0

// What a document is, by its apiVersion and kind: an object of Trainer, one that was meant to be, or
// something else.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// Whether a kind is one of Trainer's: TrainJob, TrainingRuntime, ClusterTrainingRuntime.
bool is_trainer_kind(std::string_view kind);

// Why a document is neither a Kubernetes object nor meant for Trainer: it is Helm values, a workflow, a list.
// nullopt for all others.
std::optional<std::string> describe_other_document(const yaml::Node& root);

// A document that was meant for Trainer and lacks apiVersion or kind, or is a list of such objects. For
// documents without the reason above; nullopt for one that has a type.
std::optional<base::Diagnostic> check_type_is_there(const yaml::Node& root);

// A kind of Trainer in another API group or version, or another kind in Trainer's group. nullopt for all
// others. `pinned_version` of Trainer does not serve the older dialects; "" if these are read.
std::optional<base::Diagnostic> check_type_exists(const yaml::Node& root, std::string_view pinned_version);

// A job of Training Operator v1: PyTorchJob, MPIJob and their like. nullopt for all others.
std::optional<base::Diagnostic> find_training_operator_job(const yaml::Node& root);

// Whether it comes from find_training_operator_job: every command must say that the object was not read.
bool is_of_unread_job(const base::Diagnostic& diagnostic);

}  // namespace trainjobc::compile
