// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/test_console.h"

namespace trainjobc::cli_lint_test {
namespace {

constexpr const char* kBad =
    "# a job\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name:   one   # spaces "
    "stay\nspec:\n"
    "  runtimeRef:\n    name: torch-distributed\n  trainer:\n    command: [torchrun, a.py]\n    env:\n    - "
    "{name: DEBUG, value: yes}\n";

using test::lint;
using test::Run;

}  // namespace

TEST_CASE("if an error or --job prevents advice, its suppression is not unused") {
  const auto job = [](const std::string& name, const std::string& trainer) {
    return "---\n# trainjobc:ignore advice/image-tag -- moves with the branch\n"
           "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: " +
           name + "}\nspec:\n  runtimeRef: {name: torch-distributed}\n  trainer: {" + trainer + "}\n";
  };
  const auto unused = [&](std::vector<std::string> arguments, const std::string& text) {
    base::MemoryFileSystem files;
    files.files["a.yaml"] = text;
    arguments.insert(arguments.end(), {"--format", "text", "a.yaml"});
    const std::string out = lint(files, std::move(arguments)).out;
    std::string lines;
    for (size_t at = out.find("a.yaml:"); at != std::string::npos; at = out.find("a.yaml:", at + 1)) {
      const std::string line = out.substr(at, out.find('\n', at) - at);
      if (line.ends_with("[advice/unused-suppression]")) lines += line.substr(0, line.find(": ")) + "\n";
    }
    return lines;
  };
  const std::string good = job("one", "image: \"a/b:1\"");
  CHECK(unused({}, good + job("two", "image: \"a/b:1\"")) == "a.yaml:2:1\na.yaml:10:1\n");
  CHECK(unused({}, good + job("two", "imag: x")) == "a.yaml:2:1\n");
  CHECK(unused({"--job", "two"}, good + job("two", "image: \"a/b:1\"")) == "a.yaml:10:1\n");
  CHECK(unused({}, good + "---\na: [\n") == "");

  // What is found in a runtime is found while its jobs are looked at.
  const std::string runtime =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n  name: "
      "torch-distributed\n  labels: {trainer.kubeflow.org/framework: torch}\nspec:\n  mlPolicy: {torch: {}}\n"
      "  template: {spec: {replicatedJobs: [{name: node, template: {metadata: {labels: "
      "{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: {containers: "
      "[{name: node, image: \"a/b:1\"}]}}}}}]}} # trainjobc:ignore advice/image-tag -- known\n";
  const std::string user =
      "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: user}\nspec: "
      "{runtimeRef: {name: torch-distributed}}\n";
  CHECK(unused({}, runtime + user) == R"(a.yaml:8:214
)");
  CHECK(unused({}, runtime) == "");
  CHECK(unused({}, runtime + user + job("two", "imag: x")) == "");
}

TEST_CASE("lint --fix --diff shows the fix and changes nothing") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = kBad;
  const Run run = lint(files, {"--fix", "--diff", "a.yaml"});
  CHECK(run.status == 1);
  CHECK(run.out ==
        "--- a.yaml\n+++ a.yaml\n@@ -9,4 +9,4 @@\n   trainer:\n     command: [torchrun, a.py]\n     env:\n"
        "-    - {name: DEBUG, value: yes}\n+    - {name: DEBUG, value: \"yes\"}\n");
  CHECK(files.files["a.yaml"] == kBad);
}

TEST_CASE("lint --fix --diff: what is left is on stderr and decides the status") {
  const std::string text =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec:\n  runtimeRef: "
      "{name: ours}\n  trainer: {command: [torchrun, t.py]}\n";
  base::MemoryFileSystem files;
  files.files["a.yaml"] = text;
  const Run left = lint(files, {"--fix=all", "--diff", "a.yaml"});
  CHECK(left.status == 1);
  CHECK(left.out == "");
  CHECK(left.err == R"(a.yaml:5:22: error: there is no ClusterTrainingRuntime "ours" [input/missing-runtime]
    5 |   runtimeRef: {name: ours}
      |                      ^~~~ add it to the inputs, or pass its file or folder with --runtimes

1 finding (1 error) in 1 of 1 file
)");
  CHECK(lint(files, {"--fix=all", "--diff", "--fail-on", "never", "a.yaml"}).status == 0);
}

