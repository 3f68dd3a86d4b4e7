// SPDX-License-Identifier: Apache-2.0

#include "cli/progress_line.h"

#include <doctest/doctest.h>

#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace trainjobc::progress_line_test {
namespace {

using Lines = std::vector<std::string>;

// What a terminal was sent.
class Terminal {
 public:
  cli::ProgressLine::Write write() {
    return [this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(line);
    };
  }
  Lines lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  void wait_for(size_t count) {
    constexpr int kMost = 1000;
    for (int i = 0; i < kMost && lines().size() < count; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

 private:
  std::mutex mutex_;
  Lines lines_;
};

}  // namespace

TEST_CASE("progress: steps are shown, and the line is gone at the end") {
  Terminal terminal;
  cli::ProgressLine line(terminal.write(), std::chrono::milliseconds(0));
  {
    const base::Work work(&line, "running kustomize", 3);
    terminal.wait_for(1);
    {
      const base::Work inner(&line, "running git", 2);
      inner.step();
    }
    work.step();
    terminal.wait_for(2);
  }
  CHECK(terminal.lines() == Lines{"running kustomize: 0 of 3", "running kustomize: 1 of 3", ""});
  {
    const base::Work work(&line, "running kubectl", 0);
    terminal.wait_for(4);
  }
  CHECK(terminal.lines() ==
        Lines{"running kustomize: 0 of 3", "running kustomize: 1 of 3", "", "running kubectl …", ""});
}

TEST_CASE("progress: steps may turn up later") {
  Terminal terminal;
  cli::ProgressLine line(terminal.write(), std::chrono::milliseconds(0));
  {
    const base::Work work(&line, "compiling TrainJobs", 0);
    terminal.wait_for(1);
    work.expect(2);
    work.expect(1);
    work.step();
    terminal.wait_for(2);
    const base::Work inner(&line, "running git", 0);
    inner.expect(5);
  }
  CHECK(terminal.lines() == Lines{"compiling TrainJobs …", "compiling TrainJobs: 1 of 3", ""});
}

TEST_CASE("progress: nothing is said of short work, and of what is to be silent") {
  Terminal terminal;
  cli::ProgressLine line(terminal.write(), std::chrono::hours(1));
  { const base::Work work(&line, "running kustomize", 3); }
  cli::ProgressLine impatient(terminal.write(), std::chrono::milliseconds(0));
  {
    const base::Work silent(&impatient, "", 0);
    const base::Work work(&impatient, "running kustomize", 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  CHECK(terminal.lines().empty());
  const base::Work nobody(nullptr, "running kustomize", 3);
  nobody.step();
}

}  // namespace trainjobc::progress_line_test
