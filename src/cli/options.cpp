// SPDX-License-Identifier: Apache-2.0

#include "cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <tuple>

#include "base/diagnostic.h"
#include "base/files/paths.h"
#include "base/text/suggest.h"
#include "base/text/text.h"
#include "compile/input.h"
#include "inputs/config.h"
#include "model/behaviours.h"

namespace trainjobc::cli {

Flag& add_version_flag(Command& command, std::string_view names, std::string& version,
                       const std::string& description, bool has_auto) {
  std::vector<std::string> known = model::trainer_versions();
  if (has_auto) known.insert(known.begin(), "auto");
  return command.add(names, &version, description)
      .one_of(std::move(known))
      .reads(
          [](const std::string& text) {
            return std::optional(model::read_trainer_version(text).value_or(text));
          },
          "");
}

void DirectoryFlags::add_to(Command& command) {
  command.add("-R,--recursive", &recursive, "Read directories recursively (the default)");
  command.add("--no-recursive", &no_recursive, "Don't read directories recursively").excludes("--recursive");
  command.add("--allow-empty", &allow_empty, "Accept directories that contain no TrainJob and no runtime");
}

DiscoverOptions DirectoryFlags::options() const {
  DiscoverOptions options;
  options.recurse = !no_recursive;
  return options;
}

void InputFlags::add_to(Command& command, bool has_trainer_version) {
  command.add("PATH", &paths, "Files or directories with TrainJobs and runtimes; - is standard input")
      .takes("PATH");
  command.add("-f,--filename", &filenames, "Same as PATH; can be repeated").takes("PATH");
  roots.add_to(command);
  directories.add_to(command);
  command.add("--runtimes", &runtimes, "File or directory with more runtimes; those of the inputs come first")
      .takes("PATH");
  command.add("--job", &jobs, "Only this TrainJob, as NAME or NAMESPACE/NAME; can be repeated").takes("JOB");
  command.add("--fail-if-no-objects-found", &needs_objects,
              "Fail if the inputs contain no TrainJob and no runtime, even if they are files");
  command.add("-v,--verbose", &verbose, "Show which files and documents are skipped, and why");
  command.add("--no-catalogue", &no_catalogue, "Don't resolve runtimes from the built-in catalogue");
  if (has_trainer_version) {
    add_version_flag(command, "--trainer-version", trainer_version,
                     "Kubeflow Trainer version to compile for [auto]", true);
  }
  command.add("-n,--namespace", &ns, "Namespace for TrainJobs without one").takes("NAME");
  command.add("--name-suffix", &name_suffix,
              "Suffix for metadata.generateName, instead of one derived from the content");
  command.add("--config", &config, "Configuration file to use instead of the nearest .trainjobc.yaml")
      .takes("FILE");
  command.add("--no-config", &no_config, "Ignore configuration files");
  command.add("--threads", &threads, "Number of threads; 0 means one per processor").shows_default();
  command.variables.push_back({std::string(kConfigVariable), "Same as --config."});
  command.variables.push_back({"TRAINJOBC_TRAINER_VERSION", "Same as --trainer-version."});
  command.variables.push_back({"TRAINJOBC_RUNTIMES", "A file or directory, like --runtimes."});
}

namespace {

// "90", "90s", "10m", "2h": seconds.
std::optional<std::string> read_time(const std::string& text) {
  constexpr uint64_t kLongest = std::numeric_limits<unsigned>::max();
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view unit = std::string_view(text).substr(digits);
  const uint64_t factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  uint64_t amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, amount);
  if (digits == 0 || factor == 0 || error != std::errc() || amount > kLongest / factor) return std::nullopt;
  return std::to_string(amount * factor);
}

}  // namespace

void KubectlFlags::add_cluster_to(Command& command, std::string_view addition, const char* rival) {
  const auto add = [&](const char* name, std::string& value, std::string_view what, const char* takes) {
    Flag& flag =
        command.add(name, &value, fmt::format("kubeconfig {} to use{}", what, addition)).takes(takes);
    if (rival) flag.excludes(rival);
  };
  add("--context", context, "context", "NAME");
  add("--kubeconfig", kubeconfig, "file", "FILE");
}

void KubectlFlags::add_timeout_to(Command& command, std::string_view limited) {
  command
      .add("--timeout", &timeout, fmt::format("Time limit for {}: 90, 90s, 10m, 2h; 0 for no limit", limited))
      .takes("TIME")
      .reads(read_time, "a time such as 90, 90s, 10m or 2h")
      .shows_default();
}

kubectl::Settings KubectlFlags::settings() const {
  return {"kubectl", context, kubeconfig, std::chrono::seconds(timeout)};
}

