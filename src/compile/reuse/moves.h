// SPDX-License-Identifier: Apache-2.0

// Where the documents of a file are after other parts of the file have changed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace trainjobc::compile {

struct ReadFile;

class Moves {
 public:
  enum class Outcome { Stays, Moved, Gone };  // of several places, the last one

  // The file as it was and as it is; documents of the same number have the same text.
  void add(std::shared_ptr<const ReadFile> before, const ReadFile& after);
  bool empty() const { return files_.empty(); }

  // From a file as it was to the file as it is. A place that is gone is not changed.
  Outcome move(base::Location& at) const;
  // With its notes and its fix.
  Outcome move(base::Diagnostic& found) const;

 private:
  struct Part {
    uint32_t first_line = 0;  // of a document, as it was
    bool is_there = false;
    uint32_t new_line = 0;  // its first, if it is there
  };
  struct File {
    std::shared_ptr<const ReadFile> before;
    const base::SourceFile* after = nullptr;
    std::vector<Part> parts;  // by line
  };

  std::map<const base::SourceFile*, File> files_;
};

}  // namespace trainjobc::compile
