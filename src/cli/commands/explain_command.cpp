// trainjobc explain
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
  const auto origins = explain::explain_objects(compiled.objects, schemas_of(compiled), flags.field);
  if (!console.write_stdout(print(flags, compiled.objects, origins, console.stdout_width())))
    return fail(console, "can't write the output");
  if (compiled.diagnostics.has_refusals()) return kRejected;
  if (origins.empty() && !compiled.objects.empty()) {
    note(console, fmt::format("no rendered field's path contains \"{}\"", flags.field));
  }
  return kOk;
}

}  // namespace

std::function<int(Console&)> setup_explain(CLI::App& app) {
  auto flags = std::make_shared<ExplainFlags>();
  flags->input.add_to(app);
  app.add_option("--field", flags->field,
                 "Only fields whose path contains this text, such as env or PET_NNODES")
      ->type_name("TEXT");
  app.add_flag("--with-defaults", flags->with_defaults,
               "Explain the JobSet with the defaults that JobSet admission adds");
  app.add_option("-o,--format", flags->format, "Output format; the default is yaml, or text with --field")
      ->check(CLI::IsMember({"yaml", "text", "json"}));
  flags->colour.add_to(app);
  app.footer(
      "Prints what render prints, with a comment after each field: its place in the inputs and,\n"
      "if it was not only copied, the rule that computed it. With --field, prints one line\n"
      "per field.\n"
      "\n"
      "Exit status: 0 explained, 1 an input was rejected, 2 usage or I/O.\n"
      "\n"
      "Examples:\n"
      "  trainjobc explain jobs/ml-research/bert-pretrain.yaml\n"
      "  trainjobc explain jobs/ --job ml-research/bert-pretrain --field image\n"
      "  trainjobc explain jobs/ --job bert-pretrain --field PET_NNODES -o json");
  return [flags](Console& console) { return run_explain(console, *flags); };
}

}  // namespace trainjobc::cli
