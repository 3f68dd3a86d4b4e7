// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/versions.h"

namespace trainjobc::version_admission_test {
using namespace trainjobc::test;

namespace {

const std::string kRuntime = cluster_runtime(template_of(flow_replicated_job("node", "trainer")));

std::string named(const std::string& name) {
  return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: " + name +
         "}\nspec: {runtimeRef: {name: rt}}\n";
}

}  // namespace

TEST_CASE("a job's name is a DNS label: 2.0's webhook says so, later the schema") {
  const std::string schema =
      "refused: metadata.name: metadata.name \"1job\" must consist of lower-case letters, digits and '-', "
      "and begin with "
      "a letter\n";
  CHECK(in_each_version(kRuntime + named("1job"), "JobSet", "kind") ==
        "2.0 refused: metadata.name: \"1job\" is not a DNS label\n2.1 " + schema + "2.2 " + schema + "2.3 " +
            schema);
}

TEST_CASE("2.0 accepts a labelled job without the container of that label") {
  const std::string manifests =
      cluster_runtime(
          "template: {spec: {replicatedJobs: [{name: node, template: {metadata: {labels: "
          "{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: {containers: "
          "[{name: main}]}}}}}]}}") +
      train_job();
  const std::string refused =
      "refused: spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers: a replicatedJob "
      "with the "
      "ancestor label \"trainer\" needs a container \"node\"\n";
  CHECK(in_each_version(manifests, "JobSet", "spec/replicatedJobs/node/name") ==
        "2.0 \"node\"\n2.1 " + refused + "2.2 " + refused + "2.3 " + refused);
}

TEST_CASE("deprecated runtimes are warned about from 2.1 on") {
  const std::string runtime =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: rt, labels: "
      "{trainer.kubeflow.org/support: deprecated}}\nspec: {" +
      template_of(flow_replicated_job("node", "trainer")) + "}\n---\n";
  const std::string warned =
      "ClusterTrainingRuntime//rt: advice/deprecated-runtime; TrainJob/default/job: "
      "advice/deprecated-runtime\n";
  CHECK(warnings_in_each_version(runtime + train_job()) ==
        "2.0 -\n2.1 " + warned + "2.2 " + warned + "2.3 " + warned);
}

TEST_CASE("from 2.3 on a label exempts a runtime from the webhook") {
  std::string three = flow_replicated_job("node", "trainer");
  three.insert(three.find("name: node"), "replicas: 3, ");
  const auto runtime = [&](const std::string& value) {
    return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: rt, "
           "labels: "
           "{trainer.kubeflow.org/webhook-validation: " +
           value + "}}\nspec: {" + template_of(three) + "}\n---\n";
  };
  const std::string path = "spec/replicatedJobs/node/replicas";
  const std::string refused =
      "refused: spec.template.spec.replicatedJobs[0].replicas: a replicatedJob with the ancestor label "
      "\"trainer\" must have exactly one replica, not 3\n";
  CHECK(in_each_version(runtime("disabled") + train_job(), "JobSet", path) ==
        "2.0 " + refused + "2.1 " + refused + "2.2 " + refused + "2.3 1\n");
  CHECK(outcome(compile_for("2.3", runtime("enabled") + train_job()), "JobSet", path) + "\n" == refused);
}

TEST_CASE("from 2.2 on a webhook writes a job with patches again before the schema is checked") {
  const std::string patches = "runtimePatches: [{manager: a.example/b}], ";
  const auto spec = [](const std::string& text) { return compile_for("2.3", kRuntime + train_job(text)); };
  const auto refused = [](const std::string& field, const std::string& why) {
    return "refused: " + field + ": " + field + " " + why;
  };
  const auto outcome_of = [&](const std::string& text) { return outcome(spec(text), "JobSet", "kind"); };
  CHECK(outcome_of("trainer: {env: [null]}") == refused("spec.trainer.env[0]", "must be a map, not null"));
  CHECK(outcome_of(patches + "trainer: {env: [null]}") == "\"JobSet\"");
  CHECK(outcome_of("trainer: {command: [null]}") ==
        refused("spec.trainer.command[0]", "must be a string, not null"));
  CHECK(outcome_of(patches + "trainer: {command: [null]}") == "\"JobSet\"");
  CHECK(outcome_of("trainer: {env: [{value: x}]}") == refused("spec.trainer.env[0].name", "is required"));
  CHECK(outcome_of(patches + "trainer: {env: [{value: x}]}") == "\"JobSet\"");
  CHECK(outcome_of("runtimePatches: [null]") == refused("spec.runtimePatches[0].manager", "is required"));
  // No time is left to be set.
  CHECK(outcome_of("runtimePatches: [{manager: a.example/b, time: '2026-01-02T03:04:05Z'}], trainer: {env: "
                   "[{value: x}]}") == refused("spec.trainer.env[0].name", "is required"));
}

TEST_CASE("an initializer needs a mount of the volume from 2.3 on") {
  const auto runtime = [](const std::string& mounts) {
    return cluster_runtime(
        "template: {spec: {replicatedJobs: [{name: dataset-initializer, template: {metadata: {labels: "
        "{trainer.kubeflow.org/trainjob-ancestor-step: dataset-initializer}}, spec: {template: {spec: "
        "{containers: [{name: "
        "dataset-initializer" +
        mounts + "}]}}}}}]}}");
  };
  const std::string job = train_job("initializer: {dataset: {storageUri: \"hf://a/b\"}}");
  const std::string env =
      "spec/replicatedJobs/dataset-initializer/template/spec/template/spec/containers/dataset-initializer/"
      "env/"
      "STORAGE_URI/value";
  CHECK(in_each_version(runtime("") + job, "JobSet", env) ==
        "2.0 \"hf://a/b\"\n2.1 \"hf://a/b\"\n2.2 \"hf://a/b\"\n2.3 refused: spec.runtimeRef: runtime \"rt\" "
        "has no volume "
        "mount \"initializer\" in container \"dataset-initializer\", which spec.initializer.dataset needs\n");
  CHECK(outcome(compile_for("2.3", runtime(", volumeMounts: [{name: initializer, mountPath: /w}]") + job),
                "JobSet", env) == "\"hf://a/b\"");
}

TEST_CASE("a secretRef without a name is written with an empty one") {
  const std::string manifests =
      cluster_runtime(
          "template: {spec: {replicatedJobs: [{name: model-initializer, template: {metadata: {labels: "
          "{trainer.kubeflow.org/trainjob-ancestor-step: model-initializer}}, spec: {template: {spec: "
          "{containers: [{name: model-initializer, volumeMounts: [{name: initializer, mountPath: "
          "/w}]}]}}}}}]}}") +
      train_job("initializer: {model: {secretRef: {}}}");
  const std::string empty = "[{\"secretRef\":{\"name\":\"\"}}]\n";
  CHECK(in_each_version(
            manifests, "JobSet",
            "spec/replicatedJobs/model-initializer/template/spec/template/spec/containers/model-initializer/"
            "envFrom") == "2.0 " + empty + "2.1 " + empty + "2.2 " + empty + "2.3 " + empty);
}

TEST_CASE("an empty list in a job clears the runtime's list") {
  const std::string manifests =
      cluster_runtime(template_of(flow_replicated_job("node", "trainer", "command: [a], args: [b]"))) +
      train_job("trainer: {args: []}");
  CHECK(in_each_version(manifests, "JobSet", of_node("args")) == "2.0 -\n2.1 -\n2.2 -\n2.3 -\n");
  CHECK(in_each_version(manifests, "JobSet", of_node("command")) ==
        "2.0 [\"a\"]\n2.1 [\"a\"]\n2.2 [\"a\"]\n2.3 [\"a\"]\n");
}

}  // namespace trainjobc::version_admission_test
