// SPDX-License-Identifier: Apache-2.0

// trainjobc migrate
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/files/paths.h"
#include "base/text/diff.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "features/diff/format.h"
#include "features/migrate/migrate.h"
#include "inputs/kustomize/kustomization.h"
#include "lint/report/document.h"
#include "model/behaviours.h"
#include "rules/rules.h"
#include "secret/secret.h"

namespace trainjobc::cli {
namespace {

struct MigrateFlags {
  InputFlags input;
  ColourFlag colour;
  std::string to{model::newest_behaviours().trainer};
  std::string manager = migrate::MigrateOptions().manager;
  std::string runtime_name;
  bool per_namespace = false;
  std::string runtimes_dir;
  bool plain = false;
  std::string alike;
  std::string root_key = "copy";
  std::string gang;
  bool show_diff = false;
  bool write = false;
  bool summary = false;
  std::string report;
  std::string output_dir;
};

// What happens to the migrated files.
enum class Target { Diff, Write, Directory };

Target target_of(const MigrateFlags& flags) {
  if (!flags.output_dir.empty()) return Target::Directory;
  return flags.write ? Target::Write : Target::Diff;
}

int show_change(Console& console, const migrate::MigratedFile& file) {
  const std::string diff = base::unified_diff(file.old_text, file.new_text, file.name, file.name);
  return print_text(console, secret::without_secrets(diff, file.old_text));
}

// The file's path below the input directory in which it was found, else its name.
std::string path_in_output(const std::string& name, const std::vector<std::string>& directories) {
  if (name == base::kStdin) return "stdin.yaml";
  const std::string place = base::absolute_path(name);
  for (const std::string& directory : directories) {
    std::string below = base::path_below(place, base::absolute_path(directory));
    if (!below.empty()) return below;
  }
  return place.substr(place.rfind('/') + 1);
}

int write_to_directory(Console& console, const migrate::Migration& migration, const std::string& directory,
                       const std::vector<std::string>& inputs) {
  std::map<std::string, const migrate::MigratedFile*> files;
  for (const migrate::MigratedFile& file : migration.files) {
    if (file.kind == migrate::FileKind::Runtime) continue;
    const std::string path = path_in_output(file.name, inputs);
    if (!files.try_emplace(path, &file).second)
      return fail(console, fmt::format("--output-dir: two files would be written to {}/{}", directory, path));
  }
  if (const auto error = console.files().make_directory(directory)) return fail(console, error->message);
  for (const auto& [path, file] : files) {
    if (!console.files().stays_inside(directory, path)) {
      return fail(
          console,
          fmt::format("--output-dir: {}/{} is not a regular file, or its path contains a symbolic link",
                      directory, path));
    }
    const std::string whole = fmt::format("{}/{}", directory, path);
    if (const auto error = console.files().write_in_folder(whole, file->new_text, 0666))
      return fail(console, error->message);
  }
  return kOk;
}

// Writes the runtimes to --runtimes-dir. Existing files with the same content are left alone.
int write_runtimes(Console& console, const migrate::Migration& migration, const MigrateFlags& flags) {
  std::map<std::string, std::string> texts;
  const auto clashes = [&](const std::string& name) {
    return fail(console, fmt::format("--runtimes-dir: {} would be two runtimes; leave out --runtime-name, or "
                                     "give the other one's file with --runtimes",
                                     name));
  };
  for (const migrate::MigratedFile& file : migration.files) {
    if (file.kind != migrate::FileKind::Runtime) continue;
    const auto [known, is_new] = texts.try_emplace(file.name, file.new_text);
    if (known->second != file.new_text) return clashes(file.name);
    if (!is_new || !console.files().exists(file.name)) continue;
    if (console.files().text_of(file.name) != file.new_text) return clashes(file.name);
  }
  if (texts.empty()) return kOk;
  if (const auto error = console.files().make_directory(flags.runtimes_dir))
    return fail(console, error->message);
  for (const auto& [name, text] : texts) {
    if (const auto error = console.files().write(name, text, 0666)) return fail(console, error->message);
  }
  return kOk;
}

// Writes the files one by one, or shows their changes. Standard input as the only input is handled elsewhere.
int emit(Console& console, const migrate::Migration& migration, const MigrateFlags& flags) {
  int status = kOk;
  for (const migrate::MigratedFile& file : migration.files) {
    if (file.kind == migrate::FileKind::Runtime && target_of(flags) != Target::Diff) continue;
    const bool is_file = file.name != base::kStdin;
    if (target_of(flags) == Target::Diff && (is_file || flags.show_diff) && !flags.summary) {
      if (const int shown = show_change(console, file); shown != kOk) return shown;
    } else if (file.kind == migrate::FileKind::Beside && target_of(flags) == Target::Write) {
      if (const auto error = console.files().write(file.name, file.new_text, 0666))
        status = fail(console, error->message);
    } else if (target_of(flags) == Target::Write && is_file) {
      if (const auto error = console.files().replace(file.name, file.old_text, file.new_text))
        status = fail(console, error->message);
    }
  }
  return status;
}

int answer_stdin(Console& console, const migrate::Migration& migration, const std::string& text) {
  const auto changed = std::ranges::find(migration.files, base::kStdin, &migrate::MigratedFile::name);
  return print_manifests(console, changed != migration.files.end() ? changed->new_text : text);
}

void print_differences(Console& console, const migrate::Migration& migration, const MigrateFlags& flags) {
  if (!migration.differences.differs()) return;
  const bool colour = use_colour(flags.colour.value(), console, console.stderr_is_terminal());
  note(console, "the new version renders the migrated objects differently:");
  console.write_stderr(diff::format_text(migration.differences, {colour, false, true}));
}

// Suffix of the summary line: the jobs that stay v1.
std::string staying(size_t jobs) {
  if (jobs == 0) return "";
  return jobs == 1 ? "; 1 v1 job stays as it is" : fmt::format("; {} v1 jobs stay as they are", jobs);
}

std::string summary(const migrate::Migration& migration, const MigrateFlags& flags, bool answers_stdin) {
  const std::string objects = base::counted(migration.objects, "object");
  const std::string stays = staying(migration.staying);
  if (migration.changed == 0 && migration.files.empty())
    return fmt::format("nothing to migrate to Trainer {} in {}{}\n", flags.to, objects, stays);
  const bool only_shown = target_of(flags) == Target::Diff && !answers_stdin;
  // Patches and settings are not objects.
  const std::string what = migration.changed > 0 ? fmt::format("{} of {}", migration.changed, objects)
                                                 : base::counted(migration.files.size(), "file");
  return fmt::format("{} {} to Trainer {}{}{}\n", what, only_shown ? "would be migrated" : "migrated",
                     flags.to, only_shown ? "; --write rewrites the files" : "", stays);
}

// Adds the kustomizations among the inputs and their patches, which are not objects.
void add_kustomizations(Console& console, const inputs::InputGroup& group, const inputs::Loaded& loaded,
                        migrate::MigrateOptions& options) {
  std::set<std::string> read;
  for (const Source& source : group.inputs) {
    if (!kustomize::is_kustomization(source.name)) continue;
    const std::string folder = base::shortest_path(base::parent_of(base::absolute_path(source.name)));
    auto tree = kustomize::read_tree(console.files(), folder);
    if (!tree->root()) continue;
    for (const std::string& file : tree->patch_files()) {
      const auto is_above = [&](const std::string& directory) {
        return !base::path_below(file, base::absolute_path(directory)).empty();
      };
      if (std::ranges::none_of(loaded.directories, is_above) || !read.insert(file).second) continue;
      const std::string name = base::shortest_path(file);
      auto text = console.files().read(name);
      if (auto* known = std::get_if<std::string>(&text)) options.patches.push_back({name, std::move(*known)});
    }
    options.kustomizations.push_back(std::move(tree));
  }
}

migrate::Migration migrate_group(Console& console, inputs::InputGroup group, const inputs::Loaded& loaded,
                                 const MigrateFlags& flags) {
  const base::Work work(console.progress(), "migrating", 0);
  migrate::MigrateOptions options;
  add_kustomizations(console, group, loaded, options);
  options.compile = inputs::options_of(group, to_options(flags.input));
  options.to = flags.to;
  options.manager = flags.manager;
  options.runtime_name = flags.runtime_name;
  options.per_namespace = flags.per_namespace;
  options.runtimes_dir = flags.runtimes_dir;
  options.plain = flags.plain;
  options.alike = flags.alike;
  options.copies_key = flags.root_key == "copy";
  options.gang = flags.gang;
  options.config = group.config;
  options.compile.policy.ssh_key = unshown_key();
  options.compile.work = &work;
  return migrate::migrate(std::move(group.inputs), std::move(group.runtimes), options);
}

// The contents of the inputs in the form that check_inputs takes.
Compilation contents_of(const std::vector<migrate::Migration>& migrations) {
  Compilation contents;
  for (const migrate::Migration& migration : migrations) {
    base::append(contents.linted, migration.linted);
    base::append(contents.passed_over, migration.passed_over);
    base::append(contents.other_jobs, migration.other_jobs);
    for (const base::Diagnostic& found : migration.findings.items()) {
      if (found.location.file) contents.with_findings.insert(found.location.file->name());
    }
  }
  return contents;
}

// Writes --report in the format that its suffix names.
int write_report(Console& console, const migrate::Migration& migration, const MigrateFlags& flags) {
  const bool is_json = flags.report.ends_with(".json");
  const std::string text =
      is_json ? migrate::format_json(migration, flags.to) : migrate::format_markdown(migration, flags.to);
  const auto error = console.files().write(flags.report, text, 0666);
  return error ? fail(console, error->message) : kOk;
}

// Migrates settings files that name another Trainer version, if they are in directories of the inputs.
void migrate_settings(Console& console, const inputs::Loaded& loaded, const MigrateFlags& flags,
                      migrate::Migration& migration) {
  std::set<std::string> seen;
  for (const inputs::InputGroup& group : loaded.groups) {
    const inputs::Config& config = *group.config;
    const std::string version = config.trainer_version.value_or("auto");
    if (!config.file || version == "auto" || version == flags.to) continue;
    const base::SourceFile& file = *config.file;
    if (!seen.insert(file.name()).second) continue;
    const auto is_in = [&](const std::string& directory) {
      return !base::path_below(base::absolute_path(file.name()), base::absolute_path(directory)).empty();
    };
    const std::string changed = inputs::with_trainer_version(file, flags.to);
    if (std::ranges::any_of(loaded.directories, is_in) && !changed.empty()) {
      migration.files.push_back({file.name(), std::string(file.text()), changed});
    } else {
      note(console, fmt::format("{} sets trainerVersion: \"{}\": write \"{}\" once all files below it are "
                                "migrated",
                                file.name(), version, flags.to));
    }
  }
}

int run_migrate(Console& console, const MigrateFlags& flags) {
  if (!flags.report.empty() && !flags.report.ends_with(".md") && !flags.report.ends_with(".json"))
    return fail(console, fmt::format("--report: {} ends neither with .md nor with .json", flags.report));
  auto loaded = load_inputs(console, flags.input);
  if (!loaded) return kFailed;
  const bool is_filter = !flags.show_diff && !flags.summary && target_of(flags) != Target::Directory;
  std::optional<std::string> text;  // the text of standard input
  if (const std::string* piped = is_filter ? find_stdin(loaded->groups) : nullptr) text = *piped;
  inputs::share_runtimes(loaded->groups, inputs::Sharing::All);
  std::vector<migrate::Migration> migrations;
  migrate::Migration all;
  migrate_settings(console, *loaded, flags, all);
  for (inputs::InputGroup& group : loaded->groups) {
    migrate::Migration& one =
        migrations.emplace_back(migrate_group(console, std::move(group), *loaded, flags));
    std::ranges::move(one.files, std::back_inserter(all.files));
    all.objects += one.objects;
    all.changed += one.changed;
    all.of_v1 += one.of_v1;
    all.staying += one.staying;
    all.findings.append(one.findings);
    base::append(all.outcomes, one.outcomes);
    base::append(all.passed_over, one.passed_over);
  }
  if (!check_inputs(console, flags.input, *loaded, contents_of(migrations))) return kFailed;
  if (target_of(flags) != Target::Diff || text) {
    if (const int status = write_runtimes(console, all, flags); status != kOk) return status;
  }
  if (const int status = emit(console, all, flags); status != kOk) return status;
  if (target_of(flags) == Target::Directory) {
    const int status = write_to_directory(console, all, flags.output_dir, loaded->directories);
    if (status != kOk) return status;
  }
  if (text) {
    if (const int status = answer_stdin(console, all, *text); status != kOk) return status;
  }
  all.findings.sort();
  if (flags.summary) {
    const int status = print_text(console, migrate::format_table(all, console.stdout_width()));
    if (status != kOk) return status;
  }
  if (!flags.report.empty()) {
    if (const int status = write_report(console, all, flags); status != kOk) return status;
  }
  print_diagnostics(console, all.findings, flags.colour.value(), false);
  for (const migrate::Migration& migration : migrations) print_differences(console, migration, flags);
  console.write_stderr(summary(all, flags, text.has_value()));
  if (all.of_v1 + all.staying > 0 && !all.findings.empty())
    note(console, fmt::format("what differs from v1, and what to do: {}", rules::address_of("from-v1")));
  return all.findings.has_errors() ? kRejected : kOk;
}

}  // namespace

std::function<int(Console&)> setup_migrate(Command& command) {
  auto flags = std::make_shared<MigrateFlags>();
  flags->input.add_to(command, false);
  add_version_flag(command, "--from-version,--trainer-version", flags->input.trainer_version,
                   "Trainer version of the files [auto]", true)
      .was("--from");
  add_version_flag(command, "--to,--to-version", flags->to, "Trainer version to migrate to", false)
      .shows_default();
  command.add("--manager", &flags->manager, "Manager of the runtimePatches that replace overrides")
      .takes("NAME")
      .shows_default();
  command.add("--diff", &flags->show_diff, "Show the changes (the default for files)")
      .excludes("--write")
      .excludes("--output-dir");
  command.add("-w,--write", &flags->write, "Rewrite the files").excludes("--output-dir");
  command.add("--output-dir", &flags->output_dir, "Write the migrated files to DIR instead").takes("DIR");
  command
      .add("--summary", &flags->summary, "Print a table of what each object is converted to, not the changes")
      .excludes("--diff");
  command
      .add("--report", &flags->report,
           "Also write what each object is converted to, what differs, what to do and the order in which to "
           "apply "
           "the files, as Markdown or JSON")
      .takes("FILE.md|FILE.json");
  command.add("--runtime-name", &flags->runtime_name, "Name of the runtimes that v1 jobs need [by content]")
      .takes("NAME");
  command.add("--per-namespace", &flags->per_namespace,
              "Write a TrainingRuntime for each namespace of v1 jobs, instead of a ClusterTrainingRuntime");
  command
      .add("--runtimes-dir", &flags->runtimes_dir,
           "Write each new runtime to a file of its own in DIR, not ahead of the first job that needs it")
      .takes("DIR");
  command.add("--plain", &flags->plain,
              "Keep roles of v1 jobs that differ only in labels, annotations or restart policy apart, with "
              "the variables "
              "of each written out");
  command
      .add("--alike", &flags->alike,
           "Of v1 jobs whose roles differ in labels, annotations or restart policy, give all nodes those of "
           "ROLE [Worker]")
      .takes("ROLE");
  command
      .add("--root-key", &flags->root_key,
           "Of MPIJobs that run as root, whose ssh refuses the key that Trainer mounts: copy it to a file "
           "that only root can read, or keep it")
      .one_of({"copy", "keep"})
      .shows_default();
  command
      .add("--gang", &flags->gang,
           "What starts the pods of v1 jobs with a schedulingPolicy together [what the inputs show]")
      .one_of({"none", "volcano", "coscheduling"});
  flags->colour.add_to(command);
  command.details = {
      "Shows, or with --write makes, the changes to TrainJobs and runtimes; comments and formatting stay. An "
      "object stays unchanged if part of it can't be carried over. Jobs of Training Operator v1 and of the "
      "MPI Operator (PyTorchJob, TFJob, XGBoostJob, JAXJob, PaddleJob, MPIJob) become TrainJobs, and "
      "runtimes if none of the inputs, of --runtimes and of the catalogue fits; jobs share runtimes. The "
      "default shows a diff; standard input is rewritten to standard output. With --write, files are "
      "replaced atomically and keep their mode and owner; read-only files, and files that have changed since "
      "they were read, stay unchanged."};
  command.exit_statuses = {{0, "migrated"},
                           {1, "an input was rejected or something can't be carried over"},
                           {2, "usage or I/O error"}};
  command.examples = {"trainjobc migrate --to 2.3 jobs/ runtimes/", "trainjobc migrate --to 2.3 --write .",
                      "trainjobc migrate --to 2.3 --output-dir migrated/ --runtime-name team-torch jobs/"};
  return [flags](Console& console) { return run_migrate(console, *flags); };
}

}  // namespace trainjobc::cli
