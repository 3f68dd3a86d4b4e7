// SPDX-License-Identifier: Apache-2.0

// What was read from files, for a later run that gets the same files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "base/diagnostic.h"
#include "compile/input/input.h"
#include "compile/reuse/moves.h"

namespace trainjobc::compile {

// A document of a file, and what was read from it.
struct ReadDocument {
  yaml::FoundDocument document;
  bool is_deferred = false;  // it looks like a TrainJob and was not read
  std::shared_ptr<const ObjectMemory> memory;
  ReadObjects read;
  uint64_t number = 0;  // InputObject::document of its objects
};

// A file, and what read_inputs found in it. Immutable once it is in a cache.
struct ReadFile {
  std::shared_ptr<const base::SourceFile> file;
  base::Diagnostics findings;  // about the file as a whole
  std::vector<ReadDocument> documents;
  uint64_t number = 0;  // InputObject::reading of its objects
};

// Threads may use it side by side.
class ReadCache {
 public:
  // The file, if it was read before with the same name, text and options; nullptr otherwise.
  std::shared_ptr<const ReadFile> find(const Source& source, const ReadOptions& options);
  // Keeps the file, and numbers it. Its documents keep the numbers that they had before other parts of the
  // file changed.
  std::shared_ptr<const ReadFile> add(ReadFile file, const ReadOptions& options);
  // From where documents of the same number were before the last call of forget_unused(). Not to be used
  // beside add() for a file that has changed.
  const Moves& moves() const { return moves_; }
  // Forgets the files that nobody has asked for since the last call.
  void forget_unused();

 private:
  // A file's name, and the options that decide what is read from it.
  using Key = std::tuple<std::string, std::string, bool, bool, bool, bool>;
  static Key key_of(const std::string& name, const ReadOptions& options);
  void number_documents(ReadFile& file, const ReadFile* before);

  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const ReadFile>> files_;
  std::map<Key, std::shared_ptr<const ReadFile>> used_;
  Moves moves_;
  uint64_t last_number_ = 0;
};

}  // namespace trainjobc::compile
