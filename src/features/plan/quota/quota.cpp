// SPDX-License-Identifier: Apache-2.0

#include "features/plan/quota/quota.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "k8s/object_meta.h"
#include "k8s/quantity.h"
#include "rules/rules.h"
#include "yaml/node.h"

namespace trainjobc::plan {
namespace {

constexpr Units kMost = std::numeric_limits<Units>::max();
constexpr std::string_view kCpu = "cpu";

bool is_in_bytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
}

}  // namespace

Units to_units(std::string_view resource, std::string_view quantity) {
  const auto amount = k8s::Quantity::parse(quantity);
  if (!amount) return 0;
  // Kueue wraps amounts that are too large for an int64; real quotas are smaller.
  const auto most = k8s::Quantity::from_int(kMost / 1000);
  if (amount->compare(most) > 0) return kMost;
  return resource == kCpu ? amount->milli_value() : amount->value();
}

Units added(Units a, Units b) {
  Units sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kMost : sum;
}

Units multiplied(Units a, int64_t factor) {
  Units product = 0;
  return __builtin_mul_overflow(a, factor, &product) ? kMost : product;
}

std::string units_text(std::string_view resource, Units amount) {
  if (resource == kCpu) {
    const auto cpu = k8s::Quantity::parse(fmt::format("{}m", amount));
    return cpu ? cpu->to_string() : "";
  }
  using Format = k8s::Quantity::Format;
  const Format format = is_in_bytes(resource) ? Format::BinarySI : Format::DecimalSI;
  return k8s::Quantity::from_int(amount, format).to_string();
}

namespace {

using yaml::items_at;
using yaml::Node;
using yaml::text_at;
using yaml::value_at;

constexpr std::string_view kKueueGroup = "kueue.x-k8s.io";

// Names that v1beta1 and v1beta2 spell differently.
std::string either(const Node& root, std::initializer_list<std::string_view> now,
                   std::initializer_list<std::string_view> before) {
  const std::string_view text = value_at(root, now);
  return std::string(text.empty() ? value_at(root, before) : text);
}

bool is_stopped(const Node& root) {
  const std::string_view policy = value_at(root, {"spec", "stopPolicy"});
  return !policy.empty() && policy != "None";
}

class QuotaReader {
 public:
  QuotaReader(Quota& quota, base::Diagnostics& diagnostics) : quota_(quota), diagnostics_(diagnostics) {}

  void add(const cluster::LiveObject& object) {
    const Node& root = *object.root;
    if (object.kind == "Namespace" && object.api_version == "v1") {
      quota_.namespaces[object.name] = root.at({"metadata", "labels"});
      return;
    }
    if (cluster::group_of(object.api_version) != kKueueGroup) return;
    if (object.kind == "ClusterQueue") quota_.cluster_queues[object.name] = cluster_queue(object.name, root);
    if (object.kind == "Cohort") {
      quota_.cohorts[object.name] = {either(root, {"spec", "parentName"}, {"spec", "parent"}),
                                     quotas_of(root)};
    }
    if (object.kind == "LocalQueue") {
      quota_.local_queues[{std::string(k8s::effective_namespace(object.ns)), object.name}] = {
          std::string(value_at(root, {"spec", "clusterQueue"})), is_stopped(root)};
    }
    if (object.kind == "ResourceFlavor") {
      quota_.flavors[object.name] = {root.at({"spec", "nodeLabels"}), root.at({"spec", "nodeTaints"}),
                                     root.at({"spec", "tolerations"}),
                                     std::string(value_at(root, {"spec", "topologyName"}))};
    }
    if (object.kind == "Topology") {
      std::vector<std::string>& levels = quota_.topologies[object.name];
      for (const Node* level : items_at(root, {"spec", "levels"}))
        levels.emplace_back(text_at(*level, "nodeLabel"));
    }
  }

 private:
  Units amount(std::string_view resource, const Node* quantity) {
    if (!quantity) return 0;
    if (!k8s::Quantity::parse(quantity->text())) {
      diagnostics_.add(rules::finding("input/type", fmt::format("\"{}\" is not a quantity", quantity->text()),
                                      "", yaml::locate(*quantity)));
    }
    return to_units(resource, quantity->text());
  }

  std::optional<Units> limit(std::string_view resource, const Node* quantity) {
    if (!quantity || quantity->is_null()) return std::nullopt;
    return amount(resource, quantity);
  }

