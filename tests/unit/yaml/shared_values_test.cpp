// SPDX-License-Identifier: Apache-2.0

#include "yaml/shared_values.h"

#include <doctest/doctest.h>

#include "yaml/read/reader.h"

namespace trainjobc::shared_values_test {
namespace {

using yaml::Node;

// Text with its tree.
class Tree {
 public:
  explicit Tree(std::string text) : text_(text) { REQUIRE(text_.root()); }

  const Node& root() const { return *text_.root(); }

 private:
  yaml::Text text_;
};

}  // namespace

TEST_CASE("copies share the subtrees that are equal, and have the values of the original") {
  const Tree first("a: {list: [1, {b: x}], c: null}\nd: true\n");
  const Tree second("a: {list: [1, {b: x}], c: null}\nd: false\n");
  yaml::SharedValues values;
  const Node* one = values.copy(&first.root());
  const Node* other = values.copy(&second.root());
  CHECK(yaml::equal(*one, first.root()));
  CHECK(yaml::equal(*other, second.root()));
  CHECK(one->get("a") == other->get("a"));
  CHECK(one->get("d") != other->get("d"));
  CHECK(one->find("a")->key.data() == other->find("a")->key.data());
  CHECK(values.copy(&first.root()) == one);
  CHECK(values.copy(nullptr) == nullptr);
}

TEST_CASE("what differs in the order of keys, the kind or the mark of a secret is not shared") {
  const Tree tree("a: {b: 1, c: 2}\nd: {c: 2, b: 1}\ne: \"1\"\nf: []\ng: {}\n");
  yaml::SharedValues values;
  const Node* copy = values.copy(&tree.root());
  CHECK(copy->get("a") != copy->get("d"));
  CHECK(copy->at({"a", "b"}) == copy->at({"d", "b"}));
  CHECK(copy->get("e") != copy->at({"a", "b"}));
  CHECK(copy->get("f") != copy->get("g"));
  base::Arena arena;
  const Node& plain = *tree.root().get("e");
  const Node* secret = yaml::Maker(arena).with_origin(plain, plain.origin().as_secret());
  CHECK(values.copy(secret) != values.copy(&plain));
  CHECK(values.copy(secret)->origin().is_secret());
  CHECK(!values.copy(&plain)->origin().file());
}

}  // namespace trainjobc::shared_values_test
