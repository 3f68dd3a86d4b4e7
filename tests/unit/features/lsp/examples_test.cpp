// SPDX-License-Identifier: Apache-2.0

// What holds for every place of the examples.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

#include "features/lsp/answers.h"
#include "features/lsp/cursor.h"
#include "support/lsp.h"

namespace trainjobc::examples_test {
namespace {

std::map<std::string, std::string> example_files() {
  std::map<std::string, std::string> files;
  const std::filesystem::path folder(TRAINJOBC_SOURCE_DIR "/examples");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml" || entry.path().string().find("/.github/") != std::string::npos)
      continue;
    std::ifstream in(entry.path());
    files[entry.path().lexically_relative(folder).string()] = {std::istreambuf_iterator<char>(in), {}};
  }
  return files;
}

struct Examples {
  std::map<std::string, std::string> files = example_files();
  test::LspWorkspace workspace;

  Examples() {
    for (const auto& [path, text] : files) workspace.file(path, text);
    workspace.workspace().findings();
  }
};

bool offers(const nlohmann::json& completions, const std::string& label) {
  for (const nlohmann::json& item : completions["items"]) {
    if (item["label"] == label) return true;
  }
  return false;
}

struct Key {
  std::string name;
  size_t end = 0;
};

// The keys that the schema names.
void collect_keys(const lsp::SyntaxNode& value, const schema::Schema* schema, std::vector<Key>& keys) {
  if (!schema) return;
  for (const lsp::SyntaxEntry& entry : value.entries) {
    if (value.is_list()) {
      collect_keys(entry.value, schema->items, keys);
      continue;
    }
    const schema::Property* property = schema->property(entry.key);
    if (property) keys.push_back({entry.key, entry.key_end});
    collect_keys(entry.value, property ? property->schema : schema->additional, keys);
  }
}

std::vector<Key> keys_of(const lsp::Workspace& workspace, const std::string& document,
                         const std::string& text) {
  std::vector<Key> keys;
  for (const lsp::DocumentExtent& extent : lsp::document_extents(text)) {
    const lsp::Cursor cursor = lsp::find_at(text, extent.end - 1);
    const lsp::SyntaxNode root = lsp::parse_syntax(text, extent);
    collect_keys(root, lsp::object_schema(workspace.schemas_of(document), document, cursor), keys);
  }
  return keys;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

TEST_CASE("examples: each key is offered at its place, with the text there and half-typed") {
  Examples examples;
  const lsp::Workspace& workspace = examples.workspace.workspace();
  size_t count = 0;
  for (const auto& [path, text] : examples.files) {
    const std::string document = "/w/" + path;
    for (const Key& key : keys_of(workspace, document, text)) {
      ++count;
      INFO(path, ": ", key.name, " at ", key.end);
      CHECK(
          offers(lsp::complete_in(workspace, document, base::SourceFile(document, text), key.end), key.name));
      // Its first letter and nothing after it on the line.
      const size_t typed = key.end - key.name.size() + 1;
      std::string half = text;
      half.erase(typed, half.find('\n', typed) - typed);
      if (text[key.end - 1] == '"') continue;
      CHECK(offers(lsp::complete_in(workspace, document, base::SourceFile(document, half), typed), key.name));
    }
  }
  CHECK(count > 400);
}

TEST_CASE("examples: completion and hover answer at every prefix of every line") {
  Examples examples;
  const lsp::Workspace& workspace = examples.workspace.workspace();
  size_t answers = 0;
  for (const auto& [path, text] : examples.files) {
    const std::string document = "/w/" + path;
    for (size_t at = 0; at < text.size(); ++at) {
      std::string cut = text;
      cut.erase(at, cut.find('\n', at) - at);
      const base::SourceFile file(document, std::move(cut));
      if (lsp::complete_in(workspace, document, file, at).is_object()) ++answers;
      // What a field becomes is the same for each of its letters.
      const bool is_after_word = at > 0 && is_letter(text[at - 1]) && !is_letter(text[at]);
      if ((is_after_word || at % 4 == 0) && lsp::hover_in(workspace, document, file, at).is_object())
        ++answers;
      lsp::find_typed(text.substr(0, at), at);
    }
  }
  CHECK(answers > 10'000);
}

TEST_CASE("settings: their schema and descriptions are those of schema/trainjobc-config.json") {
  std::ifstream in(TRAINJOBC_SOURCE_DIR "/schema/trainjobc-config.json");
  const auto json = nlohmann::json::parse(in);
  const std::function<void(const nlohmann::json&, const schema::Schema&, const std::string&)> compare =
      [&](const nlohmann::json& wanted, const schema::Schema& own, const std::string& path) {
        if (wanted.contains("properties")) {
          CHECK(wanted["properties"].size() == own.properties.size());
          for (const auto& [name, value] : wanted["properties"].items()) {
            const schema::Property* property = own.property(name);
            REQUIRE(property);
            const std::string below = path.empty() ? name : path + "." + name;
            CHECK(lsp::configuration_description(below) == value.value("description", std::string()));
            compare(value, *property->schema, below);
          }
        }
        if (wanted.contains("items")) {
          REQUIRE(own.items);
          if (wanted["items"].contains("properties")) compare(wanted["items"], *own.items, path);
        }
        if (!path.empty() && wanted.contains("enum") && wanted["enum"].size() == own.enums.size()) {
          for (size_t i = 0; i < own.enums.size(); ++i) CHECK(wanted["enum"][i] == own.enums[i]);
        }
      };
  compare(json, lsp::configuration_schema(), "");
}

TEST_CASE("examples: what is at the cursor lies in the text, whatever was edited") {
  std::mt19937 random(7);
  constexpr std::string_view kTyped = "[]{}:,-#\"'|>&!*? \n\n  abk\t\r%$";
  for (const auto& [path, text] : example_files()) {
    for (int i = 0; i < 60; ++i) {
      std::string edited = text;
      for (int edit = 0; edit <= i % 5; ++edit) {
        const size_t at = random() % (edited.size() + 1);
        if (random() % 3 == 0) {
          edited.erase(at, random() % 40);
        } else {
          edited.insert(at, 1 + random() % 3, kTyped[random() % kTyped.size()]);
        }
      }
      const size_t at = random() % (edited.size() + 1);
      const lsp::Cursor typed = lsp::find_typed(edited, at);
      const lsp::Cursor found = lsp::find_at_or_before(edited, at);
      if (typed.spot != lsp::Spot::None)
        CHECK((typed.begin <= at && at <= typed.end && typed.end <= edited.size()));
      if (found.spot != lsp::Spot::None) CHECK((found.begin <= found.end && found.end <= edited.size()));
    }
  }
}

}  // namespace trainjobc::examples_test
