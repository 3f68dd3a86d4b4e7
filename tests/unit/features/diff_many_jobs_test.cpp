// SPDX-License-Identifier: Apache-2.0

// diff of files with many jobs: those that differ are made again, a few at a time and on several threads.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/test_console.h"

namespace trainjobc::diff_many_jobs_test {
namespace {

constexpr size_t kJobs = 100;

std::string job(size_t number, size_t nodes) {
  return fmt::format(
      "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {{name: j{:03}}}\nspec:\n"
      "  runtimeRef: {{name: torch-distributed}}\n  trainer: {{image: img, numNodes: {}}}\n",
      number, nodes);
}

struct Diff {
  base::MemoryFileSystem files;
  test::TestConsole console{files};

  // j001 is removed, j100 is added, and of the others every third changes.
  Diff() {
    for (size_t i = 0; i < kJobs; ++i) files.files["old.yaml"] += job(i, 2);
    for (size_t i = kJobs + 1; i-- > 0;) {
      if (i != 1) files.files["new.yaml"] += job(i, i % 3 == 0 ? 3 : 2);
    }
  }

  std::string run(const std::string& threads, const std::string& format = "text") {
    console.out.clear();
    console.err.clear();
    const int status =
        cli::run({"diff", "--from", "old.yaml", "new.yaml", "--threads", threads, "-o", format}, console);
    CHECK(status == 1);
    CHECK(console.err == (format == "unified" ? "note: cost: +34 pods in default\n" : ""));
    return console.out;
  }
};

}  // namespace

TEST_CASE("diff of many jobs: all that differ are reported, in order") {
  Diff diff;
  const std::string patch = diff.run("1", "unified");
  size_t at = 0;
  for (size_t i = 0; i <= kJobs; ++i) {
    if (i % 3 != 0 && i != kJobs) continue;
    const std::string header = fmt::format(
        "diff -u -N OLD/jobset.x-k8s.io.v1alpha2.JobSet.default.j{0:03} "
        "NEW/jobset.x-k8s.io.v1alpha2.JobSet.default.j{0:03}\n",
        i);
    const size_t found = patch.find(header, at);
    CAPTURE(header);
    REQUIRE(found != std::string::npos);
    at = found + 1;
  }
  // The removed one comes last.
  CHECK(patch.find("JobSet.default.j001 NEW/", at) != std::string::npos);
  CHECK(patch.find("JobSet.default.j002") == std::string::npos);
  const std::string text = diff.run("1");
  CHECK(text.substr(text.find("JobSet default/j100")) ==
        "JobSet default/j100   added\n"
        "JobSet default/j001   removed\n"
        "\n"
        "34 of 100 jobs change, 1 job added, 1 object removed\n"
        "cost: +34 pods in default\n"
        "update: Trainer 2.3 refuses to change spec.trainer of a TrainJob that exists: delete default/j000, "
        "default/j003 and 32 more and create them again (submit --replace)\n");
}

TEST_CASE("diff of many jobs: the number of threads does not change the report") {
  Diff diff;
  for (const char* format : {"text", "unified", "json", "markdown"}) {
    const std::string expected = diff.run("1", format);
    CHECK(diff.run("2", format) == expected);
    CHECK(diff.run("8", format) == expected);
  }
}

}  // namespace trainjobc::diff_many_jobs_test
