// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "features/lsp/answers.h"
#include "support/lsp.h"

namespace trainjobc::navigation_test {
namespace {

constexpr std::string_view kRuntimes = R"(kind: ClusterTrainingRuntime
apiVersion: trainer.kubeflow.org/v1alpha1
metadata: {name: torch}
spec:
  mlPolicy: {torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: fetch
        template: {spec: {template: {spec: {containers: [{name: fetcher, image: f}]}}}}
      - name: node
        dependsOn:
        - {name: fetch, status: Complete}
        template: {spec: {template: {spec: {containers: [{name: node, image: n}]}}}}
---
kind: TrainingRuntime
apiVersion: trainer.kubeflow.org/v1alpha1
metadata:
  name: torch
  namespace: team-a
spec:
  template: {spec: {replicatedJobs: []}}
)";

std::string job(std::string_view name, std::string_view ns, std::string_view spec) {
  return fmt::format(
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: {}\n  namespace: "
      "{}\nspec:\n{}",
      name, ns, spec);
}

test::LspWorkspace& add_files(test::LspWorkspace& workspace) {
  return workspace.file("runtimes.yaml", std::string(kRuntimes))
      .file("jobs/a.yaml", job("a", "team-a", "  runtimeRef: {name: torch}\n"))
      .file("jobs/b.yaml", job("b", "team-a", "  runtimeRef:\n    kind: TrainingRuntime\n    name: torch\n"))
      .file("jobs/c.yaml", job("c", "team-b", "  runtimeRef:\n    kind: TrainingRuntime\n    name: torch\n"))
      .file("jobs/d.yaml", job("d", "team-b", "  runtimeRef: {name: torch-distributed}\n"));
}

std::string definition(std::string_view text) {
  test::LspWorkspace workspace;
  return add_files(workspace).open("jobs/open.yaml", text).definition();
}

std::string references(const std::string& path, std::string_view text, bool with_declaration) {
  test::LspWorkspace workspace;
  return add_files(workspace).open(path, text).references(with_declaration);
}

std::string with_cursor(std::string_view text, std::string_view before) {
  std::string out(text);
  return out.insert(out.find(before), "@@");
}

}  // namespace

TEST_CASE("definition: of a runtimeRef the runtime") {
  CHECK(definition(job("x", "team-a", "  runtimeRef: {name: to@@rch}\n")) == "runtimes.yaml:3:18-23");
  CHECK(definition(job("x", "team-a", "  runtimeRef:\n    kind: TrainingRuntime\n    name: to@@rch\n")) ==
        "runtimes.yaml:19:9-14");
  CHECK(definition(job("x", "team-b", "  runtimeRef:\n    kind: TrainingRuntime\n    name: to@@rch\n")) ==
        "");
  CHECK(definition(job("x", "team-a", "  run@@timeRef:\n    name: torch\n")) == "runtimes.yaml:3:18-23");
}

TEST_CASE("definition: of a runtime of the catalogue a virtual document") {
  const std::string text = job("x", "team-a", "  runtimeRef: {name: torch-@@distributed}\n");
  CHECK(definition(text) == "trainjobc-runtime://catalogue/v2.3/torch-distributed.yaml:5:9-26");
  test::LspWorkspace workspace;
  add_files(workspace).open("jobs/open.yaml", text);
  const lsp::Workspace& one = workspace.workspace();
  const std::string& document = workspace.document();
  const lsp::Position cursor = workspace.cursor();
  CHECK(lsp::find_definition(one, document, cursor, false).is_null());
  CHECK(lsp::find_references(one, document, cursor, true, false).size() == 2);
  CHECK(lsp::find_references(one, document, cursor, true, true).size() == 3);
  const auto shown = lsp::virtual_document("trainjobc-runtime://catalogue/v2.3/torch-distributed.yaml");
  REQUIRE(std::holds_alternative<lsp::Json>(shown));
  CHECK(std::get<lsp::Json>(shown)["text"].get<std::string>().find("  name: torch-distributed\n") !=
        std::string::npos);
  CHECK(
      std::get<lsp::WhyNot>(lsp::virtual_document("trainjobc-runtime://catalogue/v2.3/torch.yaml")).message ==
      "there is no document trainjobc-runtime://catalogue/v2.3/torch.yaml");
  const std::string patch =
      "  runtimeRef: {name: torch-distributed}\n  runtimePatches:\n  - manager: a.b/c\n    "
      "trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: @@node}]}}}\n";
  CHECK(definition(job("x", "team-a", patch)) ==
        "trainjobc-runtime://catalogue/v2.3/torch-distributed.yaml:16:15-19");
}

TEST_CASE("definition: of names in a patch those of the runtime") {
  const std::string patch =
      "  runtimeRef: {name: torch}\n  runtimePatches:\n  - manager: a.b/c\n    trainingRuntimeSpec:\n      "
      "template:\n"
      "        spec:\n          replicatedJobs:\n          - name: node\n            template:\n             "
      " spec:\n"
      "                template: {spec: {containers: [{name: node, image: x}]}}\n";
  CHECK(definition(job("x", "team-a", with_cursor(patch, "node\n"))) == "runtimes.yaml:11:15-19");
  CHECK(definition(job("x", "team-a", with_cursor(patch, "node, "))) == "runtimes.yaml:14:65-69");
  CHECK(definition(job("x", "team-a", with_cursor(patch, "name: node, "))) == "runtimes.yaml:14:65-69");
  CHECK(definition(job("x", "team-a", with_cursor(patch, "a.b/c"))) == "");
}

TEST_CASE("definition: of a dependency the replicatedJob beside it") {
  CHECK(definition(with_cursor(kRuntimes, "fetch, status")) == "jobs/open.yaml:9:15-20");
}

TEST_CASE("references: of a runtime its jobs") {
  const std::string of_cluster = "runtimes.yaml:3:18-23\njobs/a.yaml:7:22-27\n";
  CHECK(references("runtimes.yaml", with_cursor(kRuntimes, "torch}\n"), true) == of_cluster);
  CHECK(references("jobs/a.yaml", job("a", "team-a", "  runtimeRef: {name: @@torch}\n"), true) == of_cluster);
  CHECK(references("runtimes.yaml", with_cursor(kRuntimes, "torch\n"), false) == "jobs/b.yaml:9:11-16\n");
  CHECK(references("runtimes.yaml", with_cursor(kRuntimes, "replicatedJobs"), true) == "");
  CHECK(references("jobs/d.yaml", job("d", "team-b", "  runtimeRef: {name: @@torch-distributed}\n"), true) ==
        "trainjobc-runtime://catalogue/v2.3/torch-distributed.yaml:5:9-26\njobs/d.yaml:7:22-39\n");
}

TEST_CASE("references: none in the second of two lists of items") {
  CHECK(references(
            "jobs/open.yaml",
            "kind: List\nitems: []\nitems:\n- kind: TrainJob\n  spec:\n    runtimeRef: {name: @@torch}\n",
            true) == "");
}

TEST_CASE("references: none in the second of two specs") {
  const std::string text = job("open", "team-a", "  trainer: {}\nspec:\n  runtimeRef: {name: @@torch}\n");
  CHECK(references("jobs/open.yaml", text, true) == "");
}

TEST_CASE("symbols: objects, their replicatedJobs and containers, patches") {
  test::LspWorkspace workspace;
  workspace.open("all.yaml",
                 std::string(kRuntimes) +
                     "---\nkind: TrainJob\nmetadata:\n  name: a\nspec:\n  runtimePatches:\n"
                     "  - trainingRuntimeSpec:\n      template:\n        spec:\n          replicatedJobs:\n"
                     "          - name: node\n            broken: [\n---\nkind: ConfigMap\n");
  std::string out;
  const std::function<void(const nlohmann::json&, int)> list = [&](const nlohmann::json& symbols, int depth) {
    for (const nlohmann::json& symbol : symbols) {
      out += fmt::format("{}{} {} {}-{}\n", std::string(static_cast<size_t>(depth) * 2, ' '),
                         symbol["detail"].get<std::string>(), symbol["name"].get<std::string>(),
                         symbol["range"]["start"]["line"].get<int>() + 1,
                         symbol["range"]["end"]["line"].get<int>() + 1);
      if (symbol.contains("children")) list(symbol["children"], depth + 1);
    }
  };
  list(lsp::document_symbols(workspace.workspace(), workspace.document()), 0);
  CHECK(out == R"(ClusterTrainingRuntime torch 1-14
  replicatedJob fetch 9-10
    container fetcher 10-10
  replicatedJob node 11-14
    container node 14-14
TrainingRuntime torch 16-22
TrainJob a 24-34
  replicatedJob node 33-34
)");
}

TEST_CASE("folding: keys and items of several lines, comments") {
  test::LspWorkspace workspace;
  workspace.open(
      "a.yaml",
      "# one\n# two\nkind: TrainJob\nspec:\n  trainer:\n    env:\n    - name: A\n      value: B\n\n"
      "    args: [\n      a\n    ]\n  suspend: true\n");
  std::string out;
  for (const nlohmann::json& range : lsp::folding_ranges(workspace.workspace(), workspace.document())) {
    out += fmt::format("{}-{}{}\n", range["startLine"].get<int>() + 1, range["endLine"].get<int>() + 1,
                       range.contains("kind") ? " comment" : "");
  }
  CHECK(out == R"(1-2 comment
4-13
5-12
6-8
7-8
10-12
)");
}

}  // namespace trainjobc::navigation_test
