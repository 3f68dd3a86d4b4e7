// SPDX-License-Identifier: Apache-2.0

#include "lint/lint.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "lint/deployers.h"
#include "lint/queues.h"
#include "platform/team.h"
#include "yaml/read/reader.h"

namespace trainjobc::lint {
namespace {

// An edit as byte offsets of its file.
struct Splice {
  size_t begin = 0;
  size_t end = 0;
  std::string text;
};

Splice to_splice(const base::Edit& edit) {
  const base::SourceFile& file = *edit.range.file;
  Splice splice;
  splice.begin = file.line_start(edit.range.line) + edit.range.column - 1;
  splice.end = file.line_start(edit.range.end_line) + edit.range.end_column - 1;
  splice.text = edit.text;
  return splice;
}

// The splices of one file, by their beginning. Splices that were taken don't overlap.
using SplicesOfFile = std::multimap<size_t, Splice>;
using Splices = std::map<const base::SourceFile*, SplicesOfFile>;

bool overlaps(const SplicesOfFile& taken, const Splice& splice) {
  for (auto at = taken.upper_bound(splice.end); at != taken.begin();) {
    const Splice& other = (--at)->second;
    if (splice.begin < other.end ? other.begin < splice.end || other.begin == splice.begin
                                 : splice.begin == other.begin && splice.end == other.end)
      return true;
    if (other.begin < splice.begin) return false;  // earlier ones end before it, too
  }
  return false;
}

std::string apply(const base::SourceFile& file, const SplicesOfFile& splices) {
  std::string text = file.had_byte_order_mark() ? "\xEF\xBB\xBF" : "";
  size_t at = 0;
  for (const auto& [begin, splice] : splices) {
    text += file.text().substr(at, splice.begin - at);
    text += splice.text;
    at = splice.end;
  }
  return text.append(file.text().substr(at));
}

size_t count_problems(const std::string& text) {
  const base::SourceFile file("", text);
  base::Arena arena;
  base::Diagnostics problems;
  yaml::read(file, arena, problems);
  return problems.items().size();
}

// Whether the text is still readable after the splices, and a second parser finds the same values in it.
bool stays_readable(const base::SourceFile& file, const SplicesOfFile& splices) {
  if (splices.empty()) return true;
  const base::SourceFile after(file.name(), apply(file, splices));
  base::Arena arena;
  base::Diagnostics problems;
  const std::vector<yaml::Document> documents = yaml::read(after, arena, problems);
  if (problems.empty()) return yaml::reads_the_same(after, documents);
  return problems.items().size() <= count_problems(apply(file, {}));
}

// Takes the edits of a diagnostic: none of them if one overlaps with edits taken before.
bool take(const base::Diagnostic& diagnostic, Splices& splices) {
  Splices mine;
  for (const base::Edit& edit : diagnostic.fix) {
    if (!edit.range.file || edit.range.line == 0) return false;
    const Splice splice = to_splice(edit);
    if (overlaps(splices[edit.range.file], splice)) return false;
    mine[edit.range.file].emplace(splice.begin, splice);
  }
  for (const auto& [file, list] : mine) splices[file].insert(list.begin(), list.end());
  return !mine.empty();
}

using Fixable = std::vector<const base::Diagnostic*>;  // diagnostics with a fix, in order
using Fixes = std::span<const base::Diagnostic* const>;

// Takes the fixes that leave their files readable: if all together don't, tries each half, and so on down to
// those that break a file. Returns how many were taken.
size_t take_all(Fixes fixes, Splices& splices) {
  Splices all = splices;
  std::set<const base::SourceFile*> changed;
  size_t taken = 0;
  for (const base::Diagnostic* one : fixes) {
    if (!take(*one, all)) continue;
    ++taken;
    for (const base::Edit& edit : one->fix) changed.insert(edit.range.file);
  }
  if (taken == 0) return 0;
  const auto is_good = [&](const base::SourceFile* file) { return stays_readable(*file, all[file]); };
  if (std::ranges::all_of(changed, is_good)) {
    splices = std::move(all);
    return taken;
  }
  if (fixes.size() == 1) return 0;
  const size_t half = fixes.size() / 2;
  taken = take_all(fixes.first(half), splices);
  return taken + take_all(fixes.subspan(half), splices);
}

Fixable fixable_of(const base::Diagnostics& diagnostics, base::Certainty certainty) {
  Fixable list;
  for (const base::Diagnostic& one : diagnostics.items()) {
    if (!one.fix.empty() && one.certainty <= certainty) list.push_back(&one);
  }
  return list;
}

FixedFiles apply_fixes(const Fixable& diagnostics) {
  FixedFiles fixed;
  Splices splices;
  fixed.applied = take_all(diagnostics, splices);
  for (const auto& [file, list] : splices) {
    if (!list.empty()) fixed.texts[file->name()] = apply(*file, list);
  }
  return fixed;
}

}  // namespace

Said said_by(const base::Diagnostic& found) {
  return {found.object, found.field, found.rule, found.message};
}

FixedFiles apply_fixes(const base::Diagnostics& diagnostics, base::Certainty certainty) {
  return apply_fixes(fixable_of(diagnostics, certainty));
}

namespace {

constexpr int kRounds = 10;

base::Severity least_severity(const std::string& level) {
  return level == "warning" ? base::Severity::Warning : base::Severity::Error;
}

// Removes the fixes in other files than these.
base::Diagnostics fixable(base::Diagnostics diagnostics, const std::vector<std::string>& files) {
  const auto is_input = [&](const base::Edit& edit) {
    return edit.range.file && std::ranges::binary_search(files, edit.range.file->name());
  };
  diagnostics.retain([&](base::Diagnostic& diagnostic) {
    if (!std::ranges::all_of(diagnostic.fix, is_input)) diagnostic.fix.clear();
    return true;
  });
  return diagnostics;
}

void write_to(std::vector<inputs::InputGroup>& groups, const FixedFiles& fixed) {
  const auto change = [&](Source& source) {
    const auto text = fixed.texts.find(source.name);
    if (text != fixed.texts.end()) source.text = text->second;
  };
  for (inputs::InputGroup& group : groups) {
    std::ranges::for_each(group.inputs, change);
    std::ranges::for_each(group.parts, change);
  }
}

// A fix in a source file that several groups are made of.
using PartFix =
    std::tuple<std::string, uint32_t, uint32_t, std::string, std::string>;  // file, line, column, rule, text

PartFix part_fix(const base::Diagnostic& diagnostic) {
  const base::Location& at = diagnostic.fix.front().range;
  std::string text;
  for (const base::Edit& edit : diagnostic.fix) text += edit.text + '\n';
  return {at.file ? at.file->name() : "", at.line, at.column, diagnostic.rule, std::move(text)};
}

// Keeps a fix only if all groups that are made of its file need it: to the others, the file is right as it
// is, or wrong in another way.
class PartFixes {
 public:
  explicit PartFixes(const std::vector<inputs::InputGroup>& groups) {
    for (const inputs::InputGroup& group : groups) {
      for (const Source& part : group.parts) ++users_[part.name];
      for (const std::string& part : group.shared_parts) ++users_[part];
    }
  }

