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

// Limits for hostile input, per document; limits of bytes are per file.
struct ReadLimits {
  size_t max_bytes = size_t{128} << 20U;
  // Of keys and scalars that aliases repeat, in all documents. It is divided among them by their size; each
  // may repeat at least ten times its own, whatever the others do.
  size_t max_repeated_bytes = size_t{64} << 20U;
  size_t max_values = 5'000'000;  // keys count too; what an alias repeats counts as often as it is repeated
  size_t max_depth = 400;         // of collections in collections
};

// Knows where the values of a document come from that another program made of several files, such as
// kustomize.
class Relocator {
 public:
  Relocator() = default;
  Relocator(const Relocator&) = delete;
  Relocator& operator=(const Relocator&) = delete;
  virtual ~Relocator() = default;

  // The same tree with the origins of its values in those files. Threads may share it, and it outlives the
  // tree.
  virtual const Node* relocate(const Node& root, const Maker& make) const = 0;
};

// A document that was found in its file, but not read.
struct FoundDocument {
  const base::SourceFile* file = nullptr;
  std::string_view text;    // in the file; JSON is read up to the next `---`
  uint32_t first_line = 1;  // where the text begins
  bool may_be_json = false;
  const Relocator* relocator = nullptr;  // nullptr: the file was written by hand
};

struct Document {
  const Node* root = nullptr;  // never null; an empty document is left out
  uint32_t first_line = 1;     // where its text begins in the file
  std::string_view text;       // in the file; for JSON, everything up to the next `---`
};

// Splits `file` at `---` lines, as Kubernetes does before it parses. Nothing is found in a file that is too
// large, or not UTF-8: that is a diagnostic.
std::vector<FoundDocument> find_documents(const base::SourceFile& file, base::Diagnostics& diagnostics,
                                          const ReadLimits& limits = {});

// The file's text with nothing but line breaks in the place of these documents, which are in order.
std::string without_documents(std::string_view text, std::span<const FoundDocument> documents);

// Reads a document: one value, or more of JSON; none if it is empty, or can't be read, which is one or more
// diagnostics of stage `yaml`. Nodes live in `arena` and refer to the file. Threads may read documents of one
// file, each into an arena of its own.
std::vector<Document> read_document(const FoundDocument& found, base::Arena& arena,
                                    base::Diagnostics& diagnostics, const ReadLimits& limits = {});

// All documents of a file. One that can't be read does not hide the others.
std::vector<Document> read(const base::SourceFile& file, base::Arena& arena, base::Diagnostics& diagnostics,
                           const ReadLimits& limits = {});

// The value that a string of another object contains, such as the JSON of an annotation.
class Text {
 public:
  explicit Text(std::string_view text);

  // nullptr if it can't be read. Valid as long as this.
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
