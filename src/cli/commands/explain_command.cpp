// SPDX-License-Identifier: Apache-2.0

// trainjobc explain
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "cli/output/mask.h"
#include "cli/ssh/ssh_key_flag.h"
#include "tools/explain/explain.h"

namespace trainjobc::cli {
namespace {

struct ExplainFlags {
  InputFlags input;
  ColourFlag colour;
  std::string field;
  std::string format;  // "": yaml, or text with --field
  bool with_defaults = false;
};

std::string print(const ExplainFlags& flags, const std::vector<Object>& objects,
                  const std::vector<explain::ObjectOrigins>& origins, size_t width) {
  if (flags.format == "json") return explain::as_json(origins);
  return flags.format == "text" ? explain::as_text(origins, width)
                                : explain::as_yaml(objects, origins, width);
}

int run_explain(Console& console, ExplainFlags flags) {
  if (flags.format.empty()) flags.format = flags.field.empty() ? "yaml" : "text";
  if (const std::string wrong = explain::FieldSelector::check(flags.field); !wrong.empty())
    return fail(console, fmt::format("--field: not a JSONPath, {}", wrong));
  if (flags.format == "yaml" && !flags.field.empty())
    return fail(console, "--field can't be used with -o yaml: use -o text or -o json");
  Options options = to_options(flags.input);
  options.with_defaults = flags.with_defaults;
  options.policy.ssh_key = unshown_key();
  auto loaded = load_inputs(console, flags.input);
  if (!loaded) return kFailed;
  Compilation compiled = lint::compile_groups(std::move(loaded->groups), options).all;
  if (!check_inputs(console, flags.input, *loaded, compiled)) return kFailed;
  print_diagnostics(console, compiled.diagnostics, flags.colour.value(), true);
  note_trainer_version(console, compiled);
  base::Arena masked;
  for (Object& object : compiled.objects) object.root = mask_secrets(*object.root, yaml::Maker(masked));
  const auto origins = explain::explain_objects(compiled.objects, schemas_of(compiled),
                                                explain::FieldSelector(flags.field), yaml::Maker(masked));
  if (!console.write_stdout(print(flags, compiled.objects, origins, console.stdout_width())))
    return fail(console, "can't write the output");
  if (compiled.diagnostics.has_refusals()) return kRejected;
  if (origins.empty() && !compiled.objects.empty()) {
    const bool is_path = explain::FieldSelector(flags.field).is_json_path();
    note(console,
         fmt::format("no rendered field's path {} \"{}\"", is_path ? "matches" : "contains", flags.field));
  }
  return kOk;
}

}  // namespace

std::function<int(Console&)> setup_explain(CLI::App& app) {
  auto flags = std::make_shared<ExplainFlags>();
  flags->input.add_to(app);
  app.add_option(
         "--field", flags->field,
         "Only fields whose path contains this text, such as env or PET_NNODES, or that this JSONPath "
         "selects, such as ..image or '.spec.*.name'")
      ->type_name("FIELD");
  app.add_flag("--with-defaults", flags->with_defaults,
               "Explain the JobSet with the defaults that JobSet admission adds");
  app.add_option("-o,--format", flags->format, "Output format; the default is yaml, or text with --field")
      ->check(CLI::IsMember({"yaml", "text", "json"}));
  flags->colour.add_to(app);
  app.footer(
      "Prints what render prints, with a comment after each field: its place in the inputs and,\n"
      "if it was not only copied, the rule that computed it. With --field, prints one line\n"
      "per field. A value that the job's overrides or a rule replaced is shown with the values before\n"
      "it: of the runtime, and after each override.\n"
      "\n"
      "Exit status: 0 explained, 1 an input was rejected, 2 usage or I/O.\n"
      "\n"
      "Examples:\n"
      "  trainjobc explain jobs/ml-research/bert-pretrain.yaml\n"
      "  trainjobc explain jobs/ --job ml-research/bert-pretrain --field image\n"
      "  trainjobc explain jobs/ --job bert-pretrain --field PET_NNODES -o json\n"
      "  trainjobc explain jobs/ --job bert-pretrain --field ..resources");
  return [flags](Console& console) { return run_explain(console, *flags); };
}

}  // namespace trainjobc::cli
