// SPDX-License-Identifier: Apache-2.0

#include "k8s/jobset/jobset.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "k8s/name_syntax.h"
#include "k8s/object_meta.h"
#include "rules/rules.h"
#include "yaml/changes.h"

namespace trainjobc::k8s::jobset {

int64_t pods_per_job(const ReplicatedJob& job) {
  const int64_t parallelism = job.parallelism.value_or(1);
  return std::max<int64_t>(0, std::min(parallelism, job.completions.value_or(parallelism)));
}

std::string job_name(std::string_view job_set, std::string_view replicated_job, int64_t index) {
  return fmt::format("{}-{}-{}", job_set, replicated_job, index);
}

std::string pod_address(std::string_view job_name, int64_t pod, std::string_view subdomain) {
  return fmt::format("{}-{}.{}", job_name, pod, subdomain);
}

std::string claim_name(std::string_view claim_template, std::string_view job_set) {
  return fmt::format("{}-{}", claim_template, job_set);
}

std::string_view subdomain_of(const JobSetView& view) {
  const std::string_view given = yaml::value_at(*view.spec, {"network", "subdomain"});
  return given.empty() ? view.name : given;
}

namespace {

// A host name as JobSet gives it to a pod: <jobset>-<replicatedJob>-<job index>-<pod index>.<subdomain>.
struct PodName {
  std::string_view prefix;  // <jobset>-<replicatedJob>
  int64_t job_index = 0;
  int64_t pod = 0;
};

std::optional<PodName> pod_name(std::string_view host) {
  std::string_view label = host.substr(0, host.find('.'));
  int64_t numbers[2] = {};
  for (int64_t& number : numbers) {
    const size_t dash = label.rfind('-');
    if (dash == std::string_view::npos || dash == 0) return std::nullopt;
    const auto value = base::read_integer(label.substr(dash + 1));
    if (!value) return std::nullopt;
    number = *value;
    label = label.substr(0, dash);
  }
  return PodName{label, numbers[1], numbers[0]};
}

}  // namespace

bool is_own_pod(const JobSetView& job_set, std::string_view host) {
  const auto name = pod_name(host);
  return name && std::ranges::any_of(job_set.jobs, [&](const ReplicatedJob& job) {
           const int64_t pods = std::max(job.completions.value_or(1), job.parallelism.value_or(1));
           return name->prefix == fmt::format("{}-{}", job_set.name, job.name) &&
                  name->job_index < job.replicas && name->pod < pods;
         });
}

bool is_foreign_pod(const JobSetView& job_set, std::string_view host) {
  if (host.find('$') != std::string_view::npos || host.find('.') == std::string_view::npos) return false;
  return pod_name(host) && !job_set.name.empty() && !is_own_pod(job_set, host);
}

namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

constexpr std::string_view kNamespacedJob = "alpha.jobset.sigs.k8s.io/namespaced-job";
constexpr std::string_view kNoSchedule = "alpha.jobset.sigs.k8s.io/no-schedule";
// Stand-ins of the real length for values that only the cluster knows.
constexpr std::string_view kZeroUid = "00000000-0000-0000-0000-000000000000";
constexpr std::string_view kHash = "0000000000000000000000000000000000000000";

}  // namespace

std::string coordinator_address(const JobSetView& view, const Node& coordinator) {
  const std::string job =
      job_name(view.name, text_at(coordinator, "replicatedJob"), int_at(coordinator, "jobIndex").value_or(0));
  return pod_address(job, int_at(coordinator, "podIndex").value_or(0), subdomain_of(view));
}

