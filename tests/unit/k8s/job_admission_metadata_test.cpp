// SPDX-License-Identifier: Apache-2.0

// Labels and annotations of Jobs and pods.
#include <string>

#include "support/job_admission.h"

namespace trainjobc::test::jobs::job_admission_metadata_test {
namespace {

TEST_CASE("labels of the Job") {
  CHECK(
      job_set_findings(R"(metadata: {name: js}
spec:
  replicatedJobs:
  - name: node
    template:
      metadata:
        labels: {owner: ada@example.com, example.com/a/b: x}
        annotations: {Prometheus.io/Scrape: "true", a b: x}
      spec: {template: {spec: {restartPolicy: Never, containers: [{name: node, image: i}]}}}
)") ==
      R"(spec.replicatedJobs[0].template.metadata.labels: the value "ada@example.com" of label owner may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | write ada-example.com
spec.replicatedJobs[0].template.metadata.labels: label key "example.com/a/b" has more than one '/'; only a DNS prefix may come before the name | write example.com/a-b
spec.replicatedJobs[0].template.metadata.annotations: annotation key "a b" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | write a-b
)");
}

TEST_CASE("labels and annotations that the JobSet controller sets") {
  // Its own win, so what the template says under their keys is not looked at.
  CHECK(job_set_findings(R"(metadata: {name: js}
spec:
  replicatedJobs:
  - name: node
    template:
      metadata: {labels: {jobset.sigs.k8s.io/job-index: -first-}}
      spec: {template: {spec: {restartPolicy: Never, containers: [{name: node, image: i}]}}}
)") == "");
  CHECK(
      job_set_findings(R"(metadata: {name: a-job-set-whose-name-has-thirty-two}
spec:
  coordinator: {replicatedJob: node}
  replicatedJobs:
  - name: node
    template:
      spec: {template: {spec: {restartPolicy: Never, containers: [{name: node, image: i}]}}}
)") ==
      R"(spec.replicatedJobs[0].template.metadata.labels: the value "a-job-set-whose-name-has-thirty-two-node-0-0.a-job-set-wh…" of label jobset.sigs.k8s.io/coordinator is 80 characters long, at most 63 are allowed
spec.replicatedJobs[0].template.spec.template.labels: the value "a-job-set-whose-name-has-thirty-two-node-0-0.a-job-set-wh…" of label jobset.sigs.k8s.io/coordinator is 80 characters long, at most 63 are allowed
)");
}

TEST_CASE("exclusive placement by node selector") {
  const auto findings = [](std::string_view of_job_set, std::string_view of_job) {
    return job_set_findings(
        "metadata: {name: a-job-set-of-a-long-name, namespace: a-namespace-whose-name-is-long-too, "
        "annotations: {" +
            std::string(of_job_set) +
            "}}\nspec:\n  replicatedJobs:\n  - name: node\n    template:\n      metadata: {annotations: {" +
            std::string(of_job) +
            "}}\n      spec: {template: {spec: {restartPolicy: Never, containers: [{name: node, image: "
            "i}]}}}\n",
        "spec.replicatedJobs[0].template.spec.template.spec.");
  };
  constexpr std::string_view kExclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology: zone";
  constexpr std::string_view kSelector = "alpha.jobset.sigs.k8s.io/node-selector: \"true\"";
  const std::string both = std::string(kExclusive) + ", " + std::string(kSelector);
  const std::string refused =
      R"(nodeSelector: the value "a-namespace-whose-name-is-long-too_a-job-set-of-a-long-na…" of node label alpha.jobset.sigs.k8s.io/namespaced-job is 66 characters long, at most 63 are allowed
)";
  CHECK(findings(both, "") == refused);
  CHECK(findings("", both) == refused);
  CHECK(findings(kExclusive, kSelector) == refused);
  CHECK(findings(kExclusive, "") == "");
  CHECK(findings(kSelector, kExclusive) == "");
}

TEST_CASE("labels of the pods") {
  CHECK(
      job_set_findings(R"(metadata: {name: js}
spec:
  replicatedJobs:
  - name: node
    template:
      spec:
        template:
          metadata:
            labels: {variant: -lora, run: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, empty: "", UPPER/x: y, x/: z}
            annotations: {prometheus.io/scrape/port: "9"}
          spec: {restartPolicy: Never, containers: [{name: node, image: i}]}
)") ==
      R"(spec.replicatedJobs[0].template.spec.template.labels: the value "-lora" of label variant may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | write lora
spec.replicatedJobs[0].template.spec.template.labels: the value "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" of label run is 64 characters long, at most 63 are allowed
spec.replicatedJobs[0].template.spec.template.labels: label key "UPPER/x" has a prefix that may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write upper/x
spec.replicatedJobs[0].template.spec.template.labels: label key "x/" has no name after its prefix
spec.replicatedJobs[0].template.spec.template.annotations: annotation key "prometheus.io/scrape/port" has more than one '/'; only a DNS prefix may come before the name | write prometheus.io/scrape-port
)");
}

TEST_CASE("labels that the API server sets") {
  CHECK(
      job_set_findings(R"(metadata: {name: js}
spec:
  replicatedJobs:
  - name: node
    template:
      spec:
        template:
          metadata: {labels: {job-name: other, batch.kubernetes.io/job-name: js-node-0, controller-uid: u}}
          spec: {restartPolicy: Never, containers: [{name: node, image: i}]}
)") ==
      R"(spec.replicatedJobs[0].template.spec.template.metadata.labels[controller-uid]: label controller-uid must be the Job's uid, which is not known in advance | remove it
spec.replicatedJobs[0].template.spec.template.metadata.labels[job-name]: label job-name must be the Job's name "js-node-0", not "other" | remove it
)");
}

TEST_CASE("every replicatedJob is checked") {
  CHECK(
      job_set_findings(R"(metadata: {name: js}
spec:
  replicatedJobs:
  - name: a
    template: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: node}]}}}}
  - name: b
    template: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: node, image: i}]}}}}
  - name: c
    template: {spec: {template: {spec: {restartPolicy: Never, containers: []}}}}
)") ==
      R"(spec.replicatedJobs[0].template.spec.template.spec.containers[0].image: container "node" has no image | add image
