// SPDX-License-Identifier: Apache-2.0

// Where each field of the rendered objects comes from.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/source.h"
#include "compile/compile.h"
#include "features/objects/difference_text.h"
#include "lint/report/document.h"
#include "schema/compare.h"
#include "schema/schema.h"

namespace trainjobc::explain {

// explain --field: a text that the path contains ("env", "PET_NNODES"), or a JSONPath of kubectl, which
// begins with `$`, `.` or `{`. Of JSONPath: keys (.a, ['a'], \.), indexes ([0], [-1]), [*], .*, .., and
// filters by a field ([?(@.name=="node")]).
class FieldSelector {
 public:
  // What is wrong with a JSONPath; "" if nothing is.
  static std::string check(std::string_view text);
  // `text` passed the check.
  explicit FieldSelector(std::string_view text);

  bool is_json_path() const { return !steps_.empty(); }
  bool selects_all() const { return text_.empty() && steps_.empty(); }

  // A field's path, with the size of the map or list that each step is in, and in both spellings.
  struct Place {
    const schema::FieldPath& path;
    const std::vector<size_t>& sizes;
    std::string_view indexed;
    std::string_view keyed;
  };
  // Whether the field is one of them or inside of one.
  bool selects(const Place& place) const;

  // One step of a JSONPath.
  struct Key {
    std::string name;
  };
  struct Index {
    int64_t index = 0;  // from the end if it is negative
  };
  struct Any {};    // of a map or a list
  struct Below {};  // any number of steps
  struct Filter {
    std::vector<std::string> field;  // of the item
    bool equal = true;
    std::string value;
  };
  using Step = std::variant<Key, Index, Any, Below, Filter>;

 private:
  bool matches(const Place& place, size_t at, size_t step) const;

  std::string text_;         // of a text
  std::vector<Step> steps_;  // of a JSONPath; empty if it is a text
};

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
  std::string title;  // "JobSet team-a/llama", and its scope if there are several
  std::string scope;
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
                                           objects::InputFields& inputs, const yaml::Maker& make);

enum class Format { Yaml, Text, Json };

// Some of the objects of an output. As YAML, they are as `render` prints them, each field with its origin in
// a comment: YAML that can be applied; all fields of the objects must have been selected. As text, one line
// per field; on a terminal, more if it doesn't fit. As JSON, items of "fields": {"object", "path", "value",
// "rule", "file", "line", "column", "field", "earlier": [{"step", "value", "file", "line", "column"}]}, and
// "scope" if there are several.
// `width` is that of the terminal, 0 if there is none.
std::string to_text(Format format, const std::vector<Object>& objects,
                    const std::vector<ObjectOrigins>& origins, size_t width = 0);

// What is before the first of such texts, between two, and after the last; texts that are empty are left out.
report::Joints joints_of(Format format, bool is_empty);

}  // namespace trainjobc::explain
