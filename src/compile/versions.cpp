// SPDX-License-Identifier: Apache-2.0

#include "compile/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_set>

#include "base/text/text.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "rules/rules.h"
#include "schema/typed.h"
#include "schema/validate.h"

namespace trainjobc::compile {
namespace {

Target target_for(const model::Behaviours& behaviours) {
  return {schema::find_version(behaviours.trainer), &behaviours};
}

}  // namespace

Target choose_target(std::string_view trainer_version) {
  const model::Behaviours* behaviours = model::find_behaviours(trainer_version);
  return target_for(behaviours ? *behaviours : model::newest_behaviours());
}

std::string VersionSet::range() const {
  const auto rows = model::released_behaviours();
  std::vector<size_t> versions;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (has(i)) versions.push_back(i);
  }
  const size_t first = versions.front();
  const size_t last = versions.back();
  const bool is_run = last - first + 1 == versions.size();
  if (versions.size() > 1 && is_run && first == 0) return fmt::format("until {}", rows[last].trainer);
  if (is_run && last + 1 == rows.size()) return fmt::format("since {}", rows[first].trainer);
  std::string words = fmt::format("in {}", rows[first].trainer);
  for (size_t i = 1; i < versions.size(); ++i) {
    words += fmt::format("{}{}", i + 1 == versions.size() ? " and " : ", ", rows[versions[i]].trainer);
  }
  return words;
}

namespace {

using base::Diagnostic;
using k8s::Violations;

// The schema's errors in fields and types. Wrong values don't count: one that an older version accepts is
// more likely a mistake than written for that version.
Violations violations_under(const InputObject& object, const Target& target, const yaml::Maker& make) {
  const schema::Schema& schema = *target.schemas->kind(object.id.kind)->schema;
  Violations violations = schema::find_unknown_fields(*object.root, schema);
  const yaml::Node* root = schema::apply_defaults(*object.root, schema, make);
  for (Diagnostic& violation : schema::validate_structure(*root, schema).violations) {
    if (violation.rule == "input/type") violations.push_back(std::move(violation));
  }
  return violations;
}

// The fields that one version refuses.
class RefusedFields {
 public:
  explicit RefusedFields(const Violations& violations) {
    for (const Diagnostic& violation : violations) fields_.insert(violation.field);
  }

  // Whether `field` is one of them, or inside one.
  bool cover(std::string_view field) const {
    if (fields_.contains(field)) return true;
    for (size_t end = field.find_first_of(".["); end != std::string_view::npos;
         end = field.find_first_of(".[", end + 1)) {
      if (end > 0 && fields_.contains(field.substr(0, end))) return true;
    }
    return false;
  }

 private:
  std::unordered_set<std::string_view> fields_;
};

VersionSet versions_without(const std::vector<RefusedFields>& by_version, std::string_view field) {
  VersionSet versions = VersionSet::none();
  for (size_t i = 0; i < by_version.size(); ++i) {
    if (!by_version[i].cover(field)) versions.add(i);
  }
  return versions;
}

std::vector<Objection> objections_of(const Violations& violations,
                                     const std::vector<RefusedFields>& by_version) {
  std::vector<Objection> objections;
  for (const Diagnostic& violation : violations) {
    const VersionSet accepted_by = versions_without(by_version, violation.field);
    if (accepted_by.empty()) continue;
    objections.push_back(
        {violation.field, violation.location, violation.rule == "input/unknown-field", accepted_by});
  }
  std::ranges::stable_sort(objections, {},
                           [](const Objection& o) { return std::pair(o.location.line, o.location.column); });
  return objections;
}

// The last two names of a path, without list indexes: torch.numProcPerNode.
std::string tail_of(std::string_view field) {
  std::vector<std::string> names(1);
  int depth = 0;
  for (const char c : field) {
    if (c == '[') ++depth;
    if (c == '.' && depth == 0) {
      names.emplace_back();
    } else if (depth == 0) {
      names.back() += c;
    }
    if (c == ']') --depth;
  }
  const size_t count = names.size();
  return count == 1 ? names[0] : fmt::format("{}.{}", names[count - 2], names[count - 1]);
}

}  // namespace

std::string Objection::text() const {
  return fmt::format("{} {} only {}", tail_of(field), unknown_field ? "exists" : "accepts such a value",
                     accepted_by.range());
}

SurveyedObject survey(const InputObject& object) {
  base::Arena arena;
  const yaml::Maker make(arena);
  std::vector<Violations> by_version;
  for (const model::Behaviours& row : model::released_behaviours()) {
    by_version.push_back(violations_under(object, target_for(row), make));
  }
  SurveyedObject surveyed;
  surveyed.object = &object;
  surveyed.id = object.id.str();
  surveyed.accepted_by = VersionSet::none();
  const std::vector<RefusedFields> refused(by_version.begin(), by_version.end());
  for (size_t i = 0; i < by_version.size(); ++i) {
    surveyed.objections.push_back(objections_of(by_version[i], refused));
    if (surveyed.objections.back().empty()) surveyed.accepted_by.add(i);
  }
  return surveyed;
}

namespace {

// A TrainJob and its runtime, if that is an input; or a runtime that no TrainJob refers to.
struct VersionGroup {
  const SurveyedObject* job = nullptr;
  const SurveyedObject* runtime = nullptr;
  VersionSet versions = VersionSet::all();  // versions that accept both

