// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "k8s/name_syntax.h"
#include "k8s/pod/pod.h"

namespace trainjobc::k8s::pod {

namespace {

using yaml::Origin;

// Whether the keys belong to one map of a file: keys from a merge keep their origins.
bool are_beside(const Origin& a, const Origin& b) {
  if (!a.file() || a.file() != b.file() || a.in_flow() != b.in_flow()) return false;
  return a.in_flow() ? a.line() == b.line() : a.column() == b.column();
}

}  // namespace

LimitFixes::LimitFixes(const yaml::Node& resources)
    : limits_(resources.find("limits")), requests_(resources.find("requests")) {
  const bool has_limits = limits_ && !limits_->value->is_null() && limits_->value->size() > 0;
  if (!has_limits && requests_) new_limits_.emplace(*requests_, "limits");
}

std::vector<base::Edit> LimitFixes::fix(const yaml::Entry& request) {
  if (!requests_) return {};
  const yaml::NewPair pair = yaml::pair_of(request.key, request.value->text());
  if (new_limits_) return new_limits_->with(pair);
  return are_beside(limits_->key_origin, requests_->key_origin) ? yaml::insert_first(*limits_, pair)
                                                                : std::vector<base::Edit>();
}

namespace {

constexpr std::string_view kHugePages = "hugepages-";

// Names without a domain that a container can request; others are quotas, or unknown.
constexpr std::string_view kContainerResources[] = {"cpu", "memory", "ephemeral-storage"};
constexpr std::string_view kCountedResources[] = {
    "pods",       "resourcequotas",         "services",           "replicationcontrollers", "secrets",
    "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers"};

// Whether the name is in the kubernetes.io domain, as are names without a domain.
bool is_native(std::string_view resource) {
  return resource.find('/') == resource.npos || resource.find("kubernetes.io/") != resource.npos;
}

bool is_huge_page(std::string_view resource) {
  return resource.starts_with(kHugePages);
}

// Whether the resource is a vendor's device: nvidia.com/gpu.
bool is_extended(std::string_view resource) {
  return k8s::is_extended_resource(resource) &&
         has_form(Form::LabelKey, fmt::format("requests.{}", resource));
}

// Whether a limit may exceed the request.
bool can_overcommit(std::string_view resource) {
  return is_native(resource) && !is_huge_page(resource);
}

// What is wrong with the name of a container's resource; "" if nothing.
std::string name_complaint(std::string_view resource) {
  std::string wrong = complaint(Form::LabelKey, resource);
  if (!wrong.empty()) return wrong;
  if (resource.find('/') == resource.npos) {
    const bool known = is_huge_page(resource) || base::contains(kContainerResources, resource);
    return known ? "" : "is not one that a container can request";
  }
  return is_native(resource) || is_extended(resource) ? "" : "is not a name for an extended resource";
}

std::string pod_name_complaint(std::string_view resource) {
  std::string wrong = complaint(Form::LabelKey, resource);
  if (!wrong.empty()) return wrong;
  const bool known = resource == "cpu" || resource == "memory" || is_huge_page(resource);
  return known ? "" : "can't be set at the pod level";
}

using NameCheck = std::string (*)(std::string_view);

// Suggests what to write in place of a resource that a container can't request.
void advise_on_name(base::Diagnostic& found, std::string_view resource, const yaml::Entry& entry) {
  if (resource == "gpu" || resource == "gpus") {
    found.hint = "write the vendor's name: nvidia.com/gpu";
    base::suggest_fix(found, yaml::rename_key(entry, "nvidia.com/gpu"));
  } else if (const auto meant = base::closest(resource, kContainerResources)) {
    suggest_key(found, entry, *meant);
  } else {
    found.hint = "extended resources are named vendor.com/device";
  }
}

bool is_whole(const Quantity& amount) {
  return amount.milli_value() % 1000 == 0;
}

bool is_page_multiple(std::string_view resource, const Quantity& amount) {
  const auto page = Quantity::parse(resource.substr(kHugePages.size()));
  if (!page || page->sign() <= 0 || !is_whole(*page) || page->value() == 0) return false;
  return amount.value() % page->value() == 0;
}

// Checks that an amount is not negative, and whole if the resource is counted in units.
void check_amount(std::string_view resource, const Field& amount, Report& report) {
  const auto quantity = stored_amount(amount.text());
  if (!quantity) return;
  if (quantity->sign() < 0) {
    report.add(rule::kResources, amount, fmt::format("{} {} is negative", resource, quoted(amount)));
    return;
  }
  const bool counted = is_extended(resource) || base::contains(kCountedResources, resource);
  if (counted && !is_whole(*quantity)) {
    report.add(rule::kResources, amount, fmt::format("{} {} is not a whole number", resource, quoted(amount)),
               is_extended(resource) ? "extended resources must be whole numbers" : "");
  }
}

// Checks one list of amounts, and records which kinds of memory it names.
class ResourceList {
 public:
  ResourceList(const Field& list, NameCheck check, Report& report) {
    for_each_entry(list, [&](std::string_view resource, const Field& amount) {
      has_huge_pages = has_huge_pages || is_huge_page(resource);
      has_cpu_or_memory = has_cpu_or_memory || resource == "cpu" || resource == "memory";
      const std::string wrong = check(resource);
      if (!wrong.empty()) {
        base::Diagnostic& found = report.add_at(amount.key_location(), rule::kResources, amount,
                                                fmt::format("resource {} {}", quoted(resource), wrong));
        if (check == pod_name_complaint) {
          found.hint = "only cpu, memory and hugepages-<size>";
        } else {
          advise_on_name(found, resource, *list.node()->find(resource));
        }
      }
      const size_t before = report.size();
      check_amount(resource, amount, report);
      if (is_huge_page(resource) && report.size() == before) check_pages(resource, amount, report);
    });
  }

