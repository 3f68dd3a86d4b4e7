// SPDX-License-Identifier: Apache-2.0

// Objects that a cluster takes values from, of which the repository has several that nothing applies. It does
// not say which one the cluster has, so each of them makes a variant of the cluster, and all are checked.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "inputs/gitops/objects.h"
#include "inputs/gitops/roots.h"

namespace trainjobc::gitops {

class Choices {
 public:
  // Adds a choice of a cluster; too many to check are none.
  void add(const std::string& cluster, const ObjectName& name, const std::vector<const Manifest*>& objects);
  bool empty() const { return by_cluster_.empty(); }

  // The cluster's variants; its own name if it has none.
  std::vector<std::string> variants_of(const std::string& cluster) const;
  // The name without the variant, and without the part that names another cluster.
  std::string own_name_of(const std::string& cluster) const;
  // Which of the objects this variant has; nullptr for a cluster without variants.
  const Manifest* chosen(const std::string& cluster, const ObjectName& name,
                         const std::vector<const Manifest*>& objects) const;
  bool is_first_variant(const std::string& cluster) const;

 private:
  struct Variant {
    std::string cluster;
    size_t number = 0;
  };
  using Places = std::vector<std::string>;  // of the objects, sorted

  const Variant* variant(const std::string& cluster) const;

  std::map<std::string, std::map<ObjectName, Places>> by_cluster_;
  std::map<std::string, std::vector<std::string>> names_;  // of the variants, by cluster
  std::map<std::string, Variant> variants_;                // by name
};

}  // namespace trainjobc::gitops
