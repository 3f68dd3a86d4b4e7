// SPDX-License-Identifier: Apache-2.0

#include "cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/diagnostic.h"
#include "base/files/paths.h"
#include "base/text/duration.h"
#include "base/text/suggest.h"
#include "base/text/text.h"
#include "compile/input.h"
#include "inputs/config.h"
#include "k8s/kubernetes.h"
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

inputs::DiscoverOptions DirectoryFlags::options() const {
  inputs::DiscoverOptions options;
  options.recurse = !no_recursive;
  return options;
}

void RootFlags::add_to(Command& command) {
  command
      .add("-k,--kustomize", &kustomize,
           "Build this kustomization, with the kustomize or kubectl on the PATH; can be repeated")
      .takes("DIR");
  command.add("--kustomize-remote", &allow_remote, "Let kustomize fetch bases that are not here");
  command.add("--helm", &charts, "Build this chart, with the helm on the PATH; can be repeated").takes("DIR");
  command.add("--values", &values, "Values for the --helm before it; can be repeated")
      .takes("FILE")
      .needs("--helm");
  command.add("--release", &names, "Name of the release for the --helm before it")
      .takes("NAME")
      .needs("--helm");
  command.add("--no-cache", &no_cache,
              "Build kustomizations and charts even if their files are as they were built before");
  command.when_parsed.emplace_back([this](std::span<const Flag* const> given) { pair(given); });
  command.variables.push_back({"XDG_CACHE_HOME", "The folder for caches. The default is ~/.cache."});
}

void RootFlags::pair(std::span<const Flag* const> given) {
  size_t value = 0;
  size_t name = 0;
  for (const Flag* flag : given) {
    if (flag->has_name("--helm")) {
      releases.push_back({.flag = "--helm", .folder = base::normal_path(charts[releases.size()])});
    } else if (flag->has_name("--values") || flag->has_name("--release")) {
      if (releases.empty()) {
        error = fmt::format("{} is for the --helm before it", flag->long_name());
        return;
      }
      if (flag->has_name("--values"))
        releases.back().values.push_back(base::normal_path(values[value++]));
      else
        releases.back().release = names[name++];
    }
  }
}

std::vector<inputs::Root> RootFlags::roots() const {
  std::vector<inputs::Root> roots;
  for (const std::string& folder : kustomize)
    roots.push_back({.flag = "-k", .folder = base::normal_path(folder)});
  base::append(roots, releases);
  return roots;
}

void RevisionFlags::add_to(Command& command, const std::string& name, const std::string& description) {
  flag = name;
  command.add(name, &names.base, description).takes("REV");
  command
      .add("--no-merge-base", &names.no_merge_base,
           fmt::format("Compare with {} itself, not with the commit where the history left it", name))
      .needs(name);
}

void InputFlags::add_to(Command& command, bool has_trainer_version) {
  const size_t own = command.flags.size();
  add_all_to(command, has_trainer_version);
  for (size_t i = own; i < command.flags.size(); ++i)
    command.flags[i].of_inputs = !command.flags[i].positional;
}

