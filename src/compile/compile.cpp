// SPDX-License-Identifier: Apache-2.0

// The passes over all inputs; the order of those of one job is in passes.cpp.

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "compile/jobs.h"
#include "compile/optimization.h"
#include "compile/templates.h"
#include "platform/platform.h"
#include "secret/secret.h"

namespace trainjobc {

Object described(const yaml::Node& root) {
  return {yaml::text_at(root, "apiVersion"), yaml::text_at(root, "kind"),
          yaml::text_at(root, {"metadata", "namespace"}), yaml::text_at(root, {"metadata", "name"}), &root};
}

Compilation::Compilation() = default;
Compilation::Compilation(const Compilation&) = default;
Compilation::Compilation(Compilation&&) noexcept = default;
Compilation& Compilation::operator=(const Compilation&) = default;
Compilation& Compilation::operator=(Compilation&&) noexcept = default;
Compilation::~Compilation() = default;

namespace {

using compile::InputKind;
using compile::InputObject;
using compile::JobResult;
using compile::ReadOptions;

// The memory of all nodes of a compilation.
struct Memory {
  compile::InputSet inputs;
  compile::InputSet runtimes;
  compile::InputSet policies;
  std::unique_ptr<platform::Platform> platform;
  std::unique_ptr<compile::AdmittedRuntimes> admitted;
  std::vector<std::shared_ptr<compile::JobUnit>> units;
  std::unique_ptr<compile::Trials> trials;
};

class Run final : public JobMaker {
 public:
  // `keeps_jobs`: the result keeps the nodes of the TrainJobs and of their objects.
  Run(const Options& options, ObjectSink* sink, bool keeps_jobs)
      : options_(options),
        sink_(sink),
        keeps_jobs_(keeps_jobs),
        versions_(compile::versions_for(options.trainer_version)) {
    const bool pinned = options.trainer_version != "auto" && !options.translate_pinned;
    reading_ = {.pinned_version = pinned ? std::string_view(options_.trainer_version) : "",
                .is_input = !options.passthrough,
                .keep_foreign = options.passthrough,
                .defer_jobs = true,
                .threads = options.threads};
    // What only counts the objects needs no key.
    if (!options.render) options_.policy.ssh_key = {policy::SshKeySource::Omit, ""};
  }

  RemadeJob make(size_t job) const override { return compile::remake_job(*jobs_[job], context()); }

  Compilation compile(std::vector<Source> inputs, std::vector<Source> runtimes) {
    read(std::move(inputs), std::move(runtimes));
    choose_versions();
    duplicates_ = compile::find_duplicates(results_);
    compile::run_trials(of_runtimes_.trials, around_, options_);
    collect_diagnostics();
    collect_objects();
    collect_documents();
    forget();
    result_.memory = memory_;
    return std::move(result_);
  }

 private:
  // Only a sink's jobs may be made again. Nodes stay where they are.
  void forget() {
    std::vector<JobResult>().swap(results_);
    options_.hint_for_runtime = {};
    options_.work = nullptr;
    if (std::exchange(sink_, nullptr)) return;
    std::vector<InputObject>().swap(memory_->inputs.objects);
    memory_->inputs.unread = {};
  }

  compile::InputSet& inputs() { return memory_->inputs; }
  compile::InputSet& runtimes() { return memory_->runtimes; }

  // Pass 1: text to objects.
  void read(std::vector<Source> inputs_read, std::vector<Source> runtimes_read) {
    // The parameters of a policy may be of any kind.
    const auto may_have_policies = [](const std::vector<Source>& sources) {
      return std::ranges::any_of(sources, platform::may_have_policies, &Source::text);
    };
    const bool has_own = std::ranges::any_of(options_.team_rules, [this](const auto& rules) {
      return !options_.render && !rules->policies().empty();
    });
    if (has_own || may_have_policies(inputs_read) || may_have_policies(options_.policies))
      reading_.keep_foreign = true;
    compile::read_inputs(std::move(inputs_read), inputs(), result_.diagnostics, reading_);
    if (options_.render) std::erase_if(inputs().objects, [](const InputObject& one) { return one.is_trial; });
    compile::read_inputs(std::move(runtimes_read), runtimes(), of_runtime_files_,
                         {.pinned_version = reading_.pinned_version,
                          .is_input = false,
                          .keep_foreign = false,
                          .keep_jobs = false,
                          .threads = options_.threads});
    if (options_.policies.empty()) return;
    compile::read_inputs(options_.policies, memory_->policies, of_runtime_files_,
                         {.is_input = false, .keep_jobs = false, .threads = options_.threads});
  }

