// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "base/version.h"
#include "cli/command.h"
#include "support/test_console.h"

namespace trainjobc::cli_app_test {
namespace {

using test::Run;

Run run(const std::vector<std::string>& arguments) {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = "";
  return test::run(files, arguments);
}

std::string complaint(const std::vector<std::string>& arguments) {
  const Run result = run(arguments);
  CHECK(result.status == 2);
  CHECK(result.out.empty());
  return result.err;
}

}  // namespace

TEST_CASE("misspelled arguments get a suggestion and status 2") {
  CHECK(complaint({"redner", "a.yaml"}) ==
        "trainjobc: unknown command \"redner\", did you mean \"render\"?\nSee \"trainjobc --help\".\n");
  CHECK(complaint({"lint", "--formt", "json", "a.yaml"}) ==
        "trainjobc: unknown flag \"--formt\", did you mean \"--format\"?\nSee \"trainjobc lint --help\".\n");
  CHECK(
      complaint({"lint", "--fail_on=warning"}) ==
      "trainjobc: unknown flag \"--fail_on\", did you mean \"--fail-on\"?\nSee \"trainjobc lint --help\".\n");
  CHECK(complaint({"--verison"}) ==
        "trainjobc: unknown flag \"--verison\", did you mean \"--version\"?\nSee \"trainjobc --help\".\n");
  CHECK(complaint({"lint", "--format", "jsn"}) ==
        "trainjobc: --format jsn is not one of text, json, sarif, junit, github, gitlab, did you mean "
        "\"json\"?\n"
        "See \"trainjobc lint --help\".\n");
  CHECK(complaint({"lint", "-x"}) == "trainjobc: unknown flag \"-x\"\nSee \"trainjobc lint --help\".\n");
  CHECK(complaint({"lint", "--trainer-version", "2.5"}) ==
        "trainjobc: --trainer-version 2.5 is not one of auto, 2.0, 2.1, 2.2, 2.3, 2.4-preview\nSee "
        "\"trainjobc lint "
        "--help\".\n");
  CHECK(complaint({"validate", "a.yaml"}) ==
        "trainjobc: unknown command \"validate\", did you mean \"lint\"?\nSee \"trainjobc --help\".\n");
  CHECK(complaint({"fmt"}) ==
        "trainjobc: unknown command \"fmt\", did you mean \"lint --fix\"?\nSee \"trainjobc --help\".\n");
  CHECK(complaint({"apply", "-f", "a.yaml"}) ==
        "trainjobc: unknown command \"apply\", did you mean \"submit\"?\nSee \"trainjobc --help\".\n");
  CHECK(complaint({"xyzzy"}) == "trainjobc: unknown command \"xyzzy\"\nSee \"trainjobc --help\".\n");
  CHECK(complaint({"lint", "--list-rules", "--explain"}) == R"(trainjobc: --explain: 1 required RULE missing
See "trainjobc lint --help".
)");
}

TEST_CASE("flags of a command may come before it") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = "a: [\n";
  const test::Run after = test::run(files, {"lint", "--color", "never", "-q", "a.yaml"});
  CHECK(after.status == 1);
  for (const std::vector<std::string>& before :
       {std::vector<std::string>{"--color", "never", "-q", "lint", "a.yaml"},
        {"-q", "--color=never", "lint", "a.yaml"},
        {"--color", "never", "lint", "-q", "a.yaml"}})
    CHECK(test::run(files, before).out == after.out);
  CHECK(test::run(files, {"--colours", "never", "lint", "a.yaml"}).status == 2);
  CHECK(complaint({"--color", "lint", "a.yaml"}) ==
        "trainjobc: write --color after \"lint\", with its value if it takes one\nSee \"trainjobc lint "
        "--help\".\n");
}

TEST_CASE("every command's help has a usage line, examples, and lines that fit a terminal") {
  for (const cli::CommandEntry& command : cli::commands()) {
    const std::string name(command.name);
    CAPTURE(name);
    const Run help = run({name, "--help"});
    CHECK(help.status == 0);
    const std::string words = name == "policies" ? name + " COMMAND" : name;  // which does nothing itself
    CHECK(help.out.find("\nUsage: trainjobc " + words + " [FLAGS]") != std::string::npos);
    CHECK(help.out.find("\nExamples:\n  ") != std::string::npos);
    CHECK(help.out.find("trainjobc " + name, help.out.find("\nExamples:")) != std::string::npos);
    for (size_t at = 0; at < help.out.size();) {
      const size_t end = help.out.find('\n', at);
      CHECK_MESSAGE(end - at <= 100, help.out.substr(at, end - at));
      at = end + 1;
    }
    CHECK(run({"help", name}).out == help.out);
  }
}

