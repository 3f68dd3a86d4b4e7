// SPDX-License-Identifier: Apache-2.0

// What people read fits the width of their terminal; elsewhere nothing is wrapped.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/text/layout.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "support/diff.h"

namespace trainjobc::width_test {
using trainjobc::test::DiffRun;

namespace {

constexpr const char* kJob =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a, namespace: team}\nspec:\n"
    "  runtimeRef: {name: torch-distributed}\n"
    "  trainer: {numNodes: 2, image: registry.example.com/a/long/path/to/an/image/of/the/team:1.8.0}\n"
    "  podTemplateOverrides: [{targetJobs: [{name: node}], spec: {nodeSelector: {accelerator: "
    "a-long-name}}}]\n";

constexpr const char* kMpiJob =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a, namespace: team}\nspec:\n"
    "  runtimeRef: {name: deepspeed-distributed}\n";

// What a command prints on a terminal of so many columns; 0: on none.
std::string printed(std::vector<std::string> arguments, size_t width) {
  base::MemoryFileSystem files;
  files.files["jobs/a.yaml"] = kJob;
  files.files["mpi/a.yaml"] = kMpiJob;
  files.files["empty/a.txt"] = "";
  test::TestConsole console(files);
  console.terminal = width != 0;
  console.width = width;
  console.variables["NO_COLOR"] = "1";
  console.variables["PAGER"] = "cat";
  cli::run(arguments, console);
  return console.out + console.err;
}

