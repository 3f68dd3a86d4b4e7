#include "base/unified_diff.h"

#include <doctest/doctest.h>

using trainjobc::base::unified_diff;

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

TEST_CASE("a missing line break at the end is said") {
  CHECK(unified_diff("a\n", "a", "x", "y") ==
        "--- x\n+++ y\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n");
}

TEST_CASE("from nothing and to nothing") {
  CHECK(unified_diff("", "a\n", "x", "y") == "--- x\n+++ y\n@@ -0,0 +1 @@\n+a\n");
  CHECK(unified_diff("a\n", "", "x", "y") == "--- x\n+++ y\n@@ -1 +0,0 @@\n-a\n");
}
