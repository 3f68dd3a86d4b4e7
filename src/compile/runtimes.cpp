// SPDX-License-Identifier: Apache-2.0

#include "compile/runtimes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "compile/admission.h"
#include "compile/advice/advice.h"
#include "compile/snapshot.h"
#include "model/trainer_names.h"
#include "platform/platform.h"
#include "policy/webhook_rules.h"
#include "secret/secret.h"

namespace trainjobc::compile {

const CatalogueFile* find_catalogue_runtime(std::string_view version, std::string_view name) {
  constexpr std::string_view kSuffix = ".yaml";
  const auto files = catalogue_files();
  const auto found = std::ranges::find_if(files, [&](const CatalogueFile& file) {
    return file.version == version && file.name.ends_with(kSuffix) &&
           file.name.substr(0, file.name.size() - kSuffix.size()) == name;
  });
  return found != files.end() ? &*found : nullptr;
}

void RuntimeStore::admit(StoredRuntime& stored) {
  if (std::exchange(stored.admitted, true)) return;
  base::Diagnostics found;
  stored.accepted = accept(stored, found);
  if (!stored.accepted && !stored.object.is_guess) mend(stored, found);
  stored.secrets = secret::DocumentSecrets(*stored.object.as_written());
  secret::hide_secrets(found, {}, stored.secrets);
  diagnostics_.append(std::move(found));
}

// Whether no rule is violated. Decodes it.
bool RuntimeStore::accept(StoredRuntime& stored, base::Diagnostics& found) {
  const InputObject& object = stored.object;
  const AdmittedObject admitted = admit_input(object, schemas_, yaml::Maker(arena_), found);
  if (!admitted.accepted) return false;
  stored.runtime = model::decode_runtime(*admitted.root, *admitted.encoded);
  stored.encoded = admitted.encoded;
  if (object.dialect) model::apply(*object.dialect, stored.runtime);
  policy::Findings findings(found);
  policy::validate_runtime(stored.runtime, behaviours_, findings);
  const bool accepted = !findings.has_errors() && !object.is_guess;
  findings.flush(object.id.str());
  if (stored.is_input) platform_.check_runtime(*admitted.defaulted, object.id.str(), found);
  return accepted;
}

void RuntimeStore::mend(StoredRuntime& stored, const base::Diagnostics& refusals) {
  for (const Mend how : kMends) {
    const Mended root = compile::mend(*stored.object.root, refusals.items(), how, yaml::Maker(arena_));
    stored.is_known = stored.is_known && root.is_known;
    if (!root.changed) return;
    const auto mended = std::make_shared<StoredRuntime>();
    mended->object = stored.object;
    mended->object.root = root.root;
    mended->object.written = stored.object.as_written();
    mended->is_input = stored.is_input;
    mended->admitted = true;
    mended->secrets = secret::DocumentSecrets(*stored.object.as_written());
    base::Diagnostics ignored;
    mended->accepted = accept(*mended, ignored);
    if (mended->accepted) stored.mended[static_cast<size_t>(how)] = mended;
  }
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
  const yaml::Node* name = object.root->at({"metadata", "name"});
  if (!is_input || !name) return;
  const yaml::Node* other = first->second->object.root->at({"metadata", "name"});
  base::Diagnostics found;
  found.add(duplicate_object(object.id.str(), yaml::locate(*name),
                             other ? yaml::locate(*other) : base::Location()));
  secret::hide_secrets(found, std::array{object.as_written()});
  diagnostics_.append(std::move(found));
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
    if (!stored->is_input) continue;
    const bool has_jobs = used.contains(stored->object.root);
    if (stored->accepted) {
      diagnostics_.append(advice_on(*stored, has_jobs));
      continue;
    }
    MendedFindings found;
    for (size_t how = 0; how < found.size(); ++how) {
      if (stored->mended[how]) found[how] = advice_on(*stored->mended[how], has_jobs).take();
    }
    for (base::Diagnostic& one : independent_findings(std::move(found), stored->is_known, {}))
      diagnostics_.add(std::move(one));
  }
}

base::Diagnostics RuntimeStore::advice_on(const StoredRuntime& stored, bool has_jobs) const {
  base::Diagnostics found;
  report(advise_runtime(stored.runtime, behaviours_, has_jobs, around_), stored.object.id.str(), found);
  secret::hide_secrets(found, {}, stored.secrets);
  return found;
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
  if (nothing.meant) nothing.meant_runtime = find_meant(Key{ref.kind, ns, *nothing.meant});
  look_elsewhere(job, use_catalogue, nothing);
  return nothing;
}

