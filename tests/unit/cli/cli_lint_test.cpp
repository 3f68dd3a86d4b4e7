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

namespace {

std::string job_with(const std::string& name, const std::string& trainer,
                     const std::string& runtime = "torch-distributed") {
  return "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: " + name +
         "}\nspec:\n  runtimeRef: {name: " + runtime + "}\n  trainer:\n    image: r.io/a:1\n" + trainer;
}

constexpr const char* kSecretEnv = "    env: [{name: HF_TOKEN, value: hf_abcdefghij0123456789abcd}]\n";
constexpr const char* kCommand = "    command: [torchrun, a.py]\n";

}  // namespace

TEST_CASE("lint: a typo does not hide the findings that don't depend on it") {
  base::MemoryFileSystem files;
  const auto said = [&](const std::string& text) {
    files.files["a.yaml"] = text;
    return lint(files, {"a.yaml"}).out;
  };
  // With a suggestion: what is found without the field and with the field that was meant.
  CHECK(
      said(job_with("one", kCommand + std::string(kSecretEnv) +
                               "    numNode: 2\n    resourcesPerNode: {requests: {nvidia.com/gpu: 1}}\n")) ==
      R"(a.yaml:10:18: warning: HF_TOKEN looks like a Hugging Face token and is in plain text here [advice/plain-secret]
  hint: take it from a Secret: valueFrom: {secretKeyRef: {name: …, key: …}}

a.yaml:11:5: error: unknown field "numNode" in spec.trainer [input/unknown-field]
   11 |     numNode: 2
      |     ^~~~~~~ did you mean "numNodes"?

a.yaml:12:35: error: nvidia.com/gpu is requested without a limit [job/gpu-limit]
   12 |     resourcesPerNode: {requests: {nvidia.com/gpu: 1}}
      |                                   ^~~~~~~~~~~~~~ extended resources need an equal limit; add limits: {nvidia.com/gpu: 1}

3 findings (2 errors, 1 warning) in 1 of 1 file; 1 fixable with --fix, 1 more with --fix=all
)");
  // Without one: what is found in one value alone.
  CHECK(
      said(job_with("one", kCommand + std::string(kSecretEnv) + "    pods: 2\n")) ==
      R"(a.yaml:10:18: warning: HF_TOKEN looks like a Hugging Face token and is in plain text here [advice/plain-secret]
  hint: take it from a Secret: valueFrom: {secretKeyRef: {name: …, key: …}}

a.yaml:11:5: error: unknown field "pods" in spec.trainer [input/unknown-field]
   11 |     pods: 2
      |     ^~~~ its fields are args, command, env, image, numNodes, numProcPerNode, resourcesPerNode

2 findings (1 error, 1 warning) in 1 of 1 file
)");
  CHECK(
      said(job_with("one", kCommand + std::string(kSecretEnv) + "    numNodes: two\n")) ==
      R"(a.yaml:10:18: warning: HF_TOKEN looks like a Hugging Face token and is in plain text here [advice/plain-secret]
  hint: take it from a Secret: valueFrom: {secretKeyRef: {name: …, key: …}}

a.yaml:11:15: error: spec.trainer.numNodes must be an integer, not the string "two" [input/type]
   11 |     numNodes: two
      |               ^~~

2 findings (1 error, 1 warning) in 1 of 1 file
)");
  // A number of nodes that is misspelt says nothing about the command's.
  CHECK(said(job_with("one", "    command: [torchrun, --nnodes=4, a.py]\n    numNode: 4\n")) ==
        R"(a.yaml:10:5: error: unknown field "numNode" in spec.trainer [input/unknown-field]
   10 |     numNode: 4
      |     ^~~~~~~ did you mean "numNodes"?

1 finding (1 error) in 1 of 1 file; 1 fixable with --fix=all
)");
  CHECK(said(job_with("one", kCommand + std::string(kSecretEnv), "torch-distribted")) ==
        R"(a.yaml:6:22: error: there is no ClusterTrainingRuntime "torch-distribted" [input/missing-runtime]
    6 |   runtimeRef: {name: torch-distribted}
      |                      ^~~~~~~~~~~~~~~~ did you mean "torch-distributed"? Or add it to the inputs, or pass its file or folder with --runtimes

a.yaml:10:18: warning: HF_TOKEN looks like a Hugging Face token and is in plain text here [advice/plain-secret]
  hint: take it from a Secret: valueFrom: {secretKeyRef: {name: …, key: …}}

2 findings (1 error, 1 warning) in 1 of 1 file; 1 fixable with --fix=all
)");
}

