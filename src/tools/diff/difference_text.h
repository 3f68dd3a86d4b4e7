// SPDX-License-Identifier: Apache-2.0

// Texts for the formats that people read.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/arena.h"
#include "base/source.h"
#include "tools/diff/difference.h"

namespace trainjobc::diff {

// A value on one line, as JSON; "none" for nullptr.
std::string value_text(const yaml::Node* value);

// The same for people: file modes in octal. `key` is the key of the field.
std::string readable_text(const yaml::Node* value, std::string_view key);

// Both values of a difference, for people. Long texts are cut to the part that differs; a list in another
// order is shown by its items' keys.
struct ValueTexts {
  std::string live;
  std::string rendered;
};
ValueTexts value_texts(const Difference& difference);

// The path without the steps to a pod spec, and without what it has in common with the line above:
// spec.replicatedJobs[node]…containers[node].image, …env[A].value
std::string short_path(const schema::FieldPath& path, const schema::FieldPath& above = {});

// "JobSet team-a/llama"
std::string title_of(const ObjectDiff& object);

// "3 fields", "1 field"
std::string counted(size_t count, std::string_view noun);

// The fields of input values in their documents: "spec.trainer.numNodes".
class InputFields {
 public:
  // The field of the node that is in a file: `node` itself, or the one it was computed from; "" if there is
  // none.
  std::string of(const yaml::Node& node);

 private:
  using Places = std::map<std::pair<uint32_t, uint32_t>, std::string>;
  void index(const yaml::Node& node, const std::string& path, Places& places) const;
  std::map<const base::SourceFile*, Places> files_;
};

// The source of a difference: "jobs/llama.yaml:8  spec.trainer.numNodes", "torch/PET_NNODES from
// jobs/llama.yaml:8".
class Causes {
 public:
  // A place that equals the previous one since the last new_table() is "the same".
  std::string of(const Difference& difference);
  void new_table() { last_place_.clear(); }

 private:
  InputFields fields_;
  std::string last_place_;
};

}  // namespace trainjobc::diff
