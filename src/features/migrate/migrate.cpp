// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/migrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "compile/input.h"
#include "compile/kept_jobs.h"
#include "compile/versions.h"
#include "features/cluster/compare.h"
#include "features/cluster/live.h"
#include "features/migrate/kustomizations.h"
#include "features/migrate/left_jobs.h"
#include "features/migrate/rewrite_file.h"
#include "features/migrate/trainer_versions.h"
#include "features/migrate/v1_jobs.h"
#include "features/objects/acceptance.h"
#include "features/objects/differences.h"
#include "k8s/object_meta.h"
#include "lint/lint.h"
#include "model/runtime.h"
#include "model/train_job.h"
#include "model/trainer_names.h"
#include "policy/plugins.h"
#include "rules/rules.h"
#include "schema/schema.h"
#include "yaml/node.h"
#include "yaml/write/writer.h"

namespace trainjobc::migrate {
namespace {

using base::Diagnostic;
using yaml::Node;

// Whether the finding stops the migration; a missing runtime only prevents the comparison.
bool rejects(const Diagnostic& diagnostic) {
  return base::is_refusal(diagnostic) && diagnostic.rule != "input/missing-runtime";
}

// A suffix for all generateNames, so that the names don't depend on the TrainJobs' content; "" if two
// TrainJobs would get the same name, or none needs a suffix.
std::string suffix_for(const Compilation& compiled) {
  std::set<std::string> prefixes;
  for (const LintedObject& object : compiled.linted) {
    const Node* prefix = object.root->at({"metadata", "generateName"});
    if (!prefix || object.root->at({"metadata", "name"})) continue;
    const std::string_view ns = text_at(*object.root, {"metadata", "namespace"});
    if (!prefixes.insert(fmt::format("{}/{}", ns, prefix->text())).second) return "";
  }
  return prefixes.empty() ? "" : "migrate";
}

// A summary of a rendered TrainJob: its objects would take ten times the memory.
struct RenderedJob {
  std::string runtime;          // "ClusterTrainingRuntime//torch"
  std::string processes;        // torch's processes per node; "" if it has none
  bool sets_processes = false;  // whether the TrainJob sets them itself
  size_t content = 0;           // a hash of the objects
};

// By id: "TrainJob/namespace/name".
using RenderedJobs = std::map<std::string, RenderedJob>;

const Node* find_processes(const Node& node) {
  if (yaml::text_of(node.get("name")) == policy::torch::kPlugin.framework.processes) return node.get("value");
  for (const Node* item : node.items()) {
    if (const Node* found = find_processes(*item)) return found;
  }
  for (const yaml::Entry& entry : node.entries()) {
    if (const Node* found = find_processes(*entry.value)) return found;
  }
  return nullptr;
}

RenderedJob summarize(std::span<const Object> objects) {
  RenderedJob summary;
  std::string text;
  for (const Object& object : objects) {
    yaml::write_yaml(*object.root, yaml::KeyOrder::Alphabet, text);
    if (object.kind == "JobSet") summary.processes = yaml::text_of(find_processes(*object.root));
  }
  summary.content = std::hash<std::string>()(text);
  const Node& train_job = *objects.front().train_job;
  summary.runtime =
      model::runtime_of(train_job, k8s::effective_namespace(text_at(train_job, {"metadata", "namespace"})))
          .str();
  summary.sets_processes = train_job.at({"spec", "trainer", "numProcPerNode"}) != nullptr;
  return summary;
}

// The result of all passes over some files, without the objects.
struct Rendering {
  Compilation compiled;
  RenderedJobs jobs;
};

Rendering render(std::vector<Source> inputs, std::vector<Source> runtimes, const Options& options) {
  KeptJobs<RenderedJob> kept(summarize);
  Rendering rendering{compile_into_sink(std::move(inputs), std::move(runtimes), options, &kept.sinks()(0)),
                      {}};
  std::vector<RenderedJob> jobs = kept.take(rendering.compiled);
  for (size_t i = 0; i < jobs.size(); ++i) {
    const CollectedJob& collected = rendering.compiled.collected[i];
    rendering.jobs.emplace(objects::object_id(model::kTrainJob, collected.ns, collected.name),
                           std::move(jobs[i]));
  }
  return rendering;
}

// The number of torch processes per node: until Trainer 2.1, a runtime sets it, or a word in the TrainJob;
// later, only a number in the TrainJob.
using ProcessNumbers = std::map<std::string, int64_t>;  // by TrainJob

// The numbers that give `after` as many processes per node as `before`, for TrainJobs that set it in a way
// that no longer exists: themselves, or through one of the `setting` runtimes.
ProcessNumbers missing_processes(const RenderedJobs& before, const RenderedJobs& after,
                                 const std::set<std::string>& setting) {
  ProcessNumbers numbers;
  for (const auto& [job, old_one] : before) {
    const auto new_one = after.find(job);
    if (new_one == after.end() || !(old_one.sets_processes || setting.contains(old_one.runtime))) continue;
    const auto wanted = base::read_integer(old_one.processes);
    if (wanted && old_one.processes != new_one->second.processes) numbers[job] = *wanted;
  }
  return numbers;
}

// The name under which an object's findings are reported; if the object is unreadable, its file's.
std::string object_of(const Diagnostic& diagnostic) {
  if (!diagnostic.object.empty()) return diagnostic.object;
  return diagnostic.location.file ? diagnostic.location.file->name() : "";
}

std::set<std::string> refused_objects(const base::Diagnostics& diagnostics) {
  std::set<std::string> refused;
  for (const Diagnostic& diagnostic : diagnostics.items()) {
    if (base::is_refusal(diagnostic)) refused.insert(object_of(diagnostic));
  }
  return refused;
}

// Names what starts the pods of a job together, as far as the inputs show it.
std::string shown_gang(const std::vector<Source>& inputs) {
  struct Sign {
    std::string_view text;
    std::string_view gang;
  };
  constexpr std::array<Sign, 6> kSigns{{{"scheduling.volcano.sh", "volcano"},
                                        {"batch.volcano.sh", "volcano"},
                                        {"schedulerName: volcano", "volcano"},
                                        {"scheduling.x-k8s.io", "coscheduling"},
                                        {"schedulerName: scheduler-plugins", "coscheduling"},
                                        {"kueue.x-k8s.io", "kueue"}}};
  for (const Sign& sign : kSigns) {
    const auto has_it = [&](const Source& source) {
      return source.text.find(sign.text) != std::string::npos;
    };
    if (std::ranges::any_of(inputs, has_it)) return std::string(sign.gang);
  }
  return "";
}

class Migrator {
 public:
  Migrator(std::vector<Source> inputs, std::vector<Source> runtimes, const MigrateOptions& options)
      : options_(options),
        inputs_(std::move(inputs)),
        runtimes_(std::move(runtimes)),
        v1_(options_, inputs_, runtimes_),
        kustomizations_(options_.kustomizations) {
    v1_.set_kustomized(kustomizations_.jobs());
    options_.compile.with_defaults = true;
    options_.compile.render = true;
    options_.compile.translate_pinned = true;
    target_ = compile::choose_target(options_.to);
    options_.shown_gang = shown_gang(inputs_);
    for (const Source& patch : options_.patches)
      patch_files_.push_back(std::make_shared<base::SourceFile>(patch.name, patch.text));
  }

