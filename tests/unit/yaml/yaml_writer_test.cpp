// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/reading.h"

namespace trainjobc::yaml::yaml_writer_test {
namespace {

using test::Reading;

std::string yaml(std::string_view text, KeyOrder order = KeyOrder::AsIs) {
  const Reading reading(text);
  std::string out;
  write_yaml(reading.root(), order, out);
  return out;
}

// A lone string as the value of a key, without the key.
std::string value(std::string_view text) {
  base::Arena arena;
  const Maker make(arena);
  std::string out;
  write_yaml(*make.with(nullptr, "k", make.string(text)), KeyOrder::AsIs, out);
  return out.substr(3, out.size() - 4);
}

std::string number(Kind kind, std::string_view text) {
  base::Arena arena;
  std::string out;
  write_yaml(*Maker(arena).plain(kind, text), KeyOrder::AsIs, out);
  return out;
}

}  // namespace

TEST_CASE("block style, lists at the indentation of their key") {
  CHECK(
      yaml(
          R"({"spec":{"jobs":[{"name":"a","args":["x",["y","z"],[]]},{}],"empty":{}},"kind":"K","none":null})") ==
      R"(spec:
  jobs:
  - name: a
    args:
    - x
    - - "y"
      - z
    - []
  - {}
  empty: {}
kind: K
none: null
)");
}

TEST_CASE("keys in the order of Kubernetes") {
  CHECK(yaml("{spec: {b: 1, a: 2}, metadata: {labels: {z: 'y'}, name: me}, kind: K, apiVersion: v1}",
             KeyOrder::Kubernetes) == R"(apiVersion: v1
kind: K
metadata:
  name: me
  labels:
    z: "y"
spec:
  a: 2
  b: 1
)");
}

TEST_CASE("a root of any kind") {
  CHECK(yaml("[a, {b: c}]") == "- a\n- b: c\n");
  CHECK(yaml("x") == "x\n");
  CHECK(yaml("'5'") == "\"5\"\n");
  CHECK(yaml("{}") == "{}\n");
  CHECK(yaml("[]") == "[]\n");
  CHECK(yaml("\"a\\nb\"") == "|-\n  a\n  b\n");
}

TEST_CASE("plain strings stay plain") {
  for (const char* text : {"a", "a b", "a:b", "a#b", "-x", "--flag=1", "http://x:80/y?z", "it's", "a\"b",
                           "nvidia.com/gpu", "1Gi", "x]", "a, b", "é日😀", "100m", "\\n"}) {
    CHECK(value(text) == text);
  }
}

TEST_CASE("ambiguous strings are quoted") {
  for (const char* text :
       {"",         "yes",        "null", "~",    "1",  "1.5",  "1e3", "1e400", "0x1f", "0o17",
        "12:30:45", "2001-01-01", ".inf", "=",    "<<", " a",   "a ",  "-",     "- a",  "---",
        "...",      "? a",        ": a",  "a: b", "a:", "a #b", "#",   "&a",    "*a",   "!a",
        "|",        ">",          "%a",   "@a",   "`a", "[a",   "{a",  ",a",    "-0x_"}) {
    CHECK(value(text) == "\"" + std::string(text) + "\"");
  }
  CHECK(value("'a'") == "\"'a'\"");
  CHECK(value("\"a\"") == "'\"a\"'");
  CHECK(value("\\: ") == "'\\: '");
  CHECK(value("'a' \"b\"") == "'''a'' \"b\"'");
}

TEST_CASE("characters that plain and single-quoted strings can't contain are escaped") {
  CHECK(value("a\tb") == R"("a\tb")");
  CHECK(value("\n") == R"("\n")");
  CHECK(value("a\r\nb") == R"("a\r\nb")");
  CHECK(value(" a\nb") == R"(" a\nb")");
  CHECK(value("a\n ") == R"("a\n ")");
  CHECK(value("\x1B[0m\x7F") == R"("\x1b[0m\x7f")");
  CHECK(value("a\xC2\x85"
              "b\xC2\xA0") == R"("a\x85b\xa0")");
  CHECK(value("\xE2\x80\xA8\xE2\x80\xA9\xEF\xBB\xBF\xEF\xBF\xBE\xEF\xBF\xBF") ==
        R"("\u2028\u2029\ufeff\ufffe\uffff")");
  CHECK(value(std::string_view("a\0b", 3)) == R"("a\x00b")");
  CHECK(value("tab\there \"q\" \\") == R"("tab\there \"q\" \\")");
}

TEST_CASE("strings of several lines are literal blocks") {
  CHECK(yaml(R"({"a":{"clip":"x\n  y\n\nz\n","strip":"x\ny","keep":"x\n\n\n"},"l":["x\ny\n"],"end":1})") ==
        R"(a:
  clip: |
    x
      y

    z
  strip: |-
    x
    y
  keep: |+
    x


l:
- |
  x
  y
end: 1
)");
}

TEST_CASE("keys are quoted as strings are") {
  CHECK(yaml(R"({"yes":1,"a b":2,"":3,"<<":4,"a: b":5,"l\nm":6,"x/y.z":7})") == R"("yes": 1
a b: 2
"": 3
"<<": 4
"a: b": 5
"l\nm": 6
x/y.z: 7
)");
}

TEST_CASE("a key too long for a simple key is an explicit one") {
  const std::string key(1001, 'k');
  CHECK(yaml("{\"" + key + "\":{\"a\":1},\"b\":[{\"" + key + "\":[2]}]}") ==
        "? \"" + key + "\"\n:\n  a: 1\nb:\n- ? \"" + key + "\"\n  :\n  - 2\n");
}

TEST_CASE("numbers are numbers to YAML 1.1 too") {
  CHECK(number(Kind::Int, "-5") == "-5\n");
  CHECK(number(Kind::Float, "0.5") == "0.5\n");
  CHECK(number(Kind::Float, "1e+21") == "1.0e+21\n");
  CHECK(number(Kind::Float, "1.5e-7") == "1.5e-7\n");
  CHECK(number(Kind::Float, "-2E5") == "-2.0e+5\n");
}

TEST_CASE("written values are read back") {
  for (const char* text : {"{a: [1, \"x\\ty\", \"\\e\\_\\N\\L\"], b: {c: 'd'}}",
                           "a: |+\n  x\n\nb: >\n  y\n  z\n", "- - - a\n- []\n- {}\n- ''\n"}) {
    CAPTURE(text);
    const Reading first(text);
    std::string out;
    write_yaml(first.root(), KeyOrder::AsIs, out);
    const Reading second(out);
    CHECK(second.diagnostics().empty());
    CHECK(equal(first.root(), second.root()));
  }
}

}  // namespace trainjobc::yaml::yaml_writer_test
