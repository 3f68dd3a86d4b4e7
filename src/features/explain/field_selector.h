// SPDX-License-Identifier: Apache-2.0

// explain --field: which fields are wanted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schema/compare.h"

namespace trainjobc::explain {

// A text that the path holds ("env", "PET_NNODES"), or a JSONPath of kubectl: it begins with `$`, `.` or `{`.
// Of JSONPath: keys (.a, ['a'], \.), indexes ([0], [-1]), [*], .*, .. and filters by a field
// ([?(@.name=="node")]).
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

}  // namespace trainjobc::explain
