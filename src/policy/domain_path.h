// Domain-prefixed paths, such as example.com/manager.
#pragma once

#include <string_view>

namespace trainjobc::policy {

// Source of the rule: k8s.io/apimachinery/pkg/util/validation, IsDomainPrefixedPath.
bool is_domain_prefixed_path(std::string_view text);

}  // namespace trainjobc::policy
