// SPDX-License-Identifier: Apache-2.0

// The forms that Kubernetes wants names, keys and label values in. Lengths count bytes, as they do there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainjobc::k8s::job {

enum class Form : uint8_t {
  DnsLabel,              // node-0
  DnsSubdomain,          // gcs.csi.storage.io
  UnderscoredSubdomain,  // _tcp.example.com
  LabelKey,              // example.com/name, the prefix is optional
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

// The name as Kubernetes checks one that it appends to: if it ends in a dash, its last two bytes become "a".
std::string as_prefix(std::string_view name);

}  // namespace trainjobc::k8s::job
