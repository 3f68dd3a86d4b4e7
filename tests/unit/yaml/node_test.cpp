// SPDX-License-Identifier: Apache-2.0

#include "yaml/node.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/reading.h"
#include "yaml/changes.h"

namespace trainjobc::yaml::node_test {
namespace {

using test::Reading;

std::string json(const Node* node) {
  std::string out;
  write_json(*node, KeyOrder::AsIs, 0, out);
  return out;
}

std::string place(const base::Location& at) {
  return std::to_string(at.line) + ":" + std::to_string(at.column) + "-" + std::to_string(at.end_line) + ":" +
         std::to_string(at.end_column);
}

}  // namespace

TEST_CASE("values are reached by keys") {
  const Reading reading("a: {b: {c: [1, x]}}\nd: 5\n");
  const Node& root = reading.root();
  CHECK(json(root.at({"a", "b", "c"})) == R"([1,"x"])");
  CHECK(root.at({"a", "x", "c"}) == nullptr);
  CHECK(root.at({"d", "x"}) == nullptr);
  CHECK(root.get("d")->as_int() == 5);
  CHECK(root.find("d")->key == "d");
  CHECK(root.find("x") == nullptr);
  CHECK(root.items().empty());
  CHECK(root.text().empty());
  CHECK(root.get("d")->entries().empty());
}

TEST_CASE("keys of small and of large maps") {
  for (const size_t count : {0, 1, 31, 32, 33, 1000}) {
    base::Arena arena;
    const Maker make(arena);
    std::vector<Entry> entries;
    for (size_t i = 0; i < count; ++i)
      entries.push_back({arena.copy(std::string_view("key-" + std::to_string(i))),
                         make.integer(static_cast<int64_t>(i)),
                         {}});
    const Node* map = make.map(entries);
    size_t found = 0;
    for (size_t i = 0; i < count; ++i) {
      const Entry* entry = map->find("key-" + std::to_string(i));
      found += entry == &map->entries()[i] && entry->value->as_int() == static_cast<int64_t>(i) ? 1 : 0;
    }
    CHECK(found == count);
    CHECK(map->find("key-" + std::to_string(count)) == nullptr);
    CHECK(map->find("") == nullptr);
    CHECK(make.with_origin(*map, {})->get("key-0") == (count > 0 ? entries[0].value : nullptr));
    CHECK(make.with(map, "key-0", nullptr)->get("key-0") == nullptr);
    CHECK(make.with(map, "new", map)->get("new") == map);
  }
}

TEST_CASE("numbers and booleans as C++ values") {
  const Reading reading("{i: 5, big: 18446744073709551615, f: 1.5, s: \"5\", t: yes}\n");
  const Node& root = reading.root();
  CHECK(root.get("i")->as_int() == 5);
  CHECK(root.get("big")->as_int() == std::nullopt);
  CHECK(root.get("f")->as_int() == std::nullopt);
  CHECK(root.get("s")->as_int() == std::nullopt);
  CHECK(root.get("t")->as_bool() == true);
  CHECK(root.get("i")->as_bool() == std::nullopt);
}

TEST_CASE("values that omitempty drops") {
  const Reading reading("empty: [~, no, 0, '', [], {}]\nfull: [yes, 1, 1.5, x, [0], {a: 0}]\n");
  for (const Node* node : reading.root().get("empty")->items()) CHECK(node->is_empty_value());
  for (const Node* node : reading.root().get("full")->items()) CHECK(!node->is_empty_value());
}

TEST_CASE("equality compares values") {
  const Reading reading("a: {x: 1, y: [1.0, 2e3, z]}\nb: {y: [1, 2000, z], x: 1}\nc: {x: 1}\nd: '1'\n");
  const Node& root = reading.root();
  CHECK(equal(*root.get("a"), *root.get("b")));
  CHECK(!equal(*root.get("a"), *root.get("c")));
  CHECK(!equal(*root.get("c")->get("x"), *root.get("d")));
}

TEST_CASE("a changed tree shares what did not change") {
  base::Arena arena;
  const Maker make(arena);
  const Node* map = make.with_path(nullptr, {"a", "b"}, make.integer(-7));
  const Node* more = make.with(map, "c", make.boolean(true));
  CHECK(json(map) == R"({"a":{"b":-7}})");
  CHECK(json(more) == R"({"a":{"b":-7},"c":true})");
  CHECK(more->get("a") == map->get("a"));
  CHECK(json(make.with_path(more, {"a", "b"}, nullptr)) == R"({"a":{},"c":true})");
  CHECK(json(make.with(more, "a", make.string("x"))) == R"({"a":"x","c":true})");
  CHECK(make.with_path(map, {"x", "y"}, nullptr) == map);
  CHECK(json(make.with_path(more, {"c", "d"}, make.null())) == R"({"a":{"b":-7},"c":{"d":null}})");
}

TEST_CASE("a map or list is copied at its first change") {
  const Reading reading("{a: 1, b: 2, c: [p, q]}");
  const Node& map = reading.root();
  const Node& list = *map.get("c");
  base::Arena arena;
  const Maker make(arena);
  const auto taken = [&](const Node* second) {
    ChangedMap changed(map);
    for (const Entry& entry : map.entries()) changed.take(entry.key == "b" ? second : entry.value);
    return changed;
  };
  CHECK(taken(map.get("b")).node(make) == &map);
  CHECK(json(taken(make.null()).node(make)) == R"({"a":1,"b":null,"c":["p","q"]})");
  CHECK(json(taken(nullptr).node(make)) == R"({"a":1,"c":["p","q"]})");
  ChangedMap more = taken(map.get("b"));
  more.set({"a", make.null(), {}});
  more.set({"d", make.null(), {}});
  CHECK(json(more.node(make)) == R"({"b":2,"c":["p","q"],"a":null,"d":null})");

  ChangedList same(list);
  for (const Node* item : list.items()) same.take(item);
  CHECK(same.node(make) == &list);
  ChangedList other(list);
  other.take(list.items()[0]);
  other.take(make.null());
  CHECK(json(other.node(make)) == R"(["p",null])");
}

TEST_CASE("a node knows its place") {
  const Reading reading("spec:\n  args: [\"a b\", c, &x {d: 1}]\n  none:\n  text: |\n    x\n");
  const Node& spec = *reading.root().get("spec");
  CHECK(place(locate(spec)) == "2:3-2:7");
  CHECK(place(locate_key(*reading.root().find("spec"))) == "1:1-1:5");
  const auto items = spec.get("args")->items();
  CHECK(place(locate(*items[0])) == "2:10-2:15");
  CHECK(place(locate(*items[1])) == "2:17-2:18");
  CHECK(place(locate(*items[2])) == "2:23-2:24");
  CHECK(place(locate(*spec.get("none"))) == "3:3-3:7");
  CHECK(place(locate(*spec.get("text"))) == "4:9-4:10");
}

TEST_CASE("a computed node points at its inputs") {
  const Reading reading("nodes: 4\n");
  base::Arena arena;
  const Maker make(arena);
  const Node* env = make.string("4", make.made("torch/PET_NNODES", {nullptr, reading.root().get("nodes")}));
  CHECK(env->origin().derivation()->rule == "torch/PET_NNODES");
  CHECK(place(locate(*env)) == "1:8-1:9");
  CHECK(place(locate_key({"value", env, {}})) == "1:8-1:9");
  CHECK(locate(*make.string("x")).file == nullptr);
}

}  // namespace trainjobc::yaml::node_test
