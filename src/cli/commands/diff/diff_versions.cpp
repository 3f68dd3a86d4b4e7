// SPDX-License-Identifier: Apache-2.0

#include "cli/commands/diff/diff_versions.h"

#include <fmt/format.h>

#include "compile/compile.h"
#include "features/cluster/compare.h"
#include "features/diff/format.h"
#include "schema/schema.h"

namespace trainjobc::cli {

std::optional<cluster::Report> compare_versions(Console& console, const DiffFlags& flags,
                                                const Options& options) {
  auto loaded = load_inputs(console, flags.input);
  if (!loaded) return std::nullopt;
  const auto compile_for = [&](const std::string& version) {
    for (lint::InputGroup& group : loaded->groups) group.trainer_version = version;
    return lint::compile_groups(loaded->groups, options).all;
  };
  const Compilation before = compile_for(flags.from_version);
  const Compilation after = compile_for(flags.to_version);
  if (!check_inputs(console, flags.input, *loaded, after)) return std::nullopt;
  // The report has the refusals.
  print_diagnostics(console, unread_jobs_of(after), flags.colour.value(), false);
  if (after.train_jobs == 0) note_no_job(console);

  cluster::CompareOptions how;
  how.schemas = schema::find_version(flags.to_version);
  how.refusals = false;
  auto live = std::make_shared<cluster::LiveSet>();
  for (const Object& object : cluster::rendered_by_both(before, after).objects) {
    live->objects.push_back({std::string(object.api_version), std::string(object.kind),
                             std::string(object.ns), std::string(object.name), object.root});
  }
  cluster::Report report =
      cluster::compare_objects(cluster::rendered_by_both(after, before), std::move(live), how);
  report.memory.push_back(before.memory);
  report.jobs = after.train_jobs;  // including those that only one version accepts
  report.old_version = flags.from_version;
  report.new_version = flags.to_version;
  report.acceptances = cluster::compare_acceptance(before, after);
  return report;
}

void print_acceptances(Console& console, const cluster::Report& report, const DiffFlags& flags) {
  const base::TextStyle style{use_colour(flags.colour.value(), console, console.stderr_is_terminal()),
                              console.stderr_width()};
  for (const cluster::Acceptance& acceptance : report.acceptances) {
    note(console,
         fmt::format("{}: {}{}{}", acceptance.title(), diff::verdict_text(acceptance.verdict, report),
                     acceptance.cause.empty() ? "" : ": ", acceptance.cause));
    std::string text;
    for (const base::Diagnostic& refusal : acceptance.refusals) text += base::format_text(refusal, style);
    console.write_stderr(text);
  }
}

}  // namespace trainjobc::cli
