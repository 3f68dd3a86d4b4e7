// SPDX-License-Identifier: Apache-2.0

// The differences between Kubernetes versions: rows of named behaviours, and tables of the fields and values
// that came with one. No other code compares versions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::k8s {

struct KubernetesBehaviour {
  std::string_view version;     // "1.36"
  bool has_strict_ips = false;  // refuses addresses with leading zeros, and those of IPv4 in the form of IPv6
  bool sidecars_have_rules = false;  // takes restartPolicyRules of init containers that are always restarted
};

// Of the newest version that the newest Trainer was tested with.
const KubernetesBehaviour& default_kubernetes();

// "1.34", …
std::vector<std::string> kubernetes_versions();
// The row for 1.36, v1.36 or 1.36.3; nullptr for an unknown version.
const KubernetesBehaviour* find_kubernetes(std::string_view version);

// The first version that has a field of Jobs and pods which a CRD of Trainer may lack; "" for any other
// field. `parent` is the key of the field around it, or of the list: "emptyDir" for emptyDir.mode.
std::string_view kubernetes_with_field(std::string_view parent, std::string_view field);

// The first version that accepts that word as a field's value, if it is newer than `kubernetes`; otherwise
// "".
std::string_view kubernetes_with_value(std::string_view value, const KubernetesBehaviour& kubernetes);

// A field that a version drops without a word, because the feature gate for it is off.
struct DroppedField {
  std::string_view parent;  // as above
  std::string_view field;
  std::string_view gate;
  std::string_view until;  // the first version that reads it; "" if none does yet
  bool stays = false;      // the rest of the pod is checked with it: the API server drops what is around it, too
};

// A dropped field in a pod's spec.
struct Dropped {
  const DroppedField* field = nullptr;
  const yaml::Entry* entry = nullptr;
  std::string path;
};

// Those of a pod's spec, whose path this is.
std::vector<Dropped> dropped_fields(const yaml::Node& pod_spec, const std::string& path,
                                    const KubernetesBehaviour& kubernetes);
// A Job without what is dropped of its pods, but for what stays; the same node if that is nothing.
const yaml::Node* without_dropped(const yaml::Node& job, const KubernetesBehaviour& kubernetes,
                                  const yaml::Maker& make);

}  // namespace trainjobc::k8s
