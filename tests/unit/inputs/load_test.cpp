// SPDX-License-Identifier: Apache-2.0

// Loading as a function: what it has to say are values.
#include "inputs/load.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "inputs/repository.h"
#include "support/test_console.h"

namespace trainjobc::load_test {
namespace {

constexpr const char* kJob =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: bert\nspec:\n"
    "  runtimeRef:\n    name: torch-distributed\n";

// kustomize, which builds the base, and refuses everything else.
class Kustomize final : public base::ProcessRunner {
 public:
  base::IoResult<base::ProcessResult> run(const base::ProcessRequest& request) override {
    if (request.argv[0] != "kustomize") return base::io_error("run", request.argv[0], ENOENT);
    if (request.argv.back() != "base") return base::ProcessResult{1, "", "Error: no such field\n"};
    return base::ProcessResult{0, kJob, ""};
  }
};

base::MemoryFileSystem roots() {
  base::MemoryFileSystem files;
  files.files["base/job.yaml"] = kJob;
  files.files["base/kustomization.yaml"] = "resources: [job.yaml]\n";
  files.files["broken/job.yaml"] = kJob;
  files.files["broken/kustomization.yaml"] = "resources: [job.yaml]\n";
  return files;
}

// What was loaded: the messages, then a line for each group with its scope, its inputs and what was found.
std::string report(const inputs::Loaded& loaded) {
  std::string text;
  for (const inputs::Message& message : loaded.messages)
    text += (message.kind == inputs::MessageKind::Note ? "note: " : "problem: ") + message.text + "\n";
  for (const inputs::InputGroup& group : loaded.groups) {
    text += group.scope + ":";
    for (const Source& source : group.inputs) text += " " + source.name;
    for (const base::Diagnostic& found : group.found.items()) text += " [" + found.message + "]";
    text += "\n";
  }
  return text;
}

std::string load(base::MemoryFileSystem files, const inputs::Request& request) {
  Kustomize kustomize;
  return report(inputs::load(files, kustomize, request));
}

}  // namespace

TEST_CASE("load: kustomizations that are found are named, and their files are read") {
  Kustomize kustomize;
  base::MemoryFileSystem files = roots();
  const inputs::Loaded loaded = inputs::load(files, kustomize, {.paths = {"."}});
  CHECK(report(loaded) ==
        ".: base/job.yaml base/kustomization.yaml broken/job.yaml broken/kustomization.yaml\n");
  CHECK(loaded.roots == std::vector<std::string>{"-k base", "-k broken"});
}

TEST_CASE("load: one that can't be built is read as files, unless the settings require it") {
  const inputs::Request request{.paths = {"."}, .found_roots = inputs::FoundRoots::Built};
  CHECK(load(roots(), request) ==
        "note: kustomize build broken failed:\n    Error: no such field\n"
        "    its files are checked one by one\n"
        ".: broken/job.yaml broken/kustomization.yaml\n"
        "base: base/(built)\n");
  base::MemoryFileSystem files = roots();
  files.files[".trainjobc.yaml"] = "kustomize: {build: required}\n";
  CHECK(load(files, request) ==
        "problem: .trainjobc.yaml: kustomize build broken failed:\n    Error: no such field\n");
}

TEST_CASE("load: one that can't be built is a finding, if that is asked for") {
  CHECK(load(roots(), {.paths = {"."}, .found_roots = inputs::FoundRoots::Reported}) ==
        "base: base/(built)\n"
        "broken: [kustomize build broken failed: Error: no such field]\n");
}

TEST_CASE("load: a root that a flag names has to be built") {
  CHECK(load(roots(), {.roots = {{.flag = "-k", .folder = "base"}, {.flag = "-k", .folder = "./base"}}}) ==
        "base: base/(built)\n");
  CHECK(load(roots(), {.roots = {{.flag = "-k", .folder = "broken"}}}) ==
        "problem: kustomize build broken failed:\n    Error: no such field\n");
  CHECK(load(roots(), {.roots = {{.flag = "--helm", .folder = "chart"}}}) ==
        "problem: open chart/Chart.yaml: No such file or directory\n");
}

TEST_CASE("load: scopes that are left out are not built, and their files are read") {
  CHECK(load(roots(),
             {.paths = {"."}, .found_roots = inputs::FoundRoots::Built, .left_out = {"base", "broken"}}) ==
        ".: base/job.yaml base/kustomization.yaml broken/job.yaml broken/kustomization.yaml\n");
}

TEST_CASE("load: the environment's settings come between the request's and those of files") {
  base::MemoryFileSystem files;
  files.files["job.yaml"] = kJob;
  files.files[".trainjobc.yaml"] = "trainerVersion: 2.1\nruntimes: [configured]\n";
  files.files["mine/rt.yaml"] = "";
  Kustomize kustomize;
  inputs::Request request{
      .paths = {"-"}, .standard_input = [] { return kJob; }, .environment = {"", "2.2", "mine"}};
  inputs::Loaded loaded = inputs::load(files, kustomize, request);
  CHECK(report(loaded) == ".: <stdin>\n");
  CHECK(loaded.groups.front().inputs.front().text == kJob);
  CHECK(loaded.groups.front().trainer_version == "2.2");
  REQUIRE(loaded.groups.front().runtimes.size() == 1);
  CHECK(loaded.groups.front().runtimes.front().name == "mine/rt.yaml");
  request.trainer_version = "2.3";
  CHECK(inputs::load(files, kustomize, request).groups.front().trainer_version == "2.3");
  request.environment.trainer_version = "3";
  CHECK(load(files, request) ==
        "problem: TRAINJOBC_TRAINER_VERSION 3 is not one of auto, 2.0, 2.1, 2.2, 2.3, 2.4-preview\n");
}

TEST_CASE("load: what is wrong with a file of settings is a report") {
  base::MemoryFileSystem files;
  files.files["job.yaml"] = kJob;
  files.files[".trainjobc.yaml"] = "failOn: never!\n";
  Kustomize kustomize;
  const inputs::Loaded loaded = inputs::load(files, kustomize, {.paths = {"job.yaml"}});
  REQUIRE(loaded.messages.size() == 1);
  CHECK(loaded.failed());
  CHECK(loaded.messages.front().kind == inputs::MessageKind::Report);
  CHECK(loaded.messages.front().text ==
        ".trainjobc.yaml:1:9: error: failOn must be error, warning or never [config/invalid]\n"
        "    1 | failOn: never!\n"
        "      |         ^~~~~~\n");
}

TEST_CASE("load: the repository of a path is the nearest folder with a .git") {
  base::MemoryFileSystem files;
  files.files["/repo/.git/HEAD"] = "";
  files.files["/repo/vendor/sub/.git"] = "gitdir: ../../.git/modules/sub\n";
  CHECK(inputs::repository_of(files, "/repo/jobs/a") == "/repo");
  CHECK(inputs::repository_of(files, "/repo") == "/repo");
  CHECK(inputs::repository_of(files, "/repo/vendor/sub/jobs") == "/repo/vendor/sub");
  CHECK(inputs::repository_of(files, "/elsewhere") == "");
}

}  // namespace trainjobc::load_test
