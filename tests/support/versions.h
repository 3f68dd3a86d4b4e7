// SPDX-License-Identifier: Apache-2.0

// The results of each Trainer version for the same manifests.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "compile/compile.h"
#include "model/behaviours.h"
#include "yaml/write/writer.h"

namespace trainjobc::test {

inline Compilation compile_for(std::string_view version, std::string manifests) {
  Options options;
  options.use_catalogue = false;
  options.threads = 1;
  options.trainer_version = version;
  options.translate_pinned = true;  // the older dialects in every version
  options.policy.ssh_key.source = policy::SshKeySource::Omit;
  return compile_sources({{"in.yaml", std::move(manifests)}}, {}, options);
}

// One step down: a map's key, a list's item of that name, or its index.
inline const yaml::Node* step_into(const yaml::Node& node, std::string_view step) {
  if (!node.is_list()) return node.get(step);
  for (const yaml::Node* item : node.items()) {
    const yaml::Node* name = item->get("name");
    if (name && name->text() == step) return item;
  }
  size_t index = node.size();
  std::from_chars(step.data(), step.data() + step.size(), index);
  return index < node.size() ? node.items()[index] : nullptr;
}

// Follows a path such as spec/replicatedJobs/node; nullptr as soon as a step is missing.
inline const yaml::Node* part_of(const yaml::Node& root, std::string_view path) {
  const yaml::Node* node = &root;
  while (node && !path.empty()) {
    const size_t slash = path.find('/');
    node = step_into(*node, path.substr(0, slash));
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return node;
}

// The part at `path` of the object of that kind, as JSON on one line; "-" if it is absent; "refused: field:
// message" if the inputs were refused.
inline std::string outcome(const Compilation& compiled, std::string_view kind, std::string_view path) {
  std::string text;
  for (const base::Diagnostic& d : compiled.diagnostics.items()) {
    if (d.severity != base::Severity::Error || d.stage == base::Stage::Job) continue;
    text += (text.empty() ? "refused: " : "; ") + d.field + ": " + d.message;
  }
  if (!text.empty()) return text;
  for (const Object& object : compiled.objects) {
    const yaml::Node* part = object.kind == kind ? part_of(*object.root, path) : nullptr;
    if (part) yaml::write_json(*part, yaml::KeyOrder::AsIs, 0, text);
  }
  return text.empty() ? "-" : text;
}

// One line per version: "2.0 <outcome>".
inline std::string in_each_version(const std::string& manifests, std::string_view kind,
                                   std::string_view path) {
  std::string lines;
  for (const model::Behaviours& row : model::released_behaviours()) {
    const Compilation compiled = compile_for(row.trainer, manifests);
    lines += std::string(row.trainer) + " " + outcome(compiled, kind, path) + "\n";
  }
  return lines;
}

// One line per version: "2.0 <its warnings>", "-" for none.
inline std::string warnings_in_each_version(const std::string& manifests) {
  std::string lines;
  for (const model::Behaviours& row : model::released_behaviours()) {
    std::string text;
    const Compilation compiled = compile_for(row.trainer, manifests);
    for (const base::Diagnostic& d : compiled.diagnostics.items()) {
      if (d.severity == base::Severity::Warning)
        text += (text.empty() ? "" : "; ") + d.object + ": " + d.rule;
    }
    lines += std::string(row.trainer) + " " + (text.empty() ? "-" : text) + "\n";
  }
  return lines;
}

// A ClusterTrainingRuntime with this spec in flow style: "mlPolicy: {…}, template: {…}" without the braces.
inline std::string cluster_runtime(const std::string& spec, std::string_view name = "rt") {
  return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: " +
         std::string(name) + "}\nspec: {" + spec + "}\n---\n";
}

// spec.template of a runtime with these replicatedJobs, a list's items in flow style.
inline std::string template_of(const std::string& jobs) {
  return "template: {spec: {replicatedJobs: [" + jobs + "]}}";
}

// A replicatedJob. `ancestor` may be ""; `container` has the fields of container "node" other than its name,
// `pod` those of the pod spec other than its containers, each "key: value, …" or "".
inline std::string flow_replicated_job(std::string_view name, std::string_view ancestor,
                                       const std::string& container = "", const std::string& pod = "") {
  std::string text = "{name: " + std::string(name) + ", template: {";
  if (!ancestor.empty()) {
    text +=
        "metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: " + std::string(ancestor) + "}}, ";
  }
  text += "spec: {template: {spec: {containers: [{name: node" + (container.empty() ? "" : ", " + container) +
          "}]";
  return text + (pod.empty() ? "" : ", " + pod) + "}}}}}";
}

// A TrainJob "job" on runtime `runtime`, with more of its spec in flow style, or "".
inline std::string train_job(const std::string& spec = "", std::string_view runtime = "rt") {
  return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: job}\nspec: "
         "{runtimeRef: {name: " +
         std::string(runtime) + "}" + (spec.empty() ? "" : ", " + spec) + "}\n";
}

inline constexpr std::string_view kPodSpec = "spec/replicatedJobs/node/template/spec/template/spec";
inline constexpr std::string_view kNodeContainer =
    "spec/replicatedJobs/node/template/spec/template/spec/containers/node";

// A part of the container "node" of replicatedJob "node".
inline std::string of_node(std::string_view part) {
  return std::string(kNodeContainer) + "/" + std::string(part);
}

}  // namespace trainjobc::test
