// SPDX-License-Identifier: Apache-2.0

#include "features/library/convert.h"

#include <fmt/format.h>

#include <utility>

#include "model/behaviours.h"

namespace trainjobc::library {
namespace {

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

Level to_level(base::Severity severity) {
  switch (severity) {
    case base::Severity::Warning: return Level::Warning;
    case base::Severity::Info: return Level::Info;
    case base::Severity::Error: break;
  }
  return Level::Error;
}

// The finding's text, without lines that the caller can't look up, and with the object and its field first.
std::string text_of(base::Diagnostic diagnostic, const Finding& finding, const Places& places) {
  if (places.has_lines(diagnostic.location)) return base::format_text(diagnostic, {});
  diagnostic.location = {};
  for (base::Note& note : diagnostic.notes) {
    if (!places.has_lines(note.location)) note.location = {};
  }
  std::string text;
  for (const std::string& part : {finding.object, finding.place.field}) {
    if (!part.empty()) text += part + ": ";
  }
  return text + base::format_text(diagnostic, {});
}

Finding to_finding(const base::Diagnostic& diagnostic, const Places& places) {
  Finding finding{.rule = diagnostic.rule,
                  .stage = std::string(base::to_string(diagnostic.stage)),
                  .level = to_level(diagnostic.severity),
                  .is_refusal = base::is_refusal(diagnostic),
                  .object = diagnostic.object,
                  .field = diagnostic.field,
                  .message = diagnostic.message,
                  .hint = diagnostic.hint,
                  .place = places.of(diagnostic.location)};
  // For a missing or misnamed field, the place is its parent's or its key's; name the field itself.
  if (!places.has_lines(diagnostic.location) && diagnostic.stage != base::Stage::Job &&
      (finding.place.field.empty() || diagnostic.field.starts_with(finding.place.field)))
    finding.place.field = diagnostic.field;
  finding.text = text_of(diagnostic, finding, places);
  for (const base::Note& note : diagnostic.notes)
    finding.notes.push_back({note.message, places.of(note.location)});
  for (const base::Edit& edit : diagnostic.fix) finding.fixes.push_back({places.of(edit.range), edit.text});
  finding.fixes_are_safe = diagnostic.certainty == base::Certainty::Safe;
  return finding;
}

}  // namespace

std::vector<Source> sources_of(const std::vector<Manifests>& all) {
  std::vector<Source> sources;
  for (const Manifests& manifests : all) sources.push_back({manifests.name, manifests.text});
  return sources;
}

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

InvalidRequest unknown_version(std::string_view version) {
  return {fmt::format("there is no Trainer version \"{}\": write auto or one of {}", version,
                      fmt::join(model::trainer_versions(), ", "))};
}

Places::Places(const Request& request) {
  add(request.inputs);
  add(request.runtimes);
}

void Places::add(const std::vector<Manifests>& all) {
  for (const Manifests& manifests : all) {
    if (!manifests.has_lines) without_lines_.insert(manifests.name);
  }
}

bool Places::has_lines(const base::Location& location) const {
  return !location.file || without_lines_.empty() || !without_lines_.contains(location.file->name());
}

Place Places::of(const base::Location& location) const {
  if (!location.file) return {};
  if (!has_lines(location)) return {.field = fields_.at(location)};
  return {location.file->name(), location.line, location.column, location.end_line, location.end_column};
}

std::vector<Finding> to_findings(const base::Diagnostics& diagnostics, const Places& places) {
  const base::Diagnostics causes = base::without_consequences(diagnostics);
  std::vector<Finding> findings;
  for (const base::Diagnostic& diagnostic : causes.items())
    findings.push_back(to_finding(diagnostic, places));
  return findings;
}

}  // namespace trainjobc::library
