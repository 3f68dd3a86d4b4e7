// SPDX-License-Identifier: Apache-2.0

#include "policy/container.h"

#include <doctest/doctest.h>

#include "base/arena.h"

namespace trainjobc::policy {
namespace {

// Ports of which many have the number or the name of another, in an order without a pattern.
NodeList ports(const yaml::Maker& make, int64_t count) {
  NodeList list;
  for (int64_t i = 0; i < count; ++i) {
    const yaml::Node* name = i % 3 == 0 ? nullptr : make.copied("p" + std::to_string(i * 5 % 19));
    list.push_back(make.map({{"containerPort", make.integer(8000 + i * 7 % 23)}, {"name", name}}));
  }
  return list;
}

}  // namespace

TEST_CASE("upserts: many at once, in lists of any length, do what each does by itself") {
  base::Arena arena;
  const yaml::Maker make(arena);
  for (const int64_t count : {0, 3, 16, 17, 40, 200}) {
    CAPTURE(count);
    Container container;
    container.node = make.map(std::initializer_list<yaml::Entry>{});
    container.ports = ports(make, count);
    NodeList expected;
    for (const yaml::Node* port : container.ports) upsert_port(expected, port);
    CHECK(written_back(container).ports == expected);
  }
}

}  // namespace trainjobc::policy
