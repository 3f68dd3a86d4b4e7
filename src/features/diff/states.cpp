// SPDX-License-Identifier: Apache-2.0

#include "features/diff/states.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/arena.h"
#include "base/parallel.h"
#include "base/text/text.h"
#include "features/cluster/compare.h"
#include "features/cluster/live.h"
#include "features/objects/acceptance.h"
#include "features/objects/difference_text.h"
#include "features/objects/differences.h"
#include "k8s/object_meta.h"
#include "model/trainer_names.h"
#include "platform/platform.h"
#include "schema/schema.h"
#include "secret/secret.h"
#include "yaml/node.h"

namespace trainjobc::diff {
namespace {

using objects::Report;

size_t count_jobs(const Compilation& compiled) {
  return compiled.collected.size() +
         static_cast<size_t>(std::ranges::count(compiled.objects, model::kOptimizationJob, &Object::kind));
}

// Joins the reports on the scopes.
class Joined {
 public:
  explicit Joined(bool has_scopes) : has_scopes_(has_scopes) {}

  Report report;

  // The numbers of the part's jobs are less than `numbers`.
  void add(Report part, const std::string& scope, size_t numbers) {
    for (objects::ObjectDiff& object : part.objects) {
      if (object.job != objects::kNoJob) object.job += numbers_;
      if (has_scopes_) object.scope = scope;
    }
    if (report.objects.empty()) {
      report.objects = std::move(part.objects);
    } else {
      std::ranges::move(part.objects, std::back_inserter(report.objects));
    }
    for (objects::Acceptance& acceptance : part.acceptances) {
      if (has_scopes_) acceptance.scope = scope;
      report.acceptances.push_back(std::move(acceptance));
    }
    for (objects::LeftJob& job : part.left_jobs) {
      if (has_scopes_) job.scope = scope;
      report.left_jobs.push_back(std::move(job));
    }
    std::ranges::move(part.warnings, std::back_inserter(report.warnings));
    std::ranges::move(part.memory, std::back_inserter(report.memory));
    report.jobs += part.jobs;
    numbers_ += numbers;
  }

