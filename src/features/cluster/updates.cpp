// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "features/cluster/compare.h"
#include "features/cluster/train_jobs.h"
#include "features/objects/differences.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "secret/secret.h"
#include "yaml/read/reader.h"

namespace trainjobc::cluster {
namespace {

using schema::FieldPath;
using schema::Schema;
using schema::Step;
using yaml::Node;

bool is_immutable(const Schema* schema) {
  if (!schema) return false;
  return std::ranges::any_of(schema->rules,
                             [](const schema::CelRule& rule) { return rule.rule == "self == oldSelf"; });
}

// A transition rule applies if both objects have its field. Fields that are only compared as if both had them
// (labels that one of them lacks) have no such rule.
bool breaks_transition_rule(const objects::Difference& difference) {
  const FieldPath& path = difference.path;
  const auto around = [](const Step& step) { return is_immutable(step.schema); };
  if (std::any_of(path.begin() + 1, path.end(), around)) return true;
  return difference.live && difference.rendered && is_immutable(schema::value_schema(path.back()));
}

// Whether the JobSet webhook lets this field of a pod template change while the JobSet is, or becomes,
// suspended.
bool is_open_while_suspended(const FieldPath& path) {
  constexpr std::array<std::string_view, 6> kPodPath{"spec",     "replicatedJobs", "",
                                                     "template", "spec",           "template"};
  if (path.size() < kPodPath.size() + 2) return false;
  for (size_t i = 0; i < kPodPath.size(); ++i) {
    if (path[i].key != kPodPath[i]) return false;
  }
  const std::string_view map = path[kPodPath.size()].key;
  const std::string_view field = path[kPodPath.size() + 1].key;
  if (map == "metadata") return field == "labels" || field == "annotations";
  return map == "spec" && (field == "nodeSelector" || field == "tolerations" || field == "schedulingGates");
}

std::string flag_of(const objects::ObjectDiff& object) {
  return object.ns.empty() ? "" : fmt::format(" -n {}", object.ns);
}

void mark_job_set(const objects::ObjectDiff& object, bool suspended, objects::Difference& difference) {
  const std::string recreate = fmt::format(
      "delete the JobSet and let it be recreated (kubectl delete jobset {}{}), or rename "
      "the TrainJob",
      object.name, flag_of(object));
  const FieldPath& path = difference.path;
  if (path.size() < 2 || path[0].key != "spec") return;
  const std::string_view field = path[1].key;
  if (field == "managedBy") {
    difference.refusal = "spec.managedBy is immutable";
    difference.remedy = recreate;
  } else if (field == "replicatedJobs" && is_open_while_suspended(path)) {
    if (suspended) return;
    difference.refusal = "this field of spec.replicatedJobs is immutable unless the JobSet is suspended";
    difference.remedy = "suspend it first (spec.suspend: true), or " + recreate;
  } else if (field == "replicatedJobs") {
    difference.refusal = "spec.replicatedJobs is immutable";
    difference.remedy = recreate;
  } else if (breaks_transition_rule(difference)) {
    difference.refusal = fmt::format("spec.{} is immutable", field);
    difference.remedy = recreate;
  }
}

void mark_optimization(const objects::ObjectDiff& object, objects::Difference& difference) {
  if (!breaks_transition_rule(difference)) return;
  difference.refusal = "the spec of an OptimizationJob is immutable";
  difference.remedy = fmt::format("delete it first (kubectl delete optimizationjob {}{}), or rename it",
                                  object.name, flag_of(object));
}

void mark_data(const objects::ObjectDiff& object, bool immutable, objects::Difference& difference) {
  const std::string_view field = difference.path.front().key;
  const bool is_content =
      field == "data" || field == "binaryData" || field == "stringData" || field == "immutable";
  if (object.kind == "Secret" && field == "type") {
    difference.refusal = "the type of a Secret is immutable";
  } else if (immutable && is_content) {
    difference.refusal = fmt::format("the {} is immutable", object.kind);
  } else {
    return;
  }
  difference.remedy =
      fmt::format("delete it and let it be recreated (kubectl delete {} {}{})",
                  object.kind == "Secret" ? "secret" : "configmap", object.name, flag_of(object));
}

}  // namespace

void mark_refusals(objects::ObjectDiff& object, const Node& live, const Node& rendered) {
  const bool suspended =
      yaml::is_true_at(live, {"spec", "suspend"}) || yaml::is_true_at(rendered, {"spec", "suspend"});
  const bool immutable = yaml::is_true_at(live, "immutable");
  for (objects::Difference& difference : object.differences) {
    if (difference.kind != objects::DifferenceKind::Changed) continue;
    if (object.kind == "JobSet") {
      mark_job_set(object, suspended, difference);
    } else if (object.kind == model::kOptimizationJob) {
      mark_optimization(object, difference);
    } else if (object.kind == "Secret" || object.kind == "ConfigMap") {
      mark_data(object, immutable, difference);
    }
  }
}

std::vector<std::string> immutable_changes(const Node& before, const Node& after, const Schema& train_job) {
  std::vector<std::string> fields;
  const schema::Property* spec = train_job.property("spec");
  const Node* old_spec = before.get("spec");
  const Node* new_spec = after.get("spec");
  if (!spec || !old_spec || !new_spec) return fields;
  for (const yaml::Entry& entry : old_spec->entries()) {
    const Node* now = new_spec->get(entry.key);
    const schema::Property* property = spec->schema->property(entry.key);
    if (now && property && is_immutable(property->schema) && !yaml::equal(*entry.value, *now))
      fields.push_back(fmt::format("spec.{}", entry.key));
  }
  return fields;
}

namespace {

bool is_written(const Node& rendered) {
  const Node* policy = rendered.at({"spec", "successPolicy"});
  const Node* how = policy ? policy->get("operator") : nullptr;
  const yaml::Derivation* made = how ? how->origin().derivation() : nullptr;
  return policy && !(made && made->rule == "jobset/default");
}

// Whether a server-side apply set it, by any manager but Trainer, which keeps its own field.
bool is_applied(const Node& live) {
  return std::ranges::any_of(items_at(live, {"metadata", "managedFields"}), [](const Node* entry) {
    return text_at(*entry, "operation") == "Apply" && text_at(*entry, "manager") != "trainer" &&
           entry->at({"fieldsV1", "f:spec", "f:successPolicy"});
  });
}

// Whether kubectl apply set it, which remembers what it applied.
bool is_remembered(const Node& live) {
  const Node* applied = live.at({"metadata", "annotations", secret::kLastApplied});
  if (!applied) return false;
  const yaml::Text json(applied->text());
  return json.root() && json.root()->at({"spec", "successPolicy"});
}

}  // namespace

bool loses_success_policy(const Node& rendered, const Node& live) {
  if (!live.at({"spec", "successPolicy"}) || is_written(rendered)) return false;
  return is_applied(live) || is_remembered(live);
}

namespace {

using yaml::Entry;
using yaml::Maker;

using Edits = std::vector<const objects::Difference*>;

class Merger {
 public:
  explicit Merger(const Maker& make) : make_(make) {}

