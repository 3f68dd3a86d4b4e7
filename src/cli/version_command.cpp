#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/version.h"
#include "model/behaviours.h"

namespace trainjobc::cli {
namespace {

std::string trainer_versions(std::string_view separator, std::string_view quote) {
  std::string out;
  for (const model::Behaviours& row : model::all_behaviours()) {
    out += fmt::format("{}{}{}{}", out.empty() ? "" : separator, quote, row.trainer, quote);
  }
  return out;
}

}  // namespace

std::function<int(Console&)> setup_version(CLI::App& app) {
  auto format = std::make_shared<std::string>("text");
  app.add_option("-o,--output", *format, "Output format")->check(CLI::IsMember({"text", "json"}))->capture_default_str();
  return [format](Console& console) {
    const std::string text =
        *format == "json"
            ? fmt::format("{{\"version\": \"{}\", \"trainerVersions\": [{}], \"jobSetApiVersion\": "
                          "\"jobset.x-k8s.io/v1alpha2\"}}\n",
                          kVersion, trainer_versions(", ", "\""))
            : fmt::format("trainjobc {} (Kubeflow Trainer {})\n", kVersion, trainer_versions(", ", ""));
    return console.write_stdout(text) ? kOk : kFailed;
  };
}

}  // namespace trainjobc::cli