  void add(const inputs::FindingsOfConfig& group) {
    std::set<PartFix> own;
    for (const base::Diagnostic& diagnostic : group.diagnostics.items()) {
      if (!diagnostic.fix.empty()) own.insert(part_fix(diagnostic));
    }
    for (const PartFix& fix : own) ++wanted_[fix];
  }

  // Drops the fixes that not all groups need.
  void keep_agreed(base::Diagnostics& diagnostics) const {
    diagnostics.retain([&](base::Diagnostic& diagnostic) {
      if (diagnostic.fix.empty()) return true;
      const PartFix fix = part_fix(diagnostic);
      const auto users = users_.find(std::get<0>(fix));
      const auto wanted = wanted_.find(fix);
      if (users != users_.end() && (wanted == wanted_.end() || wanted->second < users->second))
        diagnostic.fix.clear();
      return true;
    });
  }

 private:
  std::map<std::string, size_t> users_;  // number of groups, by file
  std::map<PartFix, size_t> wanted_;     // number of groups that need the fix
};

}  // namespace

bool Findings::fails(const base::Diagnostic& finding) const {
  const auto is_enough = [&](const std::string& level) {
    return level != "never" && finding.severity <= least_severity(level);
  };
  const base::SourceFile* file = finding.location.file;
  const auto level = file ? levels.find(file->name()) : levels.end();
  if (level != levels.end()) return is_enough(level->second);
  return std::ranges::any_of(levels, [&](const auto& entry) { return is_enough(entry.second); });
}

std::vector<const platform::TeamRule*> Findings::team_rules() const {
  std::map<std::string_view, const platform::TeamRule*> by_id;
  for (const auto& config : configs) {
    for (const platform::TeamRule* rule : inputs::rules_of(*config)) by_id.try_emplace(rule->id, rule);
  }
  std::vector<const platform::TeamRule*> rules;
  for (const auto& [id, rule] : by_id) rules.push_back(rule);
  return rules;
}

namespace {

constexpr const char* kUnsetVariable = "advice/flux-variable";

// Drops findings that repeat in a file which several roots are made of, and those that depend on unknown
// values.
class Repeated {
 public:
  explicit Repeated(const std::vector<inputs::InputGroup>& groups)
      : has_several_(groups.size() > 1), deployers_(groups) {
    std::map<std::string, const inputs::InputGroup*> roots;
    for (const inputs::InputGroup& group : groups) {
      undecided_.insert(group.undecided.begin(), group.undecided.end());
      shared_.insert(group.templates.begin(), group.templates.end());
      for (const Source& part : group.parts) {
        if (roots.try_emplace(part.name, &group).first->second != &group) shared_.insert(part.name);
      }
    }
  }