  Migration run() {
    choose_suffix();
    before_ = render(inputs_, runtimes_, options_.compile);
    collect_rejected();
    for (const auto& [id, job] : before_.jobs) used_runtimes_.insert(job.runtime);
    rewrite();
    const bool shares = options_.runtimes_dir.empty() && !is_only_stdin() && v1_.find_shared();
    if (v1_.has_selectors() || shares) rewrite();
    Rendering after = render_rewritten();
    while (v1_.refuse(after.compiled.diagnostics)) {
      rewrite();
      after = render_rewritten();
    }
    processes_ = missing_processes(before_.jobs, after.jobs, with_processes_);
    if (!processes_.empty()) {
      rewrite();
      after = render_rewritten();
    }
    return report(after);
  }

 private:
  // Compiles the inputs once more, with their objects, but only if they have a generateName.
  void choose_suffix() {
    const auto generates = [](const Source& source) {
      return source.text.find("generateName") != std::string::npos;
    };
    if (!options_.compile.name_suffix.empty() || std::ranges::none_of(inputs_, generates)) return;
    options_.compile.name_suffix = suffix_for(compile_sources(inputs_, runtimes_, options_.compile));
  }

  void collect_rejected() {
    for (const Diagnostic& diagnostic : before_.compiled.diagnostics.items()) {
      if (rejects(diagnostic)) rejected_.insert(diagnostic.object);
    }
    for (const LintedObject& object : before_.compiled.linted) linted_[{object.file, object.line}] = &object;
  }

