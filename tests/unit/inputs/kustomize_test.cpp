// SPDX-License-Identifier: Apache-2.0

// What kustomize itself makes of such folders is shown with the real one in
// tests/integrations/kustomize_test.py.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "inputs/kustomize/checks.h"
#include "inputs/kustomize/kustomization.h"
#include "schema/schema.h"
#include "support/test_console.h"

namespace trainjobc::kustomize_test {
namespace {

using test::Run;
using test::TestConsole;

constexpr const char* kJob =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: bert\nspec:\n"
    "  runtimeRef:\n    name: torch-distributed\n  trainer:\n    image: ghcr.io/team/bert:1.0\n"
    "    command: [torchrun, train.py]\n    numNodes: 1\n    env:\n    - name: LR\n      value: a\n";

// kustomize, or kubectl, that has built these folders.
class Programs final : public base::ProcessRunner {
 public:
  std::string program = "kustomize";
  std::string version = "v5.8.1\n";
  std::map<std::string, std::string> built;
  std::vector<std::vector<std::string>> calls;

  base::IoResult<base::ProcessResult> run(const base::ProcessRequest& request) override {
    if (request.argv[0] != program) return base::io_error("run", request.argv[0], ENOENT);
    calls.push_back(request.argv);
    if (request.argv[1] == "version") return base::ProcessResult{0, version, ""};
    const auto found = built.find(request.argv[2]);
    if (found == built.end())
      return base::ProcessResult{1, "", "Error: accumulating resources:\n no such file\n"};
    return base::ProcessResult{0, found->second, ""};
  }
};

struct Folder {
  base::MemoryFileSystem files;
  Programs programs;

  Folder() {
    files.files["base/job.yaml"] = kJob;
    files.files["base/kustomization.yaml"] = "resources: [job.yaml]\n";
    files.files["overlays/prod/kustomization.yaml"] =
        "resources: [../../base]\npatches:\n- path: nodes.yaml\n";
    files.files["overlays/prod/nodes.yaml"] =
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: bert}\nspec:\n"
        "  trainer:\n    numNodes: 4\n    numProcPerNod: 8\n";
    programs.built["overlays/prod"] = patched("numNodes: 1", "numNodes: 4\n    numProcPerNod: 8");
  }

  static std::string patched(const std::string& from, const std::string& to) {
    std::string text = kJob;
    return text.replace(text.find(from), from.size(), to);
  }

  Run run(const std::vector<std::string>& arguments) {
    TestConsole console(files);
    console.programs = &programs;
    const int status = cli::run(arguments, console);
    return {status, console.out, console.err};
  }
};

constexpr const char* kUnknownField =
    "overlays/prod/nodes.yaml:7:5: error: unknown field \"numProcPerNod\" in spec.trainer "
    "[input/unknown-field]\n"
    "    7 |     numProcPerNod: 8\n"
    "      |     ^~~~~~~~~~~~~ did you mean \"numProcPerNode\"?\n\n";

}  // namespace

TEST_CASE("kustomize: -k builds a root; findings are where the value is written") {
  Folder folder;
  Run run = folder.run({"lint", "-k", "overlays/prod"});
  CHECK(run.out ==
        kUnknownField + std::string("1 finding (1 error) in 1 of 4 files; 1 fixable with --fix=all\n"));
  CHECK(run.status == 1);
  CHECK(folder.programs.calls ==
        std::vector<std::vector<std::string>>{{"kustomize", "build", "overlays/prod"}});
  folder.programs.program = "kubectl";
  run = folder.run({"lint", "-k", "overlays/prod/"});
  CHECK(run.status == 1);
  CHECK(folder.programs.calls.back() == std::vector<std::string>{"kubectl", "kustomize", "overlays/prod"});
}

TEST_CASE("kustomize: the version that built a root") {
  Folder folder;
  folder.programs.built["overlays/prod"] = folder.patched("numNodes: 1", "numNodes: 4");
  CHECK(folder.run({"lint", "-k", "overlays/prod", "--format", "json"}).out ==
        "{\n  \"version\": 1,\n  \"programs\": [\n    {\n      \"name\": \"kustomize\",\n      \"version\": "
        "\"v5.8.1\"\n    }\n  ],\n  \"diagnostics\": []\n}\n");
  CHECK(folder.programs.calls.back() == std::vector<std::string>{"kustomize", "version"});
  folder.programs.program = "kubectl";
  folder.programs.version = "Client Version: v1.36.0\nKustomize Version: v5.7.1\n";
  CHECK(folder.run({"lint", "-k", "overlays/prod", "-v"}).err ==
        "note: built with kubectl v1.36.0\n1 job: no findings\n");
  CHECK(folder.programs.calls.back() == std::vector<std::string>{"kubectl", "version", "--client"});
  folder.files.files["job.yaml"] = kJob;
  CHECK(folder.run({"lint", "job.yaml", "--format", "json"}).out ==
        "{\n  \"version\": 1,\n  \"diagnostics\": []\n}\n");
}

