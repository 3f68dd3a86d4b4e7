// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/v1/job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <span>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "k8s/object_meta.h"
#include "k8s/violations.h"
#include "rules/rules.h"
#include "schema/validate.h"
#include "secret/secret.h"
#include "yaml/changes.h"

namespace trainjobc::migrate::v1 {

const model::V1Kind* convertible_kind(const yaml::Node& object) {
  const std::string_view version = yaml::string_at(object, "apiVersion");
  const std::string_view kind = yaml::string_at(object, "kind");
  const model::V1Kind* current = model::find_v1_kind(version, kind);
  return current ? current : model::find_older_v1_kind(version, kind);
}

bool is_v1(const yaml::Node& object) {
  return model::is_v1_kind_of(yaml::string_at(object, "apiVersion"), yaml::string_at(object, "kind"));
}

bool names_v1(const yaml::Node& target) {
  const yaml::Node* kind = target.get("kind");
  const yaml::Node* group = target.get("group");
  return kind && model::is_v1_kind(group ? group->text() : "kubeflow.org", kind->text());
}

void V1Findings::add(std::string_view rule, std::string field, std::string message, std::string hint,
                     const yaml::Node* where) {
  items_.push_back(rules::finding(rule, std::move(message), std::move(hint),
                                  where ? yaml::locate(*where) : base::Location()));
  items_.back().field = std::move(field);
}

void V1Findings::lose(std::string field, std::string message, std::string hint, const yaml::Node* where) {
  add("migrate/lost", std::move(field), std::move(message), std::move(hint), where);
  refused_ = true;
}

void V1Findings::change(std::string field, std::string message, std::string hint, const yaml::Node* where) {
  add("advice/v1-difference", std::move(field), std::move(message), std::move(hint), where);
}

void V1Findings::ignore(base::Diagnostic diagnostic) {
  rules::set_rule(diagnostic, "advice/v1-ignored-field");
  items_.push_back(std::move(diagnostic));
}

namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 5> kOfObject{"apiVersion", "kind", "metadata", "spec", "status"};
constexpr std::array<std::string_view, 7> kOfRunPolicy{
    "activeDeadlineSeconds", "backoffLimit", "cleanPodPolicy",         "managedBy",
    "schedulingPolicy",      "suspend",      "ttlSecondsAfterFinished"};
constexpr std::array<std::string_view, 5> kOfScheduling{"minAvailable", "minResources", "priorityClass",
                                                        "queue", "scheduleTimeoutSeconds"};
constexpr std::array<std::string_view, 11> kOfTorchElastic{
    "maxReplicas", "maxRestarts", "metrics", "minReplicas", "nProcPerNode", "rdzvBackend",
    "rdzvConf",    "rdzvHost",    "rdzvId",  "rdzvPort",    "standalone"};
constexpr std::array<std::string_view, 4> kOfPaddleElastic{"maxReplicas", "maxRestarts", "metrics",
                                                           "minReplicas"};
constexpr std::array<std::string_view, 3> kOfReplica{"replicas", "restartPolicy", "template"};

// Further metadata that a cluster or a controller adds.
constexpr std::array<std::string_view, 3> kOfServer{"clusterName", "finalizers", "ownerReferences"};
// Fields of a pod that its template doesn't have; the API server drops them.
constexpr std::array<std::string_view, 3> kOfPod{"apiVersion", "kind", "status"};

class Pruner {
 public:
  Pruner(const model::V1Kind& kind, const schema::Schema& pod_template, const Maker& make,
         V1Findings& findings)
      : kind_(kind), pod_template_(pod_template), make_(make), findings_(findings) {}

  const Node* run(const Node& root) {
    const Node* job = known(root, kOfObject, {});
    job = make_.with(job, "status", nullptr);
    if (const Node* metadata = job->get("metadata"); metadata && metadata->is_map())
      job = make_.with(job, "metadata", own_metadata(metadata));
    const Node* spec = job->get("spec");
    return spec && spec->is_map() ? make_.with(job, "spec", of_spec(*spec)) : job;
  }

 private:
  // The metadata that the object's author wrote. Nulls count as absent.
  const Node* own_metadata(const Node* metadata) const {
    const Node* given = metadata;
    for (const yaml::Entry& entry : given->entries()) {
      const bool is_added = base::contains(kOfServer, entry.key);
      if (is_added || k8s::is_server_metadata(entry.key)) metadata = make_.with(metadata, entry.key, nullptr);
    }
    const Node* annotations = metadata->get("annotations");
    if (!annotations || !annotations->get(secret::kLastApplied)) return metadata;
    const Node* rest = make_.with(annotations, secret::kLastApplied, nullptr);
    return make_.with(metadata, "annotations", rest->size() > 0 ? rest : nullptr);
  }

  // `map` with only the entries of these names; reports the others.
  const Node* known(const Node& map, Names names, const k8s::Path& path) {
    std::vector<Entry> entries;
    for (const Entry& entry : map.entries()) {
      if (entry.value->is_null()) continue;
      if (base::contains(names, entry.key)) {
        entries.push_back(entry);
      } else {
        report(entry, names, path);
      }
    }
    return entries.size() == map.size() ? &map : make_.map(entries, map.origin());
  }

  void report(const Entry& entry, Names names, const k8s::Path& path) {
    base::Diagnostic unknown = rules::finding("advice/v1-ignored-field");
    unknown.field = path.child(entry.key).str();
    const std::string where = path.is_root() ? std::string("the object") : path.str();
    unknown.message =
        fmt::format("{} has no field {} in {}, and ignores it", kind_.kind, k8s::quoted(entry.key), where);
    const auto meant = base::closest(entry.key, names);
    const bool is_of_run_policy = base::contains(kOfRunPolicy, entry.key);
    if (is_of_run_policy) {
      unknown.hint = "it is a field of spec.runPolicy";
    } else if (meant) {
      unknown.hint = fmt::format("did you mean \"{}\"?", *meant);
    }
    unknown.location = yaml::locate_key(entry);
    findings_.ignore(std::move(unknown));
  }

