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

// The finding for an object that is defined twice, at its second name.
base::Diagnostic duplicate_object(std::string_view object, const base::Location& name,
                                  const base::Location& first);

// Whether a kind is one of Trainer's: TrainJob, TrainingRuntime, ClusterTrainingRuntime.
bool is_trainer_kind(std::string_view kind);

// Whether it is about a job of Training Operator v1: every command must say that the object was not read.
bool is_of_unread_job(const base::Diagnostic& diagnostic);

enum class InputKind { TrainJob, TrainingRuntime, ClusterTrainingRuntime, Snapshot, Foreign };

struct InputObject {
  InputKind kind = InputKind::Foreign;
  const yaml::Node* root = nullptr;               // nullptr: not read yet, or not kept
  const yaml::Node* written = nullptr;            // what `root` was translated from; nullptr: it was not
  model::ObjectId id;                             // where `root` is
  const model::DialectFields* dialect = nullptr;  // of a translated runtime; nullptr for others
  const yaml::FoundDocument* unread = nullptr;    // that looks like a TrainJob; nullptr: it was read
  base::Location location;                        // of `root`
  bool is_guess = false;  // its type was corrected: it is checked, but nothing is made of it

  const yaml::Node* as_written() const { return written ? written : root; }
  bool is_runtime() const {
    return kind == InputKind::TrainingRuntime || kind == InputKind::ClusterTrainingRuntime;
  }
};

// What objects live in.
struct ObjectMemory {
  base::Arena arena;
  std::list<model::DialectFields> dialects;
};

// What one document holds.
struct ReadObjects {
  std::vector<InputObject> objects;
  std::vector<PassedOver> passed_over;
  base::Diagnostics diagnostics;
  bool is_as_written = false;  // the document is one object and was not translated
};

// The files of one run and what was read from them. Everything lives until the last copy goes.
struct InputSet {
  std::vector<std::shared_ptr<const base::SourceFile>> files;
  std::vector<std::shared_ptr<const yaml::Relocator>> relocators;
  std::vector<std::shared_ptr<const ObjectMemory>> memory;
  std::deque<yaml::FoundDocument> unread;
  std::vector<InputObject> objects;         // in the order of the sources
  std::set<const base::SourceFile*> found;  // in directories, not named by the user
  std::set<const base::SourceFile*> made;   // by other programs
  std::vector<PassedOver> passed_over;
};

struct ReadOptions {
  std::string_view pinned_version;  // of Trainer, which serves no older dialect; "": they are translated
  bool is_input = true;             // foreign jobs that look like ours are pointed out
  bool keep_foreign = true;         // the nodes of foreign objects are wanted
  bool keep_jobs = true;            // those of TrainJobs are
  bool defer_jobs = false;          // documents that look like one TrainJob each are left unread
  unsigned threads = 0;             // 0: as many as there are processors
};

// Reads every document of the sources, expands Lists, translates dialects, sorts objects into kinds.
// Documents that can't be read, and objects of Trainer that no API server would accept, are diagnostics;
// other objects are skipped.
void read_inputs(std::vector<Source> sources, InputSet& inputs, base::Diagnostics& diagnostics,
                 const ReadOptions& options = {});

// Reads one document of them.
ReadObjects read_objects(const yaml::FoundDocument& document, const ReadOptions& options,
                         ObjectMemory& memory);

// Reads these deferred documents after all, as read_inputs reads the others.
void read_deferred(const std::set<const yaml::FoundDocument*>& documents, InputSet& inputs,
                   base::Diagnostics& diagnostics, const ReadOptions& options);

// Whether `wanted`, a name or namespace/name, names the TrainJob that diagnostics call `object`.
bool names_job(std::string_view wanted, std::string_view object);

// Whether Options::jobs is empty, or one of them names the TrainJob.
bool is_selected(std::string_view object, const Options& options);

// Files that are not manifests yet: templates of Helm, Jinja or envsubst, and JSON that is not an object.

// Drops what is wrong with documents of others among those that programs made, such as those of charts:
// nobody who reads the report can mend them.
void leave_out_foreign(base::Diagnostics& diagnostics, InputSet& inputs);

// Of a file whose errors come from placeholders ({{ … }}, {% … %}, ${NAME}), replaces all of them by one
// finding that says so, or skips the file if no object of Trainer is in it. JSON from a directory that can't
// be read and doesn't mention Trainer is skipped, too: it is data, or another tool's settings. `diagnostics`
// are and stay sorted.
void fold_templates(base::Diagnostics& diagnostics, InputSet& inputs);

}  // namespace trainjobc::compile
