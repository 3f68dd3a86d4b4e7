// SPDX-License-Identifier: Apache-2.0

#include "k8s/object_meta.h"

#include <doctest/doctest.h>

#include <string>

#include "support/schema.h"

namespace trainjobc::k8s::object_meta_test {
namespace {

using test::Parsed;
using Fields = std::vector<std::string>;

std::string report(const std::string& text, NameRule rule = NameRule::DnsSubdomain, bool namespaced = true) {
  const Parsed document(text);
  return test::report(validate_object_meta(*document, rule, namespaced));
}

Fields fields(const std::string& metadata, NameRule rule = NameRule::DnsSubdomain, bool namespaced = true) {
  const Parsed document("metadata: {" + metadata + "}");
  return test::fields(validate_object_meta(*document, rule, namespaced));
}

}  // namespace

TEST_CASE("object metadata: a name is required") {
  CHECK(report("kind: TrainJob\nspec: {}\n") ==
        "t.yaml:1:1: error: metadata.name is required [input/required]\n"
        "    1 | kind: TrainJob\n"
        "      | ^~~~ add name:\n");
  CHECK(report("metadata:\n  namespace: a\n") ==
        "t.yaml:2:3: error: metadata.name is required [input/required]\n"
        "    2 |   namespace: a\n"
        "      |   ^~~~~~~~~ add name:\n");
  CHECK(report("metadata:\n  name: ''\n") ==
        "t.yaml:2:9: error: metadata.name is required [input/required]\n"
        "    2 |   name: ''\n"
        "      |         ^~ give the object a name\n");
  CHECK(fields("name: null") == Fields{"metadata.name"});
  CHECK(fields("generateName: a-").empty());
}

TEST_CASE("object metadata: names") {
  CHECK(
      report("metadata:\n  name: My_Job\n") ==
      "t.yaml:2:9: error: metadata.name \"My_Job\" may contain only lower-case letters, digits, '-' and '.', "
      "and must "
      "begin and end with a letter or digit [input/name]\n"
      "    2 |   name: My_Job\n"
      "      |         ^~~~~~ such as \"my-job\"\n");
  CHECK(report("metadata:\n  name: " + std::string(254, 'a') + "\n")
            .starts_with("t.yaml:2:9: error: metadata.name \"" + std::string(57, 'a') +
                         "…\" has 254 characters, at most 253 are allowed [input/name]\n"));
  CHECK(fields("name: a.b").empty());
  CHECK(fields("name: 9").size() == 0);  // of the wrong type, which is the schema's to say
  CHECK(fields("name: '9'").empty());
  CHECK(fields("name: a..b") == Fields{"metadata.name"});
  CHECK(fields("name: a.b", NameRule::DnsLabel) == Fields{"metadata.name"});
  CHECK(fields("name: '9'", NameRule::DnsLabel).empty());
  CHECK(fields("name: '9'", NameRule::Dns1035Label) == Fields{"metadata.name"});
  CHECK(fields("name: a9", NameRule::Dns1035Label).empty());
}

TEST_CASE("object metadata: name prefixes") {
  CHECK(fields("generateName: a_").size() == 1);
  CHECK(fields("generateName: a--").empty());
  CHECK(fields("generateName: '-'") == Fields{"metadata.generateName"});
  CHECK(fields("generateName: A, name: a") == Fields{"metadata.generateName"});
}

TEST_CASE("object metadata: namespaces") {
  CHECK(report("metadata:\n  name: a\n  namespace: team.a\n") ==
        "t.yaml:3:14: error: metadata.namespace \"team.a\" may contain only lower-case letters, digits and "
        "'-', "
        "and must "
        "begin and end with a letter or digit [input/name]\n"
        "    3 |   namespace: team.a\n"
        "      |              ^~~~~~ such as \"team-a\"\n");
  CHECK(fields("name: a, namespace: A", NameRule::DnsSubdomain, false).empty());
}

TEST_CASE("object metadata: labels") {
  CHECK(
      report("metadata:\n  name: a\n  labels:\n    my label: x\n    team: a b\n    Example.com/x: y\n    "
             "/x: y\n") ==
      "t.yaml:4:5: error: the label key \"my label\" may contain only letters, digits, '-', '_' and '.', and "
      "must begin "
      "and end with a letter or digit [input/label]\n"
      "    4 |     my label: x\n"
      "      |     ^~~~~~~~\n"
      "t.yaml:5:11: error: the value \"a b\" of label \"team\" may contain only letters, digits, '-', '_' "
      "and "
      "'.', and "
      "must begin and end with a letter or digit [input/label]\n"
      "    5 |     team: a b\n"
      "      |           ^~~ free text belongs in metadata.annotations\n"
      "t.yaml:6:5: error: the label key \"Example.com/x\" needs a DNS name such as example.com before its "
      "'/' "
      "[input/label]\n"
      "    6 |     Example.com/x: y\n"
      "      |     ^~~~~~~~~~~~~\n"
      "t.yaml:7:5: error: the label key \"/x\" has a prefix that is empty [input/label]\n"
      "    7 |     /x: y\n"
      "      |     ^~\n");
  CHECK(fields("name: a, labels: {a: '', b/C_d: E.f}").empty());
  CHECK(fields("name: a, labels: {a: " + std::string(64, 'a') + "}") == Fields{"metadata.labels"});
  CHECK(fields("name: a, labels: {" + std::string(64, 'a') + ": a}") == Fields{"metadata.labels"});
  CHECK(fields("name: a, labels: {a/b/c: a}") == Fields{"metadata.labels"});
}

TEST_CASE("object metadata: annotations") {
  CHECK(fields("name: a, annotations: {Example.com/x: 'any text'}").empty());
  CHECK(
      report("metadata:\n  name: a\n  annotations:\n    a b: c\n") ==
      "t.yaml:4:5: error: the annotation key \"a b\" may contain only letters, digits, '-', '_' and '.', and "
      "must begin "
      "and end with a letter or digit [input/annotation]\n"
      "    4 |     a b: c\n"
      "      |     ^~~\n");
  const std::string half(128 * 1024 - 1, 'x');
  CHECK(fields("name: a, annotations: {a: " + half + ", b: " + half + "}").empty());
  const Parsed document("metadata: {name: a, annotations: {a: " + half + ", b: " + half + "y}}");
  const Violations found = validate_object_meta(*document, NameRule::DnsSubdomain, true);
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "metadata.annotations have 262145 bytes in total, at most 262144 are allowed");
}