TEST_CASE("lint --fix changes only the token, and reports what is left") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = kBad;
  const Run run = lint(files, {"--fix", "a.yaml"});
  CHECK(run.status == 0);
  CHECK(run.err == "1 fixed\n1 job: no findings\n");
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

TEST_CASE("lint --fix: existing but empty limits and labels are filled, not written twice") {
  const std::string job =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: one}\nspec:\n"
      "  runtimeRef: {name: torch-distributed}\n  trainer:\n    image: a/b:1\n";
  const std::string runtime =
      "  name: rt\nspec:\n  mlPolicy: {torch: {}}\n  template: {spec: {replicatedJobs: [{name: node, "
      "template: "
      "{metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: "
      "{containers: [{name: node, image: a/b:1}]}}}}}]}}\n";
  const std::string head =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n";
  const auto fixed = [](const std::string& before, const std::string& middle, const std::string& after) {
    base::MemoryFileSystem files;
    files.files["a.yaml"] = before + middle + after;
    const Run run = lint(files, {"--fix", "a.yaml"});
    const bool is_job = before.find("kind: TrainJob") != std::string::npos;
    CHECK(run.err == std::string("1 fixed\n1 ") + (is_job ? "job" : "runtime") + ": no findings\n");
    CHECK(run.out == "");
    const std::string once = files.files["a.yaml"];
    lint(files, {"--fix", "a.yaml"});
    CHECK(files.files["a.yaml"] == once);
    return once.substr(before.size(), once.size() - before.size() - after.size());
  };
  const std::string requests = "      requests:\n        nvidia.com/gpu: 4\n";
  const std::string filled = "      limits: {nvidia.com/gpu: 4}\n";
  for (const std::string nothing : {"", " ~", " null", " {}"}) {
    CAPTURE(nothing);
    const std::string limits = "      limits:" + nothing + "\n";
    const std::string resources = "    resourcesPerNode:\n";
    CHECK(fixed(job, resources + limits + requests, "") == resources + filled + requests);
    CHECK(fixed(job, resources + requests + limits, "") == resources + requests + filled);
    CHECK(fixed(job, resources + requests + "      limits:" + nothing + "  # none\n", "") ==
          resources + requests + "      limits: {nvidia.com/gpu: 4}  # none\n");
    CHECK(fixed(head, "  labels:" + nothing + "\n", runtime) ==
          "  labels: {trainer.kubeflow.org/framework: torch}\n");
    if (nothing.empty()) continue;  // no YAML in brackets
    CHECK(fixed(job, "    resourcesPerNode: {requests: {nvidia.com/gpu: 4}, limits:" + nothing + "}\n", "") ==
          "    resourcesPerNode: {requests: {nvidia.com/gpu: 4}, limits: {nvidia.com/gpu: 4}}\n");
    CHECK(fixed(job, "    resourcesPerNode: {limits:" + nothing + ", requests: {nvidia.com/gpu: 4}}\n", "") ==
          "    resourcesPerNode: {limits: {nvidia.com/gpu: 4}, requests: {nvidia.com/gpu: 4}}\n");
  }
  CHECK(fixed(job, "    resourcesPerNode: {\"limits\": null, \"requests\": {\"nvidia.com/gpu\": 4}}\n", "") ==
        "    resourcesPerNode: {\"limits\": {\"nvidia.com/gpu\": \"4\"}, \"requests\": {\"nvidia.com/gpu\": "
        "4}}\n");
}