TEST_CASE(
    "lint: a typo in a runtime does not hide the findings of its jobs, and those not checked are counted") {
  base::MemoryFileSystem files;
  files.files["runtime.yaml"] =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n  name: mine\n"
      "  labels: {trainer.kubeflow.org/framework: torch}\nspec:\n  mlPolicy: {torch: {}, numNode: 2}\n"
      "  template: {spec: {replicatedJobs: [{name: node, template: {metadata: {labels: "
      "{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: {containers: "
      "[{name: node, image: a/b}]}}}}}]}}\n";
  files.files["jobs.yaml"] = job_with("one", kCommand + std::string(kSecretEnv), "mine") +
                             job_with("two", kCommand, "mine") + job_with("other", kCommand);
  const Run run = lint(files, {"jobs.yaml", "runtime.yaml"});
  CHECK(
      run.out ==
      R"(jobs.yaml:10:18: warning: HF_TOKEN looks like a Hugging Face token and is in plain text here [advice/plain-secret]
  hint: take it from a Secret: valueFrom: {secretKeyRef: {name: …, key: …}}

runtime.yaml:7:25: error: unknown field "numNode" in spec.mlPolicy [input/unknown-field]
    7 |   mlPolicy: {torch: {}, numNode: 2}
      |                         ^~~~~~~ did you mean "numNodes"?

runtime.yaml:8:196: warning: image "a/b" has no tag: every pull gets whatever is "latest" at that moment [advice/image-tag]
    8 |   template: {spec: {replicatedJobs: [{name: node, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: {containers: [{name: node, image: a/b}]}}}}}]}}
      |                                                                                                                                                                                                    ^~~ pin a version or a digest

3 findings (1 error, 2 warnings) in 2 of 2 files; 1 fixable with --fix=all; 2 jobs not checked
)");
  CHECK(run.status == 1);
  const std::string json = lint(files, {"jobs.yaml", "runtime.yaml", "--format", "json"}).out;
  CHECK(json.substr(0, json.find("\"diagnostics\"")) == "{\n  \"version\": 1,\n  \"jobsNotChecked\": 2,\n  ");
}

