// SPDX-License-Identifier: Apache-2.0

#include "k8s/jobset/dns_names.h"

#include <algorithm>

#include "base/text/ascii.h"
#include "k8s/name_syntax.h"

namespace trainjobc::k8s::jobset {

using base::is_lower;
using base::is_lower_alnum;

bool has_label_form(std::string_view text) {
  return is_dns_label(text) && is_lower(text.front());
}

bool has_label_value_form(std::string_view text) {
  return text.empty() || is_name_part(text);
}

bool is_dns1123_subdomain(std::string_view text) {
  constexpr size_t kMaxSubdomain = 253;
  return text.size() <= kMaxSubdomain && is_dns_subdomain(text);
}

}  // namespace trainjobc::k8s::jobset
