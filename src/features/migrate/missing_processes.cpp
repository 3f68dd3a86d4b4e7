// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/missing_processes.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "model/runtime_id.h"
#include "model/trainer_names.h"
#include "policy/plugins.h"
#include "features/diff/live/live.h"
#include "yaml/fields.h"

namespace trainjobc::migrate {
namespace {

using yaml::Node;

std::string_view namespace_of(std::string_view object) {
  const size_t from = object.find('/') + 1;
  return object.substr(from, object.find('/', from) - from);
}

std::string runtime_of(const LintedObject& job) {
  return model::runtime_of(*job.root, namespace_of(job.object)).str();
}

bool is_job(const LintedObject& object) {
  return object.object.starts_with("TrainJob/");
}

const Node* find_env(const Node& node) {
  if (yaml::text_of(node.get("name")) == policy::torch::kPlugin.framework.processes) return node.get("value");
  for (const Node* item : node.items()) {
    if (const Node* found = find_env(*item)) return found;
  }
  for (const yaml::Entry& entry : node.entries()) {
    if (const Node* found = find_env(*entry.value)) return found;
  }
  return nullptr;
}

// The number in each rendered TrainJob; "" if it has none.
std::map<std::string, std::string> processes_of(const Compilation& compiled) {
  std::map<std::string, std::string> found;
  for (const Object& object : compiled.objects) {
    if (object.kind != "JobSet") continue;
    found[diff::object_id(model::kTrainJob, object.ns, object.name)] = yaml::text_of(find_env(*object.root));
  }
  return found;
}

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

ProcessNumbers missing_processes(const Compilation& before, const Compilation& after,
                                 const std::set<std::string>& setting) {
  const auto had = processes_of(before);
  const auto has = processes_of(after);
  ProcessNumbers numbers;
  for (const LintedObject& job : before.linted) {
    if (!is_job(job)) continue;
    const bool was_told =
        setting.contains(runtime_of(job)) || job.root->at({"spec", "trainer", "numProcPerNode"});
    const auto old_one = had.find(job.object);
    const auto new_one = has.find(job.object);
    if (!was_told || old_one == had.end() || new_one == has.end()) continue;
    const auto wanted = number(old_one->second);
    if (wanted && old_one->second != new_one->second) numbers[job.object] = *wanted;
  }
  return numbers;
}

std::set<std::string> used_runtimes(const Compilation& compiled) {
  const auto rendered = processes_of(compiled);
  std::set<std::string> used;
  for (const LintedObject& object : compiled.linted) {
    if (rendered.contains(object.object)) used.insert(runtime_of(object));
  }
  return used;
}

}  // namespace trainjobc::migrate
