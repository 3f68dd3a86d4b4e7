// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/v1/draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/text/text.h"
#include "k8s/jobset/jobset.h"
#include "model/behaviours.h"
#include "model/trainer_names.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

constexpr std::string_view kContainers = "containers";

const Node* ports_of(const Node& ports, std::string_view operators_port, const Maker& make) {
  std::vector<const Node*> kept;
  for (const Node* port : ports.items()) {
    if (!operators_port.empty() && yaml::string_at(*port, "name") == operators_port) continue;
    const Node* number = port->get("containerPort");
    // The trainer's port replaces one without a name.
    const bool is_unnamed = port->is_map() && !port->get("name") && number;
    kept.push_back(is_unnamed ? make.with(port, "name", make.copied(fmt::format("port-{}", number->text())))
                              : port);
  }
  return kept.empty() ? nullptr : make.list(kept, ports.origin());
}

const Node* own_metadata(const Node* metadata, const Maker& make) {
  if (!metadata || !metadata->is_map()) return nullptr;
  Entries entries;
  for (const Entry& entry : metadata->entries()) {
    const bool is_kept = entry.key == "labels" || entry.key == "annotations";
    if (is_kept && entry.value->size() > 0) entries.push_back(entry);
  }
  if (entries.empty()) return nullptr;
  return entries.size() == metadata->size() ? metadata : make.map(entries, metadata->origin());
}

struct Place {
  std::string field;
  const Node* node = nullptr;
};

// The first difference between two trees; `here` is the node of `a` above it.
std::optional<Place> difference(const Node* a, const Node* b, const std::string& field, const Node* here) {
  if (!a || !b) return a == b ? std::nullopt : std::optional(Place{field, a ? a : b ? b : here});
  if (yaml::equal(*a, *b)) return std::nullopt;
  if (a->is_list() && b->is_list()) {
    for (size_t i = 0; i < std::max(a->size(), b->size()); ++i) {
      const Node* left = i < a->size() ? a->items()[i] : nullptr;
      const Node* right = i < b->size() ? b->items()[i] : nullptr;
      if (auto found = difference(left, right, fmt::format("{}[{}]", field, i), a)) return found;
    }
  }
  if (a->is_map() && b->is_map()) {
    for (const Node* map : {a, b}) {
      for (const Entry& entry : map->entries()) {
        auto found =
            difference(a->get(entry.key), b->get(entry.key), fmt::format("{}.{}", field, entry.key), a);
        if (found) return found;
      }
    }
  }
  return Place{field, a};
}

// The first difference between replicas other than in labels and annotations.
std::optional<Place> difference_of_replicas(const Conversion& conversion) {
  const auto& replicas = conversion.job.replicas;
  const Maker& make = conversion.make;
  const auto pods = [&](const Replica& replica) {
    return make.with(pods_of(conversion, replica).node, "metadata", nullptr);
  };
  const Node* first = pods(replicas.front());
  for (size_t i = 1; i < replicas.size(); ++i) {
    const Node* other = pods(replicas[i]);
    if (auto found = difference(other, first, replicas[i].field + ".template", other)) return found;
  }
  return std::nullopt;
}

// The exit codes that the v1 operators consider permanent, as a rule of a Job.
const Node* fail_permanently(const Maker& make, std::string_view container) {
  constexpr int kRetryable = 128;
  NodeList codes;
  for (int code = 1; code < kRetryable; ++code) codes.push_back(make.integer(code));
  const Node* on_codes = make.map({{"containerName", make.string(container)},
                                   {"operator", make.string("In")},
                                   {"values", make.list(codes)}});
  const Node* rule = make.map({{"action", make.string("FailJob")}, {"onExitCodes", on_codes}});
  return make.map({{"rules", make.list({rule})}});
}

}  // namespace

const Entry* entry_of(const Entries& entries, std::string_view key) {
  return base::find(entries, key, &Entry::key);
}

