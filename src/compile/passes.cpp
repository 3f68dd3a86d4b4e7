// SPDX-License-Identifier: Apache-2.0

#include "compile/passes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/suggest.h"
#include "compile/admission.h"
#include "compile/advice/advice.h"
#include "compile/advice/checks.h"
#include "compile/build.h"
#include "compile/mended.h"
#include "compile/merge.h"
#include "compile/own_name.h"
#include "compile/snapshot.h"
#include "compile/surroundings.h"
#include "k8s/job/job.h"
#include "k8s/name_syntax.h"
#include "k8s/violations.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "platform/platform.h"
#include "policy/plugin.h"
#include "policy/webhook_rules.h"
#include "rules/rules.h"
#include "secret/secret.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile {
namespace {

using base::Diagnostic;
using yaml::Maker;
using yaml::Node;

// Trainer's webhook checks only this of a TrainJob without its runtime: the name is a DNS label, if the
// schema doesn't require that.
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

// Trainer's webhook accepts only these two kinds of runtimes.
bool check_runtime_kind(JobUnit& unit) {
  const model::RuntimeRef& ref = unit.job.runtime_ref;
  if (!ref.node) {
    report_no_runtime_ref(unit);
    return false;
  }
  const bool known_kind = model::is_runtime_kind(ref.kind);
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
    k8s::suggest_writing(diagnostic, ref.node->get(field), model::kTrainerGroup);
    diagnostic.hint += ", or leave it out";
  } else {
    k8s::suggest(diagnostic, ref.node->get(field), meant.value_or(model::kClusterTrainingRuntime));
    if (!meant) diagnostic.fix.clear();
  }
  unit.diagnostics.add(std::move(diagnostic));
  return false;
}

// Replaces the kind where it is written, or inserts one before the name.
std::vector<base::Edit> kind_fix(const model::RuntimeRef& ref, std::string_view kind) {
  const Node* written = ref.node->get("kind");
  auto edits = written ? yaml::replace_text(*written, kind) : std::vector<base::Edit>();
  const yaml::Entry* name = ref.node->find("name");
  if (!edits.empty() || !name) return edits;
  return yaml::insert_before(*name, yaml::pair_of("kind", kind));
}

void advise_on_runtime(const model::RuntimeRef& ref, const Resolution& resolution, Diagnostic& diagnostic) {
  constexpr std::string_view kAdd = "add it to the inputs, or pass its file or folder with --runtimes";
  if (resolution.other_kind) {
    const bool cluster = ref.kind == model::kClusterTrainingRuntime;
    const std::string_view other = cluster ? model::kTrainingRuntime : model::kClusterTrainingRuntime;
    diagnostic.hint = fmt::format("write kind: {}", other);
    base::suggest_fix(diagnostic, kind_fix(ref, other));
  } else if (!resolution.hint.empty()) {
    diagnostic.hint = resolution.hint;
  } else if (!resolution.elsewhere.empty()) {
    diagnostic.hint =
        fmt::format("put the TrainJob and its TrainingRuntime in the same namespace, or {}", kAdd);
  } else if (resolution.meant) {
    k8s::suggest(diagnostic, ref.name.node, *resolution.meant);
    diagnostic.hint += fmt::format(" Or {}", kAdd);
  } else {
    diagnostic.hint = kAdd;
  }
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
  advise_on_runtime(ref, resolution, diagnostic);
  unit.diagnostics.add(std::move(diagnostic));
}

// Reports errors in the runtimeRef of a job that was rejected for another reason. The cluster would not check
// it yet, but users want to see all errors at once.
void check_runtime_ref(JobUnit& unit, const Node& root, const JobSource& source) {
  const Node* ref = root.at({"spec", "runtimeRef"});
  const bool has_name = ref && ref->get("name") && ref->get("name")->is_string();
  const auto is_about_it = [](const Diagnostic& found) { return found.field.starts_with("spec.runtimeRef"); };
  if (!has_name || std::ranges::any_of(unit.diagnostics.items(), is_about_it)) return;
  unit.job.runtime_ref = model::decode_runtime_ref(ref);
  if (!check_runtime_kind(unit)) return;
  const Resolution resolution = source.resolve(unit.job);
  if (!resolution.found) report_missing_runtime(unit, resolution);
}

void warn_of_deprecated_runtime(JobUnit& unit, const model::Behaviours& behaviours) {
  const model::Runtime& runtime = unit.runtime->runtime;
  if (!policy::is_deprecated(runtime, behaviours)) return;
  unit.diagnostics.add(
      runtime_ref_error(unit.job, "advice/deprecated-runtime", "spec.runtimeRef.name",
                        fmt::format("runtime \"{}\" is deprecated and will be removed", runtime.id.name),
                        unit.job.runtime_ref.name.node));
}

