// SPDX-License-Identifier: Apache-2.0

// The first half of the round trip through Kubernetes' typed Go API: what JSON decoding into the structs
// keeps of a value.
#pragma once

#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::schema {

// `node` as its Go type holds it: nulls and keys that the schema doesn't know are gone, quantities and times
// have their canonical spelling; empty values stay, and absent ones are not added. Shares what did not
// change.
const yaml::Node* as_decoded(const yaml::Node& node, const Schema& schema, const yaml::Maker& make);

}  // namespace trainjobc::schema
