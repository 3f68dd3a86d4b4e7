// SPDX-License-Identifier: Apache-2.0

// Findings of k8s::job::validate_jobs for snippets of YAML, as lines "field: message | hint".
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/source.h"
#include "k8s/job/job.h"
#include "yaml/read/reader.h"

namespace trainjobc::test::jobs {

inline std::string indented(std::string_view text, size_t spaces) {
  std::string out;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) out.append(spaces, ' ').append(line) += '\n';
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return out;
}

// For a whole JobSet; `prefix` is removed from every field.
inline std::string job_set_findings(std::string text, std::string_view prefix = "") {
  const base::SourceFile file("jobset.yaml", std::move(text));
  base::Arena arena;
  base::Diagnostics problems;
  const auto documents = yaml::read(file, arena, problems);
  REQUIRE(problems.empty());
  REQUIRE(documents.size() == 1);
  std::string out;
  for (const base::Diagnostic& finding :
       k8s::job::validate_jobs(*documents.front().root, yaml::Maker(arena))) {
    CHECK(finding.rule.starts_with("job/"));
    std::string_view field = finding.field;
    if (field.starts_with(prefix)) field.remove_prefix(prefix.size());
    out.append(field).append(": ").append(finding.message);
    if (!finding.hint.empty()) out.append(" | ").append(finding.hint);
    out += '\n';
  }
  return out;
}

// A JobSet "js" of one replicatedJob "node", from the fields of its template.spec and of its pod template's
// metadata and spec. What is not given is valid.
inline std::string job_set(std::string_view spec, std::string_view pod_metadata, std::string_view pod_spec) {
  const auto has = [](std::string_view text, std::string_view key) {
    return text.starts_with(key) || text.find("\n" + std::string(key)) != text.npos;
  };
  std::string out =
      "metadata: {name: js}\nspec:\n  replicatedJobs:\n  - name: node\n    template:\n      spec:\n";
  if (!has(spec, "completionMode:")) out += "        completionMode: Indexed\n";
  if (!has(spec, "completions:")) out += "        completions: 4\n";
  out += indented(spec, 8);
  out +=
      "        template:\n          metadata:\n            labels: {app: x}\n" + indented(pod_metadata, 12);
  out += "          spec:\n" + indented(pod_spec, 12);
  if (!has(pod_spec, "restartPolicy:")) out += "            restartPolicy: Never\n";
  if (!has(pod_spec, "containers:")) out += "            containers: [{name: node, image: i}]\n";
  return out;
}

// For fields of a Job's spec.
inline std::string spec_findings(std::string_view spec, std::string_view pod_spec = "") {
  return job_set_findings(job_set(spec, "", pod_spec), "spec.replicatedJobs[0].template.spec.");
}

// For fields of a pod's spec.
inline std::string pod_findings(std::string_view pod_spec) {
  return job_set_findings(job_set("", "", pod_spec), "spec.replicatedJobs[0].template.spec.template.spec.");
}

// For annotations of a pod and fields of its spec.
inline std::string annotation_findings(std::string_view annotations, std::string_view pod_spec = "") {
  return job_set_findings(job_set("", "annotations:\n" + indented(annotations, 2), pod_spec),
                          "spec.replicatedJobs[0].template.spec.template.");
}

// For fields of the container "node", in a pod with further fields.
inline std::string container_findings(std::string_view container, std::string_view pod_spec = "") {
  const std::string containers = "containers:\n- name: node\n  image: i\n" + indented(container, 2);
  return job_set_findings(job_set("", "", containers + std::string(pod_spec)),
                          "spec.replicatedJobs[0].template.spec.template.spec.containers[0].");
}

// For fields of one volume "data" other than its name.
inline std::string volume_findings(std::string_view volume) {
  return job_set_findings(job_set("", "", "volumes:\n- name: data\n" + indented(volume, 2)),
                          "spec.replicatedJobs[0].template.spec.template.spec.volumes[0].");
}

}  // namespace trainjobc::test::jobs
