// SPDX-License-Identifier: Apache-2.0

// trainjobc version
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "k8s/violations.h"
#include "model/behaviours.h"
#include "model/trainer_names.h"

namespace trainjobc::cli {
namespace {

std::string as_json() {
  auto trainers = nlohmann::ordered_json::array();
  for (const model::Behaviours& row : model::all_behaviours()) {
    trainers.push_back({{"trainer", row.trainer}, {"jobSet", row.jobset}});
  }
  auto rules = nlohmann::ordered_json::array();
  for (const k8s::RuleSource& row : k8s::kRuleSources) {
    rules.push_back({{"of", row.rules}, {"project", row.project}, {"release", row.release}});
  }
  const nlohmann::ordered_json all{{"version", base::kVersion},
                                   {"trainerVersions", model::trainer_versions()},
                                   {"supported", std::move(trainers)},
                                   {"rules", std::move(rules)},
                                   {"trainerApiVersion", model::kTrainerApiVersion},
                                   {"jobSetApiVersion", model::kJobSetApiVersion}};
  return all.dump(4) + "\n";
}

std::string as_text() {
  std::string out = fmt::format("trainjobc {}\n", base::kVersion);
  for (const model::Behaviours& row : model::all_behaviours()) {
    out += fmt::format("compiles for Kubeflow Trainer {} (JobSet {})\n", row.trainer, row.jobset);
  }
  for (const k8s::RuleSource& row : k8s::kRuleSources) {
    out += fmt::format("checks {} as {} {} does\n", row.rules, row.project, row.release);
  }
  return out;
}

}  // namespace

std::function<int(Console&)> setup_version(Command& command) {
  auto format = std::make_shared<std::string>("text");
  command.add("-o,--format", &*format, "Output format")
      .one_of({"text", "json"})
      .shows_default()
      .was("--output");
  command.exit_statuses = {{0, "printed"}, {2, "usage or I/O"}};
  command.examples = {"trainjobc version", "trainjobc version -o json"};
  return [format](Console& console) {
    const std::string text = *format == "json" ? as_json() : as_text();
    return console.write_stdout(text) ? kOk : fail(console, "can't write the output");
  };
}

}  // namespace trainjobc::cli
