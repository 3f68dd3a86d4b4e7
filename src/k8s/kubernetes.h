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

// The row of the newest version that the newest Trainer was tested with.
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

// A field that a version drops silently, because its feature gate is off.
struct DroppedField {
  std::string_view parent;  // as above
  std::string_view field;
  std::string_view gate;
  std::string_view until;  // the first version that reads it; "" if none does yet
  // The field counts in checks of the pod: the API server drops it only with what is around it.
  bool stays = false;
  std::string_view unless = "";  // the one value that is kept
  bool with_parent = false;      // the list's item goes with it, and so do mounts of a volume
};

// A dropped field in a pod's spec.
struct Dropped {
  const DroppedField* field = nullptr;
  const yaml::Entry* entry = nullptr;
  std::string path;
};

// The dropped fields of the pod's spec at `path`.
std::vector<Dropped> dropped_fields(const yaml::Node& pod_spec, const std::string& path,
                                    const KubernetesBehaviour& kubernetes);
// Returns the Job without its pods' dropped fields, except those that stay; the same node if there are none.
const yaml::Node* without_dropped(const yaml::Node& job, const KubernetesBehaviour& kubernetes,
                                  const yaml::Maker& make);

}  // namespace trainjobc::k8s
