// trainjobc migrate
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "base/files/paths.h"
#include "base/text/unified_diff.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "cli/input/load.h"
#include "cli/output/mask.h"
#include "cli/ssh/ssh_key_flag.h"
#include "model/behaviours.h"
#include "tools/diff/format/formats.h"
#include "tools/migrate/migrate.h"

namespace trainjobc::cli {
namespace {

struct MigrateFlags {
  InputFlags input;
  ColourFlag colour;
  std::string to{model::newest_behaviours().trainer};
  std::string manager = migrate::MigrateOptions().manager;
  bool show_diff = false;
};

// The result of standard input goes to standard output; files are written one by one, or their changes shown.
int emit(Console& console, const migrate::Migration& migration, const MigrateFlags& flags) {
  int status = kOk;
  for (const migrate::MigratedFile& file : migration.files) {
    if (flags.show_diff) {
      const std::string diff = base::unified_diff(file.old_text, file.new_text, file.name, file.name);
      if (!console.write_stdout(without_secrets(diff, file.old_text)))
        return fail(console, "can't write the output");
    } else if (file.name != base::kStdin) {
      if (const auto error = console.files().replace(file.name, file.old_text, file.new_text))
        status = fail(console, error->message);
    }
  }
  return status;
}

int answer_stdin(Console& console, const migrate::Migration& migration, const std::string& text) {
  const auto changed = std::ranges::find(migration.files, base::kStdin, &migrate::MigratedFile::name);
  const bool written = console.write_manifests(changed != migration.files.end() ? changed->new_text : text);
  return written ? kOk : fail(console, "can't write the output");
}

void print_differences(Console& console, const migrate::Migration& migration, const MigrateFlags& flags) {
  if (!migration.differences.differs()) return;
  const bool colour = use_colour(flags.colour.value(), console, console.stderr_is_terminal());
  note(console, "the new version renders the migrated objects differently:");
  console.write_stderr(diff::format_text(migration.differences, {colour, false, true}));
}

std::string summary(const migrate::Migration& migration, const MigrateFlags& flags) {
  const std::string_view noun = migration.objects == 1 ? "object" : "objects";
  if (migration.changed == 0)
    return fmt::format("nothing to migrate to Trainer {} in {} {}\n", flags.to, migration.objects, noun);
  return fmt::format("{} of {} {} {} to Trainer {}\n", migration.changed, migration.objects, noun,
                     flags.show_diff ? "would be migrated" : "migrated", flags.to);
}

migrate::Migration migrate_group(lint::InputGroup group, const MigrateFlags& flags) {
  migrate::MigrateOptions options;
  options.compile = lint::options_of(group, to_options(flags.input));
  options.to = flags.to;
  options.manager = flags.manager;
  options.compile.policy.ssh_key = unshown_key();
  return migrate::migrate(std::move(group.inputs), std::move(group.runtimes), options);
}

// What the inputs contain, in the form that check_inputs takes.
Compilation contents_of(const std::vector<migrate::Migration>& migrations) {
  Compilation contents;
  for (const migrate::Migration& migration : migrations) {
    std::ranges::copy(migration.linted, std::back_inserter(contents.linted));
    std::ranges::copy(migration.passed_over, std::back_inserter(contents.passed_over));
    std::ranges::copy(migration.other_jobs, std::back_inserter(contents.other_jobs));
    for (const base::Diagnostic& found : migration.findings.items()) {
      if (found.location.file) contents.with_findings.insert(found.location.file->name());
    }
  }
  return contents;
}

// The text of standard input, if it is an input.
std::optional<std::string> stdin_text(const std::vector<lint::InputGroup>& groups) {
  for (const lint::InputGroup& group : groups) {
    const auto source = std::ranges::find(group.inputs, base::kStdin, &Source::name);
    if (source != group.inputs.end()) return source->text;
  }
  return std::nullopt;
}

int run_migrate(Console& console, const MigrateFlags& flags) {
  auto loaded = load_inputs(console, flags.input);
  if (!loaded) return kFailed;
  const std::optional<std::string> text = flags.show_diff ? std::nullopt : stdin_text(loaded->groups);
  lint::share_runtimes(loaded->groups);
  std::vector<migrate::Migration> migrations;
  migrate::Migration all;
  for (lint::InputGroup& group : loaded->groups) {
    migrate::Migration& one = migrations.emplace_back(migrate_group(std::move(group), flags));
    std::ranges::copy(one.files, std::back_inserter(all.files));
    all.objects += one.objects;
    all.changed += one.changed;
    all.findings.append(one.findings);
  }
  if (!check_inputs(console, flags.input, *loaded, contents_of(migrations))) return kFailed;
  if (const int status = emit(console, all, flags); status != kOk) return status;
  if (text) {
    if (const int status = answer_stdin(console, all, *text); status != kOk) return status;
  }
  all.findings.sort();
  print_diagnostics(console, all.findings, flags.colour.value(), false);
  for (const migrate::Migration& migration : migrations) print_differences(console, migration, flags);
  console.write_stderr(summary(all, flags));
  return all.findings.has_errors() ? kRejected : kOk;
}

}  // namespace

std::function<int(Console&)> setup_migrate(CLI::App& app) {
  auto flags = std::make_shared<MigrateFlags>();
  flags->input.add_to(app);
  app.remove_option(app.get_option("--trainer-version"));
  add_version_flag(app, "--from-version,--trainer-version", flags->input.trainer_version,
                   "Trainer version of the files [auto]", true);
  add_version_flag(app, "--to,--to-version", flags->to, "Trainer version to migrate to", false)
      ->capture_default_str();
  app.add_option("--manager", flags->manager, "Manager of the runtimePatches that replace overrides")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_flag("--diff", flags->show_diff, "Show the changes without writing them");
  flags->colour.add_to(app);
  app.footer(
      "Rewrites TrainJobs and runtimes in their files and keeps comments and formatting; standard input is\n"
      "rewritten to standard output. An object stays unchanged if part of it can't be carried over.\n"
      "Files are replaced atomically and keep their mode and owner; read-only files, and files that have\n"
      "changed since they were read, stay unchanged.\n"
      "Exit status: 0; 1 an input was rejected, or something can't be carried over; 2 usage or I/O.\n"
      "\n"
      "Examples:\n"
      "  trainjobc migrate --to 2.3 --diff jobs/ runtimes/\n"
      "  trainjobc migrate --to 2.3 .");
  return [flags](Console& console) { return run_migrate(console, *flags); };
}

}  // namespace trainjobc::cli
