// SPDX-License-Identifier: Apache-2.0

// Claims that pods of several nodes mount, and that only one node or pod can; sidecars that keep pods from
// ending.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "k8s/jobset/jobset.h"
#include "model/trainer_names.h"

namespace trainjobc::compile::advice::claims {
namespace {

using yaml::Node;

constexpr std::string_view kOnce = "ReadWriteOnce";
constexpr std::string_view kOncePod = "ReadWriteOncePod";

// Whether all pods run on one node: by its name, or beside each other.
bool is_on_one_node(const Node& pod) {
  if (!yaml::text_at(pod, "nodeName").empty()) return true;
  const Node* selector = pod.get("nodeSelector");
  if (selector && selector->get("kubernetes.io/hostname")) return true;
  const auto terms =
      items_at(pod, {"affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
  return std::ranges::any_of(
      terms, [](const Node* term) { return text_at(*term, "topologyKey") == "kubernetes.io/hostname"; });
}

bool mounts(const JobPods& pods, std::string_view volume) {
  return pods.spec && k8s::jobset::mounted_volumes(*pods.spec).contains(volume);
}

// How many pods use a claim at the same time.
struct Use {
  int64_t pods = 0;
  bool is_on_one_node = false;
};

template <class Uses>
Use use_of(const std::vector<JobPods>& all, Uses uses) {
  Use use;
  for (const JobPods& pods : all) {
    if (pods.is_awaited || !pods.spec || !uses(pods)) continue;
    use.pods += std::min<int64_t>(pods.count, 1'000'000);
    use.is_on_one_node = use.is_on_one_node || is_on_one_node(*pods.spec);
  }
  return use;
}

bool is_too_much(const Use& use, const Node& mode) {
  return use.pods > 1 && (mode.text() == kOncePod || !use.is_on_one_node);
}

std::string message_of(const Use& use, std::string_view claim, const Node& mode) {
  return fmt::format(
      "{} pods mount claim \"{}\", which is {}: {}", use.pods, claim, mode.text(),
      mode.text() == kOncePod ? "only one of them can start" : "only those on one node can start");
}

// The only access mode of a claim or its template that several nodes can't share; nullptr if there is none.
const Node* exclusive_mode(const Node& claim) {
  const auto modes = items_at(claim, {"spec", "accessModes"});
  if (modes.size() != 1) return nullptr;
  return modes.front()->text() == kOnce || modes.front()->text() == kOncePod ? modes.front() : nullptr;
}

// Where a claim's template is written. The catalogue's can't be edited: then it is where the job names the
// runtime, nullptr if the template is an input's.
struct Template {
  const Node& claim;
  std::string field;
  const Node* runtime_name = nullptr;
};

void check_claim(const Template& made, const std::vector<JobPods>& all, Advisor& advisor) {
  const Node& claim = made.claim;
  const Node* mode = exclusive_mode(claim);
  if (!mode) return;
  const std::string_view name = text_at(claim, {"metadata", "name"});
  const Use use = use_of(all, [&](const JobPods& pods) { return mounts(pods, name); });
  if (!is_too_much(use, *mode)) return;
  std::string message = message_of(use, name, *mode);
  if (!made.runtime_name) {
    advisor.warn("advice/claim-access", made.field + ".spec.accessModes", std::move(message),
                 yaml::locate(*mode), "write ReadWriteMany, with a storage class that offers it");
    return;
  }
  base::Diagnostic& found = advisor.warn(
      "advice/claim-access", "spec.runtimeRef.name", std::move(message), yaml::locate(*made.runtime_name),
      "use a runtime of your own whose claim is ReadWriteMany, or one node");
  add_note(found, "the claim", mode);
}

void check_claims(const Node& job_set_spec, const std::string& prefix, const Node* runtime_name,
                  const std::vector<JobPods>& all, Advisor& advisor) {
  const auto policies = items_at(job_set_spec, "volumeClaimPolicies");
  for (size_t i = 0; i < policies.size(); ++i) {
    const auto templates = items_at(*policies[i], "templates");
    for (size_t j = 0; j < templates.size(); ++j)
      check_claim({*templates[j], fmt::format("{}.volumeClaimPolicies[{}].templates[{}]", prefix, i, j),
                   runtime_name},
                  all, advisor);
  }
}

bool mounts_claim(const JobPods& pods, std::string_view claim) {
  return std::ranges::any_of(items_at(*pods.spec, "volumes"), [&](const Node* volume) {
    return text_at(*volume, {"persistentVolumeClaim", "claimName"}) == claim &&
           mounts(pods, text_at(*volume, "name"));
  });
}

// The PersistentVolumeClaims of the inputs that the pods name.
void check_named_claims(std::string_view ns, const std::string& prefix, const std::vector<JobPods>& all,
                        const Surroundings& around, Advisor& advisor) {
  if (around.claims.empty()) return;
  std::set<std::string_view> seen;
  for (size_t i = 0; i < all.size(); ++i) {
    for (const Node* volume : all[i].spec ? items_at(*all[i].spec, "volumes") : yaml::items_of(nullptr)) {
      const Node* name = volume->at({"persistentVolumeClaim", "claimName"});
      const Node* claim = name ? around.claim(ns, name->text()) : nullptr;
      const Node* mode = claim ? exclusive_mode(*claim) : nullptr;
      if (!mode || !mounts_claim(all[i], name->text()) || !seen.insert(name->text()).second) continue;
      const Use use = use_of(all, [&](const JobPods& pods) { return mounts_claim(pods, name->text()); });
      if (!is_too_much(use, *mode)) continue;
      base::Diagnostic& found =
          advisor.warn("advice/claim-access",
                       fmt::format("{}.replicatedJobs[{}].template.spec.template.spec.volumes", prefix, i),
                       message_of(use, name->text(), *mode), yaml::locate(*name),
                       "name a claim that is ReadWriteMany, with a storage class that offers it");
      add_note(found, "the claim", mode);
    }
  }
}

void check_job_claims(const AdviceContext& context, Advisor& advisor) {
  const Node* spec = context.admitted_job_set.get("spec");
  if (!spec || (context.around.claims.empty() && items_at(*spec, "volumeClaimPolicies").empty())) return;
  const std::vector<JobPods> all = pods_of(context.admitted_job_set);
  const Node* runtime_name =
      context.runtime.from_catalogue ? context.job.root->at({"spec", "runtimeRef", "name"}) : nullptr;
  check_claims(*spec, "spec", runtime_name, all, advisor);
  check_named_claims(context.job.id.ns, "spec", all, context.around, advisor);
}

void check_runtime_claims(const RuntimeContext& context, Advisor& advisor) {
  if (context.has_jobs || !context.info.job_set_spec) return;
  const std::vector<JobPods> all = pods_of(context.info);
  check_claims(*context.info.job_set_spec, "spec.template.spec", nullptr, all, advisor);
  if (!context.runtime.id.ns.empty())
    check_named_claims(context.runtime.id.ns, "spec.template.spec", all, context.around, advisor);
}

constexpr std::string_view kInject = "sidecar.istio.io/inject";

std::string sidecar_message(std::string_view job) {
  return fmt::format("Istio's sidecar stands between the pods of \"{}\": they may neither meet nor end", job);
}

const Node* pod_metadata(const Node& replicated_job) {
  return replicated_job.at({"template", "spec", "template", "metadata"});
}

// The map of the pod's metadata in which it asks for the sidecar; "" if it doesn't.
std::string_view map_with_sidecar(const Node& metadata) {
  for (const std::string_view map : {"labels", "annotations"}) {
    if (text_at(metadata, {map, kInject}) == "true") return map;
  }
  return {};
}

bool asks_for_sidecar(const Node& metadata) {
  return !map_with_sidecar(metadata).empty();
}

// Istio's sidecar intercepts the connections between nodes, and may keep running after the program has ended.
void check_sidecar(const Node& metadata, std::string_view job, const std::string& field, Advisor& advisor) {
  const std::string_view map = map_with_sidecar(metadata);
  if (map.empty()) return;
  advisor.warn("advice/istio-sidecar", fmt::format("{}.{}[{}]", field, map, kInject), sidecar_message(job),
               yaml::locate(*metadata.at({map, kInject})), "write \"false\"");
}

void check_sidecars(const RuntimeContext& context, Advisor& advisor) {
  for (size_t i = 0; i < context.info.pod_sets.size(); ++i) {
    const policy::PodSet& set = context.info.pod_sets[i];
    const Node* metadata = pod_metadata(*set.replicated_job);
    if (metadata)
      check_sidecar(*metadata, set.name, replicated_job_field(i) + ".template.spec.template.metadata",
                    advisor);
  }
}

// Sidecars that a patch of the job asks for.
void check_job_sidecars(const AdviceContext& context, Advisor& advisor) {
  const Node* spec = context.runtime.job_set_spec;
  const auto own_jobs = spec ? items_at(*spec, "replicatedJobs") : yaml::items_of(nullptr);
  const auto jobs = items_at(context.admitted_job_set, {"spec", "replicatedJobs"});
  for (size_t i = 0; i < jobs.size(); ++i) {
    const Node* metadata = pod_metadata(*jobs[i]);
    const std::string_view name = text_at(*jobs[i], "name");
    const Node* own_job = yaml::find_named(own_jobs, name);
    const Node* own = own_job ? pod_metadata(*own_job) : nullptr;
    if (!metadata || (context.runtime_is_input && own && asks_for_sidecar(*own))) continue;
    check_sidecar(*metadata, name, fmt::format("spec.replicatedJobs[{}].template.spec.template.metadata", i),
                  advisor);
  }
}

// Istio injects its sidecar into all pods of a labelled namespace that don't refuse it.
void check_namespace(const AdviceContext& context, Advisor& advisor) {
  const Node* ns = context.around.find_namespace(context.job.id.ns);
  const Node* labels = ns ? ns->at({"metadata", "labels"}) : nullptr;
  const Node* injects = labels ? labels->get("istio-injection") : nullptr;
  if (injects && injects->text() != "enabled") return;
  if (!injects) injects = labels ? labels->get("istio.io/rev") : nullptr;
  if (!injects) return;
  const auto takes_sidecar = [](const Node* job) {
    const Node* metadata = pod_metadata(*job);
    return !metadata || (!metadata->at({"labels", kInject}) && !metadata->at({"annotations", kInject}));
  };
  const auto jobs = items_at(context.admitted_job_set, {"spec", "replicatedJobs"});
  const auto at = std::ranges::find_if(jobs, takes_sidecar);
  if (at == jobs.end()) return;
  base::Diagnostic& found =
      advisor.warn("advice/istio-sidecar", "metadata.namespace", sidecar_message(text_at(**at, "name")),
                   yaml::locate(*context.job.root->at({"metadata", "name"})),
                   fmt::format("label the pods {}: \"false\", in the runtime", kInject));
  add_note(found, "the namespace's label", injects);
}

}  // namespace

Checks checks() {
  return {.job = {check_job_claims, check_job_sidecars, check_namespace},
          .runtime = {check_runtime_claims, check_sidecars}};
}

}  // namespace trainjobc::compile::advice::claims