TEST_CASE("lint --fix applies no fix that would break the file, and no longer offers it") {
  const std::string job =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: one}\nspec:\n"
      "  runtimeRef: {name: torch-distributed}\n  trainer:\n    image: a/b:1\n"
      "    resourcesPerNode:\n      requests: {nvidia.com/gpu: 4}\n      limits:\n        ~\n";
  base::MemoryFileSystem files;
  files.files["a.yaml"] = job;
  const Run run = lint(files, {"--fix", "a.yaml"});
  CHECK(run.status == 1);
  CHECK(run.err == "");
  CHECK(run.out == R"(a.yaml:9:18: error: nvidia.com/gpu is requested without a limit [job/gpu-limit]
    9 |       requests: {nvidia.com/gpu: 4}
      |                  ^~~~~~~~~~~~~~ extended resources need an equal limit; add limits: {nvidia.com/gpu: 4}

1 finding (1 error) in 1 of 1 file
)");
  CHECK(files.files["a.yaml"] == job);
}

TEST_CASE("lint --fix changes only files among the inputs") {
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
  CHECK(run.out == R"(rt.yaml:6:226: error: amd.com/gpu is requested without a limit [job/gpu-limit]
    6 |   template: {spec: {replicatedJobs: [{name: node, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: {containers: [{name: node, image: a/b:1, resources: {requests: {amd.com/gpu: 2}}}]}}}}}]}}
      |                                                                                                                                                                                                                                  ^~~~~~~~~~~ extended resources need an equal limit; add limits: {amd.com/gpu: 2}

1 finding (1 error) in 1 of 2 files
)");
  CHECK(files.files["rt.yaml"] == runtime);
}

TEST_CASE("lint --fix does not take standard input") {
  base::MemoryFileSystem files;
  test::TestConsole console(files);
  console.in = kBad;
  CHECK(cli::run({"lint", "--no-config", "--fix", "-"}, console) == 2);
  CHECK(console.out == "");
  CHECK(console.err == "trainjobc: --fix can't write to standard input: --fix --diff shows the changes\n");
}

TEST_CASE("reports go to their files, one to stdout") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = kBad;
  const Run run = lint(files, {"--format", "sarif", "--output", "a.sarif", "--format", "github", "a.yaml"});
  CHECK(run.status == 1);
  CHECK(
      run.out ==
      R"(::error file=a.yaml,line=12,endLine=12,col=28,endColumn=31,title=input/type::spec.trainer.env[0].value must be a string, not the boolean true; quote it: "yes"
)");
  CHECK(files.files["a.sarif"] == lint(files, {"--format", "sarif", "a.yaml"}).out);
}

TEST_CASE("two reports to stdout, or an --output-file before its --format, are usage errors") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = kBad;
  const Run two = lint(files, {"--format", "json", "--format", "text", "a.yaml"});
  CHECK(two.status == 2);
  CHECK(two.err ==
        "trainjobc: only one report can go to standard output: give the others an --output-file\n");
  const Run early = lint(files, {"--output", "x", "--format", "json", "a.yaml"});
  CHECK(early.status == 2);
  CHECK(early.err == "trainjobc: --output-file must follow its --format\n");
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

TEST_CASE("--explain: the part of an id after its slash finds the rules that have it") {
  base::MemoryFileSystem files;
  const Run both = lint(files, {"--explain", "gpu-limit"});
  CHECK(both.status == 0);
  CHECK(both.out == lint(files, {"--explain", "advice/gpu-limit"}).out + "\n" +
                        lint(files, {"--explain", "job/gpu-limit"}).out);
  CHECK(lint(files, {"--explain", "unknown-field"}).out ==
        lint(files, {"--explain", "input/unknown-field"}).out);
  const Run unknown = lint(files, {"--explain", "gpu-limt"});
  CHECK(unknown.status == 2);
  CHECK(unknown.err == "trainjobc: there is no rule \"gpu-limt\", did you mean \"advice/gpu-limit\"?\n");
}

