// SPDX-License-Identifier: Apache-2.0

// Texts of differences, for formats that people read.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/source.h"
#include "features/objects/differences.h"
#include "schema/compare.h"
#include "yaml/node.h"

namespace trainjobc::objects {

// Paths of fields: the nodes on a path, and the path of a node in its document.

enum class Side { Live, Rendered };

// The nodes from `root` along `path`, as far as they exist; `root` comes first. `side` selects which of the
// path's indexes apply to lists.
std::vector<const yaml::Node*> nodes_along(const yaml::Node& root, const schema::FieldPath& path, Side side);

// Finds the nodes to which single steps of such paths lead. Searches each list only once, however many of its
// items are requested; the nodes must outlive it.
class ChildFinder {
 public:
  // Returns nullptr if there is none.
  const yaml::Node* find(const yaml::Node& parent, const schema::Step& step);

 private:
  using Items = std::unordered_map<std::string, const yaml::Node*>;

  std::map<std::pair<const yaml::Node*, const schema::Schema*>, Items> lists_;  // by the keys of their items
};

// Like nodes_along, in a third object whose list maps may have another order: finds items by their keys.
std::vector<const yaml::Node*> nodes_like(const yaml::Node& root, const schema::FieldPath& path,
                                          ChildFinder& finder);

class FieldsOfFile;
class FieldsOfPart;

// Names the fields of inputs. Reads a document again when one of its values is requested, since what was read
// first may have been translated. Threads may share one.
class InputFields {
 public:
  InputFields();
  ~InputFields();
  InputFields(const InputFields&) = delete;
  InputFields& operator=(const InputFields&) = delete;

  // The field of the node that is in a file, either `node` itself or the one it was computed from:
  // "spec.trainer.numNodes", without the steps to a pod spec; "" if there is none.
  std::string of(const yaml::Node& node);
  // The field at the place of a value or key, with all steps.
  std::string at(const base::Location& location);

  // Saves reading the document of an object whose fields are those of its file, until forget() is called.
  // That does nothing for a large document, which may have more objects.
  void add(const yaml::Node& root);
  void forget(const yaml::Node& root);

 private:
  // Returns nullptr if there is none.
  FieldsOfPart* part_at(const base::SourceFile* source, uint32_t line);

  std::mutex mutex_;
  std::map<const base::SourceFile*, std::unique_ptr<FieldsOfFile>> files_;
};

// A value on one line, as JSON; "none" for nullptr.
std::string value_text(const yaml::Node* value);

// Like value_text, for people: file modes are octal. `key` is the field's key.
std::string readable_text(const yaml::Node* value, std::string_view key);

// Both values of a difference, for people. Long texts are cut to the part that differs; a list in another
// order is shown by its items' keys.
struct ValueTexts {
  std::string live;
  std::string rendered;
};
ValueTexts value_texts(const Difference& difference);

// The path without the steps to a pod spec, and without what it shares with the path on the line above:
// spec.replicatedJobs[node]…containers[node].image, …env[A].value
std::string short_path(const schema::FieldPath& path, const schema::FieldPath& above = {});

// The path of an input's field, without the steps to a pod spec.
std::string without_pod_steps(std::string path);

// "JobSet team-a/llama", "JobSet team-a/llama in clusters/prod"
std::string title_of(const ObjectDiff& object);

// The source of a difference: "jobs/llama.yaml:8  spec.trainer.numNodes", "torch/PET_NNODES from
// jobs/llama.yaml:8".
class Causes {
 public:
  // Says "the same" if the place equals the previous one since new_table().
  std::string of(const Difference& difference);
  void new_table() { last_place_.clear(); }

 private:
  std::string last_place_;
};

}  // namespace trainjobc::objects
