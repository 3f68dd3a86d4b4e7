// SPDX-License-Identifier: Apache-2.0

#include "compile/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/parallel.h"
#include "base/text/text.h"
#include "compile/merge.h"
#include "compile/optimization.h"
#include "compile/own_name.h"
#include "compile/trials.h"
#include "k8s/object_meta.h"
#include "k8s/quantity.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "policy/container.h"
#include "rules/rules.h"
#include "secret/secret.h"

namespace trainjobc::compile {
namespace {

constexpr size_t kWorthAThread = 16;  // fewer jobs take less time than starting a thread

// kubectl applies the documents of a file in their order, and the webhook refuses a job whose runtime does
// not exist yet.
void warn_of_later_runtime(JobUnit& unit, const base::Location& job) {
  const yaml::Node* name = unit.runtime->runtime.root->at({"metadata", "name"});
  const base::Location at = name ? yaml::locate(*name) : base::Location();
  if (!unit.runtime->is_input || !job.file || job.file != at.file || job.line > at.line) return;
  const model::RuntimeRef& ref = unit.job.runtime_ref;
  base::Diagnostic late = rules::finding(
      "advice/job-before-runtime",
      fmt::format("kubectl apply creates the job before its runtime, and the webhook refuses it: there is no "
                  "{} \"{}\" yet",
                  ref.kind, ref.name.value),
      "put the runtime before the jobs, or in a file that is applied first", yaml::locate(*ref.name.node));
  late.object = unit.job.id.str();
  late.field = "spec.runtimeRef.name";
  late.notes.push_back({"the runtime", at});
  base::Diagnostics found;
  found.add(std::move(late));
  secret::hide_secrets(found, std::array{unit.source}, unit.runtime->secrets);
  unit.diagnostics.append(std::move(found));
}

std::vector<Object> scoped_objects(const JobUnit& unit, const Options& options) {
  std::vector<Object> objects = objects_of(unit);
  for (Object& object : objects) object.scope = options.scope;
  return objects;
}

// One job on its way through the passes.
class JobRun {
 public:
  // `memory` must be empty; give_back() returns it, unless the job keeps it.
  JobRun(const InputObject& job, const JobsContext& context, ObjectMemory memory)
      : job_(job),
        context_(context),
        target_(context.versions.target_of(job)),
        unit_(std::make_shared<JobUnit>()) {
    unit_->target = target_;
    unit_->around = &context.around;
    unit_->memory = std::move(memory);
  }

  // `index` is the job's, for the sink.
  JobResult run(size_t index) {
    const Options& options = context_.options;
    const JobSource source{.read = [&](JobUnit&) { return read_selected(); },
                           .resolve = [&](const model::TrainJob& job) { return resolve(job); },
                           .platform = context_.are_accepted ? nullptr : &context_.platform,
                           .is_accepted = context_.are_accepted};
    run_passes(*unit_, source, options);
    if (result_.state != JobResult::State::Compiled) return std::move(result_);
    finish_trial();
    if (context_.sink && !unit_->objects.empty())
      context_.sink->take(index, scoped_objects(*unit_, context_.options));
    finish();
    return std::move(result_);
  }

  Resolution resolve(const model::TrainJob& job) {
    const Options& options = context_.options;
    Resolution resolution = context_.runtimes.store_for(target_).resolve(job, options.use_catalogue);
    if (resolution.found) return resolution;
    const model::RuntimeRef& ref = job.runtime_ref;
    if (options.hint_for_runtime) resolution.hint = options.hint_for_runtime(ref.kind, ref.name.value);
    return resolution;
  }

  ObjectMemory give_back() {
    if (!unit_) return {};
    ObjectMemory memory = std::move(unit_->memory);
    unit_.reset();
    memory.arena.clear();
    memory.dialects.clear();
    return memory;
  }

  // Finds out what each Trainer version would refuse in the job.
  void survey_all(JobResult& result) {
    if (const std::optional<InputObject> read = read_job()) note_versions(*read, true);
    result.versioned = result_.versioned;
  }

