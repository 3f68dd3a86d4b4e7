// The trip through Kubernetes' typed Go API: what JSON decoding into the structs and encoding them again
// leaves of a value.
#pragma once

#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::schema {

// `node` as its Go type would encode it: empty values vanish or stay as each field's Wire says, structs by
// value appear, quantities get their canonical spelling, keys that the schema doesn't know are dropped.
// Values of the wrong type are left as they are. Shares what did not change.
const yaml::Node* as_typed(const yaml::Node& node, const Schema& schema, const yaml::Maker& make);

// `node` with each null in a list of structs as Go's zero struct: {}, or its fields that are always written.
// So a mutating webhook that decodes and encodes an object leaves it; nulls elsewhere stay. Shares what did
// not change.
const yaml::Node* with_zero_items(const yaml::Node& node, const Schema& schema, const yaml::Maker& make);

}  // namespace trainjobc::schema
