// SPDX-License-Identifier: Apache-2.0

// JSON Schema of the kinds, for editors and kubeconform.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"

namespace trainjobc::json_schema {

// Returns a schema of Draft 7. Unknown fields are mistakes; definitions have the names of their types.
std::string json_schema_of(const schema::VersionSchemas& version, const schema::KindSchema& kind);

// The path at which kubeconform looks for it: "v2.3/trainer.kubeflow.org/trainjob_v1alpha1.json".
std::string file_of(const schema::VersionSchemas& version, const schema::KindSchema& kind);

// The kinds that have a schema, in alphabetical order.
std::vector<const schema::KindSchema*> kinds_of(const schema::VersionSchemas& version);

// The commands that print a report in JSON, and the schema of a command's report; "" if it has none.
std::vector<std::string_view> report_names();
std::string_view report_schema(std::string_view command);

// The name of the type, such as "string"; "" for any value, and for an integer or string.
std::string_view type_name(schema::Type type);

// The kind that describes a kind's fields: both runtimes share one type.
std::string_view described_kind(std::string_view kind);

}  // namespace trainjobc::json_schema
