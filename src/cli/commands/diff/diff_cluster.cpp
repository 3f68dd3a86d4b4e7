// SPDX-License-Identifier: Apache-2.0

#include "cli/commands/diff/diff_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "secret/secret.h"
#include "features/cluster/live.h"
#include "features/cluster/live_fields.h"
#include "yaml/fields.h"

namespace trainjobc::cli {
namespace {

using cluster::Answer;
using cluster::LiveSet;

constexpr int kReadings = 3;

// kubectl's message may quote the objects that it got.
bool is_answer(Console& console, const Answer& answer, const std::vector<Object>& sent = {}) {
  const secret::SecretTexts secrets = secret::secrets_of(sent);
  console.write_stderr(secrets.hide(answer.warnings));
  if (!answer.ok()) fail(console, secrets.hide(kubectl::describe(answer.failure)));
  return answer.ok();
}

// Objects that keep their content whatever is rendered: existing SSH keys.
std::set<std::string> kept_secrets(const LiveSet& live) {
  std::set<std::string> kept;
  for (const cluster::LiveObject& object : live.objects) {
    if (object.kind == "Secret") kept.insert(cluster::object_id(object.kind, object.ns, object.name));
  }
  return kept;
}

// Objects whose dry run would only repeat that the update is refused.
std::set<std::string> refused_objects(const cluster::Report& report) {
  std::set<std::string> refused;
  for (const cluster::ObjectDiff& object : report.objects) {
    const auto is_refused = [](const cluster::Difference& field) { return !field.refusal.empty(); };
    if (std::ranges::any_of(object.differences, is_refused)) refused.insert(object.id);
  }
  return refused;
}

// The objects as an update sends them: existing JobSets keep the order of their variables.
std::vector<Object> as_updates(const Compilation& compiled, const LiveSet& live, const yaml::Maker& make) {
  std::map<std::pair<std::string_view, std::string_view>, const yaml::Node*> job_sets;
  for (const cluster::LiveObject& object : live.objects) {
    if (object.kind == "JobSet") job_sets[{object.ns, object.name}] = object.root;
  }
  std::vector<Object> updates = compiled.objects;
  for (Object& object : updates) {
    if (object.kind != "JobSet") continue;
    const auto found = job_sets.find({object.ns, object.name});
    if (found != job_sets.end())
      object.root = cluster::with_live_env_order(*object.root, *found->second, make);
  }
  return updates;
}

// Changes whenever an object of the dry run does, except for the status of a JobSet.
std::set<std::string> state_of(const LiveSet& live) {
  std::set<std::string> state;
  for (const cluster::LiveObject& object : live.objects) {
    state.insert(fmt::format("{} {} {}", cluster::object_id(object.kind, object.ns, object.name),
                             yaml::text_at(*object.root, {"metadata", "uid"}),
                             yaml::text_at(*object.root, {"metadata", "generation"})));
  }
  return state;
}

Answer read_live(const kubectl::Kubectl& kubectl, const Compilation& compiled, LiveSet& live) {
  Answer objects = cluster::fetch(kubectl, compiled.objects, true, live);
  if (!objects.ok()) return objects;
  Answer train_jobs = cluster::fetch_train_jobs(kubectl, compiled.objects, false, live);
  return {std::move(train_jobs.failure), objects.warnings + train_jobs.warnings};
}

struct Readings {
  std::shared_ptr<LiveSet> live;
  std::shared_ptr<LiveSet> dry_run = std::make_shared<LiveSet>();
  Answer answer;
};

class Reader {
 public:
  Reader(const kubectl::Kubectl& kubectl, const DiffFlags& flags, const Compilation& compiled,
         const cluster::CompareOptions& options)
      : kubectl_(kubectl), flags_(flags), compiled_(compiled), options_(options) {}

  // An update may be refused because an object was created or changed after the objects were read: then they
  // are read again.
  Readings read() const {
    Readings readings = read_once();
    for (int left = kReadings - 1; left > 0 && is_refused(readings.answer); --left) {
      Readings again = read_once();
      const bool is_same = again.live && state_of(*again.live) == state_of(*readings.live);
      readings = std::move(again);
      if (is_same) break;
    }
    return readings;
  }

 private:
  static bool is_refused(const Answer& answer) {
    return answer.failure.cause == kubectl::Cause::Refused || answer.failure.cause == kubectl::Cause::Claim;
  }

  Readings read_once() const {
    Readings readings;
    readings.live = std::make_shared<LiveSet>();
    readings.answer = read_live(kubectl_, compiled_, *readings.live);
    if (!flags_.server_side || !readings.answer.ok()) return readings;
    std::set<std::string> skip = kept_secrets(*readings.live);
    skip.merge(refused_objects(cluster::compare_objects(compiled_, readings.live, options_)));
    const auto updates = as_updates(compiled_, *readings.live, yaml::Maker(readings.dry_run->arena));
    Answer answer = cluster::dry_run(kubectl_, updates, skip, flags_.field_manager, *readings.dry_run);
    readings.answer.warnings += answer.warnings;
    readings.answer.failure = std::move(answer.failure);
    return readings;
  }

  const kubectl::Kubectl& kubectl_;
  const DiffFlags& flags_;
  const Compilation& compiled_;
  const cluster::CompareOptions& options_;
};

}  // namespace

std::optional<cluster::Report> compare_with_cluster(Console& console, const DiffFlags& flags,
                                                    const Compilation& compiled,
                                                    cluster::CompareOptions options,
                                                    base::ProcessRunner& runner) {
  const kubectl::Kubectl kubectl(
      runner, {"kubectl", flags.context, flags.kubeconfig, std::chrono::seconds(flags.timeout)});
  Readings readings = Reader(kubectl, flags, compiled, options).read();
  if (!is_answer(console, readings.answer, compiled.objects)) return std::nullopt;
  if (flags.server_side) options.dry_run = readings.dry_run.get();
  cluster::Report report = cluster::compare_objects(compiled, std::move(readings.live), options);
  report.memory.push_back(std::move(readings.dry_run));
  return report;
}

}  // namespace trainjobc::cli