TEST_CASE("lint --baseline: what is known is not reported, what is new fails, what is gone is said") {
  base::MemoryFileSystem files;
  const std::string old_job = job_with("old", kCommand + std::string(kSecretEnv) + "    numNode: 2\n");
  files.files["jobs/a.yaml"] = old_job;
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"jobs", "--baseline", "lint/known.json"});
    return lint(files, std::move(arguments));
  };
  CHECK(run({}).err == "trainjobc: there is no baseline lint/known.json: --write-baseline writes it\n");
  CHECK(run({"--write-baseline"}).err == R"(note: wrote 2 findings to lint/known.json
)");
  CHECK(files.files["lint/known.json"] == R"({
  "version": 1,
  "findings": [
    {
      "file": "../jobs/a.yaml",
      "rule": "advice/plain-secret",
      "object": "TrainJob/default/old",
      "field": "spec.trainer.env[].value",
      "message": "HF_TOKEN looks like a Hugging Face token and is in plain text here"
    },
    {
      "file": "../jobs/a.yaml",
      "rule": "input/unknown-field",
      "object": "TrainJob/default/old",
      "field": "spec.trainer.numNode",
      "message": "unknown field \"numNode\" in spec.trainer"
    }
  ]
}
)");
  const Run known = run({});
  CHECK(known.out == "");
  CHECK(known.err == R"(note: 2 findings in lint/known.json are not shown
1 job: no new findings
)");
  CHECK(known.status == 0);
  // Lines move, and the file gets another name.
  files.files.erase("jobs/a.yaml");
  files.files["jobs/b.yaml"] = "# moved\n" + old_job;
  CHECK(run({}).status == 0);
  files.files["jobs/b.yaml"] += job_with("new", kCommand + std::string("    numNode: 2\n"));
  const Run fresh = run({});
  CHECK(fresh.out == R"(jobs/b.yaml:22:5: error: unknown field "numNode" in spec.trainer [input/unknown-field]
   22 |     numNode: 2
      |     ^~~~~~~ did you mean "numNodes"?

1 finding (1 error) in 1 of 1 file; 1 fixable with --fix=all
)");
  CHECK(fresh.status == 1);
  files.files["jobs/b.yaml"] = job_with("old", kCommand + std::string("    numNode: 2\n"));
  CHECK(run({}).err == R"(note: 1 finding in lint/known.json is not shown
note: 1 finding in lint/known.json is gone: --write-baseline removes it
    ../jobs/a.yaml: HF_TOKEN looks like a Hugging Face token and is in plain text here [advice/plain-secret]
1 job: no new findings
)");
  CHECK(run({"--write-baseline"}).err == R"(note: wrote 1 finding to lint/known.json: 0 new, 1 gone
)");
  CHECK(run({}).err == R"(note: 1 finding in lint/known.json is not shown
1 job: no new findings
)");
  files.files["lint/known.json"] = "{\"version\": 2}";
  CHECK(run({}).err ==
        R"(lint/known.json:1:1: error: this is not a baseline that this trainjobc can read [config/invalid]
    1 | {"version": 2}
      | ^ write a new one with --write-baseline
)");
  CHECK(run({"--write-baseline", "--fix"}).status == 2);
}

TEST_CASE("lint --baseline: what a refused object hides is not gone") {
  base::MemoryFileSystem files;
  const std::string suspended = kCommand + std::string("  suspend: true\n");
  files.files["a.yaml"] = job_with("a", suspended);
  const std::vector<std::string> arguments{"a.yaml", "--baseline", "known.json"};
  const auto write = [&] {
    std::vector<std::string> all = arguments;
    all.push_back("--write-baseline");
    return lint(files, all).err;
  };
  CHECK(write() == "note: wrote 1 finding to known.json\n");
  std::string refused = files.files["a.yaml"];
  refused.replace(refused.find("torch-distributed"), 17, "no-such-runtime");
  files.files["a.yaml"] = refused;
  CHECK(lint(files, arguments).err.find("gone") == std::string::npos);
  CHECK(write() == "note: wrote 2 findings to known.json: 1 new, 0 gone\n");
  files.files["a.yaml"] = job_with("a", suspended);
  CHECK(lint(files, arguments).err == R"(note: 1 finding in known.json is not shown
note: 1 finding in known.json is gone: --write-baseline removes it
    a.yaml: there is no ClusterTrainingRuntime "no-such-runtime" [input/missing-runtime]
1 job: no new findings
)");
}

