// Patterns for paths, as .gitignore has them.
#pragma once

#include <string_view>

namespace trainjobc::base {

// What `**` means in the middle of a name, as in a**b.
enum class Stars {
  Git,       // the same as *
  Anything,  // any text, slashes included
};

// Whether the whole of `path` matches: * and ? stop at a slash, [a-z] is one character, \ takes the next one
// literally; ** between slashes or at an end is any number of folders. Takes time for at most the product of
// both lengths.
bool matches_glob(std::string_view glob, std::string_view path, Stars stars);

}  // namespace trainjobc::base