  Quotas quotas_of(const Node& root) {
    Quotas quotas;
    for (const Node* group : items_at(root, {"spec", "resourceGroups"})) {
      for (const Node* flavor : items_at(*group, "flavors")) {
        for (const Node* resource : items_at(*flavor, "resources")) {
          const std::string name(text_at(*resource, "name"));
          quotas[{std::string(text_at(*flavor, "name")), name}] = {
              amount(name, resource->get("nominalQuota")), limit(name, resource->get("borrowingLimit")),
              limit(name, resource->get("lendingLimit"))};
        }
      }
    }
    return quotas;
  }

  ClusterQueue cluster_queue(const std::string& name, const Node& root) {
    ClusterQueue queue;
    queue.name = name;
    queue.cohort = either(root, {"spec", "cohortName"}, {"spec", "cohort"});
    for (const Node* group : items_at(root, {"spec", "resourceGroups"})) {
      ResourceGroup read;
      for (const Node* resource : items_at(*group, "coveredResources"))
        read.resources.emplace(resource->text());
      for (const Node* flavor : items_at(*group, "flavors"))
        read.flavors.emplace_back(text_at(*flavor, "name"));
      queue.groups.push_back(std::move(read));
    }
    queue.quotas = quotas_of(root);
    const Node* selector = root.at({"spec", "namespaceSelector"});
    queue.namespace_selector = selector && !selector->is_null() ? selector : nullptr;
    queue.is_stopped = is_stopped(root);
    queue.tries_next_before_borrowing =
        value_at(root, {"spec", "flavorFungibility", "whenCanBorrow"}) == "TryNextFlavor";
    for (const Node* check : items_at(root, {"spec", "admissionChecksStrategy", "admissionChecks"}))
      queue.admission_checks.emplace_back(text_at(*check, "name"));
    for (const Node* check : items_at(root, {"spec", "admissionChecks"}))
      queue.admission_checks.emplace_back(check->text());
    std::ranges::sort(queue.admission_checks);
    return queue;
  }

  Quota& quota_;
  base::Diagnostics& diagnostics_;
};

}  // namespace

const Cohort* Quota::cohort(std::string_view name) const {
  const auto found = cohorts.find(name);
  return found != cohorts.end() ? &found->second : nullptr;
}

Quota read_quota(std::vector<Source> sources, base::Diagnostics& diagnostics) {
  Quota quota;
  for (Source& source : sources) cluster::read_live(std::move(source), *quota.objects, diagnostics);
  QuotaReader reader(quota, diagnostics);
  for (const cluster::LiveObject& object : quota.objects->objects) reader.add(object);
  return quota;
}

namespace {

struct Resource {
  std::string_view name;
  std::string_view kinds;  // in messages
  bool is_needed = false;
};

constexpr std::array kResources{Resource{"clusterqueues.kueue.x-k8s.io", "ClusterQueues", true},
                                Resource{"localqueues.kueue.x-k8s.io", "LocalQueues", true},
                                Resource{"resourceflavors.kueue.x-k8s.io", "ResourceFlavors", true},
                                Resource{"cohorts.kueue.x-k8s.io", "Cohorts"},
                                Resource{"topologies.kueue.x-k8s.io", "Topologies"},
                                Resource{"namespaces", "Namespaces"}};

}  // namespace

FetchedQuota fetch_quota(const kubectl::Kubectl& kubectl) {
  FetchedQuota fetched;
  for (const Resource& resource : kResources) {
    kubectl::Call call;
    call.words = {"get", std::string(resource.name), "--all-namespaces", "-o", "json"};
    kubectl::Reply reply = kubectl.run(call);
    if (reply.ok()) {
      fetched.warnings += reply.notes;
      fetched.sources.push_back({fmt::format("kubectl get {}", resource.name), std::move(reply.out)});
    } else if (resource.is_needed) {
      fetched.failure = std::move(reply.failure);
      return fetched;
    } else if (reply.failure.cause == kubectl::Cause::Forbidden) {
      // An old Kueue has no Cohorts: nothing is missed then.
      fetched.warnings +=
          fmt::format("warning: {} could not be looked up: {}\n", resource.kinds, describe(reply.failure));
    } else if (reply.failure.cause != kubectl::Cause::NoKind) {
      fetched.failure = std::move(reply.failure);
      return fetched;
    }
  }
  return fetched;
}

}  // namespace trainjobc::plan
