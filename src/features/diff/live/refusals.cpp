// SPDX-License-Identifier: Apache-2.0

#include "features/diff/live/refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace trainjobc::diff {
namespace {

using schema::FieldPath;
using schema::Schema;
using schema::Step;
using yaml::Node;

bool is_true(const Node* value) {
  return value && value->text() == "true";
}

bool is_immutable(const Schema* schema) {
  if (!schema) return false;
  return std::ranges::any_of(schema->rules,
                             [](const schema::CelRule& rule) { return rule.rule == "self == oldSelf"; });
}

// A transition rule applies if both objects have its field. Fields that are only compared as if both had them
// (labels that one of them lacks) have no such rule.
bool breaks_transition_rule(const Difference& difference) {
  const FieldPath& path = difference.path;
  const auto around = [](const Step& step) { return is_immutable(step.schema); };
  if (std::any_of(path.begin() + 1, path.end(), around)) return true;
  return difference.live && difference.rendered && is_immutable(schema::value_schema(path.back()));
}

// The pod template fields that the JobSet webhook lets change while the JobSet is, or gets, suspended.
bool is_open_while_suspended(const FieldPath& path) {
  constexpr std::array<std::string_view, 6> kPod{"spec",     "replicatedJobs", "",
                                                 "template", "spec",           "template"};
  if (path.size() < kPod.size() + 2) return false;
  for (size_t i = 0; i < kPod.size(); ++i) {
    if (path[i].key != kPod[i]) return false;
  }
  const std::string_view map = path[kPod.size()].key;
  const std::string_view field = path[kPod.size() + 1].key;
  if (map == "metadata") return field == "labels" || field == "annotations";
  return map == "spec" && (field == "nodeSelector" || field == "tolerations" || field == "schedulingGates");
}

std::string flag_of(const ObjectDiff& object) {
  return object.ns.empty() ? "" : fmt::format(" -n {}", object.ns);
}

void mark_job_set(const ObjectDiff& object, bool suspended, Difference& difference) {
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

void mark_data(const ObjectDiff& object, bool immutable, Difference& difference) {
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

void mark_refusals(ObjectDiff& object, const Node& live, const Node& rendered) {
  const bool suspended = is_true(live.at({"spec", "suspend"})) || is_true(rendered.at({"spec", "suspend"}));
  const bool immutable = is_true(live.get("immutable"));
  for (Difference& difference : object.differences) {
    if (difference.kind != DifferenceKind::Changed) continue;
    if (object.kind == "JobSet") {
      mark_job_set(object, suspended, difference);
    } else if (object.kind == "Secret" || object.kind == "ConfigMap") {
      mark_data(object, immutable, difference);
    }
  }
}

}  // namespace trainjobc::diff
