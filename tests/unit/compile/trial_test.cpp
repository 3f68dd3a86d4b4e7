// SPDX-License-Identifier: Apache-2.0

// Runtimes of the inputs that no TrainJob uses: checked with a job of their own.
#include <doctest/doctest.h>

#include "compile/runtimes.h"
#include "support/advice.h"

namespace trainjobc::trial_test {
using trainjobc::test::errors;
using trainjobc::test::job;
using trainjobc::test::lint;
using trainjobc::test::replicated_job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

std::string with_resources(const std::string& resources) {
  return trainer("                  resources: " + resources + "\n");
}

// A trainer, and a second container of its pod with these lines.
std::string with_sidecar(const std::string& lines) {
  return trainer("                - name: side\n" + lines);
}

std::string without_image(std::string text) {
  const std::string image = "                  image: img:1\n";
  return text.erase(text.find(image), image.size());
}

constexpr const char* kMount = "                  volumeMounts: [{name: data, mountPath: /data}]\n";

}  // namespace

TEST_CASE("trial: what the API server would refuse in every Job is an error in the runtime") {
  CHECK(errors(runtime("{torch: {}}", trainer(kMount))) ==
        R"(in.yaml:21:41: error: the pod has no volume "data" [job/volume-mount]
   21 |                   volumeMounts: [{name: data, mountPath: /data}]
      |                                         ^~~~ add a volume of that name to the pod's volumes
)");
  const trainjobc::Compilation compiled = lint(runtime("{torch: {}}", trainer(kMount)));
  for (const trainjobc::base::Diagnostic& found : compiled.diagnostics.items()) {
    if (found.rule != "job/volume-mount") continue;
    CHECK(found.object == "ClusterTrainingRuntime//rt");
    CHECK(found.stage == trainjobc::base::Stage::Job);
    CHECK(found.field ==
          "spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].volumeMounts[0]."
          "name");
  }
}

TEST_CASE("trial: refusals by the JobSet's admission") {
  const std::string depends = "      - name: last\n        dependsOn: [{name: none, status: Complete}]\n";
  std::string jobs = trainer() + replicated_job("last", "");
  const std::string last = "      - name: last\n";
  jobs.replace(jobs.find(last), last.size(), depends);
  CHECK(
      errors(runtime("{torch: {}}", jobs)) ==
      R"(in.yaml:22:28: error: replicatedJob "last" depends on "none", which the JobSet does not have [jobset/depends-on]
   22 |         dependsOn: [{name: none, status: Complete}]
      |                            ^~~~ did you mean "node"?
)");
}

TEST_CASE("trial: failures of the controller") {
  const std::string jobs = "      replicatedJobs:\n" + replicated_job("other", "");
  CHECK(
      errors(runtime("{jax: {}}", jobs), {}, "2.2") ==
      R"(in.yaml:4:3: error: the JAX runtime "rt" has no replicatedJob with the ancestor label "trainer": the controller crashes without it [render/jax-needs-trainer]
    4 |   name: rt
      |   ^~~~ label the replicatedJob that trains
)");
  const std::string mpi =
      runtime("{mpi: {mpiImplementation: \"\"}}", "      replicatedJobs:\n" + replicated_job("launcher", ""));
  CHECK(
      errors(mpi) ==
      R"(in.yaml:8:39: error: the runtime's mpiImplementation is "", which the controller does not support: every reconciliation of the job fails [input/mpi-implementation]
    8 |   mlPolicy: {mpi: {mpiImplementation: ""}}
      |                                       ^~ use OpenMPI in the runtime
)");
}

TEST_CASE("trial: a value that a job can set is no error") {
  CHECK(errors(runtime("{torch: {}}", without_image(trainer()))) == "");
  CHECK(errors(runtime("{torch: {}}", with_resources("{requests: {nvidia.com/gpu: 4}}"))) == "");
  CHECK(errors(runtime("{torch: {}}", with_resources("{requests: {cpu: 4}, limits: {cpu: 2}}"))) == "");
  CHECK(errors(runtime("{flux: {}}", trainer())) == "");
  CHECK(errors(runtime("{mpi: {runLauncherAsNode: true}}",
                       "      replicatedJobs:\n" + replicated_job("launcher", "trainer"))) == "");
  std::string counted = trainer();
  const std::string spec = "          spec:\n            template:\n";
  counted.replace(counted.find(spec), spec.size(),
                  "          spec:\n            completionMode: Indexed\n            successPolicy: {rules: "
                  "[{succeededIndexes: 0-7}]}\n            template:\n");
  CHECK(errors(runtime("{torch: {}}", counted)) == "");
}