PodTemplate pods_of(const Conversion& conversion, const Replica& replica, bool renamed) {
  const Maker& make = conversion.make;
  const model::V1Kind& kind = *conversion.job.kind;
  const Node* pod = replica.pod_template;
  pod = make.with(pod, "metadata", own_metadata(pod->get("metadata"), make));
  const Node* spec = make.with(pod->get("spec"), "restartPolicy", nullptr);
  const Node* containers = spec->get(kContainers);
  NodeList items = yaml::copied_items(containers);
  for (size_t i = 0; i < items.size(); ++i) {
    const bool is_main = i == replica.main;
    if (is_main && renamed) items[i] = make.with(items[i], "name", make.string(model::kNode));
    const Node* ports = items[i]->get("ports");
    if (ports && ports->is_list())
      items[i] = make.with(items[i], "ports", ports_of(*ports, is_main ? kind.port_name : "", make));
  }
  spec = make.with(spec, kContainers, make.list(items, containers->origin()));
  return {make.with(pod, "spec", spec), replica.main};
}

const Node* variable(const Maker& make, std::string_view name, std::string_view value) {
  return make.map({{"name", make.copied(name)}, {"value", make.copied(value)}});
}

const Node* variable_of_field(const Maker& make, std::string_view name, std::string_view path) {
  const Node* field = make.map({{"fieldPath", make.copied(path)}});
  const Node* source = make.map({{"fieldRef", field}});
  return make.map({{"name", make.copied(name)}, {"valueFrom", source}});
}

const Node& main_container(const PodTemplate& pods) {
  return *yaml::items_at(*pods.node, {"spec", kContainers})[pods.main];
}

PodTemplate with_main(const Maker& make, PodTemplate pods, const Node* container) {
  const Node* containers = pods.node->at({"spec", kContainers});
  NodeList items = yaml::copied_items(containers);
  items[pods.main] = container;
  pods.node = make.with_path(pods.node, {"spec", kContainers}, make.list(items, containers->origin()));
  return pods;
}

namespace {

bool refers_to_name(const Node* item) {
  return yaml::text_at(*item, "value").find(kJobSetName) != std::string_view::npos;
}

// A variable with the JobSet's name, which is the TrainJob's.
const Node* variable_of_name(const Maker& make) {
  return variable_of_field(make, "JOBSET_NAME",
                           fmt::format("metadata.labels['{}']", k8s::jobset::kJobSetNameLabel));
}

bool is_in_variable(char c) {
  return base::is_alnum(c) || c == '_';
}

// Whether `matches` is true of a command, an argument or a variable's value of the container.
template <class Matches>
bool has_text(const Node& container, Matches matches) {
  const auto is_it = [&](const Node* item) { return matches(item->text()); };
  return std::ranges::any_of(yaml::items_at(container, "command"), is_it) ||
         std::ranges::any_of(yaml::items_at(container, "args"), is_it) ||
         std::ranges::any_of(yaml::items_at(container, "env"),
                             [&](const Node* item) { return matches(yaml::text_at(*item, "value")); });
}

// Whether the container's texts contain the name as a whole word.
bool reads(const Node& container, std::string_view name) {
  return has_text(container, [&](std::string_view text) {
    for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
      const size_t end = at + name.size();
      if ((at == 0 || !is_in_variable(text[at - 1])) && (end >= text.size() || !is_in_variable(text[end])))
        return true;
    }
    return false;
  });
}

// The container with those of the variables that it reads but does not set.
const Node* with_read(const Maker& make, const Node& container, const NodeList& env) {
  NodeList added;
  for (const Node* item : env) {
    const std::string_view name = yaml::text_at(*item, "name");
    if (reads(container, name) && !yaml::find_named(yaml::items_at(container, "env"), name))
      added.push_back(item);
  }
  if (added.empty()) return &container;
  if (std::ranges::any_of(added, refers_to_name)) added.insert(added.begin(), variable_of_name(make));
  // The container's own variables may refer to these, so they come last.
  for (const Node* item : yaml::items_at(container, "env")) added.push_back(item);
  return make.with(&container, "env", make.with_items(container.get("env"), added));
}

}  // namespace

