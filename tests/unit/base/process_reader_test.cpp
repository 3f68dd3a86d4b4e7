// SPDX-License-Identifier: Apache-2.0

#include "base/process_reader.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/spawn.h"

namespace trainjobc::process_reader_test {
namespace {

using namespace trainjobc::base;
using Kind = ProcessNews::Kind;
using std::chrono::milliseconds;

constexpr milliseconds kLong{20'000};

size_t start(ProcessReader& reader, const std::string& script) {
  const auto started = reader.start({"sh", "-c", script});
  REQUIRE(std::holds_alternative<size_t>(started));
  return std::get<size_t>(started);
}

// Everything until a program has ended.
ProcessNews until_end(ProcessReader& reader, std::map<size_t, std::string>& outputs) {
  for (;;) {
    ProcessNews news = reader.next(kLong);
    if (news.kind != Kind::Output) return news;
    outputs[news.program] += news.output;
  }
}

// Whether a process of that number is there, and no zombie.
bool runs(const std::string& pid) {
  std::ifstream file("/proc/" + std::to_string(std::stol(pid)) + "/stat");
  std::string stat;
  return std::getline(file, stat) && stat.substr(stat.rfind(')')).substr(0, 3) != ") Z";
}

volatile std::sig_atomic_t g_signals = 0;

}  // namespace

TEST_CASE("programs are read while they run") {
  const auto folder = std::filesystem::temp_directory_path() / ("reader-" + std::to_string(::getpid()));
  const auto reader = make_process_reader();
  const size_t one = start(
      *reader, "echo first; until [ -e '" + folder.string() + "' ]; do sleep 0.05; done; cat; echo second");
  CHECK(reader->next(kLong).output == "first\n");
  std::filesystem::create_directory(folder);
  std::map<size_t, std::string> outputs;
  const ProcessNews news = until_end(*reader, outputs);
  std::filesystem::remove(folder);
  CHECK(news.kind == Kind::Ended);
  CHECK(news.program == one);
  CHECK(outputs[one] == "second\n");
}

TEST_CASE("programs side by side, each with its output, status and complaints") {
  const auto reader = make_process_reader();
  const size_t one = start(*reader, "printf '%100000s' x; echo oops >&2; exit 3");
  const size_t two = start(*reader, "sleep 0.2; echo two");
  std::map<size_t, std::string> outputs;
  const ProcessNews first = until_end(*reader, outputs);
  CHECK(first.program == one);
  CHECK(first.result.status == 3);
  CHECK(first.result.err == "oops\n");
  const ProcessNews second = until_end(*reader, outputs);
  CHECK(second.program == two);
  CHECK(second.result.status == 0);
  CHECK(outputs[one].size() == 100'000);
  CHECK(outputs[two] == "two\n");
  CHECK(reader->next(milliseconds(1)).kind == Kind::Nothing);
}

TEST_CASE("a missing program to read is an error") {
  const auto started = make_process_reader()->start({"no-such-program-at-all"});
  REQUIRE(std::holds_alternative<IoError>(started));
  CHECK(std::get<IoError>(started).message == "run no-such-program-at-all: No such file or directory");
}

TEST_CASE("programs end with their reader, and so do their child processes") {
  std::string pids[2];
  {
    const auto reader = make_process_reader();
    start(*reader, "sleep 60 & echo $!; exec sleep 60");
    pids[0] = reader->next(kLong).output;
    start(*reader, "sleep 60 & echo $!; exec sleep 60");
    pids[1] = reader->next(kLong).output;
    CHECK(runs(pids[0]));
    CHECK(runs(pids[1]));
  }
  for (const std::string& pid : pids) {
    for (int i = 0; i < 200 && runs(pid); ++i) ::usleep(10'000);
    CHECK_FALSE(runs(pid));
  }
}

TEST_CASE("programs end with this process even if it is killed") {
  Pipe pids;
  REQUIRE(pids.open());
  const pid_t child = ::fork();
  if (child == 0) {
    const auto reader = make_process_reader();
    (void)reader->start({"sh", "-c", "echo $$; exec sleep 60"});
    const std::string pid = reader->next(kLong).output;
    if (::write(pids.write.get(), pid.data(), pid.size()) > 0) ::raise(SIGKILL);
    ::_exit(1);
  }
  pids.write.close();
  std::string pid;
  while (pids.read.is_open()) drain(pids.read, pid);
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  for (int i = 0; i < 200 && runs(pid); ++i) ::usleep(50'000);
  CHECK_FALSE(runs(pid));
}

TEST_CASE("a signal is reported, and takes effect when the reader is destroyed") {
  struct sigaction before {};
  struct sigaction counting {};
  counting.sa_handler = [](int) { g_signals = g_signals + 1; };
  ::sigaction(SIGTERM, &counting, &before);
  g_signals = 0;
  {
    const auto reader = make_process_reader();
    ::raise(SIGTERM);
    const ProcessNews news = reader->next(kLong);
    CHECK(news.kind == Kind::Interrupted);
    CHECK(news.signal == SIGTERM);
    // What is run meanwhile is not interrupted by it.
    RealProcessRunner runner;
    const auto answer = runner.run({{"true"}});
    CHECK(std::holds_alternative<ProcessResult>(answer));
    CHECK(g_signals == 0);
  }
  CHECK(g_signals == 1);
  ::sigaction(SIGTERM, &before, nullptr);
}

}  // namespace trainjobc::process_reader_test