  bool has_huge_pages = false;
  bool has_cpu_or_memory = false;

 private:
  static void check_pages(std::string_view resource, const Field& amount, Report& report) {
    const auto quantity = stored_amount(amount.text());
    if (!quantity || is_page_multiple(resource, *quantity)) return;
    report.add(rule::kResources, amount,
               fmt::format("{} {} is not a whole number of pages", resource, quoted(amount)));
  }
};

// Checks one request against its limit. The API server names the lists, not the resource.
void check_request(std::string_view resource, const Field& request, const Field& resources, LimitFixes& fixes,
                   Report& report) {
  const Field limits = resources.child("limits");
  const Field requests = resources.child("requests");
  const Field limit = limits.entry(resource);
  const auto wanted = stored_amount(request.text());
  if (!wanted) return;
  if (!limit) {
    if (can_overcommit(resource)) return;
    base::Diagnostic& violation = report.add_at(request.key_location(), rule::kGpuLimit, limits,
                                                fmt::format("{} is requested without a limit", resource), "");
    violation.depends_on = {request.path()};
    // The fix doesn't copy an amount that is itself refused.
    if (is_extended(resource) && !is_whole(*wanted)) return;
    violation.hint = fmt::format("{} need an equal limit; add limits: {{{}: {}}}",
                                 is_huge_page(resource) ? "huge pages" : "extended resources", resource,
                                 wanted->to_string());
    violation.fix = fixes.fix(*requests.node()->find(resource));
    return;
  }
  const auto most = stored_amount(limit.text());
  if (!most) return;
  const int order = wanted->compare(*most);
  const bool equal_only = !can_overcommit(resource);
  if (order == 0 || (order < 0 && !equal_only)) return;
  base::Diagnostic& violation =
      report.add_at(request.location(), equal_only ? rule::kGpuLimit : rule::kResources, requests,
                    fmt::format("the {} request of {} {} the limit of {}", resource, wanted->to_string(),
                                equal_only ? "must equal" : "is more than", most->to_string()),
                    equal_only ? fmt::format("write the same amount, or leave {} out of requests", resource)
                               : "lower the request, or raise the limit");
  if (equal_only) violation.depends_on = {limit.path(), request.path()};
  violation.notes.push_back({"the limit", limit.location()});
}

void check_claims(const Field& claims, const PodFacts& facts, Report& report) {
  std::set<std::string> seen;
  const std::set<std::string_view> known(facts.claims.begin(), facts.claims.end());
  const base::SuggestionList suggestions(facts.claims);
  for_each_item(claims, [&](const Field& claim) {
    const std::string_view name = claim.child("name").text();
    const std::string_view request = claim.child("request").text();
    if (name.empty()) {
      report.add(rule::kResourceClaim, claim, "a claim needs the name of one of the pod's resourceClaims");
      return;
    }
    const std::string whole(name);
    const std::string key = request.empty() ? whole : fmt::format("{}/{}", name, request);
    if (!seen.contains(whole)) {
      check_optional_name(claim.child("request"), Form::DnsLabel, rule::kResourceClaim, "request", report);
    }
    const auto part = seen.lower_bound(whole + "/");
    const bool has_part = part != seen.end() && part->starts_with(whole + "/");
    if (!known.contains(name)) {
      const auto meant = suggestions.closest(name);
      base::Diagnostic& found = report.add(rule::kResourceClaim, claim,
                                           fmt::format("the pod has no resource claim {}", quoted(name)),
                                           "add it to the pod's resourceClaims");
      if (meant) suggest(found, claim.child("name").node(), *meant);
    } else if (seen.contains(whole) || seen.contains(key) || (request.empty() && has_part)) {
      report.add(rule::kResourceClaim, claim, fmt::format("claim {} is listed twice", quoted(key)),
                 "remove one of the two");
    }
    seen.insert(key);
  });
}

void check_requirements(const Field& resources, NameCheck check, Report& report) {
  const Field limits = resources.child("limits");
  const Field requests = resources.child("requests");
  const ResourceList most(limits, check, report);
  const ResourceList wanted(requests, check, report);
  if (!resources.node()) return;
  LimitFixes fixes(*resources.node());
  for_each_entry(requests, [&](std::string_view resource, const Field& request) {
    check_request(resource, request, resources, fixes, report);
  });
  if ((most.has_huge_pages || wanted.has_huge_pages) && !most.has_cpu_or_memory &&
      !wanted.has_cpu_or_memory) {
    report.add(rule::kResources, resources, "huge pages need cpu or memory as well", "add cpu or memory");
  }
}

}  // namespace

std::span<const Device> known_devices() {
  static constexpr std::array kDevices = std::to_array<Device>({{"nvidia.com", "gpu"},
                                                                {"amd.com", "gpu"},
                                                                {"habana.ai", "gaudi"},
                                                                {"google.com", "tpu"},
                                                                {"gpu.intel.com", "i915"},
                                                                {"gpu.intel.com", "xe"},
                                                                {"aws.amazon.com", "neuron"},
                                                                {"aws.amazon.com", "neuroncore"},
                                                                {"aws.amazon.com", "neurondevice"},
                                                                {"vpc.amazonaws.com", "efa"}});
  return kDevices;
}

std::optional<Quantity> stored_amount(std::string_view text) {
  auto quantity = Quantity::parse(text);
  if (!quantity) return std::nullopt;
  constexpr int64_t kSmall = 1'000'000'000'000;
  if (quantity->has_exact_milli_value()) return quantity;
  if (quantity->value() > kSmall || quantity->value() < -kSmall) return quantity;
  const auto rounded = Quantity::parse(fmt::format("{}m", quantity->milli_value()));
  return rounded && rounded->compare(*quantity) != 0 ? rounded : quantity;
}

void check_container_resources(const Field& resources, const PodFacts& facts, Report& report) {
  check_requirements(resources, name_complaint, report);
  check_claims(resources.child("claims"), facts, report);
}

namespace {

void raise(Amounts& to, const Amounts& amounts) {
  for (const auto& [resource, quantity] : amounts) {
    const auto [at, is_new] = to.emplace(resource, quantity);
    if (!is_new && at->second.compare(quantity) < 0) at->second = quantity;
  }
}

}  // namespace

void add_amounts(Amounts& to, const Amounts& amounts) {
  for (const auto& [resource, quantity] : amounts) {
    const auto [at, is_new] = to.emplace(resource, quantity);
    if (!is_new) at->second.add(quantity);
  }
}

Amounts amounts_in(const yaml::Node* list, ReadAmount read) {
  Amounts out;
  if (!list) return out;
  for (const yaml::Entry& entry : list->entries()) {
    if (auto quantity = read(entry.value->text())) out.emplace(entry.key, std::move(*quantity));
  }
  return out;
}

Amounts most_needed(const yaml::Node& pod_spec, std::string_view list, ReadAmount read) {
  Amounts running;
  for (const yaml::Node* container : yaml::items_at(pod_spec, "containers"))
    add_amounts(running, amounts_in(container->at({"resources", list}), read));
  Amounts sidecars;
  Amounts starting;
  for (const yaml::Node* container : yaml::items_at(pod_spec, "initContainers")) {
    Amounts own = amounts_in(container->at({"resources", list}), read);
    if (yaml::text_at(*container, "restartPolicy") == "Always") {
      add_amounts(running, own);
      add_amounts(sidecars, own);
      raise(starting, sidecars);
    } else {
      add_amounts(own, sidecars);
      raise(starting, own);
    }
  }
  raise(running, starting);
  return running;
}

// Resources and overhead of the whole pod

namespace {

// Only CPU, memory and huge pages are allowed.
void check_pod_level_resources(const Field& resources, const PodFacts& facts, Report& report) {
  check_requirements(resources, pod_name_complaint, report);
  const Field claims = resources.child("claims");
  if (claims.size() == 0) return;
  report.add(rule::kResourceClaim, claims, "pod-level resources can't have claims",
             "set them on a container");
  check_claims(claims, facts, report);
}

// The API server checks the overhead like a container's limits, and reports it like those.
void check_overhead(const Field& overhead, Report& report) {
  const Field limits = overhead.child("limits", overhead.node());
  const ResourceList list(limits, name_complaint, report);
  if (list.has_huge_pages && !list.has_cpu_or_memory) {
    report.add(rule::kResources, overhead, "huge pages need cpu or memory as well", "add cpu or memory");
  }
}

// `what` is "request" or "limit".
void check_covers(const Field& of_pod, const Amounts& containers, bool only_huge_pages, std::string_view what,
                  Report& report) {
  for_each_entry(of_pod, [&](std::string_view resource, const Field& amount) {
    const auto found = containers.find(resource);
    const auto quantity = stored_amount(amount.text());
    if (found == containers.end() || !quantity || found->second.compare(*quantity) <= 0) return;
    if (only_huge_pages && !is_huge_page(resource)) return;
    report.add(rule::kResources, amount,
               fmt::format("the pod's {} of {} {} is less than the {} of its containers", what,
                           quantity->to_string(), resource, found->second.to_string()),
               fmt::format("write {}", found->second.to_string()));
  });
}

void check_container_limits(const Field& spec, const Field& resources, Report& report) {
  const Field limits = resources.child("limits");
  const Field reported = resources.child("containers", nullptr);
  const Field containers = spec.child("containers");
  for (size_t i = 0; i < containers.size(); ++i) {
    const Field container = containers.item(i);
    const Field own = container.child("resources");
    const Field reported_container = reported.item(i);
    for_each_entry(own.child("limits"), [&](std::string_view resource, const Field& amount) {
      const Field most = limits.entry(resource);
      const auto quantity = stored_amount(amount.text());
      const auto bound = stored_amount(most.text());
      if (!most || !quantity || !bound || quantity->compare(*bound) <= 0) return;
      const Field reported_resource = reported_container.entry(resource);
      report.add(rule::kResources, reported_resource.child("limits", amount.node()),
                 fmt::format("the container's limit of {} {} is more than the pod's of {}",
                             quantity->to_string(), resource, bound->to_string()),
                 "lower it, or raise the pod's");
    });
  }
}

}  // namespace

void check_pod_resources(const Field& spec, const PodFacts& facts, Report& report) {
  check_overhead(spec.child("overhead"), report);
  const Field resources = spec.child("resources");
  if (!resources) return;
  if (facts.os == "windows") {
    report.add_at(resources.key_location(), rule::kResources, resources,
                  "a Windows pod can't have pod-level resources", "set them on its containers");
    return;
  }
  check_pod_level_resources(resources, facts, report);
  check_covers(resources.child("requests"), most_needed(*spec.node(), "requests", stored_amount), false,
               "request", report);
  check_covers(resources.child("limits"), most_needed(*spec.node(), "limits", stored_amount), true, "limit",
               report);
  check_container_limits(spec, resources, report);
}

}  // namespace trainjobc::k8s::pod
