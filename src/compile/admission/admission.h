// SPDX-License-Identifier: Apache-2.0

// Pass 2, admit: what the API server does to an input before Trainer sees it.
#pragma once

#include "base/diagnostic.h"
#include "compile/input/input.h"
#include "schema/schema.h"
#include "schema/validate.h"
#include "yaml/node.h"

namespace trainjobc::compile {

struct CheckedInput {
  const yaml::Node* root = nullptr;  // defaulted
  k8s::Violations violations;
};

// Unknown fields, the changes of a mutating webhook, defaulting, schema, list types, object metadata, CEL.
// Validating webhooks come later: they need the runtime.
CheckedInput check_input(const InputObject& object, const schema::VersionSchemas& schemas,
                         const yaml::Maker& make);

struct AdmittedObject {
  const yaml::Node* root = nullptr;     // defaulted, as the controller's Go types hold it; only if `accepted`
  const yaml::Node* encoded = nullptr;  // as they would encode it again
  const yaml::Node* defaulted = nullptr;  // as it is checked, even if not `accepted`
  bool accepted = false;
};

// check_input, with its violations as diagnostics.
AdmittedObject admit_input(const InputObject& object, const schema::VersionSchemas& schemas,
                           const yaml::Maker& make, base::Diagnostics& diagnostics);

// Appends violations as diagnostics of an object.
void report(k8s::Violations violations, const std::string& object, base::Diagnostics& diagnostics);

}  // namespace trainjobc::compile
