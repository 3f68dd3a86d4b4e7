// SPDX-License-Identifier: Apache-2.0
// The runtimes that TrainJobs of a document can refer to.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "model/train_job.h"
#include "features/lsp/features/cursor.h"
#include "features/lsp/workspace.h"

namespace trainjobc::lsp {

struct FoundRuntime {
  model::ObjectId id;  // in `root`
  const yaml::Node* root = nullptr;
  base::Location location;             // of the object
  std::string catalogue;               // the Trainer version that it is built in for; "" if it is in a file
  std::shared_ptr<const void> memory;  // of `root` and the file
};

// Those that a TrainJob of the namespace can refer to: of the workspace, then of the catalogue; the first one
// of each kind and name.
std::vector<FoundRuntime> runtimes_for(const Workspace& workspace, const DocumentId& document,
                                       std::string_view ns);

// The one that a TrainJob refers to; `kind` is defaulted if it is "".
std::optional<FoundRuntime> find_runtime(const Workspace& workspace, const DocumentId& document,
                                         std::string_view kind, std::string_view name, std::string_view ns);
// The same for the TrainJob at the cursor.
std::optional<FoundRuntime> runtime_of(const Workspace& workspace, const DocumentId& document,
                                       const Cursor& cursor);

// The namespace of the object at the cursor, with the configured one in the place of none.
std::string namespace_at(const Workspace& workspace, const DocumentId& document, const Cursor& cursor);

struct RuntimeName {
  std::string kind;
  std::string name;
  std::string ns;  // "" for a ClusterTrainingRuntime
};
// Of a runtime in the namespace of the object at the cursor; `kind` is defaulted if it is "".
RuntimeName runtime_name(const Workspace& workspace, const DocumentId& document, const Cursor& cursor,
                         std::string_view kind, std::string_view name);

// The name in the runtimeRef of a TrainJob that refers to the runtime; nullptr for others.
const yaml::Node* reference_to(const RuntimeName& runtime, const Workspace& workspace,
                               const WorkspaceObject& job);

// "jobs/llama.yaml:8" of a file in a folder of the workspace; "" for no place.
std::string place_text(const Workspace& workspace, const base::Location& at);

// What the runtime is, in Markdown: its kind, where it is from, what it trains with, what it runs.
std::string describe_runtime(const Workspace& workspace, const FoundRuntime& runtime);

}  // namespace trainjobc::lsp
