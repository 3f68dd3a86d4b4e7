// SPDX-License-Identifier: Apache-2.0

#include "features/cluster/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text/diff.h"
#include "base/text/text.h"
#include "compile/admission.h"
#include "compile/kept_jobs.h"
#include "features/cluster/train_jobs.h"
#include "features/objects/acceptance.h"
#include "features/objects/difference_text.h"
#include "k8s/object_meta.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "secret/secret.h"

namespace trainjobc::cluster {

namespace {

using schema::FieldDifference;
using yaml::Entry;
using yaml::Node;

bool is_suspend(const schema::FieldPath& path) {
  return path.size() == 2 && path[0].key == "spec" && path[1].key == "suspend";
}

// The two objects that were compared.
struct Compared {
  const yaml::Node& live;
  const yaml::Node& rendered;
  const FieldOwners& owners;  // of the live object's fields
  bool is_job_set = false;
  bool is_queued = false;  // Kueue suspends and resumes the job
};

bool is_default(const FieldDifference& field, const Compared& objects) {
  if (!objects.is_job_set || (field.live && field.rendered)) return false;
  std::vector<const Node*> parents =
      field.live ? objects::nodes_along(objects.live, field.path, objects::Side::Live)
                 : objects::nodes_along(objects.rendered, field.path, objects::Side::Rendered);
  if (parents.size() > field.path.size()) parents.resize(field.path.size());
  return is_api_default(field.path, field.live ? *field.live : *field.rendered, parents);
}

// The difference, with kind, path, name, values and manager.
objects::Difference difference_of(FieldDifference field, const Compared& objects) {
  objects::Difference result = objects::difference_in(field);
  const Ownership ownership = field.live ? objects.owners.of(field.path) : Ownership{};
  result.manager = ownership.manager;
  const std::string_view tool = field.rendered ? std::string_view() : tool_of_key(field.path.back().key);
  if (!tool.empty()) {
    result.kind = objects::DifferenceKind::Ignored;
    if (result.manager.empty()) result.manager = tool;
  } else if (ownership.owner == Owner::Other || (ownership.owner == Owner::Person && !field.rendered)) {
    result.kind = objects::DifferenceKind::Ignored;
  } else if (objects.is_queued && is_suspend(field.path)) {
    // Kueue's webhook suspends a new JobSet, which makes the JobSet's creator the owner of the field.
    result.kind = objects::DifferenceKind::Ignored;
    if (result.manager.empty()) result.manager = "Kueue";
  }
  result.path = std::move(field.path);
  return result;
}

// Drops defaults of the API, and marks fields that others manage as ignored. A map that only live has becomes
// one difference if all of it has one owner.
void add_relevant(FieldDifference field, const Compared& objects, std::vector<objects::Difference>& out) {
  if (is_default(field, objects)) return;
  if (field.rendered || !field.live || !field.live->is_map() || field.live->size() == 0) {
    out.push_back(difference_of(std::move(field), objects));
    return;
  }
  std::vector<objects::Difference> parts;
  for (const Entry& entry : field.live->entries()) {
    FieldDifference part{field.path, entry.value, nullptr, false};
    part.path.push_back({.schema = schema::value_schema(field.path.back()), .key = entry.key});
    add_relevant(std::move(part), objects, parts);
  }
  const auto like_first = [&](const objects::Difference& part) {
    return part.kind == parts.front().kind && part.manager == parts.front().manager &&
           part.path.size() == field.path.size() + 1;
  };
  if (parts.size() == field.live->size() && std::ranges::all_of(parts, like_first)) {
    out.push_back(difference_of(std::move(field), objects));
  } else {
    std::ranges::move(parts, std::back_inserter(out));
  }
}

using yaml::Maker;

// group, kind, namespace, name
using Identity = std::tuple<std::string, std::string, std::string, std::string>;

// A rendered object and its TrainJob.
struct Wanted {
  const Object* object = nullptr;
  size_t job = 0;
};

// Whether the object is an SSH key, the controller's certificate, or computed from a uid that the inputs
// lack: such objects differ each time.
bool is_generated(const Object& object, const Node& live) {
  using Content = policy::OwnedObject::Content;
  if (policy::has_content(Content::FromOwnerUid, object.kind, object.name)) {
    const std::string_view uid = object.train_job ? value_at(*object.train_job, {"metadata", "uid"}) : "";
    const Node* owner = owning_job(live);
    return uid.empty() || (owner && text_at(*owner, "uid") != uid);
  }
  return policy::has_content(Content::SshKey, object.kind, object.name) ||
         policy::has_content(Content::FromController, object.kind, object.name);
}

class Comparison {
 public:
  Comparison(const LiveSet& live, const CompareOptions& options, base::Arena& arena)
      : options_(options), schemas_(*options.schemas), make_(arena) {
    for (const LiveObject& object : live.objects) live_.emplace(identity(object), &object);
    if (!options.dry_run) return;
    for (const LiveObject& object : options.dry_run->objects) dry_run_.emplace(identity(object), &object);
  }

