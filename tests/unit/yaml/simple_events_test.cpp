// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "support/properties/simple_reading.h"
#include "yaml/read/events.h"

namespace trainjobc::yaml::simple_events_test {
namespace {

using test::different_events;

bool is_simple(std::string_view text) {
  return read_simple(text).has_value();
}

}  // namespace

TEST_CASE("simple documents have libyaml's events") {
  for (const std::string_view text : {
           "a: 1",
           "a: 1\n",
           "a:\n",
           "a:",
           "\n# comment\n  a: 1 # comment\n  b: x#y\n  # comment",
           "a: b:c\nurl: http://host:80/x?y=[z],{w}\n",
           "a: -1\nb: --flag=1\nc: ---\n",
           "|\n  a\n",
           "a: don't \"quote\" this  \nb: 1",
           "a: 'single # quoted: x'\nb: \"double # quoted: x\"  # comment\n\"c d\": 1\n'e': 2\n",
           "a:\n  b:\n    c: 1\n  d: 2\ne: 3\n",
           "a:\n- 1\n-\n- b: 1\n  c: 2\n-   - d\n    - e\nf: 4\n",
           "a:\n  - 1\n  -\n  - b: 1\n    c:\n      - x\n    d:\n    - y\n  -\n    e: 1\n",
           "- a\n- b:\n- - c\n",
           "a:\n  scalar of the next line\nb:\n  \"quoted\"\nc:\n  [1, 2]\n",
           "a: []\nb: {}\nc: [ ]\nd: [a b, 'c, d', \"e\", -f, [g], {h: i, 'j': [k]}]  # comment\ne: {k: v,l: "
           "w}\n",
           "a: |\n  x\n\n   y # no comment\n  z\n\n\nb: |-  \n    one\nc:\n- |\n  x",
           "a: |\n  x\n   \n    \nb: 1\n",
           "a:\n  b: |\n    x\n  # comment\n  c: 1\n",
           "a: caf\xC3\xA9 # \xE2\x80\x93\n\xC3\xA9: 1\n",
       }) {
    CAPTURE(text);
    CHECK(is_simple(text));
    CHECK(different_events(text) == "");
  }
}

TEST_CASE("what is not simple is left to libyaml") {
  for (const std::string_view text : {
           // Nothing, markers, directives.
           "",
           "# comment\n",
           "a: 1\n---\nb: 2\n",
           "--- x\n",
           "...\n",
           "%YAML 1.1\n",
           // White space and breaks.
           "a:\t1",
           "a: 1\r\n",
           "a: x\xC2\x85y",
           "a: x\xE2\x80\xA8y",
           "a: \xEF\xBB\xBFx",
           // Anchors, aliases, tags, complex keys.
           "a: &b 1",
           "a: *b",
           "a: !!str 1",
           "? a\n: b",
           "a: `b`",
           "a: @b",
           "a: %b",
           "[a]: b",
           "{a: b}: c",
           // Errors.
           "a: b: c",
           "a: 1\n b: 2",
           "a : 1",
           "a:\n    b: 1\n  c: 2",
           "a: - b",
           "a: 1\n- b",
           "- a\nb: 1",
           "a:\n  - b\n  c: 1",
           "a: \"b\" c",
           "a: 'b",
           "a: [b",
           "a: [b]c",
           "a\nb: 1",
           "a: x\n  # comment\n  y: 1",
           // Values of several lines.
           "a: b\n  c",
           "a\nb\n",
           "a: \"b\n  c\"",
           "a: [b,\n  c]",
           "a: >\n  b\n",
           "a: |+\n  b\n",
           "a: |2\n  b\n",
           "a: |\n\n  b\n",
           "a: |\nb: 1\n",
           "a: |",
           "a: | # comment\n  b\n",
           // Quotes with escapes.
           "a: \"b\\n\"",
           "a: 'b''c'",
           // Brackets.
           "a: [b, ]",
           "a: [,]",
           "a: {b}",
           "a: {b: }",
           "a: {b:c}",
           "a: {\"b\":c}",
           "a: [b: c]",
           "a: [b?]",
           "a: [b:]",
           "a: [-]",
           "a: [- b]",
           "a: [?b]",
           "a: [b #c]",
           "a: [b]#c",
           "a: [\"b\"#c\n]",
           "a: {b : c}",
       }) {
    CAPTURE(text);
    CHECK_FALSE(is_simple(text));
  }
  CHECK_FALSE(is_simple(std::string(1001, 'k') + ": 1"));
  CHECK(is_simple(std::string(1000, 'k') + ": 1"));
  CHECK(is_simple("a: " + std::string((size_t{1} << 20U) - 3, 'x')));
  CHECK_FALSE(is_simple("a: " + std::string((size_t{1} << 20U) - 2, 'x')));
  CHECK_FALSE(is_simple("a: " + std::string(200, '[') + std::string(200, ']')));
}

TEST_CASE("manifests with small changes have libyaml's events where they are simple") {
  const std::string manifest =
      "apiVersion: v1\nkind: TrainJob # of a team\nmetadata:\n  name: \"mnist\"\n  labels: {a: b, 'c': "
      "[d]}\nspec:\n"
      "  trainer:\n    command: [python, -m, train]\n    args:\n    - --lr=0.1\n    -\n    - |\n      echo "
      "a\n\n      b\n"
      "    env:\n      - name: X\n        value: 'y'\n      - {name: Z}\n";
  static constexpr std::string_view kPieces[] = {
      "\n",   "\n  ", "  ",  " ",  ": ", ":", "- ",  "-",  "#",  " #", "\"",      "'",
      "[",    "]",    "{",   "}",  ", ", ",", "|\n", "|-", "?",  "? ", "---",     "...",
      "\n\n", ">",    "&a ", "*a", "!",  "x", "\\",  "%",  "\t", "\r", "\xC3\xA9"};
  std::mt19937 random(4711);
  const auto below = [&](size_t count) { return random() % count; };
  int simple = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = manifest;
    for (size_t changes = 1 + below(3); changes-- > 0;) {
      const size_t at = below(text.size());
      const size_t removed = below(2) == 0 ? 0 : below(8);
      text.replace(at, removed, below(3) == 0 ? "" : kPieces[below(std::size(kPieces))]);
    }
    CAPTURE(text);
    REQUIRE(different_events(text) == "");
    if (is_simple(text)) ++simple;
  }
  CHECK(simple > 5'000);
}

}  // namespace trainjobc::yaml::simple_events_test
