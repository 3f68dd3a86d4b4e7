#include "yaml/tags.h"

#include <fmt/format.h>

#include <optional>

#include "base/base64.h"
#include "yaml/scalar.h"

namespace trainjobc::yaml {
namespace {

constexpr std::string_view kCore = "tag:yaml.org,2002:";

TaggedScalar plain(std::string_view value) {
  std::optional<Scalar> scalar = resolve_plain(value);
  if (!scalar) {
    return {Kind::String, std::string(value), fmt::format("{} is a number that JSON, and so Kubernetes, can't hold", value),
            "quote it if a string is meant"};
  }
  if (scalar->kind == Kind::String) return {Kind::String, std::string(value), "", ""};
  return {scalar->kind, std::move(scalar->text), "", ""};
}

TaggedScalar wrong(std::string_view type, std::string_view value) {
  return {Kind::String, std::string(value), fmt::format("\"{}\" can't be read as !!{}", value, type), ""};
}

// A scalar under !!int, !!float, !!bool or !!null: the plain reading must be of that kind.
TaggedScalar as_type(std::string_view type, std::string_view value) {
  TaggedScalar scalar = plain(value);
  if (!scalar.error.empty()) return scalar;
  const bool fits = (type == "int" && scalar.kind == Kind::Int) || (type == "bool" && scalar.kind == Kind::Bool) ||
                    (type == "null" && scalar.kind == Kind::Null) ||
                    (type == "float" && (scalar.kind == Kind::Int || scalar.kind == Kind::Float));
  return fits ? scalar : wrong(type, value);
}

}  // namespace

TaggedScalar resolve_tagged(std::string_view tag, std::string_view value) {
  if (tag == "?") return plain(value);
  if (!tag.starts_with(kCore)) return {Kind::String, std::string(value), "", ""};
  const std::string_view type = tag.substr(kCore.size());
  if (type == "int" || type == "float" || type == "bool" || type == "null") return as_type(type, value);
  if (type == "binary") {
    const std::optional<std::string> bytes = base::base64_decode(value);
    if (!bytes) return wrong(type, value);
    return {Kind::String, *bytes, "", ""};
  }
  return {Kind::String, std::string(value), "", ""};
}

SyntaxAdvice explain_syntax_error(std::string_view message) {
  struct Known {
    std::string_view part;
    std::string_view message;
    std::string_view hint;
  };
  static constexpr Known kKnown[] = {
      {"illegal tab", "a tab can't indent YAML", "indent with spaces"},
      {"illegal map value", "a \": \" can't stand here: the line is already a value", "quote the value"},
      {"end of map not found", "this line fits no level of indentation above it",
       "indent it as its siblings, or quote the value before it"},
      {"end of sequence not found", "this line fits no level of indentation above it",
       "indent it as its siblings"},
      {"end of sequence flow not found", "a \"[\" is not closed with \"]\"", ""},
      {"end of map flow not found", "a \"{\" is not closed with \"}\"", ""},
      {"the referenced anchor is not defined", "this alias has no anchor above it in the same document",
       "anchors end with their document"},
      {"illegal block entry", "a \"- \" can't stand here", "begin the list on a line of its own"},
      {"illegal map key", "a key can't stand here", ""},
      {"illegal EOF in scalar", "a quoted string is not closed before the end of the document",
       "close the quote"},
      {"unknown escape character", "this escape is none that YAML knows",
       "double the backslash, or use single quotes"},
      {"illegal document indicator in scalar", "a quoted string is not closed before the end of the document",
       "close the quote"},
  };
  for (const Known& known : kKnown) {
    if (message.find(known.part) != std::string_view::npos) {
      return {std::string(known.message), std::string(known.hint)};
    }
  }
  return {std::string(message), ""};
}

}  // namespace trainjobc::yaml
