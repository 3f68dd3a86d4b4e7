// SPDX-License-Identifier: Apache-2.0

// Patterns for paths, as in .gitignore.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
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

// Many globs, with Stars::Anything; finds those that a path matches. Tries only the globs whose text before
// the first wildcard is in the path at the right position: at its beginning, or, after `**/`, at the
// beginning of a name.
class GlobSet {
 public:
  // Returns the glob's number, counted from 0; a glob that was added before keeps its number.
  size_t add(const std::string& glob);
  size_t size() const { return globs_.size(); }
  const std::vector<std::string>& globs() const { return globs_; }

  // The numbers of the globs that match, in order.
  std::vector<size_t> matches(std::string_view path) const;
  bool matches_any(std::string_view path) const;

 private:
  // Called for each glob that matches; says whether to go on.
  using Try = std::function<bool(size_t number)>;

  // Globs by their text before the first wildcard.
  struct Index {
    std::map<std::string, std::vector<size_t>, std::less<>> globs;
    std::set<size_t> lengths;  // the lengths of those texts

    void add(std::string_view glob, size_t number);
    bool find(std::string_view path, const Try& attempt) const;
  };

  // Calls `attempt` for the candidates until it returns false.
  void find(std::string_view path, const Try& attempt) const;

  std::map<std::string, size_t> numbers_;
  std::vector<std::string> globs_;
  Index from_root_;
  Index from_any_name_;
};

// A .gitignore file, or .git/info/exclude.

class GitIgnore {
 public:
  explicit GitIgnore(std::string_view text);

  // What the last line that matches the path says: true excludes it, false (!) includes it again; nullopt if
  // no line matches. The path is relative to the file's folder; the folders above the path are not
  // considered.
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
