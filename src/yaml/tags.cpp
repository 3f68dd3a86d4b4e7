// SPDX-License-Identifier: Apache-2.0

#include "yaml/tags.h"

#include <charconv>
#include <optional>

#include "base/text/base64.h"
#include "base/text/utf8.h"

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

}  // namespace trainjobc::yaml
