// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <algorithm>

#include "compile/versions.h"
#include "schema/schema.h"
#include "support/versions.h"

namespace trainjobc::version_auto_test {
using namespace trainjobc::test;

namespace {

std::string runtime(const std::string& policy = "", std::string_view name = "rt") {
  return cluster_runtime((policy.empty() ? "" : "mlPolicy: {" + policy + "}, ") +
                             template_of(flow_replicated_job("node", "trainer")),
                         name);
}

// The version that was chosen, why, and what was found of the inputs and the version.
std::string chosen(std::vector<Source> inputs, std::vector<Source> runtimes = {}) {
  Options options;
  options.use_catalogue = false;
  options.threads = 1;
  const Compilation compiled = compile_sources(std::move(inputs), std::move(runtimes), options);
  std::string text = compiled.trainer_version + "\n";
  if (!compiled.trainer_version_reason.empty()) text += compiled.trainer_version_reason + "\n";
  for (const base::Diagnostic& d : compiled.diagnostics.items()) {
    if (d.stage == base::Stage::Input || d.rule == "advice/trainer-version") text += base::format_text(d, {});
  }
  return text;
}

const std::string kOverrides = "podSpecOverrides: [{targetJobs: [{name: node}]}]";

}  // namespace

TEST_CASE("auto takes the newest version if it accepts all inputs, or if none does") {
  CHECK(chosen({{"a.yaml", runtime() + train_job()}}) == "2.3\n");
  CHECK(chosen({{"a.yaml", "# nothing\n"}}) == "2.3\n");
  CHECK(chosen({{"a.yaml", runtime() + train_job("trainr: {}")}}) == R"(2.3
a.yaml:9:32: error: unknown field "trainr" in spec [input/unknown-field]
    9 | spec: {runtimeRef: {name: rt}, trainr: {}}
      |                                ^~~~~~ did you mean "trainer"?
)");
}

TEST_CASE("a field that only older versions have decides, in the runtime as in the job") {
  const std::string policy = R"(2.1
r.yaml:4:27 torch.numProcPerNode exists only until 2.1
r.yaml:4:27: info: compiled for Trainer 2.1: torch.numProcPerNode exists only until 2.1 [advice/trainer-version]
    4 | spec: {mlPolicy: {torch: {numProcPerNode: auto}}, template: {spec: {replicatedJobs: [{name: node, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: {containers: [{name: node}]}}}}}]}}}
      |                           ^~~~~~~~~~~~~~ trainjobc migrate --to 2.3 converts it; pin with --trainer-version 2.1 if the cluster runs that
)";
  CHECK(chosen({{"j.yaml", train_job()}, {"r.yaml", runtime("torch: {numProcPerNode: auto}")}}) == policy);
  CHECK(chosen({{"j.yaml", train_job()}}, {{"r.yaml", runtime("torch: {numProcPerNode: auto}")}}) == policy);
  CHECK(chosen({{"a.yaml", runtime() + train_job(kOverrides)}}) == R"(2.0
a.yaml:9:32 spec.podSpecOverrides exists only in 2.0
a.yaml:9:32: info: compiled for Trainer 2.0: spec.podSpecOverrides exists only in 2.0; Trainer 2.3 has runtimePatches instead [advice/trainer-version]
    9 | spec: {runtimeRef: {name: rt}, podSpecOverrides: [{targetJobs: [{name: node}]}]}
      |                                ^~~~~~~~~~~~~~~~ trainjobc migrate --to 2.3 converts it; pin with --trainer-version 2.0 if the cluster runs that
)");
}

TEST_CASE("runtimes outside the inputs that no job refers to don't count") {
  CHECK(chosen({{"j.yaml", runtime() + train_job()}}, {{"r.yaml", runtime("jax: {}", "other")}}) == "2.3\n");
  CHECK(chosen({{"j.yaml", runtime() + train_job()}},
               {{"r.yaml", runtime("torch: {elasticPolicy: {}}", "other")}}) == "2.3\n");
}

