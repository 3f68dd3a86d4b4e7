// SPDX-License-Identifier: Apache-2.0

#include "features/submit/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "features/cluster/live_fields.h"
#include "features/submit/replaced_claims.h"
#include "features/submit/state.h"

namespace trainjobc::submit {
namespace {

using cluster::Difference;
using cluster::ObjectDiff;

bool is_refused(const Difference& difference) {
  return !difference.refusal.empty();
}

// Whether applying the object changes a field.
bool changes(const ObjectDiff& difference, bool takes_over) {
  const auto is_ours = [&](const Difference& field) {
    return field.kind == cluster::DifferenceKind::Changed || (takes_over && field.rendered);
  };
  return std::ranges::any_of(difference.differences, is_ours);
}

Step step_of(const Object& object, const ObjectDiff* difference, bool is_there, const ClusterState& cluster) {
  if (object.kind == "Secret") {
    return cluster.secrets.contains(cluster::object_id(object.kind, object.ns, object.name)) ? Step::Keep
                                                                                             : Step::Create;
  }
  if (!is_there) return Step::Create;
  if (!difference || !changes(*difference, cluster.takes_over)) return Step::Confirm;
  return std::ranges::any_of(difference->differences, is_refused) ? Step::Replace : Step::Change;
}

template <class T>
const T* find_in(const std::map<std::string, const T*>& map, const std::string& id) {
  const auto found = map.find(id);
  return found != map.end() ? found->second : nullptr;
}

}  // namespace

Plan make_plan(std::span<const Object> objects, const ClusterState& cluster) {
  std::map<std::string, const ObjectDiff*> differences;
  for (const ObjectDiff& object : cluster.report.objects) differences.emplace(object.id, &object);
  std::map<std::string, const cluster::LiveObject*> there;
  for (const cluster::LiveObject& object : cluster.live.objects) {
    there.emplace(cluster::object_id(object.kind, object.ns, object.name), &object);
  }
  Plan plan;
  for (const Object& object : objects) {
    const std::string id = cluster::object_id(object.kind, object.ns, object.name);
    const ObjectDiff* difference = find_in(differences, id);
    Item item{&object, Step::Create, plan.jobs, find_in(there, id), object.root, object.root, {}};
    item.step = step_of(object, difference, item.live != nullptr, cluster);
    if (item.step == Step::Replace && object.kind == "JobSet") {
      item.trial = without_deleted_claims(*item.root, *item.live->root, yaml::Maker(*plan.arena));
    }
    if (difference && item.step != Step::Replace && !cluster.takes_over) {
      item.root = without_others_fields(*item.root, *difference, yaml::Maker(*plan.arena), item.left_out);
    }
    if (item.live && item.step != Step::Replace && object.kind == "JobSet") {
      item.root = cluster::with_live_env_order(*item.root, *item.live->root, yaml::Maker(*plan.arena));
    }
    plan.items.push_back(std::move(item));
    if (object.kind == "JobSet") ++plan.jobs;
  }
  return plan;
}

cluster::Report refused_part(const cluster::Report& report) {
  cluster::Report part;
  part.jobs = report.jobs;
  for (const ObjectDiff& object : report.objects) {
    ObjectDiff refused = object;
    std::erase_if(refused.differences, [](const Difference& d) { return !is_refused(d); });
    if (!refused.differences.empty()) part.objects.push_back(std::move(refused));
  }
  return part;
}

std::string loss_of(const Item& item, const cluster::Report& report) {
  const Object& object = *item.object;
  std::string text = fmt::format("  {}", title_of(object));
  if (object.kind == "JobSet") {
    const JobSetState state = state_of(*item.live->root);
    text += fmt::format(": {}{}\n", describe(state), state.jobs.empty() ? "" : "; " + describe_jobs(state));
    text +=
        "    its Jobs and Pods, their logs, and everything that their containers wrote, "
        "except to persistent volumes\n";
    text += claims_lost(*item.live->root, object.ns.empty() ? "" : fmt::format(" -n {}", object.ns));
    if (state.restarts > 0) text += fmt::format("    its restart count, {} so far\n", state.restarts);
  } else {
    text += "\n    its contents; a Pod that starts in between waits for the new one\n";
  }
  const std::string id = cluster::object_id(object.kind, object.ns, object.name);
  for (const ObjectDiff& differing : report.objects) {
    if (differing.id != id) continue;
    for (const Difference& field : differing.differences) {
      if (field.kind != cluster::DifferenceKind::Ignored) continue;
      text += fmt::format("    {}, managed by {}\n", field.name, field.manager);
    }
  }
  return text;
}

std::string title_of(const Object& object) {
  return object.ns.empty() ? fmt::format("{} {}", object.kind, object.name)
                           : fmt::format("{} {}/{}", object.kind, object.ns, object.name);
}

}  // namespace trainjobc::submit
