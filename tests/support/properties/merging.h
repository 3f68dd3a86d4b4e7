// SPDX-License-Identifier: Apache-2.0

// What must hold of strategic merge, whatever is merged.
#pragma once

#include <string>

namespace trainjobc::test {

// What is wrong with the merge of two pod templates, or "". The first document of the text is patched with
// the second one.
std::string wrong_with_merge(const std::string& text);

}  // namespace trainjobc::test