TEST_CASE("a mistake inside a field of an older version doesn't change the choice") {
  CHECK(chosen({{"a.yaml",
                 runtime() + train_job("podTemplateOverrides: [{targetJobs: [{name: node}], spce: {}}]")}}) ==
        R"(2.1
a.yaml:9:32 spec.podTemplateOverrides exists only in 2.1
a.yaml:9:32: info: compiled for Trainer 2.1: spec.podTemplateOverrides exists only in 2.1; Trainer 2.3 has runtimePatches instead [advice/trainer-version]
    9 | spec: {runtimeRef: {name: rt}, podTemplateOverrides: [{targetJobs: [{name: node}], spce: {}}]}
      |                                ^~~~~~~~~~~~~~~~~~~~ trainjobc migrate --to 2.3 converts it; pin with --trainer-version 2.1 if the cluster runs that
a.yaml:9:84: error: unknown field "spce" in spec.podTemplateOverrides[0] [input/unknown-field]
    9 | spec: {runtimeRef: {name: rt}, podTemplateOverrides: [{targetJobs: [{name: node}], spce: {}}]}
      |                                                                                    ^~~~ did you mean "spec"?
)");
}

TEST_CASE("types decide like fields; a value that only older versions accept is a mistake") {
  CHECK(chosen({{"a.yaml", runtime() + train_job("trainer: {numProcPerNode: cpu}")}}) == R"(2.1
a.yaml:9:58 trainer.numProcPerNode accepts such a value only until 2.1
a.yaml:9:58: info: compiled for Trainer 2.1: trainer.numProcPerNode accepts such a value only until 2.1 [advice/trainer-version]
    9 | spec: {runtimeRef: {name: rt}, trainer: {numProcPerNode: cpu}}
      |                                                          ^~~ trainjobc migrate --to 2.3 converts it; pin with --trainer-version 2.1 if the cluster runs that
)");
  CHECK(chosen({{"a.yaml", runtime() + train_job("initializer: {dataset: {storageUri: data}}")}}) == R"(2.3
a.yaml:9:68: error: spec.initializer.dataset.storageUri "data" must begin with a scheme [input/cel]
    9 | spec: {runtimeRef: {name: rt}, initializer: {dataset: {storageUri: data}}}
      |                                                                    ^~~~ such as hf://owner/name, s3://bucket/path or pvc://claim/path
)");
  CHECK(chosen({{"a.yaml",
                 "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: 1a}\nspec: "
                 "{runtimeRef: {name: rt}}\n"}}) == R"(2.3
a.yaml:3:18: error: metadata.name "1a" must consist of lower-case letters, digits and '-', and begin with a letter [input/cel]
    3 | metadata: {name: 1a}
      |                  ^~ such as "a"
a.yaml:4:27: error: there is no ClusterTrainingRuntime "rt" [input/missing-runtime]
    4 | spec: {runtimeRef: {name: rt}}
      |                           ^~ add it to the inputs, or pass its file or folder with --runtimes
)");
}

TEST_CASE("no version for the job and its runtime, or for the job itself") {
  CHECK(chosen({{"j.yaml", train_job(kOverrides)}, {"r.yaml", runtime("jax: {}")}}) == R"(2.3
j.yaml:4:32: error: no Trainer version accepts the job together with its runtime: spec.podSpecOverrides exists only in 2.0, the runtime's mlPolicy.jax exists only since 2.2 [input/trainer-version]
    4 | spec: {runtimeRef: {name: rt}, podSpecOverrides: [{targetJobs: [{name: node}]}]}
      |                                ^~~~~~~~~~~~~~~~ write both for one version
  note: mlPolicy.jax exists only since 2.2 at r.yaml:4:19
j.yaml:4:32: error: unknown field "podSpecOverrides" in spec [input/unknown-field]
    4 | spec: {runtimeRef: {name: rt}, podSpecOverrides: [{targetJobs: [{name: node}]}]}
      |                                ^~~~~~~~~~~~~~~~ only Trainer 2.0 has it; Trainer 2.3 has runtimePatches instead
)");
  CHECK(chosen({{"a.yaml", runtime() + train_job(kOverrides + ", runtimePatches: []")}}) == R"(2.3
a.yaml:9:32: error: no Trainer version accepts this TrainJob: spec.podSpecOverrides exists only in 2.0, spec.runtimePatches exists only since 2.2 [input/trainer-version]
    9 | spec: {runtimeRef: {name: rt}, podSpecOverrides: [{targetJobs: [{name: node}]}], runtimePatches: []}
      |                                ^~~~~~~~~~~~~~~~ write it for one version
  note: spec.runtimePatches exists only since 2.2 at a.yaml:9:82
a.yaml:9:32: error: unknown field "podSpecOverrides" in spec [input/unknown-field]
    9 | spec: {runtimeRef: {name: rt}, podSpecOverrides: [{targetJobs: [{name: node}]}], runtimePatches: []}
      |                                ^~~~~~~~~~~~~~~~ only Trainer 2.0 has it; Trainer 2.3 has runtimePatches instead
)");
}

