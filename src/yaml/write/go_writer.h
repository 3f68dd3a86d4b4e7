// SPDX-License-Identifier: Apache-2.0

// The text that Go's programs write, where other programs change it before it is read again.
#pragma once

#include <string>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::yaml {

// Appends what sigs.k8s.io/yaml makes of an object, on go.yaml.in/yaml/v2: keys sorted, strings plain if they
// may be, otherwise in single or double quotes, those of several lines as blocks, long ones wrapped.
void write_go_yaml(const Node& node, std::string& out);

// Whether it puts the key `a` before `b`: digits by their value, letters last.
bool is_before_in_go(std::string_view a, std::string_view b);

}  // namespace trainjobc::yaml
