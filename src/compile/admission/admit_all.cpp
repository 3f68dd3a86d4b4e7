#include "compile/admission/admit_all.h"

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
void look_at_runtimes(AdmittedInputs& admitted, const std::map<std::string, Target>& homes) {
  std::set<const yaml::Node*> used;
  for (const Library& library : admitted.libraries) library.store->collect_used(used);
  for (Library& library : admitted.libraries) {
    library.store->advise(used);
    for (const StoredRuntime* runtime : library.store->without_jobs(used)) {
      if (homes.at(runtime->object.id.str()) == library.target)
        admitted.trials.push_back({library.target, runtime, {}});
    }
  }
}

Library& add_library(AdmittedInputs& admitted, const Target& target) {
  Library& library = admitted.libraries.emplace_back(Library{target, {}, nullptr});
  library.store = std::make_unique<RuntimeStore>(*target.schemas, *target.behaviours, library.diagnostics);
  return library;
}

}  // namespace

std::unique_ptr<AdmittedInputs> admit_all(const InputSet& inputs, const InputSet& runtimes,
                                          const VersionPlan& plan, const Options& options) {
  auto admitted = std::make_unique<AdmittedInputs>();
  for (const Target& target : plan.targets()) fill(*add_library(*admitted, target).store, inputs, runtimes);
  for (const InputObject& object : inputs.objects) {
    if (object.kind != InputKind::TrainJob) continue;
    JobUnit& unit = admitted->units.emplace_back();
    unit.target = plan.target_of(object);
    const Library& library = *std::ranges::find(admitted->libraries, unit.target, &Library::target);
    admit_job(unit, object, options, *library.store);
    if (unit.diagnostics.has_errors()) admitted->refused.insert(&object);
  }
  report_duplicates(admitted->units);

  std::map<std::string, Target> homes;
  for_each_runtime(inputs, runtimes, [&](const InputObject& object, std::string name) {
    homes.try_emplace(std::move(name), plan.target_of(object));
  });
  if (!options.render) look_at_runtimes(*admitted, homes);
  if (!options.jobs.empty()) admitted->trials.clear();  // the jobs left out may use the runtimes
  for (const Library& library : admitted->libraries) publish(library, homes, admitted->diagnostics);
  const std::set<std::string> refused = names_of_refused(admitted->diagnostics);
  for_each_runtime(inputs, runtimes, [&](const InputObject& object, const std::string& name) {
    if (refused.contains(name)) admitted->refused.insert(&object);
  });
  return admitted;
}

}  // namespace trainjobc::compile
