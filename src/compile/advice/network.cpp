// SPDX-License-Identifier: Apache-2.0

// How pods find each other.
#include <fmt/format.h>

#include <algorithm>

#include "compile/advice/checks.h"
#include "compile/advice/containers/all_containers.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"

namespace trainjobc::compile::advice {
namespace {

using policy::Container;
using policy::NodeList;
using yaml::Node;

// Where the framework puts the first node's address; "" if it has none.
std::string_view address_of(const policy::RuntimeInfo& info) {
  const policy::Framework* framework = policy::framework_of(info);
  return framework ? framework->address : "";
}

void check_network(const RuntimeContext& context, std::string_view address, Advisor& advisor) {
  const Node* network = context.info.job_set_spec ? context.info.job_set_spec->get("network") : nullptr;
  const Node* subdomain = network ? network->get("subdomain") : nullptr;
  const Node* hostnames = network ? network->get("enableDNSHostnames") : nullptr;
  if (subdomain && !subdomain->text().empty() && !address.empty()) {
    advisor.warn(
        "advice/address", "spec.template.spec.network.subdomain",
        fmt::format(
            "{} uses the TrainJob's name as the subdomain, not this one: the nodes can't find each other",
            address),
        yaml::locate(*subdomain), "remove it");
  }
  if (hostnames && hostnames->as_bool() == false) {
    advisor.warn("advice/address", "spec.template.spec.network.enableDNSHostnames",
                 "without DNS hostnames the nodes can't find each other", yaml::locate(*hostnames),
                 "remove it");
  }
}

bool is_number(const Node& port, int64_t number) {
  const Node* own = port.get("containerPort");
  return own && own->as_int() == number;
}

bool is_probed(const Container& container, std::string_view port) {
  for (const std::string_view probe : {"startupProbe", "livenessProbe", "readinessProbe"}) {
    for (const std::string_view action : {"httpGet", "tcpSocket"}) {
      const Node* used = container.node->at({probe, action, "port"});
      if (used && used->is_string() && used->text() == port) return true;
    }
  }
  return false;
}

// The trainer's port replaces the first port that has its number or, like it, no name.
void check_replaced_port(const Container& container, const std::string& field, Advisor& advisor) {
  const auto taken = std::ranges::find_if(container.ports, [](const Node* port) {
    return is_number(*port, model::kTrainerPort) || !port->get("name");
  });
  if (taken == container.ports.end()) return;
  const Node& port = **taken;
  const std::string place = fmt::format("{}.ports[{}]", field, taken - container.ports.begin());
  if (!is_number(port, model::kTrainerPort)) {
    advisor.warn("advice/port-replaced", place,
                 fmt::format("port {} is lost: it has no name, so the trainer's port {} replaces it",
                             text_at(port, "containerPort"), model::kTrainerPort),
                 yaml::locate(*port.get("containerPort")), "give it a name");
  } else if (is_probed(container, text_at(port, "name"))) {
    advisor.warn("advice/port-replaced", place,
                 fmt::format("port {} loses its name \"{}\", which a probe of the container uses",
                             model::kTrainerPort, text_at(port, "name")),
                 yaml::locate(*port.get("name")), "use the number in the probe");
  }
}

size_t count_unnamed(const NodeList& ports) {
  return static_cast<size_t>(
      std::ranges::count_if(ports, [](const Node* port) { return !port->get("name"); }));
}

}  // namespace

void check_addresses(const RuntimeContext& context, Advisor& advisor) {
  const std::string_view address = address_of(context.info);
  if (address.empty() && !context.info.is_mpi()) return;
  check_network(context, address, advisor);
  const TrainerPlace trainer = trainer_of(context.info);
  if (address.empty() || !trainer.set || trainer.set->name == model::kNode) return;
  advisor.warn(
      "advice/address", replicated_job_field(trainer.index) + ".name",
      fmt::format(
          "{} names a pod of replicatedJob \"{}\", which is not this one: the nodes can't find each other",
          address, model::kNode),
      yaml::locate(*trainer.set->replicated_job->get("name")),
      fmt::format("rename it to \"{}\"", model::kNode));
}

void check_ports(const RuntimeContext& context, Advisor& advisor) {
  const policy::Framework* framework = policy::framework_of(context.info);
  const bool opens_port = framework && framework->opens_port;
  const policy::PodSet* trainer = trainer_of(context.info).set;
  for (const ContainerPlace& place : containers_of(context.info)) {
    if (place.is_init) continue;
    // Several ports without a name are an error in its jobs.
    if (count_unnamed(place.container.ports) > 1) continue;
    if (opens_port && &place.set == trainer && place.container.name == model::kNode) {
      check_replaced_port(place.container, place.field, advisor);
    }
  }
}

}  // namespace trainjobc::compile::advice
