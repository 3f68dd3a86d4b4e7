// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/test_console.h"

namespace trainjobc::cli_render_test {
namespace {

constexpr const char* kJob =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: one\n  namespace: "
    "a\nspec:\n"
    "  runtimeRef:\n    name: torch-distributed\n";

constexpr const char* kMpiJob =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: two\n  namespace: "
    "b\nspec:\n"
    "  runtimeRef:\n    name: deepspeed-distributed\n";

using test::Run;

Run run(base::MemoryFileSystem& files, std::vector<std::string> arguments, const std::string& in = "") {
  arguments.emplace_back("--no-config");
  return test::run(files, arguments, {}, in);
}

}  // namespace

TEST_CASE("the order of the inputs and the number of threads change nothing") {
  base::MemoryFileSystem files;
  files.files["jobs/a.yaml"] = kJob;
  files.files["jobs/b.yaml"] = kMpiJob;
  const Run first = run(files, {"render", "--ssh-key", "omit", "jobs/a.yaml", "jobs/b.yaml"});
  const Run second =
      run(files, {"render", "--ssh-key", "omit", "--threads", "1", "jobs/b.yaml", "jobs/a.yaml"});
  const Run third = run(files, {"render", "--ssh-key", "omit", "jobs"});
  CHECK(first.status == 0);
  CHECK(first.out == second.out);
  CHECK(first.out == third.out);
}

TEST_CASE("--output-dir writes one file per object, one folder per namespace, Secrets for their owner only") {
  base::MemoryFileSystem files;
  files.files["jobs/a.yaml"] = kJob;
  files.files["jobs/b.yaml"] = kMpiJob;
  files.files["seed"] = "a seed of more than sixteen bytes";
  const Run result = run(files, {"render", "--ssh-key", "seed:seed", "--output-dir", "out", "jobs"});
  CHECK(result.status == 0);
  CHECK(result.out.empty());
  std::vector<std::pair<std::string, unsigned>> written(files.modes.begin(), files.modes.end());
  CHECK(written == std::vector<std::pair<std::string, unsigned>>{
                       {"out/a/jobset.x-k8s.io_v1alpha2_jobset_one.yaml", 0666},
                       {"out/b/jobset.x-k8s.io_v1alpha2_jobset_two.yaml", 0666},
                       {"out/b/v1_configmap_two-mpi-hostfile.yaml", 0666},
                       {"out/b/v1_secret_two-mpi-ssh-auth.yaml", 0600}});
}

TEST_CASE("a seed gives the same key each time, and --mask-secrets none") {
  base::MemoryFileSystem files;
  files.files["b.yaml"] = kMpiJob;
  files.files["seed"] = "a seed of more than sixteen bytes";
  const Run first = run(files, {"render", "--ssh-key", "seed:seed", "b.yaml"});
  const Run second = run(files, {"render", "--ssh-key", "seed:seed", "b.yaml"});
  CHECK(first.out == second.out);
  CHECK(first.err.empty());
  const Run masked = run(files, {"render", "--mask-secrets", "b.yaml"});
  CHECK(masked.out.find("ssh-privatekey: \"***\"") != std::string::npos);
  CHECK(masked.err.empty());
}

TEST_CASE("a generated key is noted, and never shown on stderr") {
  base::MemoryFileSystem files;
  files.files["b.yaml"] = kMpiJob;
  const Run result = run(files, {"render", "b.yaml"});
  CHECK(result.err ==
        "note: a Secret was rendered with a new SSH key: don't commit it; --ssh-key seed:FILE renders the "
        "same key each time, --ssh-key omit renders none\n");
}

TEST_CASE("--ssh-key omit lists the Secrets that must exist") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = kJob;
  files.files["b.yaml"] = kMpiJob;
  CHECK(run(files, {"render", "--ssh-key", "omit", "a.yaml"}).err.empty());
  const Run one = run(files, {"render", "--ssh-key", "omit", "a.yaml", "b.yaml"});
  CHECK(one.err ==
        "note: --ssh-key omit: create a Secret of type kubernetes.io/ssh-auth, with the keys ssh-privatekey "
        "and ssh-publickey, before the job starts: \"two-mpi-ssh-auth\" in namespace \"b\"\n");
  std::string other = kMpiJob;
  other.replace(other.find("two\n  namespace: b\n"), 19, "three\n");
  files.files["c.yaml"] = other;
  const Run two = run(files, {"render", "--ssh-key", "omit", "b.yaml", "c.yaml"});
  CHECK(two.err ==
        "note: --ssh-key omit: create Secrets of type kubernetes.io/ssh-auth, with the keys ssh-privatekey "
        "and ssh-publickey, before the jobs start: \"three-mpi-ssh-auth\", \"two-mpi-ssh-auth\" in "
        "namespace \"b\"\n");
  files.files["secret.yaml"] =
      "apiVersion: v1\nkind: Secret\nmetadata:\n  name: two-mpi-ssh-auth\n  namespace: b\n";
  CHECK(run(files, {"render", "--ssh-key", "omit", "--passthrough", "b.yaml", "secret.yaml"}).err.empty());
  CHECK(run(files, {"render", "--ssh-key", "omit", "-o", "name", "--keep-going", "b.yaml"})
            .err.find("two-mpi-ssh-auth") != std::string::npos);
}