  void add(const Wanted& wanted, objects::Report& report) {
    const Object& object = *wanted.object;
    const Identity id = identity(object);
    seen_.insert(id);
    const std::optional<LiveObject> live = find_live(id);
    objects::ObjectDiff diff = describe(object);
    diff.job = wanted.job;
    if (!live) {
      add_missing(object, diff);
    } else if (!is_generated(object, *live->root)) {
      compare(object, *live, diff);
    }
    if (object.kind == "JobSet" && live) warn_of_harm(object, *live->root, report);
    if (!diff.differences.empty()) report.objects.push_back(std::move(diff));
    if (object.kind == "JobSet" && object.train_job && options_.refusals)
      add_train_job(wanted, live ? live->root : nullptr, report);
  }

  void add_orphans(const JobNames& jobs, const JobNames& refused, const LiveSet& live,
                   objects::Report& report) {
    JobNames owners = jobs;
    for (const LiveObject& object : live.objects) {
      if (object.kind == "JobSet") owners.try_emplace({object.ns, object.name}, jobs.size());
    }
    std::vector<objects::ObjectDiff> orphans;
    for (const LiveObject& other : live.objects) {
      if (seen_.contains(identity(other))) continue;
      const LiveObject object = with_root(other);
      if (!is_trainers(object, owners)) continue;
      // It is deleted with its TrainJob.
      if (policy::has_content(policy::OwnedObject::Content::FromController, object.kind, object.name))
        continue;
      const size_t job = job_of(object, jobs);
      if (options_.orphans == Orphans::OfInputs && job == objects::kNoJob) continue;
      if (job_of(object, refused) != objects::kNoJob) continue;
      objects::ObjectDiff diff = describe(object);
      diff.job = job;
      const Node* shown = mask_secrets({without_server_fields(*object.root, make_), nullptr}, make_).live;
      objects::Difference orphan;
      orphan.kind = objects::DifferenceKind::Orphaned;
      orphan.live = shown;
      diff.differences.push_back(std::move(orphan));
      show({shown, nullptr}, diff);
      orphans.push_back(std::move(diff));
    }
    std::ranges::stable_sort(orphans, {}, &objects::ObjectDiff::id);
    std::ranges::move(orphans, std::back_inserter(report.objects));
  }

  void add_gates(objects::Report& report) const {
    for (const std::string& gate : gates_) {
      report.warnings.push_back(fmt::format(
          "the cluster's Trainer seems to have the feature gate {0} on, and what it adds is not shown: "
          "write featureGates: [{0}] in .trainjobc.yaml, or --feature-gates {0}",
          gate));
    }
  }

 private:
  LiveObject with_root(LiveObject object) const {
    object.root = &read_again(object, make_.arena());
    return object;
  }

  std::optional<LiveObject> find_live(const Identity& id) const {
    const LiveObject* live = base::value_or(live_, id);
    return live ? std::optional(with_root(*live)) : std::nullopt;
  }

  // Both kinds of objects have these four members.
  template <class AnyObject>
  Identity identity(const AnyObject& object) const {
    std::string ns(object.ns);
    if (options_.default_is_none && ns == k8s::kDefaultNamespace) ns.clear();
    return {std::string(k8s::group_of(object.api_version)), std::string(object.kind), std::move(ns),
            std::string(object.name)};
  }

  template <class AnyObject>
  static objects::ObjectDiff describe(const AnyObject& object) {
    objects::ObjectDiff diff;
    diff.id = objects::object_id(object.kind, object.ns, object.name);
    diff.api_version = object.api_version;
    diff.kind = object.kind;
    diff.ns = object.ns;
    diff.name = object.name;
    return diff;
  }

