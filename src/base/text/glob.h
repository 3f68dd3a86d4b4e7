// SPDX-License-Identifier: Apache-2.0

// Patterns for paths, as in .gitignore.
#pragma once

#include <string_view>

namespace trainjobc::base {

// What `**` in the middle of a name matches, as in a**b.
enum class Stars {
  Git,       // the same as *
  Anything,  // any text, slashes included
};

// Whether the whole of `path` matches: * and ? stop at a slash, [a-z] is one character, \ makes the next one
// literal, ** between slashes or at an end is any number of folders. The time is at most proportional to the
// product of both lengths.
bool matches_glob(std::string_view glob, std::string_view path, Stars stars);

}  // namespace trainjobc::base
