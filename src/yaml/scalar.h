// Plain scalars as Kubernetes reads them: YAML 1.1 as go.yaml.in/yaml/v2 resolves it, then JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::yaml {

struct Scalar {
  Kind kind = Kind::String;
  std::string text;  // numbers in JSON's spelling; unused for strings, whose text is the source's
};

// What an unquoted `text` is. nullopt where it is a number that JSON has no word for (.inf, .nan).
std::optional<Scalar> resolve_plain(std::string_view text);

// Whether any YAML 1.1 or 1.2 reader could take an unquoted `text` for something else than this string.
bool is_ambiguous_plain(std::string_view text);

// A float as Go's encoding/json spells it (1e+21, 1e-07 -> 1e-7, 1000).
std::string json_number(double value);

}  // namespace trainjobc::yaml