TEST_CASE("--explain") {
  base::MemoryFileSystem files;
  const Run known = lint(files, {"--explain", "input/unknown-field"});
  CHECK(known.status == 0);
  CHECK(known.out == R"(input/unknown-field (error, stage input)
The field does not exist in this kind

kubectl and strict clients refuse unknown fields; lenient clients drop them, so
a setting is silently lost. Either the name is misspelt, or the field is at the
wrong level, or it belongs to another version of Trainer: overrides are
podSpecOverrides in 2.0, podTemplateOverrides in 2.1 and runtimePatches since
2.2.
)");
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
        "a.yaml:12:28: error: spec.trainer.env[0].value must be a string, not the boolean true [input/type]\n"
        "   12 |     - {name: DEBUG, value: yes}\n"
        "      |                            ^~~ quote it: \"yes\"\n"
        "\n"
        "2 findings (2 errors) in 1 of 1 file; 2 fixable with --fix\n");
}

namespace {

// Somebody writes to each file right after it was read.
class EditedFiles final : public base::FileSystem {
 public:
  mutable base::MemoryFileSystem memory;

  base::FileKind kind(const std::string& path) const override { return memory.kind(path); }
  base::IoResult<std::string> read(const std::string& path) const override {
    auto text = memory.read(path);
    memory.files[path] += "# edited\n";
    return text;
  }
  base::IoResult<std::vector<base::DirectoryEntry>> list(const std::string& path) const override {
    return memory.list(path);
  }
  std::optional<base::IoError> write(const std::string& path, std::string_view text, unsigned mode) override {
    return memory.write(path, text, mode);
  }
  std::optional<base::IoError> replace(const std::string& path, std::string_view old_text,
                                       std::string_view text) override {
    return memory.replace(path, old_text, text);
  }
  bool stays_inside(const std::string& directory, const std::string& path) const override {
    return memory.stays_inside(directory, path);
  }
  std::optional<base::IoError> remove(const std::string& path) override { return memory.remove(path); }
  std::optional<base::IoError> make_directory(const std::string& path) override {
    return memory.make_directory(path);
  }
};

}  // namespace

TEST_CASE("a placeholder that the cluster would store is no unrendered template, for lint as for render") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: r}
spec:
  template:
    metadata: {annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: "${X}"}}
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node, image: "r.example.com/t:1", command: [python, t.py]}]}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec: {runtimeRef: {name: r}}
)";
  CHECK(
      test::lint(files, {"a.yaml"}).out ==
      R"(a.yaml:3:18: warning: runtime "r" has no label trainer.kubeflow.org/framework: the Kubeflow SDK ignores it [advice/framework-label]
    3 | metadata: {name: r}
      |                  ^ add trainer.kubeflow.org/framework with the framework, such as mpi or deepspeed

a.yaml:6:75: error: no pod is created: the topology "${X}" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit [advice/exclusive-topology]
    6 |     metadata: {annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: "${X}"}}
      |                                                                           ^~~~~~ pipe in its rendered output: envsubst < FILE | trainjobc lint -

2 findings (1 error, 1 warning) in 1 of 1 file
)");
  const Run rendered = test::run(files, {"render", "--no-config", "-o", "name", "a.yaml"});
  CHECK(rendered.status == 0);
  CHECK(rendered.out == "jobset.jobset.x-k8s.io/a\n");
  CHECK(rendered.err == "");
}

TEST_CASE("lint --fix leaves a file that was changed in the meantime") {
  EditedFiles files;
  files.memory.files["a.yaml"] = kBad;
  test::TestConsole console(files);
  CHECK(cli::run({"lint", "--no-config", "--fix", "a.yaml"}, console) == 2);
  CHECK(console.err ==
        "trainjobc: write a.yaml: the file has changed since it was read and was left unchanged\n");
  CHECK(files.memory.files["a.yaml"] == std::string(kBad) + "# edited\n");
}

}  // namespace trainjobc::cli_lint_test
