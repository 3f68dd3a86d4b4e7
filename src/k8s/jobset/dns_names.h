// SPDX-License-Identifier: Apache-2.0

// The forms of names that JobSet's webhook checks.
// Source of the rules: k8s.io/apimachinery, pkg/util/validation.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trainjobc::k8s::jobset {

inline constexpr size_t kMaxLabel = 63;  // of DNS labels and of label values

// The characters of a DNS-1035 label of any length: lower case letters, digits, dashes; the first is a
// letter, the last is not a dash.
bool has_label_form(std::string_view text);

// The characters of a Kubernetes label value of any length.
bool has_label_value_form(std::string_view text);

bool is_dns1123_subdomain(std::string_view text);

}  // namespace trainjobc::k8s::jobset
