// The pass list. This is the only place that knows the order of the passes.
#include "compile/compile.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <tuple>
#include <vector>

#include "base/parallel.h"
#include "compile/admission/admit_all.h"
#include "compile/advice/secrets/secret_text.h"
#include "compile/checked.h"
#include "compile/input/input.h"
#include "compile/input/templates.h"
#include "compile/render_job.h"
#include "compile/versions/version_plan.h"
#include "yaml/fields.h"

namespace trainjobc {
namespace {

using compile::InputKind;
using compile::InputObject;
using compile::JobUnit;

// The memory of all nodes of a compilation.
struct Memory {
  compile::InputSet inputs;
  compile::InputSet runtimes;
  std::unique_ptr<compile::AdmittedInputs> admitted;
};

Object describe(const yaml::Node& root) {
  return {text_at(root, "apiVersion"), text_at(root, "kind"), text_at(root, {"metadata", "namespace"}),
          text_at(root, {"metadata", "name"}), &root};
}

void pass_through(const compile::InputSet& inputs, std::vector<Object>& objects) {
  for (const InputObject& input : inputs.objects) {
    if (input.kind != InputKind::Foreign) continue;
    Object object = describe(*input.root);
    object.passthrough = true;
    objects.push_back(object);
  }
}

// Jobs have the names under which they were admitted.
std::vector<LintedObject> linted_objects(const Memory& memory) {
  std::vector<LintedObject> linted;
  auto unit = memory.admitted->units.begin();
  for (const InputObject& input : memory.inputs.objects) {
    const bool is_job = input.kind == InputKind::TrainJob;
    if (!is_job && !input.is_runtime()) continue;
    const base::Location at = yaml::locate(*input.root);
    linted.push_back({at.file ? at.file->name() : "", is_job ? (unit++)->job.id.str() : input.id.str(),
                      at.line, input.root});
  }
  return linted;
}

// Calls render_job for every unit that has a runtime. Units share no mutable state, so the result
// does not depend on the number of threads.
void run_all(std::deque<compile::JobUnit>& units, const Options& options) {
  constexpr size_t kWorthAThread = 16;  // a thread takes longer to start than fewer jobs take
  base::parallel_for(units.size(), kWorthAThread, options.threads, [&](size_t index) {
    JobUnit& unit = units[index];
    if (unit.runtime) compile::render_job(unit, options);
  });
}

}  // namespace

Compilation compile_sources(std::vector<Source> inputs, std::vector<Source> runtimes,
                            const Options& options) {
  auto memory = std::make_shared<Memory>();
  Compilation result;

  // read: text to objects
  const bool pinned = options.trainer_version != "auto" && !options.translate_pinned;
  const std::string_view pinned_version = pinned ? std::string_view(options.trainer_version) : "";
  compile::read_inputs(std::move(inputs), memory->inputs, result.diagnostics,
                       {pinned_version, !options.passthrough});
  const std::vector<InputObject> all_objects = memory->inputs.objects;
  result.other_jobs = compile::leave_out_jobs(memory->inputs, options);
  base::Diagnostics of_runtimes;
  compile::read_inputs(std::move(runtimes), memory->runtimes, of_runtimes, {pinned_version, false});
  compile::advice::hide_secret_text(result.diagnostics);
  compile::advice::hide_secret_text(of_runtimes);
  result.documents = memory->inputs.objects.size();

  // admit the runtimes and the jobs, resolve each job's runtime; an input that the newest Trainer version
  // refuses may be for an older one
  compile::VersionPlan plan = compile::plan_for(options.trainer_version);
  memory->admitted = compile::admit_all(memory->inputs, memory->runtimes, plan, options);
  if (options.trainer_version == "auto" && !memory->admitted->refused.empty()) {
    plan = compile::plan_by_content(memory->inputs, memory->runtimes, memory->admitted->refused);
    if (!plan.is_newest())
      memory->admitted = compile::admit_all(memory->inputs, memory->runtimes, plan, options);
  }
  std::deque<JobUnit>& units = memory->admitted->units;
  result.train_jobs = units.size();
  result.trainer_version = plan.versions();
  result.trainer_version_reason = plan.reason;
  result.diagnostics.append(std::move(plan.findings));
  result.diagnostics.append(std::move(memory->admitted->diagnostics));
  result.diagnostics.append(std::move(of_runtimes));

  // merge, expand, build, admit the JobSet: each job separately, on all processors; runtimes without a job
  // with a trial job
  run_all(units, options);
  compile::run_trials(memory->admitted->trials, options);
  for (compile::Trial& trial : memory->admitted->trials) result.diagnostics.append(std::move(trial.findings));

  if (options.passthrough) pass_through(memory->inputs, result.objects);
  std::vector<JobUnit*> ordered;
  for (JobUnit& unit : units) ordered.push_back(&unit);
  std::ranges::stable_sort(ordered, {},
                           [](const JobUnit* unit) { return std::pair(unit->job.id.ns, unit->job.id.name); });
  for (JobUnit* unit : ordered) {
    for (const yaml::Node* object : unit->objects) {
      result.objects.push_back(describe(*object));
      result.objects.back().train_job = unit->job.root;
    }
    result.diagnostics.append(std::move(unit->diagnostics));
  }
  result.diagnostics.sort();
  compile::fold_templates(result.diagnostics, memory->inputs);
  result.passed_over = std::move(memory->inputs.passed_over);
  std::ranges::sort(result.passed_over, {},
                    [](const PassedOver& one) { return std::tie(one.file, one.line, one.what); });
  result.linted = linted_objects(*memory);
  result.checked = compile::checked_documents(all_objects, memory->inputs, units, result.diagnostics);
  for (const auto& file : memory->inputs.files) result.files.push_back(file.get());
  result.memory = std::move(memory);
  return result;
}

}  // namespace trainjobc