  void drop(base::Diagnostics& diagnostics) {
    deployers_.collect(diagnostics);
    diagnostics.retain([&](base::Diagnostic& found) {
      const base::Location& at = found.location;
      const std::string file = at.file ? at.file->name() : "";
      if (found.rule != kUnsetVariable && undecided_.contains({file, at.line})) return false;
      const bool is_shared = shared_.contains(file);
      if ((!has_several_ && !is_shared) || !at.file) return true;
      const std::string object = is_shared ? "" : found.object;
      return seen_.emplace(found.rule, object, found.message, file, at.line, at.column).second;
    });
    deployers_.name(diagnostics);
  }

 private:
  bool has_several_;
  std::set<std::pair<std::string, uint32_t>> undecided_;
  // Templates, and the parts of several roots: their objects differ from release to release and from overlay
  // to overlay, but the mistake is in one line.
  std::set<std::string> shared_;
  std::set<std::tuple<std::string, std::string, std::string, std::string, uint32_t, uint32_t>> seen_;
  Deployers deployers_;
};

bool is_reported(const inputs::InputGroup& group, const std::string& file) {
  return group.reported.empty() || group.reported.contains(base::absolute_path(file));
}

// Parts of roots that paths don't name, unless another group has them as a whole.
std::set<std::string> unreported_of(const std::vector<inputs::InputGroup>& groups) {
  std::set<std::string> unreported;
  const auto for_each_part = [&](const auto& use) {
    for (const inputs::InputGroup& group : groups) {
      for (const Source& source : group.parts.empty() ? group.inputs : group.parts) use(group, source.name);
    }
  };
  for_each_part([&](const inputs::InputGroup& group, const std::string& file) {
    if (!is_reported(group, file)) unreported.insert(file);
  });
  if (unreported.empty()) return unreported;
  for_each_part([&](const inputs::InputGroup& group, const std::string& file) {
    if (is_reported(group, file)) unreported.erase(file);
  });
  return unreported;
}

}  // namespace

Findings find(std::vector<inputs::InputGroup> groups, const Options& options, const std::string& fail_on) {
  Findings findings;
  std::vector<std::string> changeable;
  for (const inputs::InputGroup& group : groups) {
    findings.configs.push_back(group.config);
    const auto add = [&](const std::string& file) {
      findings.files.push_back(file);
      findings.levels[file] = fail_on.empty() ? group.config->fail_on.value_or("error") : fail_on;
    };
    // A root that can't be built has no inputs, only findings.
    for (const base::Diagnostic& found : group.found.items()) {
      if (found.location.file)
        findings.levels.try_emplace(found.location.file->name(),
                                    fail_on.empty() ? group.config->fail_on.value_or("error") : fail_on);
    }
    // The files that a root was made of count, not the objects that were made.
    std::ranges::for_each(group.templates, add);
    if (!group.templates.empty()) continue;
    for (const Source& source : group.parts.empty() ? group.inputs : group.parts) {
      if (!is_reported(group, source.name)) continue;
      add(source.name);
      changeable.push_back(source.name);
    }
  }
  const std::set<std::string> unreported = unreported_of(groups);
  std::ranges::sort(changeable);
  std::ranges::sort(findings.files);
  const auto repeated = std::ranges::unique(findings.files);
  findings.files.erase(repeated.begin(), repeated.end());
  const KnownQueues queues(groups);
  PartFixes parts(groups);
  Repeated repeated_findings(groups);
  inputs::GroupedCompilation grouped = inputs::find_in_groups(std::move(groups), options);
  for (const inputs::FindingsOfConfig& group : grouped.governed) parts.add(group);
  findings.diagnostics = fixable(apply_configs(std::move(grouped.governed)), changeable);
  parts.keep_agreed(findings.diagnostics);
  findings.diagnostics.retain([&](const base::Diagnostic& found) {
    return !found.location.file || !unreported.contains(found.location.file->name());
  });
  queues.narrow(findings.diagnostics);
  repeated_findings.drop(findings.diagnostics);
  findings.compiled = std::move(grouped.all);
  return findings;
}

Findings joined(std::vector<Findings> all) {
  Findings joined;
  std::vector<std::shared_ptr<const void>> memory;
  for (Findings& one : all) {
    joined.diagnostics.append(std::move(one.diagnostics));
    base::append(joined.files, one.files);
    joined.levels.merge(one.levels);
    base::append(joined.configs, one.configs);
    Compilation& compiled = joined.compiled;
    base::append(compiled.linted, one.compiled.linted);
    base::append(compiled.passed_over, one.compiled.passed_over);
    base::append(compiled.other_jobs, one.compiled.other_jobs);
    compiled.with_findings.merge(one.compiled.with_findings);
    compiled.train_jobs += one.compiled.train_jobs;
    compiled.documents += one.compiled.documents;
    memory.push_back(std::move(one.compiled.memory));
  }
  joined.diagnostics.sort();
  std::ranges::sort(joined.files);
  const auto repeated = std::ranges::unique(joined.files);
  joined.files.erase(repeated.begin(), repeated.end());
  joined.compiled.memory =
      std::make_shared<const std::vector<std::shared_ptr<const void>>>(std::move(memory));
  return joined;
}

void name_flag_of_roots(base::Diagnostics& diagnostics) {
  bool is_named = false;
  diagnostics.retain([&](base::Diagnostic& found) {
    const base::Location& at = found.location;
    if (is_named || found.rule != "yaml/template" || !at.file) return true;
    if (!at.file->line(at.line).substr(at.column - 1).starts_with("${")) return true;
    is_named = true;
    found.hint = "lint --roots checks what Flux makes of it, with the variables of each cluster";
    return true;
  });
}

namespace {

bool is_part(const std::vector<inputs::InputGroup>& groups, const base::Diagnostic& diagnostic) {
  const std::string file = std::get<0>(part_fix(diagnostic));
  return std::ranges::any_of(groups, [&](const inputs::InputGroup& group) {
    return base::contains(group.parts, file, &Source::name);
  });
}

// Records which objects have errors.
class Health {
 public:
  explicit Health(const Findings& findings) {
    for (const base::Diagnostic& found : findings.diagnostics.items()) {
      if (found.severity != base::Severity::Error) continue;
      if (found.stage == base::Stage::Yaml) ++unreadable_;
      broken_.insert(found.object);
      errors_.insert(said_by(found));
    }
    for (const LintedObject& linted : findings.compiled.linted) {
      if (!broken_.contains(linted.object)) sound_.insert(linted.object);
    }
  }

