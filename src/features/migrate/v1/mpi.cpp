// SPDX-License-Identifier: Apache-2.0

// MPIJob of Training Operator v1 (kubectl exec) and of the MPI Operator (v2beta1, SSH): a launcher and nodes.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "features/migrate/v1/draft.h"
#include "k8s/violations.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "policy/plugins.h"
#include "yaml/changes.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Maker;
using yaml::Node;

constexpr std::string_view kRole = "K_MPI_JOB_ROLE";
constexpr std::string_view kOpenMpi = "OpenMPI";
constexpr std::string_view kRootPath = "/root/.ssh";

// The folders of root's copy of the key, and of a hostfile for MPICH and Intel MPI.
constexpr std::string_view kKeyFolder = "/etc/root-ssh-key";
constexpr std::string_view kMountedKey = "/mnt/ssh-auth";
constexpr std::string_view kMountedHosts = "/mnt/mpi-hostfile";
constexpr std::string_view kHydraFolder = "/etc/hydra-hostfile";
constexpr std::string_view kHydraHosts = "/etc/hydra-hostfile/hostfile";

// A volume of the MPI Operator, and its counterpart in Trainer.
struct OldVolume {
  std::string_view name;
  std::string_view trainer;
};

constexpr std::array<OldVolume, 2> kVolumes{
    {{"mpi-job-config", "mpi-hostfile"}, {"ssh-auth", "mpi-ssh-auth"}}};

// Training Operator v1 gives a launcher with GPUs its own ranks.
bool has_gpu_limit(const Node& pod_template) {
  return std::ranges::any_of(yaml::items_at(pod_template, {"spec", "containers"}),
                             [](const Node* container) { return has_gpus(*container, {"limits"}); });
}

class MpiDraft {
 public:
  explicit MpiDraft(Conversion& conversion)
      : conversion_(conversion),
        job_(conversion.job),
        make_(conversion.make),
        worker_(job_.replica("Worker")) {
    if (const Replica* launcher = job_.replica("Launcher"))
      trains_too_ = job_.is_mpi_v2() ? yaml::is_true_at(*job_.spec, "runLauncherAsWorker")
                                     : has_gpu_limit(*launcher->pod_template);
  }

  void run() {
    const Replica* launcher = job_.replica("Launcher");
    if (!launcher) {
      conversion_.findings.lose("spec.mpiReplicaSpecs", "an MPIJob needs a Launcher", "add a Launcher",
                                job_.get("mpiReplicaSpecs"));
      return;
    }
    if (!find_implementation()) return;
    check_transport();
    check_key();
    write_policy();
    std::vector<PodRange>& pods = conversion_.draft.pods;
    if (worker_)
      pods.push_back({.role = "worker", .count = worker_->count, .job = std::string(model::kNode)});
    pods.push_back({.role = "launcher", .job = std::string(model::kLauncher)});
    if (worker_) add_worker();
    add_launcher(*launcher);
    succeed_with(conversion_, model::kLauncher);
  }

 private:
  // False, with a finding, if the implementation is not known.
  bool find_implementation() {
    const Node* given = job_.get("mpiImplementation");
    if (!given || given->text() == kOpenMpi) return true;
    const auto others = policy::mpi::kPlugin.framework.other_implementations;
    const auto found = std::ranges::find(others, given->text(), &policy::MpiImplementation::name);
    if (found == others.end()) {
      conversion_.findings.lose("spec.mpiImplementation",
                                fmt::format("there is no implementation {}", k8s::quoted(*given)),
                                "it is one of Intel, MPICH and OpenMPI", given);
      return false;
    }
    other_ = &*found;
    return true;
  }

  void check_transport() {
    if (job_.is_mpi_v2()) return;
    conversion_.findings.change(
        "kind", "Trainer's launcher reaches the nodes with SSH, not with kubectl exec",
        "the image needs sshd and ssh, and a user who may start it", job_.root->get("kind"));
    if (const Node* main = job_.get("mainContainer")) {
      const auto& container =
          main_container(pods_of(conversion_, worker_ ? *worker_ : job_.replicas.front(), false));
      if (yaml::text_at(container, "name") != main->text())
        conversion_.findings.lose("spec.mainContainer",
                                  "the ranks run in the container that runs sshd, the first one",
                                  "make this container the first one", main);
    }
  }

