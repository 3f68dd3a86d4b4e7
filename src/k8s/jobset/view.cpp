// SPDX-License-Identifier: Apache-2.0

#include "k8s/jobset/view.h"

#include <fmt/format.h>

#include "base/text/suggest.h"
#include "rules/rules.h"

namespace trainjobc::k8s::jobset {
namespace {

using yaml::Node;

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

void add_note(base::Diagnostic& diagnostic, std::string message, const Node* node) {
  if (!node) return;
  const base::Location location = yaml::locate(*node);
  if (location.file) diagnostic.notes.push_back({std::move(message), location});
}

std::string shorten_hint(std::string_view what, size_t excess) {
  return fmt::format("shorten {} by {} character{}", what, excess, excess == 1 ? "" : "s");
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
  std::string all;
  for (const ReplicatedJob& job : job_set.jobs) {
    names.push_back(job.name);
    all += fmt::format("{}\"{}\"", all.empty() ? "" : ", ", job.name);
  }
  if (const auto meant = base::closest(yaml::text_of(name), names)) return suggest(diagnostic, name, *meant);
  if (names.empty()) return;
  diagnostic.hint = fmt::format("{} {}", names.size() == 1 ? "it has only" : "one of", all);
}

}  // namespace trainjobc::k8s::jobset
