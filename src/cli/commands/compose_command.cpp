// SPDX-License-Identifier: Apache-2.0

// trainjobc compose
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "features/compose/compose.h"
#include "inputs/groups.h"
#include "lint/lint.h"

namespace trainjobc::cli {
namespace {

struct ComposeFlags {
  InputFlags input;
  ColourFlag colour;
  SshKeyFlag ssh_key;
  unsigned nodes = 0;
  unsigned processes = 0;
  std::string image;
  bool cpu = false;
  std::vector<std::string> mounts;
};

std::optional<std::string> read_count(const std::string& text) {
  const auto count = base::read_integer(text);
  return count && *count >= 1 && *count <= compose::kMostOfAScale ? std::optional(text) : std::nullopt;
}

std::optional<std::string> read_image(const std::string& text) {
  return compose::is_image(text) ? std::optional(text) : std::nullopt;
}

std::optional<std::string> read_mount_flag(const std::string& text) {
  return compose::read_mount(text) ? std::optional(text) : std::nullopt;
}

compose::ComposeOptions compose_options(const ComposeFlags& flags) {
  compose::ComposeOptions options;
  options.cpu = flags.cpu;
  options.image = flags.image;
  for (const std::string& text : flags.mounts) options.mounts.push_back(*compose::read_mount(text));
  return options;
}

// Advice that --nodes and --processes can contradict.
constexpr std::array<std::string_view, 3> kOfLaunchers{"advice/launcher-setting", "advice/mpi-launcher",
                                                       "advice/no-launcher"};

bool concerns(const base::Diagnostic& finding, const ComposeFlags& flags) {
  if (finding.rule == "advice/image-name") return flags.image.empty();
  if (finding.rule == "advice/device-name") return !flags.cpu;
  return finding.stage == base::Stage::Advice &&
         (finding.severity == base::Severity::Error || base::contains(kOfLaunchers, finding.rule));
}

// Prints what lint says can never run, unless a flag replaces it; false if there is any.
bool can_run(Console& console, std::vector<inputs::InputGroup> groups, Options options,
             const ComposeFlags& flags) {
  options.render = false;
  options.policy.ssh_key.source = policy::SshKeySource::Omit;
  const inputs::GroupedCompilation compiled = inputs::find_in_groups(std::move(groups), options);
  base::Diagnostics found = lint::apply_configs(compiled.governed);
  found.retain([&](const base::Diagnostic& one) { return concerns(one, flags); });
  print_diagnostics(console, found, flags.colour.value(), false);
  return !found.has_errors();
}

// "" if the inputs contain one job; else what to tell the user.
std::string check_one_job(const Compilation& compiled) {
  const std::string wrong = compose::check_one_job(compiled.objects, "", "with --job NAME");
  const std::string shared = wrong.empty() ? "" : shared_name(compiled);
  return shared.empty() ? wrong : shared + ": name the folder of one scope";
}

int run_compose(Console& outer, const ComposeFlags& flags) {
  const compose::ComposeOptions how = compose_options(flags);
  if (const std::string wrong = compose::check_mounts(how.mounts); !wrong.empty())
    return fail(outer, "--mount: " + wrong);
  policy::SshKeyOptions key;
  if (!flags.ssh_key.read(outer, key)) return kFailed;
  GuardedConsole console(outer, flags.ssh_key);
  Options options = to_options(flags.input);
  options.with_defaults = true;
  options.passthrough = true;
  options.scale = {flags.nodes, flags.processes};
  options.policy.ssh_key = std::move(key);
  const auto shown = [](inputs::GroupedCompilation& grouped) {
    return lint::apply_configs(grouped.governed, false);
  };
  auto compiled = compile_inputs(console, flags.input, flags.colour, options,
                                 {.shown = shown, .keeps_inputs = true, .notes_no_job = false});
  if (!compiled) return kFailed;
  if (compiled->rejected) return kRejected;
  if (!can_run(console, std::move(compiled->loaded.groups), options, flags)) return kRejected;
  if (const std::string wrong = check_one_job(compiled->all); !wrong.empty()) return fail(console, wrong);
  const compose::Composition made = compose::compose_job(compiled->all.objects, how);
  if (!made.error.empty()) return fail(console, made.error);
  for (const std::string& text : made.notes) note(console, text);
  SshKeys keys;
  for (const Object& object : compiled->all.objects) keys.add(object);
  keys.note_generated(console, options.policy.ssh_key);
  keys.note_omitted(console, options.policy.ssh_key);
  return print_manifests(console, made.text);
}

}  // namespace

std::function<int(Console&)> setup_compose(Command& command) {
  auto flags = std::make_shared<ComposeFlags>();
  flags->input.add_to(command);
  command.add("--nodes", &flags->nodes, "Compile the job with this number of nodes")
      .takes("N")
      .reads(read_count, "a number from 1 to 256");
  command
      .add("--processes", &flags->processes,
           "Compile the job with this number of processes per node, each with one GPU if the job has GPUs")
      .takes("N")
      .reads(read_count, "a number from 1 to 256");
  command.add("--image", &flags->image, "Run this image in the containers that train")
      .takes("IMAGE")
      .reads(read_image, "the name of an image, which has no blanks");
  command.add("--cpu", &flags->cpu, "Leave out GPUs and other devices; the processes stay");
  command
      .add("--mount", &flags->mounts,
           "Mount a folder of this machine in the containers that train, over what the job mounts there; can "
           "be repeated")
      .takes("DIR:/PATH[:ro]")
      .reads(read_mount_flag, "a folder and an absolute path, as in .:/workspace");
  flags->ssh_key.add_to(command);
  flags->colour.add_to(command);
  command.details = {
      "Prints a file of the Compose specification for docker compose and podman compose: each pod is a "
      "service with the host name, addresses, environment, command, files and volumes that it has in the "
      "cluster. The first lines of the file say how to run it.",
      "ConfigMaps and Secrets among the inputs become files and variables. What comes from other Secrets "
      "is a variable of your shell, as in WANDB_API_KEY=... docker compose up. Claims are volumes, which "
      "are empty at first. Limits of CPU and memory are left out. Notes say what else one machine doesn't "
      "have.",
      "GPUs of NVIDIA are given to the pods in their order, each to one of them."};
  command.exit_statuses = {{0, "printed"}, {1, "an input was rejected"}, {2, "usage or I/O error"}};
  command.examples = {"trainjobc compose jobs/scratch/smoke.yaml --processes 2 --cpu > compose.yaml",
                      "trainjobc compose jobs/ --job bert-eval --mount .:/workspace --image torch:trial"};
  return [flags](Console& console) { return run_compose(console, *flags); };
}

}  // namespace trainjobc::cli