  // The user that the container runs as; nullptr if the image decides.
  static const Node* user_of(const PodTemplate& pods) {
    const Node* user = main_container(pods).at({"securityContext", "runAsUser"});
    return user ? user : pods.node->at({"spec", "securityContext", "runAsUser"});
  }

  bool is_in_root() const {
    const std::string_view path = yaml::text_of(job_.get("sshAuthMountPath"));
    return path.empty() || path == kRootPath;
  }

  // Trainer's mode for the key allows one user and one group to read it.
  void check_key() {
    if (!is_in_root() || conversion_.options.copies_key) return;
    const Node* path = job_.get("sshAuthMountPath");
    conversion_.findings.change(
        "spec.sshAuthMountPath", "as root, ssh refuses the key that Trainer mounts: others can read it",
        "run launcher and workers as a user, and mount the key at that user's .ssh; or "
        "use --root-key copy",
        path ? path : job_.root->get("kind"));
  }

  // Like the MPI Operator, lets pods on the host's network find the others by name.
  PodTemplate with_dns(PodTemplate pods) const {
    if (!job_.is_mpi_v2() || !yaml::is_true_at(*pods.node, {"spec", "hostNetwork"})) return pods;
    pods.node = make_.with_path(pods.node, {"spec", "dnsPolicy"}, make_.string("ClusterFirstWithHostNet"));
    return pods;
  }

  // Adds a group: a user other than root can read the key only as a member of the pod's group.
  PodTemplate with_group(PodTemplate pods) const {
    const Node* user = user_of(pods);
    if (is_in_root() || !user || pods.node->at({"spec", "securityContext", "fsGroup"})) return pods;
    pods.node = make_.with_path(pods.node, {"spec", "securityContext", "fsGroup"},
                                make_.plain(user->kind(), user->text()));
    return pods;
  }

  const Node* mount_of(std::string_view volume, std::string_view path) const {
    return make_.map({{"name", make_.string(volume)}, {"mountPath", make_.string(path)}});
  }

  const Node* with_item(const Node* map, std::string_view key, const Node* item) const {
    NodeList items = yaml::copied_items(map->get(key));
    items.push_back(item);
    return make_.with(map, key, make_.with_items(map->get(key), items));
  }

  // As root, ssh refuses a key that others can read, which is the case in Trainer's mount: an init container
  // makes a copy that only root can read. Nodes need it, too, because they start the processes of other
  // nodes.
  PodTemplate with_key(PodTemplate pods) const {
    if (!is_in_root() || !conversion_.options.copies_key) return pods;
    return with_prepared(pods, main_container(pods),
                         {kRootKeyVolume, kKeyFolder, "mpi-ssh-auth", kMountedKey,
                          fmt::format("cp {0}/id_rsa {1}/ && chmod 600 {1}/id_rsa", kMountedKey, kKeyFolder),
                          make_.map({{"medium", make_.string("Memory")}})});
  }

  // MPICH and Intel MPI need another form of hostfile than Trainer's, and recognise their own host by its
  // name without a domain: an init container of the launcher converts it.
  PodTemplate with_hostfile(PodTemplate pods) const {
    const Node* main = &main_container(pods);
    for (const std::string_view key : {"command", "args", "env"}) {
      const Node* list = main->get(key);
      if (list) main = make_.with(main, key, with_hydra_path(*list));
    }
    return with_prepared(
        pods, *main,
        {kHydraVolume, kHydraFolder, "mpi-hostfile", kMountedHosts,
         fmt::format(R"(sed -e 's/ slots=/:/' -e "s/^$(uname -n)\.[^:]*/$(uname -n)/" {}/hostfile > {})",
                     kMountedHosts, kHydraHosts),
         make_.map({})});
  }

  // The text with the path of the converted hostfile.
  const Node* with_hydra_path(const Node& node) const {
    constexpr std::string_view kOld = "/etc/mpi/hostfile";
    if (node.is_string()) {
      std::string text(node.text());
      for (size_t at = text.find(kOld); at != std::string::npos;
           at = text.find(kOld, at + kHydraHosts.size()))
        text.replace(at, kOld.size(), kHydraHosts);
      return text == node.text() ? &node : make_.copied(text, node.origin());
    }
    if (node.is_list()) {
      yaml::ChangedList changed(node);
      for (const Node* item : node.items()) changed.take(with_hydra_path(*item));
      return changed.node(make_);
    }
    const Node* value = node.get("value");
    const Node* changed = value ? with_hydra_path(*value) : nullptr;
    return changed == value ? &node : make_.with(&node, "value", changed);
  }

