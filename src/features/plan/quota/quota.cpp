// SPDX-License-Identifier: Apache-2.0

#include "features/plan/quota/quota.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "k8s/object_meta.h"
#include "k8s/quantity.h"
#include "rules/rules.h"
#include "secret/secret.h"

namespace trainjobc::plan {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr std::string_view kCpu = "cpu";

bool is_in_bytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
}

}  // namespace

Units to_units(std::string_view resource, const k8s::Quantity& amount) {
  const auto most = k8s::Quantity::parse(fmt::format("{}{}", kMost, resource == kCpu ? "m" : ""));
  if (amount.compare(*most) > 0) return kUncounted;
  return resource == kCpu ? amount.milli_value() : amount.value();
}

Units to_units(std::string_view resource, std::string_view quantity) {
  const auto amount = k8s::Quantity::parse(quantity);
  return amount ? to_units(resource, *amount) : 0;
}

Units added(Units a, Units b) {
  return std::min(a + b, kUncounted);
}

Units multiplied(Units a, int64_t factor) {
  return a == kUncounted ? a : a * factor;
}

std::string units_text(std::string_view resource, Units amount) {
  if (amount >= kUncounted) return fmt::format("more than {}", units_text(resource, kMost));
  if (resource == kCpu) {
    const auto cpu = k8s::Quantity::parse(fmt::format("{}m", amount));
    return cpu ? cpu->to_string() : "";
  }
  using Format = k8s::Quantity::Format;
  const Format format = is_in_bytes(resource) ? Format::BinarySI : Format::DecimalSI;
  if (amount > kMost) return fmt::format("{}", amount);
  return k8s::Quantity::from_int(static_cast<int64_t>(amount), format).to_string();
}

namespace {

using yaml::items_at;
using yaml::Node;
using yaml::text_at;
using yaml::value_at;

constexpr std::string_view kKueueGroup = "kueue.x-k8s.io";

// The value of a field whose name differs between v1beta1 and v1beta2.
std::string either(const Node& root, std::initializer_list<std::string_view> now,
                   std::initializer_list<std::string_view> before) {
  const std::string_view text = value_at(root, now);
  return std::string(text.empty() ? value_at(root, before) : text);
}

bool is_stopped(const Node& root) {
  const std::string_view policy = value_at(root, {"spec", "stopPolicy"});
  return !policy.empty() && policy != "None";
}

constexpr std::string_view kTryNext = "TryNextFlavor";

std::optional<int64_t> number_at(const Node& map, std::string_view key) {
  const Node* value = map.get(key);
  return value && !value->is_null() ? value->as_int() : std::nullopt;
}

Preemption preemption_at(const Node& policies, std::string_view key) {
  const std::string_view policy = text_at(policies, key);
  if (policy == "LowerPriority") return Preemption::LowerPriority;
  if (policy == "LowerOrNewerEqualPriority") return Preemption::LowerOrNewerEqualPriority;
  return policy == "Any" ? Preemption::Any : Preemption::Never;
}

PreemptionPolicy preemption_of(const Node& root) {
  PreemptionPolicy policy;
  const Node* policies = root.at({"spec", "preemption"});
  if (!policies) return policy;
  policy.within_queue = preemption_at(*policies, "withinClusterQueue");
  policy.within_cohort = preemption_at(*policies, "reclaimWithinCohort");
  const Node* borrowing = policies->get("borrowWithinCohort");
  policy.while_borrowing = borrowing && preemption_at(*borrowing, "policy") != Preemption::Never;
  if (borrowing) policy.threshold = number_at(*borrowing, "maxPriorityThreshold");
  return policy;
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
    if (object.kind == "LimitRange" && object.api_version == "v1") {
      quota_.limit_ranges.emplace(object.ns, object.name);
      return;
    }
    if (object.kind == "PriorityClass" && k8s::group_of(object.api_version) == "scheduling.k8s.io") {
      add_priority_class(object.name, root);
      return;
    }
    const std::string_view group = k8s::group_of(object.api_version);
    if (object.kind == "ResourceClaimTemplate" && group == "resource.k8s.io")
      add_claim_template(object, root);
    if (object.kind == "Configuration" && group == "config.kueue.x-k8s.io") add_mappings(root);
    if (group != kKueueGroup) return;
    if (object.kind == "AdmissionCheck") quota_.admission_checks.insert(object.name);
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
    if (object.kind == "WorkloadPriorityClass")
      quota_.workload_priorities[object.name] = number_at(root, "value").value_or(0);
    if (object.kind == "Topology") {
      std::vector<std::string>& levels = quota_.topologies[object.name];
      for (const Node* level : items_at(root, {"spec", "levels"}))
        levels.emplace_back(text_at(*level, "nodeLabel"));
    }
  }

