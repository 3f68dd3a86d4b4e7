// SPDX-License-Identifier: Apache-2.0

#include "compile/runtimes/admit_runtimes.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace trainjobc::compile {
namespace {

// The inputs' runtimes come first.
void fill(RuntimeStore& store, const InputSet& inputs, const InputSet& runtimes) {
  for (const InputObject& object : inputs.objects) {
    if (object.is_runtime()) store.add(object, true);
  }
  for (const InputObject& object : inputs.objects) {
    if (object.kind == InputKind::Snapshot) store.add_snapshot(object);
  }
  for (const InputObject& object : runtimes.objects) {
    if (object.is_runtime()) store.add(object, false);
  }
}

// Reports findings about a runtime under its own version only.
void publish(const Library& library, const std::map<std::string, Target>& homes,
             base::Diagnostics& diagnostics) {
  for (const base::Diagnostic& diagnostic : library.diagnostics.items()) {
    const auto home = homes.find(diagnostic.object);
    if (home == homes.end() || home->second == library.target) diagnostics.add(diagnostic);
  }
}

// By the name of the object in diagnostics.
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
    if (diagnostic.severity == base::Severity::Error) names.insert(diagnostic.object);
  }
  return names;
}

// Advice on the runtimes of the inputs, and trial jobs for those that have no TrainJob: each under its
// own version, as for diagnostics.
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

Library& add_library(AdmittedRuntimes& admitted, const Target& target) {
  Library& library = admitted.libraries.emplace_back(Library{target, {}, nullptr});
  library.store = std::make_unique<RuntimeStore>(*target.schemas, *target.behaviours, library.diagnostics);
  return library;
}

}  // namespace

RuntimeStore& AdmittedRuntimes::store_for(const Target& target) const {
  return *std::ranges::find(libraries, target, &Library::target)->store;
}

std::unique_ptr<AdmittedRuntimes> admit_runtimes(const InputSet& inputs, const InputSet& runtimes,
                                                 const VersionPlan& plan) {
  auto admitted = std::make_unique<AdmittedRuntimes>();
  for (const Target& target : plan.targets()) fill(*add_library(*admitted, target).store, inputs, runtimes);
  return admitted;
}

RuntimeFindings find_in_runtimes(const AdmittedRuntimes& admitted, const InputSet& inputs,
                                 const InputSet& runtimes, const VersionPlan& plan, const Options& options) {
  RuntimeFindings findings;
  std::map<std::string, Target> homes;
  for_each_runtime(inputs, runtimes, [&](const InputObject& object, std::string name) {
    homes.try_emplace(std::move(name), plan.target_of(object));
  });
  if (!options.render) look_at_runtimes(admitted, homes, findings.trials);
  if (!options.jobs.empty()) findings.trials.clear();  // the jobs left out may use the runtimes
  for (const Library& library : admitted.libraries) publish(library, homes, findings.diagnostics);
  const std::set<std::string> refused = names_of_refused(findings.diagnostics);
  for_each_runtime(inputs, runtimes, [&](const InputObject& object, const std::string& name) {
    if (refused.contains(name)) findings.refused.insert(&object);
  });
  return findings;
}

}  // namespace trainjobc::compile
