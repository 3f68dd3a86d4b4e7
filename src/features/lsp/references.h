// SPDX-License-Identifier: Apache-2.0

// Finds what names in a document refer to: runtimes, and their replicatedJobs and containers.
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

// What the name is called in messages: "replicatedJob", "container", "init container".
std::string_view noun_of(NameOf of);

struct NameReference {
  NameOf of = NameOf::Nothing;
  std::vector<std::string> jobs;  // for a container, the names of its replicatedJobs; empty: all
  // Whether the name belongs to the object at the cursor, rather than to the runtime that it refers to.
  bool is_own = false;
};

// Finds what the value of the field at the cursor refers to.
NameReference reference_at(const Cursor& cursor);

// The names to which the reference can refer, as nodes of the runtime, in order.
std::vector<const yaml::Node*> names_in(const yaml::Node& runtime, const NameReference& reference);

// Such names for a reference into the object at the cursor.
struct OwnName {
  std::string name;
  size_t begin = 0;
  size_t end = 0;
};
std::vector<OwnName> own_names(const Cursor& cursor, const NameReference& reference);

// A runtime of the workspace or the catalogue.
struct FoundRuntime {
  model::ObjectId id;  // identity of `root`
  const yaml::Node* root = nullptr;
  base::Location location;             // of the object
  std::string catalogue;               // the Trainer version whose catalogue has it; "" if it is in a file
  std::shared_ptr<const void> memory;  // keeps `root` and the file alive
};

// The runtimes to which a TrainJob of the namespace can refer: those of the workspace, then those of the
// catalogue; only the first of each kind and name.
std::vector<FoundRuntime> runtimes_for(const Workspace& workspace, const DocumentId& document,
                                       std::string_view ns);

// The runtime to which a TrainJob refers; a `kind` of "" means the default.
std::optional<FoundRuntime> find_runtime(const Workspace& workspace, const DocumentId& document,
                                         std::string_view kind, std::string_view name, std::string_view ns);
// The runtime at the cursor, or the one that the TrainJob there refers to.
std::optional<FoundRuntime> runtime_of(const Workspace& workspace, const DocumentId& document,
                                       const Cursor& cursor);

// The namespace of the object at the cursor; the configured one if it has none.
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

// The name in the job's runtimeRef if it refers to the runtime; otherwise nullptr.
const yaml::Node* reference_to(const RuntimeName& runtime, const Workspace& workspace,
                               const WorkspaceObject& job);

// A place for messages: "jobs/llama.yaml:8" for a file in a folder of the workspace; "" for no place.
std::string place_text(const Workspace& workspace, const base::Location& at);

// Describes the runtime in Markdown: its kind, where it is from, its framework, its containers.
std::string describe_runtime(const Workspace& workspace, const FoundRuntime& runtime);

}  // namespace trainjobc::lsp
