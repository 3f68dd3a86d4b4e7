// SPDX-License-Identifier: Apache-2.0

#include "platform/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "k8s/violations.h"
#include "platform/amounts.h"
#include "platform/defaults.h"
#include "yaml/changes.h"

namespace trainjobc::platform {
namespace {

using k8s::Quantity;
using yaml::Entry;
using yaml::Maker;
using yaml::Node;

constexpr std::string_view kLimitRule = "job/limit-range";

// By resource, where it is written.
using Values = std::map<std::string_view, const Node*>;

Values values_of(const Node& item, std::string_view key) {
  Values values;
  if (const Node* map = item.get(key)) {
    for (const Entry& entry : map->entries()) values.emplace(entry.key, entry.value);
  }
  return values;
}

// What the items for containers fill in. An API server completes a LimitRange when it stores it: a maximum is
// also a default limit, and a default limit, then a minimum, a default request.
struct Defaults {
  Values limits;
  Values requests;
};

Defaults defaults_of(const Node& range) {
  Defaults all;
  const auto take = [](Values& to, const Values& from) {
    for (const auto& [resource, value] : from) to.insert_or_assign(resource, value);
  };
  for (const Node* item : yaml::items_at(range, {"spec", "limits"})) {
    if (yaml::text_at(*item, "type") != "Container") continue;
    Values limits = values_of(*item, "default");
    limits.merge(values_of(*item, "max"));
    Values requests = values_of(*item, "defaultRequest");
    requests.insert(limits.begin(), limits.end());
    requests.merge(values_of(*item, "min"));
    take(all.limits, limits);
    take(all.requests, requests);
  }
  return all;
}

const Node* with_values(const Node* container, std::string_view list, const Values& values,
                        const Maker& make) {
  for (const auto& [resource, value] : values) {
    const Node* given = container->at({"resources", list});
    if (!given || !given->get(resource))
      container = make.with_path(container, {"resources", list, resource},
                                 make.with_origin(*value, make.made(kLimitDefault, {value})));
  }
  return container;
}

const Node* with_range(const Node& container, const Defaults& defaults, const Maker& make) {
  return with_values(with_values(&container, "limits", defaults.limits, make), "requests", defaults.requests,
                     make);
}

// The pod with each of its containers changed.
template <class Change>
const Node* with_containers(const Node& pod, const Maker& make, const Change& change) {
  const Node* spec = pod.get("spec");
  for (const std::string_view key : {"containers", "initContainers"}) {
    const Node* list = spec->get(key);
    if (list && list->is_list()) spec = make.with(spec, key, yaml::with_each(*list, make, change));
  }
  return make.with(&pod, "spec", spec);
}

// What one container or pod asks for, as the rules of an item see it.
struct AskedAmounts {
  std::string what;  // "container \"node\""
  const Node* culprit = nullptr;
  std::function<const Node*(std::string_view list, std::string_view resource)> find;
  std::function<std::optional<Quantity>(std::string_view list, std::string_view resource)> amount;
};

// Which of the two are compared precisely: API servers do so unless one is very large.
bool is_more(const Quantity& one, const Quantity& other) {
  return one.compare(other) > 0;
}

class LimitCheck {
 public:
  LimitCheck(const Subject& pod, const Node& range, const std::string& owner, base::Diagnostics& found)
      : pod_(pod), spec_(*pod.root->get("spec")), range_(range), owner_(owner), found_(found) {}

  void run() {
    for (const Node* item : yaml::items_at(range_, {"spec", "limits"})) {
      const std::string_view type = yaml::text_at(*item, "type");
      if (type == "Pod") check(*item, of_pod());
      if (type != "Container") continue;
      for_each_container([&](const Node& container) { check(*item, of_container(container)); });
    }
    const Values limits = defaults_of(range_).limits;
    for_each_container([&](const Node& container) { check_given(of_container(container), limits); });
  }