 private:
  bool needs_survey(const JobResult& result) const {
    return result.refused && context_.options.trainer_version == "auto" && context_.versions.is_newest();
  }

  // Returns nullopt if the document is not one TrainJob; `result_` then says what it is.
  std::optional<InputObject> read_job() {
    if (!job_.unread) return job_;
    ReadObjects read = read_objects(*job_.unread, context_.reading, unit_->memory);
    const bool is_job = read.objects.size() == 1 && read.objects.front().kind == InputKind::TrainJob;
    if (!is_job && !read.objects.empty()) {
      result_.state = JobResult::State::Other;
      return std::nullopt;
    }
    result_.reading = std::move(read.diagnostics);
    result_.passed_over = std::move(read.passed_over);
    unit_->is_as_written = read.is_as_written;
    if (!is_job) return std::nullopt;
    return read.objects.front();
  }

  // Like read_job; also nullopt for a job that Options::jobs leaves out.
  std::optional<InputObject> read_selected() {
    read_ = read_job();
    if (!read_) return std::nullopt;
    result_.location = read_->location;
    if (!context_.options.jobs.empty() && leave_out(*read_)) return std::nullopt;
    result_.state = JobResult::State::Compiled;
    return read_;
  }

  bool leave_out(const InputObject& read) {
    const yaml::Maker make(unit_->memory.arena);
    const Options& options = context_.options;
    const yaml::Node* named = with_own_name(*read.root, options.ns, options.name_suffix, make);
    result_.object = model::identify(*named).str();
    if (is_selected(result_.object, options)) return false;
    result_.state = JobResult::State::LeftOut;
    return true;
  }

  void note_versions(const InputObject& read, bool surveys) {
    result_.versioned.object = &job_;
    result_.versioned.runtime = context_.index.runtime_of(read);
    if (!surveys) return;
    SurveyedObject surveyed = survey(read);
    surveyed.object = &job_;
    result_.versioned.survey = std::make_shared<const SurveyedObject>(std::move(surveyed));
  }

  // The controller of OptimizationJobs creates only the TrainJob of a trial: the options say whether it, its
  // objects or both are emitted.
  void finish_trial() {
    if (!job_.optimization) return;
    report_on_template(job_, unit_->diagnostics);
    unit_->of_admission = std::min(unit_->of_admission, unit_->diagnostics.items().size());
    const TrialOutput output = context_.options.trials;
    if (output < TrialOutput::Objects) unit_->objects.clear();
    if (output == TrialOutput::TrainJobsAndObjects && !unit_->objects.empty())
      unit_->objects.insert(unit_->objects.begin(), unit_->source);
  }

  // What kustomize and Helm build has an order of its own.
  bool is_applied() const {
    return !context_.options.render && !read_->is_guess && !job_.optimization && context_.inputs.made.empty();
  }

  void finish() {
    if (unit_->runtime && is_applied()) warn_of_later_runtime(*unit_, result_.location);
    if (read_->is_trial) leave_out_placeholders(unit_->diagnostics);
    const std::span<const base::Diagnostic> found = unit_->diagnostics.items();
    result_.of_admission = unit_->of_admission;
    result_.refused = std::ranges::any_of(found.first(unit_->of_admission), [](const base::Diagnostic& one) {
      return one.severity == base::Severity::Error;
    });
    result_.ns = unit_->job.id.ns;
    result_.name = unit_->job.id.name;
    result_.object = unit_->job.id.str();
    const yaml::Node* name = unit_->job.root ? unit_->job.root->at({"metadata", "name"}) : nullptr;
    if (name) result_.name_at = yaml::locate(*name);
    note_versions(*read_, needs_survey(result_));
    result_.runtime = unit_->runtime;
    result_.complete = unit_->complete;
    result_.has_refused_runtime = unit_->has_refused_runtime;
    result_.has_objects = !unit_->objects.empty();
    if (context_.sink || context_.keeps_units) {
      const model::ObjectId runtime = model::runtime_of(*read_->root, "");
      result_.runtime_name = fmt::format("{} {}", runtime.kind, runtime.name);
    }
    result_.diagnostics = std::move(unit_->diagnostics);
    if (!context_.keeps_units) return;
    result_.root = read_->root;
    result_.unit = std::move(unit_);
  }

