// Tags of scalars, and what the parser's complaints mean.
#pragma once

#include <string>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::yaml {

struct TaggedScalar {
  Kind kind = Kind::String;
  std::string text;   // a number in JSON's spelling, or the string
  std::string error;  // "" where the scalar is fine
  std::string hint;
};

// What a scalar is under its tag: "?" for plain, "!" for quoted or non-specific, or an explicit tag.
TaggedScalar resolve_tagged(std::string_view tag, std::string_view value);

struct SyntaxAdvice {
  std::string message;
  std::string hint;
};

// yaml-cpp's message, and what to do about it.
SyntaxAdvice explain_syntax_error(std::string_view message);

}  // namespace trainjobc::yaml
