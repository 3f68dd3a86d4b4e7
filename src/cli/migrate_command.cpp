// trainjobc migrate
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/unified_diff.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "cli/load.h"
#include "cli/mask.h"
#include "model/behaviours.h"
#include "tools/diff/formats.h"
#include "trainjobc/migrate.h"

namespace trainjobc::cli {
namespace {

struct MigrateFlags {
  InputFlags input;
  ColourFlag colour;
  std::string to{model::newest_behaviours().trainer};
  std::string manager = migrate::MigrateOptions().manager;
  bool show_diff = false;
};

// Keys are not compared; any will do, and one that takes no random numbers.
void use_fixed_key(Options& options) {
  options.policy.ssh_key.source = policy::SshKeySource::Seed;
  options.policy.ssh_key.material = "trainjobc migrate shows no key";
}

// Standard input is answered on standard output; files are written, each by itself, or their changes shown.
int emit(Console& console, const migrate::Migration& migration, const MigrateFlags& flags) {
  int status = kOk;
  for (const migrate::MigratedFile& file : migration.files) {
    if (flags.show_diff) {
      const std::string diff = base::unified_diff(file.old_text, file.new_text, file.name, file.name);
      if (!console.write_stdout(without_secrets(diff, file.old_text)))
        return fail(console, "the output could not be written");
    } else if (file.name != kStdin) {
      if (const auto error = console.files().replace(file.name, file.old_text, file.new_text))
        status = fail(console, error->message);
    }
  }
  return status;
}

int answer_stdin(Console& console, const migrate::Migration& migration, const std::string& text) {
  const auto changed = std::ranges::find(migration.files, kStdin, &migrate::MigratedFile::name);
  const bool written = console.write_manifests(changed != migration.files.end() ? changed->new_text : text);
  return written ? kOk : fail(console, "the output could not be written");
}

void print_differences(Console& console, const migrate::Migration& migration, const MigrateFlags& flags) {
  if (!migration.differences.differs()) return;
  const bool colour = use_colour(flags.colour.value(), console, console.stderr_is_terminal());
  console.write_stderr("note: what was migrated is rendered differently by the new version:\n");
  console.write_stderr(diff::format_text(migration.differences, {colour, false, true}));
}

std::string summary(const migrate::Migration& migration, const MigrateFlags& flags) {
  const std::string_view noun = migration.objects == 1 ? "object" : "objects";
  if (migration.changed == 0)
    return fmt::format("nothing to migrate to Trainer {} in {} {}\n", flags.to, migration.objects, noun);
  return fmt::format("{} of {} {} {} to Trainer {}\n", migration.changed, migration.objects, noun,
                     flags.show_diff ? "would be migrated" : "migrated", flags.to);
}

int run_migrate(Console& console, MigrateFlags flags) {
  if (!configure(console, flags.input)) return kFailed;
  auto loaded = load_inputs(console, flags.input);
  if (!loaded) return kFailed;
  migrate::MigrateOptions options;
  options.compile = to_options(flags.input);
  options.to = flags.to;
  options.manager = flags.manager;
  use_fixed_key(options.compile);
  const auto from_stdin = std::ranges::find(loaded->inputs, kStdin, &Source::name);
  const bool reads_stdin = from_stdin != loaded->inputs.end();
  const std::string text = reads_stdin ? from_stdin->text : "";
  const migrate::Migration migration =
      migrate::migrate(std::move(loaded->inputs), std::move(loaded->runtimes), options);
  if (const int status = emit(console, migration, flags); status != kOk) return status;
  if (reads_stdin && !flags.show_diff) {
    if (const int status = answer_stdin(console, migration, text); status != kOk) return status;
  }
  print_diagnostics(console, migration.findings, flags.colour.value(), false);
  print_differences(console, migration, flags);
  console.write_stderr(summary(migration, flags));
  return migration.findings.has_errors() ? kRejected : kOk;
}

}  // namespace

std::function<int(Console&)> setup_migrate(CLI::App& app) {
  auto flags = std::make_shared<MigrateFlags>();
  flags->input.add_to(app);
  app.remove_option(app.get_option("--trainer-version"));
  app.add_option("--from-version,--trainer-version", flags->input.trainer_version,
                 "Trainer version that the files are written for [auto]")
      ->check(CLI::IsMember([] {
        std::vector<std::string> versions = trainer_versions();
        versions.insert(versions.begin(), "auto");
        return versions;
      }()));
  app.add_option("--to,--to-version", flags->to, "Trainer version to migrate to")
      ->check(CLI::IsMember(trainer_versions()))
      ->capture_default_str();
  app.add_option("--manager", flags->manager, "Manager of the runtimePatches that overrides become")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_flag("--diff", flags->show_diff, "Show what would change, and change nothing");
  flags->colour.add_to(app);
  app.footer(
      "Rewrites TrainJobs and runtimes in their files, comments and formatting kept; standard input is "
      "answered on\nstandard output. An object of which something can't be carried over stays as it is.\n"
      "A file is replaced in one step, with its mode and owner; a read-only file, and one that somebody has "
      "changed\nsince it was read, is left as it is.\n"
      "Exit status: 0; 1 an input is rejected, or something can't be carried over; 2 usage or I/O.\n\n"
      "Examples:\n"
      "  trainjobc migrate --to 2.3 --diff jobs/ runtimes/\n"
      "  trainjobc migrate --to 2.3 -R .");
  return [flags](Console& console) { return run_migrate(console, *flags); };
}

}  // namespace trainjobc::cli
