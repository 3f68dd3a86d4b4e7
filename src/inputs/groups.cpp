// SPDX-License-Identifier: Apache-2.0

#include "inputs/groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>

#include "compile/input.h"
#include "compile/kept_jobs.h"
#include "model/train_job.h"
#include "model/trainer_names.h"
#include "secret/secret.h"

namespace trainjobc::inputs {
namespace {

using base::Diagnostic;

std::string name_of(const Config& config) {
  return config.file ? config.file->name() : "";
}

std::string file_of(const yaml::Node& root) {
  const base::Location at = yaml::locate(root);
  return at.file ? at.file->name() : "";
}

// The objects of one TrainJob, or one object that was passed through.
struct Block {
  std::array<std::string, 3> key;  // scope, namespace and name of the TrainJob; or the file's name
  std::vector<Object> objects;
};

std::vector<Block> blocks_of(const Compilation& compiled) {
  std::vector<Block> blocks;
  const yaml::Node* job = nullptr;
  for (const Object& object : compiled.objects) {
    if (object.passthrough || blocks.empty() || object.train_job != job) blocks.emplace_back();
    job = object.train_job;
    Block& block = blocks.back();
    block.objects.push_back(object);
    // The JobSet comes last, and has the TrainJob's name.
    if (object.passthrough) {
      block.key = {file_of(*object.root)};
    } else {
      block.key = {std::string(object.scope), std::string(object.ns), std::string(object.name)};
    }
  }
  return blocks;
}

// Merges compilations into one.
class Merger {
 public:
  Compilation all;

  void add(Compilation one) {
    const bool has_jobs = one.train_jobs > 0;
    auto& own = blocks_.emplace_back(blocks_of(one));
    if (own.empty() && !has_jobs && one.linted.empty() && versions_.empty()) fallback_ = one.trainer_version;
    if (has_jobs || !one.linted.empty()) versions_.insert(one.trainer_version);
    if (!one.trainer_version_reason.empty()) reasons_.insert(one.trainer_version_reason);
    all.diagnostics.append(std::move(one.diagnostics));
    const auto move_all = [](auto& from, auto& to) { std::ranges::move(from, std::back_inserter(to)); };
    move_all(one.linted, all.linted);
    move_all(one.passed_over, all.passed_over);
    move_all(one.files, all.files);
    move_all(one.other_jobs, all.other_jobs);
    move_all(one.collected, all.collected);
    all.with_findings.merge(one.with_findings);
    all.train_jobs += one.train_jobs;
    all.documents += one.documents;
    memory_.push_back(std::move(one.memory));
  }

  void finish() {
    std::vector<Block> sorted;
    for (const bool passthrough : {true, false}) {
      const size_t begin = sorted.size();
      for (std::vector<Block>& blocks : blocks_) {
        for (Block& block : blocks) {
          if (block.objects.front().passthrough == passthrough) sorted.push_back(std::move(block));
        }
        std::erase_if(blocks, [](const Block& block) { return block.objects.empty(); });
      }
      std::ranges::stable_sort(sorted.begin() + static_cast<std::ptrdiff_t>(begin), sorted.end(), {},
                               &Block::key);
    }
    for (const Block& block : sorted) std::ranges::copy(block.objects, std::back_inserter(all.objects));
    std::ranges::stable_sort(all.collected, {},
                             [](const CollectedJob& job) { return std::tie(job.scope, job.ns, job.name); });
    std::ranges::stable_sort(all.linted, {}, &LintedObject::file);
    all.diagnostics.sort();
    all.trainer_version = versions_.empty() ? fallback_ : fmt::format("{}", fmt::join(versions_, ", "));
    all.trainer_version_reason = fmt::format("{}", fmt::join(reasons_, "; "));
    all.memory = std::make_shared<std::vector<std::shared_ptr<const void>>>(std::move(memory_));
  }

