#include "yaml/scalar_builder.h"

#include <fmt/format.h>

#include "yaml/tags.h"

namespace trainjobc::yaml {

void ScalarBuilder::add(const ScalarToken& token, const Properties& properties, const Origin& at) {
  const bool is_plain = token.plain && properties.tag.empty();
  const bool may_merge = is_plain || properties.tag == "!" || properties.tag == "tag:yaml.org,2002:merge";
  wants_key_ = builder_.expects_key() || !properties.anchor.empty();
  wants_node_ = !builder_.expects_key() || !properties.anchor.empty();
  BuiltScalar built = is_plain                 ? plain(read_plain(token.text), token, at)
                      : properties.tag.empty() ? string(token, at)
                                               : tagged(properties.tag, token, at);
  built.is_merge_word = may_merge && token.text == "<<";
  builder_.scalar(built, properties.anchor, at);
}

BuiltScalar ScalarBuilder::string(std::string_view text, const Origin& at) const {
  BuiltScalar out;
  if (wants_node_) out.node = builder_.make().string(text, at);
  if (wants_key_) out.key = text;
  return out;
}

BuiltScalar ScalarBuilder::string(const ScalarToken& token, const Origin& at) const {
  return string(token.in_source ? token.text : arena_.copy(token.text), at);
}

BuiltScalar ScalarBuilder::plain(const PlainValue& value, const ScalarToken& token, const Origin& at) {
  if (value.type == PlainType::String) return string(token, at);
  BuiltScalar out;
  if (wants_node_) out.node = json_node(value, token.text, at);
  if (!wants_key_) return out;
  if (const auto key = key_text(value)) {
    out.key = arena_.copy(*key);
  } else {
    out.not_a_key = value.type == PlainType::Null ? "null" : "an integer of more than 63 bits";
  }
  return out;
}

// As a key, a number may be one that JSON can't hold.
const Node* ScalarBuilder::json_node(const PlainValue& value, std::string_view text, const Origin& at) {
  const std::optional<Scalar> scalar = to_json(value);
  if (scalar) return builder_.make().number(scalar->kind, arena_.copy(scalar->text), at);
  if (builder_.expects_key()) return nullptr;
  builder_.fail("yaml/scalar", at,
                fmt::format("{} is a number that JSON, and so Kubernetes, can't hold", text),
                "quote it if a string is meant");
  return builder_.make().null(at);
}

BuiltScalar ScalarBuilder::tagged(std::string_view tag, const ScalarToken& token, const Origin& at) {
  const TaggedValue read = read_tagged(tag, token.text);
  if (read.is_wrong) {
    builder_.fail("yaml/scalar", at,
                  fmt::format("\"{}\" can't be read as {}", shorten(token.text), short_tag(tag)));
  }
  if (read.is_binary) return string(arena_.copy(read.bytes), at);
  return plain(read.value, token, at);
}

}  // namespace trainjobc::yaml
