// SPDX-License-Identifier: Apache-2.0

// trainjobc schema
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "base/text/ascii.h"
#include "base/text/suggest.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "cli/help/schema_files.h"
#include "features/json_schema/json_schema.h"

namespace trainjobc::cli {
namespace {

struct SchemaFlags {
  std::string kind;
  std::string trainer_version;
};

std::vector<std::string_view> kind_names(const schema::VersionSchemas& version) {
  std::vector<std::string_view> names;
  for (const schema::KindSchema* kind : json_schema::kinds_of(version)) names.push_back(kind->kind);
  return names;
}

int run_schema(Console& console, const SchemaFlags& flags) {
  const schema::VersionSchemas* chosen = schema::find_version(flags.trainer_version);
  const schema::VersionSchemas& version = chosen ? *chosen : schema::all_versions().back();
  const std::vector<std::string_view> names = kind_names(version);
  if (flags.kind.empty()) return fail(console, fmt::format("name a kind: {}", fmt::join(names, ", ")));
  const auto same = [&](std::string_view name) {
    return base::lower_case(name) == base::lower_case(flags.kind);
  };
  const auto found = std::ranges::find_if(names, same);
  if (found == names.end()) {
    const auto meant = base::closest(flags.kind, names);
    return fail(console, fmt::format("there is no schema of {}{}", flags.kind,
                                     meant ? fmt::format(", did you mean {}?", *meant)
                                           : fmt::format("; the kinds are {}", fmt::join(names, ", "))));
  }
  const std::string text = json_schema::json_schema_of(version, *version.kind(*found));
  return console.write_manifests(text) ? kOk : fail(console, "can't write the output");
}

}  // namespace

int write_schemas(const std::string& directory, Console& console) {
  for (const schema::VersionSchemas& version : schema::all_versions()) {
    for (const schema::KindSchema* kind : json_schema::kinds_of(version)) {
      const std::string path = fmt::format("{}/{}", directory, json_schema::file_of(version, *kind));
      if (const auto error = console.files().make_directory(path.substr(0, path.rfind('/'))))
        return fail(console, error->message);
      if (const auto error = console.files().write(path, json_schema::json_schema_of(version, *kind), 0666))
        return fail(console, error->message);
    }
  }
  return kOk;
}

std::function<int(Console&)> setup_schema(Command& command) {
  auto flags = std::make_shared<SchemaFlags>();
  command.add("KIND", &flags->kind, "TrainJob, TrainingRuntime, ClusterTrainingRuntime or JobSet")
      .takes("KIND");
  add_version_flag(command, "--trainer-version", flags->trainer_version,
                   "Schema of this Trainer version instead of the newest", false);
  command.details = {
      "Prints the JSON Schema (draft 7) of a kind, with descriptions of Trainer's fields. Editors complete "
      "and check manifests with it: yaml-language-server if the file begins with the comment # "
      "yaml-language-server: $schema=PATH, VS Code also by its setting yaml.schemas. The schemas of all "
      "versions are installed in share/trainjobc/schemas, by group, kind and version, where kubeconform "
      "finds them with -schema-location."};
  command.exit_statuses = {{0, "printed"}, {2, "usage or I/O"}};
  command.examples = {"trainjobc schema TrainJob > trainjob.json",
                      "trainjobc schema ClusterTrainingRuntime --trainer-version 2.2"};
  return [flags](Console& console) { return run_schema(console, *flags); };
}

}  // namespace trainjobc::cli