 private:
  std::vector<std::vector<Block>> blocks_;
  std::set<std::string> versions_;
  std::set<std::string> reasons_;
  std::string fallback_;
  std::vector<std::shared_ptr<const void>> memory_;
};

// Refuses objects that an earlier group of the scope has defined.
class Duplicates {
 public:
  void check(Compilation& compiled, const std::string& scope) {
    std::set<std::string> refused;
    std::set<std::string> own;  // duplicates within a group have been found there
    base::Diagnostics found;
    for (const LintedObject& object : compiled.linted) {
      const base::Location name = name_of(object);
      if (!name.file || !own.insert(object.object).second) continue;
      const auto [first, is_new] = first_.try_emplace({scope, object.object}, name);
      if (is_new || (is_same_place(first->second, name) && !is_job(object))) continue;
      found.add(compile::duplicate_object(object.object, name, first->second));
      refused.insert(object.object);
    }
    secret::hide_secrets(found);
    compiled.diagnostics.append(std::move(found));
    std::erase_if(compiled.objects, [&](const Object& object) {
      return object.train_job && refused.contains(model::identify(*object.train_job).str());
    });
    std::erase_if(compiled.collected, [&](const CollectedJob& job) {
      return refused.contains(model::ObjectId{model::kTrainJob, job.ns, job.name}.str());
    });
  }

 private:
  static bool is_job(const LintedObject& object) { return object.object.starts_with("TrainJob/"); }

  // Two roots of a cluster may apply the same base: its runtime is then one runtime.
  static bool is_same_place(const base::Location& one, const base::Location& other) {
    return one.file->name() == other.file->name() && one.line == other.line && one.column == other.column;
  }

  static base::Location name_of(const LintedObject& object) {
    if (is_job(object)) return object.name;
    const yaml::Node* name = object.root ? object.root->at({"metadata", "name"}) : nullptr;
    return name ? yaml::locate(*name) : base::Location();
  }

  std::map<std::pair<std::string, std::string>, base::Location> first_;  // by scope and object
};

}  // namespace

std::vector<InputGroup> group_by_configuration(std::vector<Source> sources, Configurations& configurations) {
  std::map<std::string, InputGroup> groups;
  for (Source& source : sources) {
    auto config = configurations.of_file(source.name);
    InputGroup& group = groups[name_of(*config)];
    group.scope = scope_of(*config);
    group.config = std::move(config);
    group.inputs.push_back(std::move(source));
  }
  std::vector<InputGroup> all;
  for (auto& [name, group] : groups) all.push_back(std::move(group));
  if (all.empty()) {
    all.emplace_back();
    all.back().config = configurations.of_working_directory();
    all.back().scope = scope_of(*all.back().config);
  }
  return all;
}

Options options_of(const InputGroup& group, Options options) {
  options.trainer_version = group.trainer_version;
  options.policy.feature_gates = group.feature_gates;
  options.kubernetes_version = group.kubernetes_version;
  options.use_catalogue = group.use_catalogue;
  options.ns = group.ns;
  options.is_rendered = group.is_rendered;
  if (group.config) {
    options.is_openshift = group.config->is_openshift;
    options.allows_privileged = group.config->allows_privileged;
    options.team_rules = group.config->team_rules;
    options.security_exemptions = group.config->security_exemptions;
  }
  options.policies = group.policies;
  return options;
}

namespace {

bool may_have_runtimes(const Source& source) {
  return source.text.find("TrainingRuntime") != std::string::npos;
}

// Decides which configuration a finding belongs to: that of its file, otherwise that of group `i`.
class Governors {
 public:
  explicit Governors(const std::vector<InputGroup>& groups) {
    for (size_t i = 0; i < groups.size(); ++i) {
      for (const Source& source : groups[i].inputs) groups_[source.name] = i;
    }
  }

  size_t of(const Diagnostic& found, size_t i) const {
    const auto group = found.location.file ? groups_.find(found.location.file->name()) : groups_.end();
    return group != groups_.end() ? group->second : i;
  }

