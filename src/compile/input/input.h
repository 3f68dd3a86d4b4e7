// Pass 1, read: sources to objects.
#pragma once

#include <deque>
#include <memory>
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

namespace trainjobc::compile {

enum class InputKind { TrainJob, TrainingRuntime, ClusterTrainingRuntime, Snapshot, Foreign };

struct InputObject {
  InputKind kind = InputKind::Foreign;
  const yaml::Node* root = nullptr;
  model::ObjectId id;
  const model::DialectFields* dialect = nullptr;  // of a translated runtime; nullptr for others

  bool is_runtime() const {
    return kind == InputKind::TrainingRuntime || kind == InputKind::ClusterTrainingRuntime;
  }
};

// The files of one run and all that was read from them. Everything lives until the last copy goes.
struct InputSet {
  std::vector<std::unique_ptr<base::SourceFile>> files;
  base::Arena arena;
  std::deque<model::DialectFields> dialects;
  std::vector<InputObject> objects;         // in the order of the sources
  std::set<const base::SourceFile*> found;  // in directories, not named
  std::vector<PassedOver> passed_over;
};

struct ReadOptions {
  std::string_view pinned_version;  // of Trainer, which serves no older dialect; "": they are translated
  bool is_input = true;             // foreign jobs that look like ours are pointed out
};

// Reads every document of the sources, expands Lists, translates dialects, sorts objects into kinds.
// Documents that can't be read, and objects of ours that no API server would take, are diagnostics; what is
// not for Trainer is skipped.
void read_inputs(std::vector<Source> sources, InputSet& inputs, base::Diagnostics& diagnostics,
                 const ReadOptions& options = {});

// Whether `wanted`, a name or namespace/name, names the TrainJob that diagnostics call `object`.
bool names_job(std::string_view wanted, std::string_view object);

// Removes the TrainJobs that no one of Options::jobs names, unless there are none. Returns what was removed,
// as namespace/name.
std::vector<std::string> leave_out_jobs(InputSet& inputs, const Options& options);

}  // namespace trainjobc::compile