  // The object's name in the inputs' diagnostics.
  std::string name_of(const Node& object) const {
    const base::Location at = yaml::locate(object);
    const auto found = linted_.find({at.file->name(), at.line});
    return found != linted_.end() ? found->second->object : model::identify(object).str();
  }

  const Node* change(const Node& object, const yaml::Maker& make, base::Diagnostics& problems) {
    const Node* version = object.get("apiVersion");
    const model::ObjectId id = model::identify(object);
    const schema::KindSchema* kind = target_.schemas->kind(id.kind);
    if (!version || !kind || kind->group != model::kTrainerGroup) return &object;
    const model::Dialect* dialect = model::find_dialect(version->text());
    const std::string name = name_of(object);
    if ((!dialect && version->text() != model::kTrainerApiVersion) || rejected_.contains(name))
      return &object;
    if (object.at({"spec", "mlPolicy", "torch", "numProcPerNode"})) with_processes_.insert(name);
    ObjectOptions options{.target = target_, .manager = options_.manager};
    const auto number = processes_.find(name);
    if (number != processes_.end()) options.num_processes = number->second;
    options.processes_known = used_runtimes_.contains(name);
    MigratedObject migrated = dialect ? migrate_dialect(object, *dialect, id, options, make)
                                      : migrate_object(object, id, options, make);
    if (migrated.losses.empty()) return migrated.root;
    for (Diagnostic& loss : migrated.losses) {
      loss.object = name;
      problems.add(std::move(loss));
    }
    return &object;
  }

  void rewrite() {
    results_.clear();
    patch_results_.clear();
    rewritten_runtimes_.clear();
    outcomes_.clear();
    new_runtimes_.clear();
    v1_.start();
    const auto changes = [this](const Node& object, const yaml::Maker& make, base::Diagnostics& problems) {
      return Changed{{change(object, make, problems)}};
    };
    const Change kustomized = [this](const Node& document, const yaml::Maker& make,
                                     base::Diagnostics& problems) {
      std::optional<Changed> converted = kustomizations_.convert(document, make, problems);
      return converted ? std::move(*converted) : Changed{{&document}};
    };
    const Change changes_of_inputs = [&](const Node& object, const yaml::Maker& make,
                                         base::Diagnostics& problems) {
      if (!object.is_map()) return Changed{{&object}};
      std::optional<Changed> converted = v1_.convert(object, make, problems);
      if (!converted) converted = v1_.select_again(object, make, problems);
      if (!converted && options_.compile.jobs.empty()) problems.append(find_left_jobs(object));
      Changed changed = converted ? std::move(*converted) : changes(object, make, problems);
      for (const Node* runtime : changed.apart) add_runtime(*runtime);
      add_outcome(object, changed);
      return changed;
    };
    const auto to_version = [this](const Node& object, const yaml::Maker& make, base::Diagnostics& problems) {
      const Node* changed = change(object, make, problems);
      return problems.empty() ? changed : nullptr;
    };
    const std::vector<const base::SourceFile*>& files = before_.compiled.files;
    results_.resize(files.size());
    for (const bool is_kustomization : {false, true}) {
      for (size_t i = 0; i < files.size(); ++i) {
        if (kustomizations_.knows(*files[i]) != is_kustomization) continue;
        results_[i] = rewrite_file(*files[i], is_kustomization ? kustomized : changes_of_inputs);
      }
      if (!is_kustomization) kustomizations_.translate(v1_, files, to_version);
    }
    for (const auto& file : patch_files_) patch_results_.push_back(rewrite_file(*file, kustomized));
    for (const Source& source : runtimes_) {
      const base::SourceFile file(source.name, source.text);
      rewritten_runtimes_.push_back({source.name, rewrite_file(file, changes).text, source.named});
    }
  }

