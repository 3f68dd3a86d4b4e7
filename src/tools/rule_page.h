// SPDX-License-Identifier: Apache-2.0

// The pages of the rules in the documentation.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::tools {

// The address of the part of a page that explains the rule.
std::string page_of_rule(std::string_view id);

}  // namespace trainjobc::tools
