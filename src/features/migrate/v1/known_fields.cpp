// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/v1/known_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <vector>

#include "base/text/suggest.h"
#include "k8s/value_text.h"
#include "rules/rules.h"
#include "schema/validate.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 5> kOfObject{"apiVersion", "kind", "metadata", "spec", "status"};
constexpr std::array<std::string_view, 7> kOfRunPolicy{
    "activeDeadlineSeconds", "backoffLimit", "cleanPodPolicy",         "managedBy",
    "schedulingPolicy",      "suspend",      "ttlSecondsAfterFinished"};
constexpr std::array<std::string_view, 5> kOfScheduling{"minAvailable", "minResources", "priorityClass",
                                                        "queue", "scheduleTimeoutSeconds"};
constexpr std::array<std::string_view, 11> kOfTorchElastic{
    "maxReplicas", "maxRestarts", "metrics", "minReplicas", "nProcPerNode", "rdzvBackend",
    "rdzvConf",    "rdzvHost",    "rdzvId",  "rdzvPort",    "standalone"};
constexpr std::array<std::string_view, 4> kOfPaddleElastic{"maxReplicas", "maxRestarts", "metrics",
                                                           "minReplicas"};
constexpr std::array<std::string_view, 3> kOfReplica{"replicas", "restartPolicy", "template"};
// What a cluster adds to an object's metadata.
constexpr std::array<std::string_view, 7> kOfServer{"creationTimestamp", "generation", "managedFields",
                                                    "resourceVersion",   "selfLink",   "uid",
                                                    "ownerReferences"};
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

class Pruner {
 public:
  Pruner(const model::V1Kind& kind, const schema::Schema& pod_template, const Maker& make,
         V1Findings& findings)
      : kind_(kind), pod_template_(pod_template), make_(make), findings_(findings) {}

  const Node* run(const Node& root) {
    const Node* job = known(root, kOfObject, {});
    job = make_.with(job, "status", nullptr);
    if (const Node* metadata = job->get("metadata"); metadata && metadata->is_map())
      job = make_.with(job, "metadata", own_metadata(metadata));
    const Node* spec = job->get("spec");
    return spec && spec->is_map() ? make_.with(job, "spec", of_spec(*spec)) : job;
  }

 private:
  // What its author wrote. Nulls count as absent.
  const Node* own_metadata(const Node* metadata) const {
    for (const std::string_view key : kOfServer) {
      if (metadata->get(key)) metadata = make_.with(metadata, key, nullptr);
    }
    const Node* annotations = metadata->get("annotations");
    if (!annotations || !annotations->get(kLastApplied)) return metadata;
    const Node* rest = make_.with(annotations, kLastApplied, nullptr);
    return make_.with(metadata, "annotations", rest->size() > 0 ? rest : nullptr);
  }

  // `map` with the entries of these names; the others are reported.
  const Node* known(const Node& map, Names names, const k8s::Path& path) {
    std::vector<Entry> entries;
    for (const Entry& entry : map.entries()) {
      if (entry.value->is_null()) continue;
      if (std::ranges::find(names, entry.key) != names.end()) {
        entries.push_back(entry);
      } else {
        report(entry, names, path);
      }
    }
    return entries.size() == map.size() ? &map : make_.map(entries, map.origin());
  }

  void report(const Entry& entry, Names names, const k8s::Path& path) {
    base::Diagnostic unknown = rules::finding("advice/v1-ignored-field");
    unknown.field = path.child(entry.key).str();
    const std::string where = path.is_root() ? std::string("the object") : path.str();
    unknown.message =
        fmt::format("{} has no field {} in {}, and ignores it", kind_.kind, k8s::quoted(entry.key), where);
    const auto meant = base::closest(entry.key, names);
    const bool is_of_run_policy = std::ranges::find(kOfRunPolicy, entry.key) != kOfRunPolicy.end();
    if (is_of_run_policy) {
      unknown.hint = "it is a field of spec.runPolicy";
    } else if (meant) {
      unknown.hint = fmt::format("did you mean \"{}\"?", *meant);
    }
    unknown.location = yaml::locate_key(entry);
    findings_.ignore(std::move(unknown));
  }

