// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/v1_jobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "compile/input/input.h"
#include "compile/runtimes/catalogue_files.h"
#include "compile/target.h"
#include "model/train_job.h"
#include "model/trainer_names.h"
#include "rules/rules.h"
#include "yaml/fields.h"

namespace trainjobc::migrate {

using yaml::Node;

void V1Jobs::start() {
  converter_.reset();
  jobs_.clear();
  made_.clear();
}

v1::Converter& V1Jobs::converter() {
  if (converter_) return *converter_;
  const compile::Target target = compile::choose_target(options_.to);
  converter_ = std::make_unique<v1::Converter>(
      v1::V1Options{target, options_.manager, options_.runtime_name, options_.per_namespace, options_.plain});
  for (const Source& source : inputs_) converter_->add_known(source.name, source.text);
  for (const Source& source : runtimes_) converter_->add_known(source.name, source.text);
  if (!options_.compile.use_catalogue) return *converter_;
  for (const compile::CatalogueFile& file : compile::catalogue_files()) {
    if (file.version == target.behaviours->trainer)
      converter_->add_known(std::string(file.name), std::string(file.text));
  }
  return *converter_;
}

std::optional<Changed> V1Jobs::convert(const Node& object, const yaml::Maker& make,
                                       base::Diagnostics& problems) {
  const model::V1Kind* kind =
      model::find_v1_kind(yaml::string_at(object, "apiVersion"), yaml::string_at(object, "kind"));
  if (!kind) return std::nullopt;
  const model::ObjectId id = model::identify(object);
  const std::string job = model::ObjectId{model::kTrainJob, id.ns, id.name}.str();
  const auto is_it = [&](const std::string& wanted) { return compile::names_job(wanted, job); };
  if (!options_.compile.jobs.empty() && std::ranges::none_of(options_.compile.jobs, is_it))
    return Changed{{&object}};
  const base::Location at = yaml::locate(object);
  const Place place{at.file ? at.file->name() : "", at.line};
  jobs_[place] = {id.str(), job};
  const auto refused = refused_.find(place);
  v1::Converted converted;
  if (refused != refused_.end()) {
    for (base::Diagnostic refusal : refused->second) {
      refusal.location = yaml::locate(*object.get("kind"));
      converted.findings.push_back(std::move(refusal));
    }
  } else {
    converted = converter().convert(object, *kind, make);
  }
  for (base::Diagnostic& finding : converted.findings) {
    finding.object = id.str();
    problems.add(std::move(finding));
  }
  if (converted.documents.empty()) return Changed{{&object}};
  for (const Node* document : converted.documents) made_.try_emplace(model::identify(*document).str(), place);
  return Changed{std::move(converted.documents), true};
}

bool V1Jobs::refuse(const Compilation& after) {
  bool any = false;
  for (const base::Diagnostic& refusal : after.diagnostics.items()) {
    if (refusal.severity != base::Severity::Error) continue;
    const auto made = made_.find(refusal.object);
    if (made == made_.end()) continue;
    const std::string kind = refusal.object.substr(0, refusal.object.find('/'));
    base::Diagnostic lost = rules::finding(
        "migrate/lost",
        fmt::format("Trainer {} refuses the {} that this becomes: {}", options_.to, kind, refusal.message),
        refusal.hint);
    lost.field = refusal.field;
    refused_[made->second].push_back(std::move(lost));
    any = true;
  }
  return any;
}

bool V1Jobs::knows(const std::string& object) const {
  return std::ranges::any_of(jobs_, [&](const auto& job) { return job.second.v1 == object; });
}

void V1Jobs::collect(std::vector<LintedObject>& objects) const {
  for (const auto& [place, job] : jobs_)
    objects.push_back(
        {.file = place.first, .object = job.train_job, .line = place.second, .name = {}, .root = nullptr});
}

}  // namespace trainjobc::migrate
