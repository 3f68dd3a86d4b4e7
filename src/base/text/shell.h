// SPDX-License-Identifier: Apache-2.0

// Command lines as a POSIX shell reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::base {

// The words of a command line, without their quotes. nullopt if only a shell can tell: the line has
// operators, expansions, globs or a comment, or a quote is not closed. $(NAME), which Kubernetes replaces, is
// part of a word.
std::optional<std::vector<std::string>> split_words(std::string_view line);

}  // namespace trainjobc::base