  // `map` with `key`, a map, replaced by its known fields.
  const Node* with_known(const Node* map, std::string_view key, Names names, const k8s::Path& path) {
    const Node* value = map->get(key);
    if (!value || !value->is_map()) return map;
    const Node* pruned = known(*value, names, path.child(key));
    return pruned == value ? map : make_.with(map, key, pruned);
  }

  const Node* of_spec(const Node& spec) {
    const k8s::Path root;
    const k8s::Path path = root.child("spec");
    std::vector<std::string_view> names{kind_.replica_specs, "runPolicy"};
    std::ranges::copy(kind_.fields, std::back_inserter(names));
    const Node* pruned = known(spec, names, path);
    pruned = with_known(pruned, "runPolicy", kOfRunPolicy, path);
    if (const Node* policy = pruned->get("runPolicy"); policy && policy->is_map()) {
      const Node* inner = with_known(policy, "schedulingPolicy", kOfScheduling, path.child("runPolicy"));
      if (inner != policy) pruned = make_.with(pruned, "runPolicy", inner);
    }
    const bool is_torch = kind_.kind == "PyTorchJob";
    pruned = with_known(pruned, "elasticPolicy", is_torch ? Names(kOfTorchElastic) : Names(kOfPaddleElastic),
                        path);
    const Node* replicas = pruned->get(kind_.replica_specs);
    if (!replicas || !replicas->is_map()) return pruned;
    const k8s::Path place = path.child(kind_.replica_specs);
    const Node* changed = replicas;
    for (const Entry& entry : replicas->entries()) {
      const Node* replica = of_replica(*entry.value, place.child(entry.key));
      if (replica != entry.value) changed = make_.with(changed, entry.key, replica);
    }
    return changed == replicas ? pruned : make_.with(pruned, kind_.replica_specs, changed);
  }

  const Node* of_replica(const Node& replica, const k8s::Path& path) {
    if (!replica.is_map()) return &replica;
    const Node* pruned = known(replica, kOfReplica, path);
    const Node* pod = pruned->get("template");
    if (!pod || !pod->is_map()) return pruned;
    const Node* known_pod = without_unknown(*pod, pod_template_);
    if (known_pod == pod) return pruned;
    for (base::Diagnostic& unknown :
         schema::find_unknown_fields(*without_nulls(*pod), pod_template_, path.child("template")))
      findings_.ignore(std::move(unknown));
    return make_.with(pruned, "template", known_pod);
  }

  template <class Child>
  const Node* rebuilt(const Node& node, Child child) const {
    bool changed = false;
    if (node.is_list()) {
      std::vector<const Node*> items;
      for (const Node* item : node.items()) {
        items.push_back(child(*item, std::string_view()));
        changed = changed || items.back() != item;
      }
      return changed ? make_.list(items, node.origin()) : &node;
    }
    if (!node.is_map()) return &node;
    std::vector<Entry> entries;
    for (const Entry& entry : node.entries()) {
      const Node* value = entry.value->is_null() ? nullptr : child(*entry.value, entry.key);
      changed = changed || value != entry.value;
      if (value) entries.push_back({entry.key, value, entry.key_origin});
    }
    return changed ? make_.map(entries, node.origin()) : &node;
  }

  const Node* without_nulls(const Node& node) const {
    return rebuilt(node, [this](const Node& value, std::string_view) { return without_nulls(value); });
  }

  const Node* without_unknown(const Node& node, const schema::Schema& schema) const {
    if (schema.type == schema::Type::Any) return &node;
    return rebuilt(node, [&](const Node& value, std::string_view key) -> const Node* {
      if (key.empty()) return schema.items ? without_unknown(value, *schema.items) : &value;
      const schema::Property* property = schema.property(key);
      const schema::Schema* inner = property ? property->schema : schema.additional;
      return inner ? without_unknown(value, *inner) : nullptr;
    });
  }

  const model::V1Kind& kind_;
  const schema::Schema& pod_template_;
  const Maker& make_;
  V1Findings& findings_;
};

}  // namespace

const Node* with_known_fields(const Node& root, const model::V1Kind& kind, const schema::Schema& pod_template,
                              const Maker& make, V1Findings& findings) {
  return Pruner(kind, pod_template, make, findings).run(root);
}

}  // namespace trainjobc::migrate::v1
