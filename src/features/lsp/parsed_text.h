// SPDX-License-Identifier: Apache-2.0

// One text of a document, as trees.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/source.h"
#include "compile/input.h"
#include "yaml/read/reader.h"

namespace trainjobc::lsp {

// Immutable; who refers to its nodes or its file holds it. Not thread safe: trees are read when they are
// needed.
class ParsedText {
 public:
  // `before`: an earlier text of the file, which tells what can be read; nullptr if there is none.
  ParsedText(std::string name, std::string text, const ParsedText* before);

  std::shared_ptr<const base::SourceFile> file;
  bool is_readable = true;  // whether every document can be read
  struct Part {
    yaml::FoundDocument document;
    bool is_readable = true;
  };
  std::vector<Part> parts;

  // The documents of the file that can be read, in order.
  const std::vector<yaml::Document>& documents() const;
  // The TrainJobs and runtimes among them, with Lists expanded and dialects translated. Their nodes are those
  // of another reading, with secrets marked; `location` is where the object begins.
  const std::vector<compile::InputObject>& objects() const;

 private:
  struct Documents {
    base::Arena arena;
    std::vector<yaml::Document> list;
  };
  struct Objects {
    compile::ObjectMemory memory;
    std::vector<compile::InputObject> list;
  };
  mutable std::unique_ptr<Documents> documents_;
  mutable std::unique_ptr<Objects> objects_;
};

std::shared_ptr<const ParsedText> parse_text(std::string name, std::string text,
                                             const ParsedText* before = nullptr);

// The current text, which can't be read, with the documents of it that can't be read replaced by what they
// were in `readable`. All of `readable` if the two don't have the same number of documents.
std::string with_readable_documents(const ParsedText& current, const ParsedText& readable);

// The text with nothing but line breaks in the place of these documents, which are in order.
std::string without_documents(std::string_view text, const std::vector<yaml::FoundDocument>& documents);

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
