// SPDX-License-Identifier: Apache-2.0

// trainjobc diff without a cluster: what a change of files, or another Trainer version, does to every job.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/files/paths.h"
#include "base/text/digest.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "features/diff/states.h"
#include "features/objects/differences.h"

namespace trainjobc::cli {
namespace {

// What check_inputs and the notes need to know about all scopes.
Compilation summary_of(const diff::Scopes& scopes) {
  Compilation all;
  for (const inputs::ScopedCompilation& scope : scopes) {
    base::append(all.linted, scope.compiled.linted);
    base::append(all.passed_over, scope.compiled.passed_over);
    base::append(all.other_jobs, scope.compiled.other_jobs);
    all.with_findings.insert(scope.compiled.with_findings.begin(), scope.compiled.with_findings.end());
    all.train_jobs += scope.compiled.train_jobs;
    all.diagnostics.append(scope.compiled.diagnostics);
  }
  return all;
}

// A state of the inputs after it was compiled.
struct CompiledState {
  inputs::Loaded loaded;  // without groups
  diff::Scopes scopes;
  Compilation summary;
  std::set<std::string> templates;  // names of templates, which are not compared
};

// Removes errors about templates in directories: they are not jobs yet, so they are neither compared nor an
// error. Returns their names.
std::set<std::string> leave_out_templates(diff::Scopes& scopes, const InputFlags& input) {
  const auto is_named = [&](const std::string& file) {
    return base::contains(input.paths, file) || base::contains(input.filenames, file);
  };
  std::set<std::string> templates;
  for (inputs::ScopedCompilation& scope : scopes) {
    scope.compiled.diagnostics.retain([&](const base::Diagnostic& found) {
      if (found.rule != "yaml/template" || is_named(found.location.file->name())) return true;
      templates.insert(found.location.file->name());
      return false;
    });
  }
  return templates;
}

CompiledState compile_state(Console& console, inputs::Loaded loaded, const InputFlags& input, Options options,
                            const base::Digester& digester) {
  const base::Work work(console.progress(), "compiling TrainJobs", 0);
  options.work = &work;
  CompiledState compiled;
  compiled.scopes = inputs::compile_scopes(std::move(loaded.groups), options, digester);
  compiled.templates = leave_out_templates(compiled.scopes, input);
  compiled.summary = summary_of(compiled.scopes);
  loaded.groups.clear();
  compiled.loaded = std::move(loaded);
  return compiled;
}

void print_unread(Console& console, const DiffFlags& flags, const CompiledState& compiled) {
  if (!compiled.templates.empty()) {
    const size_t more = compiled.templates.size() - 1;
    note(console, fmt::format("not compared: {}{}, which must be rendered first", *compiled.templates.begin(),
                              more == 0 ? "" : " and " + base::counted(more, "more template")));
  }
  print_diagnostics(console, unread_jobs_of(compiled.summary), flags.colour.value(), false);
}

// Notes once which Trainer version was chosen for each state.
void note_versions(Console& console, const diff::Scopes& before, const diff::Scopes& after) {
  std::vector<std::string> noted;
  for (const diff::Scopes* scopes : {&before, &after}) {
    for (const inputs::ScopedCompilation& scope : *scopes) {
      const std::string& reason = scope.compiled.trainer_version_reason;
      if (reason.empty() || base::contains(noted, reason)) continue;
      noted.push_back(reason);
      note_trainer_version(console, scope.compiled);
    }
  }
}

// Walking the working directory finds "./jobs/a.yaml"; this makes it "jobs/a.yaml".
void shorten_names(inputs::Loaded& loaded) {
  for (inputs::InputGroup& group : loaded.groups) {
    for (Source& source : group.inputs) {
      if (source.name.starts_with("./")) source.name = base::normal_path(source.name);
    }
  }
}

bool has_something(const Compilation& compiled) {
  return !compiled.linted.empty() || !compiled.with_findings.empty();
}

// Reports what is missing in both states; false if that is an error.
bool check_states(Console& console, const InputFlags& input, const CompiledState& before,
                  const CompiledState& after) {
  InputFlags flags = input;
  flags.directories.allow_empty = flags.directories.allow_empty || has_something(before.summary);
  Compilation both = after.summary;
  both.linted.insert(both.linted.end(), before.summary.linted.begin(), before.summary.linted.end());
  if (!check_inputs(console, flags, after.loaded, both)) return false;
  if (before.summary.train_jobs + after.summary.train_jobs == 0) note_no_job(console);
  return true;
}

// Returns a function that makes "clusters/prod" of "new/clusters/prod" if new/ was compared, and "." of paths
// that are not below it.
std::function<std::string(const std::string&)> below(const InputFlags& input) {
  std::vector<std::string> paths = input.paths;
  paths.insert(paths.end(), input.filenames.begin(), input.filenames.end());
  if (paths.size() != 1) return {};
  return [folder = base::absolute_path(paths.front())](const std::string& scope) {
    const std::string inside = base::path_below(base::absolute_path(scope), folder);
    return inside.empty() ? std::string(".") : inside;
  };
}

std::string prefix_of(const InputFlags& input) {
  if (input.paths.size() != 1 || !input.filenames.empty()) return "";
  const std::string path = base::normal_path(input.paths.front());
  return path == "." ? "" : path + "/";
}

struct LoadedState {
  const InputFlags& input;
  inputs::Loaded loaded;
};

diff::Details details_for(const Console& console, const DiffFlags& flags) {
  diff::Details details;
  details.manifests = manifests_for(console, flags);
  details.fields = flags.format != "json" && details.manifests == objects::Manifests::None;
  details.objects = flags.format == "json";
  details.threads = flags.input.threads;
  return details;
}

std::optional<objects::Report> compare_loaded(Console& console, const DiffFlags& flags, LoadedState before,
                                              LoadedState after, diff::StateOptions how) {
  const Options options = options_of(flags);
  const base::Digester digester;
  CompiledState new_side = compile_state(console, std::move(after.loaded), after.input, options, digester);
  CompiledState old_side = compile_state(console, std::move(before.loaded), before.input, options, digester);
  print_unread(console, flags, new_side);
  if (!check_states(console, after.input, old_side, new_side)) return std::nullopt;
  note_versions(console, old_side.scopes, new_side.scopes);
  how.lists_removed = flags.orphans != "none";
  how.details = details_for(console, flags);
  return diff::compare_states(std::move(old_side.scopes), std::move(new_side.scopes), how);
}

// Kustomizations and charts in directories are built before they are compared.
InputFlags with_roots(InputFlags input) {
  input.found_roots = inputs::FoundRoots::Reported;
  return input;
}

}  // namespace

Options options_of(const DiffFlags& flags) {
  Options options = to_options(flags.input);
  options.trials = TrialOutput::OptimizationJob;
  options.with_defaults = true;
  options.policy.ssh_key = unshown_key();
  return options;
}

std::optional<objects::Report> compare_versions(Console& console, const DiffFlags& flags) {
  auto loaded = load_inputs(console, with_roots(flags.input));
  if (!loaded) return std::nullopt;
  const base::Digester digester;
  const auto compile_for = [&](inputs::Loaded inputs, const std::string& version) {
    for (inputs::InputGroup& group : inputs.groups) group.trainer_version = version;
    return compile_state(console, std::move(inputs), flags.input, options_of(flags), digester);
  };
  const CompiledState before = compile_for(*loaded, flags.from_version);
  const CompiledState after = compile_for(std::move(*loaded), flags.to_version);
  if (!check_inputs(console, flags.input, after.loaded, after.summary)) return std::nullopt;
  // The refusals are in the report.
  print_unread(console, flags, after);
  if (after.summary.train_jobs == 0) note_no_job(console);
  return diff::compare_versions(before.scopes, after.scopes, flags.from_version, flags.to_version,
                                details_for(console, flags));
}

std::optional<objects::Report> compare_files(Console& console, const DiffFlags& flags,
                                             const InputFlags& before, const InputFlags& after) {
  auto new_inputs = load_inputs(console, with_roots(after));
  if (!new_inputs) return std::nullopt;
  auto old_inputs = load_inputs(console, with_roots(before));
  if (!old_inputs) return std::nullopt;
  return compare_loaded(console, flags, {before, std::move(*old_inputs)}, {after, std::move(*new_inputs)},
                        {.prefixes = {prefix_of(before), prefix_of(after)},
                         .key_before = below(before),
                         .key_after = below(after)});
}

std::optional<objects::Report> compare_revisions(Console& console, const DiffFlags& flags) {
  const std::chrono::seconds timeout =
      shorter(std::chrono::seconds(flags.kubectl.timeout), program_timeout(console, flags.input));
  const auto revisions = open_revisions(console, flags.revisions, with_roots(flags.input), timeout);
  if (!revisions) return std::nullopt;
  InputFlags input = flags.input;
  input.paths = revisions->request.paths;
  input.filenames.clear();
  auto new_inputs = load_state(console, revisions->request, revisions->after);
  if (!new_inputs) return std::nullopt;
  auto old_inputs = load_state(console, revisions->request, revisions->before);
  if (!old_inputs) return std::nullopt;
  shorten_names(*new_inputs);
  note(console, fmt::format("comparing {} with {}", revisions->after.name, revisions->of_base));
  return compare_loaded(console, flags, {input, std::move(*old_inputs)}, {input, std::move(*new_inputs)},
                        {.prefixes = {revisions->before.prefix, revisions->after.prefix}});
}

}  // namespace trainjobc::cli
