// SPDX-License-Identifier: Apache-2.0

#include "yaml/read/scalar_builder.h"

#include <fmt/format.h>

#include <functional>

#include "yaml/tags.h"

namespace trainjobc::yaml {

void ScalarBuilder::add(const Event& scalar, const Origin& at) {
  const bool is_plain = scalar.plain && scalar.tag.empty();
  const bool may_merge = is_plain || scalar.tag == "!" || scalar.tag == "tag:yaml.org,2002:merge";
  wants_key_ = builder_.expects_key() || !scalar.anchor.empty();
  wants_node_ = !builder_.expects_key() || !scalar.anchor.empty();
  BuiltScalar built = is_plain             ? plain(read_plain(scalar.text), scalar.text, at)
                      : scalar.tag.empty() ? string(scalar.text, at)
                                           : tagged(scalar, at);
  built.is_merge_word = may_merge && scalar.text == "<<";
  builder_.scalar(built, scalar.anchor, at);
}

BuiltScalar ScalarBuilder::lasting_string(std::string_view text, const Origin& at) const {
  BuiltScalar out;
  if (wants_node_) out.node = builder_.make().string(text, at);
  if (wants_key_) out.key = text;
  return out;
}

BuiltScalar ScalarBuilder::string(std::string_view text, const Origin& at) const {
  const std::less_equal<> is_before;
  const bool in_source = is_before(source_.data(), text.data()) &&
                         is_before(text.data() + text.size(), source_.data() + source_.size());
  return lasting_string(in_source ? text : arena_.copy(text), at);
}

BuiltScalar ScalarBuilder::plain(const PlainValue& value, std::string_view text, const Origin& at) {
  if (value.type == PlainType::String) return string(text, at);
  BuiltScalar out;
  if (wants_node_) out.node = json_node(value, text, at);
  if (!wants_key_) return out;
  if (const auto key = key_text(value)) {
    out.key = arena_.copy(*key);
  } else {
    out.not_a_key = value.type == PlainType::Null ? "null" : "an integer of more than 63 bits";
  }
  return out;
}

// A key may be a number that JSON can't represent.
const Node* ScalarBuilder::json_node(const PlainValue& value, std::string_view text, const Origin& at) {
  const std::optional<Scalar> scalar = to_json(value);
  if (scalar) return builder_.make().plain(scalar->kind, arena_.copy(scalar->text), at);
  if (builder_.expects_key()) return nullptr;
  builder_.fail("yaml/scalar", at,
                fmt::format("{} is a number that JSON, and so Kubernetes, can't represent", text),
                "quote it if you mean a string");
  return builder_.make().null(at);
}

BuiltScalar ScalarBuilder::tagged(const Event& scalar, const Origin& at) {
  const TaggedValue read = read_tagged(scalar.tag, scalar.text);
  if (read.is_wrong) {
    builder_.fail("yaml/scalar", at,
                  fmt::format("\"{}\" can't be read as {}", shorten(scalar.text), short_tag(scalar.tag)));
  }
  if (read.is_binary) return lasting_string(arena_.copy(read.bytes), at);
  return plain(read.value, scalar.text, at);
}

}  // namespace trainjobc::yaml
