// SPDX-License-Identifier: Apache-2.0

#include "support/properties/settling.h"

#include <fmt/format.h>

#include <string_view>

#include "base/files/file_system.h"
#include "base/files/paths.h"
#include "support/test_console.h"

namespace trainjobc::test {
namespace {

constexpr std::string_view kSeparator = "\n---\n";
constexpr std::string_view kRuntime =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: own}\n"
    "spec: {template: {spec: {replicatedJobs: []}}}\n";

struct LintRun {
  int status = 0;
  std::string out;
  std::string err;

  bool operator==(const LintRun&) const = default;
};

LintRun lint_repository(base::MemoryFileSystem& files, const std::string& format) {
  TestConsole console(files);
  LintRun run;
  run.status = cli::run({"lint", "jobs", "-o", format, "--threads", "1", "--allow-empty"}, console);
  run.out = std::move(console.out);
  run.err = std::move(console.err);
  return run;
}

}  // namespace

std::string wrong_with_settings(const std::string& text, bool runs_again) {
  const size_t end = text.find(kSeparator);
  base::MemoryFileSystem files;
  files.files["jobs/.trainjobc.yaml"] = text.substr(0, end == std::string::npos ? end : end + 1);
  files.files["jobs/a.yaml"] = end == std::string::npos ? "" : text.substr(end + kSeparator.size());
  files.files["jobs/runtimes/own.yaml"] = kRuntime;
  const LintRun run = lint_repository(files, "text");
  if (run.status < 0 || run.status > 2) return fmt::format("lint ends with {}", run.status);
  if (run.status == 2 && run.err.empty()) return "lint fails without a reason";
  if (!runs_again) return "";
  if (lint_repository(files, "text") != run) return "lint says something else the second time";
  const int status = lint_repository(files, "json").status;
  return status == run.status ? "" : fmt::format("lint ends with {}, as JSON with {}", run.status, status);
}

}  // namespace trainjobc::test