TEST_CASE("lint: advice/queue is silent where queues are known, and said once where there are none") {
  base::MemoryFileSystem files;
  const auto queued = [](const std::string& name, const std::string& ns) {
    return "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: " + name +
           ", namespace: " + ns +
           ", labels: {kueue.x-k8s.io/queue-name: gpus}}\nspec:\n  runtimeRef: {name: torch-distributed}\n"
           "  trainer: {image: r.io/a:1, command: [torchrun, a.py]}\n";
  };
  files.files["a.yaml"] = queued("one", "team-a") + queued("two", "team-a") + queued("three", "team-b");
  CHECK(
      lint(files, {"a.yaml"}).out ==
      R"(a.yaml:4:78: info: the cluster must have the Kueue LocalQueue "gpus" in namespace "team-a", which can't be checked here [advice/queue]
    4 | metadata: {name: one, namespace: team-a, labels: {kueue.x-k8s.io/queue-name: gpus}}
      |                                                                              ^~~~
  note: the same for 2 other jobs

1 finding (1 info) in 1 of 1 file
)");
  files.files["q.yaml"] =
      "apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: {name: gpus, namespace: team-a}\n";
  CHECK(
      lint(files, {"a.yaml", "q.yaml"}).out ==
      R"(a.yaml:18:80: info: the cluster must have the Kueue LocalQueue "gpus" in namespace "team-b", which can't be checked here [advice/queue]
   18 | metadata: {name: three, namespace: team-b, labels: {kueue.x-k8s.io/queue-name: gpus}}
      |                                                                                ^~~~

1 finding (1 info) in 1 of 2 files
)");
  // Another queue may be defined elsewhere; one with a similar name was hardly meant to be.
  files.files["q.yaml"] =
      "apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: {name: gpsu, namespace: team-a}\n---\n"
      "apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: {name: cpu-only, namespace: team-b}\n";
  CHECK(lint(files, {"a.yaml", "q.yaml"}).out ==
        R"(a.yaml:4:78: info: the inputs have no LocalQueue "gpus" in namespace "team-a" [advice/queue]
    4 | metadata: {name: one, namespace: team-a, labels: {kueue.x-k8s.io/queue-name: gpus}}
      |                                                                              ^~~~ did you mean "gpsu"?
  note: the same for 1 other job

1 finding (1 info) in 1 of 2 files
)");
}