TEST_CASE("a short seed is refused, and not shown") {
  base::MemoryFileSystem files;
  files.files["b.yaml"] = kMpiJob;
  files.files["seed"] = "hunter2";
  const Run result = run(files, {"render", "--ssh-key", "seed:seed", "b.yaml"});
  CHECK(result.status == 1);
  CHECK(result.out.empty());
  CHECK(result.err.find("hunter2") == std::string::npos);
}

TEST_CASE("nothing is printed when an input was rejected, unless --keep-going") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = std::string(kJob) + "---\na: [\n";
  const Run strict = run(files, {"render", "a.yaml"});
  CHECK(strict.status == 1);
  CHECK(strict.out.empty());
  const Run lax = run(files, {"render", "--keep-going", "-o", "name", "a.yaml"});
  CHECK(lax.status == 1);
  CHECK(lax.out == "jobset.jobset.x-k8s.io/one\n");
}

TEST_CASE("no input on a terminal is a usage error") {
  base::MemoryFileSystem files;
  test::TestConsole console(files);
  console.terminal = true;
  CHECK(cli::run({"render", "--no-config"}, console) == 2);
  CHECK(console.err == "trainjobc: no input: name a file or directory, or - for standard input\n");
}

TEST_CASE("a full disk never ends in 0") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] = kJob;
  test::TestConsole console(files);
  console.full = true;
  CHECK(cli::run({"render", "--no-config", "a.yaml"}, console) == 2);
  CHECK(console.err == "trainjobc: can't write the output\n");
}

