// SPDX-License-Identifier: Apache-2.0

// Fields that JobSet's mutating webhook sets to null.
#pragma once

#include "k8s/violations.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// Absent fields that the mutating webhook writes as null and for which the schema does not allow null.
void check_written_nulls(const yaml::Node& job_set, const schema::Schema& schema, k8s::Violations& out);

}  // namespace trainjobc::compile
