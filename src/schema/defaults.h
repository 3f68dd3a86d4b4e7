// SPDX-License-Identifier: Apache-2.0

// Defaulting, as the API server does it for custom resources.
#pragma once

#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::schema {

// `node` with the schema's defaults set wherever a key is absent or null, and every other null of a map
// removed (apiextensions: PruneNonNullableNullsWithoutDefaults, then Default). Values of the wrong type are
// left for validation. Shares what did not change; defaults carry the rule "default".
const yaml::Node* apply_defaults(const yaml::Node& node, const Schema& schema, const yaml::Maker& make);

// The node of a default's JSON text, itself defaulted.
const yaml::Node* default_node(const Schema& schema, const yaml::Maker& make, yaml::Origin origin);

}  // namespace trainjobc::schema