TEST_CASE("kustomize: render -k is render of what kustomize prints") {
  Folder folder;
  folder.programs.built["overlays/prod"] = Folder::patched("numNodes: 1", "numNodes: 4");
  TestConsole piped(folder.files);
  piped.in = folder.programs.built["overlays/prod"];
  CHECK(cli::run({"render", "-"}, piped) == 0);
  CHECK(folder.run({"render", "-k", "overlays/prod"}).out == piped.out);
}

TEST_CASE("kustomize: a root that can't be built") {
  Folder folder;
  Run run = folder.run({"lint", "-k", "base"});
  CHECK(run.err ==
        "trainjobc: kustomize build base failed:\n    Error: accumulating resources:\n    no such file\n");
  CHECK(run.status == 2);
  CHECK(folder.run({"lint", "-k", "overlays"}).err ==
        "trainjobc: overlays has no kustomization.yaml that can be read\n");
  folder.programs.program = "none";
  CHECK(folder.run({"lint", "-k", "base"}).err ==
        "trainjobc: -k: neither kustomize nor kubectl is on the PATH\n");
}

TEST_CASE("kustomize: what is not here is not fetched unless asked for") {
  Folder folder;
  for (const char* remote :
       {"https://github.com/team/base", "github.com/team/base?ref=v1", "git@host:team/base"}) {
    folder.files.files["base/kustomization.yaml"] = fmt::format("resources:\n- {}\n", remote);
    const Run run = folder.run({"lint", "-k", "overlays/prod"});
    CHECK(
        run.err ==
        fmt::format(
            "trainjobc: overlays/prod: base/kustomization.yaml:2: {} is not here: kustomize would fetch it; "
            "--kustomize-remote allows that\n",
            remote));
    CHECK(run.status == 2);
  }
  CHECK(folder.programs.calls.empty());
  CHECK(folder.run({"lint", "--kustomize-remote", "-k", "overlays/prod"}).status == 1);
  CHECK(folder.programs.calls.size() == 1);
  folder.files.files["base/kustomization.yaml"] = "resources: [job.yaml, git@host:team/base]\n";
  CHECK(folder.run({"lint", "overlays"}).err ==
        "note: overlays/prod: base/kustomization.yaml:1: git@host:team/base is not here: kustomize would "
        "fetch it; "
        "--kustomize-remote allows that\n    its files are checked one by one\n"
        "trainjobc: overlays contains no TrainJob and no runtime; -v shows what was skipped, --allow-empty "
        "accepts "
        "this\n");
  CHECK(folder.run({"lint", "--kustomize-remote", "overlays"}).err == "");
  CHECK(folder.programs.calls.size() == 2);
  folder.files.files["base/kustomization.yaml"] =
      "resources: [job.yaml]\nopenapi: {path: 'https://a/b.json'}\n";
  CHECK(folder.run({"lint", "-k", "base"}).err ==
        "trainjobc: base: base/kustomization.yaml:2: https://a/b.json is not here: kustomize would fetch it; "
        "--kustomize-remote allows that\n");
}

TEST_CASE("kustomize: a base that may be read in another way than here is not built") {
  Folder folder;
  const auto lint = [&](const std::string& base) {
    folder.files.files["base/kustomization.yaml"] = base;
    const Run run = folder.run({"lint", "-k", "overlays/prod"});
    CHECK(run.status == 2);
    return run.err;
  };
  CHECK(lint("resources: [job.yaml]\nresources: [github.com/team/base]\n") ==
        "trainjobc: overlays/prod: base/kustomization.yaml:2: key \"resources\" is set twice in this map\n");
  CHECK(lint("resources: [job.yaml]\n---\nresources: [github.com/team/base]\n") ==
        "trainjobc: overlays/prod: base/kustomization.yaml:3: kustomize reads only the first document of a "
        "kustomization\n");
  CHECK(lint("resources: [job.yaml]\nComponents: [github.com/team/base]\n") ==
        "trainjobc: overlays/prod: base/kustomization.yaml:2: unknown field \"Components\": kustomize takes "
        "it for "
        "components\n");
  CHECK(lint("re\u017fource\u017f: [github.com/team/base]\n") ==
        "trainjobc: overlays/prod: base/kustomization.yaml:1: unknown field \"re\u017fource\u017f\": "
        "kustomize takes it "
        "for resources\n");
  folder.files.files["base/a.yaml"] = "a: [\n";
  CHECK(lint("generators: [a.yaml]\n").starts_with("trainjobc: overlays/prod: base/a.yaml:1: "));
  CHECK(lint("generators:\n- |-\n  a: [\n")
            .starts_with("trainjobc: overlays/prod: base/kustomization.yaml:2: "));
  CHECK(folder.programs.calls.empty());
}

