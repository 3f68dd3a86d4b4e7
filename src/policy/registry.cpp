// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text/text.h"
#include "policy/gpu_count.h"
#include "policy/plugin.h"
#include "policy/plugins.h"
#include "rules/rules.h"

namespace trainjobc::policy {

std::span<const Plugin* const> registry() {
  static constexpr std::array kPlugins = std::to_array<const Plugin*>({
      &plainml::kPlugin,
      &torch::kPlugin,
      &mpi::kPlugin,
      &jax::kPlugin,
      &xgboost::kPlugin,
      &flux::kPlugin,
      &coscheduling::kPlugin,
      &volcano::kPlugin,
      &status::kPlugin,
      &jobset::kPlugin,
  });
  return kPlugins;
}

std::string_view gate_of_name(std::string_view name) {
  for (const Plugin* plugin : registry()) {
    if (base::contains(plugin->added_names, name)) return plugin->gate;
  }
  return "";
}

const Framework* framework_of(const RuntimeInfo& info) {
  for (const Plugin* plugin : registry()) {
    if (plugin->framework.is_used && plugin->framework.is_used(info)) return &plugin->framework;
  }
  return nullptr;
}

std::string_view label_of(const Framework& framework, const RuntimeInfo& info) {
  const auto fits = [&](const FrameworkLabel& label) {
    return info.runtime->id.name.starts_with(label.name_prefix);
  };
  const auto label = std::ranges::find_if(framework.labels, fits);
  return label != framework.labels.end() ? label->value : std::string_view();
}

std::span<const std::string_view> env_of(const Framework& framework, const RuntimeInfo& info) {
  return framework.dialect_env ? framework.dialect_env(info) : framework.env;
}

std::string_view processes_of(const Framework& framework, const RuntimeInfo& info) {
  return framework.dialect_processes ? framework.dialect_processes(info) : framework.processes;
}

const yaml::Node* random_processes(const RuntimeInfo& info) {
  const Framework* framework = framework_of(info);
  if (!framework || !(info.is_mpi() || framework->counts_gpus)) return nullptr;
  if (info.is_mpi()) {
    const bool is_given = info.job->trainer && info.job->trainer->num_proc_per_node;
    const auto& slots = info.policy->mpi->num_proc_per_node;
    if (is_given || !info.behaviours->mpi.slots_from_gpus || !slots || slots->value != 1) return nullptr;
  }
  return ambiguous_gpus(resources_per_node(info));
}

std::string frameworks_with_processes() {
  std::vector<std::string_view> titles;
  for (const Plugin* plugin : registry()) {
    if (plugin->framework.has_processes) titles.push_back(plugin->framework.title);
  }
  return base::word_list(titles);
}

const OwnedObject* find_owned_object(std::string_view kind, std::string_view name) {
  for (const Plugin* plugin : registry()) {
    for (const OwnedObject& object : plugin->objects) {
      if (object.matches(kind, name)) return &object;
    }
  }
  return nullptr;
}

bool has_content(OwnedObject::Content content, std::string_view kind, std::string_view name) {
  const OwnedObject* owned = find_owned_object(kind, name);
  return owned && owned->content == content;
}

base::Diagnostic& Findings::add(std::string_view rule, std::string field, std::string message,
                                const yaml::Node* where, std::string hint) {
  base::Diagnostic diagnostic = rules::finding(rule, std::move(message), std::move(hint));
  diagnostic.field = std::move(field);
  if (where) diagnostic.location = yaml::locate(*where);
  found_.push_back(std::move(diagnostic));
  return found_.back();
}

bool Findings::has_errors() const {
  return std::ranges::any_of(found_,
                             [](const base::Diagnostic& d) { return d.severity == base::Severity::Error; });
}

void Findings::flush(const std::string& object) {
  for (base::Diagnostic& diagnostic : found_) {
    diagnostic.object = object;
    out_->add(std::move(diagnostic));
  }
  found_.clear();
}

namespace {

std::string labels() {
  std::vector<std::string_view> values;
  for (const Plugin* plugin : registry()) {
    for (const FrameworkLabel& label : plugin->framework.labels) values.push_back(label.value);
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

std::string reserved_env() {
  std::vector<std::string> parts;
  for (const Plugin* plugin : registry()) {
    const Framework& framework = plugin->framework;
    if (framework.reserves_env)
      parts.push_back(fmt::format("{} for {}", base::word_list(framework.env), framework.title));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

const Framework* framework_named(std::string_view plugin_name) {
  const auto found = std::ranges::find(registry(), plugin_name, &Plugin::name);
  return found != registry().end() ? &(*found)->framework : nullptr;
}

}  // namespace

std::optional<std::string> plugin_fact(std::string_view placeholder) {
  if (placeholder == "plugins.labels") return labels();
  if (placeholder == "plugins.with_processes") return frameworks_with_processes();
  if (placeholder == "plugins.reserved_env") return reserved_env();
  const size_t dot = std::min(placeholder.find('.'), placeholder.size());
  const Framework* framework = framework_named(placeholder.substr(0, dot));
  if (!framework) return std::nullopt;
  const std::string_view fact = placeholder.substr(dot);
  if (fact == ".env_family") return std::string(framework->env_family);
  if (fact == ".settings") return base::word_list(framework->settings);
  return std::nullopt;
}

}  // namespace trainjobc::policy
