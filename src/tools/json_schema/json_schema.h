// SPDX-License-Identifier: Apache-2.0

// JSON Schema of the kinds, for editors and kubeconform.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"

namespace trainjobc::json_schema {

// Draft 7. Unknown fields are mistakes, and Trainer's own fields have descriptions.
std::string json_schema_of(const schema::VersionSchemas& version, const schema::KindSchema& kind);

// "v2.3/trainer.kubeflow.org/trainjob_v1alpha1.json": where kubeconform looks for it.
std::string file_of(const schema::VersionSchemas& version, const schema::KindSchema& kind);

// The kinds that have a schema, in alphabetical order.
std::vector<const schema::KindSchema*> kinds_of(const schema::VersionSchemas& version);

// What a field of Trainer is for, in one sentence; `path` is "TrainJob.spec.trainer.numNodes", the kind of
// both runtimes TrainingRuntime, and lists are stepped over. "" for other fields.
std::string_view description_of(std::string_view path);

}  // namespace trainjobc::json_schema