TEST_CASE("version says what is supported, which releases the rules are from, and what was compared") {
  const std::string number(trainjobc::base::kVersion);
  CHECK(run({"--version"}).out == "trainjobc " + number + "\n");
  CHECK(run({"version"}).out == "trainjobc " + number + R"(
compiles for Kubeflow Trainer 2.0 (JobSet 0.8)
compiles for Kubeflow Trainer 2.1 (JobSet 0.10)
compiles for Kubeflow Trainer 2.2 (JobSet 0.11)
compiles for Kubeflow Trainer 2.3 (JobSet 0.12)
compiles for Kubeflow Trainer 2.4-preview (JobSet 0.12), a preview of Trainer's main at commit 8c0f5059 of 2026-08-21
checks names, labels, metadata, quantities as Kubernetes 1.36 does
checks Jobs, pods, volumes as Kubernetes 1.36 does
checks JobSets and their Jobs as JobSet 0.12 does
compared with Trainer 2.1.0, JobSet 0.10.1, Kubernetes 1.36.3: 500 random jobs
compared with Trainer 2.2.1, JobSet 0.11.1, Kubernetes 1.36.3: 500 random jobs
compared with Trainer 2.3.0, JobSet 0.12.0, Kubernetes 1.36.3: 2000 random jobs
compared with Trainer 2.3.0, JobSet 0.12.0, Kubernetes 1.37.2: 500 random jobs
compared with Trainer 2.3.0, JobSet 0.12.0, Kubernetes 1.37.2, Kueue 0.17.0: 500 random jobs
)");
  std::string json = run({"version", "-o", "json"}).out;
  json.replace(json.find(number), number.size(), "N");
  CHECK(json == R"({
    "version": "N",
    "trainerVersions": [
        "2.0",
        "2.1",
        "2.2",
        "2.3",
        "2.4-preview"
    ],
    "supported": [
        {
            "trainer": "2.0",
            "jobSet": "0.8"
        },
        {
            "trainer": "2.1",
            "jobSet": "0.10"
        },
        {
            "trainer": "2.2",
            "jobSet": "0.11"
        },
        {
            "trainer": "2.3",
            "jobSet": "0.12"
        },
        {
            "trainer": "2.4-preview",
            "jobSet": "0.12",
            "preview": "Trainer's main at commit 8c0f5059 of 2026-08-21"
        }
    ],
    "rules": [
        {
            "of": "names, labels, metadata, quantities",
            "project": "Kubernetes",
            "release": "1.36"
        },
        {
            "of": "Jobs, pods, volumes",
            "project": "Kubernetes",
            "release": "1.36"
        },
        {
            "of": "JobSets and their Jobs",
            "project": "JobSet",
            "release": "0.12"
        }
    ],
    "compared": [
        {
            "trainer": "2.1.0",
            "jobSet": "0.10.1",
            "kubernetes": "1.36.3",
            "kueue": null,
            "randomJobs": 500
        },
        {
            "trainer": "2.2.1",
            "jobSet": "0.11.1",
            "kubernetes": "1.36.3",
            "kueue": null,
            "randomJobs": 500
        },
        {
            "trainer": "2.3.0",
            "jobSet": "0.12.0",
            "kubernetes": "1.36.3",
            "kueue": null,
            "randomJobs": 2000
        },
        {
            "trainer": "2.3.0",
            "jobSet": "0.12.0",
            "kubernetes": "1.37.2",
            "kueue": null,
            "randomJobs": 500
        },
        {
            "trainer": "2.3.0",
            "jobSet": "0.12.0",
            "kubernetes": "1.37.2",
            "kueue": "0.17.0",
            "randomJobs": 500
        }
    ],
    "trainerApiVersion": "trainer.kubeflow.org/v1alpha1",
    "jobSetApiVersion": "jobset.x-k8s.io/v1alpha2"
}
)");
}

