// SPDX-License-Identifier: Apache-2.0

#include "compile/runtimes/runtime_store.h"

#include <fmt/format.h>

#include <array>
#include <ranges>
#include <utility>

#include "compile/admission/admission.h"
#include "compile/advice/advice.h"
#include "compile/runtimes/catalogue.h"
#include "compile/snapshot.h"
#include "model/runtime_id.h"
#include "model/trainer_names.h"
#include "policy/runtime_rules.h"
#include "rules/rules.h"
#include "secret/secret.h"

namespace trainjobc::compile {

void RuntimeStore::admit(StoredRuntime& stored) {
  if (std::exchange(stored.admitted, true)) return;
  const InputObject& object = stored.object;
  base::Diagnostics found;
  const AdmittedObject admitted = admit_input(object, schemas_, yaml::Maker(arena_), found);
  if (admitted.accepted) {
    stored.runtime = model::decode_runtime(*admitted.root, *admitted.encoded);
    stored.encoded = admitted.encoded;
    if (object.dialect) model::apply(*object.dialect, stored.runtime);
    policy::Findings findings(found);
    policy::validate_runtime(stored.runtime, behaviours_, findings);
    stored.accepted = !findings.has_errors();
    findings.flush(object.id.str());
  }
  diagnostics_.append(std::move(found));
  secret::hide_secrets(std::array{object.root}, diagnostics_);
}

StoredRuntime& RuntimeStore::store(const InputObject& object) {
  auto stored = std::make_unique<StoredRuntime>();
  stored->object = object;
  const Key key{object.id.kind, std::string(model::effective_namespace(object.id)), object.id.name};
  return *runtimes_.insert_or_assign(key, std::move(stored)).first->second;
}

void RuntimeStore::add(const InputObject& object, bool is_input) {
  const auto first =
      runtimes_.find(Key{object.id.kind, std::string(model::effective_namespace(object.id)), object.id.name});
  if (first == runtimes_.end()) {
    StoredRuntime& stored = store(object);
    stored.is_input = is_input;
    if (is_input) admit(stored);
    return;
  }
  if (!is_input || !object.root->at({"metadata", "name"})) return;
  base::Diagnostic duplicate = rules::finding("input/duplicate-object");
  duplicate.object = object.id.str();
  duplicate.field = "metadata.name";
  duplicate.message = fmt::format("{} is defined twice", object.id.str());
  duplicate.location = yaml::locate(*object.root->at({"metadata", "name"}));
  const yaml::Node* other = first->second->object.root->at({"metadata", "name"});
  if (other) duplicate.notes.push_back({"the first one", yaml::locate(*other)});
  diagnostics_.add(std::move(duplicate));
}

void RuntimeStore::add_snapshot(const InputObject& object) {
  snapshots_.try_emplace({std::string(model::effective_namespace(object.id)), object.id.name}, object.root);
}

const StoredRuntime* RuntimeStore::from_snapshot(const model::TrainJob& job) {
  if (!behaviours_.takes_snapshots || snapshots_.empty()) return nullptr;
  const auto found = snapshots_.find({std::string(model::effective_namespace(job.id)), snapshot_name(job)});
  if (found == snapshots_.end()) return nullptr;
  embedded_.push_back(std::make_unique<InputSet>());
  const std::optional<InputObject> object =
      read_snapshot(*found->second, job, *embedded_.back(), diagnostics_);
  StoredRuntime& stored = *of_snapshots_.emplace_back(std::make_unique<StoredRuntime>());
  if (object) {
    stored.object = *object;
    admit(stored);
  }
  return &stored;
}

void RuntimeStore::collect_used(std::set<const yaml::Node*>& documents) const {
  for (const auto& [key, stored] : runtimes_) {
    if (stored->has_jobs) documents.insert(stored->object.root);
  }
}

void RuntimeStore::advise(const std::set<const yaml::Node*>& used) {
  for (const auto& [key, stored] : runtimes_) {
    if (!stored->accepted || !stored->is_input) continue;
    report(advise_runtime(stored->runtime, behaviours_, used.contains(stored->object.root)),
           stored->object.id.str(), diagnostics_);
    secret::hide_secrets(std::array{stored->object.root}, diagnostics_);
  }
}

std::vector<const StoredRuntime*> RuntimeStore::without_jobs(const std::set<const yaml::Node*>& used) const {
  std::vector<const StoredRuntime*> idle;
  for (const auto& [key, stored] : runtimes_) {
    if (stored->accepted && stored->is_input && !used.contains(stored->object.root))
      idle.push_back(stored.get());
  }
  return idle;
}

const StoredRuntime* RuntimeStore::from_catalogue(std::string_view name) {
  const CatalogueFile* file = find_catalogue_runtime(schemas_.trainer, name);
  if (!file) return nullptr;
  embedded_.push_back(std::make_unique<InputSet>());
  InputSet& inputs = *embedded_.back();
  Source source;
  source.name = fmt::format("catalogue/v{}/{}", file->version, file->name);
  source.text = file->text;
  read_inputs({std::move(source)}, inputs, diagnostics_);
  for (const InputObject& object : inputs.objects) {
    StoredRuntime& stored = store(object);
    admit(stored);
    stored.runtime.from_catalogue = true;
    return &stored;
  }
  return nullptr;
}

Resolution RuntimeStore::resolve(const model::TrainJob& job, bool use_catalogue) {
  const std::lock_guard lock(mutex_);
  return look_up(job, use_catalogue);
}

Resolution RuntimeStore::look_up(const model::TrainJob& job, bool use_catalogue) {
  const model::RuntimeRef& ref = job.runtime_ref;
  const bool cluster = ref.kind == model::kClusterTrainingRuntime;
  const std::string ns(model::effective_namespace(model::runtime_of(ref, job.id.ns)));
  if (const StoredRuntime* snapshot = from_snapshot(job)) return {snapshot, {}};
  const auto found = runtimes_.find(Key{ref.kind, ns, ref.name.value});
  if (found != runtimes_.end()) {
    found->second->has_jobs = true;
    admit(*found->second);
    return {found->second.get(), {}};
  }
  if (cluster && use_catalogue) {
    if (const StoredRuntime* stored = from_catalogue(ref.name.value)) return {stored, {}};
  }
  Resolution nothing{.meant = names_of(ref.kind, ns, cluster && use_catalogue).closest(ref.name.value)};
  look_elsewhere(job, use_catalogue, nothing);
  return nothing;
}

// Collected on first use: by then, the store contains all runtimes but those of the catalogue.
const base::SuggestionList& RuntimeStore::names_of(std::string_view kind, const std::string& ns,
                                                   bool use_catalogue) {
  const std::pair key(std::string(kind), ns);
  if (const auto found = names_.find(key); found != names_.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [runtime, stored] : runtimes_) {
    if (std::get<0>(runtime) == kind && std::get<1>(runtime) == ns && !stored->runtime.from_catalogue)
      names.push_back(std::get<2>(runtime));
  }
  if (use_catalogue) {
    for (const CatalogueFile& file : catalogue_files()) {
      if (file.version == schemas_.trainer) names.push_back(file.name.substr(0, file.name.rfind('.')));
    }
  }
  return names_.try_emplace(key, std::move(names)).first->second;
}

void RuntimeStore::look_elsewhere(const model::TrainJob& job, bool use_catalogue, Resolution& nothing) {
  const model::RuntimeRef& ref = job.runtime_ref;
  const std::string_view own = model::effective_namespace(job.id);
  if (by_name_.empty()) {
    for (const auto& [key, stored] : runtimes_) {
      if (!stored->runtime.from_catalogue) by_name_.emplace(std::get<2>(key), key);
    }
  }
  const auto [begin, end] = by_name_.equal_range(ref.name.value);
  for (const auto& [same, key] : std::ranges::subrange(begin, end)) {
    const auto& [kind, ns, name] = key;
    nothing.elsewhere.push_back(ns.empty() ? fmt::format("a {} \"{}\"", kind, name)
                                           : fmt::format("a {} \"{}\" in namespace \"{}\"", kind, name, ns));
    nothing.other_kind = nothing.other_kind || (kind != ref.kind && (ns.empty() || ns == own));
  }
  const bool asks_for_cluster = ref.kind == model::kClusterTrainingRuntime;
  if (asks_for_cluster || !use_catalogue || nothing.other_kind) return;
  if (!find_catalogue_runtime(schemas_.trainer, ref.name.value)) return;
  nothing.elsewhere.push_back(fmt::format("a built-in ClusterTrainingRuntime \"{}\"", ref.name.value));
  nothing.other_kind = true;
}

}  // namespace trainjobc::compile