  // `map` with only the known fields of the map `key`.
  const Node* with_known(const Node* map, std::string_view key, Names names, const k8s::Path& path) {
    const Node* value = map->get(key);
    if (!value || !value->is_map()) return map;
    return make_.with(map, key, known(*value, names, path.child(key)));
  }

  const Node* of_spec(const Node& spec) {
    const k8s::Path root;
    const k8s::Path path = root.child("spec");
    std::vector<std::string_view> names{kind_.replica_specs, "runPolicy"};
    std::ranges::copy(kind_.fields, std::back_inserter(names));
    const Node* pruned = known(spec, names, path);
    pruned = with_known(pruned, "runPolicy", kOfRunPolicy, path);
    if (const Node* policy = pruned->get("runPolicy"); policy && policy->is_map())
      pruned = make_.with(pruned, "runPolicy",
                          with_known(policy, "schedulingPolicy", kOfScheduling, path.child("runPolicy")));
    const bool is_torch = kind_.kind == "PyTorchJob";
    pruned = with_known(pruned, "elasticPolicy", is_torch ? Names(kOfTorchElastic) : Names(kOfPaddleElastic),
                        path);
    const Node* replicas = pruned->get(kind_.replica_specs);
    if (!replicas || !replicas->is_map()) return pruned;
    const k8s::Path place = path.child(kind_.replica_specs);
    yaml::ChangedMap changed(*replicas);
    for (const Entry& entry : replicas->entries())
      changed.take(of_replica(*entry.value, place.child(entry.key)));
    return make_.with(pruned, kind_.replica_specs, changed.node(make_));
  }

  const Node* of_replica(const Node& replica, const k8s::Path& path) {
    if (!replica.is_map()) return &replica;
    const Node* pruned = known(replica, kOfReplica, path);
    const Node* pod = pruned->get("template");
    if (!pod || !pod->is_map()) return pruned;
    for (const std::string_view key : kOfPod) {
      if (pod->get(key)) pod = make_.with(pod, key, nullptr);
    }
    const Node* known_pod = without_unknown(*pod, pod_template_);
    if (known_pod == pod) return make_.with(pruned, "template", pod);
    for (base::Diagnostic& unknown :
         schema::find_unknown_fields(*without_nulls(*pod), pod_template_, path.child("template")))
      findings_.ignore(std::move(unknown));
    return make_.with(pruned, "template", known_pod);
  }

  template <class Child>
  const Node* rebuilt(const Node& node, Child child) const {
    if (node.is_list()) {
      yaml::ChangedList changed(node);
      for (const Node* item : node.items()) changed.take(child(*item, std::string_view()));
      return changed.node(make_);
    }
    yaml::ChangedMap changed(node);
    for (const Entry& entry : node.entries())
      changed.take(entry.value->is_null() ? nullptr : child(*entry.value, entry.key));
    return changed.node(make_);
  }

  const Node* without_nulls(const Node& node) const {
    return rebuilt(node, [this](const Node& value, std::string_view) { return without_nulls(value); });
  }

  const Node* without_unknown(const Node& node, const schema::Schema& schema) const {
    if (schema.type == schema::Type::Any) return &node;
    return rebuilt(node, [&](const Node& value, std::string_view key) -> const Node* {
      if (key.empty()) return schema.items ? without_unknown(value, *schema.items) : &value;
      const schema::Property* property = schema.property(key);
      const schema::Schema* inner = property ? property->schema : schema.additional;
      return inner ? without_unknown(value, *inner) : nullptr;
    });
  }

  const model::V1Kind& kind_;
  const schema::Schema& pod_template_;
  const Maker& make_;
  V1Findings& findings_;
};

}  // namespace

const Node* with_known_fields(const Node& root, const model::V1Kind& kind, const schema::Schema& pod_template,
                              const Maker& make, V1Findings& findings) {
  return Pruner(kind, pod_template, make, findings).run(root);
}

namespace {

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

  // Compares like the operators, which ignore the case.
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
        refuse_count(replica, *count);
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

  void refuse_count(const Replica& replica, const Node& count) {
    const bool is_placeholder = count.text().find('$') != std::string_view::npos;
    const base::Location at = yaml::locate(count);
    if (!is_placeholder) {
      refuse(replica.field + ".replicas",
             fmt::format("replicas must be a number of pods, not {}", k8s::quoted(count)), &count);
      return;
    }
    refuse(replica.field + ".replicas", fmt::format("{} is a placeholder", count.text()), &count,
           fmt::format("fill it in first: envsubst < {} | trainjobc migrate -",
                       at.file ? at.file->name() : "FILE"));
  }

  bool read_pods(Replica& replica) {
    replica.restart_node = replica.node->get("restartPolicy");
    replica.restart_policy = yaml::string_of(replica.restart_node);
    if (replica.restart_policy.empty()) {
      const bool is_v2_launcher = kind_.api_version.ends_with("v2beta1") && replica.role == "Launcher";
      replica.restart_policy = is_v2_launcher ? "OnFailure" : kind_.restart_policy;
    } else if (!base::contains(kRestartPolicies, replica.restart_policy)) {
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
      // The operators did not check this before v1.9.
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
  return base::find(replicas, role, &Replica::role);
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
