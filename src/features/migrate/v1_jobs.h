// SPDX-License-Identifier: Apache-2.0

// The v1 jobs of a migration: which are converted, and which Trainer would refuse afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "features/migrate/files.h"
#include "features/migrate/migrate.h"
#include "features/migrate/v1/convert.h"
#include "yaml/node.h"

namespace trainjobc::migrate {

class V1Jobs {
 public:
  // All are looked at until the end.
  V1Jobs(const MigrateOptions& options, const std::vector<Source>& inputs,
         const std::vector<Source>& runtimes)
      : options_(options), inputs_(inputs), runtimes_(runtimes) {}

  // Forgets the conversions, for another round; not what was refused.
  void start();

  // What becomes of the object; nullopt if it is none of a v1 API.
  std::optional<Changed> convert(const yaml::Node& object, const yaml::Maker& make,
                                 base::Diagnostics& problems);

  // Remembers the jobs whose new objects have errors. Whether there are any: then they have to be left as
  // they are in another round.
  bool refuse(const Compilation& after);

  // Whether it is one of the jobs: "PyTorchJob/default/mnist".
  bool knows(const std::string& object) const;
  // Adds the jobs of the last round, as the TrainJobs that they are or would be.
  void collect(std::vector<LintedObject>& objects) const;

 private:
  using Place = std::pair<std::string, uint32_t>;  // file and line

  struct V1Name {
    std::string v1;         // PyTorchJob/default/mnist
    std::string train_job;  // TrainJob/default/mnist
  };

  v1::Converter& converter();

  const MigrateOptions& options_;
  const std::vector<Source>& inputs_;
  const std::vector<Source>& runtimes_;
  std::unique_ptr<v1::Converter> converter_;
  std::map<Place, V1Name> jobs_;
  std::map<std::string, Place> made_;  // new objects, and what they were made of
  std::map<Place, std::vector<base::Diagnostic>> refused_;
};

}  // namespace trainjobc::migrate
