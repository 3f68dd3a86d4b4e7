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

  // What the last matching line says of a path, which is relative to the file's folder: true excludes it,
  // false (!) takes it back. nullopt if no line matches. Folders above the path are not looked at.
  std::optional<bool> decide(std::string_view path, bool is_directory) const;

 private:
  struct Line {
    std::string glob;
    bool excludes = true;
    bool directories_only = false;
    bool whole_path = false;  // otherwise the last name alone has to match
  };

  void add(std::string_view line);

  std::vector<Line> lines_;
};

}  // namespace trainjobc::base
