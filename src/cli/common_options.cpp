#include "cli/common_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/suggest.h"
#include "cli/load.h"
#include "compile/input.h"
#include "model/behaviours.h"

namespace trainjobc::cli {
namespace {

std::vector<std::string> versions() {
  std::vector<std::string> words = trainer_versions();
  words.insert(words.begin(), "auto");
  return words;
}

}  // namespace

std::vector<std::string> trainer_versions() {
  std::vector<std::string> words;
  for (const model::Behaviours& row : model::all_behaviours()) words.emplace_back(row.trainer);
  return words;
}

void InputFlags::add_to(CLI::App& command) {
  command.add_option("PATH", paths, "Files or directories with TrainJobs and runtimes; - is standard input")
      ->type_name("PATH");
  command.add_option("-f,--filename", filenames, "The same as PATH; may be given several times")
      ->allow_extra_args(false)
      ->type_name("PATH");
  command.add_flag("-R,--recursive", recurse, "Read directories recursively");
  command.add_option("--runtimes", runtimes, "File or directory to look for runtimes in, after the inputs")
      ->allow_extra_args(false)
      ->type_name("PATH");
  command
      .add_option(
          "--job", jobs,
          "TrainJob to look at, as NAME or NAMESPACE/NAME, instead of all; may be given several times")
      ->allow_extra_args(false)
      ->type_name("JOB");
  command.add_flag("--fail-if-no-objects-found", needs_objects,
                   "Fail where the inputs hold no TrainJob and no runtime");
  command.add_flag("--no-catalogue", no_catalogue, "Don't resolve runtimes from the built-in catalogue");
  command.add_option("--trainer-version", trainer_version, "Kubeflow Trainer version to compile for [auto]")
      ->check(CLI::IsMember(versions()));
  command.add_option("-n,--namespace", ns, "Namespace of TrainJobs that name none")->type_name("NAME");
  command
      .add_option("--name-suffix", name_suffix,
                  "Suffix for metadata.generateName, instead of one from the content")
      ->type_name("TEXT");
  command.add_option("--config", config, "Configuration file, instead of the nearest .trainjobc.yaml")
      ->type_name("FILE");
  command.add_flag("--no-config", no_config, "Don't look for a configuration");
  command.add_option("--threads", threads, "Number of threads; 0 is one a processor")->capture_default_str();
}

void ColourFlag::add_to(CLI::App& command) {
  command.add_option("--color", choice, "When to colour the output")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
}

ColourChoice ColourFlag::value() const {
  if (choice == "always") return ColourChoice::Always;
  return choice == "never" ? ColourChoice::Never : ColourChoice::Auto;
}

std::string setting(const Console& console, const std::string& flag, const char* variable,
                    const std::optional<std::string>& configured, std::string_view otherwise) {
  if (!flag.empty()) return flag;
  const std::string value = console.environment(variable);
  return value.empty() ? configured.value_or(std::string(otherwise)) : value;
}

namespace {

ConfigResult load_config(Console& console, const InputFlags& flags) {
  if (flags.no_config) return Config{};
  return cli::load_config(console,
                          flags.config.empty() ? console.environment("TRAINJOBC_CONFIG") : flags.config);
}

void apply_settings(const Console& console, const Config& config, InputFlags& flags) {
  flags.trainer_version =
      setting(console, flags.trainer_version, "TRAINJOBC_TRAINER_VERSION", config.trainer_version, "auto");
  const std::string runtimes = console.environment("TRAINJOBC_RUNTIMES");
  if (!runtimes.empty()) {
    flags.runtimes.push_back(runtimes);
  } else {
    flags.runtimes.insert(flags.runtimes.end(), config.runtimes.begin(), config.runtimes.end());
  }
  if (config.catalogue && !*config.catalogue) flags.no_catalogue = true;
  if (flags.ns.empty()) flags.ns = config.ns.value_or("");
}

}  // namespace

std::optional<Config> configure(Console& console, InputFlags& flags) {
  ConfigResult read = load_config(console, flags);
  if (const auto* error = std::get_if<ConfigError>(&read)) {
    console.write_stderr(error->text);
    return std::nullopt;
  }
  Config& config = std::get<Config>(read);
  apply_settings(console, config, flags);
  return std::move(config);
}

std::optional<LoadedInputs> load_inputs(Console& console, const InputFlags& flags) {
  std::vector<std::string> paths = flags.paths;
  paths.insert(paths.end(), flags.filenames.begin(), flags.filenames.end());
  if (paths.empty()) {
    if (console.stdin_is_terminal()) {
      fail(console, "no input: name a file or a directory, or - for standard input");
      return std::nullopt;
    }
    paths.emplace_back("-");
  }
  LoadedInputs loaded;
  const auto load = [&](const std::vector<std::string>& from, std::vector<Source>& to) {
    auto sources = load_sources(console, from, flags.recurse);
    if (const auto* error = std::get_if<base::IoError>(&sources)) {
      fail(console, error->message);
      return false;
    }
    to = std::move(std::get<std::vector<Source>>(sources));
    return true;
  };
  if (!load(paths, loaded.inputs) || !load(flags.runtimes, loaded.runtimes)) return std::nullopt;
  return loaded;
}

Options to_options(const InputFlags& flags) {
  Options options;
  options.trainer_version = flags.trainer_version;
  options.use_catalogue = !flags.no_catalogue;
  options.ns = flags.ns;
  options.name_suffix = flags.name_suffix;
  options.threads = flags.threads;
  options.jobs = flags.jobs;
  return options;
}

bool check_jobs(Console& console, const InputFlags& flags, const Compilation& compiled) {
  if (flags.needs_objects && compiled.linted.empty()) {
    fail(console, "--fail-if-no-objects-found: the inputs hold no TrainJob and no runtime");
    return false;
  }
  for (const std::string& job : flags.jobs) {
    const auto is_it = [&](const LintedObject& object) { return compile::names_job(job, object.object); };
    if (std::ranges::any_of(compiled.linted, is_it)) continue;
    std::vector<std::string_view> names(compiled.other_jobs.begin(), compiled.other_jobs.end());
    if (job.find('/') == std::string::npos) {
      for (std::string_view& name : names) name.remove_prefix(name.find('/') + 1);
    }
    const auto meant = base::closest(job, names);
    fail(console, fmt::format("--job: the inputs hold no TrainJob \"{}\"{}", job,
                              meant ? fmt::format(", did you mean \"{}\"?", *meant) : ""));
    return false;
  }
  return true;
}

void note_nothing_found(Console& console, const InputFlags& flags, std::string_view what) {
  const auto is_directory = [&](const std::string& path) { return console.files().is_directory(path); };
  const bool below = !flags.recurse && (std::ranges::any_of(flags.paths, is_directory) ||
                                        std::ranges::any_of(flags.filenames, is_directory));
  console.write_stderr(
      fmt::format("note: the inputs hold no {}{}\n", what, below ? "; -R reads the folders below, too" : ""));
}

const schema::VersionSchemas& schemas_of(const Compilation& compiled) {
  const schema::VersionSchemas* chosen = schema::find_version(compiled.trainer_version);
  return chosen ? *chosen : schema::all_versions().back();
}

void print_diagnostics(Console& console, const base::Diagnostics& diagnostics, ColourChoice colour,
                       bool job_errors_warn) {
  const base::TextStyle style{use_colour(colour, console, console.stderr_is_terminal())};
  std::string text;
  for (base::Diagnostic diagnostic : diagnostics.items()) {
    if (diagnostic.severity == base::Severity::Info) continue;
    if (job_errors_warn && diagnostic.stage == base::Stage::Job)
      diagnostic.severity = base::Severity::Warning;
    text += base::format_text(diagnostic, style);
  }
  console.write_stderr(text);
}

void note_trainer_version(Console& console, const Compilation& compiled) {
  if (compiled.trainer_version_reason.empty()) return;
  console.write_stderr(fmt::format("note: rendered for Trainer {}: {} (pin with --trainer-version)\n",
                                   compiled.trainer_version, compiled.trainer_version_reason));
}

}  // namespace trainjobc::cli