spec.replicatedJobs[2].template.spec.template.spec.containers: a pod needs at least one container | add containers
)");
}

TEST_CASE("AppArmor annotations") {
  CHECK(
      annotation_findings(R"(
container.apparmor.security.beta.kubernetes.io/trainer: runtime/default
container.apparmor.security.beta.kubernetes.io/node: docker-default
)") ==
      R"(annotations[container.apparmor.security.beta.kubernetes.io/trainer]: the pod has no container "trainer" | use securityContext.appArmorProfile
annotations[container.apparmor.security.beta.kubernetes.io/node]: "docker-default" is not an AppArmor profile | use securityContext.appArmorProfile
)");
  CHECK(annotation_findings(R"(
container.apparmor.security.beta.kubernetes.io/node: localhost/x
)") == "");
}

TEST_CASE("seccomp annotations") {
  CHECK(
      annotation_findings(R"(
seccomp.security.alpha.kubernetes.io/pod: docker
container.seccomp.security.alpha.kubernetes.io/node: localhost/../x
)") ==
      R"(annotations.seccomp.security.alpha.kubernetes.io/pod: "docker" is not a seccomp profile | use securityContext.seccompProfile
annotations.container.seccomp.security.alpha.kubernetes.io/node: "localhost/../x" is not a seccomp profile | use securityContext.seccompProfile
)");
  CHECK(annotation_findings(R"(
seccomp.security.alpha.kubernetes.io/pod: docker/default
container.seccomp.security.alpha.kubernetes.io/node: localhost/x.json
)") == "");
}

TEST_CASE("annotations must match the fields that replaced them") {
  CHECK(
      annotation_findings(R"(
seccomp.security.alpha.kubernetes.io/pod: unconfined
)",
                          R"(
securityContext: {seccompProfile: {type: RuntimeDefault}}
)") ==
      R"(spec.securityContext.seccompProfile.type: seccompProfile contradicts the annotation, which says "unconfined" | remove the annotation
)");
  CHECK(
      annotation_findings(R"(
seccomp.security.alpha.kubernetes.io/pod: localhost/a
)",
                          R"(
securityContext: {seccompProfile: {type: Localhost, localhostProfile: b}}
)") ==
      R"(spec.securityContext.seccompProfile.localhostProfile: seccompProfile contradicts the annotation, which says "localhost/a" | remove the annotation
)");
  CHECK(
      annotation_findings(R"(
container.apparmor.security.beta.kubernetes.io/node: unconfined
)",
                          R"(
securityContext: {appArmorProfile: {type: RuntimeDefault}}
)") ==
      R"(spec.containers[0].securityContext.appArmorProfile.type: appArmorProfile contradicts the annotation, which says "unconfined" | remove the annotation
)");
  CHECK(annotation_findings(R"(
container.apparmor.security.beta.kubernetes.io/node: unconfined
)",
                            R"(
os: {name: windows}
)") == "");
}

