// SPDX-License-Identifier: Apache-2.0
// Names in a document that refer to something else: to a runtime, or to a replicatedJob or container of one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "features/lsp/features/cursor.h"
#include "yaml/node.h"

namespace trainjobc::lsp {

enum class NameOf : uint8_t { Nothing, Runtime, ReplicatedJob, Container, InitContainer };

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

}  // namespace trainjobc::lsp
