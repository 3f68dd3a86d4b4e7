// SPDX-License-Identifier: Apache-2.0

#include "inputs/load.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "inputs/discover.h"
#include "inputs/roots.h"
#include "model/behaviours.h"

namespace trainjobc::inputs {
namespace {

class Loader {
 public:
  Loader(base::FileSystem& files, base::ProcessRunner& programs, const Request& request)
      : files_(files),
        programs_(programs),
        request_(request),
        configurations_(files, request.config.empty() ? request.environment.config : request.config,
                        request.no_config) {
    reading_.recurse = request.recurse;
    reading_.configurations = &configurations_;
    reading_.standard_input = request.standard_input;
  }

  Loaded load() {
    if (!read_settings()) return std::move(loaded_);
    // An invalid configuration is reported before an unreadable file.
    auto found = read_sources(files_, request_.paths, reading_);
    if (!is_usable() || !take(std::move(found))) return std::move(loaded_);
    const bool may_know = !request_.no_cache && configurations_.of_working_directory()->cache.value_or(true);
    RootLoader roots{files_, may_know ? programs_ : programs_.without_cache(), request_, configurations_,
                     loaded_};
    std::vector<InputGroup> built = load_roots(roots, sources_);
    if (loaded_.failed()) return std::move(loaded_);
    if (!sources_.empty() || built.empty())
      loaded_.groups = group_by_configuration(std::move(sources_), configurations_);
    for (InputGroup& group : built) {
      for (const Source& part : group.parts) loaded_.parts.push_back(part.name);
      loaded_.groups.push_back(std::move(group));
    }
    return completed();
  }

  Loaded load(std::vector<Source> sources) {
    if (!read_settings()) return std::move(loaded_);
    loaded_.groups = group_by_configuration(std::move(sources), configurations_);
    return completed();
  }

 private:
  Loaded completed() {
    if (!is_usable()) return std::move(loaded_);
    for (InputGroup& group : loaded_.groups) {
      if (!complete(group)) return std::move(loaded_);
    }
    is_usable();
    return std::move(loaded_);
  }

  // Reads the settings that override every configuration.
  bool read_settings() {
    const Environment& environment = request_.environment;
    trainer_version_ = request_.trainer_version;
    if (!environment.trainer_version.empty()) {
      const auto known = model::read_trainer_version(environment.trainer_version);
      if (!known) {
        loaded_.fail(fmt::format("TRAINJOBC_TRAINER_VERSION {} is not one of auto, {}",
                                 environment.trainer_version, fmt::join(model::trainer_versions(), ", ")));
        return false;
      }
      if (trainer_version_.empty()) trainer_version_ = *known;
    }
    runtimes_ = request_.runtimes;
    if (!environment.runtimes.empty()) runtimes_.push_back(environment.runtimes);
    return is_usable();
  }

  bool is_usable() {
    const auto& error = configurations_.error();
    if (error) loaded_.messages.push_back(*error);
    return !error;
  }

  template <class T>
  std::optional<T> value_of(base::IoResult<T> result) {
    if (auto* value = std::get_if<T>(&result)) return std::move(*value);
    loaded_.fail(std::get<base::IoError>(result).message);
    return std::nullopt;
  }

  bool take(base::IoResult<FoundSources> result) {
    auto found = value_of(std::move(result));
    if (!found) return false;
    sources_ = std::move(found->sources);
    loaded_.directories = std::move(found->directories);
    loaded_.passed_over = std::move(found->passed_over);
    loaded_.excluded = std::move(found->excluded);
    return true;
  }

  // Completes the group with its settings.
  bool complete(InputGroup& group) {
    const Config& config = *group.config;
    group.trainer_version =
        !trainer_version_.empty() ? trainer_version_ : config.trainer_version.value_or("auto");
    group.kubernetes_version = request_.kubernetes_version.empty() ? config.kubernetes_version.value_or("")
                                                                   : request_.kubernetes_version;
    group.feature_gates = config.feature_gates.value_or(std::vector<std::string>());
    for (const std::string& gates : request_.feature_gates) {
      const std::string wrong = model::read_feature_gates(gates, group.feature_gates);
      if (wrong.empty()) continue;
      loaded_.fail(fmt::format("--feature-gates: {}", wrong));
      return false;
    }
    group.use_catalogue = request_.use_catalogue && config.catalogue.value_or(true);
    if (group.ns.empty()) group.ns = config.ns.value_or("");
    if (!request_.ns.empty()) group.ns = request_.ns;
    std::vector<std::string> paths = runtimes_;
    if (request_.environment.runtimes.empty())
      paths.insert(paths.end(), config.runtimes.begin(), config.runtimes.end());
    auto found = value_of(read_sources(files_, paths, reading_));
    if (!found) return false;
    group.runtimes = std::move(found->sources);
    found = value_of(read_sources(files_, config.policy_paths, reading_));
    if (!found) return false;
    group.policies = std::move(found->sources);
    return true;
  }

  base::FileSystem& files_;
  base::ProcessRunner& programs_;
  const Request& request_;
  Configurations configurations_;
  DiscoverOptions reading_;
  std::string trainer_version_;
  std::vector<std::string> runtimes_;
  std::vector<Source> sources_;
  Loaded loaded_;
};

}  // namespace

bool Loaded::failed() const {
  return std::ranges::any_of(messages, [](const Message& one) { return one.kind != MessageKind::Note; });
}

Loaded load(base::FileSystem& files, base::ProcessRunner& programs, const Request& request) {
  return Loader(files, programs, request).load();
}

Loaded load(base::FileSystem& files, base::ProcessRunner& programs, const Request& request,
            std::vector<Source> sources) {
  return Loader(files, programs, request).load(std::move(sources));
}

}  // namespace trainjobc::inputs
