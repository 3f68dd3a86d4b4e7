// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/reading.h"

namespace trainjobc::yaml::json_writer_test {
namespace {

using test::Reading;

std::string json(std::string_view text, KeyOrder order, int indent) {
  const Reading reading(text);
  std::string out;
  write_json(reading.root(), order, indent, out);
  return out;
}

std::string in_quotes(std::string_view text) {
  std::string out;
  write_json_string(text, out);
  return out;
}

constexpr std::string_view kJob =
    "spec: {b: [1, {c: ~}], a: {}, e: []}\nmetadata: {labels: {x: '1'}, name: j}\nkind: "
    "TrainJob\napiVersion: v1\n";

}  // namespace

TEST_CASE("JSON on one line, keys as they are") {
  CHECK(
      json(kJob, KeyOrder::AsIs, 0) ==
      R"({"spec":{"b":[1,{"c":null}],"a":{},"e":[]},"metadata":{"labels":{"x":"1"},"name":"j"},"kind":"TrainJob","apiVersion":"v1"})");
}

TEST_CASE("indented JSON, keys as people expect them") {
  CHECK(json(kJob, KeyOrder::Kubernetes, 2) == R"({
  "apiVersion": "v1",
  "kind": "TrainJob",
  "metadata": {
    "name": "j",
    "labels": {
      "x": "1"
    }
  },
  "spec": {
    "a": {},
    "b": [
      1,
      {
        "c": null
      }
    ],
    "e": []
  }
})");
}

TEST_CASE("a string's quotes, backslashes and controls are escaped") {
  CHECK(in_quotes("") == R"("")");
  CHECK(in_quotes("a\"b\\c/d") == R"("a\"b\\c/d")");
  CHECK(in_quotes("\n\r\t\b\x01\x1f\x7f") == R"("\n\r\t\u0008\u0001\u001f\u007f")");
  CHECK(in_quotes("é日😀") == "\"é日😀\"");
  CHECK(in_quotes("\xC2\x85\xE2\x80\xA8\xE2\x80\xA9\xEF\xBB\xBF\xEF\xBF\xBF") ==
        R"("\u0085\u2028\u2029\ufeff\uffff")");
  CHECK(in_quotes(std::string_view("a\0b", 3)) == R"("a\u0000b")");
}

TEST_CASE("the order of keys: identity first, contents last, the rest alphabetically") {
  CHECK(json("{zeta: 1, containers: [], alpha: 2, image: i, name: me}", KeyOrder::Kubernetes, 0) ==
        R"({"name":"me","image":"i","alpha":2,"zeta":1,"containers":[]})");
  CHECK(key_rank("apiVersion") < key_rank("kind"));
  CHECK(key_rank("kind") < key_rank("metadata"));
  CHECK(key_rank("whatever") < key_rank("spec"));
  CHECK(key_rank("spec") < key_rank("status"));
}

}  // namespace trainjobc::yaml::json_writer_test
