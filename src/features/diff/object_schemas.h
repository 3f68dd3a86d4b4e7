// SPDX-License-Identifier: Apache-2.0

// Schemas of the kinds that trainjobc renders.
#pragma once

#include <array>
#include <string_view>

#include "schema/schema.h"

namespace trainjobc::diff {

// For one Trainer version: that of JobSets from its CRD; those of Secrets, ConfigMaps and PodGroups as far as
// comparing needs them. Not copyable: the schemas point at each other.
class ObjectSchemas {
 public:
  explicit ObjectSchemas(const schema::VersionSchemas& version);
  ObjectSchemas(const ObjectSchemas&) = delete;
  ObjectSchemas& operator=(const ObjectSchemas&) = delete;

  // nullptr for other kinds.
  const schema::Schema* find(std::string_view kind) const;
  const schema::Schema& job_set() const { return *job_set_; }

 private:
  const schema::Schema* job_set_;
  schema::Schema text_;
  schema::Schema texts_;
  schema::Schema flag_;
  schema::Schema quantity_;
  schema::Schema quantities_;
  schema::Schema group_spec_;
  std::array<schema::Property, 1> group_fields_;
  std::array<schema::Property, 6> fields_;  // of the three kinds together
  schema::Schema object_;
};

}  // namespace trainjobc::diff