TEST_CASE("if no version fits all jobs, each is compiled for its own, with a warning") {
  const std::string second =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: late}\nspec: {runtimeRef: "
      "{name: rt}, "
      "runtimePatches: []}\n";
  CHECK(chosen({{"a.yaml", runtime()}, {"b.yaml", train_job(kOverrides)}, {"c.yaml", second}}) == R"(2.0, 2.3
b.yaml:4:32: warning: these files are for different Trainer versions, but one cluster runs one version: spec.podSpecOverrides exists only in 2.0 here, but spec.runtimePatches exists only since 2.2 in TrainJob/default/late [advice/trainer-version]
    4 | spec: {runtimeRef: {name: rt}, podSpecOverrides: [{targetJobs: [{name: node}]}]}
      |                                ^~~~~~~~~~~~~~~~ each TrainJob is compiled for its own; pin one with --trainer-version
  note: spec.runtimePatches exists only since 2.2 at c.yaml:4:32
)");
}

TEST_CASE("a requested version is used as it is") {
  const Compilation compiled = compile_for("2.2", runtime() + train_job(kOverrides));
  CHECK(compiled.trainer_version == "2.2");
  CHECK(compiled.trainer_version_reason.empty());
  CHECK(outcome(compiled, "JobSet", "kind") ==
        "refused: spec.podSpecOverrides: unknown field \"podSpecOverrides\" in spec");
}

TEST_CASE("ranges of versions in words") {
  const auto range = [](std::initializer_list<size_t> versions) {
    compile::VersionSet set = compile::VersionSet::none();
    for (const size_t version : versions) set.add(version);
    return set.range();
  };
  CHECK(range({0}) == "in 2.0");
  CHECK(range({0, 1}) == "until 2.1");
  CHECK(range({1, 2}) == "in 2.1 and 2.2");
  CHECK(range({2, 3}) == "since 2.2");
  CHECK(range({3}) == "since 2.3");
  CHECK(range({0, 1, 3}) == "in 2.0, 2.1 and 2.3");
}

TEST_CASE("each version has its row and its schemas, oldest first") {
  const auto rows = model::all_behaviours();
  const auto schemas = schema::all_versions();
  REQUIRE(rows.size() == schemas.size());
  for (size_t i = 0; i < rows.size(); ++i) CHECK(rows[i].trainer == schemas[i].trainer);
  CHECK(&model::newest_behaviours() == &model::released_behaviours().back());
  CHECK(model::newest_behaviours().trainer == "2.3");
  CHECK(model::released_behaviours().data() == rows.data());
}

// Each is compared with those of the other versions.
TEST_CASE("ten thousand unknown fields") {
  std::string fields;
  for (int i = 0; i < 10'000; ++i) fields += "f" + std::to_string(i) + ": 1, ";
  Options options;
  options.use_catalogue = false;
  const Compilation compiled =
      compile_sources({{"a.yaml", runtime() + train_job("trainer: {" + fields + "}")}}, {}, options);
  CHECK(std::ranges::count(compiled.diagnostics.items(), "input/unknown-field", &base::Diagnostic::rule) ==
        10'000);
  CHECK(compiled.trainer_version == "2.3");
}

}  // namespace trainjobc::version_auto_test
