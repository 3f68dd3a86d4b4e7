// SPDX-License-Identifier: Apache-2.0

// A watched cluster whose news follow a script.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/process_reader.h"
#include "support/submit.h"

namespace trainjobc::test {

// What a kubectl get --watch of a resource says, and how long after the news before.
struct ScriptedNews {
  std::string resource;  // "" for a signal
  base::ProcessNews news;
  std::chrono::milliseconds after{0};
};

// Reports the script in its order, each entry as soon as its watch has started.
class ScriptedWatches final : public base::ProcessReader {
 public:
  ScriptedWatches(std::deque<ScriptedNews>& script, std::vector<std::string>& commands, FakeClock& clock)
      : script_(script), commands_(commands), clock_(clock) {}

  base::IoResult<size_t> start(const std::vector<std::string>& argv) override {
    std::string command;
    for (const std::string& word : argv) command += (command.empty() ? "" : " ") + word;
    commands_.push_back(command);
    running_[argv[2]] = commands_.size();
    return commands_.size();
  }

  base::ProcessNews next(std::chrono::milliseconds timeout) override {
    if (script_.empty() || !is_running(script_.front())) {
      clock_.sleep(timeout);
      return {};
    }
    ScriptedNews& first = script_.front();
    if (first.after > timeout) {
      clock_.sleep(timeout);
      first.after -= timeout;
      return {};
    }
    if (first.after.count() > 0) clock_.sleep(first.after);
    base::ProcessNews news = std::move(first.news);
    news.program = running_[first.resource];
    if (news.kind == base::ProcessNews::Kind::Ended) running_.erase(first.resource);
    script_.pop_front();
    return news;
  }

 private:
  bool is_running(const ScriptedNews& news) const {
    return news.resource.empty() || running_.contains(news.resource);
  }

  std::deque<ScriptedNews>& script_;
  std::vector<std::string>& commands_;
  FakeClock& clock_;
  std::map<std::string, size_t> running_;
};

// submit --wait. The questions for JobSets are answered one after the other, the last one repeatedly.
struct WaitRun : SubmitRun {
  std::vector<base::ProcessResult> answers;
  size_t asked = 0;
  std::deque<ScriptedNews> script;
  std::vector<std::string> commands;  // of watches

  WaitRun() {
    flags.wait = true;
    runner.answer = [this](const base::ProcessRequest& request) {
      const bool is_question = gets(request, "JobSet") && !has(request, "--show-managed-fields");
      if (!is_question) return accepted(request);
      return answers[std::min(asked++, answers.size() - 1)];
    };
    runner.reader = [this] { return std::make_unique<ScriptedWatches>(script, commands, clock); };
  }

  void says(const std::string& resource, const std::string& type, const std::string& object,
            std::chrono::milliseconds after = std::chrono::seconds(1)) {
    base::ProcessNews news;
    news.kind = base::ProcessNews::Kind::Output;
    news.output = R"({"type": ")" + type + R"(", "object": )" + object + "}\n";
    script.push_back({resource, std::move(news), after});
  }

  void ends(const std::string& resource, base::ProcessResult result) {
    base::ProcessNews news;
    news.kind = base::ProcessNews::Kind::Ended;
    news.result = std::move(result);
    script.push_back({resource, std::move(news)});
  }

  void interrupts(int signal) {
    base::ProcessNews news;
    news.kind = base::ProcessNews::Kind::Interrupted;
    news.signal = signal;
    script.push_back({"", std::move(news), std::chrono::seconds(3)});
  }
};

inline constexpr const char* kJobSets = "jobsets.jobset.x-k8s.io";

}  // namespace trainjobc::test