 private:
  AskedAmounts of_container(const Node& container) const {
    const auto find = [&container](std::string_view list, std::string_view resource) {
      return container.at({"resources", list, resource});
    };
    const auto amount = [find](std::string_view list, std::string_view resource) {
      return amount_of(find(list, resource));
    };
    return {fmt::format("container \"{}\"", yaml::text_at(container, "name")), container.get("name"), find,
            amount};
  }

  AskedAmounts of_pod() const {
    const auto find = [this](std::string_view list, std::string_view resource) {
      return find_amount(spec_, list, resource);
    };
    // Without the pod's overhead.
    const auto amount = [this](std::string_view list, std::string_view resource) -> std::optional<Quantity> {
      base::Arena arena;
      const Node* spec = Maker(arena).with(&spec_, "overhead", nullptr);
      const Amounts amounts = list == "limits" ? pod_limits(*spec) : policy::pod_requests(*spec);
      const auto at = amounts.find(std::string(resource));
      return at != amounts.end() ? std::optional(at->second) : std::nullopt;
    };
    return {"the pod", pod_.root->at({"metadata", "name"}), find, amount};
  }

  template <class Do>
  void for_each_container(const Do& act) const {
    for (const std::string_view key : {"containers", "initContainers"}) {
      for (const Node* container : yaml::items_at(spec_, key)) act(*container);
    }
  }

  // A request that is more than the limit which the LimitRange gives.
  void check_given(const AskedAmounts& asked, const Values& limits) {
    for (const auto& [resource, value] : limits) {
      const Node* limit = asked.find("limits", resource);
      const auto given = amount_of(value);
      const auto request = asked.amount("requests", resource);
      if (!limit || !given || !request || yaml::locate(*limit) != yaml::locate(*value)) continue;
      if (!is_more(*request, *given) || exceeds_most(resource, *request)) continue;
      add_finding(
          asked, asked.find("requests", resource),
          fmt::format("{} has a {} request of {} and no limit; {} gives it a limit of {}, which is less",
                      asked.what, resource, request->to_string(), name(), value->text()),
          *value, fmt::format("add limits: {{{}: {}}}", resource, request->to_string()));
    }
  }

  // Whether it is more than a maximum, which is then what is reported.
  bool exceeds_most(std::string_view resource, const Quantity& amount) const {
    return std::ranges::any_of(yaml::items_at(range_, {"spec", "limits"}), [&](const Node* item) {
      const auto most = amount_of(item->at({"max", resource}));
      return yaml::text_at(*item, "type") == "Container" && most && is_more(amount, *most);
    });
  }

  void check(const Node& item, const AskedAmounts& asked) {
    for (const auto& [resource, value] : values_of(item, "min")) check_least(asked, resource, *value);
    for (const auto& [resource, value] : values_of(item, "max")) check_most(asked, resource, *value);
    for (const auto& [resource, value] : values_of(item, "maxLimitRequestRatio"))
      check_ratio(asked, resource, *value);
  }

  void check_least(const AskedAmounts& asked, std::string_view resource, const Node& value) {
    const auto least = amount_of(&value);
    if (!least) return;
    const auto request = asked.amount("requests", resource);
    if (!request) return add_missing(asked, "request", resource, value, "at least");
    if (is_more(*least, *request)) return add(asked, "requests", resource, *request, value, "at least");
    const auto limit = asked.amount("limits", resource);
    if (limit && is_more(*least, *limit)) add(asked, "limits", resource, *limit, value, "at least");
  }

  void check_most(const AskedAmounts& asked, std::string_view resource, const Node& value) {
    const auto most = amount_of(&value);
    if (!most) return;
    const auto limit = asked.amount("limits", resource);
    if (!limit) return add_missing(asked, "limit", resource, value, "at most");
    if (is_more(*limit, *most)) return add(asked, "limits", resource, *limit, value, "at most");
    const auto request = asked.amount("requests", resource);
    if (request && is_more(*request, *most)) add(asked, "requests", resource, *request, value, "at most");
  }