TEST_CASE("object metadata: owners") {
  CHECK(
      report("metadata:\n  name: a\n  ownerReferences:\n  - apiVersion: a/b/c\n    name: x\n    uid: ''\n") ==
      "t.yaml:4:17: error: an owner can't have the apiVersion \"a/b/c\" [input/owner-reference]\n"
      "    4 |   - apiVersion: a/b/c\n"
      "      |                 ^~~~~ such as batch/v1\n"
      "t.yaml:4:5: error: an owner needs a kind [input/owner-reference]\n"
      "    4 |   - apiVersion: a/b/c\n"
      "      |     ^~~~~~~~~~\n"
      "t.yaml:6:10: error: an owner needs a uid [input/owner-reference]\n"
      "    6 |     uid: ''\n"
      "      |          ^~\n");
  CHECK(fields("name: a, ownerReferences: [{apiVersion: 1, kind: '', name: '', uid: ''}]") ==
        Fields{"metadata.ownerReferences.kind", "metadata.ownerReferences.name",
               "metadata.ownerReferences.uid"});
  const std::string owner = "apiVersion: v1, name: x, uid: u, controller: true, kind: ";
  CHECK(fields("name: a, ownerReferences: [{" + owner + "Event}]") == Fields{"metadata.ownerReferences"});
  CHECK(fields("name: a, ownerReferences: [{" + owner + "Pod}]").empty());
  CHECK(fields("name: a, ownerReferences: [{" + owner + "Pod}, {" + owner + "Job}]") ==
        Fields{"metadata.ownerReferences"});
}

TEST_CASE("object metadata: finalizers") {
  CHECK(fields("name: a, finalizers: [example.com/a, kubernetes, orphan]").empty());
  CHECK(report("metadata:\n  name: a\n  finalizers: [a b, orphan, foregroundDeletion]\n") ==
        "t.yaml:3:16: error: the finalizer \"a b\" may contain only letters, digits, '-', '_' and '.', and "
        "must "
        "begin and end with a letter or digit [input/finalizer]\n"
        "    3 |   finalizers: [a b, orphan, foregroundDeletion]\n"
        "      |                ^~~\n"
        "t.yaml:3:15: error: the finalizers orphan and foregroundDeletion can't be "
        "used together [input/finalizer]\n"
        "    3 |   finalizers: [a b, orphan, foregroundDeletion]\n"
        "      |               ^ keep one of the two\n");
}

TEST_CASE("object metadata: values of the wrong type are left to the schema") {
  CHECK(fields("name: 7, namespace: [a], labels: [a], annotations: 7, finalizers: a, ownerReferences: b")
            .empty());
  CHECK(fields("name: a, labels: {a: 7}, annotations: {a: true}, finalizers: [7], ownerReferences: []")
            .empty());
  CHECK(report("metadata: 7\n") == R"(t.yaml:1:1: error: metadata.name is required [input/required]
    1 | metadata: 7
      | ^~~~~~~~ add name:
)");
}

}  // namespace trainjobc::k8s::object_meta_test