 private:
  bool has_scopes_;
  size_t numbers_ = 0;
};

bool changes_pods(const objects::ObjectDiff& object) {
  return std::ranges::any_of(object.differences, [](const objects::Difference& difference) {
    return difference.kind == objects::DifferenceKind::Changed &&
           difference.name.starts_with("spec.replicatedJobs");
  });
}

using JobName = std::pair<std::string_view, std::string_view>;  // namespace and name
using JobSets = std::map<JobName, const Object*>;

JobSets job_sets_of(std::span<const Object> objects) {
  JobSets found;
  for (const Object& object : objects) {
    if (object.kind == "JobSet" && object.train_job)
      found.try_emplace({k8s::effective_namespace(object.ns), object.name}, &object);
  }
  return found;
}

// A TrainJob that both states have, by its JobSets.
struct KeptJob {
  JobName name;
  const Object* before = nullptr;
  const Object* after = nullptr;
};

std::vector<KeptJob> kept_jobs(std::span<const Object> before, std::span<const Object> after) {
  std::vector<KeptJob> kept;
  const JobSets old_sets = job_sets_of(before);
  for (const auto& [name, job_set] : job_sets_of(after)) {
    if (const Object* was = base::value_or(old_sets, name)) kept.push_back({name, was, job_set});
  }
  return kept;
}

// Fields of a TrainJob are immutable, and its controller leaves the pods of a JobSet that is not suspended as
// they are, whichever object changes them. `trainer` is the version of the cluster.
void add_left_jobs(std::span<const KeptJob> kept, const schema::VersionSchemas& schemas,
                   const std::string& trainer, Report& report) {
  const schema::KindSchema* kind = schemas.kind(model::kTrainJob);
  if (!kind) return;
  std::set<JobName> changed;
  for (const objects::ObjectDiff& object : report.objects) {
    if (object.kind == "JobSet" && changes_pods(object))
      changed.emplace(k8s::effective_namespace(object.ns), object.name);
  }
  for (const auto& [name, was, is] : kept) {
    objects::LeftJob job{
        .job = fmt::format("{}/{}", name.first, name.second),
        .trainer = trainer,
        .refused = cluster::immutable_changes(*was->train_job, *is->train_job, *kind->schema)};
    const bool keeps_pods = changed.contains(name) && !yaml::is_true_at(*was->train_job, {"spec", "suspend"});
    if (!job.refused.empty() || keeps_pods) report.left_jobs.push_back(std::move(job));
  }
}

// What policies of the new state say about the changes of TrainJobs.
void add_denials(std::span<const KeptJob> kept, Report& report) {
  for (const auto& [name, was, is] : kept) {
    if (!is->platform) continue;
    base::Diagnostics found;
    is->platform->check_change(*was->train_job, *is->train_job,
                               objects::object_id(model::kTrainJob, name.first, name.second), found);
    secret::hide_secrets(found, std::array{was->train_job, is->train_job});
    for (const base::Diagnostic& one : found.items()) {
      if (one.severity == base::Severity::Info) continue;
      report.warnings.push_back(fmt::format("{}: {}", base::place_of(one.location), one.message));
    }
  }
}

// A TrainJob of which the two sides make different objects; nullptr on the side that lacks it.
struct Differing {
  const CollectedJob* before = nullptr;
  const CollectedJob* after = nullptr;
};

// Compares the objects of two sides, for which only those of a few TrainJobs at a time are made again.
class Comparer {
 public:
  // `trainer` is the version for whose cluster jobs are left as they are; "" if that is not asked.
  Comparer(cluster::CompareOptions how, const Details& details, std::string trainer)
      : how_(how), details_(details), trainer_(std::move(trainer)) {
    how_.manifests = details.manifests;
    if (details.fields) how_.fields = &fields_;
  }

  // Objects of no TrainJob, and of the jobs.
  Report compare(std::span<const Object> before, std::span<const Object> after,
                 std::span<const Differing> jobs) {
    std::vector<Report> parts(1 + (jobs.size() + kAtOnce - 1) / kAtOnce);
    parts.front() = compare_objects(before, after);
    base::parallel_for(parts.size() - 1, 1, details_.threads, [&](size_t i) {
      parts[i + 1] = compare_jobs(jobs.subspan(i * kAtOnce, std::min(kAtOnce, jobs.size() - i * kAtOnce)));
    });
    return joined(std::move(parts));
  }

 private:
  static constexpr size_t kAtOnce = 32;

  static void make_again(const CollectedJob* job, std::vector<Object>& objects,
                         std::vector<RemadeJob>& remade) {
    if (!job) return;
    remade.push_back(job->make_again());
    base::append(objects, remade.back().objects);
  }

  Report compare_jobs(std::span<const Differing> jobs) {
    std::vector<RemadeJob> remade;  // keeps the nodes
    std::vector<Object> before;
    std::vector<Object> after;
    for (const Differing& job : jobs) {
      make_again(job.before, before, remade);
      make_again(job.after, after, remade);
    }
    Report report = compare_objects(before, after);
    for (const Object& object : after) {
      if (object.train_job) fields_.forget(*object.train_job);
    }
    return report;
  }

  Report compare_objects(std::span<const Object> before, std::span<const Object> after) {
    auto live = std::make_shared<cluster::LiveSet>();
    for (const Object& object : before) {
      live->objects.push_back({std::string(object.api_version), std::string(object.kind),
                               std::string(object.ns), std::string(object.name), object.root});
    }
    Report report = cluster::compare_objects(after, {}, std::move(live), how_);
    if (!trainer_.empty()) {
      const std::vector<KeptJob> kept = kept_jobs(before, after);
      add_left_jobs(kept, *how_.schemas, trainer_, report);
      if (!platform::kIsPage) add_denials(kept, report);
    }
    auto arena = std::make_shared<base::Arena>();
    objects::keep_values(report, details_.objects, *arena);
    report.memory = {std::move(arena)};
    return report;
  }