  // Admits the runtimes; then, for each job: read, admit, resolve, merge, expand, build, admit the JobSet.
  void run_jobs() {
    memory_->platform =
        std::make_unique<platform::Platform>(options_.render ? platform::TeamRuleSets() : options_.team_rules,
                                             options_.security_exemptions, platform_objects());
    memory_->admitted =
        compile::admit_runtimes(inputs(), runtimes(), versions_, *memory_->platform, options_);
    index_ = std::make_unique<compile::RuntimeIndex>(inputs(), runtimes());
    jobs_ = compile::jobs_of(inputs());
    memory_->trials = std::make_unique<compile::Trials>();
    compile::make_trials(inputs(), versions_, options_, *memory_->trials);
    for (const InputObject& trial : memory_->trials->jobs) jobs_.push_back(&trial);
    around_ = compile::surroundings_of(inputs(), options_);
    results_ = compile::run_jobs(jobs_, context());
    if (read_others()) return run_jobs();
    of_runtimes_ = compile::find_in_runtimes(*memory_->admitted, inputs(), runtimes(), versions_, options_);
  }

  std::vector<const yaml::Node*> platform_objects() {
    std::vector<const yaml::Node*> roots;
    for (const InputObject& object : inputs().objects) {
      if (object.kind != InputKind::Foreign || !object.root) continue;
      if (reading_.keep_foreign || platform::is_platform_object(*object.root)) roots.push_back(object.root);
    }
    std::set<std::string> seen;  // the inputs may have the files, too
    if (!options_.policies.empty()) {
      for (const InputObject& object : inputs().objects) seen.insert(object.id.str());
    }
    for (const InputObject& object : memory_->policies.objects) {
      const bool is_read = object.kind == InputKind::Foreign && object.root;
      if (is_read && seen.insert(object.id.str()).second) roots.push_back(object.root);
    }
    return roots;
  }

  // Reads the documents that turned out not to be one TrainJob each. False if there are none.
  bool read_others() {
    std::set<const yaml::FoundDocument*> others;
    for (size_t i = 0; i < jobs_.size(); ++i) {
      if (results_[i].state == JobResult::State::Other) others.insert(jobs_[i]->unread);
    }
    if (!others.empty()) compile::read_deferred(others, inputs(), result_.diagnostics, reading_);
    return !others.empty();
  }

  compile::JobsContext context() const {
    return {options_, reading_,           versions_, *memory_->admitted, *index_, memory_->inputs,
            around_,  *memory_->platform, sink_,     keeps_jobs_};
  }

  // An input that the newest Trainer version refuses may be for an older one.
  void choose_versions() {
    run_jobs();
    const bool refuses_job = std::ranges::any_of(results_, &JobResult::refused);
    if (options_.trainer_version != "auto" || (of_runtimes_.refused.empty() && !refuses_job)) return;
    // Most refused objects are refused under every version; then the other inputs needn't be checked.
    versions_ = compile::versions_by_content(inputs(), versioned_jobs(), &of_runtimes_.refused);
    if (versions_.is_newest()) return;
    compile::survey_jobs(jobs_, context(), results_);
    versions_ = compile::versions_by_content(inputs(), versioned_jobs(), nullptr);
    if (!versions_.is_newest()) run_jobs();
  }

  std::vector<compile::VersionedJob> versioned_jobs() const {
    std::vector<compile::VersionedJob> jobs;
    for (const JobResult& result : results_) {
      if (result.state == JobResult::State::Compiled) jobs.push_back(result.versioned);
    }
    return jobs;
  }

  void collect_diagnostics() {
    base::Diagnostics& all = result_.diagnostics;
    all.reserve(count_findings());
    // This pass hides the secrets of the documents that it looks at; so has each of the others.
    for (JobResult& job : results_) all.append(std::move(job.reading));
    all.append(std::move(duplicates_));
    all.append(std::move(versions_.findings));
    secret::hide_secrets(all);
    all.append(std::move(of_runtimes_.diagnostics));
    all.append(std::move(memory_->trials->diagnostics));
    all.append(std::move(of_runtime_files_));
    all.append(memory_->platform->problems());
    for (compile::Trial& trial : of_runtimes_.trials) all.append(std::move(trial.findings));
    for (JobResult& job : results_) all.append(std::move(job.diagnostics));
    all.sort();
    for (JobResult& job : results_)
      std::ranges::move(job.passed_over, std::back_inserter(inputs().passed_over));
    if (!options_.passthrough) compile::leave_out_foreign(all, inputs());
    if (!options_.is_rendered) compile::fold_templates(all, inputs());
    for (const base::Diagnostic& found : all.items()) {
      if (found.location.file) result_.with_findings.insert(found.location.file->name());
    }
    result_.passed_over = std::move(inputs().passed_over);
    std::ranges::sort(result_.passed_over, {},
                      [](const PassedOver& one) { return std::tie(one.file, one.line, one.what); });
  }

