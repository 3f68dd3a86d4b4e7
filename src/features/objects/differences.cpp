// SPDX-License-Identifier: Apache-2.0

#include "features/objects/differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "k8s/object_meta.h"
#include "model/trainer_names.h"
#include "yaml/write/writer.h"

namespace trainjobc::objects {

std::string object_id(std::string_view kind, std::string_view ns, std::string_view name) {
  return fmt::format("{}/{}/{}", kind, k8s::effective_namespace(ns), name);
}

std::string_view to_string(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::Changed: return "changed";
    case DifferenceKind::Missing: return "missing";
    case DifferenceKind::Orphaned: return "orphaned";
    case DifferenceKind::Ignored: return "ignored";
  }
  return "";
}

bool ObjectDiff::differs() const {
  return std::ranges::any_of(differences,
                             [](const Difference& d) { return d.kind != DifferenceKind::Ignored; });
}

bool Report::differs() const {
  return std::ranges::any_of(objects, &ObjectDiff::differs) || count(Verdict::NoLonger, false) > 0 ||
         count(Verdict::Newly, false) > 0;
}

size_t Report::differing_jobs() const {
  std::set<size_t> differing;
  for (const ObjectDiff& object : objects) {
    if (object.differs() && object.job != kNoJob) differing.insert(object.job);
  }
  return differing.size();
}

size_t Report::orphans() const {
  return static_cast<size_t>(
      std::ranges::count_if(objects, [](const ObjectDiff& object) { return !object.is_wanted; }));
}

size_t Report::count(Verdict verdict, bool jobs_only) const {
  return static_cast<size_t>(std::ranges::count_if(acceptances, [&](const Acceptance& acceptance) {
    return acceptance.verdict == verdict && (!jobs_only || acceptance.object.starts_with("TrainJob/"));
  }));
}

const yaml::Node* value_copy(const yaml::Node* node, const yaml::Maker& make) {
  if (!node) return nullptr;
  const yaml::Origin origin = node->origin().is_secret() ? yaml::Origin().as_secret() : yaml::Origin();
  if (node->is_list()) {
    std::vector<const yaml::Node*> items;
    for (const yaml::Node* item : node->items()) items.push_back(value_copy(item, make));
    return make.list(items, origin);
  }
  if (node->is_map()) {
    std::vector<yaml::Entry> entries;
    for (const yaml::Entry& entry : node->entries())
      entries.push_back({make.arena().copy(entry.key), value_copy(entry.value, make), {}});
    return make.map(entries, origin);
  }
  if (node->is_string()) return make.copied(node->text(), origin);
  return make.plain(node->kind(), make.arena().copy(node->text()), origin);
}

namespace {

// An item of a list map is known by its keys.
const yaml::Node* keys_copy(const yaml::Node* item, const schema::Schema* list, const yaml::Maker& make) {
  if (!item || !list) return nullptr;
  std::vector<yaml::Entry> keys;
  for (const yaml::Entry& entry : item->entries()) {
    if (base::contains(list->list_keys, entry.key))
      keys.push_back({make.arena().copy(entry.key), value_copy(entry.value, make), {}});
  }
  return make.map(keys);
}

}  // namespace

void keep_values(Report& report, bool with_objects, base::Arena& arena) {
  const yaml::Maker make(arena);
  for (ObjectDiff& object : report.objects) {
    for (Difference& difference : object.differences) {
      const bool is_whole =
          difference.kind == DifferenceKind::Missing || difference.kind == DifferenceKind::Orphaned;
      difference.live = is_whole && !with_objects ? nullptr : value_copy(difference.live, make);
      difference.rendered = is_whole && !with_objects ? nullptr : value_copy(difference.rendered, make);
      for (schema::Step& step : difference.path) {
        step.key = arena.copy(step.key);
        step.item = keys_copy(step.item, step.schema, make);
      }
    }
  }
}

std::string manifest_of(const yaml::Node* object) {
  std::string text;
  if (object) yaml::write_yaml(*object, yaml::KeyOrder::Kubernetes, text);
  return text;
}

using schema::Property;
using schema::Schema;
using schema::Type;
using schema::Wire;

namespace {

constexpr Schema kText{.type = Type::String};
constexpr Schema kTexts{.type = Type::Object, .additional = &kText};
constexpr Schema kFlag{.type = Type::Boolean};
constexpr Schema kQuantity{.type = Type::IntOrString, .quantity = true};
constexpr Schema kQuantities{.type = Type::Object, .additional = &kQuantity};
constexpr std::array kGroupFields{Property{"minResources", &kQuantities}};
constexpr Schema kGroupSpec{.type = Type::Object, .properties = kGroupFields};

}  // namespace

ObjectSchemas::ObjectSchemas(const schema::VersionSchemas& version)
    : version_(&version),
      job_set_(version.kind("JobSet")->schema),
      fields_{Property{"binaryData", &kTexts},
              Property{"data", &kTexts},
              Property{"immutable", &kFlag},
              Property{"metadata", job_set_->property("metadata")->schema, Wire::Struct},
              Property{"spec", &kGroupSpec, Wire::Struct},
              Property{"stringData", &kTexts}},
      object_{.type = Type::Object, .properties = fields_} {}

const Schema* ObjectSchemas::find(std::string_view kind) const {
  if (kind == "JobSet") return job_set_;
  if (kind == model::kOptimizationJob) {
    const schema::KindSchema* known = version_->kind(kind);
    return known ? known->schema : nullptr;
  }
  return kind == "Secret" || kind == "ConfigMap" || kind == "PodGroup" ? &object_ : nullptr;
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::NoLonger: return "no longer accepted";
    case Verdict::Newly: return "newly accepted";
    case Verdict::Never: return "never accepted";
  }
  return "";
}

std::string in_scope(const std::string& scope) {
  return scope.empty() ? "" : fmt::format(" in {}", scope);
}

std::string Acceptance::title() const {
  const size_t kind_end = object.find('/');
  static constexpr std::string_view kKinds[] = {model::kTrainJob, model::kTrainingRuntime,
                                                model::kClusterTrainingRuntime, model::kOptimizationJob};
  if (!base::contains(kKinds, std::string_view(object).substr(0, kind_end))) return object;
  const size_t name = object[kind_end + 1] == '/' ? kind_end + 2 : kind_end + 1;
  return fmt::format("{} {}{}", object.substr(0, kind_end), object.substr(name), in_scope(scope));
}

}  // namespace trainjobc::objects