TEST_CASE("kustomize: a walk builds what no other kustomization includes, instead of reading its files") {
  Folder folder;
  const Run run = folder.run({"lint", "-v", "."});
  CHECK(run.out ==
        kUnknownField + std::string("1 finding (1 error) in 1 of 4 files; 1 fixable with --fix=all\n"));
  CHECK(run.err ==
        "note: built with kustomize v5.8.1\n"
        "note: base/job.yaml is part of overlays/prod, which was built: skipped\n"
        "note: base/kustomization.yaml is part of overlays/prod, which was built: skipped\n"
        "note: overlays/prod/kustomization.yaml is part of overlays/prod, which was built: skipped\n"
        "note: overlays/prod/nodes.yaml is part of overlays/prod, which was built: skipped\n");
}

TEST_CASE("kustomize: files that paths name are checked as part of what includes them") {
  Folder folder;
  const std::string nodes = "overlays/prod/nodes.yaml";
  const std::string kustomization = "overlays/prod/kustomization.yaml";
  const auto with_summary = [](const std::string& summary) { return kUnknownField + summary; };
  const std::string fixable = "; 1 fixable with --fix=all\n";
  CHECK(folder.run({"lint", nodes}).out == with_summary("1 finding (1 error) in 1 of 1 file" + fixable));
  CHECK(folder.run({"lint", kustomization, nodes}).out ==
        with_summary("1 finding (1 error) in 1 of 2 files" + fixable));
  CHECK(folder.run({"lint", ".", nodes}).out ==
        with_summary("1 finding (1 error) in 1 of 4 files" + fixable));
  CHECK(folder.run({"lint", "-k", "overlays/prod", nodes}).out ==
        with_summary("1 finding (1 error) in 1 of 4 files" + fixable));
  const Run base = folder.run({"lint", "-v", "base/job.yaml"});
  CHECK(base.out == "");
  CHECK(base.err ==
        "note: built with kustomize v5.8.1\nnote: base/job.yaml is part of overlays/prod, which was built: "
        "skipped\n1 job: no findings\n");
  CHECK(base.status == 0);
  folder.programs.program = "none";
  CHECK(folder.run({"lint", kustomization, nodes}).out ==
        with_summary("1 finding (1 error) in 1 of 2 files\n"));
  CHECK(folder.run({"render", nodes}).status == 1);
}

TEST_CASE("kustomize: a component, or a folder of patches, is checked as part of what includes it") {
  Folder folder;
  auto& files = folder.files.files;
  const std::string patch = files["overlays/prod/nodes.yaml"];
  files["overlays/prod/kustomization.yaml"] = "resources: [../../base]\ncomponents: [../../nodes]\n";
  files["nodes/kustomization.yaml"] = "kind: Component\npatches: [{path: patch.yaml}]\n";
  files["nodes/patch.yaml"] = patch;
  files.erase("overlays/prod/nodes.yaml");
  const std::string found = std::string(kUnknownField).replace(0, 24, "nodes/patch.yaml");
  const Run component = folder.run({"lint", "nodes"});
  CHECK(component.out == found + "1 finding (1 error) in 1 of 2 files; 1 fixable with --fix=all\n");
  CHECK(component.err == "");
  // Nobody includes it: nothing is known of the jobs that it would change.
  files["overlays/prod/kustomization.yaml"] = "resources: [../../base]\n";
  CHECK(folder.run({"lint", "nodes"}).status == 2);
  files["overlays/prod/kustomization.yaml"] =
      "resources: [../../base]\npatches: [{path: patches/nodes.yaml}]\n";
  files["overlays/prod/patches/nodes.yaml"] = patch;
  const Run patches = folder.run({"lint", "./overlays/prod/patches/"});
  CHECK(patches.out == std::string(kUnknownField).insert(14, "patches/") +
                           "1 finding (1 error) in 1 of 1 file; 1 fixable with --fix=all\n");
  // A root that a directory has is built for itself, whoever else includes it.
  files["all/kustomization.yaml"] = "resources: [../overlays/prod, stray.yaml]\n";
  files["overlays/prod/stray.yaml"] = "kind: ConfigMap\n";
  CHECK(folder.run({"lint", "overlays/prod"}).out.starts_with("overlays/prod/patches/nodes.yaml:7:5: error"));
}

TEST_CASE("kustomize: a patch is no job, whatever becomes of the kustomization that a path doesn't name") {
  Folder folder;
  folder.files.files["overlays/prod/nodes.yaml"] = Folder::patched("numNodes: 1", "numNodes: 4");
  folder.programs.built.clear();
  const Run run = folder.run({"lint", "overlays/prod/nodes.yaml"});
  CHECK(run.out == "");
  CHECK(run.err ==
        "note: kustomize build overlays/prod failed:\n    Error: accumulating resources:\n    no such file\n"
        "    its files are checked one by one\n");
  folder.files.files[".trainjobc.yaml"] = "kustomize: {build: never}\n";
  CHECK(folder.run({"lint", "overlays/prod/nodes.yaml"}).status == 0);
  folder.files.files["overlays/prod/kustomization.yaml"] = "resources: [../../base]\n";
  CHECK(folder.run({"lint", "overlays/prod/nodes.yaml"}).err == "1 job: no findings\n");
}

