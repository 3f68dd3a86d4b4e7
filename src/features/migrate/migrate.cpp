// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/migrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compile/input/document_type.h"
#include "model/trainer_names.h"
#include "rules/rules.h"
#include "schema/schema.h"
#include "features/diff/compare_objects.h"
#include "features/migrate/files.h"
#include "features/migrate/missing_processes.h"
#include "features/migrate/v1_jobs.h"
#include "yaml/fields.h"

namespace trainjobc::migrate {
namespace {

using base::Diagnostic;
using base::Severity;
using base::Stage;
using yaml::Node;

// A job without its runtime can be migrated, though not compared.
bool rejects(const Diagnostic& diagnostic) {
  return base::is_refusal(diagnostic) && diagnostic.rule != "input/missing-runtime";
}

// One suffix for all generateNames, so that the names don't depend on the TrainJobs' content; "" if two
// TrainJobs would get the same name, or none needs one.
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

class Migrator {
 public:
  Migrator(std::vector<Source> inputs, std::vector<Source> runtimes, const MigrateOptions& options)
      : options_(options),
        inputs_(std::move(inputs)),
        runtimes_(std::move(runtimes)),
        v1_(options_, inputs_, runtimes_) {
    options_.compile.with_defaults = true;
    options_.compile.render = true;
    options_.compile.translate_pinned = true;
    target_ = compile::choose_target(options_.to);
  }

  Migration run() {
    before_ = compile_sources(inputs_, runtimes_, options_.compile);
    if (options_.compile.name_suffix.empty()) {
      options_.compile.name_suffix = suffix_for(before_);
      if (!options_.compile.name_suffix.empty())
        before_ = compile_sources(inputs_, runtimes_, options_.compile);
    }
    collect_rejected();
    used_runtimes_ = used_runtimes(before_);
    rewrite();
    Compilation after = compile_rewritten();
    while (v1_.refuse(after)) {
      rewrite();
      after = compile_rewritten();
    }
    processes_ = missing_processes(before_, after, with_processes_);
    if (!processes_.empty()) {
      rewrite();
      after = compile_rewritten();
    }
    return report(std::move(after));
  }

 private:
  void collect_rejected() {
    for (const Diagnostic& diagnostic : before_.diagnostics.items()) {
      if (rejects(diagnostic)) rejected_.insert(diagnostic.object);
    }
    for (const LintedObject& object : before_.linted) linted_[{object.file, object.line}] = &object;
  }

  // The name in the inputs' diagnostics.
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
    rewritten_runtimes_.clear();
    v1_.start();
    const auto changes = [this](const Node& object, const yaml::Maker& make, base::Diagnostics& problems) {
      return Changed{{change(object, make, problems)}};
    };
    const auto changes_of_inputs = [&](const Node& object, const yaml::Maker& make,
                                       base::Diagnostics& problems) {
      std::optional<Changed> converted = v1_.convert(object, make, problems);
      return converted ? std::move(*converted) : changes(object, make, problems);
    };
    for (const base::SourceFile* file : before_.files)
      results_.push_back(rewrite_file(*file, changes_of_inputs));
    for (const Source& source : runtimes_) {
      const base::SourceFile file(source.name, source.text);
      rewritten_runtimes_.push_back({source.name, rewrite_file(file, changes).text, source.named});
    }
  }

  Compilation compile_rewritten() const {
    std::vector<Source> sources;
    for (size_t i = 0; i < results_.size(); ++i)
      sources.push_back({before_.files[i]->name(), results_[i].text, inputs_[i].named});
    Options options = options_.compile;
    options.trainer_version = options_.to;
    return compile_sources(std::move(sources), rewritten_runtimes_, options);
  }

  Migration report(Compilation after) {
    Migration migration;
    for (size_t i = 0; i < results_.size(); ++i) {
      migration.changed += results_[i].changed;
      if (results_[i].changed > 0)
        migration.files.push_back({before_.files[i]->name(), inputs_[i].text, results_[i].text});
      migration.findings.append(std::move(results_[i].problems));
    }
    migration.linted = before_.linted;
    v1_.collect(migration.linted);
    migration.objects = migration.linted.size();
    migration.passed_over = before_.passed_over;
    migration.other_jobs = before_.other_jobs;
    add_rejections(migration.findings);
    add_refusals(after, migration.findings);
    migration.findings.sort();
    compare(after, migration.differences);
    migration.memory = {before_.memory, after.memory};
    return migration;
  }

  void add_rejections(base::Diagnostics& findings) const {
    for (Diagnostic diagnostic : before_.diagnostics.items()) {
      if (rejects(diagnostic) || (compile::is_of_unread_job(diagnostic) && !v1_.knows(diagnostic.object))) {
        findings.add(std::move(diagnostic));
      } else if (diagnostic.rule == "input/missing-runtime") {
        rules::except(diagnostic);
        diagnostic.message += ": the rendered output of the migrated job was not compared";
        findings.add(std::move(diagnostic));
      }
    }
  }

  // Findings of the new version in objects that the old one accepted, besides the known losses.
  void add_refusals(const Compilation& after, base::Diagnostics& findings) const {
    std::set<std::string> lost;
    for (const Diagnostic& finding : findings.items()) lost.insert(finding.object);
    for (const diff::Acceptance& acceptance : diff::compare_acceptance(before_, after)) {
      if (acceptance.verdict != diff::Verdict::NoLonger || lost.contains(acceptance.object)) continue;
      for (Diagnostic refusal : acceptance.refusals) {
        refusal.message =
            fmt::format("Trainer {} refuses the migrated {}: {}", options_.to,
                        acceptance.object.substr(0, acceptance.object.find('/')), refusal.message);
        findings.add(std::move(refusal));
      }
    }
  }

  void compare(const Compilation& after, diff::Report& report) const {
    diff::CompareOptions how;
    how.schemas = target_.schemas;
    how.refusals = false;
    auto live = std::make_shared<diff::LiveSet>();
    for (const Object& object : diff::rendered_by_both(before_, after).objects) {
      live->objects.push_back({std::string(object.api_version), std::string(object.kind),
                               std::string(object.ns), std::string(object.name), object.root});
    }
    report = diff::compare_objects(diff::rendered_by_both(after, before_), std::move(live), how);
    report.memory.push_back(before_.memory);
    report.old_version = before_.trainer_version;
    report.new_version = options_.to;
  }

  MigrateOptions options_;
  std::vector<Source> inputs_;
  std::vector<Source> runtimes_;
  V1Jobs v1_;
  compile::Target target_;
  Compilation before_;
  std::set<std::string> rejected_;                                          // objects
  std::map<std::pair<std::string, uint32_t>, const LintedObject*> linted_;  // by file and line
  std::set<std::string> used_runtimes_;
  std::set<std::string> with_processes_;  // runtimes that set the number of processes per node
  ProcessNumbers processes_;
  std::vector<RewrittenFile> results_;
  std::vector<Source> rewritten_runtimes_;
};

}  // namespace

Migration migrate(std::vector<Source> inputs, std::vector<Source> runtimes, const MigrateOptions& options) {
  return Migrator(std::move(inputs), std::move(runtimes), options).run();
}

}  // namespace trainjobc::migrate
