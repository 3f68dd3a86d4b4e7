// SPDX-License-Identifier: Apache-2.0

// Advice on runtimePatches: what they add unasked, what is replaced, what merging doesn't see.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_patch_test {
using trainjobc::test::advice;
using trainjobc::test::job;
using trainjobc::test::replicated_job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

constexpr const char* kPod = R"(                initContainers: [{name: prepare, image: "img:1"}]
                serviceAccountName: default
                nodeSelector: {pool: a}
)";

std::string patched(const std::string& patches) {
  return runtime("{torch: {}}", trainer() + kPod) + job("  trainer: {}\n  runtimePatches:\n" + patches);
}

// A patch of the replicatedJob's pod spec, in flow style.
std::string patch(const std::string& manager, const std::string& pod,
                  const std::string& replicated_job = "node") {
  return "  - manager: example.com/" + manager +
         "\n    trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: " + replicated_job +
         ",\n      template: {spec: {template: {spec: " + pod + "}}}}]}}}\n";
}

}  // namespace

TEST_CASE("advice/patch-target: a replicatedJob that the runtime does not have") {
  CHECK(
      advice("advice/patch-target", patched(patch("a", "{containers: [{name: x}]}", "nodes"))) ==
      R"(in.yaml:34:69: warning: the patch names replicatedJob "nodes", which runtime "rt" does not have; a new one without an image would be added [advice/patch-target]
   34 |     trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: nodes,
      |                                                                     ^~~~~ did you mean "node"?
)");
}

TEST_CASE("advice/patch-target: containers and init containers") {
  CHECK(
      advice("advice/patch-target", patched(patch("a", "{containers: [{name: trainer}]}"))) ==
      R"(in.yaml:35:63: warning: the patch names container "trainer", which runtime "rt" does not have; a new one without an image would be added [advice/patch-target]
   35 |       template: {spec: {template: {spec: {containers: [{name: trainer}]}}}}}]}}}
      |                                                               ^~~~~~~ did you mean "node"?
)");
  CHECK(
      advice("advice/patch-target", patched(patch("a", "{containers: [{name: prepare}]}"))) ==
      R"(in.yaml:35:63: warning: the patch names container "prepare", which runtime "rt" does not have; a new one without an image would be added [advice/patch-target]
   35 |       template: {spec: {template: {spec: {containers: [{name: prepare}]}}}}}]}}}
      |                                                               ^~~~~~~ patch it under initContainers
)");
  CHECK(
      advice("advice/patch-target", patched(patch("a", "{initContainers: [{name: prepair}]}"))) ==
      R"(in.yaml:35:67: warning: the patch names init container "prepair", which runtime "rt" does not have; a new one without an image would be added [advice/patch-target]
   35 |       template: {spec: {template: {spec: {initContainers: [{name: prepair}]}}}}}]}}}
      |                                                                   ^~~~~~~ did you mean "prepare"?
)");
  CHECK(advice("advice/patch-target",
               patched(patch("a", "{containers: [{name: node}], initContainers: [{name: prepare}]}"))) == "");
}

TEST_CASE("advice/patch-target: a name with a word more is another name") {
  CHECK(
      advice("advice/patch-target", patched(patch("a", "{containers: [{name: node-sidecar}]}"))) ==
      R"(in.yaml:35:63: warning: the patch names container "node-sidecar", which runtime "rt" does not have; a new one without an image would be added [advice/patch-target]
   35 |       template: {spec: {template: {spec: {containers: [{name: node-sidecar}]}}}}}]}}}
      |                                                               ^~~~~~~~~~~~ it has node
)");
}

TEST_CASE("advice/patch-overridden: the later manager wins") {
  CHECK(
      advice("advice/patch-overridden",
             patched(patch("a", "{serviceAccountName: x, nodeSelector: {zone: z}}") +
                     patch("b", "{serviceAccountName: \"y\"}"))) ==
      R"(in.yaml:35:43: warning: serviceAccountName of manager "example.com/a" has no effect: manager "example.com/b" comes later and replaces it [advice/patch-overridden]
   35 |       template: {spec: {template: {spec: {serviceAccountName: x, nodeSelector: {zone: z}}}}}}]}}}
      |                                           ^~~~~~~~~~~~~~~~~~ keep one of the two
  note: the one that applies at in.yaml:38:43
)");
  CHECK(
      advice("advice/patch-overridden", patched(patch("a", "{nodeSelector: {zone: z}}") +
                                                patch("b", "{nodeSelector: {$patch: replace, pool: b}}"))) ==
      R"(in.yaml:35:58: warning: zone of manager "example.com/a" has no effect: manager "example.com/b" comes later and removes it [advice/patch-overridden]
   35 |       template: {spec: {template: {spec: {nodeSelector: {zone: z}}}}}}]}}}
      |                                                          ^~~~ keep one of the two
)");
}