TEST_CASE("runtimes: precedence, the catalogue's versions, a suggestion") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n  name: "
      "jax-distributed\n";
  files.files[".trainjobc.yaml"] = "";
  test::TestConsole console(files);
  CHECK(cli::run({"runtimes", "a.yaml"}, console) == 0);
  CHECK(console.out == R"(NAME                          FRAMEWORK  KIND                    FROM
deepspeed-distributed         deepspeed  ClusterTrainingRuntime  catalogue of Trainer 2.0, 2.1, 2.2, 2.3
jax-distributed                          ClusterTrainingRuntime  a.yaml:1
mlx-distributed               mlx        ClusterTrainingRuntime  catalogue of Trainer 2.0, 2.1, 2.2, 2.3
mpi-distributed                          ClusterTrainingRuntime  catalogue of Trainer 2.0
torch-distributed             torch      ClusterTrainingRuntime  catalogue of Trainer 2.0, 2.1, 2.2, 2.3
torch-distributed-with-cache  torch      ClusterTrainingRuntime  catalogue of Trainer 2.1, 2.2, 2.3
torchtune-llama3.2-1b         torchtune  ClusterTrainingRuntime  catalogue of Trainer 2.0, 2.1, 2.2, 2.3
torchtune-llama3.2-3b         torchtune  ClusterTrainingRuntime  catalogue of Trainer 2.0, 2.1, 2.2, 2.3
torchtune-qwen2.5-1.5b        torchtune  ClusterTrainingRuntime  catalogue of Trainer 2.1, 2.2, 2.3
xgboost-distributed           xgboost    ClusterTrainingRuntime  catalogue of Trainer 2.2, 2.3
)");
  console.out.clear();
  CHECK(cli::run({"runtimes", "--show", "jax-distributed", "a.yaml"}, console) == 0);
  CHECK(console.out == files.files["a.yaml"]);
  CHECK(cli::run({"runtimes", "--show", "jax-distribute"}, console) == 2);
  CHECK(console.err ==
        "trainjobc: there is no runtime \"jax-distribute\", did you mean \"jax-distributed\"?\n");
}

TEST_CASE("runtimes -o name leaves out a runtime without a name") {
  const std::string kind = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\n";
  base::MemoryFileSystem files;
  files.files["a.yaml"] =
      kind + "---\n" + kind + "metadata: {name: ''}\n---\n" + kind + "metadata: {name: a}\n";
  files.files[".trainjobc.yaml"] = "catalogue: false\n";
  const test::Run done = test::run(files, {"runtimes", "-o", "name", "a.yaml"});
  CHECK(done.out == "a\n");
  CHECK(done.err == "");
}

TEST_CASE("whatever can't be printed is an error") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec: {runtimeRef: "
      "{name: torch-distribute}}\n";
  for (const std::vector<std::string>& words : std::initializer_list<std::vector<std::string>>{
           {},
           {"--help"},
           {"--version"},
           {"render", "--help"},
           {"completion", "bash"},
           {"kustomize-config"},
           {"version"},
           {"schema", "TrainJob"},
           {"lint", "--list-rules"},
           {"lint", "--explain", "image-tag"},
           {"lint", "--no-config", "--fix=all", "--diff", "a.yaml"}}) {
    INFO(fmt::format("{}", fmt::join(words, " ")));
    test::TestConsole console(files);
    console.full = true;
    CHECK(cli::run(words, console) == 2);
    CHECK(console.err == "trainjobc: can't write the output\n");
  }
}

TEST_CASE("--job compiles only the named TrainJobs") {
  const std::string job =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: NAME\nspec:\n"
      "  runtimeRef:\n    name: torch-distributed\n";
  base::MemoryFileSystem files;
  for (const std::string name : {"one", "two"}) {
    files.files[name + ".yaml"] = job;
    files.files[name + ".yaml"].replace(files.files[name + ".yaml"].find("NAME"), 4, name);
  }
  test::TestConsole console(files);
  CHECK(cli::run({"render", "--no-config", "-o", "name", "--job", "two", "one.yaml", "two.yaml"}, console) ==
        0);
  CHECK(console.out == "jobset.jobset.x-k8s.io/two\n");
  CHECK(cli::run({"render", "--no-config", "--job", "tow", "one.yaml", "two.yaml"}, console) == 2);
  CHECK(console.err == "trainjobc: --job: the inputs contain no TrainJob \"tow\", did you mean \"two\"?\n");
}

