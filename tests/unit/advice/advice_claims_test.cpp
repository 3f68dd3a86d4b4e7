// SPDX-License-Identifier: Apache-2.0

// Advice on claims of several nodes, and on sidecars.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_claims_test {
using trainjobc::test::advice;
using trainjobc::test::job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

constexpr const char* kMount = "                  volumeMounts: [{name: data, mountPath: /data}]\n";

std::string with_claim(const std::string& modes, const std::string& mount = kMount,
                       const std::string& pod = "", const std::string& policy = "{torch: {}}") {
  std::string text = runtime(
      policy,
      "      volumeClaimPolicies:\n      - retentionPolicy: {whenDeleted: Delete}\n        templates:\n"
      "        - metadata: {name: data}\n          spec: {accessModes: " +
          modes + ", resources: {requests: {storage: 1Gi}}}\n" + trainer(mount));
  if (!pod.empty()) text.insert(text.find("                containers:\n"), "                " + pod + "\n");
  return text;
}

std::string nodes(int number) {
  return job("  trainer: {numNodes: " + std::to_string(number) + "}\n");
}

}  // namespace

TEST_CASE("advice/claim-access: one node or pod can mount it") {
  CHECK(advice("advice/claim-access", with_claim("[ReadWriteOnce]") + nodes(4)) ==
        "in.yaml:15:32: warning: 4 pods mount claim \"data\", which is ReadWriteOnce: only those on one node "
        "can start [advice/claim-access]\n"
        "   15 |           spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n"
        "      |                                ^~~~~~~~~~~~~ write ReadWriteMany, with a storage class that "
        "offers it\n");
  CHECK(advice("advice/claim-access", with_claim("[ReadWriteOncePod]") + nodes(2)) ==
        "in.yaml:15:32: warning: 2 pods mount claim \"data\", which is ReadWriteOncePod: only one of them "
        "can start [advice/claim-access]\n"
        "   15 |           spec: {accessModes: [ReadWriteOncePod], resources: {requests: {storage: 1Gi}}}\n"
        "      |                                ^~~~~~~~~~~~~~~~ write ReadWriteMany, with a storage class "
        "that offers it\n");
  CHECK(
      advice("advice/claim-access", with_claim("[ReadWriteOnce]", kMount, "", "{numNodes: 3, torch: {}}")) ==
      "in.yaml:15:32: warning: 3 pods mount claim \"data\", which is ReadWriteOnce: only those on one node "
      "can start [advice/claim-access]\n"
      "   15 |           spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n"
      "      |                                ^~~~~~~~~~~~~ write ReadWriteMany, with a storage class that "
      "offers it\n");
}

TEST_CASE("advice/claim-access: one pod, one node, or a claim to share") {
  CHECK(advice("advice/claim-access", with_claim("[ReadWriteOnce]") + nodes(1)) == "");
  CHECK(advice("advice/claim-access", with_claim("[ReadWriteOnce]")) == "");
  // One pod mounts it, the nodes don't.
  CHECK(advice("advice/claim-access", with_claim("[ReadWriteOnce]", "") +
                                          test::replicated_job("other", "", kMount) + nodes(4)) == "");
  CHECK(advice("advice/claim-access", with_claim("[ReadWriteMany]") + nodes(4)) == "");
  CHECK(advice("advice/claim-access", with_claim("[ReadWriteOnce, ReadWriteMany]") + nodes(4)) == "");
  CHECK(advice("advice/claim-access",
               with_claim("[ReadWriteOnce]", kMount, "nodeSelector: {kubernetes.io/hostname: a}") +
                   nodes(4)) == "");
}

