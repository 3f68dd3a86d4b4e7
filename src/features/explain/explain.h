// SPDX-License-Identifier: Apache-2.0

// Explains where each field of the rendered objects comes from.
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

// explain --field: a text that the path contains ("env", "PET_NNODES"), or a kubectl JSONPath, which begins
// with `$`, `.` or `{`. Supported are keys (.a, ['a'], \.), indexes ([0], [-1]), [*], .*, .., and filters by
// a field ([?(@.name=="node")]).
class FieldSelector {
 public:
  // Returns what is wrong with a JSONPath; "" if nothing is.
  static std::string check(std::string_view text);
  // `text` must have passed the check.
  explicit FieldSelector(std::string_view text);

  bool is_json_path() const { return !steps_.empty(); }
  bool selects_all() const { return text_.empty() && steps_.empty(); }

  // A field's path in both spellings, with the size of the map or list at each step.
  struct Place {
    const schema::FieldPath& path;
    const std::vector<size_t>& sizes;
    std::string_view indexed;
    std::string_view keyed;
  };
  // Whether the field is selected, or is inside of a selected one.
  bool selects(const Place& place) const;

  // One step of a JSONPath.
  struct Key {
    std::string name;
  };
  struct Index {
    int64_t index = 0;  // counts from the end if negative
  };
  struct Any {};    // any entry of a map, or item of a list
  struct Below {};  // any number of steps
  struct Filter {
    std::vector<std::string> field;  // path within the item
    bool equal = true;
    std::string value;
  };
  using Step = std::variant<Key, Index, Any, Below, Filter>;

 private:
  bool matches(const Place& place, size_t at, size_t step) const;

  std::string text_;         // for a text
  std::vector<Step> steps_;  // for a JSONPath; empty for a text
};

// An earlier value of a field: in the runtime, or after an override of the job.
struct EarlierValue {
  std::string step;  // "runtime", "override 1"
  const yaml::Node* value = nullptr;
  base::Location location;
};

// A field without subfields.
struct FieldOrigin {
  std::string path;        // spec.replicatedJobs[0].name; "" if paths are not requested
  std::string short_path;  // with list maps' keys, without the steps to a pod spec
  const yaml::Node* value = nullptr;
  base::Location location;  // of the input from which it was read or computed; no file if there is none
  std::string input_field;  // the input's field: "spec.trainer.numNodes"; "" if unknown
  std::string rule;         // the rule that computed it: "torch/PET_NNODES"; "" if it is written in an input
  std::vector<EarlierValue> earlier;  // for a JobSet: the values that it replaces, oldest first
};

struct ObjectOrigins {
  std::string id;     // "JobSet/team-a/llama"
  std::string title;  // "JobSet team-a/llama", and its scope if there are several
  std::string scope;
  std::vector<FieldOrigin> fields;
};

struct Wanted {
  FieldSelector field;
  bool paths = true;  // YAML needs none, which saves a third of the time
};

// Returns the objects in order, with the fields that `wanted` selects; leaves out objects without such
// fields. Other calls may share `inputs`, even on other threads. The caller must mask the objects' secrets;
// `make` masks those of earlier values. Nodes live as long as the objects' and `make`.
std::vector<ObjectOrigins> explain_objects(const std::vector<Object>& objects,
                                           const schema::VersionSchemas& schemas, const Wanted& wanted,
                                           objects::InputFields& inputs, const yaml::Maker& make);

enum class Format { Yaml, Text, Json };

// Writes some of an output's objects. As YAML, they look as `render` prints them, with each field's origin in
// a comment, and can be applied; all fields of the objects must have been selected; those that LimitRanges
// give to pods, which `origins` may have beside the objects', follow in comments. As text, there is one
// line per field; on a terminal, more if it doesn't fit. As JSON, they are items of "fields": {"object",
// "path", "value", "rule", "file", "line", "column", "field", "earlier": [{"step", "value", "file", "line",
// "column"}]}, and "scope" if there are several. `width` is the terminal's; 0 if there is none.
std::string to_text(Format format, const std::vector<Object>& objects,
                    const std::vector<ObjectOrigins>& origins, size_t width = 0);

// What to write before the first of such texts, between two, and after the last; empty texts are left out.
report::Joints joints_of(Format format, bool is_empty);

}  // namespace trainjobc::explain
