// SPDX-License-Identifier: Apache-2.0

// The round trip through Kubernetes' typed Go API: what is left of a value after decoding JSON into the
// structs and encoding them again.
#pragma once

#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::schema {

// Defaulting, as the API server does it for custom resources.

// `node` with the schema's defaults set wherever a key is absent or null, and every other null of a map
// removed (apiextensions: PruneNonNullableNullsWithoutDefaults, then Default). Values of the wrong type are
// left for validation. Shares what did not change; defaults carry the rule "default".
const yaml::Node* apply_defaults(const yaml::Node& node, const Schema& schema, const yaml::Maker& make);

// The default from its JSON text, with its own defaults set.
const yaml::Node* default_node(const Schema& schema, const yaml::Maker& make, yaml::Origin origin);

// `node` as its Go type holds it: nulls and keys that the schema doesn't know are gone, quantities and times
// have their canonical spelling; empty values stay, and absent ones are not added. Shares what did not
// change.
const yaml::Node* as_decoded(const yaml::Node& node, const Schema& schema, const yaml::Maker& make);

// `node` as its Go type would encode it: empty values vanish or stay as each field's Wire says, structs by
// value are added, quantities get their canonical spelling, keys that the schema doesn't know are dropped.
// Values of the wrong type are left as they are. Shares what did not change.
const yaml::Node* as_typed(const yaml::Node& node, const Schema& schema, const yaml::Maker& make);

// `node` after a mutating webhook that decodes and encodes the object: fields that Go always writes are
// added, and null items of lists become Go's zero value. Nothing is removed, since the webhook's patch only
// adds and replaces; nulls in a dictionary stay. Shares what did not change.
const yaml::Node* with_zero_values(const yaml::Node& node, const Schema& schema, const yaml::Maker& make);

}  // namespace trainjobc::schema
