// SPDX-License-Identifier: Apache-2.0

// The reader takes any bytes: it ends, and what it returns can be used.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/diagnostic.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace {

using namespace trainjobc;

// A place is inside its file.
void check(const base::Location& at) {
  if (!at.file || at.line == 0) return;
  if (at.line > at.file->line_count() || at.column == 0 || at.end_line < at.line) std::abort();
}

void visit(const yaml::Node& node) {
  check(yaml::locate(node));
  for (const yaml::Node* item : node.items()) visit(*item);
  for (const yaml::Entry& entry : node.entries()) {
    check(yaml::locate_key(entry));
    visit(*entry.value);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const base::SourceFile file("fuzz.yaml", std::string(reinterpret_cast<const char*>(data), size));
  base::Arena arena;
  base::Diagnostics diagnostics;
  size_t length = 0;
  const yaml::ReadLimits limits{.max_values = 20'000};
  for (const yaml::Document& document : yaml::read(file, arena, diagnostics, limits)) {
    visit(*document.root);
    std::string out;
    yaml::write_json(*document.root, yaml::KeyOrder::Kubernetes, 2, out);
    length += out.size();
  }
  diagnostics.sort();
  for (const base::Diagnostic& diagnostic : diagnostics.items()) {
    check(diagnostic.location);
    length += base::format_text(diagnostic, {.colour = true}).size();
  }
  return length > 0 || size == 0 ? 0 : -1;
}
