// SPDX-License-Identifier: Apache-2.0

// Texts of differences, for the formats that people read.
#pragma once

#include <string>
#include <string_view>

#include "features/cluster/compare.h"
#include "features/cluster/paths.h"

namespace trainjobc::cluster {

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

// The path of an input's field without the steps to a pod spec.
std::string without_pod_steps(std::string path);

// "JobSet team-a/llama"
std::string title_of(const ObjectDiff& object);

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

}  // namespace trainjobc::cluster
