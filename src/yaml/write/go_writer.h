// SPDX-License-Identifier: Apache-2.0

// The YAML that Go's programs write, for text that other programs change before it is read again.
#pragma once

#include <string>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::yaml {

// Appends the object as sigs.k8s.io/yaml writes it, on go.yaml.in/yaml/v2: with sorted keys; strings plain if
// possible, otherwise in single or double quotes; strings of several lines as blocks; long ones wrapped.
void write_go_yaml(const Node& node, std::string& out);

// Whether it writes the key `a` before `b`: it sorts numbers by their value, and letters last.
bool is_before_in_go(std::string_view a, std::string_view b);

}  // namespace trainjobc::yaml
