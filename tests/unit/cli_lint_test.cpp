#include <doctest/doctest.h>

#include "support/test_console.h"

using namespace trainjobc;

namespace {

constexpr const char* kBad =
    "# a job\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name:   one   # spaces "
    "stay\nspec:\n"
    "  runtimeRef:\n    name: torch-distributed\n  trainer:\n    env:\n    - {name: DEBUG, value: yes}\n";

struct Run {
  int status = 0;
  std::string out;
  std::string err;
};

Run lint(base::MemoryFileSystem& files, std::vector<std::string> arguments) {
  test::TestConsole console(files);
  arguments.insert(arguments.begin(), {"lint", "--no-config"});
  const int status = cli::run(arguments, console);
  return {status, console.out, console.err};
}

}  // namespace

TEST_CASE("lint --fix --diff shows the fix and changes nothing") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = kBad;
  const Run run = lint(files, {"--fix", "--diff", "a.yaml"});
  CHECK(run.status == 1);
  CHECK(run.out ==
        "--- a.yaml\n+++ a.yaml\n@@ -8,4 +8,4 @@\n     name: torch-distributed\n   trainer:\n     env:\n"
        "-    - {name: DEBUG, value: yes}\n+    - {name: DEBUG, value: \"yes\"}\n");
  CHECK(files.files["a.yaml"] == kBad);
}

TEST_CASE("lint --fix changes only the token, and reports what is left") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = kBad;
  const Run run = lint(files, {"--fix", "a.yaml"});
  CHECK(run.status == 0);
  CHECK(run.err == "1 fixed\n");
  CHECK(run.out.empty());
  std::string want = kBad;
  want.replace(want.find("yes}"), 3, "\"yes\"");
  CHECK(files.files["a.yaml"] == want);
}

TEST_CASE("lint --fix: a request without a limit, in every style") {
  const std::string job =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: one}\nspec:\n"
      "  runtimeRef: {name: torch-distributed}\n  trainer:\n    image: a/b:1\n";
  const auto fixed = [&](const std::string& resources) {
    base::MemoryFileSystem files;
    files.files["a.yaml"] = job + resources;
    const Run run = lint(files, {"--fix", "a.yaml"});
    CHECK(run.status == 0);
    CHECK(run.out == "");
    return files.files["a.yaml"].substr(job.size());
  };
  CHECK(fixed("    resourcesPerNode:\n      requests:  # two kinds\n        nvidia.com/gpu: 4\n        "
              "amd.com/gpu: 2\n") ==
        "    resourcesPerNode:\n      limits: {amd.com/gpu: 2, nvidia.com/gpu: 4}\n"
        "      requests:  # two kinds\n        nvidia.com/gpu: 4\n        amd.com/gpu: 2\n");
  CHECK(fixed("    resourcesPerNode: {requests: {nvidia.com/gpu: 4}}\n") ==
        "    resourcesPerNode: {limits: {nvidia.com/gpu: 4}, requests: {nvidia.com/gpu: 4}}\n");
  CHECK(fixed("    resourcesPerNode: {\"requests\": {\"nvidia.com/gpu\": 4}}\n") ==
        "    resourcesPerNode: {\"limits\": {\"nvidia.com/gpu\": \"4\"}, \"requests\": {\"nvidia.com/gpu\": "
        "4}}\n");
  CHECK(fixed("    resourcesPerNode:\r\n      requests:\r\n        nvidia.com/gpu: 4\r\n      limits:\r\n    "
              "    cpu: 9\r\n") ==
        "    resourcesPerNode:\r\n      requests:\r\n        nvidia.com/gpu: 4\r\n      limits:\r\n"
        "        nvidia.com/gpu: 4\n        cpu: 9\r\n");
}