 private:
  std::map<std::string, size_t> groups_;
};

void govern(Compilation& compiled, size_t i, const Governors& governors,
            std::vector<FindingsOfConfig>& governed, bool may_take) {
  base::Diagnostics findings = may_take ? std::exchange(compiled.diagnostics, {}) : compiled.diagnostics;
  if (governed.size() == 1) {
    governed[i].diagnostics = std::move(findings);
  } else {
    for (Diagnostic& found : findings.take())
      governed[governors.of(found, i)].diagnostics.add(std::move(found));
  }
  governed[i].files = compiled.files;
  governed[i].checked = compiled.checked;
}

void keep(Compilation& compiled, std::vector<std::shared_ptr<const void>> more) {
  if (more.empty()) return;
  more.push_back(std::move(compiled.memory));
  compiled.memory = std::make_shared<const std::vector<std::shared_ptr<const void>>>(std::move(more));
}

void name_scope(Compilation& compiled, const std::string& scope) {
  const auto name = std::make_shared<const std::string>(scope);
  for (Object& object : compiled.objects) object.scope = *name;
  for (CollectedJob& job : compiled.collected) job.scope = *name;
  keep(compiled, {name});
}

bool has_several_scopes(const std::vector<InputGroup>& groups) {
  return std::ranges::any_of(groups, [&](const InputGroup& group) { return group.scope != groups[0].scope; });
}

// The runtimes of inputs in several scopes, read when a job first lacks one.
class ScopedRuntimes {
 public:
  explicit ScopedRuntimes(const std::vector<InputGroup>& groups) {
    for (const InputGroup& group : groups) {
      auto& own = sources_.emplace_back(group.scope, std::vector<Source>());
      std::ranges::copy_if(group.inputs, std::back_inserter(own.second), may_have_runtimes);
    }
  }

  // The place of a runtime in another scope: "clusters/prod/torch.yaml:1"; "" if there is none.
  std::string place_outside(const std::string& scope, std::string_view kind, std::string_view name) {
    std::call_once(is_read_, [&] { read(); });
    const auto found = std::ranges::find_if(runtimes_, [&](const Runtime& one) {
      return one.scope != scope && one.name == name && one.kind == kind;
    });
    return found != runtimes_.end() ? found->place : "";
  }

 private:
  struct Runtime {
    std::string scope;
    std::string kind;
    std::string name;
    std::string place;
  };

  void read() {
    for (auto& [scope, sources] : sources_) {
      compile::InputSet inputs;
      base::Diagnostics ignored;
      compile::read_inputs(std::move(sources), inputs, ignored, {.is_input = false, .defer_jobs = true});
      for (const compile::InputObject& object : inputs.objects) {
        if (!object.is_runtime() || !object.root) continue;
        runtimes_.push_back({scope, std::string(object.id.kind), std::string(object.id.name),
                             base::place_of(yaml::locate(*object.root))});
      }
    }
    sources_.clear();
  }

