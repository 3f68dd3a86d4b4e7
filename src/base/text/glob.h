// SPDX-License-Identifier: Apache-2.0

// Patterns for paths, as in .gitignore.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// A .gitignore file, or .git/info/exclude.

class GitIgnore {
 public:
  explicit GitIgnore(std::string_view text);

  // What the last line that matches the path says, which is relative to the file's folder: true excludes it,
  // false (!) includes it again. nullopt if no line matches. The folders above the path are not considered.
  std::optional<bool> decide(std::string_view path, bool is_directory) const;

 private:
  struct Line {
    std::string glob;
    bool excludes = true;
    bool directories_only = false;
    bool whole_path = false;  // otherwise only the last name must match
  };

  void add(std::string_view line);

  std::vector<Line> lines_;
};

}  // namespace trainjobc::base