size_t widest_line(std::string_view text) {
  size_t widest = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    widest = std::max(widest, base::display_width(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return widest;
}

}  // namespace

TEST_CASE("width: what each command prints on a terminal fits it") {
  std::vector<std::vector<std::string>> lines{
      {},
      {"--help"},
      {"runtimes"},
      {"lint", "--list-rules"},
      {"lint", "--explain", "advice/queue"},
      {"lint", "--no-config", "jobs"},
      {"lint", "--no-config", "--trainer-version", "2.3", "jobs"},
      {"explain", "--no-config", "jobs"},
      {"explain", "--no-config", "jobs", "--field", "image"},
      {"diff", "--no-config", "--from-version", "2.1", "--to-version", "2.3", "jobs"},
  };
  for (const cli::CommandEntry& command : cli::commands())
    lines.push_back({std::string(command.name), "--help"});
  for (const std::vector<std::string>& line : lines) {
    for (const size_t width : {60U, 80U, 120U}) {
      const std::string text = printed(line, width);
      CAPTURE(text);
      CAPTURE(width);
      CHECK(!text.empty());
      CHECK(widest_line(text) <= width);
    }
  }
}

TEST_CASE("width: the values of a flag continue after a bar") {
  cli::Command command("migrate", "Rewrite TrainJobs");
  std::string version;
  command.add("--from-version,--trainer-version", &version, "Version of the files")
      .one_of({"auto", "2.0", "2.1", "2.2", "2.3", "2.4"});
  CHECK(help_text(command, 60) ==
        "Rewrite TrainJobs\n\nUsage: migrate [FLAGS]\n\nFlags:\n"
        "  -h, --help                  Print this help and exit\n"
        "      --from-version, --trainer-version auto|2.0|2.1|2.2|\n"
        "        2.3|2.4\n"
        "                              Version of the files\n");
}

TEST_CASE("width: notes and errors continue on the next line, indented") {
  CHECK(printed({"render", "-o", "name", "--no-config", "--ssh-key", "omit", "mpi/a.yaml"}, 80) ==
        "configmap/a-mpi-hostfile\n"
        "jobset.jobset.x-k8s.io/a\n"
        "note: --ssh-key omit: create a Secret of type kubernetes.io/ssh-auth, with the\n"
        "    keys ssh-privatekey and ssh-publickey, before the job starts:\n"
        "    \"a-mpi-ssh-auth\" in namespace \"team\"\n");
  CHECK(printed({"lint", "--no-config", "jobs", "empty"}, 60) ==
        "trainjobc: empty contains no TrainJob and no runtime; -v\n"
        "    shows what was skipped, --allow-empty accepts this\n");
}

TEST_CASE("width: the table of runtimes") {
  CHECK(printed({"runtimes", "--trainer-version", "2.0"}, 0) ==
        R"(NAME                   FRAMEWORK  KIND                    FROM
deepspeed-distributed  deepspeed  ClusterTrainingRuntime  catalogue of Trainer 2.0
mlx-distributed        mlx        ClusterTrainingRuntime  catalogue of Trainer 2.0
mpi-distributed                   ClusterTrainingRuntime  catalogue of Trainer 2.0
torch-distributed      torch      ClusterTrainingRuntime  catalogue of Trainer 2.0
torchtune-llama3.2-1b  torchtune  ClusterTrainingRuntime  catalogue of Trainer 2.0
torchtune-llama3.2-3b  torchtune  ClusterTrainingRuntime  catalogue of Trainer 2.0
)");
  CHECK(printed({"runtimes", "--trainer-version", "2.0"}, 80) == R"(NAME                   FRAMEWORK  KIND
    FROM
deepspeed-distributed  deepspeed  ClusterTrainingRuntime
    catalogue of Trainer 2.0
mlx-distributed        mlx        ClusterTrainingRuntime
    catalogue of Trainer 2.0
mpi-distributed                   ClusterTrainingRuntime
    catalogue of Trainer 2.0
torch-distributed      torch      ClusterTrainingRuntime
    catalogue of Trainer 2.0
torchtune-llama3.2-1b  torchtune  ClusterTrainingRuntime
    catalogue of Trainer 2.0
torchtune-llama3.2-3b  torchtune  ClusterTrainingRuntime
    catalogue of Trainer 2.0
)");
}

TEST_CASE("width: an example that is too long continues on the next line") {
  CHECK(printed({"runtimes", "--help"}, 60)
            .ends_with("Examples:\n"
                       "  trainjobc runtimes\n"
                       "  trainjobc runtimes runtimes/\n"
                       "  trainjobc runtimes --show torch-distributed > \\\n"
                       "      runtimes/torch.yaml\n"
                       "  trainjobc runtimes --used-by torch-h100 jobs/\n"));
}

namespace {

struct Changed : DiffRun {
  Changed() {
    files.files["live.json"] = rendered();
    files.files["runtime.yaml"] = DiffRun::runtime("registry.example/a/long/path/to/another/image:2");
    flags.live = {"live.json"};
    flags.colour.choice = "never";
    console.variables["PAGER"] = "cat";
    console.terminal = true;
  }

  std::string on(size_t width) {
    console.width = width;
    CHECK(run() == 1);
    CHECK(widest_line(console.out) <= width);
    return console.out;
  }
};

}  // namespace

TEST_CASE("width: differences") {
  Changed run;
  CHECK(run.on(80) ==
        "JobSet team-a/demo\n"
        "! spec.replicatedJobs[node]…containers[node].image\n"
        "      \"registry.example/train:1\" →\n"
        "      \"registry.example/a/long/path/to/another/image:2\"\n"
        "      runtime.yaml:23  spec.template.spec.replicatedJobs[0]…containers[0].image\n"
        "  ! refused (1 field): spec.replicatedJobs is immutable\n"
        "    delete the JobSet and let it be recreated (kubectl delete jobset demo -n\n"
        "      team-a), or rename the TrainJob\n"
        "\n"
        "1 of 1 job differs\n");
  run.on(70);
  run.on(120);
}

TEST_CASE("width: a missing object, and texts of several lines") {
  Changed run;
  run.files.files["live.json"] = "{}";
  run.files.files["live.json"] = "apiVersion: v1\nkind: List\nitems: []\n";
  CHECK(run.on(60) ==
        "JobSet team-a/demo\n"
        "    missing: it would be created\n"
        "    job.yaml:4  metadata.name\n"
        "\n"
        "1 of 1 job differs\n"
        "cost: +2 pods in team-a\n");
}

TEST_CASE("width: what a change to files reaches") {
  Changed run;
  run.flags.live.clear();
  run.files.files["old/runtime.yaml"] = DiffRun::runtime();
  run.files.files["old/job.yaml"] = DiffRun::job("demo", "2");
  run.files.files["new/runtime.yaml"] = run.files.files["runtime.yaml"];
  run.files.files["new/job.yaml"] = DiffRun::job("demo", "2");
  run.flags.input.paths = {"old", "new"};
  CHECK(run.on(80) ==
        "new/runtime.yaml:23  spec.template.spec.replicatedJobs[0]…containers[0].image\n"
        "    changes 1 object\n"
        "  spec.replicatedJobs[node]…containers[node].image\n"
        "      \"registry.example/train:1\" →\n"
        "      \"registry.example/a/long/path/to/another/image:2\"\n"
        "  in JobSet team-a/demo\n"
        "\n"
        "1 of 1 job changes\nupdate: Trainer 2.3 does not change the JobSet of a TrainJob that exists: delete\n"
        "  team-a/demo and create it again (submit --replace)\n");
}

}  // namespace trainjobc::width_test
