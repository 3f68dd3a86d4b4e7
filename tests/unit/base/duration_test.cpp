// SPDX-License-Identifier: Apache-2.0

#include "base/text/duration.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>

namespace trainjobc::duration_test {
namespace {

// In seconds; -1 for what is no time.
int64_t seconds(std::string_view text) {
  const auto time = base::read_time(text);
  return time ? time->count() : -1;
}

}  // namespace

TEST_CASE("times: numbers of seconds, minutes or hours") {
  CHECK(seconds("0") == 0);
  CHECK(seconds("90") == 90);
  CHECK(seconds("90s") == 90);
  CHECK(seconds("10m") == 600);
  CHECK(seconds("2h") == 7200);
  CHECK(seconds("4294967295") == 4294967295);
  CHECK(seconds("1193046h") == 4294965600);
  for (const char* text : {"", "s", "m", "-1", "+1", "1.5s", "1 s", " 1", "1ms", "1d", "1S", "4294967296",
                           "1193047h", "71582789m", "99999999999999999999"}) {
    INFO(text);
    CHECK(seconds(text) == -1);
  }
}

}  // namespace trainjobc::duration_test
