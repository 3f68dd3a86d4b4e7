// SPDX-License-Identifier: Apache-2.0

#include "base/text/suggest.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace trainjobc::base::suggest_test {
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

TEST_CASE("distant candidates are not suggested") {
  CHECK(suggest("image", kFields) == "nothing");
  CHECK(suggest("xyz", kFields) == "nothing");
  CHECK(suggest("e", {"env"}) == "nothing");
  CHECK(suggest("", kFields) == "nothing");
  CHECK(suggest("name", {}) == "nothing");
}

TEST_CASE("of equal candidates the first wins, an exact match wins over all") {
  CHECK(suggest("abcd", {"abcx", "abcy"}) == "abcx");
  CHECK(suggest("abcd", {"abcx", "abcd"}) == "abcd");
}

TEST_CASE("a misspelling is inside a word, or in what separates the words") {
  const auto meant = [](std::string_view name) { return suggest(name, {"torch-distributed", "a100-team"}); };
  for (const std::string_view name : {"torch-distribted", "trch-distributed", "torch_distributed",
                                      "torchdistributed", "t0rch-distributed", "Torch.Distributed"})
    CHECK(meant(name) == "torch-distributed");
  CHECK(meant("a100-tema") == "a100-team");
  CHECK(suggest("craw1", {"crawl"}) == "crawl");
}

TEST_CASE("a name with another word or number is another name") {
  const auto is_other = [](std::string_view one, std::string_view other) {
    return suggest(one, {other}) == "nothing" && suggest(other, {one}) == "nothing";
  };
  CHECK(is_other("torch-distributed-rocm", "torch-distributed"));
  CHECK(is_other("my-torch-distributed", "torch-distributed"));
  CHECK(is_other("torch-distributed-2", "torch-distributed"));
  CHECK(is_other("queue-a", "queue-b"));
  CHECK(is_other("team-x", "team"));
  CHECK(is_other("node-1", "node-2"));
  CHECK(is_other("node1", "node"));
  CHECK(is_other("a100-high", "h100-high"));
  CHECK(is_other("gpu", "cpu"));
  CHECK(is_other("train-dev", "train-prd"));
  CHECK(is_other("mynode", "node"));
}

TEST_CASE("a word that is too long is not compared") {
  CHECK(suggest(std::string(65, 'x'), {std::string_view("x")}) == "nothing");
}

TEST_CASE("among many, a typo at either end or in the middle is found") {
  std::vector<std::string> texts;
  for (int i = 0; i < 20'000; ++i) texts.push_back("torch-" + std::to_string(100'000 + i) + "-gpu");
  const SuggestionList list({texts.begin(), texts.end()});
  CHECK(list.closest("trch-112345-gpu") == "torch-112345-gpu");
  CHECK(list.closest("Torch-112345-gup") == "torch-112345-gpu");
  CHECK(list.closest("torch-11-2345-gpu") == "torch-112345-gpu");
  CHECK(list.closest("torch-112345-gpu") == "torch-112345-gpu");
  CHECK_FALSE(list.closest("deepspeed").has_value());
  CHECK_FALSE(list.closest("").has_value());
}

}  // namespace trainjobc::base::suggest_test