  const Node* rendered_root(const Object& object) {
    const LiveObject* stored = base::value_or(dry_run_, identity(object));
    const Node& root = stored ? *stored->root : *object.root;
    return secret::mark_secrets(*without_server_fields(root, make_), make_);
  }

  void add_missing(const Object& object, objects::ObjectDiff& diff) {
    objects::Difference& difference = diff.differences.emplace_back();
    difference.kind = objects::DifferenceKind::Missing;
    difference.rendered = mask_secrets({nullptr, rendered_root(object)}, make_).rendered;
    const Node* name = object.root->at({"metadata", "name"});
    const Node& cause = name ? *name : *object.root;
    difference.location = yaml::locate(cause);
    if (options_.fields) difference.field = options_.fields->of(cause);
    show({nullptr, difference.rendered}, diff);
  }

  // Whether Kueue suspends and resumes the job: because of its own label, or together with its TrainJob in
  // the cluster, which Trainer follows.
  bool is_queued(const Object& object, const Node& live) const {
    if (names_queue(*object.root)) return true;
    if (!object.train_job || !names_queue(*object.train_job)) return false;
    const Node* job = live_train_job(object);
    const Node* suspend = live.at({"spec", "suspend"});
    const Node* of_job = job ? job->at({"spec", "suspend"}) : nullptr;
    return suspend && of_job && yaml::equal(*suspend, *of_job);
  }

  // The live TrainJob of a rendered object; nullptr if there is none.
  const Node* live_train_job(const Object& object) const {
    const Object job{model::kTrainerApiVersion, model::kTrainJob, object.ns, object.name};
    const std::optional<LiveObject> live = find_live(identity(job));
    return live ? live->root : nullptr;
  }

  const Node* patched_by_others(const Object& job_set, const Node& rendered) {
    const Node* live = job_set.train_job ? live_train_job(job_set) : nullptr;
    if (!live) return &rendered;
    return with_patches_of_others(rendered, *job_set.train_job, *live, schemas_.job_set(), make_);
  }

  void compare(const Object& object, const LiveObject& there, objects::ObjectDiff& diff) {
    const bool is_job_set = object.kind == "JobSet";
    const Node* rendered = rendered_root(object);
    const Node* live = without_server_fields(*there.root, make_);
    if (is_job_set) {
      live = compile::admit_job_set(*live, schemas_.job_set(), make_);
      rendered = patched_by_others(object, *rendered);
    }
    auto fields = schema::compare(*rendered, *live, schemas_.find(object.kind));
    // Namespaces may differ in spelling: these are the same object.
    std::erase_if(fields, [](const schema::FieldDifference& field) {
      return field.path.size() == 2 && field.path[0].key == "metadata" && field.path[1].key == "namespace";
    });
    const FieldOwners owners(*there.root);
    const Compared objects{*live, *rendered, owners, is_job_set, is_queued(object, *there.root)};
    std::erase_if(fields, [&](const schema::FieldDifference& field) { return is_of_gate(field); });
    for (schema::FieldDifference& field : fields) add_relevant(std::move(field), objects, diff.differences);
    if (options_.refusals) set_scripts_apart(there, owners, diff.differences);
    if (diff.differences.empty()) return;
    if (options_.fields && object.written) options_.fields->add(*object.written);
    const bool asked = dry_run_.contains(identity(object));
    objects::ChildFinder finder;
    for (objects::Difference& difference : diff.differences)
      point_at_cause(*object.root, asked ? &finder : nullptr, difference);
    if (options_.refusals) mark_refusals(diff, *live, *rendered);
    show_fields(live, diff);
  }

  // Whether only the live object has the value, because of a feature gate that is off here. The report says
  // so once.
  bool is_of_gate(const schema::FieldDifference& field) {
    if (!field.live || field.rendered) return false;
    const std::string_view gate = gate_of(*field.live);
    if (gate.empty()) return false;
    gates_.emplace(gate);
    return true;
  }

  // The gate that added a variable, a volume or a mount, or a whole list of them; "" if none did.
  static std::string_view gate_of(const Node& node) {
    if (node.is_map()) return policy::gate_of_name(text_at(node, "name"));
    if (!node.is_list() || node.size() == 0) return "";
    const std::string_view gate = gate_of(*node.items().front());
    const bool is_all =
        std::ranges::all_of(node.items(), [&](const Node* item) { return gate_of(*item) == gate; });
    return is_all ? gate : "";
  }

