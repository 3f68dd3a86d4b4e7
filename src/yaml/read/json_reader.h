// SPDX-License-Identifier: Apache-2.0

// The beginning of a file as JSON: kubectl tries JSON before YAML if the file begins with `{`, and JSON
// strings have escapes that its YAML parser refuses.
#pragma once

#include <vector>

#include "yaml/read/documents.h"
#include "yaml/read/reader.h"

namespace trainjobc::yaml {

// Reads a chunk that begins with `{` as one or more JSON values, one after the other. False if the chunk is
// not all JSON: then nothing has been appended, and it may still be YAML. Duplicate keys are errors.
bool read_json(const base::SourceFile& file, const Chunk& chunk, base::Arena& arena,
               base::Diagnostics& diagnostics, const ReadLimits& limits, std::vector<Document>& documents);

}  // namespace trainjobc::yaml
