// SPDX-License-Identifier: Apache-2.0

// An object as a whole: the labels of a runtime, and sizes that etcd refuses.
#include <fmt/format.h>

#include "compile/advice/checks.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::objects {
namespace {

using yaml::Node;

// Labels of the runtime object itself.

std::vector<base::Edit> label_fix(const Node& root, std::string_view framework) {
  const yaml::NewPair label = yaml::pair_of(model::kFrameworkLabel, framework);
  const yaml::Entry* metadata = root.find("metadata");
  const yaml::Entry* labels = metadata->value->find("labels");
  if (labels && labels->value->size() > 0) return yaml::insert_first(*labels, label);
  return yaml::insert_map_first(*metadata, "labels", label);
}

void check_framework_label(const RuntimeContext& context, Advisor& advisor) {
  const Node& root = *context.runtime.root;
  const Node* metadata = root.get("metadata");
  if (metadata->at({"labels", model::kFrameworkLabel})) return;
  const policy::Framework* known = policy::framework_of(context.info);
  const std::string_view framework = known ? policy::label_of(*known, context.info) : "";
  base::Location where = locate_key_of(metadata, "labels");
  if (const Node* name = metadata->get("name"); name && !where.file) where = yaml::locate(*name);
  if (!where.file) where = locate_key_of(metadata, "generateName");
  base::Diagnostic& found =
      advisor.warn("advice/framework-label", "metadata.labels",
                   fmt::format("runtime \"{}\" has no label {}: the Kubeflow SDK ignores it",
                               context.runtime.id.name, model::kFrameworkLabel),
                   where);
  if (framework.empty()) {
    found.hint = fmt::format("add {} with the framework, such as mpi or deepspeed", model::kFrameworkLabel);
  } else {
    found.hint = fmt::format("add {}: {}", model::kFrameworkLabel, framework);
    found.fix = label_fix(root, framework);
  }
}

void check_kueue_label(const RuntimeContext& context, Advisor& advisor) {
  const Node* labels = context.runtime.root->at({"metadata", "labels"});
  const base::Location where = locate_key_of(labels, model::kKueueLabel);
  if (!where.file) return;
  advisor.warn("advice/kueue-label", fmt::format("metadata.labels[{}]", model::kKueueLabel),
               "Kueue does not see a queue named on a runtime: the runtime's labels reach no job", where,
               "label each TrainJob instead");
}

// Objects that are too large for etcd.

constexpr size_t kMaxRequest = size_t{1536} * 1024;  // etcd's --max-request-bytes

// The size of the object as JSON, without escapes.
size_t json_size(const Node& node) {
  size_t size = 2;  // brackets, braces, quotes
  for (const yaml::Entry& entry : node.entries()) size += entry.key.size() + 4 + json_size(*entry.value);
  for (const Node* item : node.items()) size += 1 + json_size(*item);
  if (!node.is_scalar()) return size;
  return node.is_string() ? size + node.text().size() : node.text().size();
}

void check_size(const Node& object, std::string_view what, Advisor& advisor) {
  const size_t size = json_size(object);
  if (size <= kMaxRequest) return;
  advisor.warn(
      "advice/object-size", "",
      fmt::format("{} can't be stored: it has {:.1f} MiB, and etcd accepts requests of at most 1.5 MiB", what,
                  static_cast<double>(size) / (1024.0 * 1024.0)),
      yaml::locate(object), "move scripts and data into images, ConfigMaps or volumes");
}

void check_runtime_size(const RuntimeContext& context, Advisor& advisor) {
  check_size(*context.runtime.root, "the runtime", advisor);
}

void check_job_size(const AdviceContext& context, Advisor& advisor) {
  check_size(*context.job.root, "the job", advisor);
  check_size(context.admitted_job_set, "the JobSet", advisor);
}

}  // namespace

Checks checks() {
  return {.job = {check_job_size}, .runtime = {check_framework_label, check_kueue_label, check_runtime_size}};
}

}  // namespace trainjobc::compile::advice::objects