void ColourFlag::add_to(Command& command) {
  command.add("--color", &choice, "When to use colour").one_of({"auto", "always", "never"}).shows_default();
  command.variables.push_back({"NO_COLOR", "No colour, if it is not empty."});
  command.variables.push_back({"CLICOLOR_FORCE", "Colour even if the output is not a terminal."});
}

ColourChoice ColourFlag::value() const {
  if (choice == "always") return ColourChoice::Always;
  return choice == "never" ? ColourChoice::Never : ColourChoice::Auto;
}

const std::string* find_stdin(const std::vector<inputs::InputGroup>& groups) {
  for (const inputs::InputGroup& group : groups) {
    const auto found = std::ranges::find(group.inputs, base::kStdin, &Source::name);
    if (found != group.inputs.end()) return &found->text;
  }
  return nullptr;
}

namespace {

// The flags that override every configuration.
struct Overrides {
  std::string trainer_version;
  std::vector<std::string> runtimes;
  bool configured_runtimes = true;  // those of configurations count too
};

bool read_overrides(Console& console, const InputFlags& flags, Overrides& overrides) {
  constexpr const char* kVersion = "TRAINJOBC_TRAINER_VERSION";
  overrides.trainer_version = flags.trainer_version;
  const std::string version = console.environment(kVersion);
  if (!version.empty()) {
    const auto known = model::read_trainer_version(version);
    if (!known) {
      fail(console, fmt::format("{} {} is not one of auto, {}", kVersion, version,
                                fmt::join(model::trainer_versions(), ", ")));
      return false;
    }
    if (overrides.trainer_version.empty()) overrides.trainer_version = *known;
  }
  overrides.runtimes = flags.runtimes;
  const std::string runtimes = console.environment("TRAINJOBC_RUNTIMES");
  overrides.configured_runtimes = runtimes.empty();
  if (!runtimes.empty()) overrides.runtimes.push_back(runtimes);
  return true;
}

// An invalid configuration is reported before an unreadable file.
bool is_usable(Console& console, const inputs::Configurations& configurations) {
  console.write_stderr(configurations.error());
  return configurations.error().empty();
}

bool complete_group(Console& console, const InputFlags& flags, const Overrides& overrides,
                    const DiscoverOptions& options, inputs::InputGroup& group) {
  const inputs::Config& config = *group.config;
  group.trainer_version = !overrides.trainer_version.empty() ? overrides.trainer_version
                                                             : config.trainer_version.value_or("auto");
  group.use_catalogue = !flags.no_catalogue && config.catalogue.value_or(true);
  if (group.ns.empty()) group.ns = config.ns.value_or("");
  if (!flags.ns.empty()) group.ns = flags.ns;
  std::vector<std::string> paths = overrides.runtimes;
  if (overrides.configured_runtimes)
    paths.insert(paths.end(), config.runtimes.begin(), config.runtimes.end());
  auto loaded = got(console, load_sources(console, paths, options));
  if (!loaded) return false;
  group.runtimes = std::move(loaded->sources);
  return true;
}

std::vector<std::string> paths_of(const InputFlags& flags) {
  std::vector<std::string> paths = flags.paths;
  paths.insert(paths.end(), flags.filenames.begin(), flags.filenames.end());
  if (paths.empty() && flags.roots.is_empty() && flags.reads_stdin) paths.emplace_back("-");
  return paths;
}

}  // namespace

std::optional<inputs::LoadedInputs> load_inputs(Console& console, const InputFlags& flags) {
  const bool has_inputs = !flags.paths.empty() || !flags.filenames.empty() || !flags.roots.is_empty();
  if (!has_inputs && flags.reads_stdin && console.stdin_is_terminal()) {
    fail(console, "no input: name a file or directory, or - for standard input");
    return std::nullopt;
  }
  Overrides overrides;
  if (!read_overrides(console, flags, overrides)) return std::nullopt;
  inputs::Configurations configurations(
      console.files(), flags.config.empty() ? console.environment("TRAINJOBC_CONFIG") : flags.config,
      flags.no_config);
  DiscoverOptions options = flags.directories.options();
  options.configurations = &configurations;
  if (!is_usable(console, configurations)) return std::nullopt;
  auto loaded = got(console, load_sources(console, paths_of(flags), options));
  if (!is_usable(console, configurations) || !loaded) return std::nullopt;
  auto roots = build_named(console, flags.roots, flags.ns, configurations);
  auto found = flags.roots.gitops ? take_gitops_roots(console, *loaded, flags.roots, configurations)
                                  : take_roots(console, *loaded, flags.roots, flags.ns, configurations);
  if (!roots || !found) return std::nullopt;
  std::ranges::move(*found, std::back_inserter(*roots));
  inputs::LoadedInputs inputs;
  inputs.directories = std::move(loaded->directories);
  inputs.passed_over = std::move(loaded->passed_over);
  inputs.excluded = std::move(loaded->excluded);
  inputs.patches = std::move(loaded->patches);
  inputs.roots = std::move(loaded->roots);
  if (!loaded->sources.empty() || roots->empty())
    inputs.groups = inputs::group_by_configuration(std::move(loaded->sources), configurations);
  for (inputs::InputGroup& root : *roots) {
    for (const Source& part : root.parts) inputs.parts.push_back(part.name);
    inputs.groups.push_back(std::move(root));
  }
  if (!is_usable(console, configurations)) return std::nullopt;
  for (inputs::InputGroup& group : inputs.groups) {
    if (!complete_group(console, flags, overrides, options, group)) return std::nullopt;
  }
  if (!is_usable(console, configurations)) return std::nullopt;
  return inputs;
}

