// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

#include "base/text/diff.h"

namespace trainjobc::unified_diff_test {
using trainjobc::base::edit_script;
using trainjobc::base::unified_diff;
using trainjobc::base::unified_hunks;

namespace {

using Lines = std::vector<std::string_view>;

// How many lines the script takes out and puts in; -1 if it doesn't lead from one text to the other.
int edits_between(const Lines& before, const Lines& after) {
  Lines old_lines;
  Lines new_lines;
  int edits = 0;
  for (const auto& [mark, line] : edit_script(before, after)) {
    if (mark != '+') old_lines.push_back(line);
    if (mark != '-') new_lines.push_back(line);
    if (mark != ' ') ++edits;
  }
  return old_lines == before && new_lines == after ? edits : -1;
}

// `count` lines of which `kinds` are different.
Lines random_lines(std::mt19937& random, size_t count, uint32_t kinds) {
  static const std::vector<std::string> kWords = [] {
    std::vector<std::string> words;
    for (int i = 0; i < 1000; ++i) words.push_back(std::to_string(i));
    return words;
  }();
  Lines lines;
  for (size_t i = 0; i < count; ++i) lines.push_back(kWords[random() % kinds]);
  return lines;
}

// The length of the shortest script, by the table of all prefixes.
int shortest(const Lines& before, const Lines& after) {
  std::vector<int> row(after.size() + 1);
  for (size_t j = 0; j <= after.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= before.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= after.size(); ++j) {
      const int above = row[j];
      row[j] = before[i - 1] == after[j - 1] ? diagonal : 1 + std::min(above, row[j - 1]);
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

TEST_CASE("equal texts have no diff") {
  CHECK(unified_diff("a\nb\n", "a\nb\n", "x", "y").empty());
}

TEST_CASE("a changed line has three lines of context") {
  CHECK(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "old", "new") ==
        "--- old\n+++ new\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST_CASE("changes far apart are hunks of their own") {
  std::string old_text;
  for (int i = 1; i <= 20; ++i) old_text += std::to_string(i) + "\n";
  std::string new_text = "0\n" + old_text;
  new_text.replace(new_text.find("18\n"), 3, "");
  CHECK(unified_diff(old_text, new_text, "a", "b") ==
        "--- a\n+++ b\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -15,6 +16,5 @@\n 15\n 16\n 17\n-18\n 19\n 20\n");
}

TEST_CASE("changes close together share a hunk") {
  CHECK(unified_diff("a\nb\nc\nd\n", "A\nb\nc\nD\n", "x", "y") ==
        "--- x\n+++ y\n@@ -1,4 +1,4 @@\n-a\n+A\n b\n c\n-d\n+D\n");
}

TEST_CASE("a missing line break at the end is reported") {
  CHECK(unified_diff("a\n", "a", "x", "y") ==
        "--- x\n+++ y\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n");
}

TEST_CASE("from nothing and to nothing") {
  CHECK(unified_diff("", "a\n", "x", "y") == "--- x\n+++ y\n@@ -0,0 +1 @@\n+a\n");
  CHECK(unified_diff("a\n", "", "x", "y") == "--- x\n+++ y\n@@ -1 +0,0 @@\n-a\n");
}

TEST_CASE("hunks alone") {
  CHECK(unified_hunks("a\n", "b\n") == "@@ -1 +1 @@\n-a\n+b\n");
  CHECK(unified_hunks("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n") ==
        "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
  CHECK(unified_hunks("", "").empty());
}

TEST_CASE("a short script is the shortest") {
  CHECK(unified_hunks("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n") ==
        "@@ -1,7 +1,6 @@\n-a\n-b\n c\n+b\n a\n b\n-b\n a\n+c\n");
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const Lines before = random_lines(random, random() % 60, 1 + random() % 12);
    const Lines after = random_lines(random, random() % 60, 1 + random() % 12);
    CAPTURE(i);
    REQUIRE(edits_between(before, after) == shortest(before, after));
  }
}

TEST_CASE("a long script leads from one text to the other, and is not much longer than the shortest") {
  std::mt19937 random(2);
  for (int i = 0; i < 20; ++i) {
    const uint32_t kinds = i % 2 == 0 ? 1000 : 20;  // with and without lines that both hold once
    const Lines before = random_lines(random, 500 + random() % 1000, kinds);
    const Lines after = random_lines(random, i % 5 == 0 ? 0 : random() % 1500, kinds);
    CAPTURE(i);
    const int edits = edits_between(before, after);
    REQUIRE(edits >= 0);
    REQUIRE(edits <= shortest(before, after) * 3 / 2);
  }
}

// The square of its length would not fit into memory.
TEST_CASE("a text of which everything changes") {
  std::string old_text;
  std::string new_text;
  std::string hunk;
  for (int i = 0; i < 100'000; ++i) {
    old_text += fmt::format("name: {}\nold: 1\nsame: 1\n", i);
    new_text += fmt::format("name: {}\nnew: 1\nnewer: 1\nsame: 1\n", i);
    hunk += fmt::format(" name: {}\n-old: 1\n+new: 1\n+newer: 1\n same: 1\n", i);
  }
  CHECK(unified_hunks(old_text, new_text) == "@@ -1,300000 +1,400000 @@\n" + hunk);
  std::string without_names;
  for (int i = 0; i < 100'000; ++i) without_names += "other\n";
  CHECK(unified_hunks(without_names, old_text).size() ==
        without_names.size() + old_text.size() + 400'000 + 26);
}

}  // namespace trainjobc::unified_diff_test