  bool is_only_stdin() const { return inputs_.size() == 1 && inputs_.front().name == base::kStdin; }

  std::string runtime_file(const Node& runtime) const {
    const std::string name(text_at(runtime, {"metadata", "name"}));
    const std::string& folder = options_.runtimes_dir.empty() ? v1_.folder_of(name) : options_.runtimes_dir;
    return base::normal_path(fmt::format("{}/{}.yaml", folder, name));
  }

  void add_runtime(const Node& runtime) {
    Source& source = new_runtimes_.emplace_back(Source{runtime_file(runtime), ""});
    yaml::write_yaml(runtime, yaml::KeyOrder::AsIs, source.text);
  }

  void add_outcome(const Node& object, const Changed& changed) {
    const base::Location at = yaml::locate(object);
    const bool is_same = changed.objects.size() == 1 && changed.objects.front() == &object;
    const std::string name = name_of(object);
    const bool is_v1 = v1_.knows(name);
    if (!is_v1 && is_same && !linted_.contains({at.file->name(), at.line})) return;
    Outcome outcome{name, at.file->name(), at.line, is_same ? Fate::Unchanged : Fate::Migrated, {}};
    for (const Node* one : changed.apart) {
      outcome.becomes.push_back(model::identify(*one).str());
      outcome.runtime_file = runtime_file(*one);
    }
    for (const Node* one : changed.objects) outcome.becomes.push_back(model::identify(*one).str());
    if (is_same && is_v1) leave(outcome);
    outcomes_.push_back(std::move(outcome));
  }

  static void leave(Outcome& outcome) {
    outcome.fate = Fate::Left;
    outcome.becomes.clear();
  }

  // The outcomes of all objects. An object with an error is left as it is; so is a v1 job that only a finding
  // names.
  std::vector<Outcome> outcomes_with(const base::Diagnostics& findings) const {
    std::vector<Outcome> outcomes = outcomes_;
    std::map<std::pair<std::string, std::string>, size_t> by_object;
    std::map<std::pair<std::string, uint32_t>, size_t> by_line;
    for (size_t i = 0; i < outcomes_.size(); ++i) {
      by_object.try_emplace({outcomes_[i].file, outcomes_[i].object}, i);
      by_line.try_emplace({outcomes_[i].file, outcomes_[i].line}, i);
    }
    for (const Diagnostic& finding : findings.items()) {
      if (finding.severity != base::Severity::Error || !finding.location.file) continue;
      const std::string& file = finding.location.file->name();
      const auto named = by_object.find({file, finding.object});
      const auto at_line = by_line.find({file, finding.location.line});
      if (named != by_object.end()) {
        leave(outcomes[named->second]);
      } else if (finding.object.empty() && at_line != by_line.end()) {
        leave(outcomes[at_line->second]);
      } else if (finding.rule == kLeftRule) {
        outcomes.push_back({finding.object, file, finding.location.line, Fate::Left, {}});
      }
    }
    std::ranges::stable_sort(outcomes, {}, [](const Outcome& one) { return std::tie(one.file, one.line); });
    return outcomes;
  }

