// SPDX-License-Identifier: Apache-2.0

// trainjobc runtimes pull, runtimes check
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/text/layout.h"
#include "cli/commands/runtimes/runtimes_command.h"
#include "cli/exit_status.h"
#include "cli/input/load.h"
#include "compile/catalogue_files.h"
#include "features/kubectl/kubectl.h"
#include "features/runtimes/runtimes.h"
#include "model/trainer_names.h"

namespace trainjobc::cli {
namespace {

using nlohmann::ordered_json;
using runtimes::RuntimeState;
using runtimes::RuntimeVerdict;

const schema::VersionSchemas& schemas_for(const std::string& trainer_version) {
  const schema::VersionSchemas* chosen = schema::find_version(trainer_version);
  return chosen ? *chosen : schema::all_versions().back();
}

// The runtimes of the cluster as texts; nullopt after an error.
std::optional<std::vector<Source>> fetch_runtimes(Console& console, const RuntimeClusterFlags& flags,
                                                  base::ProcessRunner& runner) {
  const kubectl::Kubectl kubectl(
      runner, {"kubectl", flags.context, flags.kubeconfig, std::chrono::seconds(flags.timeout)});
  std::vector<Source> sources;
  for (const bool is_namespaced : {false, true}) {
    kubectl::Call call;
    call.ns = is_namespaced ? flags.ns : "";
    call.words = {"get", is_namespaced ? "trainingruntimes.trainer.kubeflow.org"
                                       : "clustertrainingruntimes.trainer.kubeflow.org"};
    if (is_namespaced && flags.ns.empty()) call.words.emplace_back("--all-namespaces");
    call.words.insert(call.words.end(), {"-o", "json"});
    kubectl::Reply reply = kubectl.run(call);
    if (!reply.ok()) {
      fail(console, kubectl::describe(reply.failure));
      return std::nullopt;
    }
    console.write_stderr(reply.notes);
    sources.push_back({"kubectl " + call.words[1], std::move(reply.out)});
  }
  return sources;
}

std::optional<cluster::LiveSet*> read_all(Console& console, std::vector<Source> sources,
                                          cluster::LiveSet& live) {
  base::Diagnostics diagnostics;
  for (Source& source : sources) cluster::read_live(std::move(source), live, diagnostics);
  print_diagnostics(console, diagnostics, ColourChoice::Auto, false);
  return diagnostics.has_errors() ? std::nullopt : std::optional(&live);
}

// The catalogue of that Trainer version; of the newest if none is given.
std::vector<Source> catalogue_of(std::string_view version) {
  std::vector<Source> sources;
  for (const compile::CatalogueFile& file : compile::catalogue_files()) {
    if (file.version == version)
      sources.push_back({fmt::format("catalogue/{}", file.name), std::string(file.text)});
  }
  return sources;
}

// What the runtimes were compared with.
struct Check {
  std::string with;   // "the catalogue of Trainer 2.3", "the cluster"
  std::string where;  // in JSON: "catalogue", "cluster"
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

ordered_json json_of(const RuntimeVerdict& verdict, const Check& check) {
  ordered_json differences = ordered_json::array();
  for (const runtimes::RuntimeDifference& one : verdict.differences) {
    differences.push_back({{"path", one.path},
                           {check.where, one.other},
                           {"file", one.own},
                           {"line", one.location.file ? one.location.line : 0}});
  }
  return {{"runtime", verdict.id},
          {"place", verdict.place},
          {"with", check.where},
          {"state", to_string(verdict.state)},
          {"differences", std::move(differences)}};
}

std::string as_json(const std::vector<Check>& checks) {
  ordered_json verdicts = ordered_json::array();
  for (const Check& check : checks) {
    for (const RuntimeVerdict& verdict : check.verdicts) verdicts.push_back(json_of(verdict, check));
  }
  return ordered_json{{"runtimes", std::move(verdicts)}}.dump(2, ' ', false,
                                                              ordered_json::error_handler_t::replace) +
         "\n";
}

// The runtimes of the inputs as they are read everywhere.
bool read_own(Console& console, const RuntimesCheckFlags& flags, compile::InputSet& own) {
  auto loaded = load_sources(console, flags.paths, flags.directories.options());
  if (const auto* error = std::get_if<base::IoError>(&loaded)) {
    fail(console, error->message);
    return false;
  }
  base::Diagnostics diagnostics;
  compile::read_inputs(std::move(std::get<Loaded>(loaded).sources), own, diagnostics);
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
  command.add("--context", &context, "kubeconfig context to use").takes("NAME");
  command.add("--kubeconfig", &kubeconfig, "kubeconfig file to use").takes("FILE");
  command.add("-n,--namespace", &ns, "Only TrainingRuntimes of this namespace").takes("NAME");
  add_timeout(command, timeout, "Time limit for one kubectl call");
}

int run_runtimes_pull(Console& console, const RuntimesPullFlags& flags, base::ProcessRunner& runner) {
  if (flags.directory.empty()) return fail(console, "name the directory to write to");
  auto sources = fetch_runtimes(console, flags.cluster, runner);
  cluster::LiveSet live;
  if (!sources || !read_all(console, std::move(*sources), live)) return kFailed;
  base::FileSystem& files = console.files();
  std::string written;
  for (const runtimes::RuntimeFile& file : runtimes::files_of(live, schemas_for(flags.trainer_version))) {
    const std::string path = fmt::format("{}/{}", flags.directory, file.path);
    if (const auto error = files.make_directory(path.substr(0, path.rfind('/'))))
      return fail(console, error->message);
    if (!files.stays_inside(flags.directory, file.path)) {
      return fail(console,
                  fmt::format("{} is a link that leads out of {}, or no file", path, flags.directory));
    }
    if (const auto error = files.write(path, file.text, 0666)) return fail(console, error->message);
    written += path + "\n";
  }
  if (written.empty()) note(console, "the cluster has no runtime");
  return console.write_stdout(written) ? kOk : fail(console, "can't write the output");
}

int run_runtimes_check(Console& console, const RuntimesCheckFlags& flags, base::ProcessRunner& runner) {
  if (flags.paths.empty()) return fail(console, "name the files or directories with the runtimes");
  const schema::VersionSchemas& schemas = schemas_for(flags.trainer_version);
  compile::InputSet own;
  if (!read_own(console, flags, own)) return kFailed;
  std::vector<Check> checks;
  base::Diagnostics ignored;
  compile::InputSet catalogue;
  compile::read_inputs(catalogue_of(schemas.trainer), catalogue, ignored, {.is_input = false});
  checks.push_back({fmt::format("the catalogue of Trainer {}", schemas.trainer), "catalogue",
                    runtimes::compare_runtimes(own.objects, catalogue.objects, schemas, false)});
  compile::InputSet cluster;
  const bool asks = flags.ask_cluster || !flags.cluster.context.empty() || !flags.cluster.kubeconfig.empty();
  if (asks) {
    auto sources = fetch_runtimes(console, flags.cluster, runner);
    if (!sources) return kFailed;
    base::Diagnostics diagnostics;
    compile::read_inputs(std::move(*sources), cluster, diagnostics, {.is_input = false});
    checks.push_back(
        {"the cluster", "cluster", runtimes::compare_runtimes(own.objects, cluster.objects, schemas, true)});
  }
  const std::string text = flags.format == "json" ? as_json(checks) : as_text(checks, console.stdout_width());
  if (!console.write_stdout(text)) return fail(console, "can't write the output");
  const auto differs = [](const RuntimeVerdict& verdict) { return verdict.state == RuntimeState::Different; };
  const bool any = std::ranges::any_of(
      checks, [&](const Check& check) { return std::ranges::any_of(check.verdicts, differs); });
  return any ? kRejected : kOk;
}

}  // namespace trainjobc::cli