  const SurveyedObject& first() const { return job ? *job : *runtime; }
};

Diagnostic finding(std::string_view rule, const SurveyedObject& about, const Objection& why) {
  Diagnostic diagnostic = rules::finding(rule);
  diagnostic.object = about.id;
  diagnostic.field = why.field;
  diagnostic.location = why.location;
  return diagnostic;
}

// A problem of the group in a version that refuses it.
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
  surveyed.objections.resize(model::released_behaviours().size());
  return surveyed;
}

class VersionChooser {
 public:
  VersionChooser(const InputSet& inputs, const std::vector<VersionedJob>& jobs,
                 const std::set<const InputObject*>* surveyed)
      : only_(surveyed) {
    std::set<const InputObject*> used;
    for (const VersionedJob& job : jobs) {
      used.insert(job.runtime);
      const SurveyedObject& own =
          job.survey ? *job.survey : fits_.emplace_back(fits_every_version(*job.object));
      groups_.push_back({&own, job.runtime ? &look_at(*job.runtime) : nullptr});
    }
    for (const InputObject& object : inputs.objects) {
      if (object.is_runtime() && !used.contains(&object)) groups_.push_back({nullptr, &look_at(object)});
    }
  }

  VersionChoice choice() {
    VersionChoice choice = versions_for("auto");
    VersionSet common = VersionSet::all();
    for (VersionGroup& group : groups_) {
      choose_versions(group, choice.findings);
      common = common & group.versions;
    }
    if (common.empty()) {
      split(choice);
    } else if (common.newest() + 1 < model::released_behaviours().size()) {
      step_back(choice, common.newest());
    }
    return choice;
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

  // Reports an object that no version accepts.
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

  // Compiles all inputs for one older version.
  void step_back(VersionChoice& choice, size_t version) const {
    choice.common = target_for(model::released_behaviours()[version]);
    const auto [about, why] = decisive(version + 1, version);
    choice.reason = fmt::format("{}:{}:{} {}", why->location.file ? why->location.file->name() : "",
                                why->location.line, why->location.column, why->text());
    Diagnostic diagnostic = finding("advice/trainer-version", *about, *why);
    const std::string_view trainer = choice.common.behaviours->trainer;
    const std::string_view newest = model::newest_behaviours().trainer;
    diagnostic.message = fmt::format("compiled for Trainer {}: {}", trainer, why->text());
    const auto is_it = [&](std::string_view field) { return why->text().find(field) != std::string::npos; };
    if (is_it(model::kPodTemplateOverrides) || is_it(model::kPodSpecOverrides))
      diagnostic.message += fmt::format("; Trainer {} has {} instead", newest, model::kRuntimePatches);
    // migrate does not convert TrainJobs in Experiments.
    diagnostic.hint = about->object->is_trial ? fmt::format("write it for Trainer {}", newest)
                                              : fmt::format("trainjobc migrate --to {} converts it", newest);
    diagnostic.hint += fmt::format("; pin with --trainer-version {} if the cluster runs that", trainer);
    choice.findings.add(std::move(diagnostic));
  }

  // The first problem in the version `refused` that `version` doesn't have.
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

  // Compiles each group for its own version.
  void split(VersionChoice& choice) const {
    for (const VersionGroup& group : groups_) {
      const size_t version = group.versions.newest();
      const Target target = target_for(model::released_behaviours()[version]);
      if (group.job) choice.own[group.job->object] = target;
      if (!group.runtime) continue;
      const auto [at, is_new] = choice.own.try_emplace(group.runtime->object, target);
      if (!is_new && at->second.behaviours < target.behaviours) at->second = target;
    }
    warn_of_split(choice.findings);
  }

  // The first group for each different set of versions.
  std::vector<VersionGroup> different_groups() const {
    std::vector<VersionGroup> different;
    for (const VersionGroup& group : groups_) {
      if (!base::contains(different, group.versions, &VersionGroup::versions)) different.push_back(group);
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
            "these files are for different Trainer versions, but one cluster runs one version: {} here, but "
            "{} in {}",
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
  std::map<const InputObject*, std::unique_ptr<SurveyedObject>> surveyed_;  // of the runtimes
  std::set<const SurveyedObject*> contradictory_;
  std::vector<VersionGroup> groups_;
};

}  // namespace

Target VersionChoice::target_of(const InputObject& object) const {
  const auto found = own.find(&object);
  return found != own.end() ? found->second : common;
}

std::vector<Target> VersionChoice::targets() const {
  std::vector<Target> targets;
  const auto add = [&](const Target& target) {
    if (!base::contains(targets, target)) targets.push_back(target);
  };
  if (own.empty()) add(common);
  for (const auto& [object, target] : own) add(target);
  std::ranges::sort(targets, {}, &Target::behaviours);
  return targets;
}

bool VersionChoice::is_newest() const {
  return own.empty() && common.behaviours == &model::newest_behaviours();
}

std::string VersionChoice::versions() const {
  std::string words;
  for (const Target& target : targets()) {
    words += fmt::format("{}{}", words.empty() ? "" : ", ", target.behaviours->trainer);
  }
  return words;
}

VersionChoice versions_for(std::string_view trainer_version) {
  VersionChoice choice;
  choice.common = choose_target(trainer_version);
  if (std::string note = model::preview_note(choice.common.behaviours->trainer); !note.empty())
    choice.findings.add(rules::finding("advice/preview", std::move(note)));
  return choice;
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

VersionChoice versions_by_content(const InputSet& inputs, const std::vector<VersionedJob>& jobs,
                                  const std::set<const InputObject*>* surveyed) {
  return VersionChooser(inputs, jobs, surveyed).choice();
}

}  // namespace trainjobc::compile
