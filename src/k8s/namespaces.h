// SPDX-License-Identifier: Apache-2.0

// The namespace of objects that name none.
#pragma once

#include <string_view>

namespace trainjobc::k8s {

inline constexpr std::string_view kDefaultNamespace = "default";

inline std::string_view effective_namespace(std::string_view ns) {
  return ns.empty() ? kDefaultNamespace : ns;
}

}  // namespace trainjobc::k8s
