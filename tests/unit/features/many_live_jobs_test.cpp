// SPDX-License-Identifier: Apache-2.0

// diff --live and submit with many jobs: their objects are made again, a few at a time and on several
// threads.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/submit.h"

namespace trainjobc::many_live_jobs_test {
namespace {

constexpr size_t kJobs = 150;

std::string job(size_t number, size_t nodes) {
  return fmt::format(
      "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {{name: j{:03}}}\nspec:\n"
      "  runtimeRef: {{name: torch-distributed}}\n  trainer: {{image: img, numNodes: {}}}\n",
      number, nodes);
}

// The documents as the items of one.
std::string as_list(const std::string& documents) {
  std::string list = "apiVersion: v1\nkind: List\nitems:\n";
  std::string_view indent = "- ";
  for (size_t at = 0; at < documents.size();) {
    const size_t end = documents.find('\n', at);
    const std::string line = documents.substr(at, end - at);
    at = end + 1;
    if (line == "---") {
      indent = "- ";
      continue;
    }
    list.append(std::exchange(indent, "  ")).append(line).append("\n");
  }
  return list;
}

// The cluster has j001, which the inputs lack; j150 is missing there, and of the others each third differs.
base::MemoryFileSystem saved_and_new() {
  base::MemoryFileSystem files;
  for (size_t i = 0; i < kJobs; ++i) files.files["old.yaml"] += job(i, 2);
  for (size_t i = kJobs + 1; i-- > 0;) {
    if (i != 1) files.files["new.yaml"] += job(i, i % 3 == 0 ? 3 : 2);
  }
  files.files["live.yaml"] = test::run(files, {"render", "--with-defaults", "old.yaml"}).out;
  files.files["list.yaml"] = as_list(files.files["live.yaml"]);
  return files;
}

}  // namespace

TEST_CASE("diff with many saved objects: all that differ are reported, in order") {
  base::MemoryFileSystem files = saved_and_new();
  const test::Run run = test::run(files, {"diff", "--live", "live.yaml", "new.yaml", "-o", "unified"});
  CHECK(run.status == 1);
  size_t at = 0;
  for (size_t i = 0; i <= kJobs; ++i) {
    if (i % 3 != 0) continue;
    const std::string header = fmt::format("MERGED/jobset.x-k8s.io.v1alpha2.JobSet.default.j{:03}\n", i);
    const size_t found = run.out.find(header, at);
    CAPTURE(header);
    REQUIRE(found != std::string::npos);
    at = found + 1;
  }
  // What only the cluster has comes last.
  CHECK(run.out.find("JobSet.default.j001 MERGED/", at) != std::string::npos);
  CHECK(run.out.find("JobSet.default.j002") == std::string::npos);
}

TEST_CASE("diff with many saved objects: neither threads nor a List change the report") {
  base::MemoryFileSystem files = saved_and_new();
  for (const char* format : {"text", "unified", "json", "markdown"}) {
    const auto report = [&](const char* live, const char* threads) {
      const test::Run run =
          test::run(files, {"diff", "--live", live, "new.yaml", "-o", format, "--threads", threads});
      CHECK(run.status == 1);
      return run.out;
    };
    const std::string expected = report("live.yaml", "1");
    CHECK(report("live.yaml", "8") == expected);
    CHECK(report("list.yaml", "2") == expected);
  }
}

TEST_CASE("submit sends many jobs as render prints them") {
  test::SubmitRun run;
  run.flags.input.no_catalogue = false;
  run.flags.input.paths = {"jobs.yaml"};
  std::string created;
  for (size_t i = 0; i < kJobs; ++i) {
    run.files.files["jobs.yaml"] += job(i, 2);
    created += fmt::format("JobSet j{:03} created\n", i);
  }
  CHECK(run.run() == 0);
  CHECK(run.console.out == created + "150 jobs: 150 created\n");
  const std::string printed = test::run(run.files, {"render", "jobs.yaml"}).out;
  CHECK(run.runner.requests.back().input == "---\n" + printed);

  // As the cluster stores them.
  const std::string live = test::run(run.files, {"render", "--with-defaults", "-o", "json", "jobs.yaml"}).out;
  run.runner.answer = [&](const base::ProcessRequest& request) -> base::IoResult<base::ProcessResult> {
    if (test::SubmitRun::gets(request, "JobSet")) return base::ProcessResult{0, live, ""};
    return test::SubmitRun::accepted(request);
  };
  CHECK(run.run() == 0);
  CHECK(run.console.out.ends_with("150 jobs: 150 unchanged\n"));
  CHECK(run.runner.requests.back().input == "---\n" + printed);
}

}  // namespace trainjobc::many_live_jobs_test