// The controller that manages the job; nullptr if it is Trainer.
const Node* other_manager(const JobUnit& unit) {
  const Node* manager = unit.job.managed_by;
  const bool is_left = unit.target.behaviours->heeds_managed_by && manager && !manager->is_null() &&
                       manager->text() != model::kTrainJobController;
  return is_left ? manager : nullptr;
}

// Tells the user that another cluster's controller creates the rendered objects.
void note_other_manager(JobUnit& unit) {
  const Node* manager = other_manager(unit);
  if (!manager) return;
  unit.diagnostics.add(runtime_ref_error(
      unit.job, "advice/managed-elsewhere", "spec.managedBy",
      fmt::format("{} manages this job: in the cluster that it is applied to, Trainer creates nothing for it",
                  manager->text()),
      manager));
}

// If another controller manages the job, this cluster creates no JobSet for it, and refuses none.
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

// A patch has no field for the image of the container that it adds.
void point_to_runtime(const JobUnit& unit, k8s::Violations& violations) {
  const auto is_image = [](const Diagnostic& found) { return found.rule == k8s::rule::kImage; };
  if (std::ranges::none_of(violations, is_image)) return;
  for (const advice::PodPatch& patch : advice::pod_patches(unit.job)) {
    for (const std::string_view list : {"containers", "initContainers"}) {
      if (!patch.pod_spec) continue;
      for (const Node* container : yaml::items_at(*patch.pod_spec, list)) {
        for (Diagnostic& found : violations) {
          if (is_image(found) && found.location == yaml::locate(*container))
            found.hint = "add it to the runtime, with an image: a patch has no field for one";
        }
      }
    }
  }
}

// Privileged containers are refused by an API server without --allow-privileged, which most clusters set.
void settle_privileged(const JobUnit& unit, k8s::Violations& violations) {
  const auto is_it = [](const Diagnostic& found) {
    return found.rule == k8s::rule::kSecurityContext && found.field.ends_with(".privileged");
  };
  if (unit.around->allows_privileged) std::erase_if(violations, is_it);
  for (Diagnostic& found : violations) {
    if (is_it(found))
      found.hint =
          "remove privileged, or write allowPrivileged: true in .trainjobc.yaml if the cluster allows it";
  }
}

// ConfigMaps and Secrets come before the JobSet that mounts them.
int output_rank(const Node& object) {
  static constexpr std::array<std::string_view, 4> kOrder{"ConfigMap", "Secret", "PodGroup", "JobSet"};
  return static_cast<int>(std::ranges::find(kOrder, object.get("kind")->text()) - kOrder.begin());
}

// Hides the secrets of a job and its runtime in everything that the passes report.
class SecretGuard {
 public:
  explicit SecretGuard(JobUnit& unit) : unit_(unit) {}
  SecretGuard(const SecretGuard&) = delete;
  SecretGuard& operator=(const SecretGuard&) = delete;
  ~SecretGuard() {
    secret::hide_secrets(unit_.diagnostics, std::array{unit_.source},
                         unit_.runtime ? unit_.runtime->secrets : secret::DocumentSecrets());
  }

 private:
  JobUnit& unit_;
};

// Returns false if the cluster would not store the TrainJob.
bool admit(JobUnit& unit, InputObject job, const JobSource& source, const Options& options) {
  const Maker make(unit.memory.arena);
  job.root = with_own_name(*job.root, options.ns, options.name_suffix, make);
  job.id = model::identify(*job.root);
  unit.job.id = job.id;
  unit.source = job.root;
  const AdmittedObject admitted =
      admit_input(job, *unit.target.schemas, make, unit.diagnostics, source.is_accepted);
  if (!admitted.accepted) {
    check_runtime_ref(unit, *admitted.defaulted, source);
    return false;
  }
  unit.defaulted = admitted.defaulted;
  unit.job = model::decode_train_job(*admitted.root, *admitted.encoded);
  unit.job.is_owner = options.owner_references && !unit.job.uid.empty();
  return true;
}

// Returns false if there is no runtime to render the job with.
bool resolve(JobUnit& unit, const JobSource& source) {
  const model::Behaviours& behaviours = *unit.target.behaviours;
  if (!check_runtime_kind(unit)) return false;
  policy::Findings findings(unit.diagnostics);
  validate_name(unit.job, behaviours, findings);
  const bool name_fits = !findings.has_errors();
  findings.flush(unit.job.id.str());
  const Resolution resolution = source.resolve(unit.job);
  if (!resolution.found) {
    report_missing_runtime(unit, resolution);
    return false;
  }
  unit.has_refused_runtime = !resolution.found->accepted && !resolution.found->object.is_guess;
  if (!resolution.found->accepted || !name_fits) return false;  // its own errors give the reason
  unit.runtime = resolution.found;
  note_other_manager(unit);
  warn_of_deprecated_runtime(unit, behaviours);
  return true;
}

