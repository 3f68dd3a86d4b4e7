// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/cursor.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace trainjobc::cursor_test {
namespace {

std::string spot_name(const lsp::Cursor& cursor) {
  switch (cursor.spot) {
    case lsp::Spot::None: return "none";
    case lsp::Spot::Key: return cursor.is_complete ? "key" : "new key";
    case lsp::Spot::Value: return "value";
    case lsp::Spot::KeyOrValue: return "key or value";
    case lsp::Spot::Comment: return "comment";
  }
  return "";
}

// What is at the @@ of the text: "key spec.trainer: num|Nodes", with the kind of the object.
std::string typed_at(std::string text) {
  const size_t at = text.find("@@");
  text.erase(at, 2);
  const lsp::Cursor cursor = lsp::find_typed(text, at);
  if (cursor.spot == lsp::Spot::None) return "none";
  const std::string rest = cursor.word.substr(std::min(cursor.typed.size(), cursor.word.size()));
  std::string out =
      fmt::format("{} {}: {}|{}", spot_name(cursor), lsp::to_string(cursor.path), cursor.typed, rest);
  if (!cursor.kind().empty()) out += fmt::format(" ({})", cursor.kind());
  return out;
}

std::string found_at(std::string text) {
  const size_t at = text.find("@@");
  text.erase(at, 2);
  const lsp::Cursor cursor = lsp::find_at(text, at);
  if (cursor.spot == lsp::Spot::None) return "none";
  return fmt::format("{} {}: {}", spot_name(cursor), lsp::to_string(cursor.path), cursor.word);
}

}  // namespace

TEST_CASE("cursor: keys and values of a block") {
  CHECK(typed_at("kind: TrainJob\nspec:\n  trainer:\n    num@@Nodes: 4\n") ==
        "key spec.trainer.numNodes: num|Nodes (TrainJob)");
  CHECK(typed_at("kind: TrainJob\nspec:\n  trainer:\n    nu@@\n    image: x\n") ==
        "new key spec.trainer.nu: nu| (TrainJob)");
  CHECK(typed_at("spec:\n  trainer:\n    nu@@\n") == "key or value spec.trainer: nu|");
  CHECK(typed_at("spec:\n  trainer:\n    @@\n") == "key or value spec.trainer: |");
  CHECK(typed_at("spec:\n  trainer:\n    image: x\n    @@") == "new key spec.trainer.: |");
  CHECK(typed_at("spec:\n  trainer:\n    image: x\n  @@") == "new key spec.: |");
  CHECK(typed_at("spec:\n  trainer:\n    image: x\n@@") == "new key : |");
  CHECK(typed_at("spec:\n  trainer:\n    numNodes: @@\n    image: x\n") == "value spec.trainer.numNodes: |");
  CHECK(typed_at("spec:\n  trainer:\n    numNodes: 1@@2 # twelve\n") == "value spec.trainer.numNodes: 1|2");
  CHECK(typed_at("spec:\n  trainer: @@\n    image: x\n") == "value spec.trainer: |");
  CHECK(typed_at("spec:\n  trainer@@\n    image: x\n  suspend: true\n") == "new key spec.trainer: trainer|");
  CHECK(typed_at("@@") == "key or value : |");
}

TEST_CASE("cursor: items") {
  CHECK(typed_at("env:\n- name: A\n- @@\n") == "key or value env[1]: |");
  CHECK(typed_at("env:\n- name: A\n  val@@\n- name: B\n") == "new key env[0].val: val|");
  CHECK(typed_at("env:\n- name: A\n  value: x@@\n- name: B\n") == "value env[0].value: x|");
  CHECK(typed_at("env:\n  - name: A\n  - name: @@\n  - name: C\n") == "value env[1].name: |");
  CHECK(typed_at("env:\n  - name: A\n  @@\n  - name: C\n") == "key or value env: |");
  CHECK(typed_at("env:\n  @@\n") == "key or value env: |");
  CHECK(typed_at("env:\n@@\n") == "new key : |");
  CHECK(typed_at("args:\n- --a\n- -@@-b\n") == "key or value args[1]: -|-b");
  CHECK(typed_at("a:\n- - b\n  - c@@\n") == "key or value a[0][1]: c|");
  CHECK(typed_at("a: @@\n- b\n- c\nd: e\n") == "value a: |");
}

