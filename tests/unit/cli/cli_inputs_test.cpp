// SPDX-License-Identifier: Apache-2.0

// Which files of a directory are read, and under which configuration.
#include <doctest/doctest.h>

#include "cli/command.h"
#include "inputs/config.h"
#include "support/test_console.h"

namespace trainjobc::cli_inputs_test {
namespace {

std::string job(const std::string& name, const std::string& more = "") {
  return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: " + name +
         "\nspec:\n  runtimeRef:\n    name: torch-distributed\n" + more;
}

using test::run;
using test::Run;

std::string names(base::MemoryFileSystem& files, std::vector<std::string> words) {
  words.insert(words.begin(), {"render", "-o", "name"});
  const Run done = run(files, words);
  return done.out + done.err;
}

}  // namespace

TEST_CASE("directories are read recursively, except for hidden folders and what git ignores") {
  base::MemoryFileSystem files;
  files.files["jobs/a.yaml"] = job("a");
  files.files["jobs/x/b.yml"] = job("b");
  files.files["jobs/x/.hidden/c.yaml"] = job("c");
  files.files["jobs/x/out/d.yaml"] = job("d");
  files.files["jobs/x/out/keep.yaml"] = job("keep");
  files.files["jobs/x/notes.txt"] = job("e");
  files.files[".gitignore"] = "out/*\n";
  files.files["jobs/x/.gitignore"] = "!out/keep.yaml\n";
  const std::string a = "jobset.jobset.x-k8s.io/a\n";
  const std::string b = "jobset.jobset.x-k8s.io/b\n";
  CHECK(names(files, {"jobs"}) == a + b + "jobset.jobset.x-k8s.io/d\njobset.jobset.x-k8s.io/keep\n");
  files.files[".gitignore"] = "out/\n";
  CHECK(names(files, {"jobs"}) == a + b);
  CHECK(names(files, {"-R", "jobs"}) == a + b);
  CHECK(names(files, {"--no-recursive", "jobs"}) == a);
  CHECK(names(files, {"jobs", "./jobs/a.yaml"}) == a + b);
  CHECK(names(files, {"jobs/x/out"}) == "jobset.jobset.x-k8s.io/d\njobset.jobset.x-k8s.io/keep\n");
}

TEST_CASE(".git/info/exclude counts, and a nested repository has its own") {
  base::MemoryFileSystem files;
  files.files["repo/.git/info/exclude"] = "out/\n";
  files.files["repo/.gitignore"] = "*.tmp.yaml\n";
  files.files["repo/out/a.yaml"] = job("a");
  files.files["repo/b.tmp.yaml"] = job("b");
  files.files["repo/c.yaml"] = job("c");
  files.files["repo/sub/.git"] = "gitdir: ../.git/modules/sub\n";
  files.files["repo/.git/modules/sub/info/exclude"] = "e.yaml\n";
  files.files["repo/sub/d.tmp.yaml"] = job("d");
  files.files["repo/sub/e.yaml"] = job("e");
  CHECK(names(files, {"repo"}) == "jobset.jobset.x-k8s.io/c\njobset.jobset.x-k8s.io/d\n");
}

TEST_CASE("an empty directory is an error, empty files are a note with -v") {
  base::MemoryFileSystem files;
  files.files["empty/values.yaml"] = "image: a\n";
  files.files["jobs/a.yaml"] = job("a");
  const Run empty = run(files, {"lint", "jobs", "empty"});
  CHECK(empty.status == 2);
  CHECK(empty.err ==
        "trainjobc: empty contains no TrainJob and no runtime; -v shows what was "
        "skipped, --allow-empty accepts this\n");
  CHECK(run(files, {"lint", "--allow-empty", "empty"}).status == 0);
  const Run named = run(files, {"lint", "empty/values.yaml"});
  CHECK(named.status == 0);
  CHECK((named.out + named.err).empty());
  const Run verbose = run(files, {"lint", "-v", "empty/values.yaml"});
  CHECK(verbose.status == 0);
  CHECK(verbose.err == "note: empty/values.yaml:1 has no apiVersion and kind: skipped\n");
  CHECK(run(files, {"runtimes", "jobs"}).err ==
        "trainjobc: jobs contains no runtime; -k builds a kustomization, --allow-empty accepts this\n");
  CHECK(run(files, {"migrate", "empty"}).status == 2);
}

TEST_CASE("exclude leaves out files and folders, found or named") {
  base::MemoryFileSystem files;
  files.files[".trainjobc.yaml"] = "exclude: [charts/, '**/*.tmpl.yaml']\n";
  files.files["charts/x/a.yaml"] = job("a");
  files.files["jobs/b.tmpl.yaml"] = job("b");
  files.files["jobs/c.yaml"] = job("c");
  CHECK(names(files, {"."}) == "jobset.jobset.x-k8s.io/c\n");
  const Run named = run(files, {"lint", "charts/x/a.yaml"});
  CHECK(named.status == 0);
  CHECK(named.err == "note: skipped: charts/x/a.yaml is under exclude in the settings\n");
  const Run all = run(files, {"lint", "-v", "."});
  CHECK(all.err ==
        "note: charts/ is excluded by .trainjobc.yaml: skipped\n"
        "note: jobs/b.tmpl.yaml is excluded by .trainjobc.yaml: skipped\n");
  CHECK(names(files, {"--no-config", "."}) == R"(jobset.jobset.x-k8s.io/a
jobset.jobset.x-k8s.io/b
jobset.jobset.x-k8s.io/c
)");
}

TEST_CASE("each file has the settings of the nearest configuration above it") {
  base::MemoryFileSystem files;
  const std::string finding = "  trainer:\n    numNodes: 0\n    command: [torchrun]\n";
  files.files["one/.trainjobc.yaml"] = "rules: {advice/num-nodes-zero: warning}\nnamespace: team-one\n";
  files.files["one/x/a.yaml"] = job("a", finding);
  files.files["two/.trainjobc.yaml"] = "trainerVersion: v2.1.0\nfailOn: never\n";
  files.files["two/b.yaml"] = job("b", finding);
  files.files["c.yaml"] = job("c");
  const Run both = run(files, {"lint", "."});
  CHECK(
      both.out ==
      R"(c.yaml:5:1: warning: without spec.trainer the torch job gets no PET_* variables, which torchrun needs [advice/no-trainer-section]
    5 | spec:
      | ^~~~ add trainer: {}

one/x/a.yaml:9:15: warning: numNodes: 0: no pod trains, and the job counts as complete [advice/num-nodes-zero]
    9 |     numNodes: 0
      |               ^ write 1 or more; suspend: true keeps a job from starting

two/b.yaml:9:15: error: numNodes: 0: no pod trains, and the job counts as complete [advice/num-nodes-zero]
    9 |     numNodes: 0
      |               ^ write 1 or more; suspend: true keeps a job from starting

3 findings (1 error, 2 warnings) in 3 of 3 files; 1 fixable with --fix=all
)");
  CHECK(both.status == 0);
  CHECK(run(files, {"lint", "--fail-on", "warning", "."}).status == 1);
  CHECK(run(files, {"lint", "--no-config", "."}).status == 1);
  files.files["one/x/a.yaml"] = job("a");
  files.files["two/b.yaml"] = job("b");
  CHECK(names(files, {"."}) ==
        "jobset.jobset.x-k8s.io/c\njobset.jobset.x-k8s.io/a\njobset.jobset.x-k8s.io/b\n");
  CHECK(names(files, {"two", "one", "c.yaml"}) == names(files, {"."}));
}

TEST_CASE("the working directory's settings are those of its files and of standard input only") {
  base::MemoryFileSystem files;
  files.files[".trainjobc.yaml"] = "rules: {advice/no-trainer-section: error}\n";
  files.files["a.yaml"] = job("a");
  files.files["../zz.yaml"] = job("zz");
  const auto severity = [&](std::vector<std::string> words, const std::string& input = "") {
    words.insert(words.begin(), "lint");
    const std::string out = run(files, words, {}, input).out;
    return out.substr(0, out.find(": without"));
  };
  CHECK(severity({"a.yaml"}) == "a.yaml:5:1: error");
  CHECK(severity({"../zz.yaml"}) == "../zz.yaml:5:1: warning");
  CHECK(severity({"-"}, job("in")) == "<stdin>:5:1: error");
  CHECK(severity({"--config", ".trainjobc.yaml", "../zz.yaml"}) == "../zz.yaml:5:1: error");
}

namespace {

const std::string kMine =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n  name: mine\n"
    "  labels: {trainer.kubeflow.org/framework: torch}\nspec:\n  mlPolicy: {numNodes: 1}\n  template:\n"
    "    spec:\n      replicatedJobs:\n      - name: node\n        template:\n          metadata: {labels: "
    "{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}\n          spec: {template: {spec: "
    "{containers: [{name: node, image: a:1}]}}}\n";

std::string job_of_mine(const std::string& name, int nodes = 1) {
  std::string mine =
      job(name, "  trainer: {numNodes: " + std::to_string(nodes) + ", command: [torchrun, t.py]}\n");
  return mine.replace(mine.find("torch-distributed"), 17, "mine");
}

// A repository of two clusters, whose jobs and runtimes have the same names.
base::MemoryFileSystem two_clusters() {
  base::MemoryFileSystem files;
  for (const std::string cluster : {"prod", "staging"}) {
    const std::string folder = "clusters/" + cluster;
    files.files[folder + "/.trainjobc.yaml"] = "trainerVersion: '2.3'\n";
    files.files[folder + "/runtime.yaml"] = kMine;
    files.files[folder + "/job.yaml"] = job_of_mine("a", cluster == "prod" ? 4 : 1);
  }
  return files;
}

}  // namespace

TEST_CASE("scope: false: the groups share their runtimes, and no two define the same object") {
  base::MemoryFileSystem files;
  files.files["platform/.trainjobc.yaml"] = "scope: false\nrules: {advice/image-tag: off}\n";
  files.files["platform/rt.yaml"] = kMine;
  files.files["jobs/a.yaml"] = job_of_mine("a");
  CHECK(names(files, {"jobs", "platform"}) == "jobset.jobset.x-k8s.io/a\n");
  files.files["platform/again.yaml"] = job_of_mine("a");
  const std::string twice =
      "platform/again.yaml:4:9: error: TrainJob/default/a is defined twice [input/duplicate-object]\n"
      "    4 |   name: a\n"
      "      |         ^\n"
      "  note: the first one at jobs/a.yaml:4:9\n";
  const Run rendered = run(files, {"render", "jobs", "platform"});
  CHECK(rendered.status == 1);
  CHECK(rendered.err == twice);
  CHECK(run(files, {"lint", "jobs", "platform"}).out == twice + "\n1 finding (1 error) in 1 of 3 files\n");
  files.files.erase("platform/again.yaml");
  files.files["jobs/rt.yaml"] = kMine;
  for (const char* command : {"lint", "render", "plan"}) {
    const Run again = run(files, {command, "jobs", "platform"});
    CHECK(again.status == 1);
    CHECK((again.out + again.err).find("error: ClusterTrainingRuntime//mine is defined twice") !=
          std::string::npos);
  }
}

TEST_CASE("scope: false: what a configuration does not set is as in the one above it") {
  base::MemoryFileSystem files;
  files.files[".trainjobc.yaml"] =
      "failOn: warning\nruntimes: [platform]\nexclude: [team/old]\n"
      "rules: {advice/framework-label: error, advice/image-tag: error}\n";
  files.files["platform/rt.yaml"] = kMine;
  files.files["team/.trainjobc.yaml"] = "scope: false\nrules: {advice/image-tag: off}\n";
  files.files["team/a.yaml"] = job_of_mine("a");
  files.files["team/old/b.yaml"] = "kind: {\n";
  test::TestConsole console(files);
  inputs::Configurations configurations(console.files(), "", false);
  const auto config = configurations.of_file("team/a.yaml");
  CHECK(inputs::scope_of(*config) == ".");
  CHECK(config->fail_on == "warning");
  CHECK(config->runtimes == std::vector<std::string>{"platform"});
  CHECK(config->rules.at("advice/framework-label").severity == base::Severity::Error);
  CHECK(config->rules.at("advice/image-tag").severity == std::nullopt);
  CHECK(run(files, {"lint", "-v", "team"}).err ==
        "note: team/old/ is excluded by .trainjobc.yaml: skipped\n1 job: no findings\n");
}

TEST_CASE("a folder with a configuration is a scope: names and runtimes are its own") {
  base::MemoryFileSystem files = two_clusters();
  CHECK(run(files, {"lint", "."}).err == "2 jobs, 2 runtimes: no findings\n");
  const Run rendered = run(files, {"render", ".", "-o", "name"});
  CHECK(rendered.out == "jobset.jobset.x-k8s.io/a\njobset.jobset.x-k8s.io/a\n");
  CHECK(rendered.err ==
        "note: clusters/prod and clusters/staging both define TrainJob default/a, for a cluster each: "
        "--output-dir writes each scope into a folder of its own\n");
  CHECK(run(files, {"render", ".", "--output-dir", "out", "--prune-output"}).err.empty());
  CHECK(files.files.contains("out/clusters/prod/jobset.x-k8s.io_v1alpha2_jobset_a.yaml"));
  CHECK(files.files.contains("out/clusters/staging/jobset.x-k8s.io_v1alpha2_jobset_a.yaml"));
  CHECK(files.files["out/.trainjobc-output"] ==
        "clusters/prod/\nclusters/prod/jobset.x-k8s.io_v1alpha2_jobset_a.yaml\n"
        "clusters/staging/\nclusters/staging/jobset.x-k8s.io_v1alpha2_jobset_a.yaml\n");
  files.files["clusters/staging/job.yaml"] = job_of_mine("b");
  CHECK(run(files, {"render", "clusters", "--output-dir", "out", "--prune-output"}).err.empty());
  CHECK(!files.files.contains("out/clusters/staging/jobset.x-k8s.io_v1alpha2_jobset_a.yaml"));
  CHECK(files.files.contains("out/clusters/staging/jobset.x-k8s.io_v1alpha2_jobset_b.yaml"));
  CHECK(files.files.contains("out/clusters/prod/jobset.x-k8s.io_v1alpha2_jobset_a.yaml"));
  files = two_clusters();
  CHECK(run(files, {"plan", "clusters"}).out ==
        "SCOPE             JOB        NODES  PODS  PROCESSES  GANG  QUEUE  HOSTS\n"
        "clusters/prod     default/a  4      4     4          -     -      a-node-0-{0..3}.a\n"
        "clusters/staging  default/a  1      1     1          -     -      a-node-0-0.a\n"
        "\n"
        "SCOPE             NAMESPACE  QUEUE  JOBS  NODES  PODS  PROCESSES\n"
        "clusters/prod     default    -      1     4      4     4\n"
        "clusters/staging  default    -      1     1      1     1\n"
        "total                               2     5      5     5\n");
  const std::string shared = "clusters/prod and clusters/staging both define TrainJob default/a";
  const Run refused = run(files, {"diff", "--live", "live.json", "clusters"});
  CHECK(refused.status == 2);
  CHECK(refused.err == "trainjobc: " + shared + ": compare one scope at a time\n");
  CHECK(run(files, {"diff", "--from-version", "2.2", "--to-version", "2.3", "clusters"}).out ==
        "Trainer 2.2 → 2.3: no difference in 2 jobs\n");
  CHECK(run(files, {"submit", "clusters"}).err ==
        "trainjobc: " + shared +
            ", and a cluster has one of them: name the folder of one scope\nnothing was sent\n");
  CHECK(run(files, {"runtimes", "clusters", "-o", "name"}).out.find("mine\nmine\n") != std::string::npos);
  CHECK(run(files, {"runtimes", "clusters", "--used-by"}).out ==
        "SCOPE             RUNTIME  KIND                    JOB        FROM\n"
        "clusters/prod     mine     ClusterTrainingRuntime  default/a  clusters/prod/job.yaml:1\n"
        "clusters/staging  mine     ClusterTrainingRuntime  default/a  clusters/staging/job.yaml:1\n");
  CHECK(run(files, {"graph", "clusters"}).out.find("clusters/prod: TrainJob default/a") != std::string::npos);
}

TEST_CASE("a runtime of another scope serves no job, and the finding says where it is") {
  base::MemoryFileSystem files = two_clusters();
  files.files.erase("clusters/staging/runtime.yaml");
  CHECK(run(files, {"lint", "."}).out ==
        "clusters/staging/job.yaml:7:11: error: there is no ClusterTrainingRuntime \"mine\" [input/missing-runtime]\n"
        "    7 |     name: mine\n"
        "      |           ^~~~ clusters/prod/runtime.yaml:1 has one, in another scope: list its folder "
        "under "
        "runtimes in this scope's .trainjobc.yaml, or write scope: false if the two folders belong together\n"
        "\n1 finding (1 error) in 1 of 3 files\n");
  files.files["clusters/staging/.trainjobc.yaml"] = "runtimes: [../prod/runtime.yaml]\n";
  CHECK(run(files, {"lint", "."}).err == "2 jobs, 1 runtime: no findings\n");
}

TEST_CASE("an invalid configuration in a subfolder ends the command") {
  base::MemoryFileSystem files;
  files.files["jobs/.trainjobc.yaml"] = "failOn: warning\n---\nfailOn: never\n";
  files.files["jobs/a.yaml"] = job("a");
  const Run broken = run(files, {"lint", "jobs"});
  CHECK(broken.status == 2);
  CHECK(broken.err ==
        "jobs/.trainjobc.yaml:3:1: error: a configuration must be a single document [config/invalid]\n"
        "    3 | failOn: never\n"
        "      | ^~~~~~ remove everything after the \"---\"\n");
}

TEST_CASE("values of TRAINJOBC_* are checked like those of flags") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = job("a");
  const Run version = run(files, {"render", "a.yaml"}, {{"TRAINJOBC_TRAINER_VERSION", "3.1"}});
  CHECK(version.status == 2);
  CHECK(version.err == "trainjobc: TRAINJOBC_TRAINER_VERSION 3.1 is not one of auto, 2.0, 2.1, 2.2, 2.3, 2.4-preview\n");
  const Run level = run(files, {"lint", "a.yaml"}, {{"TRAINJOBC_FAIL_ON", "warn"}});
  CHECK(level.status == 2);
  CHECK(level.err == "trainjobc: TRAINJOBC_FAIL_ON warn is not one of error, warning, never\n");
  CHECK(run(files, {"lint", "a.yaml"}, {{"TRAINJOBC_FAIL_ON", "never"}}).status == 0);
  CHECK(run(files, {"lint", "a.yaml"}, {{"TRAINJOBC_RUNTIMES", "nowhere"}}).status == 2);
  CHECK(run(files, {"lint", "a.yaml"}, {{"TRAINJOBC_CONFIG", "nowhere.yaml"}}).status == 2);
}

