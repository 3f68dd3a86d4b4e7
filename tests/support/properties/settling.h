// SPDX-License-Identifier: Apache-2.0

// What must hold of a repository, whatever its settings contain.
#pragma once

#include <string>

namespace trainjobc::test {

// What is wrong, or "". The text up to its first line `---` is the repository's .trainjobc.yaml, the rest its
// manifest; `lint` finds something or not, and refuses settings with their place. If it runs again, it says
// the same, and as JSON ends alike.
std::string wrong_with_settings(const std::string& text, bool runs_again = true);

}  // namespace trainjobc::test