TEST_CASE("kustomize: without a program, a walk says so once and checks patches as patches") {
  Folder folder;
  folder.programs.program = "none";
  folder.files.files["overlays/a/kustomization.yaml"] = "resources: [../../base]\n";
  const Run run = folder.run({"lint", "."});
  CHECK(run.out.starts_with(kUnknownField));
  CHECK(run.out.find("input/required") == std::string::npos);
  CHECK(run.err ==
        "note: overlays/a and other kustomizations are read as files: neither kustomize nor kubectl is on "
        "the PATH\n");
}

TEST_CASE("kustomize: settings require or forbid it, and name the roots") {
  Folder folder;
  folder.files.files[".trainjobc.yaml"] = "kustomize: {build: never}\n";
  CHECK(folder.run({"lint", "."}).status == 1);
  CHECK(folder.programs.calls.empty());
  folder.files.files[".trainjobc.yaml"] = "kustomize: [overlays/*]\n";
  CHECK(folder.run({"lint", "."}).status == 1);
  CHECK(folder.programs.calls.size() == 1);
  folder.programs.program = "none";
  const Run run = folder.run({"lint", "."});
  CHECK(run.err == "trainjobc: .trainjobc.yaml: neither kustomize nor kubectl is on the PATH\n");
  CHECK(run.status == 2);
  folder.files.files[".trainjobc.yaml"] = "kustomize: {builds: never}\n";
  CHECK(folder.run({"lint", "."}).err ==
        ".trainjobc.yaml:1:13: error: unknown key \"builds\" [config/invalid]\n"
        "    1 | kustomize: {builds: never}\n"
        "      |             ^~~~~~ did you mean \"build\"?\n");
}

TEST_CASE("kustomize: other commands read files, and say what they don't build") {
  Folder folder;
  CHECK(folder.run({"render", "overlays"}).err ==
        "trainjobc: overlays contains no TrainJob and no runtime that is not built: -k overlays/prod builds "
        "one\n");
  folder.files.files["overlays/other.yaml"] = Folder::patched("name: bert", "name: other");
  CHECK(folder.run({"render", "overlays", "-o", "name"}).err ==
        "note: overlays/prod is not built, its files are read one by one: -k overlays/prod builds it\n");
  folder.files.files["more/kustomization.yaml"] = "resources: [../base]\n";
  CHECK(folder.run({"render", "overlays", "more", "--allow-empty", "-o", "name"}).err ==
        "note: more and 1 other are not built, their files are read one by one: -k more builds one\n");
  CHECK(folder.run({"render", "-k", "overlays/prod", "-o", "name"}).err.find("not built") ==
        std::string::npos);
  CHECK(
      folder.run({"render", "-k", "overlays/prod", "overlays", "-o", "name"}).err.find("overlays/prod is") ==
      std::string::npos);
}

TEST_CASE("kustomize: a root that a flag and a directory name is built once") {
  Folder folder;
  const std::string found = folder.run({"lint", "."}).out;
  folder.programs.calls.clear();
  CHECK(folder.run({"lint", "-k", "overlays/prod", "."}).out == found);
  CHECK(folder.programs.calls.size() == 1);
}

TEST_CASE("kustomize: runtimes of a root, and who uses them") {
  Folder folder;
  const auto runtime = [](const std::string& name) {
    return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n  name: " +
           name + "\n";
  };
  folder.files.files["base/runtime.yaml"] = runtime("mine");
  folder.files.files["base/kustomization.yaml"] = "resources: [job.yaml, runtime.yaml]\nnamePrefix: dev-\n";
  folder.programs.built["base"] =
      Folder::patched("name: bert", "name: dev-bert") + "---\n" + runtime("dev-mine");
  CHECK(folder.run({"runtimes", "-k", "base", "-o", "name"})
            .out.starts_with("deepspeed-distributed\ndev-mine\n"));
  CHECK(folder.run({"runtimes", "--show", "dev-mine", "-k", "base"}).out == runtime("dev-mine"));
  CHECK(folder.run({"runtimes", "--used-by", "-k", "base"}).out ==
        "RUNTIME            KIND                    JOB               FROM\n"
        "torch-distributed  ClusterTrainingRuntime  default/dev-bert  base/job.yaml:1\n");
}

TEST_CASE("kustomize: each root is a scope") {
  Folder folder;
  folder.files.files["overlays/a/kustomization.yaml"] = "resources: [../../base]\n";
  folder.programs.built["overlays/a"] = kJob;
  folder.programs.built["overlays/prod"] = Folder::patched("numNodes: 1", "numNodes: 4");
  const Run run = folder.run({"plan", "-k", "overlays/a", "-k", "overlays/prod"});
  CHECK(run.out.starts_with(
      "SCOPE          JOB           NODES  PODS  PROCESSES  GANG  QUEUE  HOSTS\n"
      "overlays/a     default/bert  1      1     1          -     -      bert-node-0-0.bert\n"
      "overlays/prod  default/bert  4      4     4          -     -      bert-node-0-{0..3}.bert\n"));
}

