// SPDX-License-Identifier: Apache-2.0

#include "platform/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text/text.h"
#include "k8s/jobset/jobset.h"
#include "k8s/object_meta.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "platform/defaults.h"
#include "policy/plugin.h"

namespace trainjobc::platform {
namespace {

using k8s::jobset::JobSetView;
using k8s::jobset::ReplicatedJob;
using yaml::Entry;
using yaml::Maker;
using yaml::Node;

constexpr auto kKinds = std::to_array<KindFacts>({
    {"TrainJob", model::kTrainerGroup, "v1alpha1", "trainjobs"},
    {"TrainingRuntime", model::kTrainerGroup, "v1alpha1", "trainingruntimes"},
    {"ClusterTrainingRuntime", model::kTrainerGroup, "v1alpha1", "clustertrainingruntimes", false},
    {"JobSet", "jobset.x-k8s.io", "v1alpha2", "jobsets"},
    {"Job", "batch", "v1", "jobs"},
    {"Pod", "", "v1", "pods"},
});

std::string namespace_of(const Node& root) {
  return std::string(k8s::effective_namespace(yaml::text_at(root, {"metadata", "namespace"})));
}

// The object with its controller, which has created it.
const Node* owned_by(const Node* object, std::string_view api_version, std::string_view kind,
                     const Node* owner, const Maker& make) {
  const yaml::Origin origin = make.made("controller/owner", {owner});
  const auto text = [&](std::string_view value) { return make.string(value, origin); };
  const Node* reference = make.map({{"apiVersion", text(api_version)},
                                    {"kind", text(kind)},
                                    {"name", owner},
                                    {"uid", text("00000000-0000-0000-0000-000000000000")},
                                    {"controller", make.boolean(true, origin)},
                                    {"blockOwnerDeletion", make.boolean(true, origin)}},
                                   origin);
  return make.with_path(object, {"metadata", "ownerReferences"}, make.list({reference}, origin));
}

// A Job or a pod without a name, as an object of that kind.
const Node* as_object(const Node& given, std::string_view api_version, std::string_view kind,
                      std::initializer_list<Entry> of_metadata, const Maker& make) {
  const Node* metadata = given.get("metadata");
  for (const Entry& entry : of_metadata) metadata = make.with(metadata, entry.key, entry.value);
  return make.map({{"apiVersion", make.string(api_version)},
                   {"kind", make.string(kind)},
                   {"metadata", metadata},
                   {"spec", given.get("spec")}},
                  given.origin());
}

const Node* job_object(const Node& job_template, const Node& job_set, const std::string& name,
                       const Maker& make) {
  const Node* of_job_set = job_set.at({"metadata", "name"});
  const Entry own_name{"name", make.copied(name, make.made("controller/name", {of_job_set})), {}};
  const Node* job = as_object(job_template, "batch/v1", "Job",
                              {own_name, {"namespace", job_set.at({"metadata", "namespace"}), {}}}, make);
  return with_job_defaults(*owned_by(job, model::kJobSetApiVersion, "JobSet", of_job_set, make), make);
}

const Node* pod_object(const Node& job, const std::string& job_name, const Maker& make) {
  const yaml::Origin origin = make.made("controller/name", {job.at({"metadata", "name"})});
  const bool is_indexed = yaml::text_at(job, {"spec", "completionMode"}) == "Indexed";
  const Node* prefix = make.copied(job_name + (is_indexed ? "-0-" : "-"), origin);
  const Node* pod =
      as_object(*job.at({"spec", "template"}), "v1", "Pod",
                {{"generateName", prefix, {}}, {"namespace", job.at({"metadata", "namespace"}), {}}}, make);
  const Node* name = make.copied(job_name, origin);
  for (const std::string_view label : {"job-name", "batch.kubernetes.io/job-name"})
    pod = make.with_path(pod, {"metadata", "labels", label}, name);
  if (is_indexed) {
    constexpr std::string_view kIndex = "batch.kubernetes.io/job-completion-index";
    for (const std::string_view map : {"labels", "annotations"})
      pod = make.with_path(pod, {"metadata", map, kIndex}, make.string("0", origin));
  }
  pod = owned_by(pod, "batch/v1", "Job", name, make);
  return make.with(pod, "spec", with_pod_defaults(*pod->get("spec"), make));
}

void add_pods(const CompiledJob& job, std::vector<Subject>& subjects, const Maker& make) {
  const JobSetView view = k8s::jobset::view_job_set(*job.job_set);
  const std::string ns = namespace_of(*job.job_set);
  for (const ReplicatedJob& replicated_job : view.jobs) {
    if (!replicated_job.pod_spec || replicated_job.replicas <= 0) continue;
    const Node* completed = k8s::jobset::first_job(*job.job_set, view, replicated_job, make);
    const std::string name = k8s::jobset::job_name(view.name, replicated_job.name, 0);
    const Node* object = job_object(*completed, *job.job_set, name, make);
    const std::string field = replicated_job.field + ".template";
    subjects.push_back({find_kind("Job"), object, ns, name, field, replicated_job.replicas});
    const int64_t pods = k8s::jobset::pods_per_job(replicated_job) * replicated_job.replicas;
    if (pods > 0) {
      const bool trains = model::ancestor_of(*replicated_job.node) == model::kTrainer;
      subjects.push_back({find_kind("Pod"), pod_object(*object, name, make), ns, name,
                          field + ".spec.template", pods, trains});
    }
  }
}

// Finds a node in a tree, and how to get there.
class PlaceFinder {
 public:
  explicit PlaceFinder(const Node& wanted) : wanted_(wanted) {}

