// SPDX-License-Identifier: Apache-2.0

#include "compile/merge/merge.h"

#include "compile/merge/override_merge.h"
#include "compile/node_resources.h"
#include "model/overrides.h"

namespace trainjobc::compile {
namespace {

using model::OverrideStyle;
using yaml::Maker;
using yaml::Node;

const Node* merge_overrides(OverrideStyle style, const OverrideMerge& merge, const Node& spec) {
  switch (style) {
    case OverrideStyle::PodSpecs: return merge_pod_specs(merge, spec);
    case OverrideStyle::PodTemplates: return merge_pod_templates(merge, spec);
    case OverrideStyle::JobTemplates: return merge_job_templates(merge, spec);
    case OverrideStyle::JobSets: return merge_job_sets(merge, spec);
  }
  return &spec;
}

void put_all(policy::StringMap& map, const policy::NodeList& steps) {
  for (const Node* step : steps) {
    for (const yaml::Entry& entry : step->entries()) policy::put(map, entry);
  }
}

}  // namespace

policy::NodeList metadata_steps(const policy::RuntimeInfo& info, std::string_view key, const Maker& make) {
  const model::TrainJob& job = *info.job;
  policy::NodeList steps;
  const auto add = [&](const Node* values) { steps.push_back(values ? values : make.map({})); };
  add(key == "labels" ? info.runtime->labels : info.runtime->annotations);
  add(job.root->at({"spec", key}));
  for (const Node* patch : model::runtime_patches(job))
    add(patch->at({"trainingRuntimeSpec", "template", "metadata", key}));
  return steps;
}

std::optional<policy::RuntimeInfo> merge_runtime(const MergeInputs& inputs, const Maker& make,
                                                 base::Diagnostics& diagnostics) {
  const model::Runtime& runtime = inputs.runtime;
  const Node* spec = runtime.job_set_spec ? runtime.job_set_spec : make.map({}, runtime.root->origin());
  policy::NodeList steps{spec};
  const OverrideMerge merge{inputs.job, inputs.job_set_spec, make, diagnostics, steps};
  spec = merge_overrides(inputs.behaviours.overrides, merge, *spec);
  if (!spec) return std::nullopt;
  const yaml::Derivation made{kMergedRule, make.arena().copy(steps)};
  spec = make.with_origin(*spec, yaml::Origin(make.arena().make(made)));
  policy::RuntimeInfo info = policy::make_runtime_info(inputs.job, runtime, spec, inputs.behaviours);
  put_all(info.labels, metadata_steps(info, "labels", make));
  put_all(info.annotations, metadata_steps(info, "annotations", make));
  apply_node_resources(info, make);
  return info;
}

}  // namespace trainjobc::compile
