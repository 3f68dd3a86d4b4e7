// SPDX-License-Identifier: Apache-2.0

// A program that uses the installed library: renders and lints one job.
#include <trainjobc/trainjobc.h>

#include <iostream>

int main() {
  trainjobc::Request request;
  request.inputs = {{"job.yaml", R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert, namespace: team-a}
spec:
  runtimeRef: {name: torch-distributed}
  trainer: {numNodes: 2, image: "registry.example/bert:1", command: [python, train.py]}
)"}};
  request.trainer_version = "2.3";
  const auto rendered = std::get<trainjobc::Rendering>(trainjobc::render_manifests(request));
  for (const trainjobc::RenderedObject& object : rendered.objects)
    std::cout << "# " << object.train_job << ": " << object.kind << " " << object.name << "\n" << object.yaml;

  std::string& text = request.inputs[0].text;
  text.replace(text.find("numNodes"), 8, "numNode");
  const auto report = std::get<trainjobc::LintReport>(trainjobc::lint_manifests(request));
  for (const trainjobc::Finding& finding : report.findings) {
    std::cout << to_string(finding.level) << " " << finding.place.line << " " << finding.field << "\n"
              << finding.text;
    for (const trainjobc::Fix& fix : finding.fixes)
      std::cout << (finding.fixes_are_safe ? "fix: " : "suggestion: ") << fix.text << "\n";
  }

  request.trainer_version = "9.9";
  std::cout << std::get<trainjobc::InvalidRequest>(trainjobc::lint_manifests(request)).message << "\n";
}
