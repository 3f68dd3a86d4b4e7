// trainjobc runtimes
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text/layout.h"
#include "base/text/suggest.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "cli/input/known_runtimes.h"
#include "k8s/namespaces.h"
#include "model/trainer_names.h"
#include "yaml/write/writer.h"

namespace trainjobc::cli {
namespace {

struct RuntimesFlags {
  std::vector<std::string> paths;
  std::vector<std::string> runtimes;
  DirectoryFlags directories;
  std::string trainer_version;
  std::string format = "text";
  std::string show;
};

std::string origin_of(const KnownRuntime& runtime) {
  return runtime.versions.empty() ? runtime.place
                                  : fmt::format("catalogue of Trainer {}", fmt::join(runtime.versions, ", "));
}

constexpr std::string_view kNone = "-";  // shown as the namespace of a ClusterTrainingRuntime

std::string namespace_of(const KnownRuntime& runtime) {
  if (runtime.kind == model::kClusterTrainingRuntime) return std::string(kNone);
  return std::string(k8s::effective_namespace(runtime.ns));
}

std::string as_text(const std::vector<KnownRuntime>& runtimes, size_t width) {
  const bool has_namespaces = std::ranges::any_of(
      runtimes, [](const KnownRuntime& runtime) { return namespace_of(runtime) != kNone; });
  std::vector<std::vector<std::string>> rows{{"NAMESPACE", "NAME", "FRAMEWORK", "KIND", "FROM"}};
  for (const KnownRuntime& runtime : runtimes) {
    rows.push_back({namespace_of(runtime), runtime.name, runtime.framework, std::string(runtime.kind),
                    origin_of(runtime)});
  }
  if (!has_namespaces) {
    for (std::vector<std::string>& row : rows) row.erase(row.begin());
  }
  return base::table(rows, width);
}

std::string as_json(const std::vector<KnownRuntime>& runtimes) {
  auto list = nlohmann::ordered_json::array();
  for (const KnownRuntime& runtime : runtimes) {
    nlohmann::ordered_json entry{{"name", runtime.name},
                                 {"namespace", runtime.ns},
                                 {"kind", runtime.kind},
                                 {"framework", runtime.framework}};
    if (runtime.versions.empty()) {
      entry["place"] = runtime.place;
    } else {
      entry["trainerVersions"] = runtime.versions;
    }
    list.push_back(std::move(entry));
  }
  return nlohmann::ordered_json{{"runtimes", std::move(list)}}.dump(
             4, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

int show(Console& console, const std::vector<KnownRuntime>& runtimes, const std::string& name) {
  const auto found = std::ranges::find(runtimes, name, &KnownRuntime::name);
  if (found != runtimes.end())
    return console.write_manifests(found->text) ? kOk : fail(console, "can't write the output");
  std::vector<std::string_view> names;
  for (const KnownRuntime& runtime : runtimes) names.push_back(runtime.name);
  const auto meant = base::closest(name, names);
  return fail(console, fmt::format("there is no runtime \"{}\"{}", name,
                                   meant ? fmt::format(", did you mean \"{}\"?", *meant) : ""));
}

int run_runtimes(Console& console, const RuntimesFlags& flags) {
  lint::Configurations configurations(console.files(), console.environment("TRAINJOBC_CONFIG"), false);
  const RuntimeSearch search{flags.paths, flags.runtimes, flags.directories.options(), flags.trainer_version};
  auto found = known_runtimes(console, configurations, search);
  if (!configurations.error().empty()) {
    console.write_stderr(configurations.error());
    return kFailed;
  }
  if (const auto* error = std::get_if<base::IoError>(&found)) return fail(console, error->message);
  const auto& known = std::get<KnownRuntimes>(found);
  if (!known.empty_directories.empty() && !flags.directories.allow_empty)
    return fail(console, fmt::format("{} contains no runtime; --allow-empty accepts this",
                                     known.empty_directories.front()));
  const std::vector<KnownRuntime>& runtimes = known.runtimes;
  if (!flags.show.empty()) return show(console, runtimes, flags.show);
  const std::string text =
      flags.format == "json" ? as_json(runtimes) : as_text(runtimes, console.stdout_width());
  return console.write_stdout(text) ? kOk : fail(console, "can't write the output");
}

}  // namespace

std::function<int(Console&)> setup_runtimes(CLI::App& app) {
  auto flags = std::make_shared<RuntimesFlags>();
  app.add_option("PATH", flags->paths, "Files or directories with runtimes")->type_name("PATH");
  flags->directories.add_to(app);
  app.add_option("--runtimes", flags->runtimes,
                 "File or directory with more runtimes; those of the inputs come first")
      ->allow_extra_args(false)
      ->type_name("PATH");
  add_version_flag(app, "--trainer-version", flags->trainer_version,
                   "List the catalogue of this Trainer version", false);
  app.add_option("--show", flags->show, "Print this runtime, to copy it into a repository")
      ->type_name("RUNTIME");
  app.add_option("-o,--format", flags->format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.footer(
      "If several places have a runtime of the same name, the first one is used and listed: the\n"
      "inputs, --runtimes, the configuration, the catalogue.\n"
      "\n"
      "Examples:\n"
      "  trainjobc runtimes\n"
      "  trainjobc runtimes runtimes/\n"
      "  trainjobc runtimes --show torch-distributed > runtimes/torch.yaml");
  return [flags](Console& console) { return run_runtimes(console, *flags); };
}

}  // namespace trainjobc::cli
