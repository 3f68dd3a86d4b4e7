// SPDX-License-Identifier: Apache-2.0

// The SSH key of an MPI job: the launcher must be able to read it, and ssh refuses a key that others can
// read.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compile/advice/checks.h"
#include "compile/advice/containers/all_containers.h"
#include "compile/advice/containers/command_lines.h"
#include "model/trainer_names.h"

namespace trainjobc::compile::advice {
namespace {

using policy::Container;
using policy::PodSet;
using yaml::Node;

constexpr std::string_view kRootHome = "/root/";

// What runs ssh, and as which user. nullptr for what the runtime leaves to the image.
struct Client {
  const PodSet& set;
  const Container& container;
  std::string field;      // spec.template.spec.replicatedJobs[0].template.spec.template.spec
  std::string_view path;  // where the key is mounted
  const Node* path_node = nullptr;
  const Node* user = nullptr;
  const Node* group = nullptr;
  const Node* volume_group = nullptr;

  bool is_root() const { return user ? user->as_int() == 0 : path.starts_with(kRootHome); }
};

const Node* security_setting(const PodSet& set, const Container& container, std::string_view name) {
  const Node* own = container.node->at({"securityContext", name});
  return own ? own : set.pod_spec()->at({"securityContext", name});
}

std::optional<Client> client_of(const policy::RuntimeInfo& info) {
  const PodSet* launcher = info.pod_set_by_name(model::kLauncher);
  const Container* container = launcher ? find_container(*launcher, model::kNode) : nullptr;
  if (!container) return std::nullopt;
  const auto& path = info.policy->mpi->ssh_auth_mount_path;
  return Client{*launcher,
                *container,
                replicated_job_field(static_cast<size_t>(launcher - info.pod_sets.data())) +
                    ".template.spec.template.spec",
                path ? std::string_view(path->value) : "/root/.ssh",
                path ? path->node : nullptr,
                security_setting(*launcher, *container, "runAsUser"),
                security_setting(*launcher, *container, "runAsGroup"),
                launcher->pod_spec()->at({"securityContext", "fsGroup"})};
}

// Whether the file's group, root's, is one of the client's.
bool is_in_root_group(const Client& client) {
  const Node* more = client.set.pod_spec()->at({"securityContext", "supplementalGroups"});
  const auto is_zero = [](const Node* group) { return group->as_int() == 0; };
  return (client.group && is_zero(client.group)) || (more && std::ranges::any_of(more->items(), is_zero));
}

// A container that copies the key chooses the mode of its copy.
bool copies_key(const PodSet& set) {
  const auto does = [](const Container& container) {
    const auto words = words_of({container.command, container.node->get("args")});
    return std::ranges::any_of(
        words, [](std::string_view word) { return word.find("chmod") != std::string_view::npos; });
  };
  return std::ranges::any_of(set.containers, does) || std::ranges::any_of(set.init_containers, does);
}

base::Location place_of(const Client& client, const Node* setting) {
  return yaml::locate(setting ? *setting : *client.set.replicated_job->get("name"));
}

// ssh looks for its key in its user's home folder, and /root is not another user's.
void check_home(const Client& client, Advisor& advisor) {
  if (client.is_root() || !client.path.starts_with(kRootHome)) return;
  const base::Location written = client.path_node ? yaml::locate(*client.path_node) : base::Location();
  advisor.warn("advice/ssh-key", "spec.mlPolicy.mpi.sshAuthMountPath",
               fmt::format("mpirun runs as user {}, whose ssh does not look for the key in {}",
                           client.user->text(), client.path),
               written.file ? written : yaml::locate(*client.user),
               "set sshAuthMountPath to the folder .ssh in the user's home");
}

}  // namespace

void check_ssh_key(const RuntimeContext& context, Advisor& advisor) {
  if (!context.info.is_mpi()) return;
  const auto client = client_of(context.info);
  // ssh takes its key from a folder .ssh; what is mounted elsewhere is copied.
  if (!client || !client->path.ends_with("/.ssh") || copies_key(client->set)) return;
  check_home(*client, advisor);
  const bool has_modes = context.info.behaviours->mpi.key_has_modes;
  if (client->is_root()) {
    advisor.warn(
        "advice/ssh-key", client->field + ".securityContext.runAsUser",
        fmt::format("mpirun runs as root, and ssh refuses the key in {}: others can read it, mode {}",
                    client->path, has_modes ? "0640" : "0644"),
        place_of(*client, client->user),
        has_modes ? "set runAsUser, and fsGroup in the pod's securityContext"
                  : "set runAsUser in the securityContext");
  } else if (has_modes && !client->volume_group && !is_in_root_group(*client)) {
    advisor.warn(
        "advice/ssh-key", client->field + ".securityContext.fsGroup",
        fmt::format("mpirun can't read the key in {}: its owner and group are root, its mode is 0640",
                    client->path),
        place_of(*client, client->user), "set fsGroup in the pod's securityContext");
  }
}

}  // namespace trainjobc::compile::advice
