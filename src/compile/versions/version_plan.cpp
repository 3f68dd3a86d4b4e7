// SPDX-License-Identifier: Apache-2.0

#include "compile/versions/version_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <tuple>

#include "model/runtime_id.h"
#include "model/trainer_names.h"
#include "rules/rules.h"

namespace trainjobc::compile {
namespace {

using base::Diagnostic;

// A TrainJob and its runtime, if that is an input; or a runtime that no TrainJob refers to.
struct VersionGroup {
  const SurveyedObject* job = nullptr;
  const SurveyedObject* runtime = nullptr;
  VersionSet versions = VersionSet::all();  // that accept both

  const SurveyedObject& first() const { return job ? *job : *runtime; }
};

Diagnostic finding(std::string_view rule, const SurveyedObject& about, const Objection& why) {
  Diagnostic diagnostic = rules::finding(rule);
  diagnostic.object = about.id;
  diagnostic.field = why.field;
  diagnostic.location = why.location;
  return diagnostic;
}

// An error in the group under a version that refuses it.
std::pair<const SurveyedObject*, const Objection*> objection_of(const VersionGroup& group, size_t version) {
  for (const SurveyedObject* surveyed : {group.job, group.runtime}) {
    if (!surveyed || surveyed->accepted_by.empty() || surveyed->objections[version].empty()) continue;
    return {surveyed, &surveyed->objections[version].front()};
  }
  return {nullptr, nullptr};
}

std::string_view kind_name(InputKind kind) {
  if (kind == InputKind::TrainJob) return model::kTrainJob;
  return kind == InputKind::TrainingRuntime ? model::kTrainingRuntime : model::kClusterTrainingRuntime;
}

SurveyedObject fits_every_version(const InputObject& object) {
  SurveyedObject surveyed;
  surveyed.object = &object;
  surveyed.objections.resize(model::all_behaviours().size());
  return surveyed;
}

class Planner {
 public:
  Planner(const InputSet& inputs, const std::vector<PlannedJob>& jobs,
          const std::set<const InputObject*>* surveyed)
      : only_(surveyed) {
    std::set<const InputObject*> used;
    for (const PlannedJob& job : jobs) {
      used.insert(job.runtime);
      const SurveyedObject& own =
          job.survey ? *job.survey : fits_.emplace_back(fits_every_version(*job.object));
      groups_.push_back({&own, job.runtime ? &look_at(*job.runtime) : nullptr});
    }
    for (const InputObject& object : inputs.objects) {
      if (object.is_runtime() && !used.contains(&object)) groups_.push_back({nullptr, &look_at(object)});
    }
  }

  VersionPlan plan() {
    VersionPlan plan = plan_for("auto");
    VersionSet common = VersionSet::all();
    for (VersionGroup& group : groups_) {
      choose_versions(group, plan.findings);
      common = common & group.versions;
    }
    if (common.empty()) {
      split(plan);
    } else if (common.newest() + 1 < model::all_behaviours().size()) {
      step_back(plan, common.newest());
    }
    return plan;
  }

 private:
  const SurveyedObject& look_at(const InputObject& runtime) {
    auto& surveyed = surveyed_[&runtime];
    if (surveyed) return *surveyed;
    const bool looks = !only_ || only_->contains(&runtime);
    surveyed = std::make_unique<SurveyedObject>(looks ? survey(runtime) : fits_every_version(runtime));
    return *surveyed;
  }

  // A group that fits no version doesn't constrain the others.
  void choose_versions(VersionGroup& group, base::Diagnostics& findings) {
    for (const SurveyedObject* surveyed : {group.job, group.runtime}) {
      if (!surveyed) continue;
      if (surveyed->accepted_by.empty()) {
        report_contradiction(*surveyed, findings);
      } else {
        group.versions = group.versions & surveyed->accepted_by;
      }
    }
    if (!group.versions.empty()) return;
    report_mismatch(group, findings);
    group.versions = VersionSet::all();
  }

  // No version accepts the object itself.
  void report_contradiction(const SurveyedObject& surveyed, base::Diagnostics& findings) {
    if (!contradictory_.insert(&surveyed).second) return;
    const Objection& one = surveyed.objections.back().front();
    const Objection& other = surveyed.objections[one.accepted_by.newest()].front();
    Diagnostic diagnostic = finding("input/trainer-version", surveyed, one);
    diagnostic.message = fmt::format("no Trainer version accepts this {}: {}, {}",
                                     kind_name(surveyed.object->kind), one.text(), other.text());
    diagnostic.hint = "write it for one version";
    diagnostic.notes.push_back({other.text(), other.location});
    findings.add(std::move(diagnostic));
  }

  static void report_mismatch(const VersionGroup& group, base::Diagnostics& findings) {
    const Objection& of_job = group.job->objections[group.runtime->accepted_by.newest()].front();
    const Objection& of_runtime = group.runtime->objections[group.job->accepted_by.newest()].front();
    Diagnostic diagnostic = finding("input/trainer-version", *group.job, of_job);
    diagnostic.message =
        fmt::format("no Trainer version accepts the job together with its runtime: {}, the runtime's {}",
                    of_job.text(), of_runtime.text());
    diagnostic.hint = "write both for one version";
    diagnostic.notes.push_back({of_runtime.text(), of_runtime.location});
    findings.add(std::move(diagnostic));
  }