  void check_ratio(const AskedAmounts& asked, std::string_view resource, const Node& value) {
    const auto most = amount_of(&value);
    if (!most) return;
    const auto request = asked.amount("requests", resource);
    const auto limit = asked.amount("limits", resource);
    if (!request || request->is_zero())
      return add_missing(asked, "request", resource, value, "a ratio of at most");
    if (!limit || limit->is_zero()) return add_missing(asked, "limit", resource, value, "a ratio of at most");
    const double ratio =
        static_cast<double>(limit->milli_value()) / static_cast<double>(request->milli_value());
    if (ratio * 1000 <= static_cast<double>(most->milli_value())) return;
    add_finding(
        asked, asked.find("limits", resource),
        fmt::format("{} has a {} limit of {} and a request of {}; {} allows a ratio of at most {}",
                    asked.what, resource, limit->to_string(), request->to_string(), name(), value.text()),
        value, "");
  }

  std::string name() const {
    return fmt::format("the LimitRange \"{}\"", yaml::text_at(range_, {"metadata", "name"}));
  }

  void add(const AskedAmounts& asked, std::string_view list, std::string_view resource,
           const Quantity& amount, const Node& value, std::string_view bound) {
    add_finding(asked, asked.find(list, resource),
                fmt::format("{} has a {} {} of {}; {} allows {} {}", asked.what, resource,
                            list == "requests" ? "request" : "limit", amount.to_string(), name(), bound,
                            value.text()),
                value, fmt::format("write {} {}", bound, value.text()));
  }

  void add_missing(const AskedAmounts& asked, std::string_view what, std::string_view resource,
                   const Node& value, std::string_view bound) {
    add_finding(asked, nullptr,
                fmt::format("{} has no {} {}; {} asks for {} {}", asked.what, resource, what, name(), bound,
                            value.text()),
                value, fmt::format("add resources: {{{}s: {{{}: …}}}}", what, resource));
  }

  void add_finding(const AskedAmounts& asked, const Node* culprit, std::string message, const Node& value,
                   std::string hint) {
    base::Diagnostic finding = pod_finding(kLimitRule, pod_, owner_, std::move(message),
                                           culprit ? culprit : asked.culprit, std::move(hint));
    k8s::add_note(finding, "the LimitRange", &value);
    found_.add(std::move(finding));
  }

  const Subject& pod_;
  const Node& spec_;
  const Node& range_;
  const std::string& owner_;
  base::Diagnostics& found_;
};

}  // namespace

const Node* with_limit_defaults(const Node& pod, std::span<const Node* const> ranges, const Maker& make) {
  const Node* changed = &pod;
  for (const Node* range : ranges) {
    const Defaults defaults = defaults_of(*range);
    changed = with_containers(*changed, make,
                              [&](const Node& container) { return with_range(container, defaults, make); });
  }
  return changed;
}

const Node* with_limits_only(const Node& pod, std::span<const Node* const> ranges, const Maker& make) {
  std::vector<Defaults> defaults;
  for (const Node* range : ranges) defaults.push_back(defaults_of(*range));
  return with_containers(pod, make, [&](const Node& container) {
    const Node* stored = with_requests(container, make);
    const Node* given = stored;
    for (const Defaults& one : defaults) given = with_range(*given, one, make);
    const Node* changed = &container;
    for (const std::string_view list : {"limits", "requests"}) {
      const Node* amounts = given->at({"resources", list});
      if (!amounts) continue;
      for (const Entry& entry : amounts->entries()) {
        if (!stored->at({"resources", list, entry.key}))
          changed = make.with_path(changed, {"resources", list, entry.key}, entry.value);
      }
    }
    return changed;
  });
}

void check_limits(const Subject& pod, std::span<const Node* const> ranges, const std::string& owner,
                  base::Diagnostics& found) {
  for (const Node* range : ranges) LimitCheck(pod, *range, owner, found).run();
}

}  // namespace trainjobc::platform
