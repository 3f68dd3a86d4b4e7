// SPDX-License-Identifier: Apache-2.0

// The differences between Kueue versions: one row of named behaviours per version. No other code compares versions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::plan {

struct KueueBehaviour {
  std::string_view version;      // "0.19"
  size_t most_pod_sets = 8;      // of a Workload
  bool counts_pod_limits = false;  // limits of a pod without requests count as requests
  bool own_labels_only = false;  // of a flavor, not of those beside it, count for selectors and affinity
  bool skips_zero = false;       // leaves out resources of which pods ask for none
  bool new_preference = false;   // flavorFungibility.preference names what comes first
  bool reads_claims = false;     // DRA: claims need a mapping of their DeviceClass
};

// Of the newest version that is known.
const KueueBehaviour& newest_kueue();

// "0.15", …
std::vector<std::string> kueue_versions();

// For 0.17, v0.17.3 or 0.17.3: some rules came with a patch. A version without patch is the newest patch of it.
// nullopt for anything but a known version.
std::optional<KueueBehaviour> read_kueue_version(std::string_view text);

// The version of a cluster's controller, by the tag of its image: the same, or the newest for a newer one.
std::optional<KueueBehaviour> kueue_of_image(std::string_view image);

}  // namespace trainjobc::plan
