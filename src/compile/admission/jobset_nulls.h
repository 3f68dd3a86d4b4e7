// What JobSet's mutating webhook turns into null.
#pragma once

#include "k8s/violations.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// Fields that the mutating webhook writes as null where they are absent, and that the schema wants otherwise.
void check_written_nulls(const yaml::Node& job_set, const schema::Schema& schema, k8s::Violations& out);

}  // namespace trainjobc::compile