TEST_CASE("a Trainer version may be written with v and patch") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = job("a");
  const std::string wanted = run(files, {"render", "--trainer-version", "2.1", "a.yaml"}).out;
  CHECK_FALSE(wanted.empty());
  for (const char* version : {"v2.1", "2.1.0", "v2.1.3"}) {
    CHECK(run(files, {"render", "--trainer-version", version, "a.yaml"}).out == wanted);
    CHECK(run(files, {"render", "a.yaml"}, {{"TRAINJOBC_TRAINER_VERSION", version}}).out == wanted);
    files.files["config"] = "trainerVersion: " + std::string(version) + "\n";
    CHECK(run(files, {"render", "--config", "config", "a.yaml"}).out == wanted);
  }
  for (const char* version : {"v2", "2.1.x", "2.1.", "vauto", "2.1.0.0"}) {
    CHECK(run(files, {"render", "--trainer-version", version, "a.yaml"}).status == 2);
  }
}

TEST_CASE("--job accepts a namespace") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = job("a") + "---\n" + job("b");
  CHECK(names(files, {"--job", "default/a", "a.yaml"}) == "jobset.jobset.x-k8s.io/a\n");
  CHECK(names(files, {"--job", "team/a", "--namespace", "team", "a.yaml"}) == "jobset.jobset.x-k8s.io/a\n");
  CHECK(run(files, {"render", "--job", "other/a", "a.yaml"}).status == 2);
}

}  // namespace trainjobc::cli_inputs_test
