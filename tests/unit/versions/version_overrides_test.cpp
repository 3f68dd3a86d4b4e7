// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/versions.h"

namespace trainjobc::version_overrides_test {
using namespace trainjobc::test;

namespace {

const std::string kRuntime = cluster_runtime(template_of(flow_replicated_job(
    "node", "trainer", "image: a, volumeMounts: [{name: data, mountPath: /data}]",
    "nodeSelector: {pool: a}, volumes: [{name: data, emptyDir: {}}, {name: cache, emptyDir: {}}]")));

// The outcome under one version.
std::string merged(std::string_view version, const std::string& overrides, std::string_view path) {
  return outcome(compile_for(version, kRuntime + train_job(overrides)), "JobSet", path);
}

// runtimePatches with one patch of one replicatedJob's template.
std::string patch_of(std::string_view job, const std::string& job_template) {
  return "runtimePatches: [{manager: acme.io/m, trainingRuntimeSpec: {template: {spec: {replicatedJobs: "
         "[{name: " +
         std::string(job) + ", template: " + job_template + "}]}}}}]";
}

const std::string kChange =
    "nodeSelector: {zone: z}, volumes: [{name: cache, persistentVolumeClaim: {claimName: c}}, {name: new, "
    "emptyDir: {}}]";

}  // namespace

TEST_CASE("each version has one field for overrides, and the others are unknown to it") {
  const std::string selector = std::string(kPodSpec) + "/nodeSelector";
  const std::string change = "nodeSelector: {zone: z}";
  CHECK(in_each_version(
            kRuntime + train_job("podSpecOverrides: [{targetJobs: [{name: node}], " + change + "}]"),
            "JobSet", selector) == R"(2.0 {"pool":"a","zone":"z"}
2.1 refused: spec.podSpecOverrides: unknown field "podSpecOverrides" in spec
2.2 refused: spec.podSpecOverrides: unknown field "podSpecOverrides" in spec
2.3 refused: spec.podSpecOverrides: unknown field "podSpecOverrides" in spec
)");
  CHECK(in_each_version(kRuntime + train_job("podTemplateOverrides: [{targetJobs: [{name: node}], spec: {" +
                                             change + "}}]"),
                        "JobSet", selector) ==
        R"(2.0 refused: spec.podTemplateOverrides: unknown field "podTemplateOverrides" in spec
2.1 {"pool":"a","zone":"z"}
2.2 refused: spec.podTemplateOverrides: unknown field "podTemplateOverrides" in spec
2.3 refused: spec.podTemplateOverrides: unknown field "podTemplateOverrides" in spec
)");
  CHECK(in_each_version(
            kRuntime + train_job(patch_of("node", "{spec: {template: {spec: {" + change + "}}}}")), "JobSet",
            selector) == R"(2.0 refused: spec.runtimePatches: unknown field "runtimePatches" in spec
2.1 refused: spec.runtimePatches: unknown field "runtimePatches" in spec
2.2 {"pool":"a","zone":"z"}
2.3 {"pool":"a","zone":"z"}
)");
}

TEST_CASE("an override is a strategic merge patch of the pod spec, in every version") {
  const std::string volumes = std::string(kPodSpec) + "/volumes";
  const std::string wanted =
      "[{\"name\":\"data\",\"emptyDir\":{}},{\"name\":\"cache\",\"emptyDir\":{},\"persistentVolumeClaim\":{"
      "\"claimName\":\"c\"}},"
      "{\"name\":\"new\",\"emptyDir\":{}}]";
  CHECK(merged("2.0", "podSpecOverrides: [{targetJobs: [{name: node}], " + kChange + "}]", volumes) ==
        wanted);
  CHECK(merged("2.1", "podTemplateOverrides: [{targetJobs: [{name: node}], spec: {" + kChange + "}}]",
               volumes) == wanted);
  CHECK(merged("2.2", patch_of("node", "{spec: {template: {spec: {" + kChange + "}}}}"), volumes) == wanted);
  CHECK(merged("2.3", patch_of("node", "{spec: {template: {spec: {" + kChange + "}}}}"), volumes) == wanted);
}

TEST_CASE("a job that is targeted twice is refused by 2.0; later the last override wins") {
  const std::string account = std::string(kPodSpec) + "/serviceAccountName";
  CHECK(merged("2.0",
               "podSpecOverrides: [{targetJobs: [{name: node}], serviceAccountName: a}, {targetJobs: [{name: "
               "node}], "
               "serviceAccountName: b}]",
               account) ==
        "refused: spec.podSpecOverrides: replicatedJob \"node\" is the target of more than one override");
  CHECK(merged("2.1",
               "podTemplateOverrides: [{targetJobs: [{name: node}], spec: {serviceAccountName: a}}, "
               "{targetJobs: [{name: "
               "node}], spec: {serviceAccountName: b}}]",
               account) == "\"b\"");
  const std::string patches =
      "runtimePatches: [{manager: acme.io/a, trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: "
      "node, "
      "template: {spec: {template: {spec: {serviceAccountName: a}}}}}]}}}}, {manager: acme.io/b, "
      "trainingRuntimeSpec: "
      "{template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: "
      "{serviceAccountName: b}}}}}]}}}}]";
  CHECK(merged("2.2", patches, account) == "\"b\"");
  CHECK(merged("2.3", patches, account) == "\"b\"");
}

TEST_CASE("a job that the runtime doesn't have is refused until 2.2, and added by 2.3") {
  const std::string name = "spec/replicatedJobs/nodes/name";
  const std::string missing = ": runtime \"rt\" has no replicatedJob \"nodes\"";
  CHECK(merged("2.0", "podSpecOverrides: [{targetJobs: [{name: nodes}]}]", name) ==
        "refused: spec.podSpecOverrides" + missing);
  CHECK(merged("2.1", "podTemplateOverrides: [{targetJobs: [{name: nodes}]}]", name) ==
        "refused: spec.podTemplateOverrides" + missing);
  // Nothing else is said of it.
  CHECK(merged("2.0",
               "podSpecOverrides: [{targetJobs: [{name: nodes}], containers: [{name: node, env: [{name: A, "
               "value: b}]}]}]",
               name) == "refused: spec.podSpecOverrides" + missing);
  const std::string added = "{spec: {template: {spec: {containers: [{name: x}]}}}}";
  CHECK(merged("2.2", patch_of("nodes", added), name) == "refused: spec.runtimePatches" + missing);
  CHECK(merged("2.3", patch_of("nodes", added), name) == "\"nodes\"");
}

TEST_CASE("overrides can't set env of the training container, in every version") {
  const std::string container = "containers: [{name: node, env: [{name: A, value: \"1\"}]}]";
  const auto refused = [](const std::string& field) {
    return "refused: spec." + field + ": spec." + field + " can't set env of container \"node\"";
  };
  CHECK(merged("2.0", "podSpecOverrides: [{targetJobs: [{name: node}], " + container + "}]", "kind") ==
        refused("podSpecOverrides"));
  CHECK(merged("2.1", "podTemplateOverrides: [{targetJobs: [{name: node}], spec: {" + container + "}}]",
               "kind") == refused("podTemplateOverrides"));
  CHECK(merged("2.2", patch_of("node", "{spec: {template: {spec: {" + container + "}}}}"), "kind") ==
        refused("runtimePatches"));
  CHECK(merged("2.3", patch_of("node", "{spec: {template: {spec: {" + container + "}}}}"), "kind") ==
        refused("runtimePatches"));
}

TEST_CASE("2.1 uses labels and annotations of an override's metadata, 2.2 and 2.3 all of it") {
  const std::string pod = "spec/replicatedJobs/node/template/spec/template/metadata";
  const std::string metadata = "{name: x, labels: {a: b}, annotations: {c: d}}";
  CHECK(merged("2.1", "podTemplateOverrides: [{targetJobs: [{name: node}], metadata: " + metadata + "}]",
               pod) == "{\"labels\":{\"a\":\"b\"},\"annotations\":{\"c\":\"d\"}}");
  const std::string all = "{\"name\":\"x\",\"labels\":{\"a\":\"b\"},\"annotations\":{\"c\":\"d\"}}";
  CHECK(merged("2.2", patch_of("node", "{spec: {template: {metadata: " + metadata + "}}}"), pod) == all);
  CHECK(merged("2.3", patch_of("node", "{spec: {template: {metadata: " + metadata + "}}}"), pod) == all);
}

TEST_CASE("spec.labels and spec.annotations reach the JobSet until 2.1, before the runtime's") {
  const std::string runtime =
      cluster_runtime("template: {metadata: {labels: {a: runtime, b: runtime}}, spec: {replicatedJobs: [" +
                      flow_replicated_job("node", "trainer") + "]}}");
  const std::string refused = "refused: spec.labels: unknown field \"labels\" in spec\n";
  const std::string labels = "{\"a\":\"job\",\"b\":\"runtime\",\"c\":\"job\"}\n";
  CHECK(in_each_version(runtime + train_job("labels: {a: job, c: job}"), "JobSet", "metadata/labels") ==
        "2.0 " + labels + "2.1 " + labels + "2.2 " + refused + "2.3 " + refused);
}

TEST_CASE("an invalid merge directive is an error in its field") {
  const std::string bad = "nodeSelector: {$patch: remove}";
  const std::string message =
      ": this patch can't be merged: $patch must be \"replace\" or \"delete\", not \"remove\"";
  CHECK(merged("2.0", "podSpecOverrides: [{targetJobs: [{name: node}], " + bad + "}]", "kind") ==
        "refused: spec.podSpecOverrides" + message);
  CHECK(merged("2.1", "podTemplateOverrides: [{targetJobs: [{name: node}], spec: {" + bad + "}}]", "kind") ==
        "refused: spec.podTemplateOverrides" + message);
  CHECK(merged("2.2", patch_of("node", "{spec: {template: {spec: {" + bad + "}}}}"), "kind") ==
        "refused: spec.runtimePatches" + message);
}

}  // namespace trainjobc::version_overrides_test
