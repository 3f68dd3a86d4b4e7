// SPDX-License-Identifier: Apache-2.0

#include "cli/input/load.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/files/paths.h"

namespace trainjobc::cli {
namespace {

using base::IoError;
using base::IoResult;

// A file to read, as the command line spells it.
struct Planned {
  std::string name;
  bool named = false;  // otherwise found in a directory
};

class InputPlan {
 public:
  InputPlan(Console& console, const DiscoverOptions& options) : console_(console), options_(options) {}

  Loaded loaded;

  std::optional<IoError> add(const std::string& path) {
    if (path == "-") {
      add_file(std::string(base::kStdin), std::string(base::kStdin), true);
    } else if (console_.files().is_directory(path)) {
      return add_directory(path);
    } else if (const std::string by = lint::excluded_by(options_.configurations, path); !by.empty()) {
      loaded.excluded.push_back(path);
      loaded.passed_over.push_back({path, 0, "is excluded by " + by});
    } else {
      add_file(path, base::absolute_path(path), true);
    }
    return std::nullopt;
  }

  std::optional<IoError> read() {
    std::map<std::string, bool> sorted;
    for (const auto& [place, planned] : files_) sorted[planned.name] = planned.named;
    for (const auto& [name, named] : sorted) {
      IoResult<std::string> text = name == base::kStdin ? console_.read_stdin() : console_.files().read(name);
      if (const auto* error = std::get_if<IoError>(&text)) return *error;
      loaded.sources.push_back({name, std::move(std::get<std::string>(text)), named});
    }
    return std::nullopt;
  }

 private:
  std::optional<IoError> add_directory(const std::string& path) {
    auto found = discover(console_.files(), path, options_);
    if (const auto* error = std::get_if<IoError>(&found)) return *error;
    auto& discovery = std::get<Discovery>(found);
    loaded.directories.push_back(path);
    for (const std::string& file : discovery.files) add_file(file, base::absolute_path(file), false);
    std::ranges::move(discovery.passed_over, std::back_inserter(loaded.passed_over));
    return std::nullopt;
  }

  // Of two spellings of a file, the shorter one stays.
  void add_file(const std::string& name, const std::string& place, bool named) {
    const auto [at, is_new] = files_.try_emplace(place, Planned{name, named});
    if (is_new) return;
    std::string& known = at->second.name;
    if (std::pair(name.size(), name) < std::pair(known.size(), known)) known = name;
    at->second.named = at->second.named || named;
  }

  Console& console_;
  const DiscoverOptions& options_;
  std::map<std::string, Planned> files_;  // by their absolute paths
};

}  // namespace

IoResult<Loaded> load_sources(Console& console, const std::vector<std::string>& paths,
                              const DiscoverOptions& options) {
  InputPlan plan(console, options);
  for (const std::string& path : paths) {
    if (auto error = plan.add(path)) return *error;
  }
  if (auto error = plan.read()) return *error;
  return std::move(plan.loaded);
}

}  // namespace trainjobc::cli
