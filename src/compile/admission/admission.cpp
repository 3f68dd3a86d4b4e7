// SPDX-License-Identifier: Apache-2.0

#include "compile/admission/admission.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "k8s/object_meta.h"
#include "model/behaviours.h"
#include "model/trainer_names.h"
#include "schema/typed.h"
#include "schema/defaults.h"

namespace trainjobc::compile {
namespace {

// The webhook sets the times of patches, and leaves jobs without patches alone.
bool is_rewritten(const yaml::Node& train_job) {
  const yaml::Node* patches = train_job.at({"spec", "runtimePatches"});
  if (!patches || !patches->is_list()) return false;
  return std::ranges::any_of(patches->items(), [](const yaml::Node* patch) {
    const yaml::Node* time = patch->is_map() ? patch->get("time") : nullptr;
    return !time || time->is_null();
  });
}

}  // namespace

void report(k8s::Violations violations, const std::string& object, base::Diagnostics& diagnostics) {
  for (base::Diagnostic& violation : violations) {
    violation.object = object;
    diagnostics.add(std::move(violation));
  }
}

CheckedInput check_input(const InputObject& object, const schema::VersionSchemas& schemas,
                         const yaml::Maker& make) {
  const schema::KindSchema* kind = schemas.kind(object.id.kind);
  CheckedInput checked;
  const auto take = [&](k8s::Violations violations) {
    std::ranges::move(violations, std::back_inserter(checked.violations));
  };
  take(schema::find_unknown_fields(*object.root, *kind->schema, kind->kind, schemas.trainer));
  const yaml::Node* root = object.root;
  // The webhook runs before the schema is checked.
  const model::Behaviours* behaviours = model::find_behaviours(schemas.trainer);
  if (behaviours && behaviours->rewrites_jobs && object.id.kind == model::kTrainJob && is_rewritten(*root)) {
    root = schema::with_zero_values(*root, *kind->schema, make);
  }
  checked.root = schema::apply_defaults(*root, *kind->schema, make);
  schema::Validation validation = schema::validate_structure(*checked.root, *kind->schema);
  take(std::move(validation.violations));
  k8s::Violations metadata =
      k8s::validate_object_meta(*checked.root, k8s::NameRule::DnsSubdomain, kind->namespaced);
  const bool has_name = metadata.empty();
  take(std::move(metadata));
  // The API server evaluates no CEL rule on an object that it can't read or name.
  if (validation.types_fit && has_name) take(schema::validate_cel(*checked.root, *kind->schema));
  return checked;
}

AdmittedObject admit_input(const InputObject& object, const schema::VersionSchemas& schemas,
                           const yaml::Maker& make, base::Diagnostics& diagnostics) {
  CheckedInput checked = check_input(object, schemas, make);
  base::Diagnostics found;
  report(std::move(checked.violations), object.id.str(), found);
  AdmittedObject admitted;
  admitted.defaulted = checked.root;
  admitted.accepted = !found.has_errors();
  if (admitted.accepted) {
    const schema::Schema& schema = *schemas.kind(object.id.kind)->schema;
    admitted.root = schema::as_decoded(*checked.root, schema, make);
    admitted.encoded = schema::as_typed(*checked.root, schema, make);
  }
  diagnostics.append(std::move(found));
  return admitted;
}

}  // namespace trainjobc::compile