  // Orphans come last, by name. Each part has other jobs.
  static Report joined(std::vector<Report> parts) {
    Report whole;
    std::vector<objects::ObjectDiff> orphans;
    std::set<std::string> warnings;
    for (Report& part : parts) {
      for (objects::ObjectDiff& object : part.objects) {
        if (object.job != objects::kNoJob) object.job += whole.jobs;
        (object.is_wanted ? whole.objects : orphans).push_back(std::move(object));
      }
      whole.jobs += part.jobs;
      std::ranges::move(part.left_jobs, std::back_inserter(whole.left_jobs));
      warnings.insert(part.warnings.begin(), part.warnings.end());
      std::ranges::move(part.memory, std::back_inserter(whole.memory));
    }
    std::ranges::stable_sort(orphans, {}, &objects::ObjectDiff::id);
    std::ranges::move(orphans, std::back_inserter(whole.objects));
    whole.warnings.assign(warnings.begin(), warnings.end());
    return whole;
  }

  cluster::CompareOptions how_;
  const Details& details_;
  std::string trainer_;
  objects::InputFields fields_;
};

// The jobs that differ, in the order of `after`, then those that only `before` has. Leaves out jobs that
// `is_left_out` names.
std::vector<Differing> differing_jobs(const Compilation& before, const Compilation& after,
                                      const std::function<bool(const std::string& job)>& is_left_out) {
  const auto id_of = [](const CollectedJob& job) {
    return objects::object_id(model::kTrainJob, job.ns, job.name);
  };
  std::map<std::string, const CollectedJob*> old_jobs;
  for (const CollectedJob& job : before.collected) {
    if (std::string id = id_of(job); !is_left_out(id)) old_jobs.emplace(std::move(id), &job);
  }
  std::vector<Differing> jobs;
  for (const CollectedJob& job : after.collected) {
    const std::string id = id_of(job);
    if (is_left_out(id)) continue;
    const CollectedJob* old_job = base::value_or(old_jobs, id);
    old_jobs.erase(id);
    if (!old_job || old_job->content != job.content) jobs.push_back({old_job, &job});
  }
  for (const auto& [id, job] : old_jobs) jobs.push_back({job, nullptr});
  return jobs;
}

}  // namespace

Report compare_versions(const Scopes& before, const Scopes& after, const std::string& old_version,
                        const std::string& new_version, const Details& details) {
  Joined joined(after.size() > 1);
  joined.report.old_version = old_version;
  joined.report.new_version = new_version;
  cluster::CompareOptions how;
  how.schemas = schema::find_version(new_version);
  how.refusals = false;
  for (size_t i = 0; i < after.size(); ++i) {
    const Compilation& old_side = before[i].compiled;
    const Compilation& new_side = after[i].compiled;
    const std::set<std::string> old_jobs = objects::rendered_jobs(old_side);
    const std::set<std::string> new_jobs = objects::rendered_jobs(new_side);
    const auto is_of_one_side = [&](const std::string& job) {
      return !old_jobs.contains(job) || !new_jobs.contains(job);
    };
    Report part =
        Comparer(how, details, "")
            .compare(old_side.objects, new_side.objects, differing_jobs(old_side, new_side, is_of_one_side));
    part.memory.push_back(old_side.memory);
    part.memory.push_back(new_side.memory);
    const size_t compared = part.jobs;
    part.jobs = new_side.train_jobs;  // includes those that only one version accepts
    part.acceptances = objects::compare_acceptance(old_side, new_side);
    joined.add(std::move(part), after[i].scope, compared);
  }
  return std::move(joined.report);
}

namespace {

// The same scope in both states; an empty compilation stands for a scope that a state doesn't have.
struct Pair {
  std::string scope;
  Compilation before;
  Compilation after;
};

std::string without(const std::string& prefix, const std::string& name) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

std::set<std::string> jobs_of(const Compilation& compiled) {
  std::set<std::string> jobs;
  for (const LintedObject& linted : compiled.linted) {
    if (linted.object.starts_with("TrainJob/")) jobs.insert(linted.object);
  }
  return jobs;
}

// The part of a compilation that comes from these files, or from all others.
Compilation part_of(const Compilation& whole, const std::set<std::string>& files, bool is_in) {
  const auto keeps = [&](const std::string& file) { return files.contains(file) == is_in; };
  const auto keeps_location = [&](const base::Location& at) { return at.file && keeps(at.file->name()); };
  Compilation part = whole;
  std::erase_if(part.objects, [&](const Object& object) {
    return !keeps_location(yaml::locate(object.train_job ? *object.train_job : *object.root));
  });
  std::erase_if(part.collected,
                [&](const CollectedJob& job) { return !job.file || !keeps(job.file->name()); });
  std::erase_if(part.linted, [&](const LintedObject& linted) { return !keeps(linted.file); });
  std::erase_if(part.files, [&](const base::SourceFile* file) { return !keeps(file->name()); });
  part.diagnostics.retain(
      [&](const base::Diagnostic& found) { return keeps_location(found.location) || !found.location.file; });
  return part;
}

class Pairs {
 public:
  Pairs(Scopes before, Scopes after, const StateOptions& options) : options_(options) {
    for (inputs::ScopedCompilation& one : before)
      before_[key(options.key_before, one.scope)] = std::move(one);
    for (inputs::ScopedCompilation& one : after) after_[key(options.key_after, one.scope)] = std::move(one);
  }

