#include "cli/diff_versions.h"

#include <fmt/format.h>

#include "schema/schema.h"
#include "trainjobc/diff.h"

namespace trainjobc::cli {

std::optional<diff::Report> compare_versions(Console& console, const DiffFlags& flags, Options options) {
  auto loaded = load_inputs(console, flags.input);
  if (!loaded) return std::nullopt;
  options.trainer_version = flags.from_version;
  const Compilation before = compile_sources(loaded->inputs, loaded->runtimes, options);
  options.trainer_version = flags.to_version;
  const Compilation after = compile_sources(std::move(loaded->inputs), std::move(loaded->runtimes), options);
  if (!check_jobs(console, flags.input, after)) return std::nullopt;
  if (after.train_jobs == 0) note_nothing_found(console, flags.input, "TrainJob");

  diff::CompareOptions how;
  how.schemas = schema::find_version(flags.to_version);
  how.refusals = false;
  auto live = std::make_shared<diff::LiveSet>();
  for (const Object& object : diff::rendered_by_both(before, after).objects) {
    live->objects.push_back({std::string(object.api_version), std::string(object.kind),
                             std::string(object.ns), std::string(object.name), object.root});
  }
  diff::Report report = diff::compare_objects(diff::rendered_by_both(after, before), std::move(live), how);
  report.memory.push_back(before.memory);
  report.jobs = after.train_jobs;  // those that only one version takes, too
  report.old_version = flags.from_version;
  report.new_version = flags.to_version;
  report.acceptances = diff::compare_acceptance(before, after);
  return report;
}

void print_acceptances(Console& console, const diff::Report& report, const DiffFlags& flags) {
  const base::TextStyle style{use_colour(flags.colour.value(), console, console.stderr_is_terminal())};
  for (const diff::Acceptance& acceptance : report.acceptances) {
    std::string text =
        fmt::format("note: {}: {}{}{}\n", acceptance.title(), diff::verdict_text(acceptance.verdict, report),
                    acceptance.cause.empty() ? "" : ": ", acceptance.cause);
    for (const base::Diagnostic& refusal : acceptance.refusals) text += base::format_text(refusal, style);
    console.write_stderr(text);
  }
}

}  // namespace trainjobc::cli