PodTemplate with_env_of_others(const Maker& make, PodTemplate pods, const NodeList& env) {
  for (const std::string_view list : {kContainers, std::string_view("initContainers")}) {
    const Node* containers = pods.node->at({"spec", list});
    NodeList items;
    for (size_t i = 0; i < yaml::items_of(containers).size(); ++i) {
      const Node& container = *containers->items()[i];
      const bool is_main = list == kContainers && i == pods.main;
      items.push_back(is_main ? &container : with_read(make, container, env));
    }
    if (!containers || std::ranges::equal(items, containers->items())) continue;
    pods.node = make.with_path(pods.node, {"spec", list}, make.list(items, containers->origin()));
  }
  return pods;
}

PodTemplate with_env(const Maker& make, PodTemplate pods, const NodeList& env,
                     std::span<const std::string_view> without) {
  const Node& container = main_container(pods);
  const Node* given = container.get("env");
  std::unordered_set<std::string_view> seen(without.begin(), without.end());
  for (const Node* own : env) seen.insert(yaml::text_at(*own, "name"));
  NodeList all;
  // If two have the same name, the last one counts.
  const auto items = yaml::items_of(given);
  for (size_t i = items.size(); i-- > 0;) {
    if (seen.insert(yaml::text_at(*items[i], "name")).second) all.push_back(items[i]);
  }
  std::ranges::reverse(all);
  if (std::ranges::any_of(env, refers_to_name)) all.push_back(variable_of_name(make));
  all.insert(all.end(), env.begin(), env.end());
  if (all.empty() && !given) return pods;
  const Node* list = all.empty() ? nullptr : make.with_items(given, all);
  return with_main(make, pods, make.with(&container, "env", list));
}

std::vector<PodRange> ranked_pods(const Job& job, std::string_view replicated_job) {
  std::vector<PodRange> pods;
  int64_t begin = 0;
  for (const Replica& replica : job.replicas) {
    pods.push_back({.role = base::lower_case(replica.role),
                    .count = replica.count,
                    .job = std::string(replicated_job),
                    .begin = begin});
    begin += replica.count;
  }
  return pods;
}

PodRange own_pods(const Replica& replica, bool one_each) {
  const std::string role = base::lower_case(replica.role);
  return {.role = role, .count = replica.count, .job = role, .one_each = one_each};
}

std::string address_of(std::string_view replicated_job, int64_t index, int64_t pod) {
  return k8s::jobset::pod_address(k8s::jobset::job_name(kJobSetName, replicated_job, index), pod,
                                  kJobSetName);
}

void apply_restart_policy(Conversion& conversion, const Replica& replica, DraftRole& role) {
  const Maker& make = conversion.make;
  const Node* limit = conversion.job.run_policy("backoffLimit");
  const bool is_pod_of_job = conversion.job.is_mpi_v2() && replica.role == "Launcher";
  const std::string_view policy = replica.restart_policy;
  const auto set_never = [&] {
    role.pods.node = make.with_path(role.pods.node, {"spec", "restartPolicy"}, make.string("Never"));
  };
  if (policy == "Always") {
    conversion.findings.change(replica.field + ".restartPolicy",
                               "Trainer starts a pod again only if it failed, as with OnFailure",
                               "write OnFailure if this is what you want", replica.restart_node);
  }
  if (policy == "Never" || policy == "ExitCode") set_never();
  if (policy == "Never" && !is_pod_of_job) limit = make.integer(0);
  if (limit) role.job_spec.push_back({"backoffLimit", limit, {}});
  if (policy == "ExitCode") {
    const std::string_view container = yaml::text_at(main_container(role.pods), "name");
    role.job_spec.push_back({"podFailurePolicy", fail_permanently(make, container), {}});
  }
}