TEST_CASE("trial: the same in a container that no job reaches") {
  CHECK(errors(runtime("{torch: {}}", with_sidecar(""))) ==
        R"(in.yaml:21:19: error: container "side" has no image [job/image]
   21 |                 - name: side
      |                   ^~~~ add image
)");
  const std::string gpus = with_sidecar(
      "                  image: img:1\n                  resources: {requests: {nvidia.com/gpu: 4}}\n");
  CHECK(errors(runtime("{torch: {}}", gpus)) ==
        R"(in.yaml:23:42: error: nvidia.com/gpu is requested without a limit [job/gpu-limit]
   23 |                   resources: {requests: {nvidia.com/gpu: 4}}
      |                                          ^~~~~~~~~~~~~~ extended resources need an equal limit; add limits: {nvidia.com/gpu: 4}
)");
  CHECK(trainjobc::test::advice("advice/gpu-limit", runtime("{torch: {}}", gpus)) == "");
  // Without a policy, Trainer 2.3 ignores resourcesPerNode.
  CHECK(errors(runtime("", with_resources("{requests: {nvidia.com/gpu: 4}}"))) ==
        R"(in.yaml:20:42: error: nvidia.com/gpu is requested without a limit [job/gpu-limit]
   20 |                   resources: {requests: {nvidia.com/gpu: 4}}
      |                                          ^~~~~~~~~~~~~~ extended resources need an equal limit; add limits: {nvidia.com/gpu: 4}
)");
}

TEST_CASE("trial: an error of advice stays advice, and is reported once") {
  const std::string text = runtime("{torch: {}}", with_resources("{limits: {memory: 64}}"));
  const trainjobc::Compilation compiled = lint(text);
  std::string found;
  for (const trainjobc::base::Diagnostic& one : compiled.diagnostics.items()) {
    if (one.severity == trainjobc::base::Severity::Error)
      found += std::string(trainjobc::base::to_string(one.stage)) + " " + one.rule + "\n";
  }
  CHECK(found == "advice advice/size-unit\n");
}

TEST_CASE("trial: the runtimes of the catalogue have no errors") {
  for (const trainjobc::compile::CatalogueFile& file : trainjobc::compile::catalogue_files()) {
    CHECK_MESSAGE(errors(std::string(file.text), {}, std::string(file.version)) == "", file.name);
  }
}

TEST_CASE("trial: only for runtimes among the inputs, and only if no job uses them") {
  const std::string text = runtime("{torch: {}}", trainer(kMount));
  const auto objects_of = [](const trainjobc::Compilation& compiled) {
    std::string objects;
    for (const trainjobc::base::Diagnostic& found : compiled.diagnostics.items()) {
      if (found.rule == "job/volume-mount") objects += found.object + "\n";
    }
    return objects;
  };
  CHECK(objects_of(lint(text)) == "ClusterTrainingRuntime//rt\n");
  CHECK(objects_of(lint(text + job("  trainer: {}\n"))) == "TrainJob/default/job\n");
  CHECK(objects_of(lint(job("  trainer: {}\n"), {{"rt.yaml", text}})) == "TrainJob/default/job\n");
  CHECK(objects_of(lint("", {{"rt.yaml", text}})) == "");
  trainjobc::Options options;
  options.render = false;
  options.jobs = {"other"};
  CHECK(objects_of(compile_sources({{"in.yaml", text + job("")}}, {}, options)) == "");
  options = {};
  const trainjobc::Compilation rendered = compile_sources({{"in.yaml", text}}, {}, options);
  CHECK(rendered.diagnostics.empty());
  CHECK(rendered.objects.empty());
}

TEST_CASE("trial: a runtime that a job of another Trainer version uses") {
  // Old needs 2.1; "job" needs 2.3, so that each is compiled for its own.
  const std::string text =
      runtime("{torch: {}}", trainer(kMount)) + job("  runtimePatches: []\n") +
      "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: old}\n"
      "spec: {runtimeRef: {name: rt}, podTemplateOverrides: []}\n";
  const trainjobc::Compilation compiled = lint(text, {}, "auto");
  for (const trainjobc::base::Diagnostic& found : compiled.diagnostics.items()) {
    if (found.rule == "job/volume-mount") CHECK(found.object.starts_with("TrainJob/"));
  }
}

}  // namespace trainjobc::trial_test