 private:
  // v1 has the class below `exactly`, v1beta1 next to the request's name.
  void add_claim_template(const cluster::LiveObject& object, const Node& root) {
    std::vector<std::string>& classes =
        quota_.claim_templates[{std::string(k8s::effective_namespace(object.ns)), object.name}];
    for (const Node* request : items_at(root, {"spec", "spec", "devices", "requests"})) {
      std::string name(value_at(*request, {"exactly", "deviceClassName"}));
      if (name.empty()) name = text_at(*request, "deviceClassName");
      if (!name.empty()) classes.push_back(std::move(name));
    }
  }

  void add_mappings(const Node& root) {
    for (const Node* mapping : items_at(root, {"resources", "deviceClassMappings"})) {
      for (const Node* name : items_at(*mapping, "deviceClassNames"))
        quota_.mapped_device_classes.emplace(name->text());
    }
  }

  // If there are several defaults, Kueue takes the lowest.
  void add_priority_class(const std::string& name, const Node& root) {
    const int64_t value = number_at(root, "value").value_or(0);
    quota_.pod_priorities[name] = value;
    if (text_at(root, "globalDefault") != "true") return;
    quota_.default_priority = std::min(value, quota_.default_priority.value_or(value));
  }

  Units amount(std::string_view resource, const Node* quantity) {
    if (!quantity) return 0;
    if (!k8s::Quantity::parse(quantity->text())) {
      diagnostics_.add(rules::finding("input/type", fmt::format("\"{}\" is not a quantity", quantity->text()),
                                      "", yaml::locate(*quantity)));
    }
    const Units units = to_units(resource, quantity->text());
    if (units == kUncounted) {
      diagnostics_.add(rules::finding(
          "input/quantity", fmt::format("\"{}\" is more {} than Kueue can count", quantity->text(), resource),
          fmt::format("write {} or less", units_text(resource, kMost)), yaml::locate(*quantity)));
    }
    return units;
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
    queue.is_strict = value_at(root, {"spec", "queueingStrategy"}) == "StrictFIFO";
    if (const Node* fungibility = root.at({"spec", "flavorFungibility"})) {
      const std::string_view when = text_at(*fungibility, "whenCanPreempt");
      queue.tries_next_before_borrowing = text_at(*fungibility, "whenCanBorrow") == kTryNext;
      queue.tries_next_before_preempting = when.empty() || when == kTryNext;
      queue.prefers_near_quota =
          text_at(*fungibility, "preference") ==
          (quota_.kueue.new_preference ? "PreemptionOverBorrowing" : "BorrowingOverPreemption");
    }
    queue.preemption = preemption_of(root);
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

std::vector<std::string> Quota::missing_flavors(const ClusterQueue& queue) const {
  std::vector<std::string> missing;
  for (const ResourceGroup& group : queue.groups) {
    std::ranges::copy_if(group.flavors, std::back_inserter(missing),
                         [&](const std::string& flavor) { return !flavors.contains(flavor); });
  }
  return missing;
}

Quota read_quota(std::vector<Source> sources, base::Diagnostics& diagnostics, const KueueBehaviour& kueue) {
  auto objects = std::make_shared<cluster::LiveSet>();
  for (Source& source : sources) cluster::read_live(std::move(source), *objects, diagnostics);
  return read_quota(std::move(objects), diagnostics, kueue);
}

Quota read_quota(std::shared_ptr<cluster::LiveSet> objects, base::Diagnostics& diagnostics,
                 const KueueBehaviour& kueue) {
  Quota quota;
  quota.kueue = kueue;
  quota.objects = std::move(objects);
  base::Diagnostics found;
  QuotaReader reader(quota, found);
  const yaml::Maker make(quota.objects->arena);
  std::vector<const Node*> roots;
  for (cluster::LiveObject object : quota.objects->objects) {
    roots.push_back(object.root);
    // Verdicts and conditions quote names from the objects.
    object.root = secret::masked_object(*object.root, make);
    reader.add(object);
  }
  secret::hide_secrets(found, roots);
  diagnostics.append(std::move(found));
  return quota;
}

namespace {

struct Resource {
  std::string_view name;
  std::string_view kind;
  bool is_needed = false;
};

constexpr std::string_view kDeployments = "deployments.apps";  // to find out Kueue's version

// The namespace in which Kueue's manifests and chart install it.
constexpr std::string_view kKueueNamespace = "kueue-system";

// Resources of all namespaces; then those of Kueue's namespace or of the cluster.
constexpr std::array kOfAll{Resource{"clusterqueues.kueue.x-k8s.io", "ClusterQueue", true},
                            Resource{"localqueues.kueue.x-k8s.io", "LocalQueue", true},
                            Resource{"resourceflavors.kueue.x-k8s.io", "ResourceFlavor", true},
                            Resource{"cohorts.kueue.x-k8s.io", "Cohort"},
                            Resource{"topologies.kueue.x-k8s.io", "Topology"},
                            Resource{"workloadpriorityclasses.kueue.x-k8s.io", "WorkloadPriorityClass"},
                            Resource{"admissionchecks.kueue.x-k8s.io", "AdmissionCheck"},
                            Resource{"resourceclaimtemplates.resource.k8s.io", "ResourceClaimTemplate"}};
constexpr std::array kOfCluster{Resource{"priorityclasses.scheduling.k8s.io", "PriorityClass"},
                                Resource{"namespaces", "Namespace"}, Resource{kDeployments, "Deployment"}};

std::string plural_of(std::string_view kind) {
  if (kind.ends_with('y')) return fmt::format("{}ies", kind.substr(0, kind.size() - 1));
  return fmt::format("{}{}", kind, kind.ends_with('s') ? "es" : "s");
}

cluster::Question question_of(std::span<const Resource> resources, bool of_all) {
  std::string names;
  cluster::Question question;
  for (const Resource& resource : resources) {
    names += fmt::format("{}{}", names.empty() ? "" : ",", resource.name);
    question.kinds.push_back(resource.kind);
  }
  question.call = {.words = {"get", std::move(names)}};
  if (of_all) {
    question.call.words.emplace_back("--all-namespaces");
  } else {
    question.call.ns = kKueueNamespace;
  }
  question.call.words.insert(question.call.words.end(), {"-o", "json"});
  return question;
}

// Makes one call per kind: a missing or forbidden kind fails a call for several.
void fetch_one_by_one(const kubectl::Kubectl& kubectl, std::span<const Resource> resources, bool of_all,
                      FetchedQuota& fetched) {
  std::vector<cluster::Question> questions;
  for (const Resource& resource : resources) questions.push_back(question_of({&resource, 1}, of_all));
  const std::vector<cluster::Answer> answers = cluster::ask_all(kubectl, questions, *fetched.objects);
  for (size_t i = 0; i < answers.size(); ++i) {
    const cluster::Answer& answer = answers[i];
    fetched.warnings += answer.warnings;
    if (answer.ok() || fetched.failure.cause != kubectl::Cause::None) continue;
    if (!resources[i].is_needed && answer.failure.cause == kubectl::Cause::NoKind) {
      continue;  // an old Kueue has no Cohorts, so nothing is missing
    }
    if (resources[i].name == kDeployments && answer.failure.cause == kubectl::Cause::Forbidden) continue;
    if (!resources[i].is_needed && answer.failure.cause == kubectl::Cause::Forbidden) {
      fetched.warnings += fmt::format("warning: {} could not be looked up: {}\n",
                                      plural_of(resources[i].kind), describe(answer.failure));
    } else {
      fetched.failure = answer.failure;
    }
  }
}

std::optional<KueueBehaviour> kueue_of_deployment(const Node& deployment) {
  for (const Node* container : items_at(deployment, {"spec", "template", "spec", "containers"})) {
    const std::string_view image = text_at(*container, "image");
    if (image.find("/kueue:") != std::string_view::npos) return kueue_of_image(image);
  }
  return std::nullopt;
}

}  // namespace

FetchedQuota fetch_quota(const kubectl::Kubectl& kubectl) {
  FetchedQuota fetched;
  const std::array<std::span<const Resource>, 2> groups{kOfAll, kOfCluster};
  const std::array questions{question_of(groups[0], true), question_of(groups[1], false)};
  const std::vector<cluster::Answer> answers = cluster::ask_all(kubectl, questions, *fetched.objects);
  for (size_t i = 0; i < groups.size() && fetched.failure.cause == kubectl::Cause::None; ++i) {
    const kubectl::Cause cause = answers[i].failure.cause;
    if (answers[i].ok()) {
      fetched.warnings += answers[i].warnings;
    } else if (cause == kubectl::Cause::NoKind || cause == kubectl::Cause::Forbidden) {
      fetch_one_by_one(kubectl, groups[i], i == 0, fetched);
    } else {
      fetched.failure = answers[i].failure;
    }
  }
  for (const cluster::LiveObject& object : fetched.objects->objects) {
    if (object.kind == "Deployment" && !fetched.kueue) fetched.kueue = kueue_of_deployment(*object.root);
  }
  return fetched;
}

}  // namespace trainjobc::plan
