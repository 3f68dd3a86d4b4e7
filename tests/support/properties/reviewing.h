// SPDX-License-Identifier: Apache-2.0

// What must hold of the answers of the admission webhook, whatever it is sent.
#pragma once

#include <string>

namespace trainjobc::test {

// The text as the body of a request; after a line `---`, as the settings that apply. What is wrong with the
// answer, or
// "": it is JSON for the same uid, refuses nothing unless told to, warns in lines that clients show whole, is
// the same the second time, and passes what only the cluster changes.
std::string wrong_with_review(const std::string& text);

}  // namespace trainjobc::test