// Returns nullopt if an override is refused.
std::optional<policy::RuntimeInfo> merge(JobUnit& unit) {
  const schema::Schema& spec = *unit.target.schemas->kind("JobSet")->schema->property("spec")->schema;
  return merge_runtime(unit.job, unit.runtime->runtime, spec, *unit.target.behaviours,
                       Maker(unit.memory.arena), unit.diagnostics);
}

// Merges again, with another number of nodes or processes. nullopt if the framework has no such number.
std::optional<policy::RuntimeInfo> scale(JobUnit& unit, const policy::RuntimeInfo& merged,
                                         const JobScale& scale) {
  policy::Findings findings(unit.diagnostics);
  const bool is_scaled = scale_job(unit.job, merged, scale, Maker(unit.memory.arena), findings);
  findings.flush(unit.job.id.str());
  return is_scaled ? merge(unit) : std::nullopt;
}

// Calls a step of each plugin that has it.
template <class Step, class... Arguments>
void run_plugins(Step step, policy::PluginContext& context, Arguments&... arguments) {
  for (const policy::Plugin* plugin : policy::registry()) {
    if (plugin->*step) (plugin->*step)(context, arguments...);
  }
}

// Runs the webhook's rules, then the policies, which change `info` and make the objects beside the JobSet.
// Returns false if one of them refuses the job.
bool expand(JobUnit& unit, policy::RuntimeInfo& info, const Options& options) {
  policy::Findings findings(unit.diagnostics);
  const Maker make(unit.memory.arena);
  // What is rendered, or counted by a team's rules.
  const bool has_objects = options.render || (unit.platform && unit.platform->counts_jobs());
  policy::PluginContext context{info, make, options.policy, findings};
  run_plugins(&policy::Plugin::validate, context);
  if (!findings.has_errors()) run_plugins(&policy::Plugin::expand, context);
  if (!findings.has_errors() && has_objects) run_plugins(&policy::Plugin::build, context, unit.objects);
  const bool accepted = !findings.has_errors();
  findings.flush(unit.job.id.str());
  if (!accepted) unit.objects.clear();
  return accepted;
}

// The JobSet as the cluster would store it. Reports what the cluster refuses in it or its Jobs.
const Node* admit_output(JobUnit& unit, const Node& job_set, bool is_accepted) {
  const Maker make(unit.memory.arena);
  const Target& target = unit.target;
  const schema::Schema& schema = *target.schemas->kind("JobSet")->schema;
  const Node* admitted = admit_job_set(job_set, schema, make);
  unit.complete = is_accepted;
  if (is_accepted) return admitted;
  const std::string object = unit.job.id.str();
  const k8s::jobset::Behaviour behaviour{.coordinator_label = target.behaviours->coordinator_is_label};
  k8s::Violations violations = validate_job_set(*admitted, schema, behaviour);
  unit.complete = violations.empty();
  leave_to_manager(unit, violations);
  report(std::move(violations), object, unit.diagnostics);
  if (unit.complete) {
    base::Arena jobs;  // for jobs that are not kept
    k8s::Violations refused = k8s::job::validate_jobs(*admitted, Maker(jobs), *unit.kubernetes);
    point_to_runtime(unit, refused);
    settle_privileged(unit, refused);
    report(std::move(refused), object, unit.diagnostics);
  }
  return admitted;
}

// `merged` is the state before the policies changed it.
void advise(JobUnit& unit, const policy::RuntimeInfo& merged, const Node& admitted) {
  const AdviceContext context{unit.job, unit.runtime->runtime, unit.runtime->is_input, merged,
                              admitted, *unit.source,          *unit.kubernetes,       *unit.around};
  report(advise_job(context), unit.job.id.str(), unit.diagnostics);
}

// What is in the way of the job in its namespace. `admitted` is nullptr if there is no JobSet.
void check_platform(JobUnit& unit, const JobSource& source, const Node* admitted = nullptr) {
  if (!source.platform || !unit.defaulted) return;
  source.platform->check(
      {unit.job.id.str(), unit.defaulted, unit.complete ? admitted : nullptr, unit.objects},
      unit.diagnostics);
}

// The same for a job that has no JobSet: the TrainJob itself.
void check_refused(JobUnit& unit, const JobSource& source) {
  if (!source.platform || !source.platform->has_rules()) return;
  const SecretGuard guard(unit);
  check_platform(unit, source);
}

bool is_refused(const JobUnit& unit) {
  return !unit.complete || unit.diagnostics.has_refusals();
}

