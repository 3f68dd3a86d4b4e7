// SPDX-License-Identifier: Apache-2.0

// trainjobc runtimes pull, runtimes check
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <set>

#include "base/text/layout.h"
#include "base/text/suggest.h"
#include "cli/commands.h"
#include "compile/runtimes.h"
#include "features/cluster/live.h"
#include "features/kubectl/kubectl.h"
#include "features/runtimes/runtimes.h"
#include "inputs/known_runtimes.h"
#include "k8s/object_meta.h"
#include "lint/report/json.h"
#include "model/trainer_names.h"

namespace trainjobc::cli {
namespace {

using report::Json;
using runtimes::RuntimeState;
using runtimes::RuntimeVerdict;

// False after an error.
bool fetch_runtimes(Console& console, const RuntimeClusterFlags& flags, cluster::LiveSet& live) {
  const kubectl::Kubectl kubectl(console.processes(), flags.kubectl.settings(program_timeout(console, {})));
  for (const bool is_namespaced : {false, true}) {
    kubectl::Call call;
    call.ns = is_namespaced ? flags.ns : "";
    call.words = {"get", is_namespaced ? "trainingruntimes.trainer.kubeflow.org"
                                       : "clustertrainingruntimes.trainer.kubeflow.org"};
    if (is_namespaced && flags.ns.empty()) call.words.emplace_back("--all-namespaces");
    call.words.insert(call.words.end(), {"-o", "json"});
    const std::array kinds{
        std::string_view(is_namespaced ? model::kTrainingRuntime : model::kClusterTrainingRuntime)};
    const cluster::Answer answer = cluster::ask(kubectl, call, live, kinds);
    if (!answer.ok()) {
      fail(console, kubectl::describe(answer.failure));
      return false;
    }
    console.write_stderr(answer.warnings);
  }
  return true;
}

std::vector<Source> texts_of(const cluster::LiveSet& live) {
  std::vector<Source> sources;
  for (const auto& file : live.files) sources.push_back({file->name(), std::string(file->text())});
  return sources;
}

// The catalogue of a Trainer version.
std::vector<Source> catalogue_of(std::string_view version) {
  std::vector<Source> sources;
  for (const compile::CatalogueFile& file : compile::catalogue_files()) {
    if (file.version == version)
      sources.push_back({fmt::format("catalogue/{}", file.name), std::string(file.text)});
  }
  return sources;
}

// The result of comparing the runtimes.
struct Check {
  std::string with;   // what they were compared with: "the catalogue of Trainer 2.3", "the cluster"
  std::string where;  // likewise, in JSON: "catalogue", "cluster"
  std::vector<RuntimeVerdict> verdicts;
};

std::string state_words(RuntimeState state, const std::string& with) {
  switch (state) {
    case RuntimeState::Same: return fmt::format("same as in {}", with);
    case RuntimeState::Different: return fmt::format("differs from {}", with);
    case RuntimeState::OnlyHere: return fmt::format("not in {}", with);
    case RuntimeState::OnlyThere: return fmt::format("only in {}", with);
  }
  return "";
}

std::string as_text(const std::vector<Check>& checks, size_t width) {
  std::string out;
  for (const Check& check : checks) {
    for (const RuntimeVerdict& verdict : check.verdicts) {
      out += base::beside_or_below({verdict.id, state_words(verdict.state, check.with), verdict.place}, width,
                                   4) +
             "\n";
      for (const runtimes::RuntimeDifference& one : verdict.differences) {
        const base::Location& at = one.location;
        out += base::beside_or_below({"  " + one.path, fmt::format("{} → {}", one.other, one.own),
                                      at.file ? fmt::format("{}:{}", at.file->name(), at.line) : ""},
                                     width, 6) +
               "\n";
      }
    }
  }
  return out;
}

Json json_of(const RuntimeVerdict& verdict, const Check& check) {
  const auto difference = [&](const runtimes::RuntimeDifference& one) {
    return Json({{"path", one.path},
                 {check.where, one.other},
                 {"file", one.own},
                 {"line", one.location.file ? one.location.line : 0}});
  };
  return {{"runtime", verdict.id},
          {"place", verdict.place},
          {"with", check.where},
          {"state", to_string(verdict.state)},
          {"differences", Json::array(verdict.differences, difference)}};
}

std::string as_json(const std::vector<Check>& checks) {
  Json verdicts = Json::array();
  for (const Check& check : checks) {
    for (const RuntimeVerdict& verdict : check.verdicts) verdicts.add(json_of(verdict, check));
  }
  return Json({{"version", report::kReportVersion}, {"runtimes", verdicts}}).report();
}

// Reads the runtimes of the inputs as other commands do.
bool read_own(Console& console, const RuntimesCheckFlags& flags, compile::InputSet& own) {
  auto loaded = got(console, load_sources(console, flags.paths, flags.directories.options()));
  if (!loaded) return false;
  base::Diagnostics diagnostics;
  compile::read_inputs(std::move(loaded->sources), own, diagnostics);
  print_diagnostics(console, diagnostics, ColourChoice::Auto, false);
  if (diagnostics.has_errors()) return false;
  if (std::ranges::none_of(own.objects, &compile::InputObject::is_runtime) &&
      !flags.directories.allow_empty) {
    fail(console, "the inputs contain no runtime; --allow-empty accepts this");
    return false;
  }
  return true;
}

}  // namespace

void RuntimeClusterFlags::add_to(Command& command) {
  kubectl.add_cluster_to(command);
  command.add("-n,--namespace", &ns, "Only TrainingRuntimes of this namespace").takes("NAME");
  kubectl.add_timeout_to(command);
}

int run_runtimes_pull(Console& console, const RuntimesPullFlags& flags) {
  if (flags.directory.empty()) return fail(console, "name the directory to write to");
  cluster::LiveSet live;
  if (!fetch_runtimes(console, flags.cluster, live)) return kFailed;
  return write_pulled(console, flags.directory,
                      runtimes::files_of(live, schema::version_or_newest(flags.trainer_version)),
                      "the cluster has no runtime");
}

int write_pulled(Console& console, const std::string& directory,
                 const std::vector<runtimes::RuntimeFile>& pulled, std::string_view none) {
  base::FileSystem& files = console.files();
  std::string written;
  for (const runtimes::RuntimeFile& file : pulled) {
    const std::string path = fmt::format("{}/{}", directory, file.path);
    if (const auto error = files.make_directory(path.substr(0, path.rfind('/'))))
      return fail(console, error->message);
    if (!files.stays_inside(directory, file.path)) {
      return fail(console, fmt::format("{} is a link that leads out of {}, or no file", path, directory));
    }
    if (const auto error = files.write(path, file.text, 0666)) return fail(console, error->message);
    written += path + "\n";
  }
  if (written.empty()) note(console, std::string(none));
  return print_text(console, written);
}

int run_runtimes_check(Console& console, const RuntimesCheckFlags& flags) {
  if (flags.paths.empty()) return fail(console, "name the files or directories with the runtimes");
  const schema::VersionSchemas& schemas = schema::version_or_newest(flags.trainer_version);
  compile::InputSet own;
  if (!read_own(console, flags, own)) return kFailed;
  std::vector<Check> checks;
  base::Diagnostics ignored;
  compile::InputSet catalogue;
  compile::read_inputs(catalogue_of(schemas.trainer), catalogue, ignored, {.is_input = false});
  checks.push_back({fmt::format("the catalogue of Trainer {}", schemas.trainer), "catalogue",
                    runtimes::compare_runtimes(own.objects, catalogue.objects, schemas, false)});
  compile::InputSet cluster;
  const bool asks = flags.ask_cluster || flags.cluster.kubectl.name_cluster();
  if (asks) {
    cluster::LiveSet live;
    if (!fetch_runtimes(console, flags.cluster, live)) return kFailed;
    base::Diagnostics diagnostics;
    compile::read_inputs(texts_of(live), cluster, diagnostics, {.is_input = false});
    // A folder is taken to have all runtimes, a file only some.
    const bool is_whole = std::ranges::all_of(
        flags.paths, [&](const std::string& path) { return console.files().is_directory(path); });
    checks.push_back({"the cluster", "cluster",
                      runtimes::compare_runtimes(own.objects, cluster.objects, schemas, is_whole)});
  }
  const std::string text = flags.format == "json" ? as_json(checks) : as_text(checks, console.stdout_width());
  const auto differs = [](const RuntimeVerdict& verdict) { return verdict.state == RuntimeState::Different; };
  const bool any = std::ranges::any_of(
      checks, [&](const Check& check) { return std::ranges::any_of(check.verdicts, differs); });
  return print_text(console, text, any ? kRejected : kOk);
}

// trainjobc runtimes and runtimes --used-by

namespace {

struct RuntimesFlags {
  std::vector<std::string> paths;
  std::vector<std::string> runtimes;
  DirectoryFlags directories;
  std::string trainer_version;
  std::string format = "text";
  std::string show;
  std::string used_by;
  RootFlags roots;
  bool deployed = false;
};

// The flags of the command and its subcommands.
struct AllRuntimesFlags {
  RuntimesFlags list;
  RuntimesPullFlags pull;
  RuntimesCheckFlags check;
};

using runtimes::RuntimeUse;
using runtimes::RuntimeUser;

bool has_scopes(const std::vector<RuntimeUse>& uses) {
  return std::ranges::any_of(uses, [&](const RuntimeUse& use) { return use.scope != uses.front().scope; });
}

std::string uses_as_text(const std::vector<RuntimeUse>& uses, size_t width) {
  std::vector<std::vector<std::string>> rows{{"SCOPE", "RUNTIME", "KIND", "JOB", "FROM"}};
  for (const RuntimeUse& use : uses) {
    const std::string name = use.ns.empty() ? use.name : fmt::format("{}/{}", use.ns, use.name);
    for (const RuntimeUser& job : use.jobs)
      rows.push_back({use.scope, name, use.kind, fmt::format("{}/{}", job.ns, job.name), job.place});
  }
  if (!has_scopes(uses)) {
    for (std::vector<std::string>& row : rows) row.erase(row.begin());
  }
  return base::table(rows, width);
}

std::string uses_as_names(const std::vector<RuntimeUse>& uses) {
  std::string out;
  for (const RuntimeUse& use : uses) {
    for (const RuntimeUser& job : use.jobs) out += fmt::format("{}/{}\n", job.ns, job.name);
  }
  return out;
}

std::string uses_as_json(const std::vector<RuntimeUse>& uses) {
  const bool names_scopes = has_scopes(uses);
  const auto job_of = [](const RuntimeUser& job) {
    return Json({{"namespace", job.ns}, {"name", job.name}, {"place", job.place}});
  };
  const auto use_of = [&](const RuntimeUse& use) {
    Json json{{"name", use.name},
              {"namespace", use.ns},
              {"kind", use.kind},
              {"jobs", Json::array(use.jobs, job_of)}};
    if (names_scopes) json.add("scope", use.scope);
    return json;
  };
  return Json({{"version", report::kReportVersion}, {"runtimes", Json::array(uses, use_of)}}).report();
}

// The error about the name after --used-by if no runtime has it, and no job of the inputs refers to it; else
// "".
std::string unknown_runtime(Console& console, inputs::Configurations& configurations,
                            const inputs::DiscoverOptions& how, const compile::InputSet& inputs,
                            const std::vector<RuntimeUse>& uses, const std::string& name) {
  std::set<std::string_view> names;
  for (const RuntimeUse& use : uses) names.insert(use.name);
  for (const compile::InputObject& object : inputs.objects) {
    if (object.is_runtime()) names.insert(object.id.name);
  }
  const auto others = inputs::known_runtimes(console.files(), configurations, {{}, {}, how, ""});
  if (const auto* known = std::get_if<inputs::KnownRuntimes>(&others)) {
    for (const inputs::KnownRuntime& runtime : known->runtimes) names.insert(runtime.name);
  }
  if (names.contains(name)) return "";
  return fmt::format("--used-by: there is no runtime \"{}\"{}", name, base::did_you_mean(name, names));
}

// If the word after --used-by is a file, the name was left out, and the word is an input.
// With --roots, the paths are those of the objects of Flux and Argo CD, not of what is read.
std::vector<std::string> take_deployed(RuntimesFlags& flags) {
  if (!flags.deployed) return {};
  std::vector<std::string> paths = std::exchange(flags.paths, {});
  if (paths.empty()) paths = {"."};
  return paths;
}

int run_used_by(Console& console, RuntimesFlags flags) {
  const std::string& name = flags.used_by;  // "" for all
  if (!name.empty() && (name == "-" || console.files().exists(name)))
    flags.paths.insert(flags.paths.begin(), std::exchange(flags.used_by, ""));
  std::vector<std::string> deployed = take_deployed(flags);
  inputs::Configurations configurations(console.files(), console.environment("TRAINJOBC_CONFIG"), false);
  inputs::DiscoverOptions how = flags.directories.options();
  how.configurations = &configurations;
  compile::InputSet inputs;
  if (flags.paths.empty() && flags.roots.is_empty() && !flags.deployed) {
    const std::string wrong =
        name.empty() ? "" : unknown_runtime(console, configurations, how, inputs, {}, name);
    return fail(console, wrong.empty() ? "--used-by: name the files or directories with the jobs" : wrong);
  }
  auto loaded = load_sources(console, flags.paths, how);
  if (const auto& error = configurations.error()) {
    print(console, *error);
    return kFailed;
  }
  auto sources = got(console, std::move(loaded));
  if (!sources) return kFailed;
  base::Diagnostics diagnostics;
  compile::read_inputs(std::move(sources->sources), inputs, diagnostics);
  const auto scope_of = [&](const std::string& file) {
    return inputs::scope_of(*configurations.of_file(file));
  };
  runtimes::UseCollector collector;
  collector.add(inputs.objects, scope_of);
  auto built = build_named(console, flags.roots, std::move(deployed));
  if (!built) return kFailed;
  for (inputs::InputGroup& group : *built) {
    compile::InputSet own;
    compile::read_inputs(std::move(group.inputs), own, diagnostics);
    collector.add(own.objects, [&](const std::string&) { return group.scope; });
  }
  const std::vector<RuntimeUse> all = collector.take();
  print_diagnostics(console, diagnostics, ColourChoice::Auto, false);
  std::vector<RuntimeUse> uses = all;
  if (!name.empty()) std::erase_if(uses, [&](const RuntimeUse& use) { return use.name != name; });
  if (uses.empty() && !name.empty()) {
    const std::string wrong = unknown_runtime(console, configurations, how, inputs, all, name);
    if (!wrong.empty()) return fail(console, wrong);
  }
  const std::string text = flags.format == "json"   ? uses_as_json(uses)
                           : flags.format == "name" ? uses_as_names(uses)
                                                    : uses_as_text(uses, console.stdout_width());
  return print_text(console, text, diagnostics.has_errors() ? kFailed : kOk);
}

std::string origin_of(const inputs::KnownRuntime& runtime) {
  return runtime.versions.empty() ? runtime.place
                                  : fmt::format("catalogue of Trainer {}", fmt::join(runtime.versions, ", "));
}

constexpr std::string_view kNone = "-";  // the namespace shown for a ClusterTrainingRuntime

std::string namespace_of(const inputs::KnownRuntime& runtime) {
  if (runtime.kind == model::kClusterTrainingRuntime) return std::string(kNone);
  return std::string(k8s::effective_namespace(runtime.ns));
}

std::string as_text(const std::vector<inputs::KnownRuntime>& runtimes, size_t width) {
  const bool has_namespaces = std::ranges::any_of(
      runtimes, [](const inputs::KnownRuntime& runtime) { return namespace_of(runtime) != kNone; });
  std::vector<std::vector<std::string>> rows{{"NAMESPACE", "NAME", "FRAMEWORK", "KIND", "FROM"}};
  for (const inputs::KnownRuntime& runtime : runtimes) {
    rows.push_back({namespace_of(runtime), runtime.name, runtime.framework, std::string(runtime.kind),
                    origin_of(runtime)});
  }
  if (!has_namespaces) {
    for (std::vector<std::string>& row : rows) row.erase(row.begin());
  }
  return base::table(rows, width);
}

std::string as_json(const std::vector<inputs::KnownRuntime>& runtimes) {
  const auto entry_of = [](const inputs::KnownRuntime& runtime) {
    Json entry{{"name", runtime.name},
               {"namespace", runtime.ns},
               {"kind", runtime.kind},
               {"framework", runtime.framework}};
    if (runtime.versions.empty()) {
      entry.add("place", runtime.place);
    } else {
      entry.add("trainerVersions", Json::array(runtime.versions));
    }
    return entry;
  };
  return Json({{"version", report::kReportVersion}, {"runtimes", Json::array(runtimes, entry_of)}}).report(4);
}

std::string names_as_text(const std::vector<inputs::KnownRuntime>& runtimes) {
  std::string out;
  for (const inputs::KnownRuntime& runtime : runtimes) {
    if (!runtime.name.empty()) out += runtime.name + "\n";
  }
  return out;
}

int show(Console& console, const std::vector<inputs::KnownRuntime>& runtimes, const std::string& name) {
  const auto found = std::ranges::find(runtimes, name, &inputs::KnownRuntime::name);
  if (found != runtimes.end()) return print_manifests(console, found->text);
  return fail(console, fmt::format("there is no runtime \"{}\"{}", name,
                                   base::did_you_mean(name, runtimes, &inputs::KnownRuntime::name)));
}

int run_runtimes(Console& console, RuntimesFlags flags) {
  inputs::Configurations configurations(console.files(), console.environment("TRAINJOBC_CONFIG"), false);
  const auto built = build_named(console, flags.roots, take_deployed(flags));
  if (!built) return kFailed;
  const inputs::RuntimeSearch search{flags.paths, flags.runtimes, flags.directories.options(),
                                     flags.trainer_version, &*built};
  auto found = inputs::known_runtimes(console.files(), configurations, search);
  if (const auto& error = configurations.error()) {
    print(console, *error);
    return kFailed;
  }
  const auto known = got(console, std::move(found));
  if (!known) return kFailed;
  if (!known->empty_directories.empty() && !flags.directories.allow_empty) {
    return fail(console,
                fmt::format("{} contains no runtime; -k builds a kustomization, --allow-empty accepts this",
                            known->empty_directories.front()));
  }
  const std::vector<inputs::KnownRuntime>& runtimes = known->runtimes;
  if (!flags.show.empty()) return show(console, runtimes, flags.show);
  const std::string text = flags.format == "json"   ? as_json(runtimes)
                           : flags.format == "name" ? names_as_text(runtimes)
                                                    : as_text(runtimes, console.stdout_width());
  return print_text(console, text);
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
  pull.exit_statuses = {{0, "written"}, {2, "usage, I/O or kubectl error"}};
  pull.examples = {"trainjobc runtimes pull --context production runtimes/"};
  return pull;
}

Command& add_check(Command& command, RuntimesCheckFlags& flags) {
  Command& check =
      command.add_command("check", "Compare runtimes with the catalogue and a cluster, semantically");
  check.add("PATH", &flags.paths, "Files or directories with runtimes").takes("PATH");
  flags.directories.add_to(check);
  check.add("--cluster", &flags.ask_cluster,
            "Also compare with the cluster's runtimes; --context and --kubeconfig imply this");
  flags.cluster.add_to(check);
  add_version_flag(check, "--trainer-version", flags.trainer_version,
                   "Compare with the catalogue of this Trainer version instead of the newest", false);
  check.add("-o,--format", &flags.format, "Output format").one_of({"text", "json"}).shows_default();
  check.details = {
      "A runtime that the other side does not have is listed, but does not count as a difference. Those that "
      "only the cluster has are listed for directories, not for files."};
  check.exit_statuses = {{0, "none differs"}, {1, "a runtime differs"}, {2, "usage, I/O or kubectl error"}};
  check.examples = {"trainjobc runtimes check runtimes/ --trainer-version 2.3",
                    "trainjobc runtimes check runtimes/ --context production"};
  return check;
}

}  // namespace

std::function<int(Console&)> setup_runtimes(Command& command) {
  auto all = std::make_shared<AllRuntimesFlags>();
  RuntimesFlags* flags = &all->list;
  command.add("PATH", &flags->paths, "Files or directories with runtimes").takes("PATH");
  flags->roots.add_to(command);
  command.add("--roots", &flags->deployed,
              "Read what the Kustomizations of Flux and the Applications of Argo CD in the inputs or the "
              "working directory deploy, not the inputs themselves");
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
      "If several places of a scope have a runtime of the same name, the first one is used and listed: the "
      "inputs, --runtimes, the configuration, the catalogue."};
  command.variables = {{std::string(kConfigVariable), "The configuration file."}};
  command.exit_statuses = {{0, "printed"}, {2, "usage or I/O error"}};
  command.examples = {"trainjobc runtimes", "trainjobc runtimes runtimes/",
                      "trainjobc runtimes --show torch-distributed > runtimes/torch.yaml",
                      "trainjobc runtimes --used-by torch-h100 jobs/"};
  return [all, &pull, &check, &used_by](Console& console) {
    if (pull.chosen) return run_runtimes_pull(console, all->pull);
    if (check.chosen) return run_runtimes_check(console, all->check);
    return used_by.given ? run_used_by(console, all->list) : run_runtimes(console, all->list);
  };
}

}  // namespace trainjobc::cli