  // Whether the fixes do harm: more can't be read, an object was sound and no longer is, or a field with a
  // fix has another error. A job's errors are only known once its runtime has none.
  bool harmed_in(const Health& after, const Fixable& fixed) const {
    if (after.unreadable_ > unreadable_) return true;
    for (const base::Diagnostic* one : fixed) {
      const auto error = after.errors_.lower_bound({one->object, one->field, "", ""});
      const auto is_here = [&](auto at) {
        return at != after.errors_.end() && std::get<0>(*at) == one->object && std::get<1>(*at) == one->field;
      };
      for (auto at = error; !one->field.empty() && is_here(at); ++at) {
        if (!errors_.contains(*at)) return true;
      }
    }
    const bool is_revealing = std::ranges::any_of(broken_, [&](const std::string& object) {
      return !object.starts_with(kJob) && after.sound_.contains(object);
    });
    return std::ranges::any_of(after.broken_, [&](const std::string& object) {
      return sound_.contains(object) && !(is_revealing && object.starts_with(kJob));
    });
  }

 private:
  static constexpr std::string_view kJob = "TrainJob/";

  size_t unreadable_ = 0;  // number of errors of stage yaml
  std::set<Said> errors_;
  std::set<std::string> broken_;
  std::set<std::string> sound_;
};

// Finds the fixes of a round after which all sound objects are still sound; the others are not applied.
class SafeFixes {
 public:
  SafeFixes(const std::vector<inputs::InputGroup>& before, const Findings& findings, const Options& options,
            const std::string& fail_on)
      : before_(before), health_(findings), options_(options), fail_on_(fail_on) {}

