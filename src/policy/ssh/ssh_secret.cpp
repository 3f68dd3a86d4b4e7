// SPDX-License-Identifier: Apache-2.0

#include "policy/ssh/ssh_secret.h"

#include <fmt/format.h>

#include "base/text/base64.h"
#include "policy/build_nodes.h"
#include "policy/ssh/ssh_key.h"

namespace trainjobc::policy {
namespace {

// The job that a derived key belongs to. A job without a namespace may be applied to any, so it must not
// share the key of one in "default". Names contain no slash.
std::string seed_context(const model::TrainJob& job) {
  return fmt::format("{}/{}", job.id.ns, job.id.name);
}

SshKeyResult make_key(const SshKeyOptions& options, const model::TrainJob& job) {
  switch (options.source) {
    case SshKeySource::File: return load_ssh_key(options.material);
    case SshKeySource::Seed: return derive_ssh_key(options.material, seed_context(job));
    case SshKeySource::Generate:
    case SshKeySource::Omit: break;
  }
  return generate_ssh_key();
}

}  // namespace

const yaml::Node* ssh_secret(PluginContext& context, const std::string& name) {
  if (context.options.ssh_key.source == SshKeySource::Omit) return nullptr;
  const model::TrainJob& job = *context.info.job;
  const SshKeyResult result = make_key(context.options.ssh_key, job);
  if (const auto* error = std::get_if<KeyError>(&result)) {
    context.findings.add("render/ssh-key", "", fmt::format("no SSH key for the job: {}", error->message),
                         nullptr);
    return nullptr;
  }
  const auto& pair = std::get<SshKeyPair>(result);
  const yaml::Maker& make = context.make;
  const yaml::Origin origin = make.made("mpi/ssh-key");
  const yaml::Node* data =
      map_of(make,
             {{"ssh-privatekey", make.copied(base::base64_encode(pair.private_pem), origin)},
              {"ssh-publickey", make.copied(base::base64_encode(pair.authorized_key), origin)}},
             origin);
  return map_of(make,
                {{"apiVersion", make.string("v1", origin)},
                 {"kind", make.string("Secret", origin)},
                 {"metadata", owned_metadata(make, job, name)},
                 {"type", make.string("kubernetes.io/ssh-auth", origin)},
                 {"immutable", make.boolean(true, origin)},
                 {"data", data}},
                origin);
}

}  // namespace trainjobc::policy
