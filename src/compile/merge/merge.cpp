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

void add_all(policy::StringMap& map, const Node* values) {
  if (!values) return;
  for (const yaml::Entry& entry : values->entries()) policy::put(map, entry);
}

const Node* merge_overrides(OverrideStyle style, const OverrideMerge& merge, const Node& spec) {
  switch (style) {
    case OverrideStyle::PodSpecs: return merge_pod_specs(merge, spec);
    case OverrideStyle::PodTemplates: return merge_pod_templates(merge, spec);
    case OverrideStyle::JobTemplates: return merge_job_templates(merge, spec);
    case OverrideStyle::JobSets: return merge_job_sets(merge, spec);
  }
  return &spec;
}

// The JobSet's: those of the template, then the job's own.
void merge_metadata(policy::RuntimeInfo& info) {
  const model::TrainJob& job = *info.job;
  add_all(info.labels, info.runtime->labels);
  add_all(info.annotations, info.runtime->annotations);
  add_all(info.labels, job.root->at({"spec", "labels"}));
  add_all(info.annotations, job.root->at({"spec", "annotations"}));
  for (const Node* patch : model::runtime_patches(job)) {
    add_all(info.labels, patch->at({"trainingRuntimeSpec", "template", "metadata", "labels"}));
    add_all(info.annotations, patch->at({"trainingRuntimeSpec", "template", "metadata", "annotations"}));
  }
}

}  // namespace

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
  merge_metadata(info);
  apply_node_resources(info, make);
  return info;
}

}  // namespace trainjobc::compile
