// lint as a function: the findings on files, and the files without those that can be fixed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "tools/lint/config.h"
#include "tools/lint/groups.h"

namespace trainjobc::lint {

// What the files hold and what is wrong with them. Owns everything that its diagnostics refer to.
struct Findings {
  Compilation compiled;
  base::Diagnostics diagnostics;  // sorted; fixes change the inputs only, not other runtimes or the catalogue
  std::vector<std::string> files;                      // the inputs, sorted
  std::map<std::string, std::string> levels;           // failOn of each input: error, warning or never
  std::vector<std::shared_ptr<const Config>> configs;  // of the groups

  // Whether the finding is as severe as its file's failOn. A finding in no input, such as one in a
  // configuration, is held against the strictest.
  bool fails(const base::Diagnostic& finding) const;
};

// Compiles the groups and applies their configurations. `fail_on` is used instead of the configurations'
// failOn unless it is empty.
Findings find(std::vector<InputGroup> groups, const Options& options, const std::string& fail_on);

// Applies fixes to the inputs in memory until none is left, since one may make room for the next, and lints
// them again. Two that undo each other end after some rounds. Returns the number of applied fixes.
size_t fix(std::vector<InputGroup>& groups, Findings& findings, const Options& options,
           const std::string& fail_on);

}  // namespace trainjobc::lint