  void warn_of_harm(const Object& job_set, const Node& live, objects::Report& report) const {
    if (!options_.refusals || !loses_success_policy(*job_set.root, live)) return;
    report.warnings.push_back(
        fmt::format("JobSet {}/{}: the inputs no longer set spec.successPolicy. The cluster accepts an "
                    "update that removes it, and the JobSet controller then fails on this JobSet every time: "
                    "keep successPolicy: {{operator: All}} in the runtime",
                    k8s::effective_namespace(job_set.ns), job_set.name));
  }

  // Adds the TrainJob in the cluster, but only if its update would be refused.
  void add_train_job(const Wanted& wanted, const Node* job_set, objects::Report& report) {
    const Node& job = *wanted.object->train_job;
    const Object rendered{model::kTrainerApiVersion, model::kTrainJob, wanted.object->ns,
                          wanted.object->name};
    const Node* there = live_train_job(*wanted.object);
    const schema::KindSchema* kind = options_.schemas->kind(model::kTrainJob);
    if (!there || !kind) return;
    objects::ObjectDiff diff = describe(rendered);
    diff.job = wanted.job;
    const Node* live = without_server_fields(*there, make_);
    diff.differences = refused_patches(job, *live, job_set, kind->schema);
    if (diff.differences.empty()) return;
    for (objects::Difference& difference : diff.differences) point_at_cause(job, nullptr, difference);
    show_fields(live, diff);
    report.objects.push_back(std::move(diff));
  }

  // `reordered` is set if the difference was found in the API server's version of `root`.
  void point_at_cause(const Node& root, objects::ChildFinder* reordered,
                      objects::Difference& difference) const {
    std::vector<const Node*> nodes =
        reordered ? objects::nodes_like(root, difference.path, *reordered)
                  : objects::nodes_along(root, difference.path, objects::Side::Rendered);
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      const bool is_exact = nodes.size() > difference.path.size() && node == nodes.rbegin();
      const yaml::Derivation* made = (*node)->origin().derivation();
      if (made && is_exact && difference.rendered) difference.rule = made->rule;
      difference.location = yaml::locate(**node);
      if (!difference.location.file) continue;
      if (options_.fields) difference.field = options_.fields->of(**node);
      difference.is_around = !is_exact;
      return;
    }
  }

  // Masks the secrets of both sides, in the objects and in each difference.
  void show_fields(const Node* live, objects::ObjectDiff& diff) const {
    const Sides sides{live, apply_differences(*live, diff.differences, make_)};
    const bool shows_them = options_.manifests != objects::Manifests::None;
    show(shows_them ? mask_secrets(sides, make_) : sides, diff);
    for (objects::Difference& difference : diff.differences) {
      const secret::BeforeAfter values = secret::masked({difference.live, difference.rendered}, make_);
      difference.live = values.before;
      difference.rendered = values.after;
    }
  }

  // Keeps what formats show of the two objects, whose secrets are masked if their manifests are shown.
  void show(const Sides& shown, objects::ObjectDiff& diff) const {
    diff.is_live = shown.live != nullptr;
    diff.is_wanted = shown.rendered != nullptr;
    if (diff.kind == "JobSet" && diff.differs())
      diff.more = objects::demand_change(shown.live, shown.rendered);
    if (options_.manifests == objects::Manifests::None) return;
    std::string live = objects::manifest_of(shown.live);
    std::string merged = objects::manifest_of(shown.rendered);
    if (options_.manifests == objects::Manifests::Hunks) {
      diff.hunks = base::unified_hunks(live, merged);
    } else {
      diff.live_text = std::move(live);
      diff.merged_text = std::move(merged);
    }
  }

