// SPDX-License-Identifier: Apache-2.0

// trainjobc migrate: converts files from one Trainer version to another, and shows how the JobSets change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "features/objects/differences.h"
#include "inputs/config.h"
#include "inputs/kustomize/kustomization.h"

namespace trainjobc::migrate {

class Placeholders;

struct MigrateOptions {
  Options compile;                                    // its trainer_version: that of the inputs, or "auto"
  std::string to;                                     // "2.3"
  std::string manager = "trainer.kubeflow.org/user";  // of runtimePatches that overrides become
  // Of jobs of Training Operator v1 and of the MPI Operator.
  std::string runtime_name;    // of new runtimes, the second one with -2; "": by what is in them
  bool per_namespace = false;  // new runtimes are TrainingRuntimes
  std::string runtimes_dir;    // each in a file of its own there; "": ahead of the first job that needs it
  bool plain = false;          // write out roles that differ only in labels, annotations or restart policy
  std::string alike;           // the role whose labels and restart policy all nodes get; "": the workers
  std::string gang;            // none, volcano or coscheduling; "": by what the job and the inputs show
  bool copies_key = true;      // of MPI, for root, whose ssh refuses the key that Trainer mounts
  // Kustomizations of the inputs, and the files that are their patches.
  std::vector<std::shared_ptr<const kustomize::Tree>> kustomizations;
  std::vector<Source> patches;
  std::string shown_gang;                        // what the inputs show: kueue, volcano, coscheduling or ""
  const Placeholders* placeholders = nullptr;    // of the inputs; nullptr: none
  std::shared_ptr<const inputs::Config> config;  // whose rules hold for findings; nullptr: none
};

// Input: a changed input. Beside: a new file next to the inputs. Runtime: a new one in runtimes_dir.
enum class FileKind { Input, Beside, Runtime };

struct MigratedFile {
  std::string name;
  std::string old_text;
  std::string new_text;
  FileKind kind = FileKind::Input;
};

enum class Fate { Migrated, Unchanged, Left };

// The result for an object of the inputs. Left: it should have changed, but couldn't; a finding says why.
struct Outcome {
  std::string object;  // "PyTorchJob/vision/mnist"; "" in a file that can't be read
  std::string file;
  uint32_t line = 0;
  Fate fate = Fate::Unchanged;
  std::vector<std::string> becomes;  // the objects in its place; empty if it is left
  std::string runtime_file;          // where its new runtime is, if not in `file`
};

struct Migration {
  std::vector<MigratedFile> files;  // those that change, in the order of the inputs, then new ones
  std::vector<Outcome> outcomes;    // sorted by file and line
  size_t objects = 0;               // TrainJobs and runtimes of the inputs, and v1 jobs
  size_t changed = 0;               // how many of them change
  size_t of_v1 = 0;                 // how many of the objects are v1 jobs
  size_t staying = 0;               // v1 jobs that stay, including those inside other objects
  // Errors: inputs that their own version rejects, what can't be converted (on lines of the old text), what
  // the new version still refuses (on lines of the new text). Warnings: what a person should check.
  base::Diagnostics findings;
  // The JobSets of the new files and version, compared with the old ones, for TrainJobs that both versions
  // accept.
  objects::Report differences;
  std::vector<LintedObject> linted;                 // as in the inputs' Compilation
  std::vector<PassedOver> passed_over;              // likewise
  std::vector<std::string> other_jobs;              // likewise
  std::vector<std::shared_ptr<const void>> memory;  // holds the files of the locations
};

// Rewrites `inputs`. Only those of `runtimes` that `inputs` refer to are read; they are expected to be
// migrated in the same way. Placeholders of templates stay if their values don't matter.
Migration migrate(std::vector<Source> inputs, std::vector<Source> runtimes, const MigrateOptions& options);

// Like migrate, without resolving placeholders first.
Migration migrate_once(std::vector<Source> inputs, std::vector<Source> runtimes,
                       const MigrateOptions& options);

// Reports on what became of each object. (features/migrate/format.cpp)

// For a terminal: a table in `width` columns; 0: no limit.
std::string format_table(const Migration& migration, size_t width);
// For people who finish the migration: the table, the order in which to apply the files, and for each object
// what differs and what to do. `to` is the Trainer version.
std::string format_markdown(const Migration& migration, const std::string& to);
// For programs: {"trainerVersion": …, "objects": […], "apply": […], "findings": […], "notForTrainer": […]}
std::string format_json(const Migration& migration, const std::string& to);

}  // namespace trainjobc::migrate
