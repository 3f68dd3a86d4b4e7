// SPDX-License-Identifier: Apache-2.0

#include "base/arena.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

namespace trainjobc::arena_test {
using trainjobc::base::Arena;

TEST_CASE("arena: what is in it stays where it is, whatever comes next") {
  Arena arena;
  const std::string_view first = arena.copy(std::string_view("first"));
  for (int i = 0; i < 10'000; ++i) arena.copy(std::string_view("another text"));
  const std::string_view large = arena.copy(std::string(5 << 20U, 'x'));
  const std::string_view last = arena.copy(std::string_view("last"));
  const Arena moved = std::move(arena);
  CHECK(first == "first");
  CHECK(large == std::string(5 << 20U, 'x'));
  CHECK(last == "last");
}

TEST_CASE("arena: each value is aligned for its type") {
  Arena arena;
  for (int i = 0; i < 100; ++i) {
    arena.copy(std::string_view("abc"));
    const auto at = reinterpret_cast<uintptr_t>(arena.make(uint64_t{7}));
    CHECK(at % alignof(uint64_t) == 0);
    CHECK(reinterpret_cast<uintptr_t>(arena.make(static_cast<long double>(1))) % alignof(long double) == 0);
  }
}

TEST_CASE("arena: cleared, it uses the same memory again") {
  Arena arena;
  arena.clear();
  const void* first = arena.make(1);
  arena.clear();
  CHECK(arena.make(2) == first);
  arena.copy(std::string(3 << 20U, 'x'));
  arena.clear();
  CHECK(arena.make(3) == first);
}

}  // namespace trainjobc::arena_test