Options to_options(const InputFlags& flags) {
  Options options;
  options.name_suffix = flags.name_suffix;
  options.threads = flags.threads;
  options.jobs = flags.jobs;
  return options;
}

namespace {

void say_passed_over(Console& console, std::vector<PassedOver> all) {
  const auto key = [](const PassedOver& one) { return std::tie(one.file, one.line, one.what); };
  std::ranges::sort(all, {}, key);
  const auto repeated = std::ranges::unique(all, {}, key);
  all.erase(repeated.begin(), repeated.end());
  for (const PassedOver& one : all) {
    const std::string line = one.line > 0 ? fmt::format(":{}", one.line) : "";
    note(console, fmt::format("{}{} {}: skipped", one.file, line, one.what));
  }
}

bool check_wanted(Console& console, const std::string& job, const Compilation& compiled) {
  const auto is_it = [&](const LintedObject& object) { return compile::names_job(job, object.object); };
  if (std::ranges::any_of(compiled.linted, is_it)) return true;
  std::vector<std::string_view> names(compiled.other_jobs.begin(), compiled.other_jobs.end());
  if (job.find('/') == std::string::npos) {
    for (std::string_view& name : names) name.remove_prefix(name.find('/') + 1);
  }
  fail(console,
       fmt::format("--job: the inputs contain no TrainJob \"{}\"{}", job, base::did_you_mean(job, names)));
  return false;
}

// Whether anything in the directory is for Trainer, or was intended to be.
bool holds_something(const std::string& directory, const std::vector<std::string>& parts,
                     const Compilation& compiled) {
  const std::string folder = base::absolute_path(directory);
  const auto is_in = [&](const std::string& file) {
    return !base::path_below(base::absolute_path(file), folder).empty();
  };
  return std::ranges::any_of(compiled.linted, is_in, &LintedObject::file) ||
         std::ranges::any_of(parts, is_in) || std::ranges::any_of(compiled.with_findings, is_in) ||
         std::ranges::any_of(compiled.objects, [&](const Object& object) {
           const base::Location at = yaml::locate(*object.root);
           return object.passthrough && at.file && is_in(at.file->name());
         });
}

}  // namespace

bool check_inputs(Console& console, const InputFlags& flags, const inputs::LoadedInputs& loaded,
                  const Compilation& compiled) {
  if (flags.verbose) {
    std::vector<PassedOver> all = loaded.passed_over;
    all.insert(all.end(), compiled.passed_over.begin(), compiled.passed_over.end());
    say_passed_over(console, std::move(all));
  } else if (!loaded.excluded.empty()) {
    note(console, fmt::format("skipped: {} {} under exclude in the settings",
                              fmt::join(loaded.excluded, ", "), loaded.excluded.size() == 1 ? "is" : "are"));
  }
  if (flags.needs_objects && compiled.linted.empty()) {
    fail(console, "--fail-if-no-objects-found: the inputs contain no TrainJob and no runtime");
    return false;
  }
  for (const std::string& job : flags.jobs) {
    if (!check_wanted(console, job, compiled)) return false;
  }
  for (const std::string& directory : loaded.directories) {
    if (flags.directories.allow_empty || !flags.jobs.empty() ||
        holds_something(directory, loaded.parts, compiled))
      continue;
    fail(console, loaded.roots.empty()
                      ? fmt::format("{} contains no TrainJob and no runtime; -v shows what was skipped, "
                                    "--allow-empty accepts this",
                                    directory)
                      : fmt::format("{} contains no TrainJob and no runtime that is not built: {} builds one",
                                    directory, loaded.roots.front()));
    return false;
  }
  return true;
}

void note_no_job(Console& console) {
  note(console, "the inputs contain no TrainJob");
}

