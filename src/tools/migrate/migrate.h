// trainjobc migrate: files from one Trainer version to another, and what becomes of the JobSets.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "tools/diff/difference.h"

namespace trainjobc::migrate {

struct MigrateOptions {
  Options compile;  // trainer_version: what the inputs were written for, or "auto"
  std::string to;   // "2.3"
  std::string manager = "trainer.kubeflow.org/user";  // of runtimePatches that overrides become
};

struct MigratedFile {
  std::string name;
  std::string old_text;
  std::string new_text;
};

struct Migration {
  std::vector<MigratedFile> files;  // those that change, in the order of the inputs
  size_t objects = 0;               // TrainJobs and runtimes of the inputs
  size_t changed = 0;               // of them
  // Errors: inputs that their own version rejects, what can't be carried over (in the lines of the old text),
  // what the new version still refuses (in the lines of the new one). Warnings: what to look at.
  base::Diagnostics findings;
  // The JobSets that the new version makes of the new files, against those of the old ones; of TrainJobs that
  // both take.
  diff::Report differences;
  std::vector<LintedObject> linted;                 // of the inputs, as in their Compilation
  std::vector<PassedOver> passed_over;              // the same
  std::vector<std::string> other_jobs;              // the same
  std::vector<std::shared_ptr<const void>> memory;  // what the locations refer to
};

// `inputs` are rewritten. `runtimes` are looked at as far as `inputs` refer to them, and taken to be migrated
// in the same way.
Migration migrate(std::vector<Source> inputs, std::vector<Source> runtimes, const MigrateOptions& options);

}  // namespace trainjobc::migrate
