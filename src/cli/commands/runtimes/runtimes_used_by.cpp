// SPDX-License-Identifier: Apache-2.0

// trainjobc runtimes --used-by
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text/layout.h"
#include "base/text/suggest.h"
#include "cli/commands/runtimes/runtimes_command.h"
#include "cli/exit_status.h"
#include "cli/input/load.h"
#include "features/runtimes/runtimes.h"

namespace trainjobc::cli {
namespace {

using nlohmann::ordered_json;
using runtimes::RuntimeUse;
using runtimes::RuntimeUser;

std::string uses_as_text(const std::vector<RuntimeUse>& uses, size_t width) {
  std::vector<std::vector<std::string>> rows{{"RUNTIME", "KIND", "JOB", "FROM"}};
  for (const RuntimeUse& use : uses) {
    const std::string name = use.ns.empty() ? use.name : fmt::format("{}/{}", use.ns, use.name);
    for (const RuntimeUser& job : use.jobs)
      rows.push_back({name, use.kind, fmt::format("{}/{}", job.ns, job.name), job.place});
  }
  return base::table(rows, width);
}

std::string uses_as_names(const std::vector<RuntimeUse>& uses) {
  std::string out;
  for (const RuntimeUse& use : uses) {
    for (const RuntimeUser& job : use.jobs) out += fmt::format("{}/{}\n", job.ns, job.name);
  }
  return out;
}

std::string uses_as_json(const std::vector<RuntimeUse>& uses) {
  ordered_json list = ordered_json::array();
  for (const RuntimeUse& use : uses) {
    ordered_json jobs = ordered_json::array();
    for (const RuntimeUser& job : use.jobs)
      jobs.push_back({{"namespace", job.ns}, {"name", job.name}, {"place", job.place}});
    list.push_back(
        {{"name", use.name}, {"namespace", use.ns}, {"kind", use.kind}, {"jobs", std::move(jobs)}});
  }
  return ordered_json{{"runtimes", std::move(list)}}.dump(2, ' ', false,
                                                          ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace

int run_runtimes_used_by(Console& console, const RuntimesUsedByFlags& flags) {
  if (flags.paths.empty()) return fail(console, "--used-by: name the files or directories with the jobs");
  lint::Configurations configurations(console.files(), console.environment("TRAINJOBC_CONFIG"), false);
  DiscoverOptions how = flags.directories.options();
  how.configurations = &configurations;
  auto loaded = load_sources(console, flags.paths, how);
  console.write_stderr(configurations.error());
  if (!configurations.error().empty()) return kFailed;
  if (const auto* error = std::get_if<base::IoError>(&loaded)) return fail(console, error->message);
  compile::InputSet inputs;
  base::Diagnostics diagnostics;
  compile::read_inputs(std::move(std::get<Loaded>(loaded).sources), inputs, diagnostics);
  print_diagnostics(console, diagnostics, ColourChoice::Auto, false);
  std::vector<RuntimeUse> uses = runtimes::uses_of(inputs.objects);
  if (!flags.name.empty()) std::erase_if(uses, [&](const RuntimeUse& use) { return use.name != flags.name; });
  const std::string text = flags.format == "json"   ? uses_as_json(uses)
                           : flags.format == "name" ? uses_as_names(uses)
                                                    : uses_as_text(uses, console.stdout_width());
  if (!console.write_stdout(text)) return fail(console, "can't write the output");
  return diagnostics.has_errors() ? kFailed : kOk;
}

}  // namespace trainjobc::cli