TEST_CASE("cursor: brackets") {
  CHECK(typed_at("command: [python, @@]\n") == "value command[1]: |");
  CHECK(typed_at("command: [python, tr@@\nargs: [b]\n") == "value command[1]: tr|");
  CHECK(typed_at("runtimeRef: {na@@}\n") == "new key runtimeRef.na: na|");
  CHECK(typed_at("runtimeRef: {name: to@@, kind: x}\n") == "value runtimeRef.name: to|");
  CHECK(typed_at("runtimeRef: {name: to@@\nspec: 1\n") == "value runtimeRef.name: to|");
  CHECK(typed_at("{\"kind\": \"TrainJob\", \"spec\": {\"tr@@\": {}}}") == "key spec.tr: tr| (TrainJob)");
  CHECK(typed_at("{\"kind\":\"TrainJob\",\"spec\":{\"suspend\":@@}}") == "value spec.suspend: | (TrainJob)");
  CHECK(typed_at("a: [\n  b,\n  @@\n]\nc: d\n") == "value a[1]: |");
}

TEST_CASE("cursor: quotes, block scalars, comments, anchors") {
  CHECK(typed_at("a: \"b@@c\"\n") == "value a: b|c");
  CHECK(typed_at("a: \"b@@\nd: e\n") == "value a: b|");
  CHECK(typed_at("\"a b\": c@@\n") == "value a b: c|");
  CHECK(typed_at("a: |\n  text @@more\nb: c\n") == "none");
  CHECK(typed_at("a: |\n  text\n\n  @@\nb: c\n") == "none");
  CHECK(typed_at("a: |\n  text\nb@@: c\n") == "key b: b|");
  CHECK(typed_at("a: b  # trainjobc:ignore adv@@ice/x\n") == "comment : adv|ice/x");
  CHECK(typed_at("a: \"# @@\"\n") == "value a: # |");
  CHECK(typed_at("a: &x b@@\n") == "value a: b|");
  CHECK(typed_at("a: &x\n  b: c@@\n") == "value a.b: c|");
}

TEST_CASE("cursor: documents and Lists") {
  CHECK(typed_at("kind: A\n---\nkind: B\nspec:\n  x@@\n---\nkind: C\n") == "key or value spec: x| (B)");
  CHECK(typed_at("kind: A\n--@@-\nkind: B\n") == "new key ---: --|- (A)");
  CHECK(typed_at("kind: A\n---\n@@") == "key or value : |");
  CHECK(typed_at("kind: List\nitems:\n- kind: TrainJob\n  spec:\n    su@@\n") ==
        "key or value spec: su| (TrainJob)");
  CHECK(typed_at("kind: A\r\nspec:\r\n  x: y@@\r\n") == "value spec.x: y| (A)");
}

TEST_CASE("cursor: hover finds what is there") {
  CHECK(found_at("spec:\n  num@@Nodes: 4\n") == "key spec.numNodes: numNodes");
  CHECK(found_at("spec:\n  numNodes: @@4\n") == "value spec.numNodes: 4");
  CHECK(found_at("spec:\n  numNodes@@: 4\n") == "none");
  CHECK(found_at("spec:\n @@ numNodes: 4\n") == "none");
  CHECK(found_at("a: b # trainjobc:ignore advice/@@x -- y\n") == "comment : advice/x");
}

TEST_CASE("cursor: what is nested deeply ends") {
  std::string nested;
  for (int i = 0; i < 2'000; ++i) nested += "- ";
  CHECK(typed_at(nested + "@@") != "");
  CHECK(typed_at(std::string(2'000, '[') + "@@") != "");
  CHECK(typed_at(std::string(2'000, '{') + "@@") != "");
  std::string steps;
  for (int i = 0; i < 300; ++i) steps += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  CHECK(typed_at(steps + "@@") == "new key : |");
}

}  // namespace trainjobc::cursor_test
