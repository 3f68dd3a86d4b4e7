// SPDX-License-Identifier: Apache-2.0

// Answers as yaml_reference/main.go does, with what the reader makes of each file.
#include <cstdio>
#include <iostream>
#include <string>

#include "base/diagnostic.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace {

using namespace trainjobc;

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + '"';
}

std::string answer(std::string text) {
  const base::SourceFile file("in.yaml", std::move(text));
  base::Arena arena;
  base::Diagnostics diagnostics;
  std::string documents;
  for (const yaml::Document& document : yaml::read(file, arena, diagnostics)) {
    if (!documents.empty()) documents += ',';
    yaml::write_json(*document.root, yaml::KeyOrder::AsIs, 0, documents);
  }
  std::string refused;
  for (const base::Diagnostic& found : diagnostics.items()) {
    if (found.severity != base::Severity::Error) continue;
    if (!refused.empty()) refused += ',';
    refused += quoted(std::to_string(found.location.line) + ": " + found.message);
  }
  return "{\"documents\":[" + documents + "],\"refused\":[" + refused + "]}\n";
}

}  // namespace

int main() {
  std::string length;
  while (std::getline(std::cin, length)) {
    std::string text(std::stoul(length), '\0');
    std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
    std::cout << answer(std::move(text));
  }
}