TEST_CASE("--namespace is for jobs that name none") {
  base::MemoryFileSystem files;
  const std::string job = kJob;
  files.files["a.yaml"] = job;
  std::string bare = job;
  bare.erase(bare.find("  namespace: a\n"), 15);
  files.files["b.yaml"] = bare;
  CHECK(run(files, {"render", "-n", "c", "a.yaml"}).out == R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
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
  CHECK(run(files, {"render", "-n", "c", "b.yaml"}).out == R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: one
  namespace: c
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
  CHECK(run(files, {"render", "b.yaml"}).out == R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: one
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

TEST_CASE("colour: the flag beats NO_COLOR beats CLICOLOR_FORCE beats the terminal") {
  base::MemoryFileSystem files;
  test::TestConsole console(files);
  using cli::ColourChoice;
  CHECK_FALSE(cli::use_colour(ColourChoice::Auto, console, false));
  CHECK(cli::use_colour(ColourChoice::Auto, console, true));
  console.variables["TERM"] = "dumb";
  CHECK_FALSE(cli::use_colour(ColourChoice::Auto, console, true));
  console.variables["CLICOLOR_FORCE"] = "1";
  CHECK(cli::use_colour(ColourChoice::Auto, console, false));
  console.variables["NO_COLOR"] = "1";
  CHECK_FALSE(cli::use_colour(ColourChoice::Auto, console, true));
  CHECK(cli::use_colour(ColourChoice::Always, console, false));
}

TEST_CASE(
    "--prune-output with --keep-going leaves what a rejected job was rendered to, for a later run to "
    "remove") {
  base::MemoryFileSystem files;
  files.files["one.yaml"] = kJob;
  files.files["two.yaml"] = kMpiJob;
  const std::vector<std::string> prune{"render",       "--keep-going", "--ssh-key",      "omit",
                                       "--output-dir", "out",          "--prune-output", "one.yaml"};
  std::vector<std::string> both = prune;
  both.emplace_back("two.yaml");
  CHECK(run(files, both).status == 0);
  std::map<std::string, std::string> before = files.files;
  files.files["two.yaml"] += "  trainer: {numNode: 1}\n";
  before["two.yaml"] = files.files["two.yaml"];
  const Run rejected = run(files, both);
  CHECK(rejected.status == 1);
  CHECK(rejected.err == R"(two.yaml:9:13: error: unknown field "numNode" in spec.trainer [input/unknown-field]
    9 |   trainer: {numNode: 1}
      |             ^~~~~~~ did you mean "numNodes"?
note: --prune-output removed nothing because an input was rejected
)");
  // One namespace is left, and so no folder for it.
  before["out/jobset.x-k8s.io_v1alpha2_jobset_one.yaml"] =
      before["out/a/jobset.x-k8s.io_v1alpha2_jobset_one.yaml"];
  before["out/.trainjobc-output"] =
      "a/jobset.x-k8s.io_v1alpha2_jobset_one.yaml\nb/jobset.x-k8s.io_v1alpha2_jobset_two.yaml\n"
      "b/v1_configmap_two-mpi-hostfile.yaml\njobset.x-k8s.io_v1alpha2_jobset_one.yaml\n";
  CHECK(files.files == before);
  CHECK(run(files, prune).status == 0);
  std::vector<std::string> left;
  for (const auto& [name, text] : files.files) {
    if (name.starts_with("out/")) left.push_back(name);
  }
  CHECK(left ==
        std::vector<std::string>{"out/.trainjobc-output", "out/jobset.x-k8s.io_v1alpha2_jobset_one.yaml"});
}

TEST_CASE("a seed gives a job without a namespace a key of its own, whose namespace flags may set") {
  const auto key = [](const std::string& ns, const std::vector<std::string>& flags) {
    base::MemoryFileSystem files;
    files.files["seed"] = "a seed of more than sixteen bytes";
    std::string text = kMpiJob;
    files.files["b.yaml"] = text.replace(text.find("  namespace: b\n"), 15, ns);
    std::vector<std::string> arguments{"render", "--ssh-key", "seed:seed", "b.yaml"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const std::string out = run(files, arguments).out;
    const size_t at = out.find("ssh-privatekey: ");
    REQUIRE(at != std::string::npos);
    return out.substr(at, out.find('\n', at) - at);
  };
  const std::string none = key("", {});
  const std::string otherwise = key("  namespace: default\n", {});
  CHECK(none != otherwise);
  CHECK(key("", {"--namespace", "default"}) == otherwise);
  CHECK(key("  namespace: a\n", {}) != otherwise);
  CHECK(key("  namespace: a\n", {"--namespace", "default"}) == key("  namespace: a\n", {}));
}

TEST_CASE("a seed isn't a manifest or a configuration, so no message quotes it") {
  base::MemoryFileSystem files;
  files.files["/keys/seed"] = "a seed: of: more than sixteen bytes";
  files.files["/keys/other"] = "another: seed: of sixteen bytes";
  files.files["b.yaml"] = kMpiJob;
  const Run same = run(files, {"render", "--ssh-key", "seed:/keys/seed", "b.yaml", "/keys/../keys/seed"});
  CHECK(same.status == 2);
  CHECK(same.err == "trainjobc: open /keys/../keys/seed: SSH key files are never read as input\n");
  const Run folder =
      run(files, {"render", "--ssh-key-dir", "/keys", "--ssh-key", "seed:seed", "b.yaml", "/keys/other"});
  CHECK(folder.status == 2);
  CHECK(folder.err == "trainjobc: open /keys/other: SSH key files are never read as input\n");
  CHECK(run(files, {"render", "--ssh-key-dir", "/keys", "--ssh-key", "seed:seed", "b.yaml"}).status == 0);
}

}  // namespace trainjobc::cli_render_test
