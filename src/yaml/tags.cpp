#include "yaml/tags.h"

#include <array>
#include <charconv>
#include <optional>

#include "base/base64.h"
#include "base/utf8.h"

namespace trainjobc::yaml {
namespace {

constexpr std::string_view kCore = "tag:yaml.org,2002:";

TaggedValue wrong() {
  return {.is_wrong = true};
}

TaggedValue as_binary(std::string_view text) {
  std::string lines(text);
  std::erase(lines, '\n');
  std::erase(lines, '\r');
  const std::optional<std::string> bytes = base::base64_decode(lines);
  if (!bytes) return wrong();
  return {.bytes = base::to_valid_utf8(*bytes), .is_binary = true};
}

TaggedValue as_float(PlainValue value) {
  if (value.type == PlainType::Int) {
    const char* end = value.text.data() + value.text.size();
    std::from_chars(value.text.data(), end, value.number);
    value.type = PlainType::Float;
  }
  return value.type == PlainType::Float ? TaggedValue{.value = std::move(value)} : wrong();
}

bool is_of_type(const PlainValue& value, std::string_view type) {
  switch (value.type) {
    case PlainType::Int:
    case PlainType::Uint: return type == "int";
    case PlainType::Bool: return type == "bool";
    case PlainType::Null: return type == "null";
    default: return false;
  }
}

}  // namespace

TaggedValue read_tagged(std::string_view tag, std::string_view text) {
  if (!tag.starts_with(kCore)) return {};
  const std::string_view type = tag.substr(kCore.size());
  if (type == "binary") return as_binary(text);
  if (type == "timestamp") return looks_like_date(text) ? TaggedValue{} : wrong();
  if (type == "float") return as_float(read_plain(text));
  if (type != "int" && type != "bool" && type != "null") return {};
  PlainValue value = read_plain(text);
  return is_of_type(value, type) ? TaggedValue{.value = std::move(value)} : wrong();
}

std::string short_tag(std::string_view tag) {
  if (!tag.starts_with(kCore)) return std::string(tag);
  return "!!" + std::string(tag.substr(kCore.size()));
}

SyntaxAdvice explain_syntax_error(std::string_view message) {
  struct Known {
    std::string_view part;
    std::string_view message;
    std::string_view hint;
  };
  static constexpr auto kKnown = std::to_array<Known>({
      {"illegal tab", "a tab can't indent YAML", "indent with spaces"},
      {"illegal map value", R"(a ": " can't stand here: the line is already a value)", "quote the value"},
      {"end of map not found", "this line fits no level of indentation above it",
       "indent it as its siblings, or quote the value before it"},
      {"end of sequence not found", "this line fits no level of indentation above it",
       "indent it as its siblings"},
      {"end of sequence flow not found", R"(a "[" is not closed with "]")", ""},
      {"end of map flow not found", R"(a "{" is not closed with "}")", ""},
      {"illegal flow end", "this bracket closes nothing that is open", ""},
      {"unknown token", "no value can begin with this character", "quote it"},
      {"illegal block entry", "a \"- \" can't stand here", "begin the list on a line of its own"},
      {"illegal map key", "a key can't stand here", ""},
      {"illegal EOF in scalar", "a quoted string is not closed before the end of the document",
       "close the quote"},
      {"unknown escape character", "this escape is none that YAML knows",
       "double the backslash, or use single quotes"},
      {"illegal document indicator in scalar", "a quoted string is not closed before the end of the document",
       "close the quote"},
      {"bad file", "the document is nested too deep", ""},
      {"hex number", "this escape needs more hexadecimal digits", ""},
      {"invalid unicode", "this escape is no Unicode character", "write the character itself"},
      {"in block scalar", "only a comment can follow the indicator of a block scalar", ""},
      {"zero indentation", "a block scalar can't be indented by 0", ""},
      {"multiple tags", "a value can't have two tags", ""},
      {"multiple anchors", "a value can't have two anchors", ""},
      {"scanning anchor", R"(the name of an anchor is made of letters, digits, "_" and "-")", ""},
      {"anchor not found", "the anchor has no name", "quote the value if a string is meant"},
  });
  for (const Known& known : kKnown) {
    if (message.find(known.part) != std::string_view::npos) {
      return {std::string(known.message), std::string(known.hint)};
    }
  }
  return {std::string(message), ""};
}

}  // namespace trainjobc::yaml
