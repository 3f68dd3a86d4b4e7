// Pass 3, resolve: from a TrainJob's runtimeRef to its runtime.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "compile/input.h"
#include "model/behaviours.h"
#include "model/runtime.h"
#include "schema/schema.h"

namespace trainjobc::compile {

struct StoredRuntime {
  InputObject object;
  model::Runtime runtime;  // decoded where accepted
  bool accepted = false;
  bool is_input = false;
  bool has_jobs = false;  // a TrainJob was resolved to it
};

// Where a lookup ended.
struct Resolution {
  const StoredRuntime* found = nullptr;
  std::vector<std::string_view> candidates;  // names of that kind, for suggestions; only where nothing was found
};

// The runtimes of a run: of the inputs, then of --runtimes, then of the catalogue. Admits each one once.
class RuntimeStore {
 public:
  RuntimeStore(const schema::VersionSchemas& schemas, const model::Behaviours& behaviours,
               base::Diagnostics& diagnostics)
      : schemas_(schemas), behaviours_(behaviours), diagnostics_(diagnostics) {}

  // Takes an object into the store and admits it; the first of a name stays. A second one among the inputs is an
  // error (`is_input`), elsewhere it is passed over.
  void add(const InputObject& object, bool is_input);

  // Advice on the accepted runtimes of the inputs, once all jobs are resolved.
  void advise();

  // A TrainingRuntime must be of the job's namespace. The catalogue holds ClusterTrainingRuntimes only.
  Resolution resolve(const model::TrainJob& job, bool use_catalogue);

 private:
  using Key = std::tuple<std::string_view, std::string, std::string_view>;  // kind, namespace, name

  StoredRuntime& store(const InputObject& object);
  const StoredRuntime* from_catalogue(std::string_view name);

  const schema::VersionSchemas& schemas_;
  const model::Behaviours& behaviours_;
  base::Diagnostics& diagnostics_;
  base::Arena arena_;
  std::vector<std::unique_ptr<InputSet>> catalogue_;
  std::map<Key, std::unique_ptr<StoredRuntime>> runtimes_;
};

}  // namespace trainjobc::compile
