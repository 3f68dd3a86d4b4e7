// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/test_console.h"

namespace trainjobc::cli_complete_test {
namespace {

std::string completed(base::MemoryFileSystem& files, std::vector<std::string> words) {
  test::TestConsole console(files);
  words.insert(words.begin(), "__complete");
  CHECK(cli::run(words, console) == 0);
  CHECK(console.err.empty());
  return console.out;
}

std::string completed(std::vector<std::string> words) {
  base::MemoryFileSystem files;
  files.files[".trainjobc.yaml"] = "";
  return completed(files, std::move(words));
}

constexpr const char* kJob =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: one\nspec:\n"
    "  runtimeRef:\n    name: torch-distributed\n---\n"
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: two\n---\n"
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n  name: zoo\nspec: "
    "{}\n";

}  // namespace

TEST_CASE("completion of commands") {
  CHECK(completed({"ren"}) == "render\tPrint the objects that Kubeflow Trainer would create\n:4\n");
  CHECK(completed({"completion", ""}) == "bash\nzsh\nfish\n:4\n");
  CHECK(completed({"nonsense", ""}) == R"(render	Print the objects that Kubeflow Trainer would create
lint	Report what the cluster would refuse, at the line to fix
explain	Show where each field of the rendered objects comes from
plan	Show the nodes, processes and resources of jobs, and whether Kueue could admit them
graph	Draw what jobs run, wait for and use, as Mermaid, DOT or SVG
compose	Print a Compose file that runs a job on one machine, with docker or podman
diff	Compare rendered objects with a cluster, other files, a branch or version
submit	Lint, render and apply the JobSets to a cluster through kubectl
migrate	Rewrite TrainJobs and runtimes for another Trainer version
new	Write a first TrainJob, and a runtime for it
lsp	Run as a language server, for editors
function	Run as a KRM function, for kustomize and kpt
runtimes	List the runtimes that TrainJobs can name, or print one
policies	Test a team's own rules, or save a cluster's policies
kustomize-config	Print a kustomize configuration for TrainJobs and runtimes
webhook	Run as an admission webhook: findings as kubectl's warnings
schema	Print the JSON Schema of a kind, for editors and validators
completion	Print a shell's completion script
version	Print the version and what it supports
:4
)");
}

TEST_CASE("completion of flags leaves out those that were given and don't repeat") {
  CHECK(completed({"lint", "--fix", "--fi"}) == "--filename\tSame as PATH; can be repeated\n:4\n");
  CHECK(completed({"lint", "-f", "a.yaml", "--filen"}) == "--filename\tSame as PATH; can be repeated\n:4\n");
}

TEST_CASE("completion of values, after a space or an equals sign") {
  CHECK(completed({"lint", "--fail-on", ""}) == "error\nwarning\nnever\n:4\n");
  CHECK(completed({"lint", "--fail-on=w"}) == "--fail-on=warning\n:4\n");
  CHECK(completed({"lint", "--explain", "yaml/dup"}) ==
        "yaml/duplicate-key\tA map sets the same key twice\n:4\n");
  CHECK(completed({"render", "--ssh-key", ""}) == "generate\nomit\nfile:\nseed:\n:6\n");
}

TEST_CASE("completion after old names of flags") {
  CHECK(completed({"render", "--output", ""}) == "yaml\njson\nname\n:4\n");
  CHECK(completed({"render", "--output=j"}) == "--output=json\n:4\n");
  CHECK(completed({"lint", "--output", ""}) == completed({"lint", "--output-file", ""}));
  CHECK(completed({"migrate", "--from", "2."}) == completed({"migrate", "--from-version", "2."}));
  CHECK(completed({"migrate", "--from=2.", ""}) == completed({"migrate", "--from-version=2.", ""}));
}

TEST_CASE("completion of files by type of flag") {
  CHECK(completed({"lint", ""}) == "yaml\nyml\njson\n:8\n");
  CHECK(completed({"lint", "a.yaml", "b"}) == "yaml\nyml\njson\n:8\n");
  CHECK(completed({"render", "--output-dir", ""}) == ":16\n");
  CHECK(completed({"lint", "--config", ""}) == ":0\n");
}

TEST_CASE("completion of jobs and runtimes reads the inputs on the line") {
  base::MemoryFileSystem files;
  files.files["jobs/a.yaml"] = kJob;
  files.files[".trainjobc.yaml"] = "";
  CHECK(completed(files, {"render", "jobs", "--job", ""}) == "one\ntwo\n:4\n");
  CHECK(completed(files, {"render", "--filename=jobs/a.yaml", "--job=t"}) == "--job=two\n:4\n");
  CHECK(completed(files, {"render", "missing", "--job", ""}) == ":4\n");
  CHECK(completed(files, {"runtimes", "jobs", "--show", "z"}) == "zoo\n:4\n");
  CHECK(completed(files, {"runtimes", "--show", "xg"}) == "xgboost-distributed\n:4\n");
}

TEST_CASE("completion of fields") {
  CHECK(completed({"explain", "--field", ".spec.net"}) == ".spec.network\n:6\n");
  CHECK(completed({"explain", "--field", ".spec.replicatedJ"}) == ".spec.replicatedJobs[*]\n:6\n");
  CHECK(completed({"explain", "--field", ".spec.replicatedJobs[*].rep"}) ==
        ".spec.replicatedJobs[*].replicas\n:6\n");
  CHECK(completed({"explain", "--field=.spec.net"}) == "--field=.spec.network\n:6\n");
  CHECK(completed({"explain", "--field", ".spec.nothing.x"}) == ":6\n");
  CHECK(completed({"explain", "--field", "priorityCl"}) == "priorityClassName\n:4\n");
}

TEST_CASE("completion of commands below a command, and of kinds") {
  CHECK(completed({"runtimes", "pu"}) == "pull\tSave the runtimes of a cluster as files to commit\n:0\n");
  CHECK(completed({"runtimes", "pull", ""}) == ":16\n");
  CHECK(completed({"runtimes", "check", "--for"}) == "--format\tOutput format\n:4\n");
  CHECK(completed({"runtimes", "a.yaml", ""}) == "yaml\nyml\njson\n:8\n");
  CHECK(completed({"schema", "Train"}) == "TrainJob\nTrainingRuntime\n:4\n");
}

}  // namespace trainjobc::cli_complete_test