TEST_CASE("kustomize: a mistake in a base is reported once, whatever its overlays call the object") {
  Folder folder;
  const std::string job = Folder::patched("numNodes", "numNode");
  folder.files.files["base/job.yaml"] = job;
  for (const std::string overlay : {"a", "b"}) {
    folder.files.files["overlays/" + overlay + "/kustomization.yaml"] =
        "resources: [../../base]\nnamespace: team-" + overlay + "\n";
    std::string& built = folder.programs.built["overlays/" + overlay] = job;
    built.insert(built.find("  name: bert"), "  namespace: team-" + overlay + "\n");
  }
  const Run run = folder.run({"lint", "-k", "overlays/a", "-k", "overlays/b"});
  CHECK(run.out ==
        "base/job.yaml:11:5: error: unknown field \"numNode\" in spec.trainer [input/unknown-field]\n"
        "   11 |     numNode: 1\n"
        "      |     ^~~~~~~ did you mean \"numNodes\"?\n\n"
        "1 finding (1 error) in 1 of 4 files; 1 fixable with --fix=all\n");
}

TEST_CASE("kustomize: --fix edits a base as all its overlays want it, or not at all") {
  Folder folder;
  const std::string runtime =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n  name: team-";
  const auto fixed = [&](const std::string& job, const std::string& more) {
    folder.files.files["base/job.yaml"] = job;
    for (const std::string overlay : {"overlays/a", "overlays/prod"}) {
      const std::string own = runtime + overlay.back() + "\n";
      folder.files.files[overlay + "/runtime.yaml"] = own;
      folder.files.files[overlay + "/kustomization.yaml"] = "resources: [../../base, runtime.yaml]\n";
      folder.programs.built[overlay] = job + "---\n" + own;
    }
    std::string& built = folder.programs.built["overlays/prod"];
    built.insert(built.find("    numNode"), more);
    folder.run({"lint", "--fix=all", "overlays"});
    return folder.files.files["base/job.yaml"];
  };
  const std::string job = Folder::patched("numNodes", "numNode");
  CHECK(fixed(job, "") == kJob);
  CHECK(fixed(job, "    numNodes: 3\n") == job);  // which a patch sets: both can't be
  const std::string other = Folder::patched("torch-distributed", "team-");
  CHECK(fixed(other, "") == other);  // team-a in one of them, team-d in the other
  CHECK(fixed(job, "") == kJob);
  folder.files.files["base/job.yaml"] = job;
  folder.run({"lint", "--fix=all", "-k", "overlays/a"});  // which says nothing of overlays/prod
  CHECK(folder.files.files["base/job.yaml"] == job);
}

TEST_CASE("kustomize: a runtime that was renamed, and images that don't reach the job") {
  Folder folder;
  folder.files.files["base/job.yaml"] = Folder::patched("torch-distributed", "team");
  folder.files.files["base/runtime.yaml"] =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: team}\n";
  folder.files.files["base/kustomization.yaml"] =
      "resources: [job.yaml, runtime.yaml]\nnamePrefix: x-\nimages:\n- {name: ghcr.io/team/bert, newTag: "
      "'2.0'}\n";
  std::string built = folder.files.files["base/job.yaml"];
  folder.programs.built["base"] = built.replace(built.find("name: bert"), 10, "name: x-bert");
  const Run run = folder.run({"lint", "-k", "base"});
  CHECK(run.out ==
        "base/job.yaml:7:11: error: there is no ClusterTrainingRuntime \"team\" [input/missing-runtime]\n"
        "    7 |     name: team\n"
        "      |           ^~~~ kustomize has renamed it to x-team, but not the runtimeRef, which it does "
        "not know: add "
        "a file to configurations: with what trainjobc kustomize-config prints\n\n"
        "base/kustomization.yaml:4:10: warning: the entry for ghcr.io/team/bert does not reach "
        "spec.trainer.image of "
        "TrainJob x-bert: kustomize changes the images of the kinds it knows [advice/kustomize-images]\n"
        "    4 | - {name: ghcr.io/team/bert, newTag: '2.0'}\n"
        "      |          ^~~~~~~~~~~~~~~~~ add a file to configurations: with what trainjobc "
        "kustomize-config prints\n"
        "  note: the image at base/job.yaml:9:12\n\n"
        "2 findings (1 error, 1 warning) in 2 of 3 files\n");
}

