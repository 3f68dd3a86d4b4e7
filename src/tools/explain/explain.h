// SPDX-License-Identifier: Apache-2.0

// Where each field of the rendered objects comes from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "compile/compile.h"
#include "schema/schema.h"
#include "tools/explain/field_selector.h"

namespace trainjobc::explain {

// What a field was before the last word on it: in the runtime, or after an override of the job.
struct EarlierValue {
  std::string step;  // "runtime", "override 1"
  const yaml::Node* value = nullptr;
  base::Location location;
};

// A field without subfields.
struct FieldOrigin {
  std::string path;        // spec.replicatedJobs[0].name
  std::string short_path;  // with keys of list maps' items, without the steps to a pod spec
  const yaml::Node* value = nullptr;
  base::Location location;  // of the input that it was read or computed from; no file if there is none
  std::string input_field;  // the field there: "spec.trainer.numNodes"; "" if unknown
  std::string rule;         // what computed it: "torch/PET_NNODES"; "" if it is written in an input
  std::vector<EarlierValue> earlier;  // of a JobSet: the values that it replaces, the oldest first
};

struct ObjectOrigins {
  std::string id;     // "JobSet/team-a/llama"
  std::string title;  // "JobSet team-a/llama"
  std::vector<FieldOrigin> fields;
};

// Of the objects, in their order, the fields that `field` selects (see FieldSelector); objects without such
// fields are left out. Secrets of the objects are the caller's to mask; `make` masks those of earlier values.
// Nodes live as long as the objects' and `make`.
std::vector<ObjectOrigins> explain_objects(const std::vector<Object>& objects,
                                           const schema::VersionSchemas& schemas, const FieldSelector& field,
                                           const yaml::Maker& make);

// The objects as `render` prints them, each field with its origin in a comment: YAML that can be applied. The
// objects must be those that were explained, with all fields. Lines are cut to the width of the terminal; 0:
// not a terminal.
std::string as_yaml(const std::vector<Object>& objects, const std::vector<ObjectOrigins>& origins,
                    size_t terminal = 0);
// One line per field; on a terminal, more if it doesn't fit.
std::string as_text(const std::vector<ObjectOrigins>& objects, size_t terminal = 0);
// {"fields": [{"object", "path", "value", "rule", "file", "line", "column", "field", "earlier": [{"step",
// "value", "file", "line", "column"}]}]}
std::string as_json(const std::vector<ObjectOrigins>& objects);

}  // namespace trainjobc::explain