namespace {

// The entries that place the Job within the JobSet, which are both labels and annotations.
std::vector<Entry> places(const JobSetView& view, const ReplicatedJob& job, const Maker& make) {
  const yaml::Origin origin = make.made("controller/place", {job.name_node, job.node});
  std::vector<Entry> out;
  const auto add = [&](std::string_view key, const Node* value) { out.push_back({key, value, origin}); };
  const auto number = [&](int64_t value) { return make.copied(std::to_string(value), origin); };
  add(kJobSetNameLabel, make.string(view.name, origin));
  add("jobset.sigs.k8s.io/replicatedjob-name", make.string(job.name, origin));
  add("jobset.sigs.k8s.io/restart-attempt", make.string("0", origin));
  add("jobset.sigs.k8s.io/replicatedjob-replicas", number(job.replicas));
  add("jobset.sigs.k8s.io/global-replicas", number(view.all_jobs));
  add("jobset.sigs.k8s.io/job-index", make.string("0", origin));
  add("jobset.sigs.k8s.io/job-key", make.string(kHash, origin));
  add("jobset.sigs.k8s.io/job-global-index", number(job.jobs_before));
  if (const Node* group = job.node->get("groupName")) {  // since Trainer 2.1
    const std::string_view name = group->text();
    add("jobset.sigs.k8s.io/jobset-uid", make.string(kZeroUid, origin));
    add("jobset.sigs.k8s.io/group-name", make.string(name, make.made("controller/place", {group})));
    add("jobset.sigs.k8s.io/group-replicas", number(view.jobs_of_group.find(name)->second));
    add("jobset.sigs.k8s.io/job-group-index", number(job.jobs_of_group_before));
  }
  if (const Node* coordinator = view.spec->get("coordinator"); coordinator && coordinator->is_map()) {
    const yaml::Origin of_coordinator =
        make.made("controller/coordinator", {coordinator->get("replicatedJob"), coordinator});
    add("jobset.sigs.k8s.io/coordinator",
        make.copied(coordinator_address(view, *coordinator), of_coordinator));
  }
  return out;
}

// The annotations that ask for exclusive placement: the replicatedJob's own override the JobSet's.
std::vector<Entry> exclusive_placement(const Node& admitted, const ReplicatedJob& job) {
  std::vector<Entry> out;
  for (const Node* annotations :
       {admitted.at({"metadata", "annotations"}), job.node->at({"template", "metadata", "annotations"})}) {
    const Entry* exclusive = annotations ? annotations->find(kExclusiveTopology) : nullptr;
    if (!exclusive) continue;
    out.push_back(*exclusive);
    if (const Entry* selector = annotations->find(kNodeSelector)) out.push_back(*selector);
  }
  return out;
}

// `object`, a Job or a pod template, with these entries added to the map `key` of its metadata.
const Node* with_metadata(const Node* object, std::string_view key, const std::vector<Entry>& added,
                          const Maker& make) {
  const Node* given = object->at({"metadata", key});
  std::vector<Entry> entries;
  if (given) entries.assign(given->entries().begin(), given->entries().end());
  for (const Entry& entry : added) yaml::put(entries, entry);
  const yaml::Origin origin = given ? given->origin() : make.made("controller/place", {object});
  return make.with_path(object, {"metadata", key}, make.map(entries, origin));
}

// Selects nodes by a label that names the one Job that may use them.
const Node* with_node_selector(const Node* pod, const Node& admitted, const std::string& name,
                               yaml::Origin origin, const Maker& make) {
  const std::string_view ns = yaml::text_at(admitted, {"metadata", "namespace"});
  const std::string node = fmt::format("{}_{}", k8s::effective_namespace(ns), name);
  const std::vector<Entry> toleration = {{"key", make.string(kNoSchedule, origin), origin},
                                         {"operator", make.string("Exists", origin), origin},
                                         {"effect", make.string("NoSchedule", origin), origin}};
  pod = make.with_path(pod, {"nodeSelector", kNamespacedJob}, make.copied(node, origin));
  const Node* given = pod->get("tolerations");
  std::vector<const Node*> all = yaml::copied_items(given);
  all.push_back(make.map(toleration, origin));
  return make.with(pod, "tolerations", make.list(all, given ? given->origin() : origin));
}

// Trainer 2.0 and 2.1 have no claim templates.
const Node* with_claims(const Node* pod, const JobSetView& view, const Maker& make) {
  const auto policies = items_at(*view.spec, "volumeClaimPolicies");
  if (policies.empty()) return pod;
  const std::set<std::string_view> mounted = mounted_volumes(*pod);
  const Node* given = pod->get("volumes");
  std::vector<const Node*> volumes = yaml::copied_items(given);
  for (const Node* policy : policies) {
    for (const Node* claim : items_at(*policy, "templates")) {
      const Node* name = claim->at({"metadata", "name"});
      if (!name || !mounted.contains(name->text())) continue;
      const yaml::Origin origin = make.made("controller/claim", {name});
      const std::string volume_claim = claim_name(name->text(), view.name);
      const Node* source = make.with(nullptr, "claimName", make.copied(volume_claim, origin));
      const std::vector<Entry> volume = {{"name", make.string(name->text(), origin), origin},
                                         {"persistentVolumeClaim", source, origin}};
      volumes.push_back(make.map(volume, origin));
    }
  }
  if (volumes.empty() || (given && volumes.size() == given->size())) return pod;
  return make.with(pod, "volumes", make.list(volumes, given ? given->origin() : volumes.back()->origin()));
}

}  // namespace

