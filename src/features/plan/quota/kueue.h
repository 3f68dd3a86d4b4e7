// SPDX-License-Identifier: Apache-2.0

// The differences between Kueue versions: one row of named behaviours per version. No other code compares
// versions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::plan {

struct KueueBehaviour {
  std::string_view version;        // "0.19"
  size_t most_pod_sets = 8;        // in a Workload
  bool counts_pod_limits = false;  // a pod's limits without requests count as requests
  bool own_labels_only = false;    // only a flavor's own labels count for selectors and affinity
  bool skips_zero = false;         // leaves out resources that no pod requests and no flavor covers
  bool new_preference = false;     // knows flavorFungibility.preference
  bool reads_claims = false;       // DRA: claims need a mapping of their DeviceClass
};

// The behaviour of the newest known version.
const KueueBehaviour& newest_kueue();

// The known versions: "0.15", …
std::vector<std::string> kueue_versions();

// Reads 0.17, v0.17.3 or 0.17.3: some rules came with a patch release. A version without patch means its
// newest patch release. nullopt for anything but a known version.
std::optional<KueueBehaviour> read_kueue_version(std::string_view text);

// The version of a cluster's controller, according to its image's tag; the newest known one for a newer one.
std::optional<KueueBehaviour> kueue_of_image(std::string_view image);

}  // namespace trainjobc::plan
