// SPDX-License-Identifier: Apache-2.0

#include "base/text/glob.h"

#include <doctest/doctest.h>

namespace trainjobc::glob_test {
using base::Stars;

namespace {

bool matches(std::string_view glob, std::string_view path) {
  return base::matches_glob(glob, path, Stars::Anything);
}

bool git_matches(std::string_view glob, std::string_view path) {
  return base::matches_glob(glob, path, Stars::Git);
}

// "-" where no line matches.
std::string decide(std::string_view text, std::string_view path, bool is_directory = false) {
  const auto decided = base::GitIgnore(text).decide(path, is_directory);
  return !decided ? "-" : *decided ? "ignored" : "taken back";
}

}  // namespace

TEST_CASE("globs") {
  CHECK(matches("jobs/*.yaml", "jobs/a.yaml"));
  CHECK_FALSE(matches("jobs/*.yaml", "jobs/x/a.yaml"));
  CHECK(matches("jobs/**", "jobs/x/a.yaml"));
  CHECK_FALSE(matches("jobs/**", "jobs"));
  CHECK(matches("**/a.yaml", "a.yaml"));
  CHECK(matches("**/a.yaml", "x/y/a.yaml"));
  CHECK_FALSE(matches("**/a.yaml", "x/ba.yaml"));
  CHECK(matches("jobs/?.yaml", "jobs/a.yaml"));
  CHECK_FALSE(matches("jobs/?.yaml", "jobs/ab.yaml"));
  CHECK(matches("a/**/z", "a/z"));
  CHECK(matches("a/**/z", "a/b/c/z"));
  CHECK(matches("a/**/b/*/z", "a/b/x/b/c/z"));
  CHECK_FALSE(matches("", "a"));
  CHECK(matches("", ""));
}

TEST_CASE("globs: ** inside a name is * to git, and anything to settings") {
  CHECK(matches("jobs/**.yaml", "jobs/x/a.yaml"));
  CHECK_FALSE(git_matches("jobs/**.yaml", "jobs/x/a.yaml"));
  CHECK(git_matches("jobs/**.yaml", "jobs/a.yaml"));
}

TEST_CASE("globs: brackets and backslashes") {
  CHECK(git_matches("[a-c]x", "bx"));
  CHECK_FALSE(git_matches("[!a-c]x", "bx"));
  CHECK(git_matches("[^a-c]x", "dx"));
  CHECK(git_matches("[]-]", "]"));
  CHECK(git_matches("[[:digit:]_]", "7"));
  CHECK_FALSE(git_matches("a[/]b", "a/b"));
  CHECK_FALSE(git_matches("[a", "[a"));
  CHECK(git_matches("\\*", "*"));
  CHECK_FALSE(git_matches("\\*", "a"));
}

TEST_CASE("globs with many stars are fast") {
  const std::string path(3000, 'a');
  std::string glob;
  for (int i = 0; i < 200; ++i) glob += "*a";
  CHECK_FALSE(git_matches(glob + "b", path));
  CHECK(git_matches(glob, path));
}

TEST_CASE(".gitignore: the last line that matches decides") {
  CHECK(decide("*.yaml\n!keep.yaml\n", "x/a.yaml") == "ignored");
  CHECK(decide("*.yaml\n!keep.yaml\n", "x/keep.yaml") == "taken back");
  CHECK(decide("*.yaml\n", "a.json") == "-");
}

TEST_CASE(".gitignore: a slash anchors, a final one matches folders only") {
  CHECK(decide("/a.yaml\n", "a.yaml") == "ignored");
  CHECK(decide("/a.yaml\n", "x/a.yaml") == "-");
  CHECK(decide("x/a.yaml\n", "y/x/a.yaml") == "-");
  CHECK(decide("build/\n", "build", true) == "ignored");
  CHECK(decide("build/\n", "build") == "-");
  CHECK(decide("build/\n", "x/build", true) == "ignored");
}

TEST_CASE(".gitignore: comments, escapes, spaces, line ends") {
  CHECK(decide("#a\n", "#a") == "-");
  CHECK(decide("\\#a\n", "#a") == "ignored");
  CHECK(decide("\\!a\n", "!a") == "ignored");
  CHECK(decide("a  \n", "a") == "ignored");
  CHECK(decide("a\\ \n", "a ") == "ignored");
  CHECK(decide("a\r\nb", "a") == "ignored");
  CHECK(decide("a\r\nb", "b") == "ignored");
  CHECK(decide("\xEF\xBB\xBF"
               "a\n",
               "a") == "ignored");
  CHECK(decide("\n/\n!\n", "a") == "-");
}

}  // namespace trainjobc::glob_test