  std::vector<Source> rewritten_inputs() const {
    std::vector<Source> sources;
    for (size_t i = 0; i < results_.size(); ++i)
      sources.push_back({inputs_[i].name, results_[i].text, inputs_[i].named});
    sources.insert(sources.end(), new_runtimes_.begin(), new_runtimes_.end());
    return sources;
  }

  Rendering render_rewritten() const {
    Options options = options_.compile;
    options.trainer_version = options_.to;
    std::vector<Source> sources = rewritten_inputs();
    sources.insert(sources.end(), v1_.trials().begin(), v1_.trials().end());
    Rendering rendered = render(std::move(sources), rewritten_runtimes_, options);
    apply_rules(rendered.compiled.diagnostics);
    return rendered;
  }

  // Applies the severities of the configuration.
  void apply_rules(base::Diagnostics& diagnostics) const {
    if (options_.config)
      diagnostics = lint::apply_config(std::move(diagnostics), *options_.config, {}, false);
  }

  Migration report(const Rendering& after) {
    Migration migration;
    migration.differences = compare(after);
    for (size_t i = 0; i < results_.size(); ++i) {
      migration.changed += results_[i].changed;
      if (results_[i].text != inputs_[i].text)
        migration.files.push_back({inputs_[i].name, std::move(inputs_[i].text), std::move(results_[i].text)});
      migration.findings.append(std::move(results_[i].problems));
      if (options_.compile.jobs.empty())
        migration.findings.append(find_left_jobs(*before_.compiled.files[i], results_[i].unread));
    }
    for (size_t i = 0; i < patch_results_.size(); ++i) {
      if (patch_results_[i].text != options_.patches[i].text)
        migration.files.push_back(
            {options_.patches[i].name, options_.patches[i].text, patch_results_[i].text});
      migration.findings.append(std::move(patch_results_[i].problems));
    }
    for (const Source& file : kustomizations_.new_files())
      migration.files.push_back({file.name, "", file.text, FileKind::Beside});
    const FileKind kind = options_.runtimes_dir.empty() ? FileKind::Beside : FileKind::Runtime;
    for (const Source& runtime : new_runtimes_)
      migration.files.push_back({runtime.name, "", runtime.text, kind});
    migration.of_v1 = v1_.count();
    const auto is_left_job = [](const Diagnostic& finding) {
      return finding.rule == kLeftRule && !finding.object.starts_with(kustomization_id(""));
    };
    migration.staying =
        v1_.staying() + static_cast<size_t>(std::ranges::count_if(migration.findings.items(), is_left_job));
    migration.linted = before_.compiled.linted;
    v1_.collect(migration.linted);
    migration.objects = migration.linted.size();
    migration.passed_over = before_.compiled.passed_over;
    migration.other_jobs = before_.compiled.other_jobs;
    add_rejections(migration.findings);
    const size_t before = migration.findings.items().size();
    add_refusals(after, migration.findings);
    const bool refers_to_new_texts = migration.findings.items().size() > before;
    apply_rules(migration.findings);
    migration.findings.sort();
    migration.outcomes = outcomes_with(migration.findings);
    migration.memory = {before_.compiled.memory};
    if (refers_to_new_texts) migration.memory.push_back(after.compiled.memory);
    for (const auto& tree : options_.kustomizations) migration.memory.push_back(tree);
    for (const auto& file : patch_files_) migration.memory.push_back(file);
    return migration;
  }

  void add_rejections(base::Diagnostics& findings) const {
    for (Diagnostic diagnostic : before_.compiled.diagnostics.items()) {
      if (compile::is_of_unread_job(diagnostic))
        continue;  // it is converted, or has a finding of migrate/left
      if (rejects(diagnostic)) {
        findings.add(std::move(diagnostic));
      } else if (diagnostic.rule == "input/missing-runtime") {
        rules::except(diagnostic);
        diagnostic.message += ": the rendered output of the migrated job was not compared";
        findings.add(std::move(diagnostic));
      }
    }
  }