namespace {

// `roots`: the flags that build them.
void note_unbuilt(Console& console, const std::vector<std::string>& roots) {
  if (roots.empty()) return;
  const std::string& first = roots.front();
  const std::string_view folder = std::string_view(first).substr(first.find(' ') + 1);
  const size_t others = roots.size() - 1;
  note(console,
       others == 0
           ? fmt::format("{} is not built, its files are read one by one: {} builds it", folder, first)
           : fmt::format("{} and {} are not built, their files are read one by one: {} builds one", folder,
                         base::counted(others, "other"), first));
}

}  // namespace

void print_diagnostics(Console& console, const base::Diagnostics& diagnostics, ColourChoice colour,
                       bool job_errors_warn) {
  const base::TextStyle style{use_colour(colour, console, console.stderr_is_terminal()),
                              console.stderr_width()};
  std::string text;
  const base::Diagnostics causes = base::without_consequences(diagnostics);
  for (base::Diagnostic diagnostic : causes.items()) {
    if (diagnostic.severity == base::Severity::Info) continue;
    if (job_errors_warn && diagnostic.stage == base::Stage::Job)
      diagnostic.severity = base::Severity::Warning;
    text += base::format_text(diagnostic, style);
  }
  console.write_stderr(text);
}

void note_other_managers(Console& console, const Compilation& compiled) {
  for (const base::Diagnostic& found : compiled.diagnostics.items()) {
    if (found.rule != "advice/managed-elsewhere") continue;
    note(console,
         fmt::format("{}: {}; this is what the cluster that runs it creates", found.object, found.message));
  }
}

std::string shared_name(const Compilation& compiled) {
  std::map<std::pair<std::string_view, std::string_view>, std::string_view> scopes;  // by namespace and name
  std::string shared;
  const auto add = [&](std::string_view scope, std::string_view ns, std::string_view name) {
    const auto [first, is_new] = scopes.try_emplace({ns, name}, scope);
    if (!is_new && first->second != scope && shared.empty()) {
      shared = fmt::format("{} and {} both define TrainJob {}/{}", first->second, scope,
                           ns.empty() ? "default" : ns, name);
    }
  };
  for (const SunkJob& job : compiled.sunk) add(job.scope, job.ns, job.name);
  for (const Object& object : compiled.objects) {
    if (object.kind == "JobSet" && !object.passthrough) add(object.scope, object.ns, object.name);
  }
  return shared;
}

base::Diagnostics unread_jobs_of(const Compilation& compiled) {
  base::Diagnostics unread;
  for (const base::Diagnostic& diagnostic : compiled.diagnostics.items()) {
    if (compile::is_of_unread_job(diagnostic)) unread.add(diagnostic);
  }
  return unread;
}

void note_trainer_version(Console& console, const Compilation& compiled) {
  if (compiled.trainer_version_reason.empty()) return;
  note(console, fmt::format("rendered for Trainer {}: {} (pin with --trainer-version)",
                            compiled.trainer_version, compiled.trainer_version_reason));
}

namespace {

inputs::GroupedCompilation compile_all(inputs::LoadedInputs& loaded, const Options& options,
                                       const CompileStyle& style) {
  if (style.sink_of)
    return inputs::compile_groups_into_sinks(std::move(loaded.groups), options, style.sink_of);
  if (style.keeps_inputs) return inputs::compile_groups(loaded.groups, options);
  return inputs::compile_groups(std::move(loaded.groups), options);
}

}  // namespace

std::optional<CompiledInputs> compile_inputs(Console& console, const InputFlags& flags,
                                             const ColourFlag& colour, const Options& options,
                                             const CompileStyle& style) {
  auto loaded = load_inputs(console, flags);
  if (!loaded) return std::nullopt;
  inputs::GroupedCompilation grouped = compile_all(*loaded, options, style);
  if (!check_inputs(console, flags, *loaded, grouped.all)) return std::nullopt;
  note_unbuilt(console, loaded->roots);
  CompiledInputs compiled;
  compiled.rejected = grouped.all.diagnostics.has_refusals();
  if (style.shown) {
    const base::Diagnostics shown = style.shown(grouped);
    compiled.rejected = compiled.rejected || shown.has_errors();
    print_diagnostics(console, shown, colour.value(), false);
  } else {
    print_diagnostics(console, grouped.all.diagnostics, colour.value(), true);
  }
  compiled.all = std::move(grouped.all);
  compiled.loaded = std::move(*loaded);
  note_trainer_version(console, compiled.all);
  if (style.notes_no_job && compiled.all.train_jobs == 0 && !compiled.rejected) note_no_job(console);
  return compiled;
}

}  // namespace trainjobc::cli
