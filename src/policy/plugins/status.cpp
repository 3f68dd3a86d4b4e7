// SPDX-License-Identifier: Apache-2.0

// TrainJobStatus, behind the feature gate of that name: containers that train get an address, a token and a
// certificate with which they report their progress to the controller.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/text/text.h"
#include "k8s/object_meta.h"
#include "model/trainer_names.h"
#include "policy/container.h"
#include "policy/plugins.h"
#include "policy/runtime_info.h"

namespace trainjobc::policy::status {
namespace {

using yaml::Maker;
using yaml::Node;

constexpr std::string_view kGate = "TrainJobStatus";

constexpr std::string_view kSuffix = "-tls-config";
constexpr std::array<OwnedObject, 1> kObjects{{{"ConfigMap", kSuffix, OwnedObject::Content::FromController}}};

constexpr std::array<std::string_view, 4> kAdded{"KUBEFLOW_TRAINER_SERVER_URL",
                                                 "KUBEFLOW_TRAINER_SERVER_CA_CERT",
                                                 "KUBEFLOW_TRAINER_SERVER_TOKEN", "kubeflow-trainer-token"};
constexpr std::span<const std::string_view> kEnv = std::span(kAdded).first<3>();
constexpr std::string_view kVolume = kAdded.back();

// Where the manifests and the chart install the controller.
constexpr std::string_view kServer = "https://kubeflow-trainer-controller-manager.kubeflow-system.svc:10443";

constexpr std::string_view kFolder = "/var/run/secrets/kubeflow/trainer";
constexpr std::string_view kCertificate = "ca.crt";
constexpr std::string_view kToken = "token";
constexpr int64_t kTokenSeconds = 3600;

bool is_on(const PluginContext& context) {
  return base::contains(context.info.behaviours->feature_gates, kGate) &&
         base::contains(context.options.feature_gates, kGate);
}

// The job's resource in the controller's own API, which is also what the token is for.
std::string status_path(const model::TrainJob& job) {
  return fmt::format("{}/namespaces/{}/trainjobs/{}/status", model::kTrainerApiVersion,
                     model::effective_namespace(job.id), job.id.name);
}

const Node* token_volume(const Maker& make, const model::TrainJob& job, yaml::Origin origin) {
  const Node* token = make.map({{"audience", make.copied(status_path(job), origin)},
                                {"expirationSeconds", make.integer(kTokenSeconds, origin)},
                                {"path", make.string(kToken, origin)}},
                               origin);
  const Node* item = make.map(
      {{"key", make.string(kCertificate, origin)}, {"path", make.string(kCertificate, origin)}}, origin);
  const Node* config_map = make.map({{"name", make.copied(fmt::format("{}{}", job.id.name, kSuffix), origin)},
                                     {"items", make.list(NodeList{item}, origin)}},
                                    origin);
  const NodeList sources{make.map({{"serviceAccountToken", token}}, origin),
                         make.map({{"configMap", config_map}}, origin)};
  return make.map({{"name", make.string(kVolume, origin)},
                   {"projected", make.map({{"sources", make.list(sources, origin)}}, origin)}},
                  origin);
}

// What the job itself sets stays.
bool is_set_by_job(const model::TrainJob& job, std::string_view name) {
  return job.trainer && yaml::find_named(yaml::items_of(job.trainer->env), name) != nullptr;
}

void expand(PluginContext& context) {
  if (!is_on(context)) return;
  const model::TrainJob& job = *context.info.job;
  PodSet* trainer = context.info.pod_set_by_ancestor(model::kTrainer);
  if (!trainer) return;
  const Maker& make = context.make;
  const auto made = [&](std::string_view rule) { return make.made(rule); };
  const std::array<std::string, 3> values{fmt::format("{}/apis/{}", kServer, status_path(job)),
                                          fmt::format("{}/{}", kFolder, kCertificate),
                                          fmt::format("{}/{}", kFolder, kToken)};
  for (Container& container : trainer->containers) {
    for (size_t i = 0; i < kEnv.size(); ++i) {
      const bool is_own = container.name == model::kNode && is_set_by_job(job, kEnv[i]);
      if (!is_own) upsert_env(container.env, env_value(make, kEnv[i], values[i], made("status/env")));
    }
    const yaml::Origin origin = made("status/mount");
    upsert_volume_mount(container.volume_mounts, make.map({{"name", make.string(kVolume, origin)},
                                                           {"mountPath", make.string(kFolder, origin)},
                                                           {"readOnly", make.boolean(true, origin)}},
                                                          origin));
  }
  upsert_volume(trainer->volumes, token_volume(make, job, made("status/volume")));
}

// The certificate is the one of the controller's server, which only the cluster has.
void build(PluginContext& context, NodeList& objects) {
  if (!is_on(context)) return;
  const Maker& make = context.make;
  const yaml::Origin origin = make.made("status/tls-config");
  const Node* data = make.map({{kCertificate, make.string("", origin)}}, origin);
  const model::TrainJob& job = *context.info.job;
  objects.push_back(owned_object(make, job, "v1", "ConfigMap", fmt::format("{}{}", job.id.name, kSuffix),
                                 {{"data", data}}, origin));
}

}  // namespace

constexpr Plugin kPlugin{.name = "TrainJobStatus",
                         .objects = kObjects,
                         .gate = kGate,
                         .added_names = kAdded,
                         .expand = expand,
                         .build = build};

}  // namespace trainjobc::policy::status