TEST_CASE("advice/claim-access: what initializers fill is free when the nodes start") {
  const std::string text = runtime("{numNodes: 1, torch: {}}",
                                   R"(      volumeClaimPolicies:
      - retentionPolicy: {whenDeleted: Delete}
        templates:
        - metadata: {name: data}
          spec: {accessModes: [ReadWriteOncePod], resources: {requests: {storage: 1Gi}}}
      replicatedJobs:
)" + trainjobc::test::replicated_job("dataset-initializer", "dataset-initializer", kMount) +
                                       R"(      - name: node
        dependsOn: [{name: dataset-initializer, status: STATUS}]
)" + trainjobc::test::replicated_job("node", "trainer", kMount).substr(19));
  const auto with = [&](const std::string& status) {
    std::string one = text;
    return advice("advice/claim-access", one.replace(one.find("STATUS"), 6, status));
  };
  CHECK(with("Complete") == "");
  CHECK(with("Ready") ==
        "in.yaml:15:32: warning: 2 pods mount claim \"data\", which is ReadWriteOncePod: only one of them "
        "can start [advice/claim-access]\n"
        "   15 |           spec: {accessModes: [ReadWriteOncePod], resources: {requests: {storage: 1Gi}}}\n"
        "      |                                ^~~~~~~~~~~~~~~~ write ReadWriteMany, with a storage class "
        "that offers it\n");
}

TEST_CASE("advice/istio-sidecar: in a patch of the job") {
  const auto patched = [](const std::string& metadata, const std::string& own = "") {
    std::string text = runtime("{torch: {}}", trainer());
    const std::string spec = "              spec:\n                containers:\n";
    if (!own.empty()) text.insert(text.find(spec), "              metadata: {" + own + "}\n");
    return advice(
        "advice/istio-sidecar",
        text + job("  trainer: {numNodes: 2}\n  runtimePatches:\n  - manager: a.io/b\n    "
                   "trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: node, template: "
                   "{spec: {template: {metadata: {" +
                   metadata + "}}}}}]}}}\n"));
  };
  CHECK(
      patched("annotations: {sidecar.istio.io/inject: 'true'}") ==
      R"(in.yaml:31:154: warning: Istio's sidecar stands between the pods of "node": they may neither meet nor end [advice/istio-sidecar]
   31 |     trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {metadata: {annotations: {sidecar.istio.io/inject: 'true'}}}}}}]}}}
      |                                                                                                                                                          ^~~~~~ write "false"
)");
  CHECK(
      patched("labels: {sidecar.istio.io/inject: 'false'}", "labels: {sidecar.istio.io/inject: 'true'}") ==
      R"(in.yaml:17:60: warning: Istio's sidecar stands between the pods of "node": they may neither meet nor end [advice/istio-sidecar]
   17 |               metadata: {labels: {sidecar.istio.io/inject: 'true'}}
      |                                                            ^~~~~~ write "false"
)");
  CHECK(
      patched("labels: {a: b}", "labels: {sidecar.istio.io/inject: 'true'}") ==
      R"(in.yaml:17:60: warning: Istio's sidecar stands between the pods of "node": they may neither meet nor end [advice/istio-sidecar]
   17 |               metadata: {labels: {sidecar.istio.io/inject: 'true'}}
      |                                                            ^~~~~~ write "false"
)");
}

TEST_CASE("advice/istio-sidecar") {
  const auto labelled = [](const std::string& value) {
    std::string text = runtime("{torch: {}}", trainer());
    const std::string spec = "              spec:\n                containers:\n";
    text.insert(text.find(spec),
                "              metadata: {labels: {sidecar.istio.io/inject: \"" + value + "\"}}\n");
    return advice("advice/istio-sidecar", text);
  };
  CHECK(labelled("true") ==
        "in.yaml:17:60: warning: Istio's sidecar stands between the pods of \"node\": they may neither meet "
        "nor end [advice/istio-sidecar]\n"
        "   17 |               metadata: {labels: {sidecar.istio.io/inject: \"true\"}}\n"
        "      |                                                            ^~~~~~ write \"false\"\n");
  CHECK(labelled("false") == "");
}

}  // namespace trainjobc::advice_claims_test
