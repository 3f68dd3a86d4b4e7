// SPDX-License-Identifier: Apache-2.0

#include "compile/render_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text/suggest.h"
#include "compile/admission/admission.h"
#include "compile/admission/jobset_admission.h"
#include "compile/advice/advice.h"
#include "compile/build.h"
#include "compile/counted_nodes.h"
#include "compile/generate_name.h"
#include "compile/merge/merge.h"
#include "compile/snapshot.h"
#include "k8s/job/job.h"
#include "k8s/name_syntax.h"
#include "model/runtime_id.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "policy/runtime_rules.h"
#include "rules/rules.h"
#include "secret/secret.h"

namespace trainjobc::compile {
namespace {

using base::Diagnostic;
using base::Stage;
using yaml::Maker;
using yaml::Node;

// The webhook's rule for a TrainJob that needs no runtime: the name is a DNS label, if the schema doesn't
// check that.
void validate_name(const model::TrainJob& job, const model::Behaviours& behaviours,
                   policy::Findings& findings) {
  if (!behaviours.webhook_checks_name || k8s::dns_1035_label_problem(job.id.name).empty()) return;
  findings.add("input/name", "metadata.name", fmt::format("\"{}\" is not a DNS label", job.id.name),
               job.root->at({"metadata", "name"}),
               "use at most 63 lower-case letters, digits and dashes, beginning with a letter");
}

Diagnostic runtime_ref_error(const model::TrainJob& job, std::string_view rule, std::string field,
                             std::string message, const Node* where) {
  Diagnostic diagnostic = rules::finding(rule, std::move(message));
  diagnostic.object = job.id.str();
  diagnostic.field = std::move(field);
  if (where) diagnostic.location = yaml::locate(*where);
  return diagnostic;
}

// The schema accepts an object without a spec.
void report_no_runtime_ref(JobUnit& unit) {
  Diagnostic diagnostic = runtime_ref_error(unit.job, "input/runtime-kind", "",
                                            "the job does not refer to a runtime", unit.job.root);
  diagnostic.hint = "add spec: {runtimeRef: {name: NAME}}";
  unit.diagnostics.add(std::move(diagnostic));
}

// Trainer's webhook: only these two kinds are runtimes.
bool check_runtime_kind(JobUnit& unit) {
  const model::RuntimeRef& ref = unit.job.runtime_ref;
  if (!ref.node) {
    report_no_runtime_ref(unit);
    return false;
  }
  const bool known_kind = ref.kind == model::kTrainingRuntime || ref.kind == model::kClusterTrainingRuntime;
  if (known_kind && ref.api_group == model::kTrainerGroup) return true;
  const std::string_view field = known_kind ? "apiGroup" : "kind";
  Diagnostic diagnostic = runtime_ref_error(
      unit.job, "input/runtime-kind", "",
      fmt::format("there is no runtime kind \"{}\" in group \"{}\"", ref.kind, ref.api_group),
      ref.node->get(field));
  static constexpr std::string_view kRuntimeKinds[] = {model::kTrainingRuntime,
                                                       model::kClusterTrainingRuntime};
  const auto meant = base::closest(ref.kind, kRuntimeKinds);
  if (known_kind) {
    diagnostic.hint = fmt::format("write {}, or leave it out", model::kTrainerGroup);
  } else {
    diagnostic.hint = fmt::format("did you mean \"{}\"?", meant.value_or(model::kClusterTrainingRuntime));
  }
  unit.diagnostics.add(std::move(diagnostic));
  return false;
}

std::string runtime_hint(const model::RuntimeRef& ref, const Resolution& resolution) {
  constexpr std::string_view kAdd = "add it to the inputs, or pass its file or folder with --runtimes";
  if (resolution.other_kind) {
    const bool cluster = ref.kind == model::kClusterTrainingRuntime;
    return fmt::format("write kind: {}", cluster ? model::kTrainingRuntime : model::kClusterTrainingRuntime);
  }
  if (!resolution.elsewhere.empty())
    return fmt::format("put the TrainJob and its TrainingRuntime in the same namespace, or {}", kAdd);
  if (resolution.meant) return fmt::format("did you mean \"{}\"? Or {}", *resolution.meant, kAdd);
  return std::string(kAdd);
}

void report_missing_runtime(JobUnit& unit, const Resolution& resolution) {
  const model::RuntimeRef& ref = unit.job.runtime_ref;
  const bool cluster = ref.kind == model::kClusterTrainingRuntime;
  const std::string where =
      cluster ? "" : fmt::format(" in namespace \"{}\"", model::effective_namespace(unit.job.id));
  Diagnostic diagnostic = runtime_ref_error(
      unit.job, "input/missing-runtime", "spec.runtimeRef",
      fmt::format("there is no {} \"{}\"{}", ref.kind, ref.name.value, where), ref.name.node);
  if (!resolution.elsewhere.empty())
    diagnostic.message += fmt::format(", but there is {}", fmt::join(resolution.elsewhere, " and "));
  diagnostic.hint = runtime_hint(ref, resolution);
  unit.diagnostics.add(std::move(diagnostic));
}

// Errors in the runtimeRef of a job that was rejected for another reason. The cluster would not check it yet,
// but users want to see all errors at once.
void check_runtime_ref(JobUnit& unit, const Node& root, const Options& options, RuntimeStore& store) {
  const Node* ref = root.at({"spec", "runtimeRef"});
  const bool has_name = ref && ref->get("name") && ref->get("name")->is_string();
  const auto is_about_it = [](const Diagnostic& found) { return found.field.starts_with("spec.runtimeRef"); };
  if (!has_name || std::ranges::any_of(unit.diagnostics.items(), is_about_it)) return;
  unit.job.runtime_ref = model::decode_runtime_ref(ref);
  if (!check_runtime_kind(unit)) return;
  const Resolution resolution = store.resolve(unit.job, options.use_catalogue);
  if (!resolution.found) report_missing_runtime(unit, resolution);
}

void warn_of_deprecated_runtime(JobUnit& unit, const model::Behaviours& behaviours) {
  const model::Runtime& runtime = unit.runtime->runtime;
  if (!policy::is_deprecated(runtime, behaviours)) return;
  Diagnostic diagnostic =
      runtime_ref_error(unit.job, "advice/deprecated-runtime", "spec.runtimeRef.name",
                        fmt::format("runtime \"{}\" is deprecated and will be removed", runtime.id.name),
                        unit.job.runtime_ref.name.node);
  unit.diagnostics.add(std::move(diagnostic));
}

// The controller that manages the job; nullptr if it is Trainer's own.
const Node* other_manager(const JobUnit& unit) {
  const Node* manager = unit.job.managed_by;
  const bool is_left = unit.target.behaviours->heeds_managed_by && manager && !manager->is_null() &&
                       manager->text() != model::kTrainJobController;
  return is_left ? manager : nullptr;
}

// The rendered objects are those that the controller of another cluster creates.
void note_other_manager(JobUnit& unit) {
  const Node* manager = other_manager(unit);
  if (!manager) return;
  Diagnostic diagnostic = runtime_ref_error(
      unit.job, "advice/managed-elsewhere", "spec.managedBy",
      fmt::format("{} manages this job: in the cluster that it is applied to, Trainer creates nothing for it",
                  manager->text()),
      manager);
  unit.diagnostics.add(std::move(diagnostic));
}

// This cluster creates no JobSet for a job of another controller, so it refuses none.
void leave_to_manager(const JobUnit& unit, k8s::Violations& violations) {
  const Node* manager = other_manager(unit);
  if (!manager) return;
  for (Diagnostic& violation : violations) {
    if (violation.severity != base::Severity::Error) continue;
    rules::except(violation);
    violation.notes.push_back(
        {fmt::format("not an error here: {} has the JobSet created in another cluster", manager->text()),
         yaml::locate(*manager)});
  }
}

// Runs one step of every plugin.
template <class Step>
void for_each_plugin(Step step) {
  for (const policy::Plugin* plugin : policy::registry()) step(*plugin);
}

// ConfigMaps and Secrets come before the JobSet that mounts them.
int output_rank(const Node& object) {
  static constexpr std::array<std::string_view, 4> kOrder{"ConfigMap", "Secret", "PodGroup", "JobSet"};
  return static_cast<int>(std::ranges::find(kOrder, object.get("kind")->text()) - kOrder.begin());
}

// Whatever the passes report about a job, no report shows its secrets or those of its runtime.
class SecretGuard {
 public:
  explicit SecretGuard(JobUnit& unit) : unit_(unit) {}
  SecretGuard(const SecretGuard&) = delete;
  SecretGuard& operator=(const SecretGuard&) = delete;
  ~SecretGuard() {
    std::vector<const Node*> documents{unit_.source};
    if (unit_.runtime) documents.push_back(unit_.runtime->object.root);
    secret::hide_secrets(documents, unit_.diagnostics);
  }

