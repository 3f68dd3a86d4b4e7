// SPDX-License-Identifier: Apache-2.0

// Runs commands, language servers and reviews over files in memory, many in one process. Each line of
// standard input is a request of attack_test.py, each line of standard output the answer to one of its runs.
// What crashes or hangs ends the process.
#include <fmt/format.h>
#include <sys/time.h>
#include <trainjobc/trainjobc.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/lsp_client.h"
#include "support/properties/reviewing.h"
#include "support/test_console.h"

namespace trainjobc::test {
namespace {

using Json = nlohmann::json;

// Programs that print what the request says.
class FakePrograms final : public base::ProcessRunner {
 public:
  explicit FakePrograms(Json programs) : programs_(std::move(programs)) {}

  base::IoResult<base::ProcessResult> run(const base::ProcessRequest& request) override {
    const auto found = programs_.find(request.argv[0]);
    if (found == programs_.end()) return base::io_error("run", request.argv[0], ENOENT);
    return base::ProcessResult{found->value("status", 0), found->value("out", ""), found->value("err", "")};
  }

 private:
  Json programs_;
};

// The most memory that the process has had since `forget`.
class Memory {
 public:
  static void forget() { std::ofstream("/proc/self/clear_refs") << "5"; }
  static long peak_kilobytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
    }
    return 0;
  }
};

long processor_microseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000L + now.tv_nsec / 1000;
}

constexpr int kProcessorSeconds = 60;  // of a run; a busy machine may take longer
constexpr unsigned kTimes = 20;        // as long by the clock, for one that waits

// After that, a signal ends the process; 0: no limit.
void limit_time(int seconds) {
  itimerval limit{};
  limit.it_value.tv_sec = seconds;
  static_cast<void>(::setitimer(ITIMER_PROF, &limit, nullptr));
  ::alarm(kTimes * static_cast<unsigned>(seconds));
}

Json run_command(base::MemoryFileSystem& files, const Json& run) {
  FakePrograms programs(run.contains("programs") ? run["programs"] : Json::object());
  TestConsole console(files);
  console.in = run.value("stdin", "");
  console.variables = run.value("variables", std::map<std::string, std::string>());
  console.terminal = run.value("terminal", false);
  console.programs = &programs;
  Json answer;
  try {
    answer["status"] = cli::run(run["arguments"].get<std::vector<std::string>>(), console);
  } catch (const std::exception& error) {  // as main() reports it
    answer["status"] = cli::kFailed;
    console.err += fmt::format("trainjobc: internal error, please report it: {}\n", error.what());
  }
  answer["out"] = console.out;
  answer["err"] = console.err;
  return answer;
}

// Each method at each position, and each code action that is offered resolved.
Json run_language_server(const base::MemoryFileSystem& files, const Json& run) {
  LspFiles disk;
  for (const auto& [path, text] : files.files) disk.disk.files["/repo/" + path] = text;
  LspClient client(disk);
  client.start();
  const std::string path = "/repo/" + run["path"].get<std::string>();
  client.open(path, disk.disk.files[path]);
  client.server.publish_early();
  client.server.publish();
  Json answer{{"unanswered", Json::array()}};
  std::string out;
  const auto request = [&](const std::string& method, Json params) {
    Json result = client.request(method, std::move(params));
    if (result == "no answer") answer["unanswered"].push_back(method);
    out += result.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    return result;
  };
  for (const Json& position : run["positions"]) {
    Json params = run.value("parameters", Json::object());
    params["textDocument"] = {{"uri", lsp::uri_of(path)}};
    params["position"] = {{"line", position[0]}, {"character", position[1]}};
    params["range"] = {{"start", params["position"]}, {"end", params["position"]}};
    for (const Json& method : run["methods"]) {
      const Json result = request(method, params);
      if (method != "textDocument/codeAction" || !result.is_array()) continue;
      for (const Json& action : result) request("codeAction/resolve", action);
    }
  }
  for (const Json& message : client.sent)
    out += message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  answer["status"] = 0;
  answer["out"] = std::move(out);
  answer["err"] = "";
  return answer;
}

// What the Python module binds: all of it over one file. The answer's text is what it shows to people.
Json run_library(const base::MemoryFileSystem& files, const std::string& path) {
  Request request{.inputs = {{path, files.text_of(path)}}, .ssh_key = SshKey::Omit};
  std::string out;
  const auto take_findings = [&](const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) out += finding.text;
  };
  if (const auto result = lint_manifests(request); const auto* lint = std::get_if<LintReport>(&result))
    take_findings(lint->findings);
  if (const auto result = render_manifests(request); const auto* rendering = std::get_if<Rendering>(&result))
    take_findings(rendering->findings);
  const auto explained = explain_manifests(request);
  if (const auto* explanation = std::get_if<Explanation>(&explained)) {
    take_findings(explanation->findings);
    for (const ExplainedObject& object : explanation->objects) {
      out += object.yaml;
      for (const FieldOrigin& field : object.fields) out += field.value + "\n";
    }
  }
  const auto planned = plan_manifests(request, {.ranks = true});
  if (const auto* plan = std::get_if<Report>(&planned)) out += plan->text + plan->markdown + plan->json;
  const auto differing = diff_versions(request, "2.1", "2.3");
  if (const auto* difference = std::get_if<Difference>(&differing)) out += difference->report.text;
  static_cast<void>(migrate_manifests(request));
  static_cast<void>(compose_manifests(request));
  return {{"status", 0}, {"out", out}, {"err", ""}};
}

Json run_one(base::MemoryFileSystem& files, const Json& run) {
  if (run.contains("methods")) return run_language_server(files, run);
  if (run.contains("library")) return run_library(files, run["library"]);
  if (run.contains("review"))
    return {{"status", 0}, {"out", wrong_with_review(run["review"].get<std::string>())}, {"err", ""}};
  return run_command(files, run);
}

// The files that are not as they were; null for one that is gone.
Json changes(const std::map<std::string, std::string>& before,
             const std::map<std::string, std::string>& after) {
  Json changed = Json::object();
  for (const auto& [path, text] : after) {
    const auto found = before.find(path);
    if (found == before.end() || found->second != text) changed[path] = text;
  }
  for (const auto& [path, text] : before) {
    if (!after.contains(path)) changed[path] = nullptr;
  }
  return changed;
}

void answer_request(const Json& request) {
  const auto given = request["files"].get<std::map<std::string, std::string>>();
  base::MemoryFileSystem files;
  for (const Json& run : request["runs"]) {
    if (!run.value("keep", false)) files.files = given;
    const auto before = files.files;
    limit_time(kProcessorSeconds);
    Memory::forget();
    const long start = processor_microseconds();
    Json answer = run_one(files, run);
    answer["microseconds"] = processor_microseconds() - start;
    answer["kilobytes"] = Memory::peak_kilobytes();
    limit_time(0);
    answer["changed"] = changes(before, files.files);
    std::cout << answer.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n" << std::flush;
  }
}

}  // namespace
}  // namespace trainjobc::test

int main() {
  for (std::string line; std::getline(std::cin, line);)
    trainjobc::test::answer_request(nlohmann::json::parse(line));
  return 0;
}
