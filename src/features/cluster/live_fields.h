// SPDX-License-Identifier: Apache-2.0

// Fields of live objects in which a difference doesn't count: what API servers fill in, what other managers
// own, the order of variables.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "schema/compare.h"
#include "yaml/node.h"

namespace trainjobc::cluster {

// `object` without status, without the metadata that only servers and controllers write (uid, managedFields,
// ownerReferences…) and a Secret's default type, and with a Secret's stringData moved to data, as servers
// store it.
const yaml::Node* without_server_fields(const yaml::Node& object, const yaml::Maker& make);

// A Secret with masked values, on both sides if both are given: "***" if they are equal, "*** (before)" and
// "*** (after)" if not. Other objects stay as they are, and nullptr stays nullptr.
struct Sides {
  const yaml::Node* live = nullptr;
  const yaml::Node* rendered = nullptr;
};
Sides mask_secrets(Sides objects, const yaml::Maker& make);

// Whether `value`, which only one of two JobSets has, is the API server's default for an absent field.
// `parents` are the nodes above it: the JobSet first, the map that contains it last. Source of the values:
// k8s.io/kubernetes, pkg/apis/{core,batch}/v1/defaults.go.
bool is_api_default(const schema::FieldPath& path, const yaml::Node& value,
                    std::span<const yaml::Node* const> parents);

// Who owns a field.
enum class Owner {
  Unknown,  // the object doesn't say
  Us,       // the manager that applied the object: the Trainer controller, trainjobc, kubectl, Argo CD
  Person,   // a person: kubectl edit, patch, scale
  Other,    // another controller: Kueue
};

struct Ownership {
  Owner owner = Owner::Unknown;
  std::string_view manager;  // for Person and Other
};

class FieldOwners {
 public:
  // Reads the managedFields of `object`, which must outlive this object; there may be none.
  explicit FieldOwners(const yaml::Node& object);

  Ownership of(const schema::FieldPath& path) const;
  // Whether that manager wrote the field, possibly together with others.
  bool is_of(const schema::FieldPath& path, std::string_view manager) const;

 private:
  struct Manager {
    std::string_view name;
    const yaml::Node* fields = nullptr;  // FieldsV1
    size_t weight = 0;                   // the number of its fields outside of metadata
    bool is_us = false;
  };
  std::vector<Manager> managers_;
};

// The tool that usually sets this label or annotation: Kueue, Argo CD, Flux, Helm; "" for others.
std::string_view tool_of_key(std::string_view key);

// `rendered`, a JobSet, with the variables of each container in the order of `live`, if the names are the
// same and no variable would then refer to a later one. Trainer's own order is random for some policies, and
// an update of a JobSet can't change it. Shares what did not change.
const yaml::Node* with_live_env_order(const yaml::Node& rendered, const yaml::Node& live,
                                      const yaml::Maker& make);

}  // namespace trainjobc::cluster
