// SPDX-License-Identifier: Apache-2.0

#include "yaml/read/tree_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text/text.h"
#include "rules/rules.h"
#include "yaml/node.h"

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

namespace {

// Maps with at most this many keys are searched without an index.
constexpr size_t kSmallMap = 16;

// The share of decoding steps that go.yaml.in/yaml/v2 lets aliases cause.
double allowed_repetition(size_t steps) {
  constexpr double kLow = 400'000;
  constexpr double kHigh = 4'000'000;
  const auto count = static_cast<double>(steps);
  if (count <= kLow) return 0.99;
  if (count >= kHigh) return 0.10;
  return 0.99 - 0.89 * ((count - kLow) / (kHigh - kLow));
}

}  // namespace

std::string shorten(std::string_view text) {
  constexpr size_t kMost = 100;
  if (text.size() <= kMost) return std::string(text);
  size_t end = kMost;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

void TreeBuilder::fail(std::string_view rule, const Origin& at, std::string message, std::string hint,
                       std::vector<base::Note> notes, std::vector<base::Edit> fix) {
  failed_ = true;
  warn(rule, at, std::move(message), std::move(hint), std::move(notes), std::move(fix));
}

void TreeBuilder::warn(std::string_view rule, const Origin& at, std::string message, std::string hint,
                       std::vector<base::Note> notes, std::vector<base::Edit> fix) {
  base::Diagnostic diagnostic = rules::finding(rule, std::move(message), std::move(hint),
                                               token_location(file_, at.line(), at.column(), at.in_flow()));
  diagnostic.notes = std::move(notes);
  base::suggest_fix(diagnostic, std::move(fix));
  if (rule == "yaml/syntax" && at.column() > 0) {
    const auto odd = base::odd_space_at(file_.line(at.line()).substr(at.column() - 1));
    if (odd) {
      diagnostic.location.end_column = at.column() + static_cast<uint32_t>(odd->length);
      base::suggest_fix(diagnostic, {{diagnostic.location, " "}});
    }
  }
  diagnostics_.add(std::move(diagnostic));
}

// Every node counts as a step, and so does every node that an alias refers to, each time it is used.
void TreeBuilder::count(size_t own, size_t repeated, const Origin& at) {
  steps_ += own + repeated;
  repeated_steps_ += repeated;
  if (repeated_steps_ > 100 && steps_ > 1000 &&
      static_cast<double>(repeated_steps_) > allowed_repetition(steps_) * static_cast<double>(steps_)) {
    fail("yaml/aliases", at, "too much of this document comes from aliases: Kubernetes refuses it");
    throw StopReading{};
  }
  if (steps_ <= limits_.max_values) return;
  fail("yaml/too-large", at, fmt::format("the document expands to more than {} values", limits_.max_values));
  throw StopReading{};
}

void TreeBuilder::repeat(size_t bytes, const Origin& at) {
  repeated_bytes_ += bytes;
  const double share = static_cast<double>(text_.size()) / static_cast<double>(file_.text().size());
  const auto own = static_cast<size_t>(share * static_cast<double>(limits_.max_repeated_bytes));
  const size_t most = std::max(own, 10 * text_.size());
  if (repeated_bytes_ <= most) return;
  fail("yaml/too-large", at,
       fmt::format("aliases repeat more than {} KiB of text in this document", most >> 10U),
       "write the text once, in a ConfigMap or in the image");
  throw StopReading{};
}

void TreeBuilder::scalar(const BuiltScalar& scalar, std::string_view anchor, const Origin& at) {
  const size_t bytes = scalar.node ? scalar.node->text().size() : 0;
  if (!anchor.empty()) anchors_[anchor] = {scalar, scalar.node, 1, bytes};
  count(1, 0, at);
  if (expects_key()) {
    set_key(scalar, at);
  } else {
    put(scalar.node, 1, bytes, at, false);
  }
}

void TreeBuilder::alias(std::string_view name, const Origin& at) {
  const auto found = anchors_.find(name);
  if (found == anchors_.end()) {
    fail("yaml/alias", at, "this alias has no anchor above it in the same document",
         "an anchor is valid only in its own document");
    throw StopReading{};
  }
  const Anchored& anchored = found->second;
  if (!anchored.node) {
    fail("yaml/alias", at, "an alias refers to the value that contains it");
    throw StopReading{};
  }
  count(1, anchored.weight, at);
  repeat(anchored.bytes, at);
  if (expects_key()) {
    set_key(anchored.node->is_scalar() ? anchored.scalar : BuiltScalar{.not_a_key = "a collection"}, at);
  } else {
    put(anchored.node, anchored.weight + 1, anchored.bytes, at, true);
  }
}

void TreeBuilder::open(bool is_map, std::string_view anchor, const Origin& at) {
  if (stack_.size() >= limits_.max_depth) {
    fail("yaml/too-deep", at,
         fmt::format("the document is nested more than {} levels deep", limits_.max_depth));
    throw StopReading{};
  }
  if (!anchor.empty()) anchors_[anchor] = {.depth = stack_.size()};
  count(1, 0, at);
  Frame frame;
  frame.is_map = is_map;
  frame.anchor = anchor;
  frame.begin = is_map ? entries_.size() : items_.size();
  frame.origin = at;
  stack_.push_back(frame);
}

void TreeBuilder::close() {
  const Frame frame = stack_.back();
  const Node* node = nullptr;
  if (frame.is_map) {
    node = make_.map(std::span(entries_).subspan(frame.begin), frame.origin);
    entries_.resize(frame.begin);
    is_own_.resize(frame.begin);
  } else {
    node = make_.list(std::span(items_).subspan(frame.begin), frame.origin);
    items_.resize(frame.begin);
  }
  stack_.pop_back();
  if (!frame.anchor.empty()) {
    // A value inside may have redefined the anchor.
    Anchored& anchored = anchors_[frame.anchor];
    if (!anchored.node && anchored.depth == stack_.size()) anchored = {{}, node, frame.weight, frame.bytes};
  }
  if (expects_key()) {
    set_key({.not_a_key = "a collection"}, frame.origin);
  } else {
    put(node, frame.weight, frame.bytes, frame.origin, false);
  }
}

void TreeBuilder::put(const Node* node, size_t weight, size_t bytes, const Origin& at, bool is_alias) {
  if (stack_.empty()) {
    root_ = node;
    return;
  }
  Frame& frame = stack_.back();
  frame.weight += weight;
  frame.bytes += bytes;
  if (!frame.is_map) {
    items_.push_back(node);
    return;
  }
  frame.expects_key = true;
  if (frame.key_is_merge) {
    merge(frame, *node, at, is_alias);
  } else {
    add_entry(frame, {frame.key, node, frame.key_origin});
  }
}

void TreeBuilder::set_key(const BuiltScalar& scalar, const Origin& at) {
  Frame& frame = stack_.back();
  frame.weight += 1;
  frame.expects_key = false;
  frame.key_is_merge = scalar.is_merge_word;
  frame.key_origin = at;
  frame.key = scalar.key.value_or(std::string_view());
  frame.bytes += frame.key.size();
  if (scalar.key || scalar.is_merge_word) return;
  fail("yaml/key", at, fmt::format("a key must be a string, this one is {}", scalar.not_a_key),
       scalar.not_a_key == "a collection" ? "quote the value if you mean a string" : "quote it");
}

void TreeBuilder::add_entry(Frame& frame, const Entry& entry) {
  const size_t at = index_of(frame, entry.key);
  if (at == entries_.size()) {
    entries_.push_back(entry);
    is_own_.push_back(1);
    return;
  }
  if (is_own_[at] == 0) {  // the map's own key replaces a merged one above it
    entries_[at] = entry;
    is_own_[at] = 1;
    return;
  }
  if (failed_ && entry.key.empty()) return;  // a refused key has an empty one in its place
  if (stack_.size() == 1 && lacks_separator_) return;
  // An object has each of these keys once: a second one begins the next object.
  lacks_separator_ = stack_.size() == 1 && (entry.key == "apiVersion" || entry.key == "kind");
  fail("yaml/duplicate-key", entry.key_origin,
       fmt::format("key \"{}\" is set twice in this map", shorten(entry.key)),
       lacks_separator_ ? "put a line \"---\" between two objects, or remove one of the two"
                        : "remove one of the two",
       {{"first set here", locate_key(entries_[at])}});
}

// The position of a key of the innermost map in entries_; for a new key the end, where the caller adds it.
size_t TreeBuilder::index_of(Frame& frame, std::string_view key) {
  const size_t count = entries_.size() - frame.begin;
  if (count <= kSmallMap) {
    size_t at = frame.begin;
    while (at < entries_.size() && entries_[at].key != key) ++at;
    return at;
  }
  indexes_.resize(std::max(indexes_.size(), stack_.size()));
  KeyIndex& index = indexes_[stack_.size() - 1];
  if (frame.indexed == 0) index = KeyIndex();  // clear() takes as long as the largest map that it has held
  for (; frame.indexed < count; ++frame.indexed) {
    const size_t at = frame.begin + frame.indexed;
    index.emplace(entries_[at].key, at);
  }
  const auto [slot, is_new] = index.try_emplace(key, entries_.size());
  if (is_new) ++frame.indexed;
  return slot->second;
}

// Adds `<<: value`. The first of several maps wins; as in Kubernetes' parser, a merge below a key of the map
// replaces that key.
void TreeBuilder::merge(Frame& frame, const Node& value, const Origin& at, bool is_alias) {
  if (value.is_map()) {
    merge_entries(frame, value);
    return;
  }
  const auto items = value.items();
  if (!value.is_list() || is_alias || !std::ranges::all_of(items, &Node::is_map)) {
    fail("yaml/merge", at, "the value of a merge key \"<<\" must be a map or a list of maps");
    return;
  }
  for (size_t i = items.size(); i-- > 0;) merge_entries(frame, *items[i]);
}

void TreeBuilder::merge_entries(Frame& frame, const Node& map) {
  for (const Entry& entry : map.entries()) {
    const size_t at = index_of(frame, entry.key);
    if (at == entries_.size()) {
      entries_.push_back(entry);
      is_own_.push_back(0);
    } else {
      entries_[at] = entry;
    }
  }
}

}  // namespace trainjobc::yaml