  const InputObject& job_;
  const JobsContext& context_;
  Target target_;
  std::shared_ptr<JobUnit> unit_;
  std::optional<InputObject> read_;
  JobResult result_;
};

// Calls `body(run, index)` for each job. The jobs of a thread share its memory, one after the other.
template <class Body>
void for_each_job(const std::vector<const InputObject*>& jobs, const JobsContext& context, Body body) {
  base::parallel_for_each_thread(jobs.size(), kWorthAThread, context.options.threads, [&] {
    return [&, memory = std::make_shared<ObjectMemory>()](size_t index) {
      JobRun run(*jobs[index], context, std::move(*memory));
      body(run, index);
      *memory = run.give_back();
    };
  });
}

// Makes the result look as if the passes had ended with the job's admission.
void take_back(JobResult& job) {
  base::Diagnostics of_admission;
  for (size_t i = 0; i < job.of_admission; ++i) of_admission.add(job.diagnostics.items()[i]);
  job.diagnostics = std::move(of_admission);
  job.runtime = nullptr;
  job.complete = false;
  job.has_objects = false;
}

}  // namespace

std::vector<const InputObject*> jobs_of(const InputSet& inputs) {
  std::vector<const InputObject*> jobs;
  for (const InputObject& object : inputs.objects) {
    if (object.kind == InputKind::TrainJob) jobs.push_back(&object);
  }
  return jobs;
}

std::vector<Object> objects_of(const JobUnit& unit) {
  std::vector<Object> objects;
  for (const yaml::Node* root : unit.objects) {
    objects.push_back(described(*root));
    objects.back().train_job = unit.job.root;
    objects.back().schemas = unit.target.schemas;
    objects.back().platform = unit.platform;
    if (unit.is_as_written) objects.back().written = unit.source;
  }
  return objects;
}

std::vector<JobResult> run_jobs(const std::vector<const InputObject*>& jobs, const JobsContext& context) {
  std::vector<JobResult> results(jobs.size());
  if (context.sink) context.sink->begin(jobs.size());
  const base::Work* work = context.options.work;
  if (work) work->expect(jobs.size());
  for_each_job(jobs, context, [&](JobRun& run, size_t index) {
    results[index] = run.run(index);
    if (work) work->step();
  });
  return results;
}

RemadeJob remake_job(const InputObject& job, const JobsContext& context) {
  JobsContext keeping = context;
  keeping.sink = nullptr;
  keeping.keeps_units = true;
  keeping.are_accepted = true;
  JobResult result = JobRun(job, keeping, {}).run(0);
  RemadeJob remade{.objects = scoped_objects(*result.unit, context.options)};
  for (Object& object : remade.objects) object.platform = &context.platform;
  remade.memory = std::move(result.unit);
  return remade;
}

void survey_jobs(const std::vector<const InputObject*>& jobs, const JobsContext& context,
                 std::vector<JobResult>& results) {
  for_each_job(jobs, context, [&](JobRun& run, size_t index) {
    JobResult& result = results[index];
    if (result.state == JobResult::State::Compiled && !result.versioned.survey) run.survey_all(result);
  });
}

base::Diagnostics find_duplicates(std::vector<JobResult>& results) {
  base::Diagnostics duplicates;
  std::map<std::pair<std::string_view, std::string_view>, const JobResult*> first;
  for (JobResult& job : results) {
    if (!job.name_at) continue;
    const auto [at, is_new] = first.try_emplace({k8s::effective_namespace(job.ns), job.name}, &job);
    if (is_new) continue;
    take_back(job);
    duplicates.add(duplicate_object(job.object, *job.name_at, *at->second->name_at));
  }
  return duplicates;
}

namespace {

std::set<const base::SourceFile*> broken_files(const base::Diagnostics& diagnostics) {
  std::set<const base::SourceFile*> files;
  for (const base::Diagnostic& diagnostic : diagnostics.items()) {
    if (diagnostic.stage == base::Stage::Yaml && diagnostic.severity == base::Severity::Error)
      files.insert(diagnostic.location.file);
  }
  return files;
}

// The documents of the runtimes that jobs were resolved to. Most findings in a runtime come from checking its
// jobs.
std::set<const yaml::Node*> used_runtimes(const std::vector<JobResult>& jobs) {
  std::set<const yaml::Node*> roots;
  for (const JobResult& job : jobs) {
    if (job.runtime) roots.insert(job.runtime->object.root);
  }
  return roots;
}

bool is_job(const JobResult& job) {
  return job.state == JobResult::State::Compiled || job.state == JobResult::State::LeftOut;
}

}  // namespace

std::vector<CheckedDocument> checked_documents(const InputSet& inputs, const std::vector<JobResult>& jobs,
                                               const base::Diagnostics& diagnostics) {
  const std::set<const base::SourceFile*> broken = broken_files(diagnostics);
  const std::set<const yaml::Node*> runtimes = used_runtimes(jobs);
  // A rejected job may be one of this runtime's.
  const bool all_jobs =
      std::ranges::all_of(jobs, [](const JobResult& job) { return !is_job(job) || job.complete; });
  std::vector<CheckedDocument> out;
  const auto add = [&](const base::Location& at, bool is_complete) {
    out.push_back({at.file, at.line, is_complete && !broken.contains(at.file)});
  };
  for (const base::SourceFile* file : broken) out.push_back({file, 0, false});
  auto job = jobs.begin();
  for (const InputObject& object : inputs.objects) {
    if (object.kind == InputKind::TrainJob) {
      if (is_job(*job)) add(job->location, job->complete);
      ++job;
    } else {
      const bool has_no_jobs = object.kind == InputKind::Foreign || object.kind == InputKind::OptimizationJob;
      add(object.location, has_no_jobs || (all_jobs && runtimes.contains(object.root)));
    }
  }
  return out;
}

namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

constexpr std::string_view kName = "j";  // short, since the pods' names begin with it

const policy::Container* find_node(const policy::PodSet& set) {
  return base::find(set.containers, model::kNode, &policy::Container::name);
}

// Whether a job of the runtime has to name an image.
bool lacks_image(const policy::RuntimeInfo& info) {
  return std::ranges::any_of(info.pod_sets, [](const policy::PodSet& set) {
    const policy::Container* node = set.ancestor == model::kTrainer ? find_node(set) : nullptr;
    return node && (!node->image || node->image->text().empty());
  });
}

// Whether a job of the runtime has to set a limit for that resource.
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

// The resourcesPerNode that a job of the runtime has to set; nullptr if it needs none.
const Node* needed_resources(const policy::RuntimeInfo& info, const Maker& make, yaml::Origin origin) {
  std::vector<Entry> amounts;
  for (const policy::PodSet& set : info.pod_sets) {
    const policy::Container* node = takes_node_resources(info, set) ? find_node(set) : nullptr;
    const Node* requests = node ? node->node->at({"resources", "requests"}) : nullptr;
    if (!requests) continue;
    for (const Entry& request : requests->entries()) {
      const bool is_new = !base::contains(amounts, request.key, &Entry::key);
      if (is_new && lacks_limit(request, node->node->at({"resources", "limits"}))) amounts.push_back(request);
    }
  }
  if (amounts.empty()) return nullptr;
  const Node* list = make.map(amounts, origin);
  return make.map({{"limits", list}, {"requests", list}}, origin);
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
  const Node* trainer = make.map(
      {{"image", lacks_image(info) ? make.string("image", origin) : nullptr},
       {"numNodes", num_nodes ? make.integer(*num_nodes, origin) : nodes_of_flux(runtime, make, origin)},
       {"resourcesPerNode", needed_resources(info, make, origin)}},
      origin);
  const Node* ref =
      make.map({{"name", make.string(id.name, origin)}, {"kind", make.string(id.kind, origin)}}, origin);
  const Node* ns = id.ns.empty() ? nullptr : make.string(id.ns, origin);
  const Node* metadata = make.map({{"name", make.string(kName, origin)}, {"namespace", ns}}, origin);
  return make.map({{"apiVersion", make.string(model::kTrainerApiVersion, origin)},
                   {"kind", make.string(model::kTrainJob, origin)},
                   {"metadata", metadata},
                   {"spec", make.map({{"runtimeRef", ref}, {"trainer", trainer}}, origin)}},
                  origin);
}

namespace {

using base::Diagnostic;
using base::Stage;

// Says of a name that it is of a job like the trial. There is no TrainJob to point at.
void name_trial(Diagnostic& found) {
  if (found.message.find(fmt::format("\"{}-", kName)) != std::string::npos)
    found.message.insert(0, fmt::format("of a TrainJob \"{}\", ", kName));
  std::erase_if(found.notes, [](const base::Note& note) { return note.message == "the TrainJob"; });
}

auto key_of(const Diagnostic& found) {
  return std::tuple(std::string_view(found.rule), std::string_view(found.field), found.location.file,
                    found.location.line, found.location.column);
}

bool holds(const std::vector<Diagnostic>& findings, const Diagnostic& wanted) {
  return std::ranges::any_of(findings,
                             [&](const Diagnostic& found) { return key_of(found) == key_of(wanted); });
}

// The errors of a TrainJob of this runtime; nullopt if there can be no such job.
std::optional<std::vector<Diagnostic>> errors_of(const Trial& trial, const Surroundings& around,
                                                 std::optional<int64_t> num_nodes) {
  JobUnit unit;
  unit.target = trial.target;
  unit.around = &around;
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
              .resolve = [&](const model::TrainJob&) { return Resolution{.found = trial.runtime}; },
              .is_trial = true},
             options);
  if (!unit.runtime) return std::nullopt;
  std::vector<Diagnostic> errors;
  for (const Diagnostic& found : unit.diagnostics.items()) {
    if (found.severity == base::Severity::Error && found.stage != Stage::Advice) errors.push_back(found);
  }
  return errors;
}

