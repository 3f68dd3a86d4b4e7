// SPDX-License-Identifier: Apache-2.0

#include "features/diff/object_schemas.h"

namespace trainjobc::diff {

using schema::Property;
using schema::Schema;
using schema::Type;
using schema::Wire;

ObjectSchemas::ObjectSchemas(const schema::VersionSchemas& version)
    : job_set_(version.kind("JobSet")->schema) {
  text_.type = Type::String;
  texts_.type = Type::Object;
  texts_.additional = &text_;
  flag_.type = Type::Boolean;
  quantity_.type = Type::IntOrString;
  quantity_.quantity = true;
  quantities_.type = Type::Object;
  quantities_.additional = &quantity_;
  group_fields_ = {Property{"minResources", &quantities_, Wire::OmitEmpty}};
  group_spec_.type = Type::Object;
  group_spec_.properties = group_fields_;
  fields_ = {Property{"binaryData", &texts_, Wire::OmitEmpty},
             Property{"data", &texts_, Wire::OmitEmpty},
             Property{"immutable", &flag_, Wire::OmitEmpty},
             Property{"metadata", job_set_->property("metadata")->schema, Wire::Struct},
             Property{"spec", &group_spec_, Wire::Struct},
             Property{"stringData", &texts_, Wire::OmitEmpty}};
  object_.type = Type::Object;
  object_.properties = fields_;
}

const Schema* ObjectSchemas::find(std::string_view kind) const {
  if (kind == "JobSet") return job_set_;
  return kind == "Secret" || kind == "ConfigMap" || kind == "PodGroup" ? &object_ : nullptr;
}

}  // namespace trainjobc::diff
