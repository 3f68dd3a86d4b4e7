// SPDX-License-Identifier: Apache-2.0

// Objects of a cluster.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "compile/compile.h"
#include "yaml/node.h"

namespace trainjobc::diff {

struct LiveObject {
  std::string api_version;
  std::string kind;
  std::string ns;
  std::string name;
  const yaml::Node* root = nullptr;
};

// Everything read from one cluster, or from saved files.
struct LiveSet {
  std::vector<std::unique_ptr<base::SourceFile>> files;
  base::Arena arena;
  std::vector<LiveObject> objects;
};

// The content of a text.
struct LiveText {
  bool is_blank = false;                // only white space
  size_t documents = 0;                 // without those that are null
  const yaml::Node* strange = nullptr;  // the first value that is neither an object nor a list of objects
};

// The objects of a text, YAML or JSON, Lists expanded; anything else is skipped. Errors in the text are
// diagnostics.
LiveText read_live(Source source, LiveSet& live, base::Diagnostics& diagnostics);

// The group of an apiVersion: "jobset.x-k8s.io"; "" of "v1".
std::string_view group_of(std::string_view api_version);

// "Kind/namespace/name", with `default` for no namespace.
std::string object_id(std::string_view kind, std::string_view ns, std::string_view name);

}  // namespace trainjobc::diff
