// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/workspace.h"

#include <doctest/doctest.h>

#include "support/lsp_client.h"

namespace trainjobc::workspace_test {
namespace {

constexpr const char* kRuntime =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n  name: torch-a\n  "
    "labels: "
    "{trainer.kubeflow.org/framework: torch}\nspec:\n  mlPolicy: {numNodes: 2, torch: {}}\n  template:\n    "
    "spec:\n     "
    " replicatedJobs:\n        - name: node\n          template:\n            metadata: {labels: "
    "{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}\n            spec:\n              template:\n   "
    "         "
    "    spec:\n                  containers: [{name: node, image: a:1}]\n";
const std::string kJob =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: a\nspec:\n  runtimeRef:\n "
    "   name: "
    "torch-a\n  trainer: {}\n";

// "FILE:LINE:COLUMN RULE" of each finding.
std::string findings_of(lsp::Workspace& workspace) {
  std::string text;
  const auto all = workspace.findings();
  for (const base::Diagnostic& one : all->diagnostics.items()) {
    const base::Location& at = one.location;
    text += (at.file ? at.file->name() : "") + ":" + std::to_string(at.line) + ":" +
            std::to_string(at.column) + " " + one.rule + "\n";
  }
  return text;
}

std::string lines(std::initializer_list<std::string> all) {
  std::string text;
  for (const std::string& line : all) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("workspace: buffers take the place of files, across files") {
  test::LspFiles files;
  files.disk.files = {{"/repo/.git/HEAD", ""}, {"/repo/job.yaml", kJob}, {"/repo/runtime.yaml", kRuntime}};
  const auto workspace = files.workspace();
  CHECK(findings_of(*workspace) == lines({}));
  std::string renamed = kRuntime;
  renamed.replace(renamed.find("torch-a"), 7, "torch-b");
  workspace->set_text("/repo/runtime.yaml", renamed);
  CHECK(findings_of(*workspace) == lines({"/repo/job.yaml:7:11 input/missing-runtime"}));
  std::string moved = kJob;
  moved.replace(moved.find("torch-a"), 7, "torch-b");
  workspace->set_text("/repo/job.yaml", moved);
  CHECK(findings_of(*workspace) == lines({}));
  workspace->close("/repo/runtime.yaml");
  CHECK(findings_of(*workspace) == lines({"/repo/job.yaml:7:11 input/missing-runtime"}));
  workspace->close("/repo/job.yaml");
  CHECK(findings_of(*workspace) == lines({}));
}

TEST_CASE("workspace: an edited job decides what is said about its runtime") {
  test::LspFiles files;
  std::string runtime = kRuntime;
  runtime.erase(runtime.find(", image: a:1"), 12);
  files.disk.files = {{"/repo/.git/HEAD", ""}, {"/repo/job.yaml", kJob}, {"/repo/runtime.yaml", runtime}};
  const auto workspace = files.workspace();
  CHECK(findings_of(*workspace) == lines({"/repo/runtime.yaml:17:32 job/image"}));
  std::string with_image = kJob;
  with_image.replace(with_image.find("trainer: {}"), 11, "trainer: {image: a:1}");
  workspace->set_text("/repo/job.yaml", with_image);
  CHECK(findings_of(*workspace) == lines({}));
  workspace->set_text("/repo/job.yaml", kJob);
  CHECK(findings_of(*workspace) == lines({"/repo/runtime.yaml:17:32 job/image"}));
}

TEST_CASE("workspace: the configuration decides what is said about all files") {
  test::LspFiles files;
  files.disk.files = {{"/repo/.git/HEAD", ""},
                      {"/repo/job.yaml", kJob + "  suspend: true\n"},
                      {"/repo/runtime.yaml", kRuntime}};
  const auto workspace = files.workspace();
  CHECK(findings_of(*workspace) == lines({"/repo/job.yaml:9:12 advice/suspended"}));
  workspace->set_text("/repo/.trainjobc.yaml", "rules: {advice/suspended: off}\n");
  CHECK(findings_of(*workspace) == lines({}));
  workspace->set_text("/repo/.trainjobc.yaml", "rules: {advice/suspended: of}\n");
  CHECK(findings_of(*workspace) == lines({"/repo/.trainjobc.yaml:1:27 config/invalid"}));
  CHECK(workspace->problem() ==
        R"(/repo/.trainjobc.yaml:1:27: error: a severity is error, warning, info or off [config/invalid]
    1 | rules: {advice/suspended: of}
      |                           ^~
)");
  workspace->set_text("/repo/.trainjobc.yaml", "exclude: [job.yaml]\n");
  CHECK(findings_of(*workspace) == lines({}));
  CHECK(workspace->problem() == "");
  CHECK(workspace->jobs().empty());
  workspace->close("/repo/.trainjobc.yaml");
  CHECK(findings_of(*workspace) == lines({"/repo/job.yaml:9:12 advice/suspended"}));
}

TEST_CASE("workspace: what is half typed counts as it was, beside the error in its syntax") {
  test::LspFiles files;
  files.disk.files = {{"/repo/.git/HEAD", ""}, {"/repo/job.yaml", kJob}, {"/repo/runtime.yaml", kRuntime}};
  const auto workspace = files.workspace();
  workspace->set_text("/repo/runtime.yaml", kRuntime);
  CHECK(findings_of(*workspace) == lines({}));
  // The job still finds its runtime.
  workspace->set_text("/repo/runtime.yaml", "\n\"half\n" + std::string(kRuntime));
  CHECK(findings_of(*workspace) == lines({"/repo/runtime.yaml:2:1 yaml/syntax"}));
  // The findings of a document that can't be read stay on its lines, those of others are new.
  std::string other = kJob;
  other.replace(other.find("name: a"), 7, "name: b");
  const std::string two = "# the first\n" + kJob + "  nope: 1\n---\n" + other;
  workspace->set_text("/repo/job.yaml", two);
  workspace->close("/repo/runtime.yaml");
  CHECK(findings_of(*workspace) == lines({"/repo/job.yaml:10:3 input/unknown-field"}));
  workspace->set_text("/repo/job.yaml", "# the first\n\n\"half\n" + two.substr(12) + "  nope: 1\n");
  CHECK(findings_of(*workspace) ==
        lines({"/repo/job.yaml:3:1 yaml/syntax", "/repo/job.yaml:12:3 input/unknown-field",
               "/repo/job.yaml:22:3 input/unknown-field"}));
}

TEST_CASE("workspace: files that come, change and go on disk") {
  test::LspFiles files;
  files.disk.files = {{"/repo/.git/HEAD", ""}, {"/repo/job.yaml", kJob}};
  const auto workspace = files.workspace();
  CHECK(findings_of(*workspace) == lines({"/repo/job.yaml:7:11 input/missing-runtime"}));
  files.disk.files["/repo/runtime.yaml"] = kRuntime;
  workspace->note_change_on_disk("/repo/runtime.yaml");
  CHECK(findings_of(*workspace) == lines({}));
  files.disk.files["/repo/job.yaml"] = kJob + "  nope: 1\n";
  workspace->note_change_on_disk("/repo/job.yaml");
  CHECK(findings_of(*workspace) == lines({"/repo/job.yaml:9:3 input/unknown-field"}));
  files.disk.files.erase("/repo/job.yaml");
  workspace->note_change_on_disk("/repo/job.yaml");
  CHECK(findings_of(*workspace) == lines({}));
  workspace->set_text("/repo/new.yaml", kJob + "  nope: 1\n");
  CHECK(findings_of(*workspace) == lines({"/repo/new.yaml:9:3 input/unknown-field"}));
  workspace->set_text("/elsewhere/new.yaml", "kind: TrainJob\n");
  CHECK(findings_of(*workspace) ==
        lines({"/elsewhere/new.yaml:1:1 yaml/no-kind", "/repo/new.yaml:9:3 input/unknown-field"}));
  workspace->set_folders({});
  CHECK(findings_of(*workspace) ==
        lines({"/elsewhere/new.yaml:1:1 yaml/no-kind", "/repo/new.yaml:7:11 input/missing-runtime",
               "/repo/new.yaml:9:3 input/unknown-field"}));
}

TEST_CASE("workspace: lookups of features") {
  test::LspFiles files;
  files.disk.files = {{"/repo/.git/HEAD", ""}, {"/repo/job.yaml", kJob}, {"/repo/runtime.yaml", kRuntime}};
  const auto workspace = files.workspace();
  workspace->bring_up_to_date();
  REQUIRE(workspace->jobs().size() == 1);
  CHECK(workspace->jobs().front().object->id.str() == "TrainJob/default/a");
  const auto runtime = workspace->find_runtime("/repo/job.yaml", "", "torch-a", "team");
  REQUIRE(runtime);
  CHECK(runtime->document == "/repo/runtime.yaml");
  CHECK(!workspace->find_runtime("/repo/job.yaml", "TrainingRuntime", "torch-a", "team"));
  CHECK(workspace->schemas_of("/repo/job.yaml").trainer == "2.3");
  const auto compiled = workspace->compiled("/repo/job.yaml");
  REQUIRE(compiled->compilation.objects.size() == 1);
  CHECK(compiled->compilation.objects.front().kind == "JobSet");
  CHECK(workspace->compiled("/repo/job.yaml") == compiled);
  workspace->set_text("/repo/runtime.yaml", kRuntime);
  CHECK(workspace->compiled("/repo/job.yaml") != compiled);
  CHECK(workspace->current("/nowhere.yaml") == nullptr);
  CHECK(workspace->compiled("/nowhere.yaml")->compilation.objects.empty());
}

TEST_CASE("what can't be read is replaced by what it was") {
  const lsp::ParsedText good("/a.yaml", "a: 1\n---\nb: 2\n---\nc: 3\n");
  const lsp::ParsedText broken("/a.yaml", "a: 1\nd: 4\n---\nb: [2\n---\nc: 4\n");
  CHECK(good.is_readable);
  CHECK(!broken.is_readable);
  CHECK(lsp::with_readable_documents(broken, good) == "a: 1\nd: 4\n---\nb: 2\n---\nc: 4\n");
  const lsp::ParsedText shorter("/a.yaml", "a: [\n---\nc: 4\n");
  CHECK(lsp::with_readable_documents(shorter, good) == "a: 1\n---\nb: 2\n---\nc: 3\n");
}

}  // namespace trainjobc::workspace_test
