// SPDX-License-Identifier: Apache-2.0

// For tests/property/roundtrip.py: reads JSON values, one per line, and answers each with its YAML in both
// key orders, each as its length, a line feed and the text. Ends with 1 if its own reader or yaml-cpp reads
// one back as something else.
#include <iostream>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace {

using namespace trainjobc;

// The one document of `text`; a diagnostic or a second document is reported and ends the program's luck.
const yaml::Node* read_one(const base::SourceFile& file, base::Arena& arena) {
  base::Diagnostics diagnostics;
  const std::vector<yaml::Document> documents = yaml::read(file, arena, diagnostics);
  for (const base::Diagnostic& diagnostic : diagnostics.items())
    std::cerr << base::format_text(diagnostic, {});
  return diagnostics.empty() && documents.size() == 1 ? documents.front().root : nullptr;
}

bool answer(const yaml::Node& value, yaml::KeyOrder order) {
  std::string text;
  yaml::write_yaml(value, order, text);
  std::cout << text.size() << '\n' << text;
  const base::SourceFile file("written.yaml", text);
  base::Arena arena;
  const yaml::Node* read = read_one(file, arena);
  const bool same = value.is_null() || (read && yaml::equal(value, *read));
  base::Diagnostics reported;
  if (same && yaml::reads_the_same(file, yaml::read(file, arena, reported))) return true;
  std::cerr << (same ? "yaml-cpp reads something else:\n" : "read back as something else:\n") << text;
  return false;
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  bool all_well = true;
  for (std::string line; std::getline(std::cin, line);) {
    // A document that is null counts as none, and one that is a list is not tried as JSON.
    const base::SourceFile file("line.json", "{\"value\":" + line + "}");
    base::Arena arena;
    const yaml::Node* root = read_one(file, arena);
    if (!root) return 2;
    const yaml::Node& value = *root->get("value");
    for (const yaml::KeyOrder order : {yaml::KeyOrder::AsIs, yaml::KeyOrder::Kubernetes}) {
      all_well = answer(value, order) && all_well;
    }
  }
  return all_well ? 0 : 1;
}