  // Something that an init container prepares for the main container, in a volume of its own.
  struct Prepared {
    std::string_view volume;
    std::string_view folder;  // where both containers mount it
    std::string_view source;  // the volume that the script reads
    std::string_view source_folder;
    std::string script;
    const Node* empty_dir = nullptr;
  };

  // The init container runs the main container's image as its user.
  PodTemplate with_prepared(PodTemplate pods, const Node& main, const Prepared& what) const {
    const NodeList command{make_.string("sh"), make_.string("-c"), make_.copied(what.script)};
    const NodeList mounts{mount_of(what.source, what.source_folder), mount_of(what.volume, what.folder)};
    Entries init{{"name", make_.string(what.volume), {}}};
    for (const std::string_view key : {"image", "imagePullPolicy"}) {
      if (const Node* value = main.get(key)) init.push_back({key, value, {}});
    }
    init.push_back({"command", make_.list(command), {}});
    if (const Node* security = main.get("securityContext")) init.push_back({"securityContext", security, {}});
    init.push_back({"volumeMounts", make_.list(mounts), {}});
    pods = with_main(make_, pods, with_item(&main, "volumeMounts", mount_of(what.volume, what.folder)));
    const Node* volume = make_.map({{"name", make_.string(what.volume)}, {"emptyDir", what.empty_dir}});
    const Node* spec = with_item(pods.node->get("spec"), "initContainers", make_.map(init));
    pods.node = make_.with(pods.node, "spec", with_item(spec, "volumes", volume));
    return pods;
  }

  // Containers may mount the MPI Operator's volumes by name; these become Trainer's.
  PodTemplate with_volumes(PodTemplate pods) const {
    for (const std::string_view list : {"containers", "initContainers"}) {
      const Node* containers = pods.node->at({"spec", list});
      if (!containers) continue;
      yaml::ChangedList changed(*containers);
      for (const Node* container : containers->items()) changed.take(with_mounts(*container));
      pods.node = make_.with_path(pods.node, {"spec", list}, changed.node(make_));
    }
    return pods;
  }

  const Node* with_mounts(const Node& container) const {
    NodeList mounts;
    const Node* given = container.get("volumeMounts");
    for (const Node* mount : yaml::items_of(given)) {
      const auto ours = std::ranges::find(kVolumes, yaml::text_at(*mount, "name"), &OldVolume::name);
      const std::string_view path = yaml::text_at(*mount, "mountPath");
      if (ours == kVolumes.end()) {
        mounts.push_back(mount);
      } else if (path != "/etc/mpi" && path != ssh_path()) {
        mounts.push_back(make_.with(mount, "name", make_.string(ours->trainer)));
      }  // otherwise Trainer mounts it there itself
    }
    if (!given || std::ranges::equal(mounts, given->items())) return &container;
    const Node* list = mounts.empty() ? nullptr : make_.list(mounts, given->origin());
    return make_.with(&container, "volumeMounts", list);
  }

  std::string_view ssh_path() const {
    const std::string_view path = yaml::text_of(job_.get("sshAuthMountPath"));
    return path.empty() ? kRootPath : path;
  }

  void write_policy() {
    const Node* path = job_.get("sshAuthMountPath");
    if (path && path->text().empty()) path = nullptr;
    const Node* policy = make_.map({
        {"mpiImplementation", make_.string(kOpenMpi)},
        {"numProcPerNode", make_.integer(1)},
        {"runLauncherAsNode", make_.boolean(trains_too_)},
        {"sshAuthMountPath", path ? path : make_.string(kRootPath)},
    });
    Draft& draft = conversion_.draft;
    draft.framework = "mpi";
    draft.variant = base::lower_case(other_ ? other_->name : kOpenMpi);
    draft.policy.push_back({"mpi", policy, {}});
    const Node* slots = job_.get("slotsPerWorker");
    draft.processes = slots && slots->is_int() ? slots : make_.integer(1);
    const int64_t workers = worker_ ? worker_->count : 0;
    const bool is_count = worker_ && worker_->count_node && !trains_too_;
    draft.num_nodes =
        is_count ? worker_->count_node : make_.integer(std::max<int64_t>(workers + (trains_too_ ? 1 : 0), 1));
  }