TEST_CASE("lint --fix changes no file beside the inputs") {
  const std::string runtime =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: rt}\nspec:\n"
      "  mlPolicy: {torch: {}}\n  template: {spec: {replicatedJobs: [{name: node, template: {metadata: "
      "{labels: "
      "{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: {containers: [{name: "
      "node, "
      "image: a/b:1, resources: {requests: {amd.com/gpu: 2}}}]}}}}}]}}\n";
  base::MemoryFileSystem files;
  files.files["rt.yaml"] = runtime;
  files.files["a.yaml"] =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: one}\nspec:\n"
      "  runtimeRef: {name: rt}\n  trainer: {numNodes: 1}\n";
  const Run run = lint(files, {"--fix", "a.yaml", "--runtimes", "rt.yaml"});
  CHECK(run.status == 1);
  CHECK(run.err == "");
  CHECK(run.out.find("requested without a limit [job/gpu-limit]") != std::string::npos);
  CHECK(run.out.ends_with("\n1 finding (1 error) in 1 of 2 files\n"));
  CHECK(files.files["rt.yaml"] == runtime);
}

TEST_CASE("lint --fix does not take standard input") {
  base::MemoryFileSystem files;
  test::TestConsole console(files);
  console.in = kBad;
  CHECK(cli::run({"lint", "--no-config", "--fix", "-"}, console) == 2);
  CHECK(console.out == "");
  CHECK(console.err ==
        "trainjobc: --fix can't write to standard input: --fix --diff shows what it would change\n");
}

TEST_CASE("reports go to their files, one to stdout") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = kBad;
  const Run run = lint(files, {"--format", "sarif", "--output", "a.sarif", "--format", "github", "a.yaml"});
  CHECK(run.status == 1);
  CHECK(run.out.starts_with("::error file=a.yaml,line=11,"));
  CHECK(files.files["a.sarif"].find("\"version\": \"2.1.0\"") != std::string::npos);
}

TEST_CASE("two reports to stdout, or an --output before its --format, are usage errors") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = kBad;
  const Run two = lint(files, {"--format", "json", "--format", "text", "a.yaml"});
  CHECK(two.status == 2);
  CHECK(two.err == "trainjobc: only one report can go to standard output: give the others an --output\n");
  const Run early = lint(files, {"--output", "x", "--format", "json", "a.yaml"});
  CHECK(early.status == 2);
  CHECK(early.err == "trainjobc: --output belongs behind the --format that it is for\n");
}

TEST_CASE("--fail-on") {
  base::MemoryFileSystem files;
  std::string warned = kBad;
  warned.replace(warned.find("yes}"), 3, "\"1\"");
  warned += "    image: registry.example.com/train:latest\n";
  files.files["a.yaml"] = warned;
  CHECK(lint(files, {"a.yaml"}).status == 0);
  CHECK(lint(files, {"--fail-on", "warning", "a.yaml"}).status == 1);
  CHECK(lint(files, {"--fail-on", "never", "a.yaml"}).status == 0);
  files.files["a.yaml"] = kBad;
  CHECK(lint(files, {"--fail-on", "never", "a.yaml"}).status == 0);
}

TEST_CASE("--explain") {
  base::MemoryFileSystem files;
  const Run known = lint(files, {"--explain", "input/unknown-field"});
  CHECK(known.status == 0);
  CHECK(known.out.starts_with("input/unknown-field (error, stage input)\n"));
  const Run unknown = lint(files, {"--explain", "input/unknown-feild"});
  CHECK(unknown.status == 2);
  CHECK(unknown.err ==
        "trainjobc: there is no rule \"input/unknown-feild\", did you mean \"input/unknown-field\"?\n");
}

TEST_CASE("an API version that never was is refused with its fix") {
  base::MemoryFileSystem files;
  std::string old = kBad;
  old.replace(old.find("trainer.kubeflow.org/v1alpha1"), 29, "trainer.kubeflow.org/v2");
  files.files["a.yaml"] = old;
  const Run run = lint(files, {"a.yaml"});
  CHECK(run.status == 1);
  CHECK(run.out ==
        "a.yaml:2:13: error: Trainer has no API version \"trainer.kubeflow.org/v2\" [input/unknown-kind]\n"
        "    2 | apiVersion: trainer.kubeflow.org/v2\n"
        "      |             ^~~~~~~~~~~~~~~~~~~~~~~ write trainer.kubeflow.org/v1alpha1\n\n"
        "1 finding (1 error) in 1 of 1 file; 1 can be fixed with --fix\n");
}
