// SPDX-License-Identifier: Apache-2.0

// Pass 1, read: sources to objects, and what the other documents are.
#pragma once

#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "compile/compile.h"
#include "model/dialects.h"
#include "model/train_job.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"

namespace trainjobc::compile {

// The finding for an object that is defined twice; points at the second one's name.
base::Diagnostic duplicate_object(std::string_view object, const base::Location& name,
                                  const base::Location& first);

// Whether a kind is one of Trainer's: TrainJob, TrainingRuntime, ClusterTrainingRuntime.
bool is_trainer_kind(std::string_view kind);

// Whether the finding is on a job of Training Operator v1: every command must report that it was not read.
bool is_of_unread_job(const base::Diagnostic& diagnostic);

// The end of the name of a runtime snapshot's ConfigMap.
inline constexpr std::string_view kSnapshotSuffix = "-runtime-snapshot";

enum class InputKind {
  TrainJob,
  TrainingRuntime,
  ClusterTrainingRuntime,
  OptimizationJob,
  Snapshot,
  Foreign,
};

struct InputObject {
  InputKind kind = InputKind::Foreign;
  const yaml::Node* root = nullptr;               // nullptr: not read yet, or not kept
  const yaml::Node* written = nullptr;            // what `root` was translated from; nullptr: it was not
  model::ObjectId id;                             // where `root` is
  const model::DialectFields* dialect = nullptr;  // of a translated runtime; nullptr for others
  const yaml::FoundDocument* unread = nullptr;    // that looks like a TrainJob; nullptr: it was read
  base::Location location;                        // of `root`
  bool is_guess = false;  // its type was corrected: it is checked, but nothing is made of it
  const InputObject* optimization = nullptr;  // the OptimizationJob of which this TrainJob is a trial
  bool is_first_trial = false;
  bool is_trial = false;  // of a Katib Experiment, with placeholders; a guess too

  const yaml::Node* as_written() const { return written ? written : root; }
  bool is_runtime() const {
    return kind == InputKind::TrainingRuntime || kind == InputKind::ClusterTrainingRuntime;
  }
};

// The memory of objects.
struct ObjectMemory {
  base::Arena arena;
  std::list<model::DialectFields> dialects;
};

// The contents of one document.
struct ReadObjects {
  std::vector<InputObject> objects;
  std::vector<PassedOver> passed_over;
  base::Diagnostics diagnostics;
  bool is_as_written = false;  // the document is one object, and was not translated
};

// The files of one run and what was read from them. Everything lives until the last copy is destroyed.
struct InputSet {
  std::vector<std::shared_ptr<const base::SourceFile>> files;
  std::vector<std::shared_ptr<const yaml::Relocator>> relocators;
  std::vector<std::shared_ptr<const ObjectMemory>> memory;
  std::deque<yaml::FoundDocument> unread;
  std::vector<InputObject> objects;         // in the order of the sources
  std::set<const base::SourceFile*> found;  // found in directories, not named by the user
  std::set<const base::SourceFile*> made;   // made by other programs
  std::vector<PassedOver> passed_over;
};

struct ReadOptions {
  std::string_view
      pinned_version;        // the Trainer version if it serves no older dialect; "": dialects are translated
  bool is_input = true;      // report foreign jobs that look like Trainer's
  bool keep_foreign = true;  // keep the nodes of foreign objects
  bool keep_jobs = true;     // keep the nodes of TrainJobs
  bool defer_jobs = false;   // leave documents that look like one TrainJob each unread
  unsigned threads = 0;      // 0: one per processor
};

// Reads every document of the sources, expands Lists, translates dialects, sorts objects into kinds.
// Documents that can't be read, and objects of Trainer that no API server would accept, become diagnostics;
// other objects are skipped.
void read_inputs(std::vector<Source> sources, InputSet& inputs, base::Diagnostics& diagnostics,
                 const ReadOptions& options = {});

// Reads one document.
ReadObjects read_objects(const yaml::FoundDocument& document, const ReadOptions& options,
                         ObjectMemory& memory);

// Reads these deferred documents after all, in the same way as read_inputs.
void read_deferred(const std::set<const yaml::FoundDocument*>& documents, InputSet& inputs,
                   base::Diagnostics& diagnostics, const ReadOptions& options);

// Whether `wanted`, a name or namespace/name, names the TrainJob that diagnostics call `object`.
bool names_job(std::string_view wanted, std::string_view object);

// Whether Options::jobs is empty, or one of them names the TrainJob.
bool is_selected(std::string_view object, const Options& options);

}  // namespace trainjobc::compile