  size_t count_findings() const {
    size_t count = result_.diagnostics.items().size() + versions_.findings.items().size() +
                   of_runtimes_.diagnostics.items().size() + of_runtime_files_.items().size() +
                   duplicates_.items().size() + memory_->trials->diagnostics.items().size();
    for (const compile::Trial& trial : of_runtimes_.trials) count += trial.findings.items().size();
    for (const JobResult& job : results_)
      count += job.reading.items().size() + job.diagnostics.items().size();
    return count;
  }

  void collect_objects() {
    if (options_.passthrough) pass_through();
    base::append(result_.objects, memory_->trials->objects);
    std::vector<size_t> ordered;
    for (size_t i = 0; i < results_.size(); ++i) {
      if (results_[i].has_objects) ordered.push_back(i);
    }
    std::ranges::stable_sort(ordered, {}, [&](size_t i) {
      return std::pair<std::string_view, std::string_view>(results_[i].ns, results_[i].name);
    });
    for (const size_t i : ordered) {
      JobResult& job = results_[i];
      if (!keeps_jobs_) add_collected(i, job);
      if (job.unit) std::ranges::move(compile::objects_of(*job.unit), std::back_inserter(result_.objects));
    }
  }

  void add_collected(size_t index, const JobResult& job) {
    CollectedJob& collected = result_.collected.emplace_back();
    collected.job = index;
    collected.ns = job.ns;
    collected.name = job.name;
    collected.file = job.location.file;
    if (sink_) collected.maker = this;
  }

  void pass_through() {
    for (const InputObject& input : inputs().objects) {
      if (input.kind != InputKind::Foreign) continue;
      Object object = described(*input.root);
      object.passthrough = true;
      result_.objects.push_back(object);
    }
  }

  void collect_documents() {
    result_.checked = compile::checked_documents(inputs(), results_, result_.diagnostics);
    for (const auto& file : inputs().files) result_.files.push_back(file.get());
    result_.trainer_version = versions_.versions();
    result_.trainer_version_reason = versions_.reason;
    result_.linted.reserve(inputs().objects.size());
    auto job = results_.begin();
    for (const InputObject& input : inputs().objects) {
      if (input.kind == InputKind::TrainJob) {
        add_job(*job++);
      } else {
        ++result_.documents;
        if (input.is_runtime() || input.kind == InputKind::OptimizationJob)
          result_.linted.push_back(
              {name_of(input.location), input.id.str(), input.location.line, {}, input.root});
      }
    }
    for (JobResult& result : results_) {
      if (result.unit) memory_->units.push_back(std::move(result.unit));
    }
  }

  // Lists a job under the name with which it was admitted.
  void add_job(JobResult& job) {
    if (job.state == JobResult::State::LeftOut)
      result_.other_jobs.push_back(job.object.substr(job.object.find('/') + 1));
    if (job.state != JobResult::State::Compiled) return;
    ++result_.documents;
    ++result_.train_jobs;
    result_.linted.push_back({name_of(job.location), std::move(job.object), job.location.line,
                              job.name_at.value_or(base::Location{}), job.root, std::move(job.runtime_name),
                              !job.has_refused_runtime});
  }

  static std::string name_of(const base::Location& at) { return at.file ? at.file->name() : ""; }

  Options options_;
  ObjectSink* sink_;
  bool keeps_jobs_;
  ReadOptions reading_;
  compile::VersionChoice versions_;
  std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();
  std::unique_ptr<compile::RuntimeIndex> index_;
  compile::Surroundings around_;
  std::vector<const InputObject*> jobs_;
  std::vector<JobResult> results_;  // one for each job, in order
  compile::RuntimeFindings of_runtimes_;
  base::Diagnostics of_runtime_files_;
  base::Diagnostics duplicates_;
  Compilation result_;
};

}  // namespace

Compilation compile_sources(std::vector<Source> inputs, std::vector<Source> runtimes,
                            const Options& options) {
  return Run(options, nullptr, true).compile(std::move(inputs), std::move(runtimes));
}

Compilation compile_into_sink(std::vector<Source> inputs, std::vector<Source> runtimes,
                              const Options& options, ObjectSink* sink) {
  const auto run = std::make_shared<Run>(options, sink, false);
  Compilation compiled = run->compile(std::move(inputs), std::move(runtimes));
  if (sink) compiled.memory = run;
  return compiled;
}

}  // namespace trainjobc