  const CompareOptions& options_;
  objects::ObjectSchemas schemas_;
  Maker make_;
  std::map<Identity, const LiveObject*> live_;
  std::map<Identity, const LiveObject*> dry_run_;
  std::set<Identity> seen_;
  std::set<std::string> gates_;  // gates that are on in the cluster, but not in the inputs' settings
};

// Lists a TrainJob under every namespace that its live objects may name.
void add_job(std::string_view ns, const std::string& name, size_t number, bool default_is_none,
             JobNames& jobs) {
  jobs.try_emplace({std::string(ns), name}, number);
  if (!default_is_none || k8s::effective_namespace(ns) != k8s::kDefaultNamespace) return;
  jobs.try_emplace({"", name}, number);
  jobs.try_emplace({std::string(k8s::kDefaultNamespace), name}, number);
}

void add_object(const Object& object, const CompareOptions& options, Comparison& comparison, JobNames& jobs,
                objects::Report& report) {
  comparison.add({&object, report.jobs}, report);
  if (object.kind == model::kOptimizationJob) ++report.jobs;
  if (object.kind != "JobSet") return;
  add_job(object.ns, std::string(object.name), report.jobs++, options.default_is_none, jobs);
}

// Jobs that diagnostics name without a namespace, or with `default`, may be in the context's namespace.
JobNames names_of(const std::set<std::string>& refused) {
  JobNames names;
  for (const std::string& object : refused) {
    const size_t ns = object.find('/') + 1;
    const size_t name = object.find('/', ns) + 1;
    add_job(object.substr(ns, name - 1 - ns), object.substr(name), names.size(), true, names);
  }
  return names;
}

// Compares some of the rendered objects after others, in memory that the next ones use again.
class InParts {
 public:
  InParts(const LiveSet& live, const CompareOptions& options, const RemadeOptions& how)
      : live_(live), options_(options), how_(how), comparison_(live, options, arena_) {}

  void add(std::span<const Object> rendered) {
    objects::Report part;
    part.jobs = report_.jobs;
    for (const Object& object : rendered) {
      if (how_.with_secrets || object.kind != "Secret")
        add_object(object, options_, comparison_, jobs_, part);
    }
    report_.jobs = part.jobs;
    take(std::move(part));
    if (!options_.fields) return;
    for (const Object& object : rendered) {
      if (object.train_job) options_.fields->forget(*object.train_job);
    }
  }

  objects::Report finish(const std::set<std::string>& refused) {
    objects::Report part;
    if (options_.orphans != Orphans::None) comparison_.add_orphans(jobs_, names_of(refused), live_, part);
    take(std::move(part));
    comparison_.add_gates(report_);
    report_.memory.push_back(kept_);
    return std::move(report_);
  }

 private:
  void take(objects::Report part) {
    objects::keep_values(part, how_.with_objects, *kept_);
    std::ranges::move(part.objects, std::back_inserter(report_.objects));
    std::ranges::move(part.warnings, std::back_inserter(report_.warnings));
    arena_.clear();
  }

  const LiveSet& live_;
  const CompareOptions& options_;
  const RemadeOptions& how_;
  base::Arena arena_;
  Comparison comparison_;
  JobNames jobs_;
  std::shared_ptr<base::Arena> kept_ = std::make_shared<base::Arena>();
  objects::Report report_;
};

}  // namespace

objects::Report compare_objects(const Compilation& compiled, std::shared_ptr<const LiveSet> live,
                                const CompareOptions& options) {
  std::set<std::string> refused;
  if (options.orphans != Orphans::None) refused = objects::refused_jobs(compiled);
  objects::Report report = compare_objects(compiled.objects, refused, std::move(live), options);
  report.memory.push_back(compiled.memory);
  return report;
}

objects::Report compare_objects(std::span<const Object> rendered, const std::set<std::string>& refused,
                                std::shared_ptr<const LiveSet> live, const CompareOptions& options) {
  objects::Report report;
  auto arena = std::make_shared<base::Arena>();
  Comparison comparison(*live, options, *arena);
  JobNames jobs;
  for (const Object& object : rendered) add_object(object, options, comparison, jobs, report);
  if (options.orphans != Orphans::None) comparison.add_orphans(jobs, names_of(refused), *live, report);
  comparison.add_gates(report);
  report.memory = {std::move(live), std::move(arena)};
  return report;
}

objects::Report compare_remade(const Compilation& compiled, const LiveSet& live,
                               const CompareOptions& options, const RemadeOptions& how) {
  std::set<std::string> refused;
  if (options.orphans != Orphans::None) refused = objects::refused_jobs(compiled);
  InParts parts(live, options, how);
  for_each_object(compiled, how.threads, [&](std::span<const Object> objects) {
    parts.add(objects);
    if (how.work && objects.data() != compiled.objects.data()) how.work->step();
  });
  objects::Report report = parts.finish(refused);
  report.memory.push_back(compiled.memory);
  return report;
}

}  // namespace trainjobc::cluster
