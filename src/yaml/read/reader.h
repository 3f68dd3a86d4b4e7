// Reader: text to documents, as Kubernetes reads YAML and JSON: sigs.k8s.io/yaml on go.yaml.in/yaml/v2, files
// split as k8s.io/apimachinery does, a file that begins with `{` as JSON up to its first `---` if it is JSON.
// The parser is libyaml, of which go.yaml.in/yaml/v2 is a port.
//
// Known differences, checked against Kubernetes' reading by tests/property/yaml_differential.py; no input is
// known that is read to another value without a diagnostic. On purpose:
// - Keys that `<<` brings may be set again by the map or by another `<<`. Kubernetes' strict reading refuses
//   that; the value is the one of its lax reading.
// - Two keys that JSON spells alike (1 and "1") are duplicates.
// - A bad document does not hide those after it.
// - Nesting ends at ReadLimits::max_depth, not at 10,000.
// - A byte order mark that begins a line within a document.
// Refused here, read there:
// - `:` before a bracket or a comma: `[a:]`. A tag that ends in one. Text right after a bracket: `[]a`.
// - The escape \' in more than 100 strings of a document.
// - A line break other than "\n" right before or after `---`.
// - DEL and C1 controls in JSON strings; !!binary whose padding bits are not zero.
// Read here, refused there:
// - A date that does not exist under !!timestamp.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "yaml/node.h"

namespace trainjobc::yaml {

// Bounds on hostile input, for each document; of bytes, for the file.
struct ReadLimits {
  size_t max_bytes = size_t{128} << 20U;
  size_t max_repeated_bytes = size_t{64} << 20U;  // of keys and scalars that aliases repeat; at least ten
                                                  // times the file's size
  size_t max_values = 5'000'000;  // keys count too; what an alias repeats counts as often as it is repeated
  size_t max_depth = 400;         // of collections in collections
};

struct Document {
  const Node* root = nullptr;  // never null; an empty document is left out
  uint32_t first_line = 1;     // where its text begins in the file
  std::string_view text;       // in the file; with JSON, all that is there up to the next `---`
};

// Splits `file` at `---` lines, as Kubernetes does before it parses, and reads each document. A document that
// can't be read is one or more diagnostics of stage `yaml`; the others are still returned. Nodes live in
// `arena` and refer to `file`.
std::vector<Document> read(const base::SourceFile& file, base::Arena& arena, base::Diagnostics& diagnostics,
                           const ReadLimits& limits = {});

}  // namespace trainjobc::yaml
