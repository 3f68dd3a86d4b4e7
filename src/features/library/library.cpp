// SPDX-License-Identifier: Apache-2.0

// The C++ API for other programs, on top of the passes.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "compile/consequences.h"
#include "lint/suppress.h"
#include "model/behaviours.h"
#include "model/train_job.h"
#include "trainjobc/trainjobc.h"
#include "yaml/write/writer.h"

namespace trainjobc {
namespace {

std::vector<Source> sources_of(const std::vector<Manifests>& all) {
  std::vector<Source> sources;
  for (const Manifests& manifests : all) sources.push_back({manifests.name, manifests.text});
  return sources;
}

policy::SshKeyOptions key_options(const Request& request) {
  using policy::SshKeySource;
  switch (request.ssh_key) {
    case SshKey::Omit: return {SshKeySource::Omit, ""};
    case SshKey::FromFile: return {SshKeySource::File, request.ssh_key_material};
    case SshKey::FromSeed: return {SshKeySource::Seed, request.ssh_key_material};
    case SshKey::Random: break;
  }
  return {};
}

// nullopt if the Trainer version is unknown.
std::optional<Options> options_of(const Request& request) {
  auto version = model::read_trainer_version(request.trainer_version);
  if (!version) return std::nullopt;
  Options options;
  options.trainer_version = std::move(*version);
  options.use_catalogue = request.use_catalogue;
  options.with_defaults = request.with_defaults;
  options.owner_references = request.owner_references;
  options.ns = request.default_namespace;
  options.name_suffix = request.name_suffix;
  options.policy.ssh_key = key_options(request);
  options.threads = request.threads;
  return options;
}

InvalidRequest unknown_version(const Request& request) {
  return {fmt::format("there is no Trainer version \"{}\": write auto or one of {}", request.trainer_version,
                      fmt::join(model::trainer_versions(), ", "))};
}

Place to_place(const base::Location& location) {
  if (!location.file) return {};
  return {location.file->name(), location.line, location.column, location.end_line, location.end_column};
}

Level to_level(base::Severity severity) {
  switch (severity) {
    case base::Severity::Warning: return Level::Warning;
    case base::Severity::Info: return Level::Info;
    case base::Severity::Error: break;
  }
  return Level::Error;
}

Finding to_finding(const base::Diagnostic& diagnostic) {
  Finding finding{.rule = diagnostic.rule,
                  .stage = std::string(base::to_string(diagnostic.stage)),
                  .level = to_level(diagnostic.severity),
                  .object = diagnostic.object,
                  .field = diagnostic.field,
                  .message = diagnostic.message,
                  .hint = diagnostic.hint,
                  .place = to_place(diagnostic.location),
                  .text = base::format_text(diagnostic, {})};
  for (const base::Note& note : diagnostic.notes)
    finding.notes.push_back({note.message, to_place(note.location)});
  for (const base::Edit& edit : diagnostic.fix) finding.fixes.push_back({to_place(edit.range), edit.text});
  finding.fixes_are_safe = diagnostic.certainty == base::Certainty::Safe;
  return finding;
}

// One cause, one finding.
std::vector<Finding> to_findings(const base::Diagnostics& diagnostics) {
  const base::Diagnostics causes = compile::without_consequences(diagnostics);
  std::vector<Finding> findings;
  for (const base::Diagnostic& diagnostic : causes.items()) findings.push_back(to_finding(diagnostic));
  return findings;
}

RenderedObject to_rendered(const Object& object) {
  RenderedObject rendered{.api_version = std::string(object.api_version),
                          .kind = std::string(object.kind),
                          .object_namespace = std::string(object.ns),
                          .name = std::string(object.name)};
  if (object.train_job) rendered.train_job = model::identify(*object.train_job).str();
  yaml::write_yaml(*object.root, yaml::KeyOrder::Kubernetes, rendered.yaml);
  return rendered;
}

}  // namespace

std::variant<Rendering, InvalidRequest> render_manifests(const Request& request) {
  const std::optional<Options> options = options_of(request);
  if (!options) return unknown_version(request);
  const Compilation compiled =
      compile_sources(sources_of(request.inputs), sources_of(request.runtimes), *options);
  Rendering rendering{.findings = to_findings(compiled.diagnostics),
                      .trainer_version = compiled.trainer_version};
  for (const Object& object : compiled.objects) rendering.objects.push_back(to_rendered(object));
  return rendering;
}

std::variant<LintReport, InvalidRequest> lint_manifests(const Request& request) {
  std::optional<Options> options = options_of(request);
  if (!options) return unknown_version(request);
  options->render = false;
  Compilation compiled =
      compile_into_sink(sources_of(request.inputs), sources_of(request.runtimes), *options, nullptr);
  const base::Diagnostics kept =
      lint::apply_config(std::move(compiled.diagnostics), {}, compiled.files, true, compiled.checked);
  return LintReport{to_findings(kept), compiled.trainer_version};
}

std::vector<std::string> trainer_versions() {
  return model::trainer_versions();
}

std::string_view to_string(Level level) {
  switch (level) {
    case Level::Warning: return "warning";
    case Level::Info: return "info";
    case Level::Error: break;
  }
  return "error";
}

}  // namespace trainjobc