  std::vector<Pair> all() {
    take_same();
    for (auto& [key, scope] : after_) split_off(key, scope);
    while (take_renamed()) {
    }
    for (auto& [key, scope] : before_) add(scope.scope, std::move(scope.compiled), {});
    for (auto& [key, scope] : after_) add(scope.scope, {}, std::move(scope.compiled));
    std::ranges::stable_sort(pairs_, {}, &Pair::scope);
    std::erase_if(pairs_,
                  [](const Pair& pair) { return pair.before.files.empty() && pair.after.files.empty(); });
    return std::move(pairs_);
  }

 private:
  using ByKey = std::map<std::string, inputs::ScopedCompilation>;

  static std::string key(const std::function<std::string(const std::string&)>& of, const std::string& scope) {
    return of ? of(scope) : scope;
  }

  void add(const std::string& scope, Compilation before, Compilation after) {
    pairs_.push_back({scope, std::move(before), std::move(after)});
  }

  void take(ByKey::iterator before, ByKey::iterator after) {
    add(after->second.scope, std::move(before->second.compiled), std::move(after->second.compiled));
    before_.erase(before);
    after_.erase(after);
  }

  void take_same() {
    for (auto after = after_.begin(); after != after_.end();) {
      const auto next = std::next(after);
      const auto before = before_.find(after->first);
      if (before != before_.end()) take(before, after);
      after = next;
    }
    if (before_.size() == 1 && after_.size() == 1 && pairs_.empty()) take(before_.begin(), after_.begin());
  }

  // If files are in a new scope, they are compared with the scope in which they were.
  void split_off(const std::string& key, const inputs::ScopedCompilation& scope) {
    std::set<std::string> files;
    for (const base::SourceFile* file : scope.compiled.files)
      files.insert(options_.prefixes.before + without(options_.prefixes.after, file->name()));
    for (Pair& pair : pairs_) {
      Compilation part = part_of(pair.before, files, true);
      if (part.files.empty()) continue;
      pair.before = part_of(pair.before, files, false);
      before_[key] = {scope.scope, std::move(part)};
      return;
    }
  }

