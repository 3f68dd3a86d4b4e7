// How Kueue's and Volcano's queues are named.
#pragma once

#include <string_view>

namespace trainjobc::model {

inline constexpr std::string_view kKueueLabel = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kVolcanoQueue = "scheduling.volcano.sh/queue-name";  // an annotation

}  // namespace trainjobc::model
