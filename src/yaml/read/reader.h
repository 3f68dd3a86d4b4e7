// SPDX-License-Identifier: Apache-2.0

// Reader: text to documents, as Kubernetes reads YAML and JSON: sigs.k8s.io/yaml on go.yaml.in/yaml/v2, files
// split as k8s.io/apimachinery does, a file that begins with `{` as JSON up to its first `---` if it is JSON.
// The parser is libyaml, of which go.yaml.in/yaml/v2 is a port.
//
// Known differences, checked against Kubernetes' reading by tests/property/yaml_differential.py; there is no
// known input that is read as another value without a diagnostic. Intended:
// - Keys from `<<` may be set again by the map or by another `<<`. Kubernetes' strict reading refuses that;
//   the value is the one of its lax reading.
// - Two keys with the same spelling in JSON (1 and "1") are duplicates.
// - A bad document does not hide those after it.
// - `---# comment` with nothing above it, which Kubernetes reads as text, is refused.
// - Nesting ends at ReadLimits::max_depth, not at 10,000.
// - A byte order mark that begins a line within a document.
// Refused here, accepted by Kubernetes:
// - `:` before a bracket or a comma: `[a:]`. A tag with one in it. Text right after a bracket: `[]a`.
// - The escape \' in more than 100 strings of a document.
// - A line break other than "\n" right before or after `---`.
// - DEL and C1 controls in JSON strings; !!binary whose padding bits are not zero.
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

// Limits for hostile input. Those of bytes are per file, the others per document.
struct ReadLimits {
  size_t max_bytes = size_t{128} << 20U;
  // The limit for text of keys and scalars that aliases repeat, in all documents of a file. Documents share
  // it by size; each may repeat at least ten times its own text, whatever the others do.
  size_t max_repeated_bytes = size_t{64} << 20U;
  size_t max_values = 5'000'000;  // includes keys; what an alias repeats counts each time
  size_t max_depth = 400;         // levels of nested collections
};

// For a document that another program, such as kustomize, made of several files: knows where its values come
// from.
class Relocator {
 public:
  Relocator() = default;
  Relocator(const Relocator&) = delete;
  Relocator& operator=(const Relocator&) = delete;
  virtual ~Relocator() = default;

  // Returns the tree with origins in those files. Threads may share the relocator, which outlives the tree.
  virtual const Node* relocate(const Node& root, const Maker& make) const = 0;
};

// A document that was found in its file, but not read.
struct FoundDocument {
  const base::SourceFile* file = nullptr;
  std::string_view text;    // part of the file; JSON is read up to the next `---`
  uint32_t first_line = 1;  // where the text begins
  bool may_be_json = false;
  const Relocator* relocator = nullptr;  // nullptr: the file was written by hand
};

struct Document {
  const Node* root = nullptr;  // never null; an empty document is left out
  uint32_t first_line = 1;     // the line of the file on which its text begins
  std::string_view text;       // part of the file; for JSON, everything up to the next `---`
};

// Splits `file` at `---` lines, as Kubernetes does before it parses. A file that is too large, or not UTF-8,
// yields a diagnostic and no documents.
std::vector<FoundDocument> find_documents(const base::SourceFile& file, base::Diagnostics& diagnostics,
                                          const ReadLimits& limits = {});

// The file's text with these documents blanked, except for their line breaks. `documents` are in order.
std::string without_documents(std::string_view text, std::span<const FoundDocument> documents);

// Reads a document: one value, or several of JSON; none if it is empty, or can't be read, which is reported
// with stage `yaml`. Nodes live in `arena` and refer to the file. Threads may read documents of one file,
// each into its own arena.
std::vector<Document> read_document(const FoundDocument& found, base::Arena& arena,
                                    base::Diagnostics& diagnostics, const ReadLimits& limits = {});

// All documents of a file. One that can't be read does not hide the others.
std::vector<Document> read(const base::SourceFile& file, base::Arena& arena, base::Diagnostics& diagnostics,
                           const ReadLimits& limits = {});

// The value in a string of another object, such as the JSON of an annotation.
class Text {
 public:
  explicit Text(std::string_view text);

  // nullptr if the text can't be read. Valid as long as this object.
  const Node* root() const { return root_; }

 private:
  base::SourceFile file_;
  base::Arena arena_;
  const Node* root_ = nullptr;
};

// A second, independent reading of text before it is written: yaml-cpp shares no code with libyaml.

// Whether yaml-cpp finds the same values in the text as the reader, which found `documents`. It refuses some
// YAML that Kubernetes accepts; a text that it can't read is not the same.
bool reads_the_same(const base::SourceFile& file, std::span<const Document> documents);

}  // namespace trainjobc::yaml
