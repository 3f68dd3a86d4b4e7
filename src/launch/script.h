// SPDX-License-Identifier: Apache-2.0

// Splits a shell's script into commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::launch {

// Splits a script at line breaks, ;, && and |, and drops redirections and here-documents. Keywords are words
// of their own; what a shell would replace ($NAME, $(date)) stays as it is written. Empty for a script with
// other syntax, such as functions.
std::vector<std::vector<std::string>> split_script(std::string_view script);

}  // namespace trainjobc::launch
