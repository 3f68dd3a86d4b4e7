// SPDX-License-Identifier: Apache-2.0

// Values as they appear in messages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::k8s {

// The text in quotes, on one line: control characters as \n or \x01, a long text cut with "…", known kinds of
// keys hidden.
std::string quoted(std::string_view text);
// A scalar's text in quotes, "***" if it is a secret.
std::string quoted(const yaml::Node& node);
// "a", "b", "c"
std::string quoted_list(std::span<const std::string_view> words);
// A value in a few words: a scalar as it is, *** for a secret, "a map", "a list".
std::string shown(const yaml::Node& node);
// The kind of a value with its article: "a string", "an integer", "null".
std::string_view kind_words(const yaml::Node& node);
// A file mode in octal: 0644. Values outside 0 to 0777 stay decimal.
std::string mode_text(int64_t mode);
// A scalar as the file spells it (007, yes), or its text if it is not in a file. For fixes: shows secrets.
std::string source_text(const yaml::Node& node);

}  // namespace trainjobc::k8s
