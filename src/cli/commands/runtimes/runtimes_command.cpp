// SPDX-License-Identifier: Apache-2.0

// trainjobc runtimes
#include "cli/commands/runtimes/runtimes_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text/layout.h"
#include "base/text/suggest.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "cli/input/known_runtimes.h"
#include "k8s/object_meta.h"
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
  std::string used_by;
};

// All that the command and those below it take.
struct AllRuntimesFlags {
  RuntimesFlags list;
  RuntimesPullFlags pull;
  RuntimesCheckFlags check;
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

std::string names_as_text(const std::vector<KnownRuntime>& runtimes) {
  std::string out;
  for (const KnownRuntime& runtime : runtimes) out += runtime.name + "\n";
  return out;
}

int show(Console& console, const std::vector<KnownRuntime>& runtimes, const std::string& name) {
  const auto found = std::ranges::find(runtimes, name, &KnownRuntime::name);
  if (found != runtimes.end())
    return console.write_manifests(found->text) ? kOk : fail(console, "can't write the output");
  std::vector<std::string_view> names;
  names.reserve(runtimes.size());
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
  if (!known.empty_directories.empty() && !flags.directories.allow_empty) {
    return fail(console, fmt::format("{} contains no runtime; --allow-empty accepts this",
                                     known.empty_directories.front()));
  }
  const std::vector<KnownRuntime>& runtimes = known.runtimes;
  if (!flags.show.empty()) return show(console, runtimes, flags.show);
  const std::string text = flags.format == "json"   ? as_json(runtimes)
                           : flags.format == "name" ? names_as_text(runtimes)
                                                    : as_text(runtimes, console.stdout_width());
  return console.write_stdout(text) ? kOk : fail(console, "can't write the output");
}

// A word after --used-by that is a file is one of the inputs: the name may be left out.
int run_used_by(Console& console, const RuntimesFlags& flags) {
  RuntimesUsedByFlags uses{flags.paths, flags.directories, flags.used_by, flags.format};
  if (!uses.name.empty() && (uses.name == "-" || console.files().exists(uses.name))) {
    uses.paths.insert(uses.paths.begin(), uses.name);
    uses.name.clear();
  }
  return run_runtimes_used_by(console, uses);
}

Command& add_pull(Command& command, RuntimesPullFlags& flags) {
  Command& pull = command.add_command("pull", "Save the runtimes of a cluster as files to commit");
  pull.add("DIR", &flags.directory, "Directory to write to").takes("DIR");
  flags.cluster.add_to(pull);
  add_version_flag(pull, "--trainer-version", flags.trainer_version,
                   "Trainer version of the cluster, whose defaults are left out", false);
  pull.details = {
      "Writes NAME.yaml for each ClusterTrainingRuntime and NAMESPACE/NAME.yaml for each TrainingRuntime, "
      "without what the API server and controllers filled in, and prints the paths. Removes no file."};
  pull.exit_statuses = {{0, "written"}, {2, "usage, I/O or kubectl"}};
  pull.examples = {"trainjobc runtimes pull --context production runtimes/"};
  return pull;
}

Command& add_check(Command& command, RuntimesCheckFlags& flags) {
  Command& check =
      command.add_command("check", "Compare runtimes with the catalogue and a cluster, by meaning");
  check.add("PATH", &flags.paths, "Files or directories with runtimes").takes("PATH");
  flags.directories.add_to(check);
  check.add("--cluster", &flags.ask_cluster,
            "Also compare with the cluster's runtimes; --context and --kubeconfig imply this");
  flags.cluster.add_to(check);
  add_version_flag(check, "--trainer-version", flags.trainer_version,
                   "Compare with the catalogue of this Trainer version instead of the newest", false);
  check.add("-o,--format", &flags.format, "Output format").one_of({"text", "json"}).shows_default();
  check.details = {
      "A runtime that the other side does not have is listed, but does not count as a difference."};
  check.exit_statuses = {{0, "none differs"}, {1, "a runtime differs"}, {2, "usage, I/O or kubectl"}};
  check.examples = {"trainjobc runtimes check runtimes/ --trainer-version 2.3",
                    "trainjobc runtimes check runtimes/ --context production"};
  return check;
}

}  // namespace

std::function<int(Console&)> setup_runtimes(Command& command) {
  auto all = std::make_shared<AllRuntimesFlags>();
  RuntimesFlags* flags = &all->list;
  command.add("PATH", &flags->paths, "Files or directories with runtimes").takes("PATH");
  flags->directories.add_to(command);
  command
      .add("--runtimes", &flags->runtimes,
           "File or directory with more runtimes; those of the inputs come first")
      .takes("PATH");
  add_version_flag(command, "--trainer-version", flags->trainer_version,
                   "List the catalogue of this Trainer version", false);
  command.add("--show", &flags->show, "Print this runtime, to copy it into a repository").takes("RUNTIME");
  Flag& used_by = command
                      .add("--used-by", &flags->used_by,
                           "List the TrainJobs of the inputs by runtime, or those of this runtime only")
                      .takes("RUNTIME")
                      .excludes("--show");
  used_by.value_optional = true;
  command
      .add("-o,--format", &flags->format, "Output format; name is one name per line, of jobs with --used-by")
      .one_of({"text", "json", "name"})
      .shows_default()
      .was("--output");
  const Command& pull = add_pull(command, all->pull);
  const Command& check = add_check(command, all->check);
  command.details = {
      "If several places have a runtime of the same name, the first one is used and listed: the inputs, "
      "--runtimes, the configuration, the catalogue."};
  command.variables = {{std::string(kConfigVariable), "The configuration file."}};
  command.exit_statuses = {{0, "printed"}, {2, "usage or I/O"}};
  command.examples = {"trainjobc runtimes", "trainjobc runtimes runtimes/",
                      "trainjobc runtimes --show torch-distributed > runtimes/torch.yaml",
                      "trainjobc runtimes --used-by torch-h100 jobs/"};
  return [all, &pull, &check, &used_by](Console& console) {
    base::RealProcessRunner runner;
    if (pull.chosen) return run_runtimes_pull(console, all->pull, runner);
    if (check.chosen) return run_runtimes_check(console, all->check, runner);
    return used_by.given ? run_used_by(console, all->list) : run_runtimes(console, all->list);
  };
}

}  // namespace trainjobc::cli
