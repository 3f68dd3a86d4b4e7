// SPDX-License-Identifier: Apache-2.0

// Tags of scalars.
#pragma once

#include <string>
#include <string_view>

#include "yaml/scalar.h"

namespace trainjobc::yaml {

struct TaggedValue {
  PlainValue value;
  std::string bytes;  // of a !!binary string; other strings are the source's text
  bool is_binary = false;
  bool is_wrong = false;  // the text can't be read under its tag
};

// What a scalar is under an explicit tag in its full form ("tag:yaml.org,2002:int"). With tags that
// Kubernetes' parser does not know, it is a string.
TaggedValue read_tagged(std::string_view tag, std::string_view text);

// The tag as people write it: !!int.
std::string short_tag(std::string_view tag);

}  // namespace trainjobc::yaml
