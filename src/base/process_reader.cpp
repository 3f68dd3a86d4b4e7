// SPDX-License-Identifier: Apache-2.0

#include "base/process_reader.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "base/files/descriptor.h"
#include "base/held_signals.h"
#include "base/signal_descriptor.h"
#include "base/spawn.h"

namespace trainjobc::base {
namespace {

using std::chrono::milliseconds;

constexpr int kPauseOfEnding = 20;  // ms, for a program that closed its streams and still runs

struct Program {
  pid_t pid = 0;
  Pipe out;
  Pipe err;
  std::string said;  // to standard error

  bool is_silent() const { return !out.read.is_open() && !err.read.is_open(); }
};

bool has_ended(pid_t pid) {
  return await_end(pid, std::chrono::steady_clock::now(), -1) == Ended::Itself;
}

class RealProcessReader final : public ProcessReader {
 public:
  RealProcessReader() : held_(std::in_place) { signals_.open(held_->set()); }
  ~RealProcessReader() override {
    for (auto& [number, program] : programs_) ::kill(-program->pid, SIGTERM);
    for (auto& [number, program] : programs_) end_program(program->pid, true, SIGTERM);
    held_.reset();
    if (signal_ != 0) ::raise(signal_);
  }
  RealProcessReader(const RealProcessReader&) = delete;
  RealProcessReader& operator=(const RealProcessReader&) = delete;

  IoResult<size_t> start(const std::vector<std::string>& argv) override {
    const auto failure = [&](int error) {
      return IoError{fmt::format("run {}: {}", argv.front(), std::generic_category().message(error))};
    };
    if (!signals_.is_open()) return failure(EMFILE);
    Pipe in;
    auto program = std::make_unique<Program>();
    if (!in.open() || !program->out.open() || !program->err.open()) return failure(errno);
    Spawn spawn(true);
    spawn.connect(in.read, STDIN_FILENO);
    spawn.connect(program->out.write, STDOUT_FILENO);
    spawn.connect(program->err.write, STDERR_FILENO);
    if (const int error = spawn.start(argv, program->pid)) return failure(error);
    program->out.write.close();
    program->err.write.close();
    programs_.emplace(++last_, std::move(program));
    return last_;
  }

  ProcessNews next(milliseconds timeout) override {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (;;) {
      if (auto ended = find_ended()) return std::move(*ended);
      const auto left = std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now());
      if (auto news = wait(std::max(left, milliseconds(0)))) return std::move(*news);
      if (left.count() <= 0) return {};
    }
  }

 private:
  std::optional<ProcessNews> find_ended() {
    for (auto& [number, program] : programs_) {
      if (!program->is_silent() || !has_ended(program->pid)) continue;
      ProcessNews news{ProcessNews::Kind::Ended, number, "", {}, 0};
      news.result.status = reap(program->pid).value_or(-1);
      news.result.err = std::move(program->said);
      programs_.erase(number);
      return news;
    }
    return std::nullopt;
  }

  // nullopt: nothing new yet.
  std::optional<ProcessNews> wait(milliseconds time) {
    std::vector<pollfd> ready{{signals_.get(), POLLIN, 0}};
    bool any_silent = false;
    for (const auto& [number, program] : programs_) {
      // poll skips negative descriptors.
      ready.push_back({program->out.read.get(), POLLIN, 0});
      ready.push_back({program->err.read.get(), POLLIN, 0});
      any_silent = any_silent || program->is_silent();
    }
    const auto pause = any_silent ? std::min<milliseconds>(time, milliseconds(kPauseOfEnding)) : time;
    if (::poll(ready.data(), ready.size(), static_cast<int>(std::min<int64_t>(pause.count(), 60'000))) <= 0)
      return std::nullopt;
    if (ready[0].revents != 0) return read_signal();
    return read_programs(ready);
  }

  std::optional<ProcessNews> read_signal() {
    const int signal = signals_.take();
    if (signal == 0) return std::nullopt;
    signal_ = signal;
    return ProcessNews{ProcessNews::Kind::Interrupted, 0, "", {}, signal_};
  }

  std::optional<ProcessNews> read_programs(const std::vector<pollfd>& ready) {
    std::vector<size_t> speaking;
    size_t at = 1;
    for (auto& [number, program] : programs_) {
      if (ready[at++].revents != 0) speaking.push_back(number);
      if (ready[at++].revents != 0) drain(program->err.read, program->said);
    }
    if (speaking.empty()) return std::nullopt;
    // They take turns, so that one that writes all the time doesn't starve the others.
    const auto next = std::ranges::upper_bound(speaking, last_heard_);
    last_heard_ = next != speaking.end() ? *next : speaking.front();
    ProcessNews news{ProcessNews::Kind::Output, last_heard_, "", {}, 0};
    drain(programs_.at(last_heard_)->out.read, news.output);
    return news.output.empty() ? std::nullopt : std::optional(std::move(news));
  }

  std::optional<HeldSignals> held_;
  SignalDescriptor signals_;
  std::map<size_t, std::unique_ptr<Program>> programs_;
  size_t last_ = 0;
  size_t last_heard_ = 0;
  int signal_ = 0;  // that was received
};

}  // namespace

std::unique_ptr<ProcessReader> make_process_reader() {
  return std::make_unique<RealProcessReader>();
}

}  // namespace trainjobc::base