TEST_CASE("kustomize: generated names that references don't get, and lists that a patch replaces") {
  Folder folder;
  const std::string env =
      "    env:\n    - {name: LR, value: a}\n    - name: TOKEN\n      valueFrom: {secretKeyRef: {key: "
      "token, name: NAME}}\n";
  const auto job_with = [&](const std::string& variables, const std::string& name) {
    std::string text = Folder::patched("    env:\n    - name: LR\n      value: a\n", variables);
    const size_t at = text.find("NAME");
    return at == std::string::npos ? text : text.replace(at, 4, name);
  };
  const std::string secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: hub-";
  folder.files.files["base/job.yaml"] = job_with(env, "hub");
  folder.files.files["base/kustomization.yaml"] =
      "resources: [job.yaml]\nsecretGenerator:\n- {name: hub, files: [token]}\n";
  folder.programs.built["base"] = job_with(env, "hub") + secret + "5d4hhm2c9t}\n";
  const std::string finding =
      "base/job.yaml:15:52: warning: kustomize builds the Secret hub as hub-5d4hhm2c9t, but does not change "
      "its name "
      "here: it knows the references of Kubernetes' own kinds [advice/kustomize-name]\n"
      "   15 |       valueFrom: {secretKeyRef: {key: token, name: hub}}\n"
      "      |                                                    ^~~ add a file to configurations: with "
      "what trainjobc "
      "kustomize-config prints\n"
      "  note: it is generated at base/kustomization.yaml:3:10\n\n"
      "1 finding (1 warning) in 1 of 2 files\n";
  CHECK(folder.run({"lint", "-k", "base"}).out == finding);
  // With the configuration that is named, or without a hash.
  folder.programs.built["base"] = job_with(env, "hub-5d4hhm2c9t") + secret + "5d4hhm2c9t}\n";
  CHECK(folder.run({"lint", "-k", "base"}).out == "");
  folder.programs.built["base"] =
      job_with(env, "hub") + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: hub}\n";
  CHECK(folder.run({"lint", "-k", "base"}).out == "");
  folder.files.files["base/kustomization.yaml"] = "resources: [job.yaml]\n";
  folder.files.files["overlays/prod/nodes.yaml"] =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: bert}\nspec:\n"
      "  trainer:\n    env:\n    - {name: LR, value: b}\n";
  folder.programs.built["overlays/prod"] = job_with("    env: [{name: LR, value: b}]\n", "");
  CHECK(folder.run({"lint", "-k", "overlays/prod"}).out ==
        "overlays/prod/nodes.yaml:7:5: info: this replaces all of spec.trainer.env: TOKEN is gone "
        "[advice/kustomize-list]\n"
        "    7 |     - {name: LR, value: b}\n"
        "      |     ^ kustomize knows no merge keys of TrainJob: write the whole list, or a JSON patch, or "
        "name a file "
        "under openapi: with what trainjobc kustomize-config --openapi prints\n"
        "  note: the list that it replaces at base/job.yaml:13:5\n\n"
        "1 finding (1 info) in 1 of 4 files\n");
  // With the keys, and where the patch asks for it.
  folder.programs.built["overlays/prod"] = job_with(env, "hub");
  CHECK(folder.run({"lint", "-k", "overlays/prod"}).out == "");
  folder.programs.built["overlays/prod"] = job_with("    env: [{name: LR, value: b}]\n", "");
  folder.files.files["overlays/prod/nodes.yaml"] += "    - $patch: replace\n";
  CHECK(folder.run({"lint", "-k", "overlays/prod"}).out == "");
}

TEST_CASE("kustomize: an object that a patch has renamed") {
  Folder folder;
  folder.files.files["overlays/prod/kustomization.yaml"] =
      "resources: [../../base]\nnamePrefix: x-\nimages:\n- {name: ghcr.io/team/bert, newTag: "
      "'2.0'}\npatches:\n"
      "- target: {kind: TrainJob, labelSelector: app=bert}\n  options: {allowNameChange: true}\n  patch: |-\n"
      "    - {op: replace, path: /metadata/name, value: gpt}\n- path: nodes.yaml\n";
  std::string& built = folder.programs.built["overlays/prod"];
  built.replace(built.find("name: bert"), 10, "name: x-gpt");
  CHECK(folder.run({"lint", "-k", "overlays/prod"}).out ==
        "overlays/prod/kustomization.yaml:4:10: warning: the entry for ghcr.io/team/bert does not reach "
        "spec.trainer.image "
        "of TrainJob x-gpt: kustomize changes the images of the kinds it knows [advice/kustomize-images]\n"
        "    4 | - {name: ghcr.io/team/bert, newTag: '2.0'}\n"
        "      |          ^~~~~~~~~~~~~~~~~ add a file to configurations: with what trainjobc "
        "kustomize-config prints\n"
        "  note: the image at base/job.yaml:9:12\n\n"
        "overlays/prod/nodes.yaml:7:5: error: unknown field \"numProcPerNod\" in spec.trainer "
        "[input/unknown-field]\n"
        "    7 |     numProcPerNod: 8\n      |     ^~~~~~~~~~~~~ did you mean \"numProcPerNode\"?\n\n"
        "2 findings (1 error, 1 warning) in 2 of 4 files; 1 fixable with --fix=all\n");
}

