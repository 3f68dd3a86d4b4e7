// SPDX-License-Identifier: Apache-2.0

// The fields of input values in their documents.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/source.h"
#include "yaml/node.h"

namespace trainjobc::diff {

class FieldsOfFile;

// Reads a document again when a value of it is asked for: what was read first may have been translated since.
// Threads may share one.
class InputFields {
 public:
  InputFields();
  ~InputFields();
  InputFields(const InputFields&) = delete;
  InputFields& operator=(const InputFields&) = delete;

  // The field of the node that is in a file: `node` itself, or the one it was computed from:
  // "spec.trainer.numNodes"; "" if there is none.
  std::string of(const yaml::Node& node);

  // Saves reading the document of an object whose fields are those of its file; until forget().
  void add(const yaml::Node& root);
  void forget(const yaml::Node& root);

 private:
  FieldsOfFile& file_of(const base::SourceFile& source);

  std::mutex mutex_;
  std::map<const base::SourceFile*, std::unique_ptr<FieldsOfFile>> files_;
};

}  // namespace trainjobc::diff