TEST_CASE("lint: the first line is enough to mend it") {
  base::MemoryFileSystem files;
  const auto said = [&](const std::string& text) {
    files.files["a.yaml"] = text;
    return lint(files, {"a.yaml"}).out;
  };
  const std::string head =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec:\n";
  const std::string ref = "  runtimeRef: {name: torch-distributed}\n";
  CHECK(
      said("apiVersion: trainer.kubeflow.org/v1alpha1\nkind: PyTorchJob\nmetadata: {name: a}\nspec:\n" +
           ref) ==
      R"(a.yaml:2:7: error: Trainer has no kind "PyTorchJob": its jobs are TrainJobs, whose runtime says which framework they use [input/unknown-kind]
    2 | kind: PyTorchJob
      |       ^~~~~~~~~~ write kind: TrainJob

1 finding (1 error) in 1 of 1 file; 1 fixable with --fix=all
)");
  CHECK(
      said("apiVersion: trainer.kubeflow.org/v1alpha1\nkind: PyTorchJob\nmetadata: {name: a}\nspec: "
           "{pytorchReplicaSpecs: {}}\n") ==
      R"(a.yaml:2:7: error: Trainer has no kind "PyTorchJob": this is a job of Training Operator v1, whose apiVersion is kubeflow.org/v1 [input/unknown-kind]
    2 | kind: PyTorchJob
      |       ^~~~~~~~~~ write apiVersion: kubeflow.org/v1; trainjobc migrate then converts it

1 finding (1 error) in 1 of 1 file
)");
  CHECK(
      said(head + ref + "  trainer: {resources: {limits: {nvidia.com/gpu: 1}}}\n") ==
      R"(a.yaml:6:3: warning: nothing trains: neither the job nor its runtime has a command, and image "pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime" only opens a shell or an interpreter [advice/no-command]
    6 |   trainer: {resources: {limits: {nvidia.com/gpu: 1}}}
      |   ^~~~~~~ add a command: [torchrun, train.py]

a.yaml:6:13: error: unknown field "resources" in spec.trainer [input/unknown-field]
    6 |   trainer: {resources: {limits: {nvidia.com/gpu: 1}}}
      |             ^~~~~~~~~ did you mean "resourcesPerNode"?

2 findings (1 error, 1 warning) in 1 of 1 file; 1 fixable with --fix=all
)");
  CHECK(
      said(head + "  runtimeRef: {name: torch-distributed, namespace: team-a}\n  trainer: {}\n") ==
      R"(a.yaml:5:41: error: unknown field "namespace" in spec.runtimeRef: a TrainingRuntime is taken from the job's own namespace [input/unknown-field]
    5 |   runtimeRef: {name: torch-distributed, namespace: team-a}
      |                                         ^~~~~~~~~ remove it; with kind: TrainingRuntime, the job's namespace is that of the runtime

1 finding (1 error) in 1 of 1 file
)");
  CHECK(
      said(head + ref + "  trainer: {volumes: [], volumeMounts: []}\n") ==
      R"(a.yaml:6:13: error: unknown field "volumes" in spec.trainer: a job sets it in spec.runtimePatches [input/unknown-field]
    6 |   trainer: {volumes: [], volumeMounts: []}
      |             ^~~~~~~ write it in spec.runtimePatches[].trainingRuntimeSpec.template.spec.replicatedJobs[].template.spec.template.spec

a.yaml:6:26: error: unknown field "volumeMounts" in spec.trainer: a job sets it in spec.runtimePatches [input/unknown-field]
    6 |   trainer: {volumes: [], volumeMounts: []}
      |                          ^~~~~~~~~~~~ write it in spec.runtimePatches[].trainingRuntimeSpec.template.spec.replicatedJobs[].template.spec.template.spec.containers[]

2 findings (2 errors) in 1 of 1 file
)");
  CHECK(
      said(head + ref + "  trainer: {}\n  mlPolicy: {numNodes: 2}\n") ==
      R"(a.yaml:7:3: error: unknown field "mlPolicy" in spec: it is a field of runtimes, not of jobs [input/unknown-field]
    7 |   mlPolicy: {numNodes: 2}
      |   ^~~~~~~~ set numNodes and numProcPerNode in spec.trainer, and the rest in the runtime

1 finding (1 error) in 1 of 1 file
)");
  CHECK(said(head + ref +
             "  trainer:\n<<<<<<< HEAD\n    numNodes: 2\n=======\n    numNodes: 4\n>>>>>>> other\n") ==
        R"(a.yaml:7:1: error: this is a merge conflict that nobody has resolved [yaml/syntax]
    7 | <<<<<<< HEAD
      | ^~~~~~~~~~~~ keep one of the two texts, and remove the lines of <, = and >

1 finding (1 error) in 1 of 1 file
)");
  CHECK(said("apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: " +
             std::string(64, 'a') + "}\nspec:\n" + ref + "  trainer: {}\n") ==
        R"(a.yaml:3:18: error: metadata.name has 64 characters, at most 63 are allowed [input/cel]
    3 | metadata: {name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}
      |                  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ with 48 of them, the names of pods fit, too, which add -node-0-0-xxxxx

1 finding (1 error) in 1 of 1 file
)");
  CHECK(
      said(head + ref +
           "  trainer: {}\n  podTemplateOverrides: [{targetJobs: [{name: node}], spec: {}}]\n") ==
      R"(a.yaml:6:3: warning: nothing trains: neither the job nor its runtime has a command, and image "pytorch/pytorch:2.7.1-cuda12.8-cudnn9-runtime" only opens a shell or an interpreter [advice/no-command]
    6 |   trainer: {}
      |   ^~~~~~~ add a command: [torchrun, train.py]

a.yaml:7:3: info: compiled for Trainer 2.1: spec.podTemplateOverrides exists only in 2.1; Trainer 2.3 has runtimePatches instead [advice/trainer-version]
    7 |   podTemplateOverrides: [{targetJobs: [{name: node}], spec: {}}]
      |   ^~~~~~~~~~~~~~~~~~~~ trainjobc migrate --to 2.3 converts it; pin with --trainer-version 2.1 if the cluster runs that

2 findings (1 warning, 1 info) in 1 of 1 file
)");
}

}  // namespace trainjobc::cli_lint_test
