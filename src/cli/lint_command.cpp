// trainjobc lint
#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "cli/report.h"

namespace trainjobc::cli {
namespace {

struct LintFlags {
  InputFlags input;
  ColourFlag colour;
  std::string format = "text";
};

int run_lint(Console& console, const LintFlags& flags) {
  Options options = to_options(flags.input);
  options.render = false;
  auto loaded = load_inputs(console, flags.input);
  if (!loaded) return kFailed;
  const Compilation compiled = compile_sources(std::move(loaded->inputs), std::move(loaded->runtimes), options);
  const bool colour = use_colour(flags.colour.value(), console, console.stdout_is_terminal());
  const std::string report = flags.format == "json" ? report_json(compiled.diagnostics)
                                                    : report_text(compiled.diagnostics, {colour});
  if (!console.write_stdout(report)) return fail(console, "the report could not be written");
  return compiled.diagnostics.has_errors() ? kRejected : kOk;
}

}  // namespace

std::function<int(Console&)> setup_lint(CLI::App& app) {
  auto flags = std::make_shared<LintFlags>();
  flags->input.add_to(app);
  app.add_option("--format", flags->format, "Format of the report")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  flags->colour.add_to(app);
  return [flags](Console& console) { return run_lint(console, *flags); };
}

}  // namespace trainjobc::cli