  std::vector<std::pair<std::string, std::vector<Source>>>
      sources_;  // the sources of each group, by its scope
  std::once_flag is_read_;
  std::vector<Runtime> runtimes_;
};

std::string hint_at(const std::string& place) {
  if (place.empty()) return "";
  return fmt::format(
      "{} has one, in another scope: list its folder under runtimes in this scope's .trainjobc.yaml, or "
      "write scope: false if the two folders belong together",
      place);
}

// All includes findings on the inputs as a whole, such as roots that can't be built.
enum class FindingsOf { All, Governed, Both };

constexpr const char* kNotBuilt = "yaml/root";

// Keeps the objects that no sink takes, unless only findings are wanted.
GroupedCompilation compile_each(std::vector<InputGroup> groups, const Options& options, FindingsOf wanted,
                                const SinkOfGroup& sink_of = {}) {
  GroupedCompilation result;
  const Governors governors(groups);
  if (wanted != FindingsOf::All) {
    for (const InputGroup& group : groups) result.governed.push_back({group.config});
  }
  share_runtimes(groups, Sharing::Named);
  const bool has_scopes = has_several_scopes(groups);
  std::optional<ScopedRuntimes> runtimes;
  if (has_scopes) runtimes.emplace(groups);
  Merger merger;
  Duplicates duplicates;
  for (size_t i = 0; i < groups.size(); ++i) {
    InputGroup& group = groups[i];
    Options own = options_of(group, options);
    if (has_scopes) own.scope = group.scope;
    const auto renamed = std::move(group.renamed);
    own.hint_for_runtime = [&, scope = group.scope, is_deployed = !group.deployed_by.empty()](
                               std::string_view kind, std::string_view name) {
      if (const auto found = renamed.find(name); found != renamed.end()) return found->second;
      if (runtimes) {
        const std::string place = runtimes->place_outside(scope, kind, name);
        return is_deployed && !place.empty() ? fmt::format("{} does not apply the one at {}", scope, place)
                                             : hint_at(place);
      }
      return options.hint_for_runtime ? options.hint_for_runtime(kind, name) : std::string();
    };
    const bool keeps_objects = !sink_of && wanted != FindingsOf::Governed;
    ObjectSink* sink = sink_of ? &sink_of(i) : nullptr;
    Compilation compiled =
        keeps_objects ? compile_sources(std::move(group.inputs), std::move(group.runtimes), own)
                      : compile_into_sink(std::move(group.inputs), std::move(group.runtimes), own, sink);
    if (wanted == FindingsOf::All)
      group.found.retain([](const Diagnostic& found) { return found.rule == kNotBuilt; });
    compiled.diagnostics.append(std::move(group.found));
    if (group.annotate) {
      compiled.diagnostics.retain([&](Diagnostic& found) {
        group.annotate(found);
        return true;
      });
    }
    keep(compiled, std::move(group.memory));
    for (CollectedJob& job : compiled.collected) job.group = i;
    if (has_scopes) name_scope(compiled, group.scope);
    if (groups.size() > 1) duplicates.check(compiled, group.scope);
    if (wanted != FindingsOf::All)
      govern(compiled, i, governors, result.governed, wanted == FindingsOf::Governed);
    if (groups.size() == 1) {
      result.all = std::move(compiled);
      return result;
    }
    merger.add(std::move(compiled));
  }
  merger.finish();
  result.all = std::move(merger.all);
  return result;
}

}  // namespace

GroupedCompilation compile_groups(std::vector<InputGroup> groups, const Options& options) {
  return compile_each(std::move(groups), options, FindingsOf::Both);
}

std::vector<ScopedCompilation> compile_scopes(std::vector<InputGroup> groups, const Options& options,
                                              const base::Digester& digester) {
  std::optional<ScopedRuntimes> runtimes;
  if (has_several_scopes(groups)) runtimes.emplace(groups);
  std::map<std::string, std::vector<InputGroup>> scopes;
  for (InputGroup& group : groups) scopes[group.scope].push_back(std::move(group));
  std::vector<ScopedCompilation> all;
  for (auto& [scope, own] : scopes) {
    Options with_others = options;
    if (runtimes) {
      with_others.hint_for_runtime = [&runtimes, &own_scope = scope](std::string_view kind,
                                                                     std::string_view name) {
        return hint_at(runtimes->place_outside(own_scope, kind, name));
      };
    }
    JobContents contents(digester);
    Compilation compiled = compile_each(std::move(own), with_others, FindingsOf::All, contents.sinks()).all;
    contents.add_to(compiled);
    all.push_back({scope, std::move(compiled)});
  }
  return all;
}

GroupedCompilation find_in_groups(std::vector<InputGroup> groups, const Options& options) {
  return compile_each(std::move(groups), options, FindingsOf::Governed);
}

GroupedCompilation compile_groups_into_sinks(std::vector<InputGroup> groups, const Options& options,
                                             const SinkOfGroup& sink_of, bool is_governed) {
  return compile_each(std::move(groups), options, is_governed ? FindingsOf::Both : FindingsOf::All, sink_of);
}

}  // namespace trainjobc::inputs
