#include <doctest/doctest.h>

#include "tools/diff/unified.h"

using trainjobc::diff::unified_hunks;

TEST_CASE("equal texts have no hunks") {
  CHECK(unified_hunks("a\nb\n", "a\nb\n") == "");
  CHECK(unified_hunks("", "") == "");
}

TEST_CASE("one side only") {
  CHECK(unified_hunks("", "a\nb\n") == "@@ -0,0 +1,2 @@\n+a\n+b\n");
  CHECK(unified_hunks("a\n", "") == "@@ -1 +0,0 @@\n-a\n");
}

TEST_CASE("a change has three lines around it") {
  CHECK(unified_hunks("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n") ==
        "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST_CASE("changes that are near are one hunk, distant ones two") {
  CHECK(unified_hunks("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n") ==
        "@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
  CHECK(unified_hunks("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n") ==
        "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

TEST_CASE("the script is the shortest") {
  CHECK(unified_hunks("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n") ==
        "@@ -1,7 +1,6 @@\n-a\n-b\n c\n+b\n a\n b\n-b\n a\n+c\n");
}
