// SPDX-License-Identifier: Apache-2.0

// What must hold of a repository, whatever its settings contain.
#pragma once

#include <string>

namespace trainjobc::test {

// What is wrong, or "". The text up to its first line `---` is the repository's .trainjobc.yaml, the rest its
// manifest; `lint` finds something or not, and refuses settings with their place; a second run says the same.
std::string wrong_with_settings(const std::string& text);

}  // namespace trainjobc::test
