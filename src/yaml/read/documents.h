// SPDX-License-Identifier: Apache-2.0

// Splitting a file into documents, and the checks of its bytes that come before any parsing.
#pragma once

#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "yaml/read/reader.h"

namespace trainjobc::yaml {

// The text of one document and the line it begins on.
struct Chunk {
  std::string_view text;
  uint32_t first_line = 1;
};

// Splits at lines that begin with `---`, as k8s.io/apimachinery's YAMLReader does: anything but a comment
// after the dashes is an error. Each chunk ends at its `...` line; Kubernetes never reads what follows, so
// that gets a warning. A byte order mark at the beginning of a document is left out.
std::vector<Chunk> split_documents(const base::SourceFile& file, base::Diagnostics& diagnostics);

// True if the file is UTF-8; reports UTF-16, UTF-32 and binary files.
bool check_encoding(const base::SourceFile& file, base::Diagnostics& diagnostics);

// Reports the first byte that YAML forbids: broken UTF-8, a control character. True if there is none.
bool check_characters(const base::SourceFile& file, const Chunk& chunk, base::Diagnostics& diagnostics);

// Files that begin with JSON: kubectl tries JSON before YAML if the file begins with `{`, and JSON strings
// have escapes that its YAML parser refuses.

// Reads a chunk that begins with `{` as one or more JSON values. False if the chunk is not all JSON: then
// nothing has been appended, and it may still be YAML. Duplicate keys are errors.
bool read_json(const base::SourceFile& file, const Chunk& chunk, base::Arena& arena,
               base::Diagnostics& diagnostics, const ReadLimits& limits, std::vector<Document>& documents);

}  // namespace trainjobc::yaml
