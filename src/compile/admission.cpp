#include "compile/admission.h"

#include "schema/decoded.h"
#include "schema/defaults.h"
#include "schema/object_meta.h"
#include "schema/typed.h"

namespace trainjobc::compile {

void report(schema::Violations violations, base::Stage stage, const std::string& object,
            base::Diagnostics& diagnostics) {
  for (base::Diagnostic& violation : violations) {
    violation.stage = stage;
    violation.object = object;
    diagnostics.add(std::move(violation));
  }
}

AdmittedObject admit_input(const InputObject& object, const schema::VersionSchemas& schemas, const yaml::Maker& make,
                           base::Diagnostics& diagnostics) {
  const schema::KindSchema* kind = schemas.kind(object.id.kind);
  const std::string name = object.id.str();
  base::Diagnostics found;
  report(schema::find_unknown_fields(*object.root, *kind->schema, kind->kind, schemas.trainer), base::Stage::Input,
         name, found);
  const yaml::Node* root = schema::apply_defaults(*object.root, *kind->schema, make);
  schema::Validation validation = schema::validate_structure(*root, *kind->schema);
  report(std::move(validation.violations), base::Stage::Input, name, found);
  schema::Violations metadata =
      schema::validate_object_meta(*root, schema::NameRule::DnsSubdomain, kind->namespaced);
  const bool has_name = metadata.empty();
  report(std::move(metadata), base::Stage::Input, name, found);
  // The API server evaluates no CEL rule on an object that it can't read or name.
  if (validation.types_fit && has_name) report(schema::validate_cel(*root, *kind->schema), base::Stage::Input, name, found);
  AdmittedObject admitted;
  admitted.accepted = !found.has_errors();
  if (admitted.accepted) {
    admitted.root = schema::as_decoded(*root, *kind->schema, make);
    admitted.encoded = schema::as_typed(*root, *kind->schema, make);
  }
  diagnostics.append(std::move(found));
  return admitted;
}

}  // namespace trainjobc::compile
