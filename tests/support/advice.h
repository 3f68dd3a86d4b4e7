// SPDX-License-Identifier: Apache-2.0

// Advice on manifests in memory.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "lint/lint.h"

namespace trainjobc::test {

inline Compilation lint(std::string text, std::vector<Source> runtimes = {}, std::string version = "2.3") {
  Options options;
  options.render = false;
  options.use_catalogue = false;
  options.threads = 1;
  options.trainer_version = std::move(version);
  return compile_sources({{"in.yaml", std::move(text)}}, std::move(runtimes), options);
}

// The text report of that rule's findings. It includes errors of the inputs and the JobSet, which no test of
// advice expects.
inline std::string advice(std::string_view rule, std::string text, std::vector<Source> runtimes = {},
                          std::string version = "2.3") {
  const Compilation compiled = lint(std::move(text), std::move(runtimes), std::move(version));
  std::string report;
  for (const base::Diagnostic& found : compiled.diagnostics.items()) {
    const bool refused = found.severity == base::Severity::Error && found.stage != base::Stage::Job;
    if (refused || found.rule == rule) report += base::format_text(found, {});
  }
  return report;
}

// A line for each finding of that rule: its field and message.
inline std::string advised_fields(std::string_view rule, std::string text,
                                  std::vector<Source> runtimes = {}) {
  const Compilation compiled = lint(std::move(text), std::move(runtimes));
  std::string report;
  for (const base::Diagnostic& found : compiled.diagnostics.items()) {
    if (found.rule == rule) report += found.field + ": " + found.message + "\n";
  }
  return report;
}

// The text report of all errors.
inline std::string errors(std::string text, std::vector<Source> runtimes = {}, std::string version = "2.3") {
  const Compilation compiled = lint(std::move(text), std::move(runtimes), std::move(version));
  std::string report;
  for (const base::Diagnostic& found : compiled.diagnostics.items()) {
    if (found.severity == base::Severity::Error) report += base::format_text(found, {});
  }
  return report;
}

// `text` with the fixes of that rule.
inline std::string fixed(std::string_view rule, const std::string& text) {
  const Compilation compiled = lint(text);
  base::Diagnostics of_rule;
  for (const base::Diagnostic& found : compiled.diagnostics.items()) {
    if (found.rule == rule) of_rule.add(found);
  }
  const trainjobc::lint::FixedFiles files = trainjobc::lint::apply_fixes(of_rule, base::Certainty::Suggested);
  return files.texts.empty() ? text : files.texts.begin()->second;
}

// A runtime "rt" with this mlPolicy (flow style, "" for none) and these lines in spec.template.spec, indented
// by six.
inline std::string runtime(std::string_view policy, std::string_view job_set_spec) {
  std::string text = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: rt
  labels:
    trainer.kubeflow.org/framework: torch
spec:
)";
  if (!policy.empty()) text += "  mlPolicy: " + std::string(policy) + "\n";
  return text + "  template:\n    spec:\n" + std::string(job_set_spec);
}

// A replicatedJob for `runtime`: its name, its ancestor label ("" for none), and more lines of its container
// "node", indented by eighteen.
inline std::string replicated_job(std::string_view name, std::string_view ancestor,
                                  std::string_view container = "") {
  std::string text = "      - name: " + std::string(name) + "\n        template:\n";
  if (!ancestor.empty()) {
    text += "          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: " +
            std::string(ancestor) + "}}\n";
  }
  const std::string_view container_name = ancestor.empty() || ancestor == "trainer" ? "node" : ancestor;
  text += "          spec:\n            template:\n              spec:\n                containers:\n";
  text += "                - name: " + std::string(container_name) + "\n                  image: img:1\n";
  return text + std::string(container);
}

inline std::string trainer(std::string_view container = "") {
  return "      replicatedJobs:\n" + replicated_job("node", "trainer", container);
}

// A TrainJob "job" of that runtime, a document of its own, with these lines in its spec, indented by two.
inline std::string job(std::string_view spec) {
  return R"(---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: job
spec:
  runtimeRef: {name: rt}
)" + std::string(spec);
}

}  // namespace trainjobc::test
