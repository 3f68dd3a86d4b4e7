// SPDX-License-Identifier: Apache-2.0

// What must hold of a configuration and of comments that suppress findings, whatever they contain.
#pragma once

#include <string>

namespace trainjobc::test {

// What is wrong, or "". The text up to its first line `---` is the configuration, the rest is a manifest with
// comments; both are the whole text if there is no such line.
std::string wrong_with_configuration(const std::string& text);

}  // namespace trainjobc::test
