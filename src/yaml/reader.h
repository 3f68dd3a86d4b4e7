// Reader: text to documents, as Kubernetes reads YAML and JSON.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "yaml/node.h"

namespace trainjobc::yaml {

// Bounds on hostile input. The values that aliases repeat count as often as they are repeated.
struct ReadLimits {
  size_t max_values = 5'000'000;
};

struct Document {
  const Node* root = nullptr;   // never null; an empty document is left out
  uint32_t first_line = 1;      // where its text begins in the file
};

// Splits `file` at `---` lines, as Kubernetes does before it parses, and reads each document. A document that
// can't be read is one or more diagnostics of stage `yaml`; the others are still returned. Nodes live in
// `arena` and refer to `file`.
std::vector<Document> read(const base::SourceFile& file, base::Arena& arena, base::Diagnostics& diagnostics,
                           const ReadLimits& limits = {});

}  // namespace trainjobc::yaml
