// SPDX-License-Identifier: Apache-2.0

// How objects name queues of Kueue and Volcano.
#pragma once

#include <string_view>

namespace trainjobc::model {

inline constexpr std::string_view kKueueLabel = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kVolcanoQueue = "scheduling.volcano.sh/queue-name";  // an annotation

}  // namespace trainjobc::model
