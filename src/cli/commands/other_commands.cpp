// SPDX-License-Identifier: Apache-2.0

// The small commands: completion, schema, version and function.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "base/version.h"
#include "cli/commands.h"
#include "completion_scripts.h"
#include "features/function/function.h"
#include "features/json_schema/json_schema.h"
#include "inputs/kustomize/checks.h"
#include "k8s/violations.h"
#include "lint/report/document.h"
#include "lint/report/json.h"
#include "model/behaviours.h"
#include "model/trainer_names.h"

namespace trainjobc::cli {

std::function<int(Console&)> setup_completion(Command& command) {
  auto shell = std::make_shared<std::string>();
  Flag& wanted = command.add("SHELL", &*shell, "bash, zsh or fish").one_of({"bash", "zsh", "fish"});
  wanted.required = true;
  command.details = {
      "Packages install these scripts. The scripts call the trainjobc on the PATH for completions."};
  command.exit_statuses = {{0, "printed"}, {2, "usage or I/O error"}};
  command.examples = {"source <(trainjobc completion bash)",
                      "trainjobc completion zsh > ~/.zsh/completions/_trainjobc",
                      "trainjobc completion fish > ~/.config/fish/completions/trainjobc.fish"};
  return [shell](Console& console) {
    const std::string_view script = *shell == "bash"  ? kBashCompletion
                                    : *shell == "zsh" ? kZshCompletion
                                                      : kFishCompletion;
    return print_text(console, script);
  };
}

// trainjobc kustomize-config

std::function<int(Console&)> setup_kustomize_config(Command& command) {
  auto prints_merge_keys = std::make_shared<bool>(false);
  command.add("--openapi", prints_merge_keys.get(),
              "Print the keys by which lists are merged, for openapi: instead of configurations:");
  command.details = {
      "kustomize changes images, names, and references to them in the fields that it knows: those of "
      "Kubernetes' own kinds. This file names those of Trainer's; list it under configurations: in a "
      "kustomization.yaml. With it, images: reaches spec.trainer.image and the runtimes' containers, "
      "replicas: the number of nodes, and namePrefix, nameSuffix and the hashes of generated ConfigMaps "
      "and Secrets also change what TrainJobs and runtimes refer to.",
      "A strategic merge patch replaces the lists of kinds that kustomize does not know, such as a runtime's "
      "containers. --openapi prints a file by which it merges them; list it as path: under openapi:. "
      "kustomize "
      "then uses only the merge keys in that file: it has those of pods and of the kinds that create them."};
  command.exit_statuses = {{0, "printed"}, {2, "usage or I/O error"}};
  command.examples = {"trainjobc kustomize-config > trainjob-fields.yaml",
                      "trainjobc kustomize-config --openapi > merge-keys.yaml"};
  return [prints_merge_keys](Console& console) {
    return print_text(console, *prints_merge_keys ? kustomize::merge_keys() : kustomize::configuration());
  };
}

// trainjobc schema

namespace {

struct SchemaFlags {
  std::string kind;
  std::string trainer_version;
  std::string report;
};

std::vector<std::string_view> kind_names(const schema::VersionSchemas& version) {
  std::vector<std::string_view> names;
  for (const schema::KindSchema* kind : json_schema::kinds_of(version)) names.push_back(kind->kind);
  return names;
}

int run_schema(Console& console, const SchemaFlags& flags) {
  const schema::VersionSchemas& version = schema::version_or_newest(flags.trainer_version);
  const std::vector<std::string_view> names = kind_names(version);
  if (!flags.report.empty()) return print_manifests(console, json_schema::report_schema(flags.report));
  if (flags.kind.empty()) return fail(console, fmt::format("name a kind: {}", fmt::join(names, ", ")));
  const auto same = [&](std::string_view name) {
    return base::lower_case(name) == base::lower_case(flags.kind);
  };
  const auto found = std::ranges::find_if(names, same);
  if (found == names.end()) {
    const auto meant = base::closest(flags.kind, names);
    return fail(console, fmt::format("there is no schema of {}{}", flags.kind,
                                     meant ? fmt::format(", did you mean {}?", *meant)
                                           : fmt::format("; the kinds are {}", fmt::join(names, ", "))));
  }
  return print_manifests(console, json_schema::json_schema_of(version, *version.kind(*found)));
}

}  // namespace

int write_schemas(const std::string& directory, Console& console) {
  for (const schema::VersionSchemas& version : schema::all_versions()) {
    for (const schema::KindSchema* kind : json_schema::kinds_of(version)) {
      const std::string path = fmt::format("{}/{}", directory, json_schema::file_of(version, *kind));
      const std::string text = json_schema::json_schema_of(version, *kind);
      if (const auto error = console.files().write_in_folder(path, text, 0666))
        return fail(console, error->message);
    }
  }
  return kOk;
}

std::function<int(Console&)> setup_schema(Command& command) {
  auto flags = std::make_shared<SchemaFlags>();
  command.add("KIND", &flags->kind, "TrainJob, TrainingRuntime, ClusterTrainingRuntime or JobSet")
      .takes("KIND");
  add_version_flag(command, "--trainer-version", flags->trainer_version,
                   "Schema of this Trainer version instead of the newest", false);
  const auto reports = json_schema::report_names();
  command.add("--report", &flags->report, "Schema of what this command prints as JSON instead")
      .one_of(std::vector<std::string>(reports.begin(), reports.end()))
      .excludes("--trainer-version");
  command.details = {
      "Prints the JSON Schema (draft 7) of a kind, with descriptions of Trainer's fields. Editors complete "
      "and check manifests with it: yaml-language-server if the file begins with the comment # "
      "yaml-language-server: $schema=PATH, VS Code also by its setting yaml.schemas. The schemas of all "
      "versions are installed in share/trainjobc/schemas, by group, kind and version, where kubeconform "
      "finds them with -schema-location. --report prints the schema of a report in JSON, whose version goes "
      "up when a field is gone or means something else."};
  command.exit_statuses = {{0, "printed"}, {2, "usage or I/O error"}};
  command.examples = {"trainjobc schema TrainJob > trainjob.json",
                      "trainjobc schema ClusterTrainingRuntime --trainer-version 2.2",
                      "trainjobc schema --report lint"};
  return [flags](Console& console) { return run_schema(console, *flags); };
}

// trainjobc version

namespace {

using report::Json;

// A run of `make live`, whose figures are in tests/e2e/README.md.
struct Comparison {
  std::string_view trainer;
  std::string_view jobset;
  std::string_view kubernetes;
  std::string_view kueue;  // "" if the run was without Kueue
  int random_jobs;
};

constexpr std::array kComparisons = std::to_array<Comparison>({
    {"2.1.0", "0.10.1", "1.36.3", "", 500},
    {"2.2.1", "0.11.1", "1.36.3", "", 500},
    {"2.3.0", "0.12.0", "1.36.3", "", 2000},
    {"2.3.0", "0.12.0", "1.37.2", "", 500},
    {"2.3.0", "0.12.0", "1.37.2", "0.17.0", 500},
});

std::string as_json() {
  const auto trainer = [](const model::Behaviours& row) {
    Json json({{"trainer", row.trainer}, {"jobSet", row.jobset}});
    if (!row.preview.empty()) json.add("preview", row.preview);
    return json;
  };
  const auto rule = [](const k8s::RuleSource& row) {
    return Json({{"of", row.rules}, {"project", row.project}, {"release", row.release}});
  };
  const auto comparison = [](const Comparison& row) {
    return Json({{"trainer", row.trainer},
                 {"jobSet", row.jobset},
                 {"kubernetes", row.kubernetes},
                 {"kueue", row.kueue.empty() ? Json() : Json(row.kueue)},
                 {"randomJobs", row.random_jobs}});
  };
  return Json({{"version", base::kVersion},
               {"trainerVersions", Json::array(model::trainer_versions())},
               {"supported", Json::array(model::all_behaviours(), trainer)},
               {"rules", Json::array(k8s::kRuleSources, rule)},
               {"compared", Json::array(kComparisons, comparison)},
               {"trainerApiVersion", model::kTrainerApiVersion},
               {"jobSetApiVersion", model::kJobSetApiVersion}})
      .report(4);
}

std::string as_text() {
  std::string out = fmt::format("trainjobc {}\n", base::kVersion);
  for (const model::Behaviours& row : model::all_behaviours()) {
    const std::string preview = row.preview.empty() ? "" : fmt::format(", a preview of {}", row.preview);
    out += fmt::format("compiles for Kubeflow Trainer {} (JobSet {}){}\n", row.trainer, row.jobset, preview);
  }
  for (const k8s::RuleSource& row : k8s::kRuleSources) {
    out += fmt::format("checks {} as {} {} does\n", row.rules, row.project, row.release);
  }
  for (const Comparison& row : kComparisons) {
    out += fmt::format("compared with Trainer {}, JobSet {}, Kubernetes {}{}: {} random jobs\n", row.trainer,
                       row.jobset, row.kubernetes,
                       row.kueue.empty() ? "" : fmt::format(", Kueue {}", row.kueue), row.random_jobs);
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
  command.details = {
      "The Trainer versions that it compiles for, the releases whose rules it has, and the releases that "
      "it was compared with last, running random jobs."};
  command.exit_statuses = {{0, "printed"}, {2, "usage or I/O error"}};
  command.examples = {"trainjobc version", "trainjobc version -o json"};
  return
      [format](Console& console) { return print_text(console, *format == "json" ? as_json() : as_text()); };
}

// trainjobc function

namespace {

int run_function(Console& console, const SshKeyFlag& keys) {
  if (console.stdin_is_terminal())
    return fail(console, "no input: a KRM function reads a ResourceList from standard input");
  auto text = got(console, console.read_stdin());
  if (!text) return kFailed;
  const auto read_key = [&](const std::string& choice, policy::SshKeyOptions& key) -> std::string {
    const SshKeyFlag flag{choice, keys.allowed_folder(console)};
    const std::string wrong = flag.check();
    if (!wrong.empty()) return "sshKey " + wrong;
    // Whoever writes functionConfig must not gain access to the files that this process can read.
    if (flag.names_file() && flag.folder.empty())
      return "sshKey names a file, but no folder is allowed: --ssh-key-dir or TRAINJOBC_SSH_KEY_DIR sets it";
    return flag.read(console, key) ? "" : "sshKey names a file that can't be read";
  };
  const function::Outcome outcome = function::run(std::move(*text), read_key);
  if (outcome.list.empty()) return fail(console, outcome.errors);
  console.write_stderr(outcome.errors);
  const int status = outcome.rejected ? kRejected : kOk;
  const auto write = [&](std::string_view part) { return print_manifests(console, part, status) == status; };
  return report::write_joined(outcome.list, {}, write) ? status : kFailed;
}

}  // namespace

std::function<int(Console&)> setup_function(Command& command) {
  auto keys = std::make_shared<SshKeyFlag>();
  keys->add_folder_to(command);
  command.details = {
      "Standard input and output are a ResourceList (config.kubernetes.io/v1 or v1beta1). TrainJobs and "
      "runtimes in it are replaced by what the controller would create; other items stay unchanged, byte for "
      "byte. The data of functionConfig may set trainerVersion, namespace, nameSuffix, catalogue, sshKey "
      "(omit, seed:FILE, file:FILE, generate) and keepInputs, which keeps the inputs as local config. FILE "
      "must be in --ssh-key-dir or $TRAINJOBC_SSH_KEY_DIR. Anyone who can commit a job with some namespace "
      "and name, and read what is rendered, has that job's key: give each team its own seed."};
  command.exit_statuses = {
      {0, "rendered"}, {1, "an input was rejected (results say why)"}, {2, "usage or I/O error"}};
  command.examples = {"kpt fn eval jobs/ --exec \"trainjobc function\"",
                      "kpt fn source jobs/ | trainjobc function"};
  return [keys](Console& console) { return run_function(console, *keys); };
}

}  // namespace trainjobc::cli