TEST_CASE("without a command, the short help") {
  base::MemoryFileSystem files;
  test::TestConsole console(files);
  CHECK(cli::run({}, console) == 0);
  CHECK(console.err == "");
  CHECK(console.out ==
        R"(Offline compiler for Kubeflow TrainJobs: from TrainJobs and runtimes to the
JobSets that the controller would create

Usage: trainjobc COMMAND [FLAGS]

Commands:
  render                      Print the objects that Kubeflow Trainer would
                              create
  lint                        Report what the cluster would refuse, at the line
                              to fix
  explain                     Show where each field of the rendered objects
                              comes from
  plan                        Show the nodes, processes and resources of jobs,
                              and whether Kueue could admit them
  graph                       Draw what jobs run, wait for and use, as Mermaid,
                              DOT or SVG
  compose                     Print a Compose file that runs a job on one
                              machine, with docker or podman
  diff                        Compare rendered objects with a cluster, other
                              files, a branch or version
  submit                      Lint, render and apply the JobSets to a cluster
                              through kubectl
  migrate                     Rewrite TrainJobs and runtimes for another Trainer
                              version
  new                         Write a first TrainJob, and a runtime for it
  lsp                         Run as a language server, for editors
  function                    Run as a KRM function, for kustomize and kpt
  runtimes                    List the runtimes that TrainJobs can name, or
                              print one
  policies                    Test a team's own rules, or save a cluster's
                              policies
  kustomize-config            Print a kustomize configuration for TrainJobs and
                              runtimes
  webhook                     Run as an admission webhook: findings as kubectl's
                              warnings
  schema                      Print the JSON Schema of a kind, for editors and
                              validators
  completion                  Print a shell's completion script
  version                     Print the version and what it supports

Run "trainjobc --help" or "trainjobc COMMAND --help" for more.
)");
}

TEST_CASE("help fits a narrow terminal, and has its usual width otherwise") {
  const auto widest = [](bool terminal, size_t width) {
    base::MemoryFileSystem files;
    test::TestConsole console(files);
    console.terminal = terminal;
    console.width = width;
    CHECK(cli::run({"diff", "--help"}, console) == 0);
    size_t longest = 0;
    for (size_t at = 0; at < console.out.size();) {
      const size_t end = console.out.find('\n', at);
      longest = std::max(longest, end - at);
      at = end + 1;
    }
    return longest;
  };
  CHECK(widest(true, 80) <= 80);
  CHECK(widest(true, 72) <= 72);
  CHECK(widest(true, 300) == widest(false, 72));
  CHECK(widest(false, 72) == 80);
  CHECK(widest(false, 72) <= 88);
}

TEST_CASE("a flag means the same in every command; old spellings stay") {
  const auto printed = [](std::vector<std::string> arguments) {
    base::MemoryFileSystem files;
    files.files["in.yaml"] = "";
    test::TestConsole console(files);
    const int status = cli::run(arguments, console);
    return std::to_string(status) + " " + console.out + console.err;
  };
  CHECK(printed({"version", "--output", "json"}) == printed({"version", "-o", "json"}));
  CHECK(printed({"version", "--output=json"}) == printed({"version", "--format", "json"}));
  CHECK(printed({"runtimes", "--output", "json"}) == printed({"runtimes", "--format=json"}));
  for (const std::string command : {"render", "explain"}) {
    CHECK(printed({command, "--no-config", "--output", "json", "in.yaml"}) ==
          printed({command, "--no-config", "-o", "json", "in.yaml"}));
  }
  CHECK(printed({"migrate", "--no-config", "--from", "2.0", "in.yaml"}) ==
        printed({"migrate", "--no-config", "--from-version", "2.0", "in.yaml"}));
  // An empty value, not the next word.
  CHECK(printed({"render", "--no-config", "--namespace=", "in.yaml"}) ==
        printed({"render", "--no-config", "--namespace", "", "in.yaml"}));
}