const Node* first_job(const Node& admitted, const JobSetView& view, const ReplicatedJob& replicated_job,
                      const Maker& make) {
  const Node* job = replicated_job.node->get("template");
  if (!job || !replicated_job.pod_spec) return job;
  const std::vector<Entry> labels = places(view, replicated_job, make);
  const std::vector<Entry> placement = exclusive_placement(admitted, replicated_job);
  std::vector<Entry> annotations = labels;
  annotations.insert(annotations.end(), placement.begin(), placement.end());

  const Node* pod = replicated_job.pod_spec;
  const Node* has_names = view.spec->at({"network", "enableDNSHostnames"});
  if (has_names && has_names->as_bool() == true) {
    pod = make.with(pod, "subdomain",
                    make.string(subdomain_of(view), make.made("controller/subdomain", {has_names})));
  }
  job = with_metadata(job, "annotations", annotations, make);
  const Node* asked = job->at({"metadata", "annotations"});
  if (asked->get(kExclusiveTopology) && asked->get(kNodeSelector)) {
    const yaml::Origin origin = make.made("controller/exclusive-placement", {asked->get(kNodeSelector)});
    pod = with_node_selector(pod, admitted, job_name(view.name, replicated_job.name, 0), origin, make);
  }
  pod = with_claims(pod, view, make);

  const Node* pod_template = make.with(job->at({"spec", "template"}), "spec", pod);
  pod_template = with_metadata(pod_template, "labels", labels, make);
  pod_template = with_metadata(pod_template, "annotations", annotations, make);
  return with_metadata(make.with_path(job, {"spec", "template"}, pod_template), "labels", labels, make);
}

namespace {

ReplicatedJob view_replicated_job(const Node& node, size_t index) {
  ReplicatedJob job;
  job.field = fmt::format("spec.replicatedJobs[{}]", index);
  job.node = &node;
  job.name_node = node.get("name");
  job.name = text_at(node, "name");
  job.replicas = int_at(node, "replicas").value_or(1);
  job.job_spec = node.at({"template", "spec"});
  if (!job.job_spec) return job;
  job.pod_spec = job.job_spec->at({"template", "spec"});
  job.parallelism = int_at(*job.job_spec, "parallelism");
  job.completions = int_at(*job.job_spec, "completions");
  job.indexed = text_at(*job.job_spec, "completionMode") == "Indexed";
  return job;
}

}  // namespace

const ReplicatedJob* JobSetView::job(std::string_view job_name) const {
  const auto found = places.find(job_name);
  return found != places.end() ? &jobs[found->second] : nullptr;
}

JobSetView view_job_set(const Node& admitted) {
  JobSetView view;
  view.name_node = admitted.at({"metadata", "name"});
  if (view.name_node) view.name = view.name_node->text();
  view.spec = admitted.get("spec");
  if (!view.spec) return view;
  for (const Node* job : items_at(*view.spec, "replicatedJobs")) {
    ReplicatedJob& added = view.jobs.emplace_back(view_replicated_job(*job, view.jobs.size()));
    view.places.try_emplace(added.name, view.jobs.size() - 1);
    int64_t& of_group = view.jobs_of_group[text_at(*job, "groupName")];
    added.jobs_before = view.all_jobs;
    added.jobs_of_group_before = of_group;
    view.all_jobs += added.replicas;
    of_group += added.replicas;
  }
  return view;
}

std::optional<int64_t> int_at(const Node& map, std::string_view key) {
  const Node* value = map.get(key);
  return value ? value->as_int() : std::nullopt;
}

std::set<std::string_view> mounted_volumes(const Node& pod_spec) {
  std::set<std::string_view> names;
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const Node* container : items_at(pod_spec, list)) {
      for (const Node* mount : items_at(*container, "volumeMounts")) names.insert(text_at(*mount, "name"));
    }
  }
  return names;
}

base::Diagnostic& add(k8s::Violations& out, std::string_view rule, std::string field, std::string message,
                      const Node* culprit, std::string hint) {
  base::Diagnostic& diagnostic = out.emplace_back(rules::finding(rule, std::move(message), std::move(hint)));
  diagnostic.field = std::move(field);
  if (culprit) diagnostic.location = yaml::locate(*culprit);
  return diagnostic;
}

std::string shorten_hint(std::string_view what, size_t excess) {
  return fmt::format("shorten {} by {}", what, base::counted(excess, "character"));
}

void add_too_long(k8s::Violations& out, std::string_view rule, std::string field, std::string message,
                  const JobSetView& job_set, size_t excess, const NamePart& part, size_t times) {
  const size_t surplus = (excess + times - 1) / times;
  if (surplus >= job_set.name.size()) {
    add(out, rule, std::move(field), std::move(message), part.node,
        shorten_hint(fmt::format("the name of the {}", part.what), excess));
    return;
  }
  base::Diagnostic& diagnostic = add(out, rule, std::move(field), std::move(message), job_set.name_node,
                                     shorten_hint("the TrainJob's name", surplus));
  add_note(diagnostic, fmt::format("the {} \"{}\"", part.what, part.name), part.node);
}

void suggest_job(base::Diagnostic& diagnostic, const JobSetView& job_set, const Node* name) {
  std::vector<std::string_view> names;
  for (const ReplicatedJob& job : job_set.jobs) names.push_back(job.name);
  if (const auto meant = base::closest(yaml::text_of(name), names)) return suggest(diagnostic, name, *meant);
  if (names.empty()) return;
  diagnostic.hint = fmt::format("{} {}", names.size() == 1 ? "it has only" : "one of", quoted_list(names));
}

}  // namespace trainjobc::k8s::jobset
