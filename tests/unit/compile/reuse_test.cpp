// SPDX-License-Identifier: Apache-2.0

// A run that takes what earlier runs found says what a run without it says.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>

#include "base/diagnostic.h"
#include "lint/lint_again.h"

namespace trainjobc::reuse_test {
namespace {

std::string runtime(std::string_view name, std::string_view more = "") {
  return fmt::format(
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n  name: {}\n  "
      "labels: "
      "{{trainer.kubeflow.org/framework: torch}}\nspec:\n  mlPolicy: {{numNodes: 2, torch: {{}}}}\n{}  "
      "template:\n    "
      "spec:\n      replicatedJobs:\n        - name: node\n          template:\n            metadata: "
      "{{labels: "
      "{{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}\n            spec:\n              "
      "template:\n        "
      "        spec:\n                  containers: [{{name: node, image: \"a:1\"}}]\n",
      name, more);
}

std::string job(std::string_view name, std::string_view runtime_name, std::string_view more = "") {
  return fmt::format(
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: {}\nspec:\n  "
      "runtimeRef:\n    "
      "name: {}\n{}",
      name, runtime_name, more);
}

// What a file may be from one run to the next.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> kTexts{
      job("a", "torch-a"),
      job("a", "torch-b"),
      job("b", "torch-a", "  trainer: {numNodes: 3}\n"),
      job("b", "torch-c", "  trainer: {nodes: 3}\n"),
      job("c", "torch-distributed"),
      job("c", "torch-a", "  trainer: {resourcesPerNode: {requests: {nvidia.com/gpu: 1}}}\n"),
      job("d", "torch-b", "  podTemplateOverrides: [{targetJobs: [{name: node}]}]\n"),
      job("d", "torch-b", "  runtimePatches: []\n"),
      runtime("torch-a"),
      runtime("torch-b"),
      runtime("torch-a", "  nope: 1\n"),
      runtime("torch-b").replace(0, 0, "# trainjobc:ignore advice/image-tag -- because\n"),
      job("e", "torch-a") + "---\n" + runtime("torch-e") + "---\n" + job("f", "torch-e"),
      "kind: [TrainJob\n",
      "kind: TrainJob\nitems: [\n",
      "apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n  apiVersion: v1\n# kind\n" +
          std::string("kind: TrainJob\n"),
      "",
  };
  return kTexts;
}

std::string report(const lint::Findings& findings) {
  std::string text;
  for (const base::Diagnostic& found : findings.diagnostics.items()) {
    text += base::format_text(found, {});
    for (const base::Edit& edit : found.fix) {
      const base::Location& at = edit.range;
      text += fmt::format("fix {}:{}-{}:{} of {} bytes: {}\n", at.line, at.column, at.end_line, at.end_column,
                          at.file->text().size(), edit.text);
    }
  }
  for (const LintedObject& object : findings.compiled.linted)
    text += fmt::format("{}:{} {} {}\n", object.file, object.line, object.object, object.name.line);
  return text + findings.compiled.trainer_version + findings.compiled.trainer_version_reason;
}

std::vector<lint::InputGroup> group_of(const std::vector<std::string>& files, const std::string& ns) {
  std::vector<lint::InputGroup> groups(1);
  groups.front().config = std::make_shared<lint::Config>();
  groups.front().ns = ns;
  for (size_t i = 0; i < files.size(); ++i)
    groups.front().inputs.push_back({fmt::format("{}.yaml", i), files[i]});
  return groups;
}

}  // namespace

TEST_CASE("find_again says what find says, whatever changes") {
  Options options;
  options.render = false;
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::mt19937 random(seed);
    const auto any = [&](size_t size) { return static_cast<size_t>(random() % size); };
    std::vector<std::string> files(6);
    std::string ns;
    lint::GroupCaches caches;
    for (int step = 0; step < 60; ++step) {
      files[any(files.size())] = texts()[any(texts().size())];
      if (any(20) == 0) ns = ns.empty() ? "team" : "";
      const std::string again = report(lint::find(group_of(files, ns), options, "", caches));
      const std::string fresh = report(lint::find(group_of(files, ns), options, ""));
      REQUIRE_MESSAGE(again == fresh, fmt::format("seed {}, step {}", seed, step));
    }
  }
}

TEST_CASE("find_again says what find says, whatever changes in files of several documents") {
  Options options;
  options.render = false;
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::mt19937 random(seed);
    const auto any = [&](size_t size) { return static_cast<size_t>(random() % size); };
    std::vector<std::vector<std::string>> files(3);
    lint::GroupCaches caches;
    for (int step = 0; step < 80; ++step) {
      std::vector<std::string>& documents = files[any(files.size())];
      const size_t at = any(documents.size() + 1);
      const auto here = documents.begin() + static_cast<std::ptrdiff_t>(at);
      const std::string& text = texts()[any(texts().size())];
      if (at == documents.size() || any(3) == 0) {
        documents.insert(here, text);
      } else if (any(4) == 0) {
        documents.erase(here);
      } else if (any(3) == 0) {
        here->insert(0, "# a comment\n");
      } else {
        *here = text;
      }
      std::vector<std::string> joined;
      for (const std::vector<std::string>& parts : files)
        joined.push_back(fmt::format("{}", fmt::join(parts, "---\n")));
      const std::string again = report(lint::find(group_of(joined, ""), options, "", caches));
      const std::string fresh = report(lint::find(group_of(joined, ""), options, ""));
      REQUIRE_MESSAGE(again == fresh, fmt::format("seed {}, step {}", seed, step));
    }
  }
}

TEST_CASE("a second run of the same files compiles no job again") {
  Options options;
  options.render = false;
  compile::RunCache cache;
  const std::vector<Source> inputs{{"a.yaml", job("a", "torch-a")}, {"r.yaml", runtime("torch-a")}};
  const Compilation first = compile::find_again(inputs, {}, options, cache);
  const Compilation second = compile::find_again(inputs, {}, options, cache);
  REQUIRE(first.files.size() == 2);
  CHECK(first.files == second.files);  // the same objects
  CHECK(second.linted.front().object == "TrainJob/default/a");
}

}  // namespace trainjobc::reuse_test
