// SPDX-License-Identifier: Apache-2.0

// What names in a document refer to: runtimes, and the replicatedJobs and containers in them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "features/lsp/cursor.h"
#include "features/lsp/workspace.h"
#include "model/train_job.h"
#include "yaml/node.h"

namespace trainjobc::lsp {

enum class NameOf : uint8_t { Nothing, Runtime, ReplicatedJob, Container, InitContainer };

// "replicatedJob", "container", "init container"
std::string_view noun_of(NameOf of);

struct NameReference {
  NameOf of = NameOf::Nothing;
  std::vector<std::string> jobs;  // of a container: the names of its replicatedJobs; empty: all
  // Where the name is looked up: in the object at the cursor, or in the runtime that it refers to.
  bool is_own = false;
};

// What the field at the cursor refers to by its value.
NameReference reference_at(const Cursor& cursor);

// The names that the reference can be, as nodes of the runtime, in their order.
std::vector<const yaml::Node*> names_in(const yaml::Node& runtime, const NameReference& reference);

// The same for a reference to the object at the cursor.
struct OwnName {
  std::string name;
  size_t begin = 0;
  size_t end = 0;
};
std::vector<OwnName> own_names(const Cursor& cursor, const NameReference& reference);

// A runtime of the workspace or the catalogue.
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
// The runtime at the cursor, or the one that the TrainJob there refers to.
std::optional<FoundRuntime> runtime_of(const Workspace& workspace, const DocumentId& document,
                                       const Cursor& cursor);

// The namespace of the object at the cursor, with the configured one in the place of none.
std::string namespace_at(const Workspace& workspace, const DocumentId& document, const Cursor& cursor);

struct RuntimeName {
  std::string kind;
  std::string name;
  std::string ns;  // "" for a ClusterTrainingRuntime

  bool operator==(const RuntimeName&) const = default;
};
// The runtime at the cursor, or the one that the TrainJob there refers to; nullopt for other objects.
std::optional<RuntimeName> runtime_named(const Workspace& workspace, const DocumentId& document,
                                         const Cursor& cursor);

// The name in the runtimeRef of a TrainJob that refers to the runtime; nullptr for others.
const yaml::Node* reference_to(const RuntimeName& runtime, const Workspace& workspace,
                               const WorkspaceObject& job);

// "jobs/llama.yaml:8" of a file in a folder of the workspace; "" for no place.
std::string place_text(const Workspace& workspace, const base::Location& at);

// What the runtime is, in Markdown: its kind, where it is from, what it trains with, what it runs.
std::string describe_runtime(const Workspace& workspace, const FoundRuntime& runtime);

}  // namespace trainjobc::lsp
