// SPDX-License-Identifier: Apache-2.0

// `plan` in a team's rules beside what `trainjobc plan` prints, for all jobs of golden/.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "k8s/quantity.h"
#include "support/test_console.h"

namespace trainjobc::team_plan_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Texts = std::map<std::string, std::string>;  // by the object

constexpr const char* kRule =
    "policies:\n- id: plan\n  kinds: [TrainJob]\n  expression: 'false'\n  messageExpression: |\n"
    "    string(plan.nodes) + ' nodes, ' + string(plan.pods) + ' pods, ' +\n"
    "    (has(plan.processes) ? string(plan.processes) : '?') + ' processes, ' + string(plan.devices) + ' "
    "devices, ' +\n"
    "    string(double(plan.cpu)) + ' cores, ' + string(plan.memory) + ' bytes, ' +\n"
    "    plan.?queue.orValue('') + ',' + plan.?framework.orValue('') + ',' + plan.runtime\n";

json report_of(const std::string& input, std::vector<std::string> arguments) {
  base::MemoryFileSystem files;
  files.files["rules.yaml"] = kRule;
  files.files["input.yaml"] = input;
  arguments.emplace_back("input.yaml");
  return json::parse(test::run(files, arguments).out, nullptr, false);
}

Texts seen_by_rule(const std::string& input) {
  Texts texts;
  const json report = report_of(input, {"lint", "--config", "rules.yaml", "-o", "json"});
  for (const json& one : report["diagnostics"]) {
    if (one["rule"] == "team/plan") texts[one["object"]] = one["message"];
  }
  return texts;
}

Texts printed(const std::string& input) {
  Texts texts;
  for (const json& job : report_of(input, {"plan", "--no-config", "-o", "json"}).value("jobs", json())) {
    int64_t devices = 0;
    const auto amount = [&](const std::string& resource) {
      return k8s::Quantity::parse(job["requests"].value(resource, "0"));
    };
    for (const auto& [resource, text] : job["requests"].items()) {
      if (resource.find('/') != std::string::npos) devices += amount(resource)->value();
    }
    texts[job["object"]] = fmt::format(
        "{} nodes, {} pods, {} processes, {} devices, {} cores, {} bytes, {},{},{}", job["nodes"].dump(),
        job["pods"].dump(), job["processes"].is_null() ? "?" : job["processes"].dump(), devices,
        static_cast<double>(amount("cpu")->milli_value()) / 1000, amount("memory")->value(),
        job["queue"].get<std::string>(), job["framework"].get<std::string>(),
        job["runtime"].get<std::string>());
  }
  return texts;
}

}  // namespace

TEST_CASE("plan in a rule is what trainjobc plan prints") {
  size_t jobs = 0;
  for (const fs::directory_entry& folder : fs::directory_iterator(TRAINJOBC_SOURCE_DIR "/golden")) {
    std::ifstream file(folder.path() / "input.yaml");
    std::ostringstream input;
    input << file.rdbuf();
    Texts seen = seen_by_rule(input.str());
    for (const auto& [job, text] : printed(input.str())) {
      ++jobs;
      CHECK_MESSAGE(seen[job] == text, folder.path().filename().string());
    }
  }
  CHECK(jobs > 60);
}

}  // namespace trainjobc::team_plan_test