namespace {

// Where the values of a built object are: "spec.trainer.image overlays/prod/kustomization.yaml:4".
void add_places(const yaml::Node& node, const std::string& path, std::string& out) {
  for (const yaml::Entry& entry : node.entries())
    add_places(*entry.value, path.empty() ? std::string(entry.key) : fmt::format("{}.{}", path, entry.key),
               out);
  for (size_t i = 0; i < node.items().size(); ++i)
    add_places(*node.items()[i], fmt::format("{}[{}]", path, i), out);
  if (!node.is_scalar()) return;
  const base::Location at = yaml::locate(node);
  out += fmt::format("{} {}:{}\n", path, at.file ? at.file->name() : "-", at.line);
}

std::string places(base::MemoryFileSystem& files, const std::string& root, const std::string& built) {
  const auto relocator = kustomize::make_relocator(kustomize::read_tree(files, root));
  const base::SourceFile source("built", built);
  base::Arena arena;
  base::Diagnostics problems;
  std::string out;
  for (const yaml::Document& document : yaml::read(source, arena, problems))
    add_places(*relocator->relocate(*document.root, yaml::Maker(arena)), "", out);
  return out;
}

}  // namespace

TEST_CASE("kustomize: the place of each value") {
  base::MemoryFileSystem files;
  files.files["base/job.yaml"] = kJob;
  files.files["base/kustomization.yaml"] = "resources: [job.yaml]\nnameSuffix: -v2\n";
  files.files["tune/kustomization.yaml"] =
      "kind: Component\npatches:\n- target: {kind: TrainJob}\n  patch: |-\n    - {op: add, path: "
      "/spec/trainer/env/-, "
      "value: {name: SEED, value: b}}\n";
  files.files["prod/kustomization.yaml"] =
      "resources: [../base]\ncomponents: [../tune]\nnamespace: team\nlabels:\n- pairs: {owner: x}\nimages:\n"
      "- name: ghcr.io/team/bert\n  newTag: '2.0'\nreplicas:\n- {name: bert, count: 4}\npatches:\n- path: "
      "lr.yaml\n";
  files.files["prod/lr.yaml"] =
      "kind: TrainJob\nmetadata: {name: bert}\nspec:\n  trainer:\n    env:\n    - name: LR\n      value: c\n";
  CHECK(places(
            files, "prod",
            "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  labels: {owner: x}\n"
            "  name: bert-v2\n  namespace: team\nspec:\n  runtimeRef: {name: torch-distributed}\n  trainer:\n"
            "    command: [torchrun, train.py]\n    env:\n    - {name: LR, value: c}\n    - {name: SEED, "
            "value: b}\n"
            "    image: ghcr.io/team/bert:2.0\n    numNodes: 4\n") ==
        "apiVersion base/job.yaml:1\nkind prod/lr.yaml:1\nmetadata.labels.owner prod/kustomization.yaml:5\n"
        "metadata.name base/kustomization.yaml:2\nmetadata.namespace prod/kustomization.yaml:3\n"
        "spec.runtimeRef.name base/job.yaml:7\nspec.trainer.command[0] base/job.yaml:10\n"
        "spec.trainer.command[1] base/job.yaml:10\nspec.trainer.env[0].name prod/lr.yaml:6\n"
        "spec.trainer.env[0].value prod/lr.yaml:7\nspec.trainer.env[1].name tune/kustomization.yaml:4\n"
        "spec.trainer.env[1].value tune/kustomization.yaml:4\nspec.trainer.image prod/kustomization.yaml:8\n"
        "spec.trainer.numNodes prod/kustomization.yaml:10\n");
}

TEST_CASE("kustomize: kustomizations that include each other, and what no file has") {
  base::MemoryFileSystem files;
  files.files["a/kustomization.yaml"] = "resources: [../b]\n";
  files.files["b/kustomization.yaml"] = "resources: [../a, job.yaml]\n";
  files.files["b/job.yaml"] = kJob;
  CHECK(places(files, "a", "kind: TrainJob\nmetadata: {name: other}\n") ==
        "kind built:1\nmetadata.name built:2\n");
}

namespace {

// The paths below a prefix, of the fields of a kind, by the list that they are in.
using Paths = std::set<std::pair<std::string, std::string>>;
Paths paths_below(const yaml::Node& configuration, std::string_view kind, std::string_view prefix) {
  Paths paths;
  const auto add = [&](const std::string& list, const yaml::Node& field) {
    const std::string_view path = yaml::text_at(field, "path");
    if (yaml::text_at(field, "kind") == kind && path.starts_with(prefix))
      paths.emplace(list, path.substr(prefix.size()));
  };
  for (const yaml::Entry& list : configuration.entries()) {
    for (const yaml::Node* item : list.value->items()) {
      add(std::string(list.key), *item);
      for (const yaml::Node* field : yaml::items_at(*item, "fieldSpecs"))
        add(fmt::format("{} of {}", list.key, yaml::text_at(*item, "kind")), *field);
    }
  }
  return paths;
}

}  // namespace