// Drops refusals that depend on the number of nodes.
void excuse_number_of_nodes(const Trial& trial, const Surroundings& around, std::vector<Diagnostic>& errors) {
  constexpr std::array<int64_t, 2> kNumbers{1, 4096};
  for (const int64_t number : kNumbers) {
    if (errors.empty()) return;
    auto others = errors_of(trial, around, number);
    const auto is_known = [&](const Diagnostic& other) { return holds(errors, other); };
    if (others && std::ranges::all_of(*others, is_known)) errors = std::move(*others);
  }
}

// Turns `found`, a finding on the job, into one on its runtime.
Diagnostic about_runtime(Diagnostic found, const StoredRuntime& runtime) {
  constexpr std::string_view kSpec = "spec.";
  constexpr std::string_view kMetadata = "metadata.";
  if (found.stage == Stage::Input) {
    // The controller fails on the part of the runtime that the note shows.
    found.field.clear();
    if (!found.notes.empty()) found.location = found.notes.front().location;
    found.notes.clear();
  } else if (found.field.starts_with(kSpec)) {
    found.field.insert(0, "spec.template.");
  } else if (found.field.starts_with(kMetadata)) {
    found.field.insert(0, "spec.template.");
  }
  name_trial(found);
  rules::defer(found);
  found.object = runtime.object.id.str();
  found.hide_source = false;
  return found;
}

void run(Trial& trial, const Surroundings& around) {
  auto errors = errors_of(trial, around, std::nullopt);
  if (!errors) return;
  excuse_number_of_nodes(trial, around, *errors);
  for (Diagnostic& found : *errors) {
    trial.findings.add(about_runtime(std::move(found), *trial.runtime));
  }
  secret::hide_secrets(trial.findings, std::array{trial.runtime->object.as_written()});
}

}  // namespace

void run_trials(std::deque<Trial>& trials, const Surroundings& around, const Options& options) {
  base::parallel_for(trials.size(), kWorthAThread, options.threads,
                     [&](size_t index) { run(trials[index], around); });
}

}  // namespace trainjobc::compile
