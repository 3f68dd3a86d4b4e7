// SPDX-License-Identifier: Apache-2.0

// What the writers write of a tree that was read, the reader reads back as the same tree, without a word.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "base/diagnostic.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace {

using namespace trainjobc;

constexpr yaml::ReadLimits kLimits{.max_values = 20'000};

void check(const yaml::Node& root, const std::string& text) {
  const base::SourceFile file("written.yaml", text);
  base::Arena arena;
  base::Diagnostics diagnostics;
  const std::vector<yaml::Document> documents = yaml::read(file, arena, diagnostics, kLimits);
  if (diagnostics.empty() && documents.size() == 1 && yaml::equal(root, *documents.front().root)) return;
  std::cerr << "does not come back:\n" << text << '\n';
  for (const base::Diagnostic& diagnostic : diagnostics.items())
    std::cerr << base::format_text(diagnostic, {});
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const base::SourceFile file("fuzz.yaml", std::string(reinterpret_cast<const char*>(data), size));
  base::Arena arena;
  base::Diagnostics diagnostics;
  const std::vector<yaml::Document> documents = yaml::read(file, arena, diagnostics, kLimits);
  for (const yaml::Document& document : documents) {
    for (const yaml::KeyOrder order : {yaml::KeyOrder::AsIs, yaml::KeyOrder::Kubernetes}) {
      std::string text;
      yaml::write_yaml(*document.root, order, text);
      check(*document.root, text);
    }
    std::string json;
    yaml::write_json(*document.root, yaml::KeyOrder::AsIs, 0, json);
    check(*document.root, json);
  }
  return documents.empty() ? -1 : 0;
}
