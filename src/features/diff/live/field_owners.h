// SPDX-License-Identifier: Apache-2.0

// metadata.managedFields: which manager wrote which field.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/compare.h"
#include "yaml/node.h"

namespace trainjobc::diff {

// Who owns a field.
enum class Owner {
  Unknown,  // the object doesn't say
  Us,       // the manager that applied the object: the Trainer controller, trainjobc, kubectl, Argo CD
  Person,   // a person: kubectl edit, patch, scale
  Other,    // another controller: Kueue
};

struct Ownership {
  Owner owner = Owner::Unknown;
  std::string_view manager;  // of Person and Other
};

class FieldOwners {
 public:
  // The managedFields of `object`, which must outlive this; there may be none.
  explicit FieldOwners(const yaml::Node& object);

  Ownership of(const schema::FieldPath& path) const;
  // Whether that manager wrote the field, possibly with others.
  bool is_of(const schema::FieldPath& path, std::string_view manager) const;

 private:
  struct Manager {
    std::string_view name;
    const yaml::Node* fields = nullptr;  // FieldsV1
    size_t weight = 0;                   // how many fields outside of metadata
    bool is_us = false;
  };
  std::vector<Manager> managers_;
};

// The tool that is expected to set this label or annotation: Kueue, Argo CD, Flux, Helm; "" for others.
std::string_view tool_of_key(std::string_view key);

}  // namespace trainjobc::diff
