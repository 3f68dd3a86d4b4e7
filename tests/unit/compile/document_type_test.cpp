// SPDX-License-Identifier: Apache-2.0

// What a document is taken for: ours, nearly ours, or somebody else's.
#include <doctest/doctest.h>

#include "compile/compile.h"

namespace trainjobc::document_type_test {
namespace {

Compilation compiled(std::string text, std::string version = "auto", std::string name = "a.yaml",
                     bool named = true) {
  Options options;
  options.render = false;
  options.threads = 1;
  options.trainer_version = std::move(version);
  return compile_sources({{std::move(name), std::move(text), named}}, {}, options);
}

std::string report(const Compilation& compilation) {
  std::string text;
  for (const base::Diagnostic& found : compilation.diagnostics.items()) text += base::format_text(found, {});
  for (const PassedOver& one : compilation.passed_over)
    text += one.file + ":" + std::to_string(one.line) + " " + one.what + "\n";
  return text;
}

std::string job(std::string_view api_version) {
  return "apiVersion: " + std::string(api_version) +
         "\nkind: TrainJob\nmetadata:\n  name: a\nspec:\n  runtimeRef:\n    name: torch-distributed\n";
}

}  // namespace

TEST_CASE("a document whose first line stands beside its separator is one mistake") {
  CHECK(report(compiled(
            "--- kind: TrainJob\napiVersion: trainer.kubeflow.org/v1alpha1\nmetadata: {name: a}\n")) ==
        "a.yaml:1:5: error: a document can't start on the line of its \"---\" separator: Kubernetes splits "
        "files "
        "there and refuses the rest of the line [yaml/document-separator]\n"
        "    1 | --- kind: TrainJob\n"
        "      |     ^~~~~~~~~~~~~~ start it on the next line\n");
}

TEST_CASE("Trainer's kinds in another group or version are an error at the line, with the right one") {
  CHECK(
      report(compiled(job("kubeflow.org/v1"))) ==
      "a.yaml:1:13: error: there is no kind \"TrainJob\" in \"kubeflow.org/v1\" [input/unknown-kind]\n"
      "    1 | apiVersion: kubeflow.org/v1\n"
      "      |             ^~~~~~~~~~~~~~~ write trainer.kubeflow.org/v1alpha1\na.yaml:5:1: warning: without "
      "spec.trainer the torch job gets no PET_* variables, which torchrun needs [advice/no-trainer-section]\n"
      "    5 | spec:\n"
      "      | ^~~~ add trainer: {}\n");
  CHECK(report(compiled(job("trainer.kubeflow.org/v1"))) ==
        "a.yaml:1:13: error: Trainer has no API version \"trainer.kubeflow.org/v1\" [input/unknown-kind]\n"
        "    1 | apiVersion: trainer.kubeflow.org/v1\n"
        "      |             ^~~~~~~~~~~~~~~~~~~~~~~ write trainer.kubeflow.org/v1alpha1\na.yaml:5:1: "
        "warning: without spec.trainer the torch job gets no PET_* variables, which torchrun needs "
        "[advice/no-trainer-section]\n"
        "    5 | spec:\n"
        "      | ^~~~ add trainer: {}\n");
  for (const char* kind : {"TrainingRuntime", "ClusterTrainingRuntime"}) {
    CHECK(report(compiled("apiVersion: v1\nkind: " + std::string(kind) + "\nmetadata: {name: a}\n")) ==
          "a.yaml:1:13: error: there is no kind \"" + std::string(kind) +
              "\" in \"v1\" [input/unknown-kind]\n"
              "    1 | apiVersion: v1\n"
              "      |             ^~ write trainer.kubeflow.org/v1alpha1\n");
  }
}

TEST_CASE("older dialects are read as long as no version is pinned") {
  CHECK_FALSE(compiled(job("kubeflow.org/v2alpha1")).diagnostics.has_errors());
  CHECK(report(compiled(job("kubeflow.org/v2alpha1"), "2.3")) ==
        "a.yaml:1:13: error: Trainer 2.3 has no API version \"kubeflow.org/v2alpha1\" [input/unknown-kind]\n"
        "    1 | apiVersion: kubeflow.org/v2alpha1\n"
        "      |             ^~~~~~~~~~~~~~~~~~~~~ trainjobc migrate rewrites it as "
        "trainer.kubeflow.org/v1alpha1; only --trainer-version auto reads it as it is\n");
  CHECK_FALSE(compiled(job("ome.io/v1beta1")).diagnostics.has_errors());
  CHECK(compiled(job("ome.io/v1beta1"), "2.1").diagnostics.has_errors());
}

TEST_CASE("jobs of Training Operator v1 are a warning, whatever their version") {
  for (const char* type : {"v1 PyTorchJob", "v1 TFJob", "v1 XGBoostJob", "v1 JAXJob", "v1 PaddleJob",
                           "v1 MPIJob", "v2beta1 MPIJob", "v1alpha1 MPIJob", "v1 MXJob"}) {
    const std::string version = std::string(type).substr(0, std::string(type).find(' '));
    const std::string kind = std::string(type).substr(version.size() + 1);
    const std::string tildes(kind.size() - 1, '~');
    const bool is_migrated = kind != "MXJob";
    CHECK(report(compiled("apiVersion: kubeflow.org/" + version + "\nkind: " + kind +
                          "\nmetadata: {name: a}\n")) ==
          "a.yaml:2:7: warning: " + kind + " is a job of " +
              (version == "v2beta1" ? "the MPI Operator" : "Training Operator v1") +
              ", which Trainer does not run [advice/training-operator]\n"
              "    2 | kind: " +
              kind + "\n      |       ^" + tildes +
              (is_migrated ? " trainjobc migrate --to 2.3 a.yaml makes it a TrainJob\n"
                           : " Trainer runs it as a TrainJob of trainer.kubeflow.org/v1alpha1\n"));
  }
  CHECK(report(compiled("apiVersion: kubeflow.org/v1\nkind: Notebook\nmetadata: {name: a}\n")) ==
        "a.yaml:1 is a Notebook of kubeflow.org/v1\n");
}

TEST_CASE("objects for other controllers are skipped, named or found") {
  const std::string text =
      "image: {tag: 1.0.0}\ntrainer: {numNodes: 4}\n---\n- op: replace\n---\njust text\n---\n"
      "apiVersion: v2\nname: chart\n---\nkind: Kustomization\nresources: []\n---\n"
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n";
  const std::string passed =
      "a.yaml:1 has no apiVersion and kind\na.yaml:4 is a list\na.yaml:6 is a scalar\na.yaml:8 has no kind\n"
      "a.yaml:11 has no apiVersion\na.yaml:14 is a Deployment of apps/v1\n";
  CHECK(report(compiled(text)) == passed);
  CHECK(report(compiled(text, "auto", "a.yaml", false)) == passed);
}

TEST_CASE("a Trainer object without apiVersion or kind is an error, named or found") {
  for (const bool named : {true, false}) {
    CHECK(report(compiled("kind: TrainJob\nmetadata: {name: a}\n", "auto", "a.yaml", named)) ==
          "a.yaml:1:1: error: the document has no apiVersion [yaml/no-kind]\n"
          "    1 | kind: TrainJob\n"
          "      | ^~~~ add apiVersion: trainer.kubeflow.org/v1alpha1\n");
    CHECK(report(compiled("apiVersion: trainer.kubeflow.org/v1alpha1\nspec: {runtimeRef: {name: a}}\n",
                          "auto", "a.yaml", named)) ==
          "a.yaml:1:1: error: the document has no kind [yaml/no-kind]\n"
          "    1 | apiVersion: trainer.kubeflow.org/v1alpha1\n"
          "      | ^~~~~~~~~~ add kind: TrainJob\n");
  }
}

TEST_CASE("an item without a type in a List of Trainer's objects is an error: kubectl refuses them all") {
  const std::string item =
      "- apiVersion: trainer.kubeflow.org/v1alpha1\n  kind: ClusterTrainingRuntime\n  metadata: {name: r}\n";
  const std::string others =
      "- {apiVersion: v1, metadata: {name: x}}\n- {kind: Secret}\n- {}\n- null\n- 3\n- [a]\n"
      "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: c}\n- spec: {runtimeRef: {name: a}}\n";
  const std::string list = "apiVersion: v1\nkind: List\nitems:\n";
  CHECK(
      report(compiled(list + item + others)) ==
      R"(a.yaml:6:20: warning: runtime "r" has no label trainer.kubeflow.org/framework: the Kubeflow SDK ignores it [advice/framework-label]
    6 |   metadata: {name: r}
      |                    ^ add trainer.kubeflow.org/framework with the framework, such as mpi or deepspeed
a.yaml:7:3: error: the item has no kind [yaml/no-kind]
  hint: add kind: without it, kubectl refuses the whole List
a.yaml:8:3: error: the item has no apiVersion [yaml/no-kind]
  hint: add apiVersion: without it, kubectl refuses the whole List
a.yaml:9:3: error: the item has no kind [yaml/no-kind]
  hint: add kind: without it, kubectl refuses the whole List
a.yaml:10:3: error: a Kubernetes object is a map, this item is null [yaml/not-an-object]
  hint: remove it: kubectl refuses the whole List
a.yaml:11:3: error: a Kubernetes object is a map, this item is a scalar [yaml/not-an-object]
  hint: remove it: kubectl refuses the whole List
a.yaml:12:3: error: a Kubernetes object is a map, this item is a list [yaml/not-an-object]
  hint: remove it: kubectl refuses the whole List
a.yaml:16:3: error: the document has no kind [yaml/no-kind]
  hint: this is part of a TrainJob: add apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata.name
a.yaml:13 is a ConfigMap of v1
)");
  // It may be anything else's.
  CHECK(report(compiled(list + "- {apiVersion: v1, metadata: {name: x}}\n- null\n")) ==
        R"(a.yaml:4 has no kind
a.yaml:5 is a scalar
)");
}

TEST_CASE("items of a TrainJobList may leave their type to it") {
  const std::string list = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJobList\nitems:\n";
  const std::string spec = "  spec: {runtimeRef: {name: torch}, trainer: {image: 'r.example.com/t:1'}}\n";
  CHECK(report(compiled(list + "- metadata: {name: a}\n" + spec + "- kind: TrainJob\n- null\n")) ==
        R"(a.yaml:5:29: error: there is no ClusterTrainingRuntime "torch" [input/missing-runtime]
    5 |   spec: {runtimeRef: {name: torch}, trainer: {image: 'r.example.com/t:1'}}
      |                             ^~~~~ add it to the inputs, or pass its file or folder with --runtimes
a.yaml:6:3: error: the document has no apiVersion [yaml/no-kind]
    6 | - kind: TrainJob
      |   ^~~~ add apiVersion: trainer.kubeflow.org/v1alpha1
a.yaml:7:3: error: a Kubernetes object is a map, this item is null [yaml/not-an-object]
    7 | - null
      |   ^~~~ remove it: kubectl refuses the whole List
)");
  CHECK(report(compiled("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: [{}]\n")) ==
        R"(a.yaml:3 has no apiVersion and kind
)");
}

TEST_CASE("a template is one finding") {
  const std::string helm =
      "{{- if .Values.enabled }}\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n"
      "  name: {{ .Release.Name }}\n  labels:\n    {{- include \"labels\" . | nindent 4 }}\nspec: {}\n"
      "{{- end }}\n---\n{{ toYaml .Values.more }}\n";
  const Compilation found = compiled(helm);
  REQUIRE(found.diagnostics.items().size() == 1);
  const base::Diagnostic& finding = found.diagnostics.items().front();
  CHECK(finding.rule == "yaml/template");
  CHECK(finding.message == "this is an unrendered template");
  CHECK(finding.hint == "pipe in its rendered output: helm template CHART | trainjobc lint -");

  std::string variables = job("trainer.kubeflow.org/v1alpha1");
  variables.replace(variables.find("name: a"), 7, "name: ${NAME}\n  namespace: ${TEAM:-a}");
  variables += "  trainer:\n    numNodes: ${NODES}\n";
  CHECK(report(compiled(variables)) ==
        "a.yaml:4:9: error: this is an unrendered template [yaml/template]\n"
        "    4 |   name: ${NAME}\n"
        "      |         ^~~~~~~ pipe in its rendered output: envsubst < FILE | trainjobc lint -\n");
  const std::string bare = job("trainer.kubeflow.org/v1alpha1") +
                           "  trainer:\n    numNodes: $NODES\n    env: [{name: A, value: $A}]\n";
  CHECK(report(compiled(bare)) == R"(a.yaml:9:15: error: this is an unrendered template [yaml/template]
    9 |     numNodes: $NODES
      |               ^~~~~~ pipe in its rendered output: envsubst < FILE | trainjobc lint -
)");
}

TEST_CASE("a template that doesn't mention Trainer is skipped; a script's variables don't make a template") {
  CHECK(report(compiled("kind: Service\nmetadata:\n  name: {{ .Release.Name }}\n")) ==
        "a.yaml:0 is a template\n");
  CHECK(report(compiled("kind: Namespace\nmetadata:\n  name: \"{{ include \"web.name\" . }}\"\n")) ==
        "a.yaml:0 is a template\n");
  const std::string script = job("trainer.kubeflow.org/v1alpha1") +
                             "  trainer:\n    numNodes: no\n    command: [sh, -c, 'echo ${HOME}']\n";
  CHECK(compiled(script).diagnostics.items().front().rule != "yaml/template");
}

TEST_CASE("of a chart, templates of roles and webhooks are skipped; the hint on others names the chart") {
  const std::string role =
      "{{- /* for users */ -}}\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n"
      "  name: {{ .Release.Name }}\nrules:\n- apiGroups: [trainer.kubeflow.org]\n";
  CHECK(report(compiled(role)) == "a.yaml:0 is a template\n");
  const auto hint = [](std::string name) {
    const Compilation found = compiled(
        "{{- /* */ -}}\napiVersion: \"trainer.kubeflow.org/v1alpha1\"\nkind: TrainJob\n", "auto", name);
    REQUIRE(found.diagnostics.items().size() == 1);
    return found.diagnostics.items().front().hint;
  };
  const std::string of_chart = "check what the chart makes of it: trainjobc lint --helm ";
  CHECK(hint("a/training/templates/jobs/a.yaml") == of_chart + "a/training");
  CHECK(hint("charts/training/files/a.yaml") == of_chart + "charts/training");
  CHECK(hint("a/charts/training/files/a.yaml") == of_chart + "a/charts/training");
}

TEST_CASE("JSON of other tools is skipped if it was found") {
  const std::string comments = "{\n  // comments\n  \"compilerOptions\": {},\n}\n";
  CHECK(report(compiled(comments, "auto", "tsconfig.json", false)) ==
        "tsconfig.json:0 is not JSON that Kubernetes can read\n");
  CHECK(compiled(comments, "auto", "tsconfig.json", true).diagnostics.has_errors());
}

}  // namespace trainjobc::document_type_test
