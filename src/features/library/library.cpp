// SPDX-License-Identifier: Apache-2.0

// The C++ API for other programs, on top of the passes: compiling. Its reports are in reports.cpp.
#include <optional>
#include <string>
#include <utility>

#include "base/version.h"
#include "compile/compile.h"
#include "compile/runtimes.h"
#include "features/library/convert.h"
#include "inputs/config.h"
#include "lint/lint.h"
#include "lint/queues.h"
#include "model/behaviours.h"
#include "model/train_job.h"
#include "trainjobc/trainjobc.h"
#include "yaml/write/writer.h"

namespace trainjobc {
namespace {

RenderedObject to_rendered(const Object& object) {
  RenderedObject rendered{.api_version = std::string(object.api_version),
                          .kind = std::string(object.kind),
                          .object_namespace = std::string(object.ns),
                          .name = std::string(object.name)};
  if (object.train_job) rendered.train_job = model::identify(*object.train_job).str();
  yaml::write_yaml(*object.root, yaml::KeyOrder::Kubernetes, rendered.yaml);
  yaml::write_json(*object.root, yaml::KeyOrder::Kubernetes, 0, rendered.json);
  return rendered;
}

}  // namespace

std::variant<Rendering, InvalidRequest> render_manifests(const Request& request) {
  const std::optional<Options> options = library::options_of(request);
  if (!options) return library::unknown_version(request.trainer_version);
  const Compilation compiled =
      compile_sources(library::sources_of(request.inputs), library::sources_of(request.runtimes), *options);
  Rendering rendering{.findings = library::to_findings(compiled.diagnostics, library::Places(request)),
                      .trainer_version = compiled.trainer_version};
  for (const Object& object : compiled.objects) rendering.objects.push_back(to_rendered(object));
  return rendering;
}

std::variant<LintReport, InvalidRequest> lint_manifests(const Request& request) {
  std::optional<Options> options = library::options_of(request);
  if (!options) return library::unknown_version(request.trainer_version);
  options->render = false;
  inputs::Config config;
  if (!request.settings.empty()) {
    base::MemoryFileSystem files;
    files.files[inputs::kConfigName] = request.settings;
    inputs::ConfigResult read = inputs::load_config(files, inputs::kConfigName);
    if (const auto* wrong = std::get_if<inputs::Message>(&read)) return InvalidRequest{wrong->text};
    config = std::move(std::get<inputs::Config>(read));
    options->team_rules = config.team_rules;
    options->security_exemptions = config.security_exemptions;
    options->is_openshift = config.is_openshift;
    options->allows_privileged = config.allows_privileged;
  }
  std::vector<Source> inputs = library::sources_of(request.inputs);
  std::vector<Source> runtimes = library::sources_of(request.runtimes);
  lint::KnownQueues queues;
  queues.add(inputs, options->ns);
  queues.add(runtimes, options->ns);
  Compilation compiled = compile_into_sink(std::move(inputs), std::move(runtimes), *options, nullptr);
  base::Diagnostics kept =
      lint::apply_config(std::move(compiled.diagnostics), config, compiled.files, true, compiled.checked);
  queues.narrow(kept);
  return LintReport{library::to_findings(kept, library::Places(request)), compiled.trainer_version};
}

std::vector<CatalogueRuntime> catalogue_runtimes() {
  std::vector<CatalogueRuntime> all;
  for (const compile::CatalogueFile& file : compile::catalogue_files())
    all.push_back({std::string(file.version), std::string(file.name.substr(0, file.name.rfind(".yaml"))),
                   std::string(file.text)});
  return all;
}

std::string library_version() {
  return std::string(base::kVersion);
}

std::vector<std::string> trainer_versions() {
  return model::trainer_versions();
}

std::string newest_trainer_version() {
  return std::string(model::newest_behaviours().trainer);
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
