// SPDX-License-Identifier: Apache-2.0

#include "support/expected_texts/expected_texts.h"

#include <doctest/doctest.h>

#include "base/files/file_system.h"

namespace trainjobc::expected_texts_test {
namespace {

// The file after an assert in `line` failed with `values`; what is said of it before it.
std::string after(const std::string& text, size_t line, std::string_view values) {
  base::MemoryFileSystem files;
  files.files["a_test.cpp"] = text;
  test::ExpectedTexts texts(files);
  texts.add_failure("a_test.cpp", line, values);
  return texts.rewrite() + files.files["a_test.cpp"];
}

}  // namespace

TEST_CASE("an ordinary literal gets one line per printed line") {
  CHECK(after("  CHECK(f(\"in\") == \"one\\n\");\n", 1, "one\ntwo \"\\\x01\n == one\n") ==
        "a_test.cpp: rewritten\n"
        "  CHECK(f(\"in\") == \"one\\ntwo \\\"\\\\\\001\\n\");\n");
  CHECK(after("  CHECK(f() ==\n        \"a\\n\"\n        \"c\\n\");\n", 1, "a\nb\nb\nc\n == a\nc\n") ==
        "a_test.cpp: rewritten\n"
        "  CHECK(f() ==\n        \"a\\n\"\n        \"b\\n\"\n        \"b\\nc\\n\");\n");
  CHECK(after("CHECK(f() == \"\");", 1, "a\n == ") == "a_test.cpp: rewritten\nCHECK(f() == \"a\\n\");");
  CHECK(after("CHECK(f() == \"a\");", 1, " == a") == "a_test.cpp: rewritten\nCHECK(f() == \"\");");
}

TEST_CASE("a raw literal stays one, and the rest of the file as it is") {
  const std::string file = R"x(// CHECK(f() == "old")
const char quote = '"';
const int number = 1'000;
TEST_CASE("f") {
  CHECK(f("== old") == R"(line 1
old
)");
  CHECK(f("== old") == R"(line 1
new
)");
}
)x";
  std::string changed = file;
  changed.replace(changed.find("\nold\n") + 1, 3, "new");
  CHECK(after(file, 5, "line 1\nnew\n == line 1\nold\n") == "a_test.cpp: rewritten\n" + changed);
  CHECK(after("CHECK(f() == R\"(a)\");", 1, "a)\"b == a") ==
        "a_test.cpp:1: not rewritten: no single literal holds what is expected\nCHECK(f() == R\"(a)\");");
}

TEST_CASE("escape sequences are replaced as a whole") {
  CHECK(after(R"(CHECK(f() == "\u00e9\x1b[0m");)", 1, "è\x1b[0m == é\x1b[0m") ==
        "a_test.cpp: rewritten\nCHECK(f() == \"è\\x1b[0m\");");
}

TEST_CASE("the part of a sum that changes") {
  CHECK(after(R"(CHECK(f("a: old") == head + "a: old\n" + tail("y", "z"));)", 1,
              "head\na: new\ntail\n == head\na: old\ntail\n") ==
        "a_test.cpp: rewritten\n"
        R"(CHECK(f("a: old") == head + "a: new\n" + tail("y", "z"));)");
  CHECK(after(R"(CHECK(f() == g("old", "b"));)", 1, "new, c == old, b") ==
        "a_test.cpp:1: not rewritten: no single literal holds what is expected\nCHECK(f() == g(\"old\", "
        "\"b\"));");
}

TEST_CASE("a literal elsewhere in the file is changed if no other explains the difference") {
  const std::string table =
      "const Row kRows[] = {{\"in\", \"old\"}};\nCHECK_MESSAGE(f(row) == row.out, \"row\");\n";
  CHECK(after(table, 2, "new == old") ==
        "a_test.cpp: rewritten\n"
        "const Row kRows[] = {{\"in\", \"new\"}};\nCHECK_MESSAGE(f(row) == row.out, \"row\");\n");
  const std::string helper =
      "std::string refused(f) { return \"refused: \" + f + \": is bad\\n\"; }\n"
      "CHECK(f(\"a\") == refused(\"a\") + refused(\"b\"));\n";
  CHECK(after(helper, 2,
              "refused: a: is worse\nrefused: b: is worse\n == refused: a: is bad\nrefused: b: is bad\n") ==
        "a_test.cpp: rewritten\n"
        "std::string refused(f) { return \"refused: \" + f + \": is worse\\n\"; }\n"
        "CHECK(f(\"a\") == refused(\"a\") + refused(\"b\"));\n");
  const std::string twice = "const char* kA[] = {\"old\", \"old\"};\nCHECK(f(a) == a);\n";
  CHECK(after(twice, 2, "new == old") ==
        "a_test.cpp:2: not rewritten: no single literal holds what is expected\n" + twice);
}

TEST_CASE("an assert that fails with two texts gets the first") {
  base::MemoryFileSystem files;
  files.files["a_test.cpp"] = "CHECK(f(i) == \"old\");\nCHECK(f(1) == \"old\");\n";
  test::ExpectedTexts texts(files);
  texts.add_failure("a_test.cpp", 1, "one == old");
  texts.add_failure("a_test.cpp", 1, "two == old");
  texts.add_failure("a_test.cpp", 2, "one == old");
  CHECK(texts.rewrite() ==
        "a_test.cpp: rewritten\n"
        "a_test.cpp:1: not rewritten: no single literal holds what is expected\n");
  CHECK(files.files["a_test.cpp"] == "CHECK(f(i) == \"one\");\nCHECK(f(1) == \"one\");\n");
}

}  // namespace trainjobc::expected_texts_test
