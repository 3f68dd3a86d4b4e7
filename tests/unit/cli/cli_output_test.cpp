// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "support/test_console.h"

namespace trainjobc::cli_output_test {
namespace {

std::string job(const std::string& name, const std::string& ns = "a") {
  return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: " + name +
         "\n  namespace: " + ns + "\nspec:\n  runtimeRef:\n    name: torch-distributed\n";
}

using test::Run;

Run run(base::FileSystem& files, std::vector<std::string> arguments) {
  arguments.emplace_back("--no-config");
  return test::run(files, arguments);
}

std::vector<std::string> names_below(const base::MemoryFileSystem& files, const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& [name, text] : files.files) {
    if (name.starts_with(folder)) names.push_back(name.substr(folder.size()));
  }
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("--prune-output removes what an earlier run with it wrote, and nothing else") {
  base::MemoryFileSystem files;
  files.files["one.yaml"] = job("one");
  files.files["two.yaml"] = job("two");
  files.files["out/v1_configmap_mine.yaml"] = "kind: ConfigMap\n";
  CHECK(run(files, {"render", "--output-dir", "out", "--prune-output", "one.yaml", "two.yaml"}).status == 0);
  CHECK(files.files["out/.trainjobc-output"] ==
        "jobset.x-k8s.io_v1alpha2_jobset_one.yaml\njobset.x-k8s.io_v1alpha2_jobset_two.yaml\n");
  CHECK(run(files, {"render", "--output-dir", "out", "two.yaml"}).status == 0);
  CHECK(names_below(files, "out/").size() == 4);
  CHECK(run(files, {"render", "--output-dir", "out", "--prune-output", "two.yaml"}).status == 0);
  CHECK(names_below(files, "out/") ==
        Names{".trainjobc-output", "jobset.x-k8s.io_v1alpha2_jobset_two.yaml", "v1_configmap_mine.yaml"});
}

TEST_CASE("--prune-output never leaves its directory, whatever the list says") {
  base::MemoryFileSystem files;
  files.files["one.yaml"] = job("one");
  files.files["precious"] = "";
  files.files["/precious"] = "";
  files.files["out/.trainjobc-output"] = "../precious\n/precious\na/../../precious\nmissing.yaml\n\n";
  CHECK(run(files, {"render", "--output-dir", "out", "--prune-output", "one.yaml"}).status == 0);
  CHECK(files.files.contains("precious"));
  CHECK(files.files.contains("/precious"));
}

TEST_CASE("--output-dir: foreign names never leave the directory, two objects never share a file") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] =
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ../../evil\n  namespace: ..\n---\n" + job("one");
  CHECK(run(files, {"render", "--passthrough", "--output-dir", "out", "a.yaml"}).status == 0);
  CHECK(names_below(files, "out/") ==
        Names{"_/v1_configmap_.._.._evil.yaml", "a/jobset.x-k8s.io_v1alpha2_jobset_one.yaml"});
  files.files["a.yaml"] =
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n---\napiVersion: v1\nkind: ConfigMap\n"
      "metadata:\n  name: X\n";
  const Run result = run(files, {"render", "--passthrough", "--output-dir", "other", "a.yaml"});
  CHECK(result.status == 2);
  CHECK(result.err == "trainjobc: --output-dir: two objects would be written to v1_configmap_x.yaml\n");
  CHECK(names_below(files, "other/").empty());
}

TEST_CASE("--annotate-origin names the file, and the TrainJob of generated objects") {
  base::MemoryFileSystem files;
  files.files["jobs/a.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n---\n" + job("one");
  const Run result = run(files, {"render", "--passthrough", "--annotate-origin", "jobs"});
  CHECK(result.out == R"(apiVersion: v1
kind: ConfigMap
metadata:
  name: x
  annotations:
    config.kubernetes.io/origin: |
      path: jobs/a.yaml
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: one
  namespace: a
  annotations:
    config.kubernetes.io/origin: |
      configuredIn: jobs/a.yaml
      configuredBy:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        name: one
        namespace: a
spec:
  suspend: false
  replicatedJobs:
  - name: node
    groupName: default
    replicas: 1
    template:
      metadata:
        labels:
          trainer.kubeflow.org/trainjob-ancestor-step: trainer
      spec:
        completions: 1
        parallelism: 1
        template:
          spec:
            containers:
            - name: node
              image: pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime
)");
}

TEST_CASE("inputs without objects are noted if output was expected; lint refuses an empty standard input") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n";
  files.files["jobs/team/b.yaml"] = job("one");
  CHECK(run(files, {"render", "a.yaml"}).err == "note: the inputs contain no TrainJob\n");
  CHECK(run(files, {"lint", "a.yaml"}).err.empty());
  const Run piped = run(files, {"lint", "-"});
  CHECK(piped.status == 2);
  CHECK(piped.err == "trainjobc: standard input is empty: pipe manifests in, or name a file or directory\n");
  CHECK(run(files, {"lint"}).err == piped.err);
  const Run accepted = run(files, {"lint", "--allow-empty", "-"});
  CHECK(accepted.status == 0);
  CHECK(accepted.err == "note: the inputs contain no TrainJob and no runtime\n");
  CHECK(run(files, {"lint", "jobs"}).err.empty());
}

TEST_CASE("--fail-if-no-objects-found") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n";
  files.files["b.yaml"] = job("one");
  for (const std::string command : {"render", "lint"}) {
    CHECK(run(files, {command, "a.yaml"}).status == 0);
    const Run result = run(files, {command, "--fail-if-no-objects-found", "a.yaml"});
    CHECK(result.status == 2);
    CHECK(result.err ==
          "trainjobc: --fail-if-no-objects-found: the inputs contain no TrainJob and no runtime\n");
    CHECK(run(files, {command, "--fail-if-no-objects-found", "b.yaml"}).status == 0);
  }
}

TEST_CASE("a report to /dev/null goes there") {
  base::RealFileSystem files;
  CHECK_FALSE(files.write("/dev/null", "text", 0644).has_value());
  struct stat status {};
  CHECK(::stat("/dev/null", &status) == 0);
  CHECK(S_ISCHR(status.st_mode));
  const auto error = files.write("/dev/full", "text", 0644);
  CHECK(error.value_or(base::IoError{}).message == "write /dev/full: No space left on device");
}

}  // namespace trainjobc::cli_output_test