  // All inputs for one older version.
  void step_back(VersionPlan& plan, size_t version) const {
    plan.common = target_for(model::all_behaviours()[version]);
    const auto [about, why] = decisive(version + 1, version);
    plan.reason = fmt::format("{}:{}:{} {}", why->location.file ? why->location.file->name() : "",
                              why->location.line, why->location.column, why->text());
    Diagnostic diagnostic = finding("advice/trainer-version", *about, *why);
    diagnostic.message =
        fmt::format("compiled for Trainer {}: {}", plan.common.behaviours->trainer, why->text());
    diagnostic.hint = fmt::format("pin with --trainer-version {}", plan.common.behaviours->trainer);
    plan.findings.add(std::move(diagnostic));
  }

  // The first error under `refused` that `version` doesn't report.
  std::pair<const SurveyedObject*, const Objection*> decisive(size_t refused, size_t version) const {
    for (const VersionGroup& group : groups_) {
      if (group.versions.has(refused)) continue;
      for (const SurveyedObject* surveyed : {group.job, group.runtime}) {
        if (!surveyed || surveyed->accepted_by.empty()) continue;
        for (const Objection& objection : surveyed->objections[refused]) {
          if (objection.accepted_by.has(version)) return {surveyed, &objection};
        }
      }
    }
    return {nullptr, nullptr};  // can't happen: some group refuses any version that isn't common to all
  }

  // Each group for its own version.
  void split(VersionPlan& plan) const {
    for (const VersionGroup& group : groups_) {
      const size_t version = group.versions.newest();
      const Target target = target_for(model::all_behaviours()[version]);
      if (group.job) plan.own[group.job->object] = target;
      if (!group.runtime) continue;
      const auto [at, is_new] = plan.own.try_emplace(group.runtime->object, target);
      if (!is_new && at->second.behaviours < target.behaviours) at->second = target;
    }
    warn_of_split(plan.findings);
  }

  // The first group of each set of versions.
  std::vector<VersionGroup> different_groups() const {
    std::vector<VersionGroup> different;
    for (const VersionGroup& group : groups_) {
      if (std::ranges::find(different, group.versions, &VersionGroup::versions) == different.end())
        different.push_back(group);
    }
    return different;
  }

  void warn_of_split(base::Diagnostics& findings) const {
    const std::vector<VersionGroup> groups = different_groups();
    for (const VersionGroup& one : groups) {
      for (const VersionGroup& other : groups) {
        if (!(one.versions & other.versions).empty()) continue;
        const auto [about, why] = objection_of(one, other.versions.newest());
        const auto [against, because] = objection_of(other, one.versions.newest());
        Diagnostic diagnostic = finding("advice/trainer-version", *about, *why);
        rules::except(diagnostic);
        diagnostic.message = fmt::format(
            "these files are for different Trainer versions, and a cluster runs one: {} here, but {} in {}",
            why->text(), because->text(), against->id);
        diagnostic.hint = "each TrainJob is compiled for its own; pin one with --trainer-version";
        diagnostic.notes.push_back({because->text(), because->location});
        findings.add(std::move(diagnostic));
        return;
      }
    }
  }

  const std::set<const InputObject*>* only_;
  std::deque<SurveyedObject> fits_;
  std::map<const InputObject*, std::unique_ptr<SurveyedObject>> surveyed_;  // the runtimes
  std::set<const SurveyedObject*> contradictory_;
  std::vector<VersionGroup> groups_;
};

}  // namespace

Target VersionPlan::target_of(const InputObject& object) const {
  const auto found = own.find(&object);
  return found != own.end() ? found->second : common;
}

std::vector<Target> VersionPlan::targets() const {
  std::vector<Target> targets;
  const auto add = [&](const Target& target) {
    if (std::ranges::find(targets, target) == targets.end()) targets.push_back(target);
  };
  if (own.empty()) add(common);
  for (const auto& [object, target] : own) add(target);
  std::ranges::sort(targets, {}, &Target::behaviours);
  return targets;
}

bool VersionPlan::is_newest() const {
  return own.empty() && common.behaviours == &model::newest_behaviours();
}

std::string VersionPlan::versions() const {
  std::string words;
  for (const Target& target : targets()) {
    words += fmt::format("{}{}", words.empty() ? "" : ", ", target.behaviours->trainer);
  }
  return words;
}

VersionPlan plan_for(std::string_view trainer_version) {
  VersionPlan plan;
  plan.common = choose_target(trainer_version);
  return plan;
}

RuntimeIndex::RuntimeIndex(const InputSet& inputs, const InputSet& runtimes) {
  add(inputs);
  add(runtimes);
}

void RuntimeIndex::add(const InputSet& set) {
  for (const InputObject& object : set.objects) {
    if (!object.is_runtime()) continue;
    const model::ObjectId& id = object.id;
    runtimes_.try_emplace(Key(id.kind, model::effective_namespace(id), id.name), &object);
  }
}

const InputObject* RuntimeIndex::runtime_of(const InputObject& train_job) const {
  const model::ObjectId id = model::runtime_of(*train_job.root, train_job.id.ns);
  const auto found = runtimes_.find(Key(id.kind, model::effective_namespace(id), id.name));
  return found != runtimes_.end() ? found->second : nullptr;
}

VersionPlan plan_by_content(const InputSet& inputs, const std::vector<PlannedJob>& jobs,
                            const std::set<const InputObject*>* surveyed) {
  return Planner(inputs, jobs, surveyed).plan();
}

}  // namespace trainjobc::compile