  Place place;

  bool find(const Node& at, const std::string& field) {
    if (&at == &wanted_) {
      place.field = field;
      if (!place.location.file) place.location = yaml::locate(at);
      return true;
    }
    for (const Entry& entry : at.entries()) {
      const bool is_odd = entry.key.find_first_of("./") != std::string_view::npos;
      const std::string below = is_odd          ? fmt::format("{}[{}]", field, entry.key)
                                : field.empty() ? std::string(entry.key)
                                                : fmt::format("{}.{}", field, entry.key);
      if (entry.value == &wanted_ && !entry.value->is_scalar()) place.location = yaml::locate_key(entry);
      if (find(*entry.value, below)) return true;
    }
    for (size_t i = 0; i < at.items().size(); ++i) {
      if (find(*at.items()[i], fmt::format("{}[{}]", field, i))) return true;
    }
    return false;
  }

 private:
  const Node& wanted_;
};

}  // namespace

const KindFacts* find_kind(std::string_view kind) {
  return base::find(kKinds, kind, &KindFacts::kind);
}

std::vector<Subject> subjects_of(const CompiledJob& job, const Maker& make) {
  std::vector<Subject> subjects;
  if (!job.train_job) return subjects;
  const std::string ns = namespace_of(*job.train_job);
  const std::string name(yaml::text_at(*job.train_job, {"metadata", "name"}));
  subjects.push_back({find_kind(model::kTrainJob), job.train_job, ns, name, ""});
  if (!job.job_set) return subjects;
  const Node* owner = job.train_job->at({"metadata", "name"});
  const Node* job_set = owned_by(job.job_set, model::kTrainerApiVersion, model::kTrainJob, owner, make);
  subjects.push_back({find_kind("JobSet"), job_set, ns, name, ""});
  add_pods(job, subjects, make);
  return subjects;
}

Subject subject_of_runtime(const Node& runtime) {
  const KindFacts* kind = find_kind(yaml::text_at(runtime, "kind"));
  const std::string name(yaml::text_at(runtime, {"metadata", "name"}));
  return {kind, &runtime, kind->is_namespaced ? namespace_of(runtime) : "", name, ""};
}

Place find_place(const Node& root, const Node& node) {
  PlaceFinder finder(node);
  if (!finder.find(root, "")) finder.place = {"", yaml::locate(node)};
  return std::move(finder.place);
}

base::Location place_of_object(const Node& root) {
  const Node* name = root.at({"metadata", "name"});
  base::Location place = yaml::locate(name ? *name : root);
  return place.file ? place : yaml::locate(root);
}

}  // namespace trainjobc::platform