  // Adds what the new version refuses in objects that the old one accepted, besides the losses already known.
  void add_refusals(const Rendering& after, base::Diagnostics& findings) const {
    std::set<std::string> lost;
    for (const Diagnostic& finding : findings.items()) lost.insert(finding.object);
    const std::set<std::string> refused = refused_objects(before_.compiled.diagnostics);
    const auto is_job = [](const std::string& object) { return object.starts_with("TrainJob/"); };
    for (Diagnostic refusal : after.compiled.diagnostics.items()) {
      const std::string object = object_of(refusal);
      if (!base::is_refusal(refusal) || lost.contains(object)) continue;
      const bool accepted = is_job(object) ? before_.jobs.contains(object) : !refused.contains(object);
      if (!accepted || after.jobs.contains(object)) continue;
      refusal.message = fmt::format("Trainer {} refuses the migrated {}: {}", options_.to,
                                    object.substr(0, object.find('/')), refusal.message);
      findings.add(std::move(refusal));
    }
  }

  objects::Report compare(const Rendering& after) const {
    objects::Report report;
    std::vector<std::string> differing;  // as namespace/name
    for (const auto& [id, job] : before_.jobs) {
      const auto found = after.jobs.find(id);
      if (found == after.jobs.end()) continue;
      ++report.jobs;
      if (found->second.content != job.content) differing.push_back(id.substr(id.find('/') + 1));
    }
    if (!differing.empty()) report = compare_again(std::move(differing), report.jobs);
    report.old_version = before_.compiled.trainer_version;
    report.new_version = options_.to;
    return report;
  }

  // Renders the jobs that differ again, and compares their objects.
  objects::Report compare_again(std::vector<std::string> differing, size_t jobs) const {
    // Each job is looked up in the list of Options::jobs, so it must be short. A version that was chosen by
    // all files also applies to a few.
    constexpr size_t kFew = 100;
    const std::string& version = before_.compiled.trainer_version;
    Options options = options_.compile;
    if (differing.size() <= kFew && version.find(',') == std::string::npos) {
      options.jobs = std::move(differing);
      options.trainer_version = version;
    }
    const Compilation before = compile_sources(inputs_, runtimes_, options);
    options.trainer_version = options_.to;
    const Compilation after = compile_sources(rewritten_inputs(), rewritten_runtimes_, options);
    cluster::CompareOptions how;
    how.schemas = target_.schemas;
    how.refusals = false;
    objects::InputFields fields;
    how.fields = &fields;
    auto live = std::make_shared<cluster::LiveSet>();
    for (const Object& object : objects::rendered_by_both(before, after).objects) {
      live->objects.push_back({std::string(object.api_version), std::string(object.kind),
                               std::string(object.ns), std::string(object.name), object.root});
    }
    objects::Report report =
        cluster::compare_objects(objects::rendered_by_both(after, before), std::move(live), how);
    report.jobs = jobs;
    report.memory.push_back(before.memory);
    return report;
  }

  MigrateOptions options_;
  std::vector<Source> inputs_;
  std::vector<Source> runtimes_;
  V1Jobs v1_;
  Kustomizations kustomizations_;
  std::vector<std::shared_ptr<const base::SourceFile>> patch_files_;
  std::vector<RewrittenFile> patch_results_;
  compile::Target target_;
  Rendering before_;
  std::set<std::string> rejected_;                                          // objects
  std::map<std::pair<std::string, uint32_t>, const LintedObject*> linted_;  // by file and line
  std::set<std::string> used_runtimes_;
  std::set<std::string> with_processes_;  // runtimes that set the number of processes per node
  std::vector<Outcome> outcomes_;
  std::vector<Source> new_runtimes_;  // each in a file of its own
  ProcessNumbers processes_;
  std::vector<RewrittenFile> results_;
  std::vector<Source> rewritten_runtimes_;
};

}  // namespace

Migration migrate_once(std::vector<Source> inputs, std::vector<Source> runtimes,
                       const MigrateOptions& options) {
  return Migrator(std::move(inputs), std::move(runtimes), options).run();
}

}  // namespace trainjobc::migrate
