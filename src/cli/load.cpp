#include "cli/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace trainjobc::cli {
namespace {

using base::IoError;
using base::IoResult;

bool is_manifest(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
}

// Where to read each source from; false: found in a directory.
using Plan = std::map<std::string, bool>;

std::optional<IoError> add_directory(const base::FileSystem& files, const std::string& path, bool recurse,
                                     Plan& plan) {
  const IoResult<std::vector<std::string>> listed = files.list(path, recurse);
  if (const auto* error = std::get_if<IoError>(&listed)) return *error;
  for (const std::string& file : std::get<std::vector<std::string>>(listed)) {
    if (is_manifest(file)) plan.try_emplace(file, false);
  }
  return std::nullopt;
}

IoResult<std::string> read_one(Console& console, const std::string& name) {
  return name == kStdin ? console.read_stdin() : console.files().read(name);
}

}  // namespace

IoResult<std::vector<Source>> load_sources(Console& console, const std::vector<std::string>& paths,
                                           bool recurse) {
  Plan plan;
  for (const std::string& path : paths) {
    if (path == "-") {
      plan[std::string(kStdin)] = true;
    } else if (console.files().is_directory(path)) {
      if (auto error = add_directory(console.files(), path, recurse, plan)) return *error;
    } else {
      plan[path] = true;
    }
  }
  std::vector<Source> sources;
  for (const auto& [name, named] : plan) {
    IoResult<std::string> text = read_one(console, name);
    if (const auto* error = std::get_if<IoError>(&text)) return *error;
    Source source;
    source.name = name;
    source.text = std::move(std::get<std::string>(text));
    source.named = named;
    sources.push_back(std::move(source));
  }
  return sources;
}

}  // namespace trainjobc::cli
