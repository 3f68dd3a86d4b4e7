// SPDX-License-Identifier: Apache-2.0

// Where each field of the rendered objects comes from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "compile/compile.h"
#include "schema/schema.h"
#include "features/diff/input_fields.h"
#include "features/explain/field_selector.h"

namespace trainjobc::explain {

// What a field was before the last word on it: in the runtime, or after an override of the job.
struct EarlierValue {
  std::string step;  // "runtime", "override 1"
  const yaml::Node* value = nullptr;
  base::Location location;
};

// A field without subfields.
struct FieldOrigin {
  std::string path;        // spec.replicatedJobs[0].name; "" if paths are not wanted
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

struct Wanted {
  FieldSelector field;
  bool paths = true;  // YAML does without, which saves a third of the time
};

// Of the objects, in their order, the fields that `wanted` selects; objects without such fields are left out.
// `inputs` may be shared with other calls, of other threads too. Secrets of the objects are the caller's to
// mask; `make` masks those of earlier values. Nodes live as long as the objects' and `make`.
std::vector<ObjectOrigins> explain_objects(const std::vector<Object>& objects,
                                           const schema::VersionSchemas& schemas, const Wanted& wanted,
                                           diff::InputFields& inputs, const yaml::Maker& make);

enum class Format { Yaml, Text, Json };

// Some of the objects of an output. As YAML, they are as `render` prints them, each field with its origin in
// a comment: YAML that can be applied; all fields of the objects must have been selected. As text, one line
// per field; on a terminal, more if it doesn't fit. As JSON, items of "fields": {"object", "path", "value",
// "rule", "file", "line", "column", "field", "earlier": [{"step", "value", "file", "line", "column"}]}.
// `width` is that of the terminal, 0 if there is none.
std::string to_text(Format format, const std::vector<Object>& objects,
                    const std::vector<ObjectOrigins>& origins, size_t width = 0);

// What is before the first of such texts, between two, and after the last; texts that are empty are left out.
struct Joints {
  std::string_view opening;
  std::string_view between;
  std::string_view closing;
};
Joints joints_of(Format format, bool is_empty);

}  // namespace trainjobc::explain