const StoredRuntime* RuntimeStore::find_meant(const Key& key) {
  const auto found = runtimes_.find(key);
  if (found == runtimes_.end()) return from_catalogue(std::get<2>(key));
  // A runtime outside the inputs is admitted only once a job refers to it.
  return found->second->admitted ? found->second.get() : nullptr;
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

namespace {

// Adds the inputs' runtimes first.
void fill(RuntimeStore& store, const InputSet& inputs, const InputSet& runtimes, const Options& options) {
  for (const InputObject& object : inputs.objects) {
    if (object.is_runtime()) store.add(object, true);
  }
  for (const InputObject& object : inputs.objects) {
    if (object.kind == InputKind::Snapshot) store.add_snapshot(object);
  }
  for (const InputObject& object : runtimes.objects) {
    if (object.is_runtime()) store.add(object, false);
  }
  store.surround(surroundings_of(inputs, options));
}

// Reports findings on a runtime only under the runtime's own version.
void publish(const Library& library, const std::map<std::string, Target>& homes,
             base::Diagnostics& diagnostics) {
  for (const base::Diagnostic& diagnostic : library.diagnostics.items()) {
    const auto home = homes.find(diagnostic.object);
    if (home == homes.end() || home->second == library.target) diagnostics.add(diagnostic);
  }
}

// Calls `use` with each runtime and its name in diagnostics.
template <class Use>
void for_each_runtime(const InputSet& inputs, const InputSet& runtimes, Use use) {
  for (const InputSet* set : {&inputs, &runtimes}) {
    for (const InputObject& object : set->objects) {
      if (object.is_runtime()) use(object, object.id.str());
    }
  }
}

std::set<std::string> names_of_refused(const base::Diagnostics& diagnostics) {
  std::set<std::string> names;
  for (const base::Diagnostic& diagnostic : diagnostics.items()) {
    if (diagnostic.severity == base::Severity::Error && diagnostic.stage != base::Stage::Advice)
      names.insert(diagnostic.object);
  }
  return names;
}

// Gives advice on the runtimes of the inputs, and makes trial jobs for those without TrainJobs, each under
// its own version, as for diagnostics.
void look_at_runtimes(const AdmittedRuntimes& admitted, const std::map<std::string, Target>& homes,
                      std::deque<Trial>& trials) {
  std::set<const yaml::Node*> used;
  for (const Library& library : admitted.libraries) library.store->collect_used(used);
  for (const Library& library : admitted.libraries) {
    library.store->advise(used);
    for (const StoredRuntime* runtime : library.store->without_jobs(used)) {
      if (homes.at(runtime->object.id.str()) == library.target)
        trials.push_back({library.target, runtime, {}});
    }
  }
}

Library& add_library(AdmittedRuntimes& admitted, const Target& target, const platform::Platform& platform) {
  Library& library = admitted.libraries.emplace_back(Library{target, {}, nullptr});
  library.store =
      std::make_unique<RuntimeStore>(*target.schemas, *target.behaviours, platform, library.diagnostics);
  return library;
}

}  // namespace

RuntimeStore& AdmittedRuntimes::store_for(const Target& target) const {
  return *std::ranges::find(libraries, target, &Library::target)->store;
}

std::unique_ptr<AdmittedRuntimes> admit_runtimes(const InputSet& inputs, const InputSet& runtimes,
                                                 const VersionChoice& versions,
                                                 const platform::Platform& platform, const Options& options) {
  auto admitted = std::make_unique<AdmittedRuntimes>();
  for (const Target& target : versions.targets())
    fill(*add_library(*admitted, target, platform).store, inputs, runtimes, options);
  return admitted;
}

RuntimeFindings find_in_runtimes(const AdmittedRuntimes& admitted, const InputSet& inputs,
                                 const InputSet& runtimes, const VersionChoice& versions,
                                 const Options& options) {
  RuntimeFindings findings;
  std::map<std::string, Target> homes;
  for_each_runtime(inputs, runtimes, [&](const InputObject& object, std::string name) {
    homes.try_emplace(std::move(name), versions.target_of(object));
  });
  if (!options.render) look_at_runtimes(admitted, homes, findings.trials);
  if (!options.jobs.empty()) findings.trials.clear();  // the jobs that were left out may use the runtimes
  for (const Library& library : admitted.libraries) publish(library, homes, findings.diagnostics);
  const std::set<std::string> refused = names_of_refused(findings.diagnostics);
  for_each_runtime(inputs, runtimes, [&](const InputObject& object, const std::string& name) {
    if (refused.contains(name)) findings.refused.insert(&object);
  });
  return findings;
}

}  // namespace trainjobc::compile
