// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace trainjobc::parallel_test {
using trainjobc::base::parallel_for;

TEST_CASE("every index is called once, whatever the number of threads") {
  for (const unsigned threads : {0U, 1U, 3U, 50U}) {
    std::vector<std::atomic<int>> calls(100);
    parallel_for(calls.size(), 7, threads, [&](size_t index) { ++calls[index]; });
    for (const std::atomic<int>& count : calls) REQUIRE(count == 1);
  }
  parallel_for(0, 7, 2, [](size_t) { FAIL("nothing to do"); });
}

TEST_CASE("an exception of a thread reaches the caller, and ends the loop") {
  for (const unsigned threads : {1U, 4U}) {
    std::atomic<size_t> calls = 0;
    std::string message;
    try {
      parallel_for(100'000, 10, threads, [&](size_t index) {
        ++calls;
        if (index % 10 == 5) throw std::runtime_error("broken");
      });
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    CHECK(message == "broken");
    CHECK(calls <= 6 * threads);
  }
}

TEST_CASE("each thread has a body of its own") {
  std::atomic<int> bodies = 0;
  std::atomic<int> calls = 0;
  trainjobc::base::parallel_for_each_thread(100, 10, 3, [&] {
    ++bodies;
    return [&, own = 0](size_t) mutable {
      ++own;
      ++calls;
      REQUIRE(own <= 100);
    };
  });
  CHECK(calls == 100);
  CHECK(bodies <= 3);
}

}  // namespace trainjobc::parallel_test
