// SPDX-License-Identifier: Apache-2.0

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

// What an unquoted `text` is. nullopt if it is a number that JSON can't express (.inf, .nan).
std::optional<Scalar> resolve_plain(std::string_view text);

// The types of go.yaml.in/yaml/v2. Integers above int64 are Uint.
enum class PlainType { Null, Bool, Int, Uint, Float, String };

struct PlainValue {
  PlainType type = PlainType::String;
  std::string text;   // JSON's spelling; unused for strings, and for floats until json_number
  double number = 0;  // of a Float
};

// What an unquoted `text` is, before it is converted to JSON.
PlainValue read_plain(std::string_view text);

// The value as JSON; a String has no text. nullopt for numbers that JSON can't express.
std::optional<Scalar> to_json(const PlainValue& value);

// The key of a JSON object that Kubernetes makes of a value that is not a string. nullopt if it refuses the
// value: null, or an integer above int64.
std::optional<std::string> key_text(const PlainValue& value);

// Whether any YAML 1.1 or 1.2 reader could read an unquoted `text` as something other than this string.
bool is_ambiguous_plain(std::string_view text);

// Whether go.yaml.in/yaml/v2 may write the string `text` without quotes, because it reads it back as that
// string.
bool is_string_in_go(std::string_view text);

// Whether Go reads an unquoted `text` as a date or a time.
bool is_timestamp(std::string_view text);

// Whether the text is a decimal number: [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool is_decimal(std::string_view text);

// A float as Go's encoding/json writes it (1e+21, 1e-07 -> 1e-7, 1000).
std::string json_number(double value);

// Tags of scalars.

struct TaggedValue {
  PlainValue value;
  std::string bytes;  // of a !!binary string; other strings are the source's text
  bool is_binary = false;
  bool is_wrong = false;  // the text is not valid for its tag
};

// What a scalar is under an explicit tag in its full form ("tag:yaml.org,2002:int"). With tags that
// Kubernetes' parser does not know, it is a string.
TaggedValue read_tagged(std::string_view tag, std::string_view text);

// The tag as people write it: !!int.
std::string short_tag(std::string_view tag);

}  // namespace trainjobc::yaml
