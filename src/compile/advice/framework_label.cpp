// SPDX-License-Identifier: Apache-2.0

// Labels of the runtime object itself.
#include <fmt/format.h>

#include "compile/advice/checks.h"
#include "model/queue_names.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "yaml/rewrite/insert.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Node;

std::vector<base::Edit> label_fix(const Node& root, std::string_view framework) {
  const std::string as_yaml = fmt::format("{}: {}", model::kFrameworkLabel, framework);
  const std::string as_json = fmt::format("\"{}\": \"{}\"", model::kFrameworkLabel, framework);
  const yaml::Entry* metadata = root.find("metadata");
  const yaml::Entry* labels = metadata->value->find("labels");
  if (labels && labels->value->size() > 0) return yaml::insert_first(*labels, {as_yaml, as_json});
  return yaml::insert_map_first(*metadata, "labels", {as_yaml, as_json});
}

}  // namespace

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

}  // namespace trainjobc::compile::advice
