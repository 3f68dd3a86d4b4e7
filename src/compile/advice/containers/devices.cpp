// SPDX-License-Identifier: Apache-2.0

// Names of devices that no device plugin offers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/text/ascii.h"
#include "base/text/suggest.h"
#include "compile/advice/checks.h"
#include "compile/advice/containers/all_containers.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Entry;
using yaml::Node;

struct Device {
  std::string_view domain;
  std::string_view name;
};

// The names under which the vendors' device plugins offer all their devices.
constexpr std::array kDevices = std::to_array<Device>({{"nvidia.com", "gpu"},
                                                       {"amd.com", "gpu"},
                                                       {"habana.ai", "gaudi"},
                                                       {"google.com", "tpu"},
                                                       {"gpu.intel.com", "i915"},
                                                       {"gpu.intel.com", "xe"},
                                                       {"aws.amazon.com", "neuron"},
                                                       {"aws.amazon.com", "neuroncore"},
                                                       {"aws.amazon.com", "neurondevice"},
                                                       {"vpc.amazonaws.com", "efa"}});

// Similar names that are offered too.
constexpr std::array<std::string_view, 4> kOthers{"nvidia.com/vgpu", "nvidia.com/pgpu", "nvidia.com/gpumem",
                                                  "nvidia.com/gpucores"};

std::string full_name(const Device& device) {
  return fmt::format("{}/{}", device.domain, device.name);
}

// GPU, gpus and GPUs for gpu.
bool is_name_of(std::string_view text, std::string_view name) {
  const std::string lower = base::lower_case(text);
  return lower == name || lower == fmt::format("{}s", name);
}

// nvidia, nvidea.com and nvidia.io for nvidia.com.
bool is_domain_of(std::string_view text, std::string_view domain) {
  constexpr size_t kTelling = 5;  // shorter words resemble too many others
  const size_t dot = domain.find('.');
  const std::string_view word = domain.substr(0, dot);
  const std::string_view rest = domain.substr(dot);
  if (text == domain || text == word) return true;
  if (word.size() < kTelling) return false;
  const size_t own_dot = std::min(text.find('.'), text.size());
  const std::string_view own_word = text.substr(0, own_dot);
  const std::string_view own_rest = text.substr(own_dot);
  const std::array candidates{word};
  if (own_rest == rest) return base::closest(own_word, candidates).has_value();
  return own_word == word && own_rest.rfind('.') == 0;
}

// The intended name of a resource; nullopt if the name may be right.
std::optional<std::string> meant_by(std::string_view resource) {
  const size_t slash = resource.find('/');
  if (slash == std::string_view::npos || std::ranges::find(kOthers, resource) != kOthers.end())
    return std::nullopt;
  const std::string_view domain = resource.substr(0, slash);
  const std::string_view name = resource.substr(slash + 1);
  if (base::lower_case(domain) != domain) return std::nullopt;  // an error of the Job
  const auto is_it = [&](const Device& device) { return domain == device.domain && name == device.name; };
  if (std::ranges::any_of(kDevices, is_it)) return std::nullopt;
  for (const Device& device : kDevices) {
    if (is_domain_of(domain, device.domain) && is_name_of(name, device.name)) return full_name(device);
  }
  return std::nullopt;
}

void check_resources(const Node* resources, const std::string& field, Advisor& advisor) {
  std::set<std::string_view> seen;
  for (const std::string_view list : {"limits", "requests"}) {
    const Node* amounts = resources ? resources->get(list) : nullptr;
    if (!amounts) continue;
    for (const Entry& entry : amounts->entries()) {
      const auto meant = meant_by(entry.key);
      if (!meant || !seen.insert(entry.key).second) continue;
      advisor.warn("advice/device-name", fmt::format("{}.{}[{}]", field, list, entry.key),
                   fmt::format("no node offers {}: the pods stay pending", entry.key),
                   yaml::locate_key(entry), fmt::format("did you mean {}?", *meant));
    }
  }
}

}  // namespace

void check_runtime_devices(const RuntimeContext& context, Advisor& advisor) {
  for (const ContainerPlace& place : containers_of(context.info))
    check_resources(place.container.node->get("resources"), place.field + ".resources", advisor);
}

void check_job_devices(const AdviceContext& context, Advisor& advisor) {
  if (context.job.trainer)
    check_resources(context.job.trainer->resources_per_node, "spec.trainer.resourcesPerNode", advisor);
}

}  // namespace trainjobc::compile::advice