  // Pairs the two scopes, one of each state, that have the most jobs in common, provided these are at least
  // half of the jobs of one of them.
  bool take_renamed() {
    size_t most = 0;
    std::optional<std::pair<ByKey::iterator, ByKey::iterator>> best;
    for (auto before = before_.begin(); before != before_.end(); ++before) {
      const std::set<std::string> old_jobs = jobs_of(before->second.compiled);
      for (auto after = after_.begin(); after != after_.end(); ++after) {
        const std::set<std::string> jobs = jobs_of(after->second.compiled);
        const auto common = static_cast<size_t>(
            std::ranges::count_if(jobs, [&](const std::string& job) { return old_jobs.contains(job); }));
        const bool is_same = before->first == after->first;
        if (!is_same && (common <= most || 2 * common < std::min(jobs.size(), old_jobs.size()))) continue;
        best = {before, after};
        most = is_same ? jobs.size() + old_jobs.size() : common;
      }
    }
    if (best) take(best->first, best->second);
    return best.has_value();
  }

  const StateOptions& options_;
  ByKey before_;
  ByKey after_;
  std::vector<Pair> pairs_;
};

// The files that could not be read, or only in part.
std::vector<std::string> unread_files(const Compilation& compiled) {
  std::set<std::string> files;
  for (const base::Diagnostic& found : compiled.diagnostics.items()) {
    if (base::is_refusal(found) && found.object.empty() && found.location.file)
      files.insert(found.location.file->name());
  }
  return {files.begin(), files.end()};
}

std::string named(const std::vector<std::string>& files) {
  return files.size() == 1 ? files.front() : fmt::format("{} and {} more", files.front(), files.size() - 1);
}

Report compare_pair(const Pair& pair, const StateOptions& options) {
  const auto unread_before = unread_files(pair.before);
  const auto unread_after = unread_files(pair.after);
  cluster::CompareOptions how;
  const Compilation& known = pair.after.files.empty() ? pair.before : pair.after;
  how.schemas = &schema::version_or_newest(known.trainer_version);
  how.refusals = false;
  const bool lists_removed = options.lists_removed && unread_after.empty();
  how.orphans = lists_removed ? cluster::Orphans::All : cluster::Orphans::None;
  std::set<std::string> refused = objects::refused_jobs(pair.before);
  refused.merge(objects::refused_jobs(pair.after));
  const auto is_refused = [&](const std::string& job) { return refused.contains(job); };
  Report report = Comparer(how, options.details, pair.after.trainer_version)
                      .compare(pair.before.objects, pair.after.objects,
                               differing_jobs(pair.before, pair.after, is_refused));
  if (!unread_before.empty()) {
    const size_t added = std::erase_if(report.objects, [](const objects::ObjectDiff& object) {
      return object.differences.front().kind == objects::DifferenceKind::Missing;
    });
    if (added > 0)
      report.warnings.push_back(
          fmt::format("added jobs are not listed: {} can't be read", named(unread_before)));
  }
  if (!unread_after.empty() && options.lists_removed)
    report.warnings.push_back(
        fmt::format("removed jobs are not listed: {} can't be read", named(unread_after)));
  report.memory.push_back(pair.before.memory);
  report.memory.push_back(pair.after.memory);
  report.jobs = count_jobs(pair.after) + objects::refused_jobs(pair.after).size();
  report.acceptances = objects::compare_acceptance(pair.before, pair.after, options.prefixes);
  return report;
}

}  // namespace

Report compare_states(Scopes before, Scopes after, const StateOptions& options) {
  const std::vector<Pair> pairs = Pairs(std::move(before), std::move(after), options).all();
  Joined joined(pairs.size() > 1);
  for (const Pair& pair : pairs) {
    const size_t most = count_jobs(pair.before) + count_jobs(pair.after);
    joined.add(compare_pair(pair, options), pair.scope, most);
  }
  return std::move(joined.report);
}

}  // namespace trainjobc::diff