TEST_CASE("--job takes NAMESPACE/NAME, and the names that the inputs get") {
  const auto job = [](const std::string& metadata) {
    return "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {" + metadata +
           "}\nspec: {runtimeRef: {name: torch-distributed}}\n";
  };
  base::MemoryFileSystem files;
  files.files["in.yaml"] = job("name: bert, namespace: team-a") + job("name: bert, namespace: team-b") +
                           job("name: bert") + job("generateName: sweep-, namespace: team-a");
  test::TestConsole console(files);
  const auto rendered = [&](std::vector<std::string> arguments) {
    console.out.clear();
    console.err.clear();
    arguments.insert(arguments.begin(), {"render", "--no-config", "-o", "json", "in.yaml"});
    if (cli::run(arguments, console) != 0) return console.err;
    std::string out;
    const auto list = nlohmann::json::parse(console.out);
    for (const auto& item : list.contains("items") ? list["items"] : nlohmann::json::array({list})) {
      const auto& metadata = item["metadata"];
      out += metadata.value("namespace", "-") + "/" + metadata.value("name", "") + "\n";
    }
    return out;
  };
  CHECK(rendered({"--job", "team-b/bert"}) == "team-b/bert\n");
  CHECK(rendered({"--job", "default/bert"}) == "-/bert\n");
  CHECK(rendered({"--job", "bert"}) == "-/bert\nteam-a/bert\nteam-b/bert\n");
  CHECK(rendered({"--namespace", "team-c", "--job", "team-c/bert"}) == "team-c/bert\n");
  CHECK(rendered({"--job", "team-a/sweep-x", "--name-suffix", "x"}) == "team-a/sweep-x\n");
  // Without a suffix of its own, the name is one of the content.
  const std::string generated = rendered({"--job", "team-a/sweep-x", "--name-suffix", "x"});
  CHECK(rendered({"--job", "sweep-x"}) == R"(trainjobc: --job: the inputs contain no TrainJob "sweep-x"
)");
  std::string all = rendered({});
  const size_t at = all.find("team-a/sweep-");
  REQUIRE(at != std::string::npos);
  const std::string by_content = all.substr(at, all.find('\n', at) - at);
  CHECK(rendered({"--job", by_content}) == by_content + "\n");
  CHECK(rendered({"--job", by_content.substr(by_content.find('/') + 1)}) == by_content + "\n");
  CHECK(generated == "team-a/sweep-x\n");
  CHECK(rendered({"--job", "team-a/brt"}) ==
        "trainjobc: --job: the inputs contain no TrainJob \"team-a/brt\", did you mean \"team-a/bert\"?\n");
  CHECK(rendered({"--job", "a/bert"}) == R"(trainjobc: --job: the inputs contain no TrainJob "a/bert"
)");
}

TEST_CASE("--job with names that contain a slash") {
  const auto named = [](const std::string& name) {
    return "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: " + name +
           ", namespace: team}\nspec: {runtimeRef: {name: torch-distributed}}\n";
  };
  base::MemoryFileSystem files;
  files.files["in.yaml"] = named("b") + named("a/b");
  test::TestConsole console(files);
  const auto render = [&](const std::string& job) {
    console.out.clear();
    console.err.clear();
    return cli::run({"render", "--no-config", "-o", "name", "--job", job, "in.yaml"}, console);
  };
  CHECK(render("b") == 0);
  CHECK(console.out == "jobset.jobset.x-k8s.io/b\n");
  CHECK(render("team/b") == 0);
  CHECK(render("a/b") == 1);
  CHECK(console.out == "");
  CHECK(render("team/a/b") == 1);
  CHECK(render("eam/b") == 2);
}

TEST_CASE("a job that trainjobc doesn't read is reported once") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\n";
  for (const std::string command : {"render", "explain", "plan", "graph"}) {
    CAPTURE(command);
    test::TestConsole console(files);
    CHECK(cli::run({command, "--no-config", "a.yaml"}, console) == 0);
    const size_t at = console.err.find("[advice/training-operator]");
    CHECK(at != std::string::npos);
    CHECK(console.err.find("[advice/training-operator]", at + 1) == std::string::npos);
  }
}

}  // namespace trainjobc::cli_app_test
