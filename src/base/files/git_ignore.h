// SPDX-License-Identifier: Apache-2.0

// A .gitignore file, or .git/info/exclude.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::base {

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
