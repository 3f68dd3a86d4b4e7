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

// `node` as a mutating webhook leaves it that decodes and encodes an object: fields that Go always writes are
// there, and a null item of a list is Go's zero value. Nothing is taken away: the webhook's patch adds and
// replaces; nulls of a dictionary don't reach it. Shares what did not change.
const yaml::Node* with_zero_values(const yaml::Node& node, const Schema& schema, const yaml::Maker& make);

}  // namespace trainjobc::schema
