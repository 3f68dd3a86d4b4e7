// SPDX-License-Identifier: Apache-2.0

#include "lint/configurations.h"

#include <algorithm>

#include "base/files/paths.h"
#include "base/text/glob.h"
#include "lint/config_problem.h"

namespace trainjobc::lint {
namespace {

std::string join(const std::string& folder, const std::string& name) {
  if (folder == ".") return name;
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

bool matches_any(const std::vector<std::string>& globs, std::string_view path) {
  return std::ranges::any_of(
      globs, [&](const std::string& glob) { return base::matches_glob(glob, path, base::Stars::Anything); });
}

}  // namespace

Configurations::Configurations(base::FileSystem& files, std::string file, bool none) : files_(files) {
  if (none) only_ = empty_;
  if (!none && !file.empty()) only_ = read(file);
}

std::shared_ptr<const Config> Configurations::read(const std::string& path) {
  ConfigResult result = load_config(files_, path);
  if (auto* config = std::get_if<Config>(&result)) return std::make_shared<const Config>(std::move(*config));
  if (error_.empty()) error_ = std::get<ConfigError>(result).text;
  return empty_;
}

const Configurations::Found& Configurations::of_folder(const std::string& absolute) {
  const auto known = folders_.find(absolute);
  if (known != folders_.end()) return known->second;
  Found found;
  if (!absolute.empty()) {
    const std::string folder = base::shortest_path(absolute);
    const std::string file = join(folder, kConfigName);
    const bool is_root = files_.exists(join(folder, ".git"));
    if (files_.exists(file)) {
      found = {read(file), is_root};
    } else if (is_root) {
      found.in_repository = true;
    } else {
      found = of_folder(base::parent_of(absolute));
    }
  }
  return folders_.emplace(absolute, std::move(found)).first->second;
}

std::shared_ptr<const Config> Configurations::of_working_directory() {
  if (only_) return only_;
  const Found& here = of_folder(base::working_directory());
  return here.config ? here.config : empty_;
}

std::shared_ptr<const Config> Configurations::of_file(const std::string& name) {
  if (only_) return only_;
  if (name == base::kStdin) return of_working_directory();
  const Found& found = of_folder(base::parent_of(base::absolute_path(name)));
  if (found.config) return found.config;
  return found.in_repository ? empty_ : of_working_directory();
}

std::string excluded_by(Configurations* configurations, const std::string& name) {
  const auto config = configurations ? configurations->of_file(name) : nullptr;
  if (!config || config->exclude.empty() || name == base::kStdin) return "";
  const std::string path = base::path_from(
      base::absolute_path(name), base::absolute_path(config->folder.empty() ? "." : config->folder));
  for (size_t end = path.find('/'); !path.empty(); end = path.find('/', end + 1)) {
    if (matches_any(config->exclude, std::string_view(path).substr(0, end))) return config->file->name();
    if (end == std::string::npos) break;
  }
  return "";
}

}  // namespace trainjobc::lint