// Adds the JobSet, and sorts the objects in the order in which they are applied.
void emit(JobUnit& unit, const Node& job_set, const Node& admitted, const Options& options) {
  const Maker make(unit.memory.arena);
  const Node* emitted = options.with_defaults ? &admitted : with_stored_claims(&job_set, admitted, make);
  if (options.snapshot && unit.target.behaviours->takes_snapshots)
    unit.objects.push_back(build_snapshot(unit.job, *unit.runtime->encoded, make));
  unit.objects.push_back(without_empty_structs(*emitted, make));
  std::ranges::stable_sort(unit.objects, {}, [](const Node* object) { return output_rank(*object); });
}

// Passes 2 to 7. False if one of them ended early.
bool run_on(JobUnit& unit, const InputObject& read, const JobSource& source, const Options& options) {
  const bool is_rendered = options.render && !read.is_guess;
  if (const auto* kubernetes = k8s::find_kubernetes(options.kubernetes_version)) unit.kubernetes = kubernetes;
  unit.platform = source.platform;
  const SecretGuard guard(unit);
  // 2. admit, 3. resolve
  const bool has_runtime = admit(unit, read, source, options) && resolve(unit, source);
  unit.of_admission = unit.diagnostics.items().size();
  if (!has_runtime) return false;
  // 4. merge
  std::optional<policy::RuntimeInfo> info = merge(unit);
  if (info && options.scale.is_set()) info = scale(unit, *info, options.scale);
  if (!info) return false;
  const auto merged = options.render ? std::nullopt : info;
  // 5. expand
  if (!expand(unit, *info, options)) return false;
  // 6. build
  const Node* job_set = build_job_set(*info, Maker(unit.memory.arena));
  // 7. admit the JobSet
  const Node* admitted = admit_output(unit, *job_set, source.is_accepted);
  if (merged) advise(unit, *merged, *admitted);
  check_platform(unit, source, admitted);
  if (!is_rendered || is_refused(unit)) {
    unit.objects.clear();
  } else {
    emit(unit, *job_set, *admitted, options);
  }
  return true;
}

// Finds the runtime of a mended job: the job's own runtime, or a mended form of it.
class MendedSource {
 public:
  MendedSource(const JobSource& source, Mend how) : source_(source), how_(how) {}

  bool changed = false;
  bool is_known = true;

  Resolution resolve(const model::TrainJob& job) {
    Resolution resolution = source_.resolve(job);
    if (!resolution.found && how_ == Mend::AsMeant) {
      resolution.found = resolution.meant_runtime;
      changed = true;
    }
    if (!resolution.found || resolution.found->accepted) return resolution;
    is_known = is_known && resolution.found->is_known;
    resolution.found = resolution.found->mended[static_cast<size_t>(how_)].get();
    changed = changed || resolution.found;
    return resolution;
  }

 private:
  const JobSource& source_;
  Mend how_;
};

// Adds findings that don't depend on why the job or its runtime is refused. `as_before` returns the runtime
// of the unchanged job without looking it up again.
void look_behind(JobUnit& unit, const InputObject& read, const JobSource& source, const JobSource& as_before,
                 const Options& options) {
  const SecretGuard guard(unit);
  MendedFindings found;
  bool is_known = true;
  for (const Mend how : kMends) {
    JobUnit mended;
    mended.around = unit.around;
    mended.target = unit.target;
    const Mended root = mend(*read.root, unit.diagnostics.items(), how, Maker(mended.memory.arena));
    MendedSource runtimes(root.changed ? source : as_before, how);
    InputObject job = read;
    job.root = root.root;
    // An unchanged job has other findings only with another runtime.
    const bool is_worth_it = root.changed || (unit.job.root && runtimes.resolve(unit.job).found);
    if (is_worth_it)
      run_on(mended, job,
             {.read = {}, .resolve = [&](const model::TrainJob& of) { return runtimes.resolve(of); }},
             options);
    is_known = is_known && root.is_known && runtimes.is_known;
    if (mended.runtime && (root.changed || runtimes.changed))
      found[static_cast<size_t>(how)] = mended.diagnostics.take();
  }
  for (Diagnostic& one : independent_findings(std::move(found), is_known, unit.diagnostics.items()))
    unit.diagnostics.add(std::move(one));
}

}  // namespace

void run_passes(JobUnit& unit, const JobSource& source, const Options& options) {
  // 1. read
  const std::optional<InputObject> read = source.read(unit);
  if (!read) return;
  if (options.render || source.is_trial) {
    if (!run_on(unit, *read, source, options)) check_refused(unit, source);
    return;
  }
  std::optional<Resolution> resolved;
  const JobSource as_before{.read = {},
                            .resolve =
                                [&](const model::TrainJob& job) {
                                  if (!resolved) resolved = source.resolve(job);
                                  return *resolved;
                                },
                            .platform = source.platform};
  if (run_on(unit, *read, as_before, options)) return;
  look_behind(unit, *read, source, as_before, options);
  check_refused(unit, source);
}

}  // namespace trainjobc::compile