 private:
  JobUnit& unit_;
};

// Pass 7. Returns the JobSet to emit. `merged` is the input of advice; nullptr if no advice is wanted.
const Node* admit_output(JobUnit& unit, const policy::RuntimeInfo* merged, const Node* job_set,
                         const Options& options, const Maker& make) {
  const Target& target = unit.target;
  const schema::Schema& schema = *target.schemas->kind("JobSet")->schema;
  const Node* admitted = admit_job_set(*job_set, schema, make);
  const std::string object = unit.job.id.str();
  const k8s::jobset::Behaviour behaviour{.coordinator_label = target.behaviours->coordinator_is_label};
  k8s::Violations violations = validate_job_set(*admitted, schema, behaviour);
  const bool accepted = violations.empty();
  leave_to_manager(unit, violations);
  report(std::move(violations), object, unit.diagnostics);
  if (accepted) {
    k8s::Violations refused = k8s::job::validate_jobs(*admitted, make);
    name_num_nodes(*admitted, refused);
    report(std::move(refused), object, unit.diagnostics);
  }
  if (merged) {
    const AdviceContext context{unit.job,  unit.runtime->runtime, unit.runtime->is_input, *merged,
                                *admitted, *unit.source};
    report(advise_job(context), object, unit.diagnostics);
  }
  unit.complete = accepted;
  const Node* emitted = options.with_defaults ? admitted : with_stored_claims(job_set, *admitted, make);
  return without_empty_structs(*emitted, make);
}

}  // namespace

void admit_job(JobUnit& unit, const InputObject& object, const Options& options, RuntimeStore& store) {
  const Target& target = unit.target;
  const Maker make(unit.memory.arena);
  InputObject named = object;
  named.root = with_own_name(*object.root, options.ns, options.name_suffix, make);
  named.id = model::identify(*named.root);
  unit.job.id = named.id;
  unit.source = named.root;
  const SecretGuard guard(unit);
  const AdmittedObject admitted = admit_input(named, *target.schemas, make, unit.diagnostics);
  if (!admitted.accepted) {
    check_runtime_ref(unit, *admitted.defaulted, options, store);
    return;
  }
  unit.job = model::decode_train_job(*admitted.root, *admitted.encoded);
  if (!check_runtime_kind(unit)) return;
  policy::Findings findings(unit.diagnostics);
  validate_name(unit.job, *target.behaviours, findings);
  const bool name_fits = !findings.has_errors();
  findings.flush(unit.job.id.str());
  const Resolution resolution = store.resolve(unit.job, options.use_catalogue);
  if (!resolution.found) {
    report_missing_runtime(unit, resolution);
    return;
  }
  if (!resolution.found->accepted || !name_fits) return;  // its own errors give the reason
  unit.runtime = resolution.found;
  note_other_manager(unit);
  warn_of_deprecated_runtime(unit, *target.behaviours);
}

void render_job(JobUnit& unit, const Options& options) {
  const SecretGuard guard(unit);
  const Target& target = unit.target;
  const Maker make(unit.memory.arena);
  const schema::Schema& spec = *target.schemas->kind("JobSet")->schema->property("spec")->schema;

  // merge
  auto info =
      merge_runtime({unit.job, unit.runtime->runtime, spec, *target.behaviours}, make, unit.diagnostics);
  if (!info) return;
  std::optional<policy::RuntimeInfo> merged;  // before the policies change it
  if (!options.render) merged = *info;

  // the webhook's rules
  policy::Findings findings(unit.diagnostics);
  policy::PluginContext context{*info, make, options.policy, findings};
  for_each_plugin([&](const policy::Plugin& plugin) {
    if (plugin.validate) plugin.validate(context);
  });

  // expand
  if (!findings.has_errors()) {
    for_each_plugin([&](const policy::Plugin& plugin) {
      if (plugin.expand) plugin.expand(context);
    });
  }

  // build
  std::vector<const Node*> objects;
  if (!findings.has_errors() && options.render) {
    for_each_plugin([&](const policy::Plugin& plugin) {
      if (plugin.build) plugin.build(context, objects);
    });
  }
  const bool failed = findings.has_errors();
  findings.flush(unit.job.id.str());
  if (failed) return;
  const Node* job_set = build_job_set(*info, make);

  // admit the JobSet
  job_set = admit_output(unit, merged ? &*merged : nullptr, job_set, options, make);
  const auto refuses = [](const Diagnostic& d) {
    return d.severity == base::Severity::Error && d.stage != Stage::Job && d.stage != Stage::Advice;
  };
  if (!options.render || !unit.complete || std::ranges::any_of(unit.diagnostics.items(), refuses)) return;
  if (options.snapshot && target.behaviours->takes_snapshots) {
    objects.push_back(build_snapshot(unit.job, *unit.runtime->encoded, make));
  }
  objects.push_back(job_set);
  std::ranges::stable_sort(objects, {}, [](const Node* object) { return output_rank(*object); });
  unit.objects = std::move(objects);
}

}  // namespace trainjobc::compile
