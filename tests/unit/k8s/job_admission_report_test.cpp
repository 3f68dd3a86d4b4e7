// SPDX-License-Identifier: Apache-2.0

// Where the findings about Jobs point, what they are filed under, and how they read.
#include <string>
#include <vector>

#include "support/job_admission.h"

namespace trainjobc::test::jobs::job_admission_report_test {
namespace {

struct Finding {
  std::string rule;
  std::string text;
  std::vector<std::string> notes;
};

// The findings of a whole JobSet as people see them.
std::vector<Finding> formatted(const std::string& text) {
  const base::SourceFile file("jobset.yaml", text);
  base::Arena arena;
  base::Diagnostics problems;
  const auto documents = yaml::read(file, arena, problems);
  REQUIRE(documents.size() == 1);
  std::vector<Finding> out;
  for (base::Diagnostic& finding : k8s::job::validate_jobs(*documents.front().root, yaml::Maker(arena))) {
    Finding& added = out.emplace_back();
    added.rule = finding.rule;
    for (const base::Note& note : finding.notes) {
      added.notes.push_back(note.message + " at line " + std::to_string(note.location.line));
    }
    finding.notes.clear();
    added.text = base::format_text(finding, {});
  }
  return out;
}

std::string rule_of(const std::string& pod_spec) {
  const auto findings = formatted(job_set("", "", pod_spec));
  REQUIRE(findings.size() == 1);
  return findings.front().rule;
}

constexpr const char* kHead = R"(metadata: {name: js}
spec:
  replicatedJobs:
  - name: node
    template:
      spec:
        template:
          spec:
            restartPolicy: Never
            containers:
)";

TEST_CASE("a missing limit is reported at the request") {
  const auto findings = formatted(std::string(kHead) + R"(            - name: node
              image: i
              resources:
                requests:
                  nvidia.com/gpu: 4
)");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].text ==
        R"(jobset.yaml:15:19: error: nvidia.com/gpu is requested without a limit [job/gpu-limit]
   15 |                   nvidia.com/gpu: 4
      |                   ^~~~~~~~~~~~~~ extended resources need an equal limit; add limits: {nvidia.com/gpu: 4}
)");
}

TEST_CASE("a request next to the limit that it exceeds") {
  const auto findings = formatted(std::string(kHead) + R"(            - name: node
              image: i
              resources:
                requests: {cpu: 2}
                limits:
                  cpu: 1500m
)");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].text ==
        R"(jobset.yaml:14:33: error: the cpu request of 2 is more than the limit of 1500m [job/resources]
   14 |                 requests: {cpu: 2}
      |                                 ^ lower the request, or raise the limit
)");
  CHECK(findings[0].notes == std::vector<std::string>{"the limit at line 16"});
}

TEST_CASE("a missing field is reported at the map that needs it") {
  const auto findings = formatted(std::string(kHead) + "            - name: node\n");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].text == R"(jobset.yaml:11:15: error: container "node" has no image [job/image]
   11 |             - name: node
      |               ^~~~ add image
)");
}

TEST_CASE("a second source of a volume is reported at its key") {
  const auto findings = formatted(std::string(kHead) + R"(            - {name: node, image: i}
            volumes:
            - name: data
              nfs: {server: a, path: /b}
              emptyDir: {}
)");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].text ==
        R"(jobset.yaml:14:15: error: volume "data" has two sources, emptyDir and nfs [job/volume]
   14 |               nfs: {server: a, path: /b}
      |               ^~~ keep one of them; a patch that changes the source keeps the old one too
)");
}

TEST_CASE("rules name subjects") {
  CHECK(rule_of("containers: []") == "job/container");
  CHECK(rule_of("containers: [{name: A, image: i}]") == "job/name");
  CHECK(rule_of("containers: [{name: a, image: i, ports: [{containerPort: 0}]}]") == "job/port");
  CHECK(rule_of("containers: [{name: a, image: i, env: [{name: \"\"}]}]") == "job/env");
  CHECK(rule_of("containers: [{name: a, image: i, livenessProbe: {}}]") == "job/probe");
  CHECK(rule_of("containers: [{name: a, image: i, lifecycle: {preStop: {}}}]") == "job/lifecycle");
  CHECK(rule_of("containers: [{name: a, image: i, volumeMounts: [{name: x, mountPath: /x}]}]") ==
        "job/volume-mount");
  CHECK(rule_of("containers: [{name: a, image: i, securityContext: {runAsUser: -1}}]") ==
        "job/security-context");
  CHECK(rule_of("containers: [{name: a, image: i, resources: {limits: {cpu: -1}}}]") == "job/resources");
  CHECK(rule_of("containers: [{name: a, image: i, resources: {claims: [{name: x}]}}]") ==
        "job/resource-claim");
  CHECK(rule_of("restartPolicy: Always") == "job/restart-policy");
  CHECK(rule_of("nodeSelector: {a b: c}") == "job/label");
  CHECK(rule_of("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}}") ==
        "job/affinity");
  CHECK(rule_of("tolerations: [{}]") == "job/toleration");
  CHECK(rule_of("topologySpreadConstraints: [{topologyKey: a, whenUnsatisfiable: DoNotSchedule}]") ==
        "job/topology-spread");
  CHECK(rule_of("dnsPolicy: None") == "job/dns");
  CHECK(rule_of("hostname: A") == "job/host");
  CHECK(rule_of("schedulingGates: [{name: a b}]") == "job/gate");
  CHECK(rule_of("preemptionPolicy: Always") == "job/pod-spec");
}

TEST_CASE("annotations together have at most 256 KiB") {
  const std::string big(261827, 'x');  // the JobSet controller's own take 315 bytes here
  CHECK(annotation_findings("a: " + big + "\n") == "");
  CHECK(annotation_findings("a: " + big + "x\n") ==
        "annotations: annotations have 262145 bytes in total, at most 262144 are allowed\n");
}

TEST_CASE("no JobSet, no findings") {
  CHECK(job_set_findings("metadata: {name: js}\n") == "");
  CHECK(job_set_findings("spec: {replicatedJobs: []}\n") == "");
}

}  // namespace
}  // namespace trainjobc::test::jobs::job_admission_report_test