  // `node` is the live value at this depth, nullptr if there is none. Returns nullptr if the field is
  // removed.
  const Node* value(const Node* node, const Edits& edits, size_t depth) const {
    if (edits.empty()) return node;
    for (const objects::Difference* edit : edits) {
      if (edit->path.size() == depth) return edit->rendered;
    }
    return edits.front()->path[depth].is_item() ? list(*node, edits, depth) : map(node, edits, depth);
  }

 private:
  const Node* map(const Node* node, const Edits& edits, size_t depth) const {
    std::vector<std::string_view> keys;  // in the order of the edits
    std::unordered_map<std::string_view, Edits> below;
    for (const objects::Difference* edit : edits) {
      const std::string_view key = edit->path[depth].key;
      Edits& of_key = below[key];
      if (of_key.empty()) keys.push_back(key);
      of_key.push_back(edit);
    }
    std::vector<Entry> entries;
    const auto add = [&](Entry entry) {
      const auto found = below.find(entry.key);
      if (found != below.end()) entry.value = value(entry.value, std::exchange(found->second, {}), depth + 1);
      if (entry.value) entries.push_back(entry);
    };
    if (node) {
      for (const Entry& entry : node->entries()) add(entry);
    }
    for (const std::string_view key : keys) {
      if (!below[key].empty()) add({key, nullptr, {}});
    }
    return make_.map(entries, node ? node->origin() : yaml::Origin{});
  }

  const Node* list(const Node& node, const Edits& edits, size_t depth) const {
    std::unordered_map<size_t, Edits> below;
    for (const objects::Difference* edit : edits) below[edit->path[depth].live_index].push_back(edit);
    std::vector<const Node*> items;
    for (size_t i = 0; i < node.size(); ++i) {
      const auto found = below.find(i);
      const Node* old = node.items()[i];
      if (const Node* item = found == below.end() ? old : value(old, found->second, depth + 1))
        items.push_back(item);
    }
    for (const objects::Difference* edit : edits) {
      if (edit->path[depth].live_index == Step::kNone) items.push_back(edit->rendered);
    }
    return make_.list(items, node.origin());
  }

  const Maker& make_;
};

}  // namespace

const Node* apply_differences(const Node& live, std::span<const objects::Difference> differences,
                              const Maker& make) {
  Edits edits;
  for (const objects::Difference& difference : differences) {
    if (difference.kind == objects::DifferenceKind::Changed) edits.push_back(&difference);
  }
  return Merger(make).value(&live, edits, 0);
}

namespace {

constexpr std::string_view kController = "trainer";  // the field manager of Trainer

bool is_script(const objects::Difference& difference) {
  const schema::FieldPath& path = difference.path;
  return difference.live && difference.rendered && path.size() == 2 && path[0].key == "data" &&
         path[1].key.ends_with(".sh") && !difference.live->text().empty();
}

}  // namespace

void set_scripts_apart(const LiveObject& live, const FieldOwners& owners,
                       std::vector<objects::Difference>& differences) {
  if (!policy::has_content(policy::OwnedObject::Content::Scripts, live.kind, live.name)) return;
  // Most saved objects have lost their managers.
  const bool says_managers = live.root->at({"metadata", "managedFields"}) != nullptr;
  const bool is_jobs = owning_job(*live.root) != nullptr;
  for (objects::Difference& difference : differences) {
    if (!is_script(difference)) continue;
    if (says_managers ? !owners.is_of(difference.path, kController) : !is_jobs) continue;
    difference.kind = objects::DifferenceKind::Ignored;
    difference.manager = kController;
  }
}

}  // namespace trainjobc::cluster
