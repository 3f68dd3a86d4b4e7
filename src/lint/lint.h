// SPDX-License-Identifier: Apache-2.0

// lint as a function: the findings on files, and the files with fixes applied.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "inputs/config.h"
#include "inputs/groups.h"

namespace trainjobc::platform {
struct TeamRule;
}

namespace trainjobc::lint {

// The objects of the files, and the findings. Owns everything that its diagnostics refer to.
struct Findings {
  Compilation compiled;
  base::Diagnostics
      diagnostics;  // sorted; fixes concern only the inputs, not other runtimes or the catalogue
  std::vector<std::string> files;             // the inputs, sorted
  std::map<std::string, std::string> levels;  // failOn of each input: error, warning or never
  std::vector<std::shared_ptr<const inputs::Config>> configs;  // those of the groups

  // Whether the finding is as severe as its file's failOn. For a finding outside of the inputs, such as one
  // in a configuration, the strictest failOn counts.
  bool fails(const base::Diagnostic& finding) const;
  // Of the configurations, each once, by their ids.
  std::vector<const platform::TeamRule*> team_rules() const;
};

// Compiles the groups and applies their configurations. If `fail_on` is not empty, it overrides the
// configurations' failOn.
Findings find(std::vector<inputs::InputGroup> groups, const Options& options, const std::string& fail_on);

// Joins the findings on several scopes.
Findings joined(std::vector<Findings> all);

// Names --roots in the hint of the first finding on a variable of Flux that was not replaced.
void name_flag_of_roots(base::Diagnostics& diagnostics);

// Applies fixes to the inputs in memory and lints them again until no fix is left, since one may enable
// another. Stops after some rounds if two fixes undo each other. Returns how many were applied.
// Certainty::Suggested applies all fixes, Certainty::Safe only safe ones. `narrow` drops unwanted findings
// after each round.
using NarrowFindings = std::function<void(Findings& findings, const std::vector<inputs::InputGroup>& groups)>;
size_t fix(std::vector<inputs::InputGroup>& groups, Findings& findings, const Options& options,
           const std::string& fail_on, base::Certainty certainty, const NarrowFindings& narrow = {});

// Applying the fixes of diagnostics.

// The new text of each file that a fix changes, by name; everything outside the edits stays byte for byte. Of
// overlapping edits, the first one is applied. An edit is not applied if the resulting text can't be read, or
// if two parsers find different values in it.
struct FixedFiles {
  std::map<std::string, std::string> texts;
  size_t applied = 0;  // the number of applied fixes
};

FixedFiles apply_fixes(const base::Diagnostics& diagnostics, base::Certainty certainty);

// A finding without its place: object, field, rule, message.
using Said = std::tuple<std::string, std::string, std::string, std::string>;
Said said_by(const base::Diagnostic& found);

// Suppressions: findings that someone has reviewed and accepted.

// Applies the configuration's severities, then removes what is suppressed: by `# trainjobc:ignore RULE --
// reason` at the end of the finding's line or on its own line above it, or by path and rule in the
// configuration. Refusals (base::is_refusal) stay; a suppression of one gets a warning. So do a comment
// without a rule or a reason, and each suppression that suppressed nothing. `files` are all files that were
// linted. Unused suppressions are not reported if advice is missing among the diagnostics (`has_advice`),
// since those of advice would all seem unused, nor those in `documents` that are not complete; those on lines
// outside of documents are.
base::Diagnostics apply_config(base::Diagnostics diagnostics, const inputs::Config& config,
                               std::span<const base::SourceFile* const> files, bool has_advice = true,
                               std::span<const CheckedDocument> documents = {});

// Does this for the findings on several groups, each with its own configuration. The result is sorted.
base::Diagnostics apply_configs(std::vector<inputs::FindingsOfConfig> governed, bool has_advice = true);

}  // namespace trainjobc::lint