namespace {

// A difference between v1 replicas that nodes of a TrainJob can't have, but that may not matter to their
// program.
struct SmallDifference {
  std::string field;
  std::string_view what;
  const Node* node = nullptr;
};

std::optional<SmallDifference> small_difference(const Conversion& conversion, const Replica& chosen) {
  for (const Replica& other : conversion.job.replicas) {
    if (&other == &chosen) continue;
    if (const auto place = difference(pods_of(conversion, other).node->get("metadata"),
                                      pods_of(conversion, chosen).node->get("metadata"),
                                      other.field + ".template.metadata", other.pod_template)) {
      const bool is_label = place->field.find(".labels") != std::string::npos;
      return SmallDifference{place->field, is_label ? "labels" : "annotations", place->node};
    }
    if (other.restart_policy != chosen.restart_policy) {
      return SmallDifference{other.field + ".restartPolicy", "restart policy",
                             other.restart_node ? other.restart_node : other.node};
    }
  }
  return std::nullopt;
}

// The replica whose labels all nodes get: the one of --alike, else the workers, which are the most.
const Replica& chosen_replica(const Conversion& conversion) {
  for (const Replica& replica : conversion.job.replicas) {
    if (base::lower_case(replica.role) == base::lower_case(conversion.options.alike)) return replica;
  }
  const Replica* worker = conversion.job.replica("Worker");
  return worker ? *worker : conversion.job.replicas.front();
}

// Whether all replicas are alike except for their number.
bool are_alike(const Conversion& conversion) {
  return !difference_of_replicas(conversion) &&
         !small_difference(conversion, conversion.job.replicas.front());
}

}  // namespace

const Replica* only_template(Conversion& conversion) {
  const Job& job = conversion.job;
  if (conversion.options.plain && !are_alike(conversion)) return nullptr;
  if (const auto place = difference_of_replicas(conversion)) {
    conversion.findings.change(
        place->field,
        fmt::format("{} and {} differ in {}: the job gets a runtime of its own, with the addresses of its "
                    "{} pods",
                    job.replicas.front().role, job.replicas.back().role,
                    place->field.substr(place->field.find(".template") + 10), job.pods()),
        fmt::format("make them alike if they need not differ; {}", kOtherNumberHint), place->node);
    return nullptr;
  }
  const Replica& chosen = chosen_replica(conversion);
  if (const auto place = small_difference(conversion, chosen)) {
    const Replica& other = &chosen == &job.replicas.front() ? job.replicas.back() : job.replicas.front();
    conversion.findings.change(
        place->field,
        fmt::format("the nodes of a TrainJob are all alike: they get the {} of {}, not of {}", place->what,
                    chosen.role, other.role),
        fmt::format("--alike {} takes those of {}, --plain keeps both", other.role, other.role), place->node);
    return &chosen;
  }
  return &job.replicas.front();
}

bool mentions(const Node& container, std::string_view text) {
  return has_text(container, [&](std::string_view own) { return own.find(text) != std::string_view::npos; });
}

bool has_gpus(const Node& container, std::initializer_list<std::string_view> lists) {
  return std::ranges::any_of(lists, [&](std::string_view list) {
    const Node* amounts = container.at({"resources", list});
    return amounts && std::ranges::any_of(amounts->entries(), [](const Entry& entry) {
             return entry.key.find("gpu") != std::string_view::npos;
           });
  });
}

namespace {

constexpr std::string_view kVolcano = "volcano";
constexpr std::string_view kCoscheduling = "coscheduling";
constexpr std::string_view kNoGang = "none";
constexpr std::string_view kKueue = "kueue";

void apply_clean_pod_policy(Conversion& conversion) {
  const Node* policy = conversion.job.run_policy("cleanPodPolicy");
  std::string field = "spec.runPolicy.cleanPodPolicy";
  if (!policy && (policy = conversion.job.get("cleanPodPolicy"))) field = "spec.cleanPodPolicy";
  if (!policy || policy->text() == "Running") return;
  if (policy->text() == "All" && !conversion.job.run_policy("ttlSecondsAfterFinished")) {
    conversion.findings.change(field, "the pods that ended stay with the TrainJob, so that their logs do",
                               "delete the TrainJob to remove them", policy);
  } else if (policy->text() == "None" && conversion.draft.roles.size() > 1) {
    conversion.findings.change(field, "pods that still run when the job ends are removed",
                               "write Running if this is what you want", policy);
  }
}

// Moves the TTL to the JobSet, unless the Trainer version creates a JobSet again after its TTL has deleted
// it.
void apply_ttl(Conversion& conversion) {
  const Node* ttl = conversion.job.run_policy("ttlSecondsAfterFinished");
  if (!ttl) return;
  const model::Behaviours* behaviours = model::find_behaviours(conversion.trainer);
  if (!behaviours || !behaviours->repeats_failed_jobs) {
    conversion.draft.job_set.push_back({"ttlSecondsAfterFinished", ttl, {}});
    return;
  }
  conversion.findings.change(
      "spec.runPolicy.ttlSecondsAfterFinished",
      fmt::format(
          "Trainer {} would run a job that {} again each time this deletes its JobSet: it is left out",
          behaviours->trainer, behaviours->repeats_completed_jobs ? "has ended" : "failed"),
      "delete TrainJobs that have ended: their JobSets and pods go with them", ttl);
}

// The scheduler that the pods name; "" if they name none, or different ones.
std::string_view scheduler_of(const Draft& draft) {
  std::string_view name;
  for (const DraftRole& role : draft.roles) {
    const std::string_view own = yaml::text_at(*role.pods.node, {"spec", "schedulerName"});
    if (own.empty() || (!name.empty() && own != name)) return "";
    name = own;
  }
  return name;
}

class Gang {
 public:
  Gang(Conversion& conversion, const Node& policy) : conversion_(conversion), policy_(policy) {}

