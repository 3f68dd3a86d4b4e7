// SPDX-License-Identifier: Apache-2.0

// The syntax of names, keys and values in Kubernetes. Lengths count bytes, as they do there.
// Source of the rules: k8s.io/apimachinery/pkg/util/validation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainjobc::k8s {

inline constexpr size_t kMaxLabel = 63;  // for DNS labels and label values

// Whether the text is lower-case letters, digits and inner dashes; of any length.
bool is_dns_label(std::string_view text);
// Whether the text is DNS labels joined by dots; of any length.
bool is_dns_subdomain(std::string_view text);
// Whether the text is letters, digits and inner '-', '_' and '.', and not empty; of any length.
bool is_name_part(std::string_view text);
// Whether the text is a name part of at most 63 characters, optionally after a subdomain of at most 253 and a
// '/'.
bool is_label_key(std::string_view text);
// Whether the text has only characters of a URL's path, and is not empty.
bool is_url_path(std::string_view text);
// Whether the text is a subdomain, a '/' and a path: example.com/manager.
bool is_domain_prefixed_path(std::string_view text);

// What is wrong with a name, as the words that follow it in a sentence ("is empty", "has 70 characters, …");
// "" if nothing is.
std::string dns_label_problem(std::string_view text);       // RFC 1123: at most 63 characters
std::string dns_1035_label_problem(std::string_view text);  // at most 63 characters, a letter first
std::string dns_subdomain_problem(std::string_view text);   // at most 253 characters
std::string label_key_problem(std::string_view text);       // [prefix/]name; also for finalizers
std::string annotation_key_problem(std::string_view text);  // also accepts upper case in the prefix
std::string label_value_problem(std::string_view text);

// `text` turned into a DNS label, or with `dots` a subdomain: lower case, a dash for everything else; "" if
// nothing is left. `letter_first` drops everything before the first letter.
std::string suggest_dns_name(std::string_view text, bool dots, bool letter_first);

// Whether a resource of this name is a vendor's device, such as nvidia.com/gpu. Amounts of devices are whole
// numbers, and their requests equal their limits.
bool is_extended_resource(std::string_view name);

enum class Form : uint8_t {
  DnsLabel,              // node-0
  DnsSubdomain,          // gcs.csi.storage.io
  UnderscoredSubdomain,  // _tcp.example.com
  LabelKey,              // example.com/name, or just name
  LabelValue,            // Name_1.x, may be empty
  ConfigKey,             // the key of a ConfigMap or Secret
  PortName,              // http-2
  EnvName,               // printable ASCII without '='
  HeaderName,            // X-Header
  SysctlName,            // net.core.somaxconn, '/' may replace '.'
};

// What is wrong with `text`, as the rest of a sentence that begins with the text; "" if it has the form.
std::string complaint(Form form, std::string_view text);
inline bool has_form(Form form, std::string_view text) {
  return complaint(form, text).empty();
}

// A similar text that has the form; "" if there is no obvious one.
std::string improved(Form form, std::string_view text);

// Whether `fits` holds for each part of `text` between separators.
template <class Fits>
bool all_parts(std::string_view text, std::string_view separators, Fits fits) {
  while (true) {
    const size_t end = text.find_first_of(separators);
    if (!fits(text.substr(0, end))) return false;
    if (end == text.npos) return true;
    text.remove_prefix(end + 1);
  }
}

// The name as Kubernetes checks one to which it will append: if it ends in a dash, its last two bytes become
// "a".
std::string as_prefix(std::string_view name);

}  // namespace trainjobc::k8s