TEST_CASE("other annotations with a meaning") {
  CHECK(annotation_findings(R"(
controller.kubernetes.io/pod-deletion-cost: "+5"
kubernetes.io/config.mirror: x
)") ==
        R"(annotations[kubernetes.io/config.mirror]: a mirror pod needs a nodeName | remove the annotation
annotations[controller.kubernetes.io/pod-deletion-cost]: "+5" is not a 32-bit number
)");
  CHECK(annotation_findings(R"(
controller.kubernetes.io/pod-deletion-cost: "-2147483648"
kubernetes.io/config.mirror: x
)",
                            R"(
nodeName: n1
)") == "");
  CHECK(annotation_findings(R"(
controller.kubernetes.io/pod-deletion-cost: "2147483648"
)") ==
        R"(annotations[controller.kubernetes.io/pod-deletion-cost]: "2147483648" is not a 32-bit number
)");
}

TEST_CASE("the deletion cost is written as Go writes numbers") {
  const auto cost = [](const std::string& text) {
    return annotation_findings("controller.kubernetes.io/pod-deletion-cost: \"" + text + "\"\n");
  };
  for (const char* valid : {"0", "5", "10", "-1", "2147483647"}) CHECK_MESSAGE(cost(valid) == "", valid);
  CHECK(cost("07") == R"(annotations[controller.kubernetes.io/pod-deletion-cost]: "07" is not a 32-bit number
)");
  CHECK(cost("00") == R"(annotations[controller.kubernetes.io/pod-deletion-cost]: "00" is not a 32-bit number
)");
  CHECK(cost("-2147483649") ==
        R"(annotations[controller.kubernetes.io/pod-deletion-cost]: "-2147483649" is not a 32-bit number
)");
}

TEST_CASE("tolerations in an annotation") {
  CHECK(
      annotation_findings(R"(
scheduler.alpha.kubernetes.io/tolerations: '[{"key": "a b", "operator": "Exists"}]'
)") ==
      R"(annotations.scheduler.alpha.kubernetes.io/tolerations[0].key: toleration key "a b" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | use spec.tolerations
)");
  CHECK(
      annotation_findings(R"(
scheduler.alpha.kubernetes.io/tolerations: '{}'
)") ==
      R"(annotations: annotation scheduler.alpha.kubernetes.io/tolerations is not a JSON list of tolerations | use spec.tolerations
)");
  CHECK(annotation_findings(R"(
scheduler.alpha.kubernetes.io/tolerations: '[{"key": "a", "operator": "Exists"}]'
)") == "");
  CHECK(
      annotation_findings(R"(scheduler.alpha.kubernetes.io/tolerations: "[]\n...\nx"
)") ==
      R"(annotations: annotation scheduler.alpha.kubernetes.io/tolerations is not a JSON list of tolerations | use spec.tolerations
)");
}

}  // namespace
}  // namespace trainjobc::test::jobs::job_admission_metadata_test
