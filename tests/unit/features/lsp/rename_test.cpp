// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "features/lsp/answers.h"
#include "support/lsp.h"

namespace trainjobc::rename_test {
namespace {

constexpr std::string_view kRuntime = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: torch}
spec:
  mlPolicy:
    torch:
      envInjection:
        targets:
        - jobName: fetch
          containerNames: [fetcher, "logger"]
  template:
    spec:
      coordinator: {replicatedJob: fetch}
      successPolicy: {operator: All, targetReplicatedJobs: [fetch]}
      failurePolicy: {rules: [{name: r, action: FailJobSet, targetReplicatedJobs: ['fetch']}]}
      replicatedJobs:
      - name: fetch
        template: {spec: {template: {spec: {containers: [{name: fetcher, image: f}, {name: logger, image: l}]}}}}
      - name: node
        dependsOn:
        - {name: fetch, status: Complete}
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                initContainers: [{name: warm-up, image: w}]
                containers: [{name: node, image: n}, {name: logger, image: l}]
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: torch, namespace: team-a}
spec: {template: {spec: {replicatedJobs: [{name: fetch, template: {}}]}}}
)";

constexpr std::string_view kPatched = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a, namespace: team-a}
spec:
  runtimeRef: {name: torch}
  runtimePatches:
  - manager: a.b/c
    trainingRuntimeSpec:
      template:
        spec:
          replicatedJobs:
          - name: fetch
            template: {spec: {template: {spec: {containers: [{name: logger, image: x}]}}}}
          - name: node
            template: {spec: {template: {spec: {containers: [{name: logger, image: x}]}}}}
)";

constexpr std::string_view kOthers = R"(apiVersion: v1
kind: List
items:
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainJob
  metadata: {name: b, namespace: team-a}
  spec:
    runtimeRef: {name: torch, kind: TrainingRuntime}
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainJob
  metadata: {name: c, namespace: team-b}
  spec:
    runtimeRef:
      name: "torch"
    podTemplateOverrides:
    - targetJobs: [{name: fetch}]
      spec: {containers: [{name: logger, image: x}]}
)";

std::string with_cursor(std::string_view text, std::string_view before, size_t skip = 0) {
  std::string out(text);
  size_t at = out.find(before);
  while (skip-- > 0) at = out.find(before, at + 1);
  return out.insert(at, "@@");
}

test::LspWorkspace& add_files(test::LspWorkspace& workspace) {
  return workspace.file("runtime.yaml", std::string(kRuntime))
      .file("jobs/a.yaml", std::string(kPatched))
      .file("jobs/others.yaml", std::string(kOthers));
}

// "jobs/a.yaml:5:22-27 new" for each edit, or why there is none.
std::string rename_in(test::LspWorkspace& workspace, const std::string& name) {
  const auto answer = lsp::rename(workspace.workspace(), workspace.document(), workspace.cursor(), name);
  if (const auto* why = std::get_if<lsp::WhyNot>(&answer)) return why->message + "\n";
  std::string out;
  for (const auto& [uri, edits] : std::get<lsp::Json>(answer)["changes"].items()) {
    for (const lsp::Json& edit : edits) {
      const lsp::Json& range = edit["range"];
      CHECK(range["start"]["line"] == range["end"]["line"]);
      out += fmt::format("{}:{}:{}-{} {}\n", uri.substr(std::string_view("file:///w/").size()),
                         range["start"]["line"].get<int>() + 1, range["start"]["character"].get<int>() + 1,
                         range["end"]["character"].get<int>() + 1, edit["newText"].get<std::string>());
    }
  }
  return out;
}

std::string rename(const std::string& path, std::string_view text, const std::string& name) {
  test::LspWorkspace workspace;
  return rename_in(add_files(workspace).open(path, text), name);
}

std::string prepare(std::string_view text) {
  test::LspWorkspace workspace;
  add_files(workspace).open("runtime.yaml", text);
  const auto answer = lsp::prepare_rename(workspace.workspace(), workspace.document(), workspace.cursor());
  if (const auto* why = std::get_if<lsp::WhyNot>(&answer)) return why->message;
  return lsp::to_text(std::get<lsp::Json>(answer));
}

}  // namespace

TEST_CASE("rename: a runtime, in the jobs that refer to it") {
  const std::string edits = R"(jobs/a.yaml:5:22-27 torch-h100
jobs/others.yaml:14:13-20 "torch-h100"
runtime.yaml:3:18-23 torch-h100
)";
  CHECK(rename("runtime.yaml", with_cursor(kRuntime, "torch}"), "torch-h100") == edits);
  CHECK(rename("jobs/a.yaml", with_cursor(kPatched, "torch}"), "torch-h100") == edits);
  CHECK(rename("jobs/others.yaml", with_cursor(kOthers, "torch, kind"), "mine") ==
        R"(jobs/others.yaml:8:24-29 mine
runtime.yaml:32:18-23 mine
)");
}

