// Where queues are named.
#pragma once

#include <string_view>

namespace trainjobc::compile::advice {

inline constexpr std::string_view kKueueLabel = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kVolcanoQueue = "scheduling.volcano.sh/queue-name";  // an annotation

}  // namespace trainjobc::compile::advice