  void run() {
    const std::string_view scheduler = scheduler_of(conversion_.draft);
    const std::string_view gang = choose(scheduler);
    if (gang == kNoGang) return;
    if (gang == kCoscheduling) {
      coscheduling(policy_.get("scheduleTimeoutSeconds"), scheduler);
    } else {
      volcano();
    }
    check_members();
  }

 private:
  static std::string field(std::string_view name) {
    return fmt::format("spec.runPolicy.schedulingPolicy.{}", name);
  }

  // By default, Training Operator has no gang scheduler, and ignores the policy.
  std::string_view choose(std::string_view scheduler) {
    const MigrateOptions& options = conversion_.options;
    if (!options.gang.empty()) return options.gang;
    if (scheduler == kVolcano) return kVolcano;
    if (scheduler.find("scheduler-plugins") != std::string_view::npos || scheduler == kCoscheduling)
      return kCoscheduling;
    if (policy_.get("scheduleTimeoutSeconds") && !policy_.get("queue")) return kCoscheduling;
    if (policy_.get("queue") || policy_.get("priorityClass")) return kVolcano;
    const Node* queue = conversion_.job.root->at({"metadata", "labels", model::kKueueLabel});
    const std::string_view shown = queue ? std::string_view(kKueue) : std::string_view(options.shown_gang);
    if (shown == kKueue) {
      note_choice("Kueue admits the pods of a job together: the TrainJob gets no gang scheduler",
                  "--gang volcano and --gang coscheduling give it one");
      return kNoGang;
    }
    if (shown.empty()) {
      note_choice(
          "the inputs name no gang scheduler, and Training Operator has none by default: the pods are not "
          "started together",
          "--gang volcano and --gang coscheduling start them together");
      return kNoGang;
    }
    note_choice(fmt::format("the job does not say which scheduler starts its pods together: {}, as in other "
                            "objects of the inputs",
                            shown == kVolcano ? "Volcano" : "coscheduling"),
                fmt::format("--gang none and --gang {} choose another",
                            shown == kVolcano ? kCoscheduling : kVolcano));
    return shown == kVolcano ? kVolcano : kCoscheduling;
  }

  void note_choice(std::string message, std::string hint) {
    conversion_.findings.change("spec.runPolicy.schedulingPolicy", std::move(message), std::move(hint),
                                &policy_);
  }

  // In the pods that do not set the field themselves.
  void set_in_pods(std::string_view field, const Node* value) {
    for (DraftRole& role : conversion_.draft.roles) {
      if (role.pods.node->at({"spec", field})) continue;
      role.pods.node = conversion_.make.with_path(role.pods.node, {"spec", field}, value);
    }
  }

