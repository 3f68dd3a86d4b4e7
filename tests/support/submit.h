// SPDX-License-Identifier: Apache-2.0

// What the tests of `trainjobc submit` share: a fake cluster.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/commands/submit/submit_command.h"
#include "support/diff.h"

namespace trainjobc::test {

// A clock whose time passes only during sleeps.
class FakeClock final : public base::Clock {
 public:
  Time now() override { return now_; }
  void sleep(std::chrono::milliseconds time) override {
    now_ += time;
    ++sleeps;
  }
  int sleeps = 0;

 private:
  Time now_{};
};

// A run of the command with files in memory. By default, the cluster is empty and accepts everything.
struct SubmitRun {
  base::MemoryFileSystem files;
  TestConsole console{files};
  FakeRunner runner;
  FakeClock clock;
  cli::SubmitFlags flags;

  SubmitRun() {
    flags.input.no_catalogue = true;
    flags.input.trainer_version = "2.3";
    flags.input.paths = {"runtime.yaml", "job.yaml"};
    files.files["runtime.yaml"] = DiffRun::runtime();
    files.files["job.yaml"] = DiffRun::job("demo", "2");
    runner.answer = [](const base::ProcessRequest& request) { return accepted(request); };
  }

  int run() {
    runner.requests.clear();
    console.out.clear();
    console.err.clear();
    return cli::run_submit(console, flags, {runner, clock});
  }

  // kubectl's output if all objects succeed; empty for other calls.
  static base::ProcessResult accepted(const base::ProcessRequest& request) {
    base::ProcessResult result;
    if (request.argv[1] != "apply" && request.argv[1] != "create") return result;
    std::string kind;
    for (size_t at = 0; at < request.input.size();) {
      const size_t end = request.input.find('\n', at);
      const std::string line = request.input.substr(at, end - at);
      if (line.starts_with("kind: ")) kind = line.substr(6);
      if (line.starts_with("  name: "))
        result.out += printed(kind) + "/" + line.substr(8) + " serverside-applied\n";
      at = end + 1;
    }
    return result;
  }

  static std::string printed(const std::string& kind) {
    if (kind == "JobSet") return "jobset.jobset.x-k8s.io";
    return kind == "Secret" ? "secret" : "configmap";
  }

  // The rendered objects as a cluster would return them.
  std::string rendered() {
    DiffRun other;
    other.files.files = files.files;
    return other.rendered();
  }

  // Whether a call gets objects of that kind.
  static bool gets(const base::ProcessRequest& request, const std::string& kind) {
    return request.argv[1] == "get" && request.input.find("\"kind\": \"" + kind + '"') != std::string::npos;
  }

  // Whether a call's words include `word`.
  static bool has(const base::ProcessRequest& request, const std::string& word) {
    return std::ranges::find(request.argv, word) != request.argv.end();
  }
};

}  // namespace trainjobc::test