TEST_CASE("rename: a replicatedJob, in policies, dependencies and patches") {
  const std::string edits = R"(jobs/a.yaml:12:19-24 download
jobs/others.yaml:16:27-32 download
runtime.yaml:9:20-25 download
runtime.yaml:13:36-41 download
runtime.yaml:14:61-66 download
runtime.yaml:15:84-91 'download'
runtime.yaml:17:15-20 download
runtime.yaml:21:18-23 download
)";
  CHECK(rename("runtime.yaml", with_cursor(kRuntime, "fetch\n        template"), "download") == edits);
  CHECK(rename("runtime.yaml", with_cursor(kRuntime, "fetch, status"), "download") == edits);
  CHECK(rename("jobs/a.yaml", with_cursor(kPatched, "fetch\n"), "download") == edits);
}

TEST_CASE("rename: a container is that of its replicatedJob") {
  CHECK(rename("runtime.yaml", with_cursor(kRuntime, "logger, image"), "logs") == R"(jobs/a.yaml:13:69-75 logs
jobs/others.yaml:17:34-40 logs
runtime.yaml:10:37-45 "logs"
runtime.yaml:18:92-98 logs
)");
  CHECK(rename("jobs/a.yaml", with_cursor(kPatched, "logger", 1), "logs") == R"(jobs/a.yaml:15:69-75 logs
runtime.yaml:28:61-67 logs
)");
  CHECK(rename("runtime.yaml", with_cursor(kRuntime, "warm-up"), "warm") == R"(runtime.yaml:27:41-48 warm
)");
}

TEST_CASE("rename: a name that YAML would read as something else is quoted") {
  CHECK(rename("runtime.yaml", with_cursor(kRuntime, "warm-up"), "1") == R"(runtime.yaml:27:41-48 "1"
)");
}

TEST_CASE("rename: what can't be renamed") {
  CHECK(rename("runtime.yaml", with_cursor(kRuntime, "node\n        dependsOn"), "train") ==
        "Trainer finds the replicatedJob \"node\" by its name, so it can't be renamed\n");
  CHECK(rename("runtime.yaml", with_cursor(kRuntime, "node, image"), "train") ==
        "Trainer finds the container \"node\" by its name, so it can't be renamed\n");
  CHECK(rename("runtime.yaml", with_cursor(kRuntime, "fetcher, image"), "logger") ==
        "replicatedJob \"fetch\" has a container \"logger\" already\n");
  CHECK(rename("runtime.yaml", with_cursor(kRuntime, "fetch, status"), "node") ==
        "runtime \"torch\" has a replicatedJob \"node\" already\n");
  CHECK(rename("runtime.yaml", with_cursor(kRuntime, "torch}"), "torch-distributed") ==
        "there is a ClusterTrainingRuntime \"torch-distributed\" already\n");
  CHECK(rename("runtime.yaml", with_cursor(kRuntime, "torch}"), "Torch") ==
        "\"Torch\" may contain only lower-case letters, digits, '-' and '.', and must begin and end with a "
        "letter or digit\n");
  CHECK(rename("runtime.yaml", with_cursor(kRuntime, "All,"), "x") ==
        "only the names of runtimes, and of replicatedJobs and containers in them, can be renamed\n");
  const std::string in_catalogue =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: x}\nspec:\n  runtimeRef: "
      "{name: torch-@@distributed}\n";
  CHECK(rename("jobs/x.yaml", in_catalogue, "mine") ==
        "runtime \"torch-distributed\" is built in, so nothing of it can be renamed\n");
}

TEST_CASE("rename: an override of all replicatedJobs names containers of several") {
  test::LspWorkspace workspace;
  std::string all(kOthers);
  all.replace(all.find("targetJobs: [{name: fetch}]"), 27, "targetJobs: []");
  workspace.file("runtime.yaml", std::string(kRuntime)).file("jobs/others.yaml", all);
  CHECK(rename_in(workspace.open("runtime.yaml", with_cursor(kRuntime, "logger, image")), "logs") ==
        "jobs/others.yaml:17 names containers of several replicatedJobs\n");
}

TEST_CASE("rename: nothing, while a file that names it can't be read") {
  test::LspWorkspace workspace;
  add_files(workspace).open("jobs/a.yaml", kPatched);
  workspace.open("jobs/a.yaml", std::string(kPatched) + "  broken: [\n");
  CHECK(rename_in(workspace.open("runtime.yaml", with_cursor(kRuntime, "torch}")), "mine") ==
        "jobs/a.yaml can't be read as YAML; correct it first\n");
}

TEST_CASE("rename: the place that clients show") {
  CHECK(prepare(with_cursor(kRuntime, "fetch, status")) ==
        "{\"placeholder\":\"fetch\",\"range\":{\"end\":{\"character\":22,\"line\":20},\"start\":{"
        "\"character\":17,\"line\":20}}}");
  CHECK(prepare(with_cursor(kRuntime, "'fetch'")) ==
        "{\"placeholder\":\"fetch\",\"range\":{\"end\":{\"character\":90,\"line\":14},\"start\":{"
        "\"character\":83,\"line\":14}}}");
  CHECK(prepare(with_cursor(kRuntime, "Complete")) == "null");
  CHECK(prepare(with_cursor(kRuntime, "node, image")) ==
        "Trainer finds the container \"node\" by its name, so it can't be renamed");
}

}  // namespace trainjobc::rename_test
