// SPDX-License-Identifier: Apache-2.0

// The nodes of a job: how many there are, and how they find each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/suggest.h"
#include "compile/advice/checks.h"
#include "k8s/violations.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "rules/rules.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::nodes {
namespace {

using policy::Container;
using policy::PodSet;
using yaml::Node;

// The numbers of nodes and pods.

constexpr std::array<std::string_view, 2> kCounts{"parallelism", "completions"};

void check_second_trainer(const RuntimeContext& context, Advisor& advisor) {
  if (!context.info.policy || context.info.is_mpi()) return;
  if (context.info.behaviours->first_trainer_counts) return;
  const PodSet* first = trainer_of(context.info).set;
  for (size_t i = 0; first && i < context.info.pod_sets.size(); ++i) {
    const PodSet& set = context.info.pod_sets[i];
    if (&set == first || set.ancestor != model::kTrainer) continue;
    const Node* label = set.replicated_job->at({"template", "metadata", "labels", model::kAncestorLabel});
    base::Diagnostic& found = advisor.warn(
        "advice/second-trainer",
        fmt::format("{}.template.metadata.labels[{}]", replicated_job_field(i), model::kAncestorLabel),
        fmt::format("replicatedJob \"{}\" also trains, but the TrainJob's numNodes and the framework's "
                    "variables go only to \"{}\"",
                    set.name, first->name),
        yaml::locate(*label), "train in one replicatedJob");
    add_note(found, "the first one",
             first->replicated_job->at({"template", "metadata", "labels", model::kAncestorLabel}));
  }
}

void check_pod_counts(const RuntimeContext& context, Advisor& advisor) {
  for (size_t i = 0; i < context.info.pod_sets.size(); ++i) {
    const PodSet& set = context.info.pod_sets[i];
    const bool trains = set.ancestor == model::kTrainer && context.info.policy;
    for (const std::string_view key : kCounts) {
      const Node* count = set.replicated_job->at({"template", "spec", key});
      if (!count || !count->as_int() || *count->as_int() == set.count.value) continue;
      const std::string now =
          trains ? fmt::format("numNodes, {} unless the TrainJob says otherwise,", set.count.value)
                 : fmt::format("the parallelism, {},", set.count.value);
      base::Diagnostic& found =
          advisor.warn("advice/pod-count", fmt::format("{}.template.spec.{}", replicated_job_field(i), key),
                       fmt::format("{}: {} has no effect: {} replaces it", key, *count->as_int(), now),
                       yaml::locate(*count), "remove it");
      base::suggest_fix(found, yaml::remove_at(*set.replicated_job, {"template", "spec", key}));
    }
  }
}

void check_num_nodes(const AdviceContext& context, Advisor& advisor) {
  if (!context.job.trainer || !context.job.trainer->num_nodes) return;
  const model::LocatedInt& nodes = *context.job.trainer->num_nodes;
  const policy::RuntimeInfo& info = context.merged;
  const bool as_node = info.is_mpi() && info.policy->mpi->run_launcher_as_node;
  const PodSet* node = info.pod_set_by_name(model::kNode);
  if (info.is_mpi() ? node || as_node : trainer_of(info).set != nullptr) {
    const PodSet* launcher = info.pod_set_by_name(model::kLauncher);
    if (!as_node || !node || !launcher || launcher->count.value != 1 || nodes.value != 1) return;
    base::Diagnostic& found = advisor.warn(
        "advice/mpi-num-nodes", "spec.trainer.numNodes",
        "numNodes: 1 runs two pods: the launcher counts as a node, and at least one worker is always created",
        yaml::locate(*nodes.node),
        "write 2 to make this clear, or use a runtime without the replicatedJob \"node\"");
    base::suggest_fix(found, yaml::replace_scalar(*nodes.node, "2"));
    return;
  }
  const std::string lack =
      info.is_mpi() ? fmt::format("no replicatedJob \"{}\"", model::kNode)
                    : fmt::format("no replicatedJob with {}: {}", model::kAncestorLabel, model::kTrainer);
  base::Diagnostic& found = advisor.warn(
      "advice/num-nodes-no-effect", "spec.trainer.numNodes",
      fmt::format("numNodes has no effect: runtime \"{}\" has {}", context.runtime.id.name, lack),
      yaml::locate(*nodes.node),
      info.is_mpi() ? "add it to the runtime" : "label the replicatedJob that trains, in the runtime");
  add_note(found, "the runtime", context.runtime.root->at({"metadata", "name"}));
  if (!info.is_mpi())
    add_note(found, "the label of the pod's template does not count", misplaced_label(info, model::kTrainer));
}

void check_misplaced_labels(const RuntimeContext& context, Advisor& advisor) {
  for (const std::string_view ancestor :
       {model::kTrainer, model::kDatasetInitializer, model::kModelInitializer}) {
    const Node* label = misplaced_label(context.info, ancestor);
    if (!label) continue;
    const auto set = std::ranges::find_if(context.info.pod_sets, [&](const PodSet& one) {
      return one.replicated_job->at(
                 {"template", "spec", "template", "metadata", "labels", model::kAncestorLabel}) == label;
    });
    const std::string job = replicated_job_field(static_cast<size_t>(set - context.info.pod_sets.begin()));
    advisor.warn(
        "advice/ancestor-label",
        fmt::format("{}.template.spec.template.metadata.labels[{}]", job, model::kAncestorLabel),
        fmt::format(
            "Trainer does not read this label in the pod's template: replicatedJob \"{}\" gets nothing "
            "of a TrainJob",
            set->name),
        locate_key_of(set->replicated_job->at({"template", "spec", "template", "metadata", "labels"}),
                      model::kAncestorLabel),
        fmt::format("move it to {}.template.metadata.labels", job));
  }
}

constexpr std::array<std::string_view, 3> kAncestors{model::kTrainer, model::kDatasetInitializer,
                                                     model::kModelInitializer};

// Reports a value of the ancestor label that is like one that Trainer knows.
void check_misspelt_ancestors(const RuntimeContext& context, Advisor& advisor) {
  for (size_t i = 0; i < context.info.pod_sets.size(); ++i) {
    const PodSet& set = context.info.pod_sets[i];
    const auto meant = set.ancestor.empty() || base::contains(kAncestors, set.ancestor)
                           ? std::nullopt
                           : base::closest(set.ancestor, kAncestors);
    const Node* label = set.replicated_job->at({"template", "metadata", "labels", model::kAncestorLabel});
    if (!meant || !label) continue;
    base::Diagnostic& found = advisor.warn(
        "advice/ancestor-label",
        fmt::format("{}.template.metadata.labels[{}]", replicated_job_field(i), model::kAncestorLabel),
        fmt::format("Trainer knows no step \"{}\": replicatedJob \"{}\" gets nothing of a TrainJob",
                    set.ancestor, set.name),
        yaml::locate(*label));
    k8s::suggest(found, label, *meant);
  }
}

// Reports a label like the ancestor label of a Job, which Trainer does not read; or the label as an
// annotation.
void check_misspelt_labels(const RuntimeContext& context, Advisor& advisor) {
  constexpr std::string_view kRoot = "trainer.kubeflow.org/trainjob-ancestor";
  for (size_t i = 0; i < context.info.pod_sets.size(); ++i) {
    const PodSet& set = context.info.pod_sets[i];
    if (!set.ancestor.empty()) continue;
    for (const std::string_view list : {"labels", "annotations"}) {
      const bool is_label = list == "labels";
      const Node* map = set.replicated_job->at({"template", "metadata", list});
      for (const yaml::Entry& entry : map ? map->entries() : std::span<const yaml::Entry>()) {
        const bool is_meant = is_label ? entry.key.starts_with(kRoot) ||
                                             base::closest(entry.key, std::array{model::kAncestorLabel})
                                       : entry.key == model::kAncestorLabel;
        if (!is_meant || !base::contains(kAncestors, entry.value->text())) continue;
        base::Diagnostic& found = advisor.warn(
            "advice/ancestor-label",
            fmt::format("{}.template.metadata.{}[{}]", replicated_job_field(i), list, entry.key),
            fmt::format("Trainer reads the label {} only: replicatedJob \"{}\" gets nothing of a TrainJob",
                        model::kAncestorLabel, set.name),
            yaml::locate_key(entry),
            is_label ? fmt::format("write {}", model::kAncestorLabel)
                     : fmt::format("move it to {}.template.metadata.labels", replicated_job_field(i)));
        if (is_label) base::suggest_fix(found, yaml::rename_key(entry, model::kAncestorLabel));
      }
    }
  }
}

void check_zero_nodes(const AdviceContext& context, Advisor& advisor) {
  const auto& nodes = context.job.trainer ? context.job.trainer->num_nodes : std::nullopt;
  if (!nodes || nodes->value > 0) return;
  const policy::RuntimeInfo& info = context.merged;
  // The Job itself rejects counts below 0.
  if (nodes->value < 0 && !(info.is_mpi() && info.policy->mpi->run_launcher_as_node)) return;
  std::string effect = "no pod trains, and the job counts as complete";
  bool trains = false;
  if (info.is_mpi()) {
    if (!info.pod_set_by_name(model::kNode)) return;
    trains = info.policy->mpi->run_launcher_as_node;
    effect = trains ? "the launcher counts as a node, and at least one worker is always created"
                    : "the hostfile is empty, and mpirun finds no node";
  } else if (!trainer_of(info).set) {
    return;
  }
  base::Diagnostic& found = advisor.warn(
      "advice/num-nodes-zero", "spec.trainer.numNodes", fmt::format("numNodes: {}: {}", nodes->value, effect),
      yaml::locate(*nodes->node), "write 1 or more; suspend: true keeps a job from starting");
  if (trains) rules::except(found);
}

// How pods find each other.

// The variable in which the framework puts the first node's address; "" if it has none.
std::string_view address_of(const policy::RuntimeInfo& info) {
  const policy::Framework* framework = policy::framework_of(info);
  return framework ? framework->address : "";
}

void check_network(const RuntimeContext& context, std::string_view address, Advisor& advisor) {
  const Node* network = context.info.job_set_spec ? context.info.job_set_spec->get("network") : nullptr;
  const Node* subdomain = network ? network->get("subdomain") : nullptr;
  const Node* hostnames = network ? network->get("enableDNSHostnames") : nullptr;
  if (subdomain && !subdomain->text().empty() && !address.empty()) {
    base::Diagnostic& found = advisor.warn(
        "advice/address", "spec.template.spec.network.subdomain",
        fmt::format(
            "{} uses the TrainJob's name as the subdomain, not this one: the nodes can't find each other",
            address),
        yaml::locate(*subdomain), "remove it");
    base::suggest_fix(found, yaml::remove_at(*context.info.job_set_spec, {"network", "subdomain"}));
  }
  if (hostnames && hostnames->as_bool() == false) {
    base::Diagnostic& found = advisor.warn("advice/address", "spec.template.spec.network.enableDNSHostnames",
                                           "without DNS hostnames the nodes can't find each other",
                                           yaml::locate(*hostnames), "remove it");
    base::suggest_fix(found, yaml::remove_at(*context.info.job_set_spec, {"network", "enableDNSHostnames"}));
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

// The trainer's port replaces the first port that has the same number, or no name.
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
    // Several ports without a name are an error in the runtime's jobs.
    const auto is_unnamed = [](const Node* port) { return !port->get("name"); };
    if (std::ranges::count_if(place.container.ports, is_unnamed) > 1) continue;
    if (opens_port && &place.set == trainer && place.container.name == model::kNode) {
      check_replaced_port(place.container, place.field, advisor);
    }
  }
}

}  // namespace

Checks checks() {
  return {.job = {check_num_nodes, check_zero_nodes},
          .runtime = {check_misplaced_labels, check_misspelt_labels, check_misspelt_ancestors,
                      check_second_trainer, check_pod_counts, check_addresses, check_ports}};
}

}  // namespace trainjobc::compile::advice::nodes
