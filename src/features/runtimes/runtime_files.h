// SPDX-License-Identifier: Apache-2.0

// Runtimes of a cluster as files to commit.
#pragma once

#include <string>
#include <vector>

#include "schema/schema.h"
#include "features/diff/live/live.h"
#include "yaml/node.h"

namespace trainjobc::runtimes {

// The runtime as somebody would write it: without what the API server and controllers filled in, the defaults
// of its schema among that.
const yaml::Node* clean(const yaml::Node& runtime, const schema::VersionSchemas& schemas,
                        const yaml::Maker& make);

struct RuntimeFile {
  std::string path;  // "torch-distributed.yaml"; of a TrainingRuntime "team-a/torch.yaml"
  std::string text;
};

// One file for each runtime of the set; other objects are skipped. Sorted by path.
std::vector<RuntimeFile> files_of(const diff::LiveSet& live, const schema::VersionSchemas& schemas);

}  // namespace trainjobc::runtimes
