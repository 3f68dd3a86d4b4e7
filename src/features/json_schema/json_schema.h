// SPDX-License-Identifier: Apache-2.0

// JSON Schema of the kinds, for editors and kubeconform.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"

namespace trainjobc::json_schema {

// Draft 7. Unknown fields are mistakes; definitions have their types' names.
std::string json_schema_of(const schema::VersionSchemas& version, const schema::KindSchema& kind);

// "v2.3/trainer.kubeflow.org/trainjob_v1alpha1.json": where kubeconform looks for it.
std::string file_of(const schema::VersionSchemas& version, const schema::KindSchema& kind);

// The kinds that have a schema, in alphabetical order.
std::vector<const schema::KindSchema*> kinds_of(const schema::VersionSchemas& version);

// "string"; "" for any value, and for an integer or string.
std::string_view type_name(schema::Type type);

// The kind that describes the fields of a kind: both runtimes share one type.
std::string_view described_kind(std::string_view kind);

}  // namespace trainjobc::json_schema
