// SPDX-License-Identifier: Apache-2.0

// Properties of every command that rewrites files, for any content.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::test {

// Each returns what is wrong, or "": the rewritten text must be as readable as the old one, have the same
// values except for the change, and not change in another run. After a fix (`level`: safe, all) no job that
// rendered is refused, and nothing without errors has one.
std::string wrong_with_fix(const std::string& text, std::string_view level);
std::string wrong_with_migrate(const std::string& text, std::string_view to);
std::string wrong_with_function(const std::string& text);

// All of these properties.
std::string wrong_with_rewriting(const std::string& text);

}  // namespace trainjobc::test
