// SPDX-License-Identifier: Apache-2.0

// Paths of fields: the nodes on a path, and the path of a node in its document.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/source.h"
#include "schema/compare.h"
#include "yaml/node.h"

namespace trainjobc::cluster {

enum class Side { Live, Rendered };

// The nodes from `root` along `path`, as far as they exist: `root` first. `side` selects which of the path's
// indices are used for lists.
std::vector<const yaml::Node*> nodes_along(const yaml::Node& root, const schema::FieldPath& path, Side side);

// The same in a third object, whose list maps may have another order: items are found by their keys.
std::vector<const yaml::Node*> nodes_like(const yaml::Node& root, const schema::FieldPath& path);
// The node to which one step of such a path leads from `parent`; nullptr if there is none.
const yaml::Node* child_like(const yaml::Node& parent, const schema::Step& step);

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

}  // namespace trainjobc::cluster