TEST_CASE("advice/patch-overridden: the field of what is lost, with keys that contain dots in brackets") {
  CHECK(
      test::advised_fields("advice/patch-overridden",
                           patched(patch("a",
                                         "{nodeSelector: {example.com/pool: a, zone: z}, initContainers: "
                                         "[{name: prepare, env: [{name: A, "
                                         "value: a}, {name: B, value: a}]}]}") +
                                   patch("b",
                                         "{nodeSelector: {example.com/pool: b, zone: b}, initContainers: "
                                         "[{name: prepare, env: [{name: B, "
                                         "value: b}]}]}"))) ==
      R"(spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0].template.spec.template.spec.nodeSelector[example.com/pool]: example.com/pool of manager "example.com/a" has no effect: manager "example.com/b" comes later and replaces it
spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0].template.spec.template.spec.nodeSelector.zone: zone of manager "example.com/a" has no effect: manager "example.com/b" comes later and replaces it
spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0].template.spec.template.spec.initContainers[0].env[1].value: value of manager "example.com/a" has no effect: manager "example.com/b" comes later and replaces it
)");
}

TEST_CASE("advice/patch-no-effect: an empty list") {
  CHECK(
      test::advised_fields("advice/patch-no-effect", patched(patch("a", "{initContainers: []}"))) ==
      R"(spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0].template.spec.template.spec.initContainers: initContainers: [] has no effect: an empty value in a patch clears nothing
)");
}

TEST_CASE("advice/patch-no-effect: in an element that is not the list's first") {
  const std::string side =
      "                - {name: side, image: 'a:1', volumeMounts: [{name: w, mountPath: /w}]}\n              "
      "  volumes: [{name: w, emptyDir: {}}]\n";
  CHECK(
      test::advised_fields("advice/patch-no-effect",
                           runtime("{torch: {}}", trainer() + side) +
                               job("  trainer: {}\n  runtimePatches:\n" +
                                   patch("a", "{containers: [{name: side, volumeMounts: []}]}"))) ==
      R"(spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].volumeMounts: volumeMounts: [] has no effect: an empty value in a patch clears nothing
)");
}

TEST_CASE("advice/patch-no-effect: the field of what has none") {
  CHECK(
      test::advised_fields(
          "advice/patch-no-effect",
          patched(patch("a", "{nodeSelector: {pool: null}, tolerations: null, serviceAccountName: null}"))) ==
      R"(spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0].template.spec.template.spec.nodeSelector.pool: pool: null has no effect: an empty value in a patch clears nothing
spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0].template.spec.template.spec.serviceAccountName: serviceAccountName: null has no effect: an empty value in a patch clears nothing
)");
}

TEST_CASE("advice/patch-overridden: the same value, another element, a value that comes back") {
  CHECK(advice("advice/patch-overridden",
               patched(patch("a", "{serviceAccountName: x}") + patch("b", "{serviceAccountName: x}"))) == "");
  CHECK(advice("advice/patch-overridden", patched(patch("a", "{nodeSelector: {zone: z}}") +
                                                  patch("b", "{nodeSelector: {pool: b}}"))) == "");
  const std::string volumes = "{volumes: [{name: x, emptyDir: {medium: Memory}}]}";
  CHECK(advice("advice/patch-overridden",
               patched(patch("a", volumes) +
                       patch("b", "{volumes: [{name: other, emptyDir: {medium: \"\"}}]}"))) == "");
  const std::string back =
      advice("advice/patch-overridden",
             patched(patch("a", "{serviceAccountName: x}") + patch("b", "{serviceAccountName: \"y\"}") +
                     patch("c", "{serviceAccountName: x}")));
  CHECK(
      back ==
      R"(in.yaml:38:43: warning: serviceAccountName of manager "example.com/b" has no effect: manager "example.com/c" comes later and replaces it [advice/patch-overridden]
   38 |       template: {spec: {template: {spec: {serviceAccountName: "y"}}}}}]}}}
      |                                           ^~~~~~~~~~~~~~~~~~ keep one of the two
  note: the one that applies at in.yaml:41:43
)");
}

