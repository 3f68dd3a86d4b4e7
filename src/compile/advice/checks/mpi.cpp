// SPDX-License-Identifier: Apache-2.0

// MPI: the launcher, the replicatedJobs that the plugin looks for, and the SSH key.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "compile/advice/job_command.h"
#include "k8s/jobset/jobset.h"
#include "launch/mpirun.h"
#include "launch/programs.h"
#include "launch/words.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::mpi {
namespace {

using launch::base_name;
using launch::CommandLine;
using launch::Mpirun;
using launch::programs_of;
using launch::words_of;
using policy::Container;
using policy::PodSet;
using yaml::Node;

// MPI launchers that start nothing on the other nodes, or that start a program from another image there.

using Program = std::vector<std::string>;

constexpr std::string_view kDeepSpeed = "deepspeed";

// The launcher; nullptr if there are no nodes besides it.
const PodSet* launcher_of(const policy::RuntimeInfo& info) {
  return info.is_mpi() && info.pod_set_by_name(model::kNode) ? info.pod_set_by_name(model::kLauncher)
                                                             : nullptr;
}

// Whether a word names or contains a program that starts processes on other nodes, or a flag that says where
// they are.
bool may_launch(std::string_view word) {
  const std::string lower = base::lower_case(word);
  return std::ranges::any_of(launch::shell().starts_others,
                             [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

// deepspeed reads /job/hostfile unless another hostfile is given, and without one uses its own node only. The
// controller's hostfile is /etc/mpi/hostfile.
bool is_deepspeed_alone(const Program& program) {
  return base_name(program.front()) == kDeepSpeed &&
         std::ranges::none_of(program, [](const std::string& word) { return word.starts_with("-H"); });
}

// Programs that train on the node where they are started.
bool trains_here(const Program& program) {
  const std::string_view name = base_name(program.front());
  return name.starts_with("python") || name == "torchrun" || is_deepspeed_alone(program);
}

// The program that trains on the launcher only; "" if there is none, or the words don't show it.
std::string_view lone_program(const CommandLine& line) {
  if (!line.command || line.command->size() == 0) return "";
  const auto words = words_of(line);
  if (std::ranges::any_of(words, may_launch)) return "";
  const auto programs = programs_of(words);
  if (!std::ranges::all_of(programs,
                           [](const Program& p) { return trains_here(p) || launch::is_harmless(p.front()); }))
    return "";
  const auto found = std::ranges::find_if(programs, trains_here);
  if (found == programs.end()) return "";
  const std::string_view name = base_name(found->front());
  return name == "torchrun" ? "torchrun" : name == kDeepSpeed ? kDeepSpeed : "python";
}

// Edits that start the program with mpirun. Empty if it is not a Python program, or has flags of deepspeed.
std::vector<base::Edit> start_with_mpirun(const Node& command) {
  constexpr std::string_view kMpirun = "mpirun";
  const Node& first = *command.items().front();
  const std::string name(base_name(first.text()));
  const bool is_script_next = command.size() > 1 && command.items()[1]->text().ends_with(".py");
  if (name == kDeepSpeed && is_script_next) return yaml::split_item(first, {std::string(kMpirun), "python"});
  if (!name.starts_with("python")) return {};
  return yaml::split_item(first, {std::string(kMpirun), std::string(first.text())});
}

base::Diagnostic& report_launcher(std::string_view program, std::string field, const base::Location& where,
                                  Advisor& advisor) {
  if (program == kDeepSpeed)
    return advisor.warn("advice/mpi-launcher", std::move(field),
                        "the launcher runs deepspeed without --hostfile: it starts no processes on the nodes",
                        where, "use mpirun instead: [mpirun, python, …]");
  return advisor.warn(
      "advice/mpi-launcher", std::move(field),
      fmt::format("the launcher runs {} itself: nothing starts processes on the nodes", program), where,
      "start it with mpirun: [mpirun, …]");
}

// The images of the launcher and the nodes, and which of them the job replaces.
struct Images {
  const PodSet* replaced = nullptr;
  const PodSet* kept = nullptr;
  const policy::Container* old_container = nullptr;
  const policy::Container* kept_container = nullptr;
};

Images images_of(const policy::RuntimeInfo& info) {
  const PodSet* launcher = info.pod_set_by_name(model::kLauncher);
  const PodSet* node = info.pod_set_by_name(model::kNode);
  if (!launcher || !node) return {};
  const bool launcher_trains = launcher->ancestor == model::kTrainer;
  if (launcher_trains == (node->ancestor == model::kTrainer)) return {};
  Images images;
  images.replaced = launcher_trains ? launcher : node;
  images.kept = launcher_trains ? node : launcher;
  images.old_container = find_container(*images.replaced, model::kNode);
  images.kept_container = find_container(*images.kept, model::kNode);
  return images;
}

std::string_view image_of(const policy::Container* container) {
  return container && container->image ? container->image->text() : std::string_view();
}

void check_runtime_launcher(const RuntimeContext& context, Advisor& advisor) {
  const PodSet* launcher = launcher_of(context.info);
  const policy::Container* node = launcher ? find_container(*launcher, model::kNode) : nullptr;
  if (!node || launcher->ancestor == model::kTrainer) return;  // its jobs choose what it runs
  const CommandLine line{node->node->get("command"), node->node->get("args")};
  const std::string_view program = lone_program(line);
  if (program.empty()) return;
  const auto index = static_cast<size_t>(launcher - context.info.pod_sets.data());
  base::Diagnostic& found =
      report_launcher(program,
                      fmt::format("{}.template.spec.template.spec.containers[{}].command",
                                  replicated_job_field(index), node - launcher->containers.data()),
                      yaml::locate(*line.command->items().front()), advisor);
  base::suggest_fix(found, start_with_mpirun(*line.command));
}

void check_job_launcher(const AdviceContext& context, Advisor& advisor) {
  const PodSet* launcher = launcher_of(context.merged);
  const Node* node = launcher && launcher->ancestor == model::kTrainer
                         ? rendered_node(context.admitted_job_set, model::kLauncher)
                         : nullptr;
  if (!node) return;
  const CommandLine line{node->get("command"), node->get("args")};
  const std::string_view program = lone_program(line);
  if (program.empty()) return;
  const Node* own = context.job.trainer ? context.job.trainer->command : nullptr;
  if (own && own->size() > 0) {
    base::Diagnostic& found =
        report_launcher(program, "spec.trainer.command", yaml::locate(*own->items().front()), advisor);
    base::suggest_fix(found, start_with_mpirun(*own));
  } else if (context.job.trainer && context.job.trainer->args) {
    report_launcher(program, "spec.trainer.args", locate_key_of(context.job.trainer->node, "args"), advisor);
  } else {
    base::Diagnostic& found = report_launcher(program, "spec.runtimeRef.name",
                                              yaml::locate(*context.job.runtime_ref.name.node), advisor);
    found.hint = "give the job a command that runs mpirun";
    add_note(found, "the runtime's command", line.command);
  }
}

void check_mpi_images(const AdviceContext& context, Advisor& advisor) {
  const Node* image = context.merged.is_mpi() && context.job.trainer ? context.job.trainer->image : nullptr;
  if (!image || image->text().empty()) return;
  const Images images = images_of(context.merged);
  const std::string_view kept = image_of(images.kept_container);
  const std::string_view replaced = image_of(images.old_container);
  // Images that differ within the runtime do so on purpose.
  if (kept.empty() || kept == image->text() || (!replaced.empty() && replaced != kept)) return;
  base::Diagnostic& found = advisor.warn(
      "advice/mpi-image", "spec.trainer.image",
      fmt::format("the image reaches only replicatedJob \"{}\": \"{}\" keeps \"{}\", and "
                  "mpirun runs one program on both",
                  images.replaced->name, images.kept->name, kept),
      yaml::locate(*image),
      fmt::format("use a runtime whose replicatedJob \"{}\" has this image too", images.kept->name));
  add_note(found, fmt::format("the image of \"{}\"", images.kept->name), images.kept_container->image);
}

// What mpirun is told, compared with the job.

constexpr std::string_view kLauncherSetting = "advice/launcher-setting";

// The number of pods in which mpirun starts processes.
int64_t mpi_nodes(const AdviceContext& context, const k8s::jobset::JobSetView& job_set) {
  int64_t nodes = 0;
  for (const k8s::jobset::ReplicatedJob& job : job_set.jobs) {
    const bool is_node = job.name == model::kNode ||
                         (context.merged.policy->mpi->run_launcher_as_node && job.name == model::kLauncher);
    if (is_node) nodes += job.replicas * job.parallelism.value_or(1);
  }
  return nodes;
}

// The number of processes that it may start; nullopt if unknown. Hydra, which MPICH and Intel MPI use, starts
// more than there are slots.
std::optional<int64_t> slots_of(const AdviceContext& context) {
  const auto& implementation = context.merged.policy->mpi->implementation;
  if (implementation && implementation->value != "OpenMPI") return std::nullopt;
  const policy::Framework& framework = *policy::framework_of(context.merged);
  const auto each =
      rendered_number(context.admitted_job_set, policy::processes_of(framework, context.merged));
  const int64_t nodes = mpi_nodes(context, k8s::jobset::view_job_set(context.admitted_job_set));
  return each ? std::optional(nodes * *each) : std::nullopt;
}

// What is wrong with the hosts of -H; "" if they may be right.
std::string wrong_hosts(const AdviceContext& context, const Mpirun& run) {
  const k8s::jobset::JobSetView job_set = k8s::jobset::view_job_set(context.admitted_job_set);
  std::set<std::string_view> own;
  bool has_others = false;  // these may be nodes too
  for (const std::string_view host : run.hosts) {
    const std::string_view name = host.substr(0, host.find(':'));
    if (k8s::jobset::is_foreign_pod(job_set, name))
      return fmt::format("mpirun: {} is not a pod of this job", name);
    if (k8s::jobset::is_own_pod(job_set, name)) {
      own.insert(name.substr(0, name.find('.')));
    } else {
      has_others = true;
    }
  }
  const auto named = static_cast<int64_t>(own.size());
  const int64_t nodes = mpi_nodes(context, job_set);
  if (has_others || named >= nodes) return "";
  return fmt::format("mpirun: {} names {} of the job's {} nodes: the others have nothing to do",
                     run.hosts_flag, named, nodes);
}

std::string joined_hosts(const Mpirun& run) {
  return fmt::format("{} {}", run.hosts_flag, fmt::join(run.hosts, ","));
}

void check_mpirun(const AdviceContext& context, Advisor& advisor) {
  if (!context.merged.is_mpi() || !context.job.trainer) return;
  const Node* container = rendered_node(context.admitted_job_set, model::kLauncher);
  if (!container) return;
  const JobCommand command(context, *container);
  const auto run = launch::mpirun_of(command.words());
  if (!run) return;
  if (!run->hosts.empty()) {
    std::string message = wrong_hosts(context, *run);
    if (message.empty()) return;
    const std::string hosts = joined_hosts(*run);
    base::Diagnostic& found = command.report(kLauncherSetting, run->hosts_word, std::move(message),
                                             "remove it: mpirun reads the hostfile", advisor, hosts);
    base::suggest_fix(found, command.without(run->hosts_word, 2, hosts));
    return;
  }
  const auto slots = slots_of(context);
  if (!run->processes || !slots || *run->processes <= *slots || run->may_exceed_slots) return;
  command.report(
      kLauncherSetting, run->processes_word,
      fmt::format("mpirun refuses to start {} processes: the hostfile has {} slots", *run->processes, *slots),
      "remove the number, or raise numNodes or numProcPerNode", advisor, fmt::format("{}", *run->processes));
}

// The replicatedJobs that the MPI plugin looks for by name.

base::Location place_of_jobs(const model::Runtime& runtime) {
  const base::Location where = locate_key_of(runtime.job_set_spec, "replicatedJobs");
  return where.file ? where : locate_key_of(runtime.ml_policy->node, "mpi");
}

// Suggests to rename a replicatedJob that may be a misspelled `wanted`, or to add it.
std::string suggest_rename(const policy::RuntimeInfo& info, std::string_view wanted) {
  std::vector<std::string_view> names;
  for (const PodSet& set : info.pod_sets) {
    if (set.name != model::kLauncher && set.name != model::kNode) names.push_back(set.name);
  }
  const auto meant = base::closest(wanted, names);
  return meant ? fmt::format("rename \"{}\"", *meant) : fmt::format("add a replicatedJob \"{}\"", wanted);
}

void check_mpi_container(const PodSet& set, size_t index, Advisor& advisor) {
  if (find_container(set, model::kNode)) return;
  const Node* containers = set.pod_spec() ? set.pod_spec()->get("containers") : nullptr;
  const Node* first =
      containers && containers->size() > 0 ? containers->items().front()->get("name") : nullptr;
  base::Diagnostic& found = advisor.warn(
      "advice/mpi-jobs",
      fmt::format("{}.template.spec.template.spec.containers", replicated_job_field(index)),
      fmt::format("replicatedJob \"{}\" has no container \"{}\": Trainer mounts the SSH "
                  "key and the hostfile only there",
                  set.name, model::kNode),
      yaml::locate(first ? *first : *set.replicated_job), fmt::format("name it \"{}\"", model::kNode));
  if (first && set.containers.size() == 1) base::suggest_fix(found, yaml::replace_text(*first, model::kNode));
}

void check_mpi_jobs(const RuntimeContext& context, Advisor& advisor) {
  if (!context.info.is_mpi()) return;
  const bool launcher_only = context.info.policy->mpi->run_launcher_as_node;
  for (const std::string_view name : {model::kLauncher, model::kNode}) {
    const PodSet* set = context.info.pod_set_by_name(name);
    if (set) {
      check_mpi_container(*set, static_cast<size_t>(set - context.info.pod_sets.data()), advisor);
    } else if (name == model::kLauncher || !launcher_only) {
      advisor.warn(
          "advice/mpi-jobs", "spec.template.spec.replicatedJobs",
          fmt::format("the MPI runtime has no replicatedJob \"{}\": {}", name,
                      name == model::kLauncher ? "nothing gets the hostfile" : "the hostfile lists no host"),
          place_of_jobs(context.runtime), suggest_rename(context.info, name));
    }
  }
}

void check_launcher_count(const RuntimeContext& context, Advisor& advisor) {
  if (!context.info.is_mpi() || !context.info.policy->num_nodes) return;
  const model::LocatedInt& nodes = *context.info.policy->num_nodes;
  const PodSet* launcher = context.info.pod_set_by_name(model::kLauncher);
  if (!launcher || launcher->ancestor != model::kTrainer || nodes.value < 2) return;
  base::Diagnostic& found = advisor.warn(
      "advice/mpi-num-nodes", "spec.mlPolicy.numNodes",
      fmt::format("numNodes: {0} starts {0} launchers; the number of nodes does not change", nodes.value),
      yaml::locate(*nodes.node), "write 1; the TrainJob's numNodes counts nodes");
  base::suggest_fix(found, yaml::replace_scalar(*nodes.node, "1"));
}

// The SSH key of an MPI job: the launcher must be able to read it, and ssh refuses a key that others can
// read.

constexpr std::string_view kRootHome = "/root/";

// The container that runs ssh, and its user. A setting is nullptr if the runtime leaves it to the image.
struct Client {
  const PodSet& set;
  const Container& container;
  std::string field;      // such as spec.template.spec.replicatedJobs[0].template.spec.template.spec
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

// Whether the group of the file, which is root's, is one of the client's.
bool is_in_root_group(const Client& client) {
  const Node* more = client.set.pod_spec()->at({"securityContext", "supplementalGroups"});
  const auto is_zero = [](const Node* group) { return group->as_int() == 0; };
  return (client.group && is_zero(client.group)) || (more && std::ranges::any_of(more->items(), is_zero));
}

// A container that copies the key chooses the mode of the copy.
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

// ssh looks for its key in the home folder of its user, and /root is only root's.
void check_home(const Client& client, Advisor& advisor) {
  if (client.is_root() || !client.path.starts_with(kRootHome)) return;
  const base::Location written = client.path_node ? yaml::locate(*client.path_node) : base::Location();
  advisor.warn("advice/ssh-key", "spec.mlPolicy.mpi.sshAuthMountPath",
               fmt::format("mpirun runs as user {}, whose ssh does not look for the key in {}",
                           client.user->text(), client.path),
               written.file ? written : yaml::locate(*client.user),
               "set sshAuthMountPath to the folder .ssh in the user's home");
}

void check_ssh_key(const RuntimeContext& context, Advisor& advisor) {
  // OpenShift gives pods a user and a group for their volumes.
  if (!context.info.is_mpi() || context.around.is_openshift) return;
  const auto client = client_of(context.info);
  // ssh reads its key from a folder .ssh; a key that is mounted elsewhere will be copied.
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

}  // namespace

Checks checks() {
  return {.job = {check_job_launcher, check_mpi_images, check_mpirun},
          .runtime = {check_runtime_launcher, check_mpi_jobs, check_launcher_count, check_ssh_key}};
}

}  // namespace trainjobc::compile::advice::mpi