  // Tries all of them; if they do harm, tries each half, and so on down to the harmful ones.
  void try_all(const Fixable& list) {
    if (list.empty() || attempts_ == kMostAttempts) {
      refused_.insert(refused_.end(), list.begin(), list.end());
      return;
    }
    ++attempts_;
    Fixable all = taken_;
    all.insert(all.end(), list.begin(), list.end());
    FixedFiles fixed = apply_fixes(all);
    if (fixed.applied == 0) return;
    std::vector<inputs::InputGroup> groups = before_;
    write_to(groups, fixed);
    fixed.texts.clear();  // the groups have them
    Findings found = find(groups, options_, fail_on_);
    if (!health_.harmed_in(Health(found), all)) {
      taken_ = std::move(all);
      result_.emplace(Result{fixed.applied, std::move(groups), std::move(found)});
    } else if (list.size() == 1) {
      refused_.push_back(list.front());
    } else {
      const auto middle = list.begin() + static_cast<ptrdiff_t>(list.size() / 2);
      try_all({list.begin(), middle});
      try_all({middle, list.end()});
    }
  }

  struct Result {
    size_t applied = 0;
    std::vector<inputs::InputGroup> groups;
    Findings findings;
  };
  // The state after the safe fixes; nullopt if there are none.
  std::optional<Result>& result() { return result_; }
  const Fixable& taken() const { return taken_; }
  const Fixable& refused() const { return refused_; }

 private:
  static constexpr int kMostAttempts = 64;

  const std::vector<inputs::InputGroup>& before_;
  const Health health_;
  const Options& options_;
  const std::string& fail_on_;
  int attempts_ = 0;
  Fixable taken_;
  Fixable refused_;
  std::optional<Result> result_;
};

}  // namespace

size_t fix(std::vector<inputs::InputGroup>& groups, Findings& findings, const Options& options,
           const std::string& fail_on, base::Certainty certainty, const NarrowFindings& narrow) {
  size_t applied = 0;
  std::set<PartFix> done;  // fixes in files of roots, which can't be rebuilt from texts in memory
  std::set<Said> refused;
  size_t tried_after = 0;  // the value of `applied` when the refused ones were last tried
  for (int round = 0; round < kRounds; ++round) {
    Fixable wanted = fixable_of(findings.diagnostics, certainty);
    std::erase_if(wanted, [&](const base::Diagnostic* one) { return refused.contains(said_by(*one)); });
    SafeFixes safe(groups, findings, options, fail_on);
    safe.try_all(wanted);
    for (const base::Diagnostic* one : safe.refused()) refused.insert(said_by(*one));
    for (const base::Diagnostic* one : safe.taken()) {
      if (is_part(groups, *one)) done.insert(part_fix(*one));
    }
    auto& result = safe.result();
    if (!result) {
      // What did harm before another fix may be safe now: a second run should find nothing to do.
      if (std::exchange(tried_after, applied) == applied) break;
      refused.clear();
      continue;
    }
    applied += result->applied;
    groups = std::move(result->groups);
    findings = std::move(result->findings);
    findings.diagnostics.retain([&](base::Diagnostic& diagnostic) {
      if (diagnostic.fix.empty() || !is_part(groups, diagnostic)) return true;
      if (done.contains(part_fix(diagnostic))) return false;
      diagnostic.fix.clear();  // its place refers to the text before the first round
      return true;
    });
    if (narrow) narrow(findings, groups);
  }
  findings.diagnostics.retain([&](base::Diagnostic& diagnostic) {
    if (diagnostic.certainty <= certainty) diagnostic.fix.clear();  // this fix could not be applied
    return true;
  });
  return applied;
}

}  // namespace trainjobc::lint