TEST_CASE("advice/patch-no-effect: what is empty clears nothing") {
  CHECK(
      advice("advice/patch-no-effect", patched(patch("a", "{nodeSelector: {}, serviceAccountName: null}"))) ==
      R"(in.yaml:35:43: warning: nodeSelector: {} has no effect: an empty value in a patch clears nothing [advice/patch-no-effect]
   35 |       template: {spec: {template: {spec: {nodeSelector: {}, serviceAccountName: null}}}}}]}}}
      |                                           ^~~~~~~~~~~~ {$patch: replace} clears it
in.yaml:35:61: warning: serviceAccountName: null has no effect: an empty value in a patch clears nothing [advice/patch-no-effect]
   35 |       template: {spec: {template: {spec: {nodeSelector: {}, serviceAccountName: null}}}}}]}}}
      |                                                             ^~~~~~~~~~~~~~~~~~ the runtime's value stays; change it there
)");
  CHECK(advice("advice/patch-no-effect", patched(patch("a", "{tolerations: [], nodeSelector: {pool: b}}"))) ==
        "");
  CHECK(advice("advice/patch-no-effect", patched(patch("a", "{}"))) == "");
}

TEST_CASE("advice/patch-no-effect: $patch with nothing to work on") {
  const std::string metadata =
      "  - manager: example.com/a\n    trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: "
      "node,\n"
      "      template: {metadata: {annotations: {$patch: replace, a: b}}}}]}}}\n";
  CHECK(
      advice("advice/patch-no-effect", patched(metadata)) ==
      R"(in.yaml:35:29: warning: annotations is removed as a whole: the runtime has no annotations that $patch: replace could apply to [advice/patch-no-effect]
   35 |       template: {metadata: {annotations: {$patch: replace, a: b}}}}]}}}
      |                             ^~~~~~~~~~~ remove the line with $patch
)");
  CHECK(advice("advice/patch-no-effect", patched(patch("a", "{nodeSelector: {$patch: replace, zone: z}}"))) ==
        "");
}

TEST_CASE("advice/patch-overridden: an override with an effect in one of its targets") {
  const auto of_targets = [](const std::string& second) {
    const std::string jobs =
        "      replicatedJobs:\n" + replicated_job("prepare", "") + replicated_job("node", "trainer");
    return advice("advice/patch-overridden", runtime("{torch: {}}", jobs) + job(R"(  trainer: {}
  podTemplateOverrides:
  - {targetJobs: [{name: prepare}, {name: node}], spec: {serviceAccountName: a}}
  - {targetJobs: )" + second + R"(, spec: {serviceAccountName: b}}
)"),
                  {}, "2.1");
  };
  CHECK(of_targets("[{name: node}]") == "");
  CHECK(
      of_targets("[{name: node}, {name: prepare}]") ==
      R"(in.yaml:38:58: warning: serviceAccountName of override 1 has no effect: override 2 comes later and replaces it [advice/patch-overridden]
   38 |   - {targetJobs: [{name: prepare}, {name: node}], spec: {serviceAccountName: a}}
      |                                                          ^~~~~~~~~~~~~~~~~~ keep one of the two
  note: the one that applies at in.yaml:39:58
)");
}

TEST_CASE("advice/patch-target: an override's container") {
  CHECK(
      advice("advice/patch-target", runtime("{torch: {}}", trainer()) + job(R"(  trainer: {}
  podTemplateOverrides:
  - {targetJobs: [{name: node}], spec: {containers: [{name: trainer}]}}
)"),
             {}, "2.1") ==
      R"(in.yaml:30:61: warning: the patch names container "trainer", which runtime "rt" does not have; a new one without an image would be added [advice/patch-target]
   30 |   - {targetJobs: [{name: node}], spec: {containers: [{name: trainer}]}}
      |                                                             ^~~~~~~ did you mean "node"?
)");
}

}  // namespace trainjobc::advice_patch_test
