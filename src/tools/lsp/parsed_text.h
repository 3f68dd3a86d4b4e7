// SPDX-License-Identifier: Apache-2.0

// One text of a document, as trees.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/arena.h"
#include "base/source.h"
#include "compile/input/input.h"
#include "yaml/read/reader.h"

namespace trainjobc::lsp {

// Immutable; who refers to its nodes or its file holds it.
struct ParsedText {
  std::shared_ptr<const base::SourceFile> file;
  // The documents of the file that can be read, in order.
  std::vector<yaml::Document> documents;
  // The TrainJobs and runtimes among them, with Lists expanded and dialects translated. Their nodes are those
  // of another reading, with secrets marked; `location` is where the object begins.
  std::vector<compile::InputObject> objects;
  bool is_readable = true;  // whether every document could be read
  base::Arena arena;
  compile::ObjectMemory memory;  // of `objects`
};

std::shared_ptr<const ParsedText> parse_text(std::string name, std::string text);

// The current text, which can't be read, with the documents of it that can't be read replaced by what they
// were in `readable`. All of `readable` if the two don't have the same number of documents.
std::string with_readable_documents(const ParsedText& current, const ParsedText& readable);

// Finds the lines of one text in another that differs from it in one place.
class LineMap {
 public:
  LineMap(const base::SourceFile& from, const base::SourceFile& to);

  // From 1; 0 for a line that the other text does not have.
  uint32_t operator()(uint32_t line) const;

 private:
  uint32_t first_ = 0;  // so many lines at the beginning are the same
  uint32_t last_ = 0;   // and so many at the end
  uint32_t from_ = 0;   // the number of lines
  uint32_t to_ = 0;
};

}  // namespace trainjobc::lsp