  DraftRole role_of(const Replica& replica, std::string_view name, NodeList env) {
    DraftRole role{.name = std::string(name), .pods = pods_of(conversion_, replica), .job_spec = {}};
    if (mentions(main_container(role.pods), kRole))
      env.insert(env.begin(), variable(make_, kRole, name == model::kLauncher ? "launcher" : "worker"));
    role.pods = with_env(make_, role.pods, env, policy::mpi::kPlugin.framework.env);
    role.pods = with_key(with_dns(with_group(with_volumes(role.pods))));
    apply_restart_policy(conversion_, replica, role);
    return role;
  }

  void add_worker() {
    DraftRole role = role_of(*worker_, model::kNode, {});
    const Node& container = main_container(role.pods);
    const Node* command = container.get("command");
    const Node* args = container.get("args");
    const bool has_command = command && command->size() > 0;
    const bool has_args = args && args->size() > 0;
    // The MPI Operator replaces neither list; Training Operator's workers only sleep until something is
    // executed in them.
    if (!job_.is_mpi_v2() && has_command && !mentions(container, "sshd")) {
      conversion_.findings.change(
          worker_->field + ".template.spec.containers",
          "the nodes run sshd instead of this command: the launcher starts the ranks with SSH",
          "run what has to come before in the launcher's command", command);
    }
    const bool runs_sshd = job_.is_mpi_v2() ? has_command || has_args : mentions(container, "sshd");
    if (!runs_sshd) {
      const NodeList words{make_.string("/usr/sbin/sshd"), make_.string("-De")};
      const Node* changed = make_.with(&container, "command", make_.list(words));
      role.pods = with_main(make_, role.pods, make_.with(changed, "args", nullptr));
    }
    conversion_.draft.roles.push_back(std::move(role));
  }

  bool sets(const Replica& replica, std::string_view name) const {
    return yaml::find_named(yaml::items_at(main_container(pods_of(conversion_, replica)), "env"), name) !=
           nullptr;
  }

  void add_launcher(const Replica& launcher) {
    NodeList env;
    if (!trains_too_) {
      env.push_back(variable(make_, "NVIDIA_VISIBLE_DEVICES", ""));
      env.push_back(variable(make_, "NVIDIA_DRIVER_CAPABILITIES", ""));
    }
    const auto add = [&](std::string_view name, std::string_view value) {
      if (!name.empty() && !sets(launcher, name)) env.push_back(variable(make_, name, value));
    };
    if (other_) {
      env.push_back(variable(make_, other_->hostfile, kHydraHosts));
      add(other_->slots, conversion_.draft.processes->text());
      // The nodes can't resolve the launcher's host name, so the interface must be set.
      if (!yaml::is_true_at(*launcher.pod_template, {"spec", "hostNetwork"})) add(other_->interface, "eth0");
    }
    // Retries like the operator, since a node may not answer yet.
    constexpr std::string_view kAttempts = "-o ConnectionAttempts=10";
    if (other_ && !(is_in_root() && conversion_.options.copies_key)) add(other_->ssh_arguments, kAttempts);
    if (is_in_root() && conversion_.options.copies_key) {
      const std::string arguments = fmt::format("-i {}/id_rsa", kKeyFolder);
      add(kOpenMpiAgent, fmt::format("ssh {}", arguments));
      for (const std::string_view name : policy::mpi::kPlugin.framework.ssh_arguments) {
        const bool is_its = other_ && name == other_->ssh_arguments;
        add(name, is_its ? fmt::format("{} {}", kAttempts, arguments) : arguments);
      }
    }
    DraftRole role = role_of(launcher, model::kLauncher, std::move(env));
    role.trains = true;
    if (other_) role.pods = with_hostfile(role.pods);
    if (worker_ && yaml::text_of(job_.get("launcherCreationPolicy")) == "WaitForWorkersReady") {
      const Node* ready =
          make_.map({{"name", make_.string(model::kNode)}, {"status", make_.string("Ready")}});
      role.depends_on = make_.list({ready});
    }
    conversion_.draft.roles.push_back(std::move(role));
  }

  Conversion& conversion_;
  const Job& job_;
  const Maker& make_;
  const Replica* worker_;
  const policy::MpiImplementation* other_ = nullptr;  // an implementation other than Open MPI
  bool trains_too_ = false;                           // whether the launcher trains
};

}  // namespace

void draft_mpi(Conversion& conversion) {
  MpiDraft(conversion).run();
}

}  // namespace trainjobc::migrate::v1