void InputFlags::add_all_to(Command& command, bool has_trainer_version) {
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
  command
      .add("--kubernetes-version", &kubernetes_version,
           fmt::format("Kubernetes version whose rules Jobs and pods must fit [{}]",
                       k8s::default_kubernetes().version))
      .one_of(k8s::kubernetes_versions())
      .reads(
          [](const std::string& text) {
            const k8s::KubernetesBehaviour* known = k8s::find_kubernetes(text);
            return std::optional(known ? std::string(known->version) : text);
          },
          "");
  command
      .add("--feature-gates", &feature_gates,
           "Feature gates of Trainer's controller that are on, such as TrainJobStatus=true; can be repeated")
      .takes("GATES");
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

Flag& InputFlags::add_deployed_to(Command& command, std::string_view verb, std::string_view more) {
  has_deployed = true;
  return command.add("--roots", &deployed,
                     fmt::format("{} what the Kustomizations of Flux and the Applications of Argo CD in the "
                                 "inputs deploy{}",
                                 verb, more));
}

namespace {

std::optional<std::string> seconds_of(const std::string& text) {
  const auto time = base::read_time(text);
  return time ? std::optional(std::to_string(time->count())) : std::nullopt;
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
      .reads(seconds_of, "a time such as 90, 90s, 10m or 2h")
      .shows_default();
}

kubectl::Settings KubectlFlags::settings(std::chrono::seconds limit) const {
  return {"kubectl", context, kubeconfig, shorter(std::chrono::seconds(timeout), limit)};
}

std::chrono::seconds program_timeout(Console& console, const InputFlags& flags, std::chrono::seconds usual) {
  const std::string config = flags.config.empty() ? console.environment("TRAINJOBC_CONFIG") : flags.config;
  inputs::Configurations configurations(console.files(), config, flags.no_config);
  return configurations.of_working_directory()->program_timeout.value_or(usual);
}

std::chrono::seconds shorter(std::chrono::seconds one, std::chrono::seconds other) {
  if (one.count() == 0 || other.count() == 0) return std::max(one, other);
  return std::min(one, other);
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

inputs::Environment environment_of(const Console& console) {
  return {console.environment("TRAINJOBC_CONFIG"), console.environment("TRAINJOBC_TRAINER_VERSION"),
          console.environment("TRAINJOBC_RUNTIMES")};
}

inputs::Request request_of(const Console& console, const InputFlags& flags) {
  inputs::Request request;
  request.paths = flags.paths;
  base::append(request.paths, flags.filenames);
  request.recurse = !flags.directories.no_recursive;
  request.roots = flags.roots.roots();
  request.found_roots = flags.found_roots;
  request.allow_remote = flags.roots.allow_remote;
  request.no_cache = flags.roots.no_cache;
  request.deployed = flags.deployed;
  request.may_be_deployed = flags.has_deployed;
  request.lists_deployed = flags.lists_deployed || flags.verbose;
  request.names_programs = flags.names_programs || flags.verbose;
  if (flags.deployed && request.paths.empty() && request.roots.empty()) request.paths = {"."};
  request.trainer_version = flags.trainer_version;
  request.feature_gates = flags.feature_gates;
  request.kubernetes_version = flags.kubernetes_version;
  request.runtimes = flags.runtimes;
  request.use_catalogue = !flags.no_catalogue;
  request.ns = flags.ns;
  request.config = flags.config;
  request.no_config = flags.no_config;
  request.environment = environment_of(console);
  return request;
}

void print(Console& console, const inputs::Message& message) {
  switch (message.kind) {
    case inputs::MessageKind::Note: return note(console, message.text);
    case inputs::MessageKind::Problem: fail(console, message.text); return;
    case inputs::MessageKind::Report: return console.write_stderr(message.text);
  }
}

namespace {

// Prints the messages of loading; nullopt if the inputs can't be used.
std::optional<inputs::Loaded> printed(Console& console, inputs::Loaded loaded) {
  for (const inputs::Message& message : loaded.messages) print(console, message);
  return loaded.failed() ? std::nullopt : std::optional(std::move(loaded));
}

bool is_possible(Console& console, const RootFlags& flags) {
  if (!flags.error.empty()) fail(console, flags.error);
  return flags.error.empty();
}

}  // namespace

std::optional<inputs::Loaded> load_inputs(Console& console, inputs::Request request) {
  request.standard_input = [&] { return console.read_stdin(); };
  return printed(console, inputs::load(console.files(), console.processes(), request));
}

std::optional<inputs::Loaded> load_inputs(Console& console, const inputs::Request& request,
                                          std::vector<Source> sources) {
  return printed(console, inputs::load(console.files(), console.processes(), request, std::move(sources)));
}

std::optional<inputs::Loaded> load_inputs(Console& console, const InputFlags& flags) {
  if (!is_possible(console, flags.roots)) return std::nullopt;
  inputs::Request request = request_of(console, flags);
  if (request.paths.empty() && request.roots.empty()) {
    if (console.stdin_is_terminal()) {
      fail(console, "no input: name a file or directory, or - for standard input");
      return std::nullopt;
    }
    request.paths = {"-"};
  }
  return load_inputs(console, std::move(request));
}

base::IoResult<inputs::FoundSources> load_sources(Console& console, const std::vector<std::string>& paths,
                                                  inputs::DiscoverOptions options) {
  options.standard_input = [&] { return console.read_stdin(); };
  return inputs::read_sources(console.files(), paths, options);
}

std::optional<std::vector<inputs::InputGroup>> build_named(Console& console, const RootFlags& flags,
                                                           std::vector<std::string> deployed) {
  if (!is_possible(console, flags)) return std::nullopt;
  inputs::Request request;
  request.roots = flags.roots();
  request.allow_remote = flags.allow_remote;
  request.no_cache = flags.no_cache;
  request.environment.config = console.environment("TRAINJOBC_CONFIG");
  request.deployed = !deployed.empty();
  request.lists_deployed = false;
  request.paths = std::move(deployed);
  if (request.roots.empty() && !request.deployed) return std::vector<inputs::InputGroup>();
  auto loaded = printed(console, inputs::load(console.files(), console.processes(), request));
  if (!loaded) return std::nullopt;
  return std::move(loaded->groups);
}

std::optional<inputs::Revisions> open_revisions(Console& console, const RevisionFlags& flags,
                                                const InputFlags& input, std::chrono::milliseconds timeout) {
  if (!is_possible(console, input.roots)) return std::nullopt;
  return got(console,
             inputs::open_revisions(console.files(), console.processes(), flags.names,
                                    request_of(console, input), timeout),
             flags.flag + ": ");
}

std::optional<inputs::Loaded> load_state(Console& console, const inputs::Request& request,
                                         const inputs::State& state) {
  return printed(console, inputs::load_state(console.files(), console.processes(), request, state));
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

// Whether anything in these files is, or was meant to be, for Trainer.
template <class IsIn>
bool hold_something(const IsIn& is_in, const Compilation& compiled) {
  return std::ranges::any_of(compiled.linted, is_in, &LintedObject::file) ||
         std::ranges::any_of(compiled.with_findings, is_in) ||
         std::ranges::any_of(compiled.objects, [&](const Object& object) {
           const base::Location at = yaml::locate(*object.root);
           return object.passthrough && at.file && is_in(at.file->name());
         });
}

// A directory that was read recursively, or a root that was built, without anything for Trainer; "" if there
// is none.
std::string empty_input(const inputs::Loaded& loaded, const Compilation& compiled) {
  for (const std::string& directory : loaded.directories) {
    const std::string folder = base::absolute_path(directory);
    const auto is_in = [&](const std::string& file) {
      return !base::path_below(base::absolute_path(file), folder).empty();
    };
    if (!hold_something(is_in, compiled) && std::ranges::none_of(loaded.parts, is_in)) return directory;
  }
  for (const inputs::BuiltRoot& root : loaded.built) {
    const auto is_in = [&](const std::string& file) { return base::contains(root.files, file); };
    if (!hold_something(is_in, compiled)) return root.scope;
  }
  return "";
}

}  // namespace

bool check_inputs(Console& console, const InputFlags& flags, const inputs::Loaded& loaded,
                  const Compilation& compiled) {
  if (flags.verbose) {
    for (const inputs::BuildProgram& program : loaded.programs)
      note(console, fmt::format("built with {} {}", program.name,
                                program.version.empty() ? "of an unknown version" : program.version));
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
  if (flags.directories.allow_empty || !flags.jobs.empty() || loaded.is_deployed) return true;
  const std::string empty = empty_input(loaded, compiled);
  if (empty.empty()) return true;
  fail(console, loaded.roots.empty()
                    ? fmt::format("{} contains no TrainJob and no runtime; -v shows what was skipped, "
                                  "--allow-empty accepts this",
                                  empty)
                    : fmt::format("{} contains no TrainJob and no runtime that is not built: {} builds one",
                                  empty, loaded.roots.front()));
  return false;
}

void note_no_job(Console& console) {
  note(console, "the inputs contain no TrainJob");
}

namespace {

// `roots` are the flags that would build them.
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
  for (const CollectedJob& job : compiled.collected) add(job.scope, job.ns, job.name);
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

inputs::GroupedCompilation compile_all(inputs::Loaded& loaded, Options options, const CompileStyle& style,
                                       base::Progress* progress) {
  const base::Work work(progress, "compiling TrainJobs", 0);
  options.work = &work;
  if (style.sink_of)
    return inputs::compile_groups_into_sinks(style.keeps_inputs ? loaded.groups : std::move(loaded.groups),
                                             options, style.sink_of, style.is_governed);
  if (style.keeps_inputs) return inputs::compile_groups(loaded.groups, options);
  return inputs::compile_groups(std::move(loaded.groups), options);
}

}  // namespace

std::optional<CompiledInputs> compile_inputs(Console& console, const InputFlags& flags,
                                             const ColourFlag& colour, const Options& options,
                                             const CompileStyle& style) {
  auto loaded = load_inputs(console, flags);
  if (!loaded) return std::nullopt;
  inputs::GroupedCompilation grouped = compile_all(*loaded, options, style, console.progress());
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
