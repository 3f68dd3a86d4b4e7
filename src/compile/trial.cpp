// SPDX-License-Identifier: Apache-2.0

#include "compile/trial.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "compile/admission.h"
#include "compile/merge.h"
#include "compile/passes.h"
#include "k8s/quantity.h"
#include "model/trainer_names.h"
#include "policy/build_nodes.h"
#include "rules/rules.h"
#include "secret/secret.h"

namespace trainjobc::compile {
namespace {

using policy::map_of;
using yaml::Entry;
using yaml::Maker;
using yaml::Node;

constexpr std::string_view kName = "j";  // short, since the pods' names begin with it

const policy::Container* find_node(const policy::PodSet& set) {
  const auto at = std::ranges::find(set.containers, model::kNode, &policy::Container::name);
  return at != set.containers.end() ? &*at : nullptr;
}

// Whether a job has to name an image.
bool lacks_image(const policy::RuntimeInfo& info) {
  return std::ranges::any_of(info.pod_sets, [](const policy::PodSet& set) {
    const policy::Container* node = set.ancestor == model::kTrainer ? find_node(set) : nullptr;
    return node && (!node->image || node->image->text().empty());
  });
}

// Whether a job has to set a limit of that resource.
bool lacks_limit(const Entry& request, const Node* limits) {
  const auto wanted = k8s::Quantity::parse(request.value->text());
  if (!wanted || wanted->sign() < 0) return false;
  const bool needs_equal =
      request.key.find('/') != std::string_view::npos || request.key.starts_with("hugepages-");
  const Node* limit = limits ? limits->get(request.key) : nullptr;
  if (!limit) return needs_equal;
  const auto most = k8s::Quantity::parse(limit->text());
  if (!most) return false;
  return needs_equal ? wanted->compare(*most) != 0 : wanted->compare(*most) > 0;
}

// The resourcesPerNode that a job has to set, nullptr if it needs none.
const Node* needed_resources(const policy::RuntimeInfo& info, const Maker& make, yaml::Origin origin) {
  std::vector<Entry> amounts;
  for (const policy::PodSet& set : info.pod_sets) {
    const policy::Container* node = takes_node_resources(info, set) ? find_node(set) : nullptr;
    const Node* requests = node ? node->node->at({"resources", "requests"}) : nullptr;
    if (!requests) continue;
    for (const Entry& request : requests->entries()) {
      const bool is_new = std::ranges::find(amounts, request.key, &Entry::key) == amounts.end();
      if (is_new && lacks_limit(request, node->node->at({"resources", "limits"}))) amounts.push_back(request);
    }
  }
  if (amounts.empty()) return nullptr;
  const Node* list = make.map(amounts, origin);
  return map_of(make, {{"limits", list}, {"requests", list}}, origin);
}

const Node* nodes_of_flux(const model::Runtime& runtime, const Maker& make, yaml::Origin origin) {
  if (!runtime.ml_policy || !runtime.ml_policy->flux) return nullptr;
  return runtime.ml_policy->num_nodes ? runtime.ml_policy->num_nodes->node : make.integer(1, origin);
}

}  // namespace

const Node* trial_job(const StoredRuntime& stored, const model::Behaviours& behaviours,
                      std::optional<int64_t> num_nodes, const Maker& make) {
  const model::Runtime& runtime = stored.runtime;
  const model::ObjectId& id = stored.object.id;
  const yaml::Origin origin = make.made("trial", {stored.object.root->at({"metadata", "name"})});
  const model::TrainJob nothing;
  const policy::RuntimeInfo info =
      policy::make_runtime_info(nothing, runtime, runtime.job_set_spec, behaviours);
  const Node* trainer = map_of(
      make,
      {{"image", lacks_image(info) ? make.string("image", origin) : nullptr},
       {"numNodes", num_nodes ? make.integer(*num_nodes, origin) : nodes_of_flux(runtime, make, origin)},
       {"resourcesPerNode", needed_resources(info, make, origin)}},
      origin);
  const Node* ref =
      map_of(make, {{"name", make.string(id.name, origin)}, {"kind", make.string(id.kind, origin)}}, origin);
  const Node* ns = id.ns.empty() ? nullptr : make.string(id.ns, origin);
  const Node* metadata = map_of(make, {{"name", make.string(kName, origin)}, {"namespace", ns}}, origin);
  return map_of(make,
                {{"apiVersion", make.string(model::kTrainerApiVersion, origin)},
                 {"kind", make.string(model::kTrainJob, origin)},
                 {"metadata", metadata},
                 {"spec", map_of(make, {{"runtimeRef", ref}, {"trainer", trainer}}, origin)}},
                origin);
}

namespace {

using base::Diagnostic;
using base::Stage;

auto key_of(const Diagnostic& found) {
  return std::tuple(std::string_view(found.rule), std::string_view(found.field), found.location.file,
                    found.location.line, found.location.column);
}

bool holds(const std::vector<Diagnostic>& findings, const Diagnostic& wanted) {
  return std::ranges::any_of(findings,
                             [&](const Diagnostic& found) { return key_of(found) == key_of(wanted); });
}

// The errors of a TrainJob of this runtime; nullopt if there can be no such job.
std::optional<std::vector<Diagnostic>> errors_of(const Trial& trial, std::optional<int64_t> num_nodes) {
  JobUnit unit;
  unit.target = trial.target;
  Options options;
  options.render = false;
  run_passes(unit,
             {.read = [&](JobUnit& read) -> std::optional<InputObject> {
                InputObject job;
                job.kind = InputKind::TrainJob;
                job.root = trial_job(*trial.runtime, *trial.target.behaviours, num_nodes,
                                     yaml::Maker(read.memory.arena));
                return job;
              },
              .resolve = [&](const model::TrainJob&) { return Resolution{.found = trial.runtime}; }},
             options);
  if (!unit.runtime) return std::nullopt;
  std::vector<Diagnostic> errors;
  for (const Diagnostic& found : unit.diagnostics.items()) {
    if (found.severity == base::Severity::Error && found.stage != Stage::Advice) errors.push_back(found);
  }
  return errors;
}

// Drops refusals that depend on the number of nodes.
void excuse_number_of_nodes(const Trial& trial, std::vector<Diagnostic>& errors) {
  constexpr std::array<int64_t, 2> kNumbers{1, 4096};
  for (const int64_t number : kNumbers) {
    if (errors.empty()) return;
    auto others = errors_of(trial, number);
    const auto is_known = [&](const Diagnostic& other) { return holds(errors, other); };
    if (others && std::ranges::all_of(*others, is_known)) errors = std::move(*others);
  }
}

// Turns `found`, a finding about the job, into one about its runtime.
Diagnostic about_runtime(Diagnostic found, const StoredRuntime& runtime) {
  constexpr std::string_view kSpec = "spec.";
  constexpr std::string_view kMetadata = "metadata.";
  if (found.stage == Stage::Input) {
    // The controller fails on the runtime, which the note shows.
    found.field.clear();
    if (!found.notes.empty()) found.location = found.notes.front().location;
    found.notes.clear();
  } else if (found.field.starts_with(kSpec)) {
    found.field.insert(0, "spec.template.");
  } else if (found.field.starts_with(kMetadata)) {
    found.field.insert(0, "spec.template.");
  }
  rules::defer(found);
  found.object = runtime.object.id.str();
  found.hide_source = false;
  return found;
}

void run(Trial& trial) {
  auto errors = errors_of(trial, std::nullopt);
  if (!errors) return;
  excuse_number_of_nodes(trial, *errors);
  for (Diagnostic& found : *errors) {
    trial.findings.add(about_runtime(std::move(found), *trial.runtime));
  }
  secret::hide_secrets(trial.findings, std::array{trial.runtime->object.as_written()});
}

}  // namespace

void run_trials(std::deque<Trial>& trials, const Options& options) {
  constexpr size_t kWorthAThread = 16;
  base::parallel_for(trials.size(), kWorthAThread, options.threads,
                     [&](size_t index) { run(trials[index]); });
}

}  // namespace trainjobc::compile
