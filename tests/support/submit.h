// SPDX-License-Identifier: Apache-2.0

// What the tests of `trainjobc submit` share: a fake cluster.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/commands.h"
#include "support/diff.h"

namespace trainjobc::test {

// A clock whose time passes only during sleeps, until a signal comes.
class FakeClock final : public base::Clock {
 public:
  int signal = 0;
  Time signal_at{};

  Time now() override { return now_; }
  std::unique_ptr<base::Sleeper> make_sleeper() override { return std::make_unique<FakeSleeper>(*this); }

 private:
  class FakeSleeper final : public base::Sleeper {
   public:
    explicit FakeSleeper(FakeClock& clock) : clock_(clock) {}
    int sleep(std::chrono::milliseconds time) override {
      const bool comes = clock_.signal != 0 && clock_.signal_at <= clock_.now_ + time;
      clock_.now_ = comes ? std::max(clock_.now_, clock_.signal_at) : clock_.now_ + time;
      return comes ? clock_.signal : 0;
    }

   private:
    FakeClock& clock_;
  };

  Time now_{};
};

// A run of the command with files in memory. By default, the cluster is empty, has no Trainer, and accepts
// everything.
struct SubmitRun {
  base::MemoryFileSystem files;
  TestConsole console{files};
  FakeRunner runner;
  FakeClock clock;
  cli::SubmitFlags flags;

  SubmitRun() {
    console.programs = &runner;
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
    return cli::run_submit(console, flags, clock);
  }

  // kubectl's output if all objects succeed; empty for other calls.
  static base::ProcessResult accepted(const base::ProcessRequest& request) {
    base::ProcessResult result;
    if (gets(request, "TrainJob"))
      return {1, "",
              "error: no matches for kind \"TrainJob\" in version \"trainer.kubeflow.org/v1alpha1\"\n"};
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
    if (kind == "TrainJob") return "trainjob.trainer.kubeflow.org";
    if (kind == "ClusterTrainingRuntime") return "clustertrainingruntime.trainer.kubeflow.org";
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

// submit --wait. kubectl's answers change with the time.
struct WaitRun : SubmitRun {
  using Time = std::chrono::milliseconds;
  // By resource: the answers, each from its time on.
  std::map<std::string, std::map<Time, base::ProcessResult>> answers;
  size_t asked = 0;                   // for JobSets
  std::vector<std::string> commands;  // of polls

  WaitRun() {
    flags.wait = true;
    runner.answer = [this](const base::ProcessRequest& request) {
      const bool is_poll = request.argv[1] == "get" && (request.argv[2] != "-f" || gets(request, "JobSet")) &&
                           !has(request, "--show-managed-fields");
      return is_poll ? polled(request) : accepted(request);
    };
  }

  void from(std::chrono::seconds time, const std::string& resource, const std::string& objects) {
    answers[resource][time] = {0, objects, ""};
  }
  void fails(std::chrono::seconds time, const std::string& resource, const std::string& error) {
    answers[resource][time] = {1, "", error};
  }
  void interrupts(std::chrono::seconds after, int signal) {
    clock.signal = signal;
    clock.signal_at = base::Clock::Time(after);
  }
  std::chrono::seconds passed() {
    return std::chrono::duration_cast<std::chrono::seconds>(clock.now().time_since_epoch());
  }

 private:
  base::ProcessResult polled(const base::ProcessRequest& request) {
    std::string command;
    for (const std::string& word : request.argv) command += (command.empty() ? "" : " ") + word;
    commands.push_back(command);
    const bool is_job_set = request.argv[2] == "-f";
    asked += is_job_set ? 1 : 0;
    const auto& timeline = answers[is_job_set ? kJobSets : request.argv[2]];
    const auto next = timeline.upper_bound(std::chrono::duration_cast<Time>(clock.now().time_since_epoch()));
    if (next != timeline.begin()) return std::prev(next)->second;
    // kubectl prints a List without items; nothing with --ignore-not-found.
    return {0, is_job_set ? "" : R"({"apiVersion": "v1", "kind": "List", "items": []})", ""};
  }

 public:
  static constexpr const char* kJobSets = "jobsets.jobset.x-k8s.io";
};

}  // namespace trainjobc::test
