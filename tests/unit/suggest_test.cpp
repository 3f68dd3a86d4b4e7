#include "base/suggest.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace trainjobc::base {
namespace {

std::string suggest(std::string_view word, const std::vector<std::string_view>& candidates) {
  return std::string(closest(word, candidates).value_or("nothing"));
}

const std::vector<std::string_view> kFields = {"name", "numNodes", "numProcPerNode", "resourcesPerNode",
                                               "env"};

}  // namespace

TEST_CASE("the closest candidate is suggested") {
  CHECK(suggest("resourcePerNode", kFields) == "resourcesPerNode");
  CHECK(suggest("numNode", kFields) == "numNodes");
  CHECK(suggest("nmae", kFields) == "name");
  CHECK(suggest("NAME", kFields) == "name");
}

TEST_CASE("what is too far away is not") {
  CHECK(suggest("image", kFields) == "nothing");
  CHECK(suggest("xyz", kFields) == "nothing");
  CHECK(suggest("e", {"env"}) == "nothing");
  CHECK(suggest("", kFields) == "nothing");
  CHECK(suggest("name", {}) == "nothing");
}

TEST_CASE("of equals the first wins, an exact match over all") {
  CHECK(suggest("ab", {"ax", "ay"}) == "ax");
  CHECK(suggest("ab", {"ax", "ab"}) == "ab");
}

TEST_CASE("a word too long to be compared is not") {
  CHECK(suggest(std::string(65, 'x'), {std::string_view("x")}) == "nothing");
}

}  // namespace trainjobc::base