TEST_CASE("kustomize-config: both kinds of runtimes have the same fields, as have all ways to change pods") {
  const yaml::Text text(kustomize::configuration());
  const std::string runtime = "spec/template/spec/replicatedJobs/template/spec/template/spec/";
  const Paths of_runtime = paths_below(*text.root(), "TrainingRuntime", runtime);
  CHECK(of_runtime.size() >= 20);
  CHECK(paths_below(*text.root(), "ClusterTrainingRuntime", runtime) == of_runtime);
  const Paths of_job =
      paths_below(*text.root(), "TrainJob", "spec/runtimePatches/trainingRuntimeSpec/" + runtime.substr(5));
  CHECK(of_job.size() > 10);
  CHECK(std::ranges::includes(of_runtime, of_job));
  CHECK(paths_below(*text.root(), "TrainJob", "spec/podTemplateOverrides/spec/") == of_job);
  CHECK(paths_below(*text.root(), "TrainJob", "spec/podSpecOverrides/") == of_job);
}

namespace {

// The lists of objects below a schema that have a merge key: "spec.template…containers name".
void add_merge_keys(const schema::Schema& schema, const std::string& path, std::set<std::string>& out) {
  for (const schema::Property& property : schema.properties) {
    const std::string own = fmt::format("{}.{}", path, property.name);
    if (!property.patch_merge_key.empty()) out.insert(fmt::format("{} {}", own, property.patch_merge_key));
    const schema::Schema& inner = property.schema->items ? *property.schema->items : *property.schema;
    add_merge_keys(inner, own, out);
  }
}

// The same of a definition of OpenAPI.
void add_merge_keys(const yaml::Node& definitions, const yaml::Node* node, const std::string& path,
                    std::set<std::string>& out) {
  constexpr std::string_view kDefinitions = "#/definitions/";
  if (const yaml::Node* name = node->get("$ref"))
    return add_merge_keys(definitions, definitions.get(name->text().substr(kDefinitions.size())), path, out);
  if (const yaml::Node* key = node->get("x-kubernetes-patch-merge-key"))
    out.insert(fmt::format("{} {}", path, key->text()));
  if (const yaml::Node* items = node->get("items")) add_merge_keys(definitions, items, path, out);
  const yaml::Node* properties = node->get("properties");
  if (!properties) return;
  for (const yaml::Entry& property : properties->entries())
    add_merge_keys(definitions, property.value, fmt::format("{}.{}", path, property.key), out);
}

}  // namespace

TEST_CASE("kustomize-config: --openapi has the merge keys of pods that Kubernetes has") {
  const yaml::Text text(kustomize::merge_keys());
  const yaml::Node& definitions = *text.root()->get("definitions");
  const schema::VersionSchemas& newest = schema::version_or_newest("");
  for (const std::string kind : {"TrainingRuntime", "ClusterTrainingRuntime"}) {
    std::set<std::string> wanted{".spec.template.spec.replicatedJobs name"};
    add_merge_keys(*newest.kind(kind)->schema, "", wanted);
    // No patch sets a status, or owners.
    std::erase_if(wanted, [](const std::string& path) {
      return path.find(".status.") != std::string::npos || path.starts_with(".metadata.");
    });
    std::set<std::string> listed;
    add_merge_keys(definitions, definitions.get(kind), "", listed);
    CHECK(fmt::format("{}", fmt::join(listed, "\n")) == fmt::format("{}", fmt::join(wanted, "\n")));
  }
}

TEST_CASE("kustomize: a list that a patch has replaced as a whole") {
  Folder folder;
  const std::string head =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\nmetadata:\n"
      "  name: mine\n  labels: {trainer.kubeflow.org/framework: torch}\n";
  const auto with = [&](const std::string& pod) {
    return head +
           "spec:\n  mlPolicy: {numNodes: 1, torch: {}}\n  template:\n    spec:\n      replicatedJobs:\n"
           "      - name: node\n        template:\n          metadata: {labels: "
           "{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}\n          spec: {template: {spec: {" +
           pod + "}}}\n";
  };
  folder.files.files["base/job.yaml"] = with("containers: [{name: node, image: r.io/a:1}]");
  folder.files.files["base/patch.yaml"] = with("nodeSelector: {a: b}");
  folder.files.files["base/kustomization.yaml"] = "resources: [job.yaml]\npatches: [{path: patch.yaml}]\n";
  folder.programs.built["base"] = with("nodeSelector: {a: b}");
  CHECK(folder.run({"lint", "-k", "base"}).out ==
        "base/patch.yaml:11:7: error: "
        "spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers "
        "is required [input/required]\n"
        "   11 |       - name: node\n"
        "      |       ^ this replaces all of spec.template.spec.replicatedJobs, as kustomize knows no merge "
        "keys of "
        "TrainingRuntime: write the whole list, or a JSON patch, or name a file under openapi: with what "
        "trainjobc "
        "kustomize-config --openapi prints\n"
        "  note: the list that it replaces at base/job.yaml:11:7\n\n"
        "1 finding (1 error) in 1 of 3 files\n");
}

}  // namespace trainjobc::kustomize_test
