// SPDX-License-Identifier: Apache-2.0

#include "compile/jobs.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/parallel.h"
#include "compile/generate_name.h"
#include "k8s/object_meta.h"
#include "model/runtime_id.h"
#include "rules/rules.h"
#include "yaml/fields.h"

namespace trainjobc::compile {
namespace {

constexpr size_t kWorthAThread = 16;  // a thread takes longer to start than fewer jobs take

// The passes of one job.
class Passes {
 public:
  // `memory` is empty; give_back() returns it, unless the job keeps it.
  Passes(const InputObject& job, const JobsContext& context, ObjectMemory memory)
      : job_(job),
        context_(context),
        target_(context.plan.target_of(job)),
        unit_(std::make_shared<JobUnit>()) {
    unit_->target = target_;
    unit_->memory = std::move(memory);
  }

  // `index`: of the job, for the sink.
  JobResult run(size_t index) {
    const std::optional<InputObject> read = read_job();
    if (!read) return std::move(result_);
    result_.location = read->location;
    const Options& options = context_.options;
    if (!options.jobs.empty() && leave_out(*read)) return std::move(result_);
    result_.state = JobResult::State::Compiled;
    admit_job(*unit_, *read, options, context_.runtimes.store_for(target_));
    note_admission(*read);
    if (unit_->runtime) render_job(*unit_, options);
    if (context_.sink && !unit_->objects.empty()) context_.sink->take(index, objects_of(*unit_));
    finish(*read);
    return std::move(result_);
  }

  ObjectMemory give_back() {
    if (!unit_) return {};
    ObjectMemory memory = std::move(unit_->memory);
    unit_.reset();
    memory.arena.clear();
    memory.dialects.clear();
    return memory;
  }

  // Adds every version's objections to a result of the job.
  void survey_all(JobResult& result) {
    if (const std::optional<InputObject> read = read_job()) plan(*read, true);
    result.planned = result_.planned;
  }

 private:
  bool needs_survey(const JobResult& result) const {
    return result.refused && context_.options.trainer_version == "auto" && context_.plan.is_newest();
  }

  // nullopt if the document is not one TrainJob; `result_` says what it is.
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

  bool leave_out(const InputObject& read) {
    const yaml::Maker make(unit_->memory.arena);
    const Options& options = context_.options;
    const yaml::Node* named = with_own_name(*read.root, options.ns, options.name_suffix, make);
    result_.object = model::identify(*named).str();
    if (is_selected(result_.object, options)) return false;
    result_.state = JobResult::State::LeftOut;
    return true;
  }

  void note_admission(const InputObject& read) {
    result_.refused = unit_->diagnostics.has_errors();
    result_.of_admission = unit_->diagnostics.items().size();
    result_.ns = unit_->job.id.ns;
    result_.name = unit_->job.id.name;
    result_.object = unit_->job.id.str();
    const yaml::Node* name = unit_->job.root ? unit_->job.root->at({"metadata", "name"}) : nullptr;
    if (name) result_.name_at = yaml::locate(*name);
    plan(read, needs_survey(result_));
  }

  void plan(const InputObject& read, bool surveys) {
    result_.planned.object = &job_;
    result_.planned.runtime = context_.index.runtime_of(read);
    if (!surveys) return;
    SurveyedObject surveyed = survey(read);
    surveyed.object = &job_;
    result_.planned.survey = std::make_shared<const SurveyedObject>(std::move(surveyed));
  }

  void finish(const InputObject& read) {
    result_.runtime = unit_->runtime;
    result_.complete = unit_->complete;
    result_.has_objects = !unit_->objects.empty();
    result_.diagnostics = std::move(unit_->diagnostics);
    if (!context_.keeps_units) return;
    result_.root = read.root;
    result_.unit = std::move(unit_);
  }

  const InputObject& job_;
  const JobsContext& context_;
  Target target_;
  std::shared_ptr<JobUnit> unit_;
  JobResult result_;
};

// Calls `body(passes, index)` for each job; the jobs of one thread use the same memory one after the other.
template <class Body>
void for_each_job(const std::vector<const InputObject*>& jobs, const JobsContext& context, Body body) {
  base::parallel_for_each_thread(jobs.size(), kWorthAThread, context.options.threads, [&] {
    return [&, memory = std::make_shared<ObjectMemory>()](size_t index) {
      Passes passes(*jobs[index], context, std::move(*memory));
      body(passes, index);
      *memory = passes.give_back();
    };
  });
}

base::Diagnostic duplicate_of(const JobResult& job, const base::Location& first) {
  base::Diagnostic duplicate = rules::finding(
      "input/duplicate-object", fmt::format("{} is defined twice", job.object), "", *job.name_at);
  duplicate.object = job.object;
  duplicate.field = "metadata.name";
  duplicate.notes.push_back({"the first one", first});
  return duplicate;
}

// As if the passes had ended when the job was admitted.
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

Object describe(const yaml::Node& root) {
  return {text_at(root, "apiVersion"), text_at(root, "kind"), text_at(root, {"metadata", "namespace"}),
          text_at(root, {"metadata", "name"}), &root};
}

std::vector<Object> objects_of(const JobUnit& unit) {
  std::vector<Object> objects;
  for (const yaml::Node* root : unit.objects) {
    objects.push_back(describe(*root));
    objects.back().train_job = unit.job.root;
    objects.back().schemas = unit.target.schemas;
    if (unit.is_as_written) objects.back().written = unit.source;
  }
  return objects;
}

std::vector<JobResult> run_jobs(const std::vector<const InputObject*>& jobs, const JobsContext& context) {
  std::vector<JobResult> results(jobs.size());
  if (context.sink) context.sink->begin(jobs.size());
  for_each_job(jobs, context, [&](Passes& passes, size_t index) { results[index] = passes.run(index); });
  return results;
}

void survey_jobs(const std::vector<const InputObject*>& jobs, const JobsContext& context,
                 std::vector<JobResult>& results) {
  for_each_job(jobs, context, [&](Passes& passes, size_t index) {
    JobResult& result = results[index];
    if (result.state == JobResult::State::Compiled && !result.planned.survey) passes.survey_all(result);
  });
}

void report_duplicates(std::vector<JobResult>& results) {
  std::map<std::pair<std::string_view, std::string_view>, const JobResult*> first;
  for (JobResult& job : results) {
    if (!job.name_at) continue;
    const auto [at, is_new] = first.try_emplace({k8s::effective_namespace(job.ns), job.name}, &job);
    if (is_new) continue;
    take_back(job);
    job.diagnostics.add(duplicate_of(job, *at->second->name_at));
  }
}

}  // namespace trainjobc::compile
