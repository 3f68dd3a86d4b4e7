// SPDX-License-Identifier: Apache-2.0

// Advice on files that were exported from a cluster.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_exported_test {
using trainjobc::test::advice;
using trainjobc::test::fixed;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

constexpr std::string_view kRule = "advice/server-field";

std::string job_of(const std::string& metadata, const std::string& more = "") {
  return "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n" + metadata +
         "spec:\n  runtimeRef: {name: rt}\n" + more;
}

}  // namespace

TEST_CASE("advice/server-field: a job as kubectl prints it") {
  const std::string before = runtime("{torch: {}}", trainer());
  const std::string exported = job_of(R"(  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"trainer.kubeflow.org/v1alpha1"}
  creationTimestamp: "2026-01-02T03:04:05Z"
  generation: 1
  # the job's own
  labels: {team: a}
  managedFields:
  - apiVersion: trainer.kubeflow.org/v1alpha1
    fieldsType: FieldsV1
    fieldsV1:
      f:spec: {}

    manager: kubectl
    operation: Update
  name: j
  resourceVersion: "4711"
  uid: 6e1bd0f4-5d0c-4c51-9d5e-0c1f6ad0a9b2
)",
                                      R"(status:
  conditions:
  - lastTransitionTime: "2026-01-02T03:04:05Z"
    message: done
    reason: JobsCompleted
    status: "True"
    type: Complete
)");
  CHECK(
      advice(kRule, before + exported) ==
      R"(in.yaml:26:5: warning: metadata.annotations[kubectl.kubernetes.io/last-applied-configuration], metadata.creationTimestamp, metadata.generation, metadata.managedFields, metadata.resourceVersion, metadata.uid and status are set by the server: a file with them fits one object of one cluster [advice/server-field]
  hint: remove them
)");
  CHECK(fixed(kRule, before + exported) ==
        before + job_of("  # the job's own\n  labels: {team: a}\n  name: j\n"));
}

TEST_CASE("advice/server-field: one field, fields that say nothing, other annotations") {
  const std::string before = runtime("{torch: {}}", trainer());
  CHECK(advice(kRule, before + job_of("  name: j\n  creationTimestamp: null\n", "status: {}\n")) == "");
  CHECK(
      advice(kRule, before + job_of("  name: j\n  uid: a\n")) ==
      R"(in.yaml:26:3: warning: metadata.uid is set by the server: a file with it fits one object of one cluster [advice/server-field]
   26 |   uid: a
      |   ^~~ remove it
)");
  const std::string annotated = job_of(
      "  name: j\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{}'\n    a/b: c\n");
  CHECK(
      advice(kRule, before + annotated) ==
      R"(in.yaml:27:5: warning: metadata.annotations[kubectl.kubernetes.io/last-applied-configuration] is set by the server: a file with it fits one object of one cluster [advice/server-field]
  hint: remove it
)");
  CHECK(fixed(kRule, before + annotated) == before + job_of("  name: j\n  annotations:\n    a/b: c\n"));
}

TEST_CASE("advice/server-field: maps in brackets, and a runtime") {
  const std::string before = runtime("{torch: {}}", trainer());
  const auto braces = [&](const std::string& metadata) {
    return before + "---\n{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {" +
           metadata + "}, spec: {runtimeRef: {name: rt}}}\n";
  };
  CHECK(fixed(kRule, braces("uid: 'it''s, a', generation: 1, name: j")) == braces("name: j"));
  CHECK(fixed(kRule, braces("name: j, uid: a, generation: 1")) == braces("name: j"));
  CHECK(fixed(kRule, braces("uid: a, name: j, managedFields: [{manager: \"a,}\"}], labels: {a: b}")) ==
        braces("name: j, labels: {a: b}"));
  std::string exported = before;
  exported.replace(exported.find("metadata:"), 9, "metadata:\n  generation: 2");
  CHECK(advice(kRule, exported) ==
        "in.yaml:4:3: warning: metadata.generation is set by the server: a file with it fits one object of "
        "one cluster [advice/server-field]\n"
        "    4 |   generation: 2\n"
        "      |   ^~~~~~~~~~ remove it\n");
}

}  // namespace trainjobc::advice_exported_test
