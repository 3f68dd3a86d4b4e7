// SPDX-License-Identifier: Apache-2.0

#include "base/process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/signals.h"

namespace trainjobc::process_test {
namespace {

using namespace trainjobc::base;

ProcessResult run(std::vector<std::string> argv, std::string input = "") {
  RealProcessRunner runner;
  auto answer = runner.run({std::move(argv), std::move(input)});
  REQUIRE(std::holds_alternative<ProcessResult>(answer));
  return std::get<ProcessResult>(answer);
}

std::string error_of(const ProcessRequest& request) {
  RealProcessRunner runner;
  const auto answer = runner.run(request);
  REQUIRE(std::holds_alternative<IoError>(answer));
  return std::get<IoError>(answer).message;
}

}  // namespace

TEST_CASE("a process gets its arguments unchanged, and returns its status and streams") {
  const ProcessResult result =
      run({"sh", "-c", "printf '%s|' \"$@\"; echo oops >&2; exit 3", "sh", "a b", "$HOME", "-x"});
  CHECK(result.status == 3);
  CHECK(result.out == "a b|$HOME|-x|");
  CHECK(result.err == "oops\n");
}

TEST_CASE("input and output larger than a pipe go through") {
  const std::string text(1'000'000, 'x');
  CHECK(run({"cat"}, text).out == text);
}

TEST_CASE("output can be taken while it comes") {
  std::string taken;
  size_t most = 0;
  ProcessRequest request{.argv = {"cat"}, .input = std::string(1'000'000, 'x')};
  request.take_output = [&](std::string_view part) {
    taken += part;
    most = std::max(most, part.size());
  };
  RealProcessRunner runner;
  const auto answer = runner.run(request);
  REQUIRE(std::holds_alternative<ProcessResult>(answer));
  CHECK(std::get<ProcessResult>(answer).out.empty());
  CHECK(taken == request.input);
  CHECK(most < 100'000);
}

TEST_CASE("a process that doesn't read its input does no harm") {
  const ProcessResult result = run({"true"}, std::string(1'000'000, 'x'));
  CHECK(result.status == 0);
}

TEST_CASE("a signal is reported as in a shell") {
  CHECK(run({"sh", "-c", "kill -TERM $$"}).status == 143);
}

TEST_CASE("no descriptor but the standard ones is inherited") {
  const int fd = ::open("/dev/null", O_RDONLY);  // not close-on-exec
  const ProcessResult result = run({"sh", "-c", "ls /proc/self/fd | wc -l"});
  ::close(fd);
  CHECK(result.out == "4\n");  // three, and the one that ls reads the folder by
}

TEST_CASE("a program whose status is lost has failed") {
  struct sigaction before {};
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGCHLD, &ignored, &before);
  const std::string message = error_of({{"true"}});
  ::sigaction(SIGCHLD, &before, nullptr);
  CHECK(message == "run true: No child processes");
}

TEST_CASE("a missing program is an error") {
  CHECK(error_of({{"no-such-program-at-all"}}) == "run no-such-program-at-all: No such file or directory");
}

TEST_CASE("a program that takes too long is killed") {
  ProcessRequest request{{"sleep", "60"}};
  request.timeout = std::chrono::milliseconds(1000);
  CHECK(error_of(request) == "run sleep: no answer within 1 s");
}

TEST_CASE("what a program printed before it was ended is kept") {
  std::string printed;
  ProcessRequest request{{"sh", "-c", "echo one; echo two; exec sleep 60"}};
  request.timeout = std::chrono::milliseconds(1000);
  request.unfinished = &printed;
  CHECK(error_of(request) == "run sh: no answer within 1 s");
  CHECK(printed == "one\ntwo\n");
  request.timeout = std::chrono::milliseconds(0);
  const HeldSignals held;
  ::kill(::getpid(), SIGTERM);
  printed.clear();
  CHECK(error_of(request) == "run sh: interrupted");
  int taken = 0;
  sigwait(&held.set(), &taken);
  CHECK(taken == SIGTERM);
}

}  // namespace trainjobc::process_test
