// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/v1/job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/text/ascii.h"
#include "k8s/value_text.h"
#include "yaml/fields.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Entry;
using yaml::Node;

constexpr std::array<std::string_view, 4> kRestartPolicies{"Always", "ExitCode", "Never", "OnFailure"};

class JobReader {
 public:
  JobReader(const Node& root, const model::V1Kind& kind, V1Findings& findings)
      : root_(root), kind_(kind), findings_(findings) {}

  std::optional<Job> run() {
    Job job{.kind = &kind_,
            .root = &root_,
            .id = model::identify(root_),
            .spec = root_.get("spec"),
            .replicas = {}};
    const Node* replicas = job.spec && job.spec->is_map() ? job.spec->get(kind_.replica_specs) : nullptr;
    if (!replicas || !replicas->is_map() || replicas->size() == 0) {
      refuse("spec." + std::string(kind_.replica_specs),
             fmt::format("the {} has no {}", kind_.kind, kind_.replica_specs), replicas ? replicas : &root_);
      return std::nullopt;
    }
    for (const Entry& entry : replicas->entries()) check_role(entry);
    for (const std::string_view role : kind_.roles) {
      const auto entry =
          std::ranges::find_if(replicas->entries(), [&](const Entry& e) { return is_role(e.key, role); });
      if (entry == replicas->entries().end()) continue;
      if (std::optional<Replica> replica = read(*entry, role); replica && replica->count > 0)
        job.replicas.push_back(std::move(*replica));
    }
    if (!findings_.refused() && job.replicas.empty())
      refuse("spec." + std::string(kind_.replica_specs), "the job has no pods", replicas);
    return findings_.refused() ? std::nullopt : std::optional(std::move(job));
  }

 private:
  void refuse(std::string field, std::string message, const Node* where, std::string hint = "") {
    findings_.lose(std::move(field), std::move(message), std::move(hint), where);
  }

  // The operators ignore the case.
  static bool is_role(std::string_view key, std::string_view role) {
    return base::lower_case(key) == base::lower_case(role);
  }

  std::string field_of(std::string_view role) const {
    return fmt::format("spec.{}.{}", kind_.replica_specs, role);
  }

  void check_role(const Entry& entry) {
    if (std::ranges::any_of(kind_.roles, [&](std::string_view role) { return is_role(entry.key, role); }))
      return;
    refuse(field_of(entry.key), fmt::format("{} has no replicas \"{}\"", kind_.kind, entry.key), entry.value,
           fmt::format("it has {}", fmt::join(kind_.roles, ", ")));
  }

  std::optional<Replica> read(const Entry& entry, std::string_view role) {
    Replica replica{.role = role, .field = field_of(entry.key), .node = entry.value};
    const bool is_mpi_worker = kind_.kind == "MPIJob" && role == "Worker";
    if (is_mpi_worker) replica.count = 0;
    if (const Node* count = replica.node->get("replicas")) {
      const auto number = count->as_int();
      if (!number || *number < 0 || *number > std::numeric_limits<int32_t>::max()) {
        refuse(replica.field + ".replicas",
               fmt::format("replicas must be a number of pods, not {}", k8s::quoted(*count)), count);
        return std::nullopt;
      }
      replica.count = *number;
      replica.count_node = count;
    }
    const bool is_single =
        role == "Launcher" || (role == "Master" && kind_.kind != "PaddleJob") || role == "Chief";
    if (is_single && replica.count > 1) {
      refuse(replica.field + ".replicas", fmt::format("there is one {}, not {}", role, replica.count),
             replica.count_node, "write 1");
      return std::nullopt;
    }
    return read_pods(replica) ? std::optional(std::move(replica)) : std::nullopt;
  }

  bool read_pods(Replica& replica) {
    replica.restart_node = replica.node->get("restartPolicy");
    replica.restart_policy = yaml::string_of(replica.restart_node);
    if (replica.restart_policy.empty()) {
      const bool is_v2_launcher = kind_.api_version.ends_with("v2beta1") && replica.role == "Launcher";
      replica.restart_policy = is_v2_launcher ? "OnFailure" : kind_.restart_policy;
    } else if (std::ranges::find(kRestartPolicies, replica.restart_policy) == kRestartPolicies.end()) {
      refuse(replica.field + ".restartPolicy",
             fmt::format("there is no restartPolicy {}", k8s::quoted(replica.restart_policy)),
             replica.restart_node, fmt::format("it is one of {}", fmt::join(kRestartPolicies, ", ")));
      return false;
    }
    replica.pod_template = replica.node->get("template");
    const std::string field = replica.field + ".template.spec.containers";
    const auto containers = replica.pod_template
                                ? yaml::items_at(*replica.pod_template, {"spec", "containers"})
                                : std::span<const Node* const>();
    if (containers.empty()) {
      refuse(field, fmt::format("the {} has no containers", replica.role), replica.node);
      return false;
    }
    if (kind_.container.empty()) return true;
    const auto main = std::ranges::find_if(containers, [&](const Node* container) {
      return yaml::string_at(*container, "name") == kind_.container;
    });
    if (main == containers.end() && containers.size() == 1) {
      // Before v1.9 the operators did not check it.
      findings_.change(field,
                       fmt::format("{} has no container \"{}\": the only one is taken for it", replica.role,
                                   kind_.container),
                       fmt::format("name it \"{}\"", kind_.container), containers.front());
      return true;
    }
    if (main == containers.end()) {
      refuse(field,
             fmt::format("none of the containers of {} is called \"{}\"", replica.role, kind_.container),
             containers.front(), fmt::format("name the container that trains \"{}\"", kind_.container));
      return false;
    }
    replica.main = static_cast<size_t>(main - containers.begin());
    return true;
  }

  const Node& root_;
  const model::V1Kind& kind_;
  V1Findings& findings_;
};

}  // namespace

const Replica* Job::replica(std::string_view role) const {
  const auto found = std::ranges::find(replicas, role, &Replica::role);
  return found != replicas.end() ? &*found : nullptr;
}

int64_t Job::pods() const {
  int64_t sum = 0;
  for (const Replica& replica : replicas) sum += replica.count;
  return sum;
}

int64_t Job::port(const Replica& replica) const {
  const Node* container = yaml::items_at(*replica.pod_template, {"spec", "containers"})[replica.main];
  for (const Node* port : yaml::items_at(*container, "ports")) {
    const Node* number = port->get("containerPort");
    if (yaml::string_at(*port, "name") == kind->port_name && number)
      return number->as_int().value_or(kind->port);
  }
  return kind->port;
}

std::optional<Job> read_job(const Node& root, const model::V1Kind& kind, V1Findings& findings) {
  return JobReader(root, kind, findings).run();
}

}  // namespace trainjobc::migrate::v1