  void volcano() {
    const Maker& make = conversion_.make;
    conversion_.draft.gang = make.map({{kVolcano, make.map({})}});
    set_in_pods("schedulerName", make.string(kVolcano));
    if (const Node* timeout = policy_.get("scheduleTimeoutSeconds"))
      conversion_.findings.change(field("scheduleTimeoutSeconds"), "Volcano does not use it", "remove it",
                                  timeout);
    if (const Node* queue = policy_.get("queue"); queue && !queue->text().empty())
      conversion_.draft.queue = queue;
    // Trainer takes the PodGroup's priority class from the pods.
    if (const Node* priority = policy_.get("priorityClass"); priority && !priority->text().empty())
      set_in_pods("priorityClassName", priority);
  }

  void coscheduling(const Node* timeout, std::string_view scheduler) {
    const Maker& make = conversion_.make;
    const Node* inner = make.with(nullptr, "scheduleTimeoutSeconds", timeout ? timeout : make.integer(60));
    conversion_.draft.gang = make.map({{kCoscheduling, inner}});
    if (scheduler.empty()) set_in_pods("schedulerName", make.string("scheduler-plugins-scheduler"));
    for (const std::string_view name : {"queue", "priorityClass"}) {
      const Node* given = policy_.get(name);
      if (given) conversion_.findings.change(field(name), "coscheduling does not use it", "remove it", given);
    }
  }

  void check_members() {
    const Node* members = policy_.get("minAvailable");
    if (members && members->as_int() != conversion_.job.pods()) {
      conversion_.findings.change(
          field("minAvailable"),
          fmt::format("Trainer starts all {} pods of the job together", conversion_.job.pods()), "remove it",
          members);
    }
    if (const Node* resources = policy_.get("minResources"))
      conversion_.findings.change(field("minResources"), "Trainer adds up the requests of all pods",
                                  "remove it", resources);
  }

  Conversion& conversion_;
  const Node& policy_;
};

}  // namespace

void apply_run_policy(Conversion& conversion) {
  apply_clean_pod_policy(conversion);
  apply_ttl(conversion);
  const Node* scheduling = conversion.job.run_policy("schedulingPolicy");
  if (scheduling && scheduling->is_map() && scheduling->size() > 0) Gang(conversion, *scheduling).run();
}

DraftRole plain_role(Conversion& conversion, const Replica& replica) {
  DraftRole role{
      .name = base::lower_case(replica.role), .pods = pods_of(conversion, replica, false), .job_spec = {}};
  role.completions = replica.count;
  apply_restart_policy(conversion, replica, role);
  return role;
}

void finish_plain(Conversion& conversion, std::string_view framework) {
  conversion.draft.framework = framework;
  conversion.draft.is_own = true;
}

void add_ranked(Conversion& conversion, const Replica& replica, const NodeList& env) {
  DraftRole role = plain_role(conversion, replica);
  role.replicas = replica.count;
  role.completions = 1;
  conversion.draft.pods.push_back(own_pods(replica, true));
  role.pods = with_env(conversion.make, role.pods, env);
  role.pods = with_env_of_others(conversion.make, role.pods, env);
  conversion.draft.roles.push_back(std::move(role));
}

void add_nodes(Conversion& conversion, const Replica& replica, const PodTemplate& pods,
               std::string_view framework, bool has_policy) {
  DraftRole role{.name = std::string(model::kNode), .trains = true, .pods = pods, .job_spec = {}};
  apply_restart_policy(conversion, replica, role);
  Draft& draft = conversion.draft;
  draft.framework = framework;
  draft.pods = ranked_pods(conversion.job, model::kNode);
  if (has_policy) draft.policy.push_back({framework, conversion.make.map({})});
  const bool is_one = conversion.job.replicas.size() == 1 && replica.count_node;
  draft.num_nodes = is_one ? replica.count_node : conversion.make.integer(conversion.job.pods());
  draft.roles.push_back(std::move(role));
}

void succeed_with(Conversion& conversion, std::string_view replicated_job) {
  const Maker& make = conversion.make;
  const Node* jobs = make.list({make.string(replicated_job)});
  const Node* policy = make.map({{"operator", make.string("All")}, {"targetReplicatedJobs", jobs}});
  conversion.draft.job_set.push_back({"successPolicy", policy, {}});
}

}  // namespace trainjobc::migrate::v1
