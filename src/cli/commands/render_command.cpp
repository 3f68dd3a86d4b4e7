// SPDX-License-Identifier: Apache-2.0

// trainjobc render
#include <fmt/format.h>

#include <deque>
#include <memory>
#include <span>
#include <utility>

#include "cli/commands.h"
#include "cli/printed_objects.h"
#include "compile/kept_jobs.h"
#include "lint/report/document.h"

namespace trainjobc::cli {
namespace {

struct RenderFlags {
  InputFlags input;
  ColourFlag colour;
  std::string format = "yaml";
  std::string output_dir;
  SshKeyFlag ssh_key;
  std::string torchrun = "env";
  bool with_defaults = false;
  bool snapshot = false;
  bool owner_references = false;
  bool passthrough = false;
  bool keep_going = false;
  bool mask_secrets = false;
  bool annotate_origin = false;
  bool prune_output = false;
};

ObjectFormat object_format_of(const std::string& word) {
  if (word == "json") return ObjectFormat::Json;
  return word == "name" ? ObjectFormat::Name : ObjectFormat::Yaml;
}

// Everything to print: objects that were passed through, then the jobs' objects.
class Output {
 public:
  explicit Output(const PrintStyle& style) : style_(style) {}

  auto sinks() { return jobs_.sinks(); }

  void collect(const Compilation& compiled) {
    for (const Object& object : compiled.objects) {
      passed_through_.push_back(print(object, style_));
      keys_.add(object);
    }
    for (const PrintedObject& object : passed_through_) objects_.push_back(&object);
    printed_ = jobs_.take(compiled);
    for (PrintedJob& job : printed_) {
      keys_.append(job.keys);
      for (PrintedObject& object : job.objects) {
        object.scope = job.scope;
        objects_.push_back(&object);
      }
    }
  }

  const SshKeys& keys() const { return keys_; }
  std::span<const PrintedObject* const> objects() const { return objects_; }

  // Writes to standard output; false if not everything could be written.
  bool write(Console& console) const {
    const auto send = [&](const std::string& text) {
      return style_.format == ObjectFormat::Name ? console.write_stdout(text) : console.write_manifests(text);
    };
    return report::write_joined(objects_, joints_of(style_.format, objects_.empty()), send,
                                &PrintedObject::text);
  }

 private:
  PrintStyle style_;
  KeptJobs<PrintedJob> jobs_{[this](std::span<const Object> objects) { return print_job(objects, style_); }};
  std::vector<PrintedJob> printed_;
  std::deque<PrintedObject> passed_through_;
  std::vector<const PrintedObject*> objects_;
  SshKeys keys_;
};

int run_render(Console& outer, const RenderFlags& flags) {
  policy::SshKeyOptions key;
  if (!flags.ssh_key.read(outer, key)) return kFailed;
  GuardedConsole console(outer, flags.ssh_key);
  Options options = to_options(flags.input);
  options.with_defaults = flags.with_defaults;
  options.snapshot = flags.snapshot;
  options.trials = TrialOutput::TrainJobsAndObjects;
  options.owner_references = flags.owner_references;
  options.passthrough = flags.passthrough;
  options.policy.torchrun =
      flags.torchrun == "flags" ? policy::TorchrunStyle::Flags : policy::TorchrunStyle::Env;
  options.policy.ssh_key = std::move(key);
  Output output({.format = flags.output_dir.empty() ? object_format_of(flags.format) : ObjectFormat::Yaml,
                 .annotate_origin = flags.annotate_origin,
                 .mask_secrets = flags.mask_secrets,
                 .to_files = !flags.output_dir.empty()});
  const CompileStyle style{.sink_of = output.sinks(), .notes_no_job = !flags.passthrough};
  const auto compiled = compile_inputs(console, flags.input, flags.colour, options, style);
  if (!compiled) return kFailed;
  note_other_managers(console, compiled->all);
  const bool rejected = compiled->rejected;
  if (rejected && !flags.keep_going) return kRejected;
  if (const std::string shared = shared_name(compiled->all); !shared.empty() && flags.output_dir.empty())
    note(console, shared + ", for a cluster each: --output-dir writes each scope into a folder of its own");
  output.collect(compiled->all);
  if (!flags.mask_secrets) output.keys().note_generated(console, options.policy.ssh_key);
  output.keys().note_omitted(console, options.policy.ssh_key);
  if (!flags.output_dir.empty()) {
    const Prune prune = !flags.prune_output ? Prune::No : rejected ? Prune::Later : Prune::Now;
    if (prune == Prune::Later) note(console, "--prune-output removed nothing because an input was rejected");
    const int status = write_directory(console, flags.output_dir, output.objects(), prune);
    if (status != kOk) return status;
  } else if (!output.write(console)) {
    return fail(console, "can't write the output");
  }
  return compiled->status();
}

}  // namespace

std::function<int(Console&)> setup_render(Command& command) {
  auto flags = std::make_shared<RenderFlags>();
  flags->input.add_to(command);
  flags->input.add_deployed_to(command, "Render");
  command.add("-o,--format", &flags->format, "Output format")
      .one_of({"yaml", "json", "name"})
      .shows_default()
      .was("--output");
  command.add("--output-dir", &flags->output_dir, "Write one file per object into this directory")
      .takes("DIR");
  command
      .add("--prune-output", &flags->prune_output,
           "With --output-dir: remove files that an earlier run with this flag wrote and this run doesn't")
      .needs("--output-dir");
  command.add("--annotate-origin", &flags->annotate_origin,
              "Annotate each object with the file and TrainJob that it comes from");
  command.add("--with-defaults", &flags->with_defaults,
              "Print the JobSet with the defaults that JobSet admission adds");
  command.add(
      "--owner-references", &flags->owner_references,
      "Give the objects an owner reference to their TrainJob, if it has a uid: a cluster without that "
      "TrainJob deletes them");
  command.add("--snapshot", &flags->snapshot, "Also print the runtime-snapshot ConfigMap of Trainer 2.3");
  command.add("--passthrough", &flags->passthrough, "Print objects of other kinds unchanged");
  command.add("--keep-going", &flags->keep_going, "Render valid TrainJobs even if others are rejected");
  command.add("--mask-secrets", &flags->mask_secrets,
              "Print *** for values of Secrets and anything else that looks like a secret");
  flags->ssh_key.add_to(command);
  command.add("--torchrun", &flags->torchrun, "How to pass torchrun its arguments: env only, or also flags")
      .one_of({"env", "flags"})
      .shows_default();
  flags->colour.add_to(command);
  command.details = {
      "The key of seed:PATH depends only on the file and the job's namespace and name: anyone who can commit "
      "a job with that namespace and name, and read what is rendered, has its key."};
  command.exit_statuses = {{0, "rendered"}, {1, "an input was rejected"}, {2, "usage or I/O error"}};
  command.examples = {"trainjobc render jobs/ml-research/bert-pretrain.yaml",
                      "trainjobc render . --output-dir rendered --ssh-key omit",
                      "helm template charts/training | trainjobc render --passthrough -"};
  return [flags](Console& console) { return run_render(console, *flags); };
}

}  // namespace trainjobc::cli
