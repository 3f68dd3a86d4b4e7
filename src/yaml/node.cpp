// SPDX-License-Identifier: Apache-2.0

#include "yaml/node.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

#include "base/text/text.h"

namespace trainjobc::yaml {

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::Null: return "null";
    case Kind::Bool: return "boolean";
    case Kind::Int: return "integer";
    case Kind::Float: return "number";
    case Kind::String: return "string";
    case Kind::List: return "array";
    case Kind::Map: return "object";
  }
  return "";
}

std::string_view Node::text() const {
  if (!is_scalar()) return {};
  return {static_cast<const char*>(data_), size_};
}

std::span<const Node* const> Node::items() const {
  if (!is_list()) return {};
  return {static_cast<const Node* const*>(data_), size_};
}

std::span<const Entry> Node::entries() const {
  if (!is_map()) return {};
  return {static_cast<const Entry*>(data_), size_};
}

std::optional<int64_t> Node::as_int() const {
  return is_int() ? base::read_integer(text()) : std::nullopt;
}

std::optional<bool> Node::as_bool() const {
  if (!is_bool()) return std::nullopt;
  return text() == "true";
}

bool Node::is_empty_value() const {
  switch (kind_) {
    case Kind::Null: return true;
    case Kind::Bool: return text() == "false";
    case Kind::Int: return text() == "0" || text() == "-0";
    case Kind::Float: return false;
    case Kind::String:
    case Kind::List:
    case Kind::Map: return size_ == 0;
  }
  return false;
}

namespace {

// Compares the parts in which most keys of a map differ first: their length and last character.
bool is_key(std::string_view one, std::string_view key) {
  return one.size() == key.size() && (key.empty() || one.back() == key.back()) && one == key;
}

// Maps with this many keys have a hash table after their entries: at a key's hash, or the next free slot, it
// holds the number of its entry, counted from 1. 0 means free.
constexpr size_t kIndexed = 32;

size_t table_size(size_t entries) {
  return std::bit_ceil(2 * entries);
}

std::span<const uint32_t> table_of(std::span<const Entry> entries) {
  const auto* begin = reinterpret_cast<const uint32_t*>(entries.data() + entries.size());
  return {begin, table_size(entries.size())};
}

const Entry* find_in_table(std::span<const Entry> entries, std::string_view key) {
  const std::span<const uint32_t> table = table_of(entries);
  for (size_t at = std::hash<std::string_view>()(key);; ++at) {
    const uint32_t number = table[at & (table.size() - 1)];
    if (number == 0) return nullptr;
    if (is_key(entries[number - 1].key, key)) return &entries[number - 1];
  }
}

const Entry* copy_with_table(std::span<const Entry> entries, base::Arena& arena) {
  const size_t size = table_size(entries.size());
  const size_t room = (size * sizeof(uint32_t) + sizeof(Entry) - 1) / sizeof(Entry);
  auto* copy = arena.reserve<Entry>(entries.size() + room);
  std::uninitialized_copy(entries.begin(), entries.end(), copy);
  auto* table = reinterpret_cast<uint32_t*>(copy + entries.size());
  std::uninitialized_fill_n(table, size, 0);
  for (size_t i = 0; i < entries.size(); ++i) {
    size_t at = std::hash<std::string_view>()(entries[i].key);
    while (table[at & (size - 1)] != 0) ++at;
    table[at & (size - 1)] = static_cast<uint32_t>(i + 1);
  }
  return copy;
}

}  // namespace

const Entry* Node::find(std::string_view key) const {
  if (is_map() && size_ >= kIndexed) return find_in_table(entries(), key);
  for (const Entry& entry : entries()) {
    if (is_key(entry.key, key)) return &entry;
  }
  return nullptr;
}

const Node* Node::get(std::string_view key) const {
  const Entry* entry = find(key);
  return entry ? entry->value : nullptr;
}

const Node* Node::at(std::initializer_list<std::string_view> path) const {
  const Node* node = this;
  for (const std::string_view key : path) {
    node = node->get(key);
    if (!node) return nullptr;
  }
  return node;
}

namespace {

double to_double(std::string_view text) {
  double value = 0;
  base::read_double(text, value);
  return value;
}

bool equal_numbers(const Node& a, const Node& b) {
  if (a.text() == b.text()) return true;
  if (a.is_int() && b.is_int()) return false;
  return to_double(a.text()) == to_double(b.text());
}

bool equal_maps(const Node& a, const Node& b) {
  return a.size() == b.size() && std::ranges::all_of(a.entries(), [&](const Entry& entry) {
           const Node* other = b.get(entry.key);
           return other && equal(*entry.value, *other);
         });
}

}  // namespace

bool equal(const Node& a, const Node& b) {
  if (&a == &b) return true;
  if (a.is_number() && b.is_number()) return equal_numbers(a, b);
  if (a.kind() != b.kind()) return false;
  if (a.is_map()) return equal_maps(a, b);
  if (a.is_list()) {
    return std::ranges::equal(a.items(), b.items(),
                              [](const Node* x, const Node* y) { return equal(*x, *y); });
  }
  return a.text() == b.text();
}

namespace {

base::Location locate_origin(const Origin& origin) {
  if (origin.file()) return token_location(*origin.file(), origin.line(), origin.column(), origin.in_flow());
  if (const Derivation* made = origin.derivation()) {
    for (const Node* input : made->inputs) {
      const base::Location location = locate(*input);
      if (location.file) return location;
    }
  }
  return {};
}

}  // namespace

base::Location locate(const Node& node) {
  return locate_origin(node.origin());
}

base::Location locate_key(const Entry& entry) {
  const base::Location key = locate_origin(entry.key_origin);
  return !key.file && entry.value ? locate(*entry.value) : key;
}

const Node* Maker::null(Origin origin) const {
  return plain(Kind::Null, "null", origin);
}

const Node* Maker::boolean(bool value, Origin origin) const {
  return plain(Kind::Bool, value ? "true" : "false", origin);
}

const Node* Maker::integer(int64_t value, Origin origin) const {
  return plain(Kind::Int, arena_->copy(std::to_string(value)), origin);
}

const Node* Maker::plain(Kind kind, std::string_view text, Origin origin) const {
  Node node;
  node.kind_ = kind;
  node.size_ = static_cast<uint32_t>(text.size());
  node.data_ = text.data();
  node.origin_ = origin;
  return arena_->make(node);
}

const Node* Maker::string(std::string_view text, Origin origin) const {
  return plain(Kind::String, text, origin);
}

const Node* Maker::copied(std::string_view text, Origin origin) const {
  return string(arena_->copy(text), origin);
}

const Node* Maker::list(std::span<const Node* const> items, Origin origin) const {
  Node node;
  node.kind_ = Kind::List;
  node.size_ = static_cast<uint32_t>(items.size());
  node.data_ = arena_->copy(items).data();
  node.origin_ = origin;
  return arena_->make(node);
}

const Node* Maker::map(std::span<const Entry> entries, Origin origin) const {
  return map_of(entries.size() < kIndexed ? arena_->copy(entries) : entries, origin);
}

const Node* Maker::map(std::initializer_list<Entry> entries, Origin origin) const {
  std::vector<Entry> given;
  given.reserve(entries.size());
  std::ranges::copy_if(entries, std::back_inserter(given),
                       [](const Entry& entry) { return entry.value != nullptr; });
  return map(std::span<const Entry>(given), origin);
}

const Node* Maker::with_items(const Node* list, std::span<const Node* const> items) const {
  if (list && std::ranges::equal(items, list->items())) return list;
  return this->list(items, list ? list->origin() : Origin());
}

const Node* Maker::map_of(std::span<const Entry> entries, Origin origin) const {
  Node node;
  node.kind_ = Kind::Map;
  node.size_ = static_cast<uint32_t>(entries.size());
  node.data_ = entries.size() < kIndexed ? entries.data() : copy_with_table(entries, *arena_);
  node.origin_ = origin;
  return arena_->make(node);
}

const Node* Maker::with_origin(const Node& node, Origin origin) const {
  Node moved = node;
  moved.origin_ = origin;
  return arena_->make(moved);
}

Origin Maker::made(std::string_view rule, std::span<const Node* const> inputs,
                   std::string_view input_name) const {
  const auto given = arena_->reserve<const Node*>(inputs.size());
  size_t count = 0;
  bool is_secret = false;
  for (const Node* input : inputs) {
    if (!input) continue;
    given[count++] = input;
    is_secret = is_secret || input->origin().is_secret();
  }
  const Origin origin(arena_->make(Derivation(rule, {given, count}, input_name)));
  return is_secret ? origin.as_secret() : origin;
}

const Node* Maker::with(const Node* map, std::string_view key, const Node* value) const {
  const auto old = map ? map->entries() : std::span<const Entry>();
  const auto entries = arena_->reserve<Entry>(old.size() + 1);
  size_t count = 0;
  bool found = false;
  for (const Entry& entry : old) {
    const bool is_same = entry.key == key;
    found = found || is_same;
    if (!is_same) {
      new (entries + count++) Entry(entry);
    } else if (value) {
      new (entries + count++) Entry{entry.key, value, entry.key_origin};
    }
  }
  if (!found && value) new (entries + count++) Entry{key, value, {}};
  return map_of({entries, count}, map ? map->origin() : Origin{});
}

const Node* Maker::with_path(const Node* map, std::span<const std::string_view> path,
                             const Node* value) const {
  if (path.size() == 1) return with(map, path.front(), value);
  const Node* child = map ? map->get(path.front()) : nullptr;
  if (!child && !value) return map;
  if (child && !child->is_map()) child = nullptr;
  return with(map, path.front(), with_path(child, path.subspan(1), value));
}

const Node* Maker::with_path(const Node* map, std::initializer_list<std::string_view> path,
                             const Node* value) const {
  return with_path(map, std::span<const std::string_view>(path.begin(), path.size()), value);
}

namespace {

size_t plain_length(std::string_view text, bool in_flow) {
  size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    const bool last = end + 1 == text.size();
    if (c == ':' && (last || base::is_blank(text[end + 1]))) break;
    if (c == '#' && end > 0 && base::is_blank(text[end - 1])) break;
    if (in_flow && (c == ',' || c == ']' || c == '}' || c == '[' || c == '{')) break;
  }
  while (end > 0 && base::is_blank(text[end - 1])) --end;
  return end;
}

size_t word_length(std::string_view text) {
  return std::min(text.find_first_of(base::kBlanks), text.size());
}

// The length of a token that ends on its line.
size_t token_length(std::string_view text, bool in_flow) {
  switch (text.front()) {
    case '[':
    case ']':
    case '{':
    case '}':
    case ',': return 1;
    case '|':
    case '>': return word_length(text);
    case '-': return text.size() == 1 || base::is_blank(text[1]) ? 1 : plain_length(text, in_flow);
    case '*': return std::min(text.find_first_of(" \t,]}:"), text.size());
    case '&':
    case '!': return word_length(text);
    default: return plain_length(text, in_flow);
  }
}

}  // namespace

base::Location location_of(const base::SourceFile& file, Extent extent) {
  const auto column = [&](size_t offset) {
    return static_cast<uint32_t>(offset - file.line_start(file.line_at(offset)) + 1);
  };
  return {&file, file.line_at(extent.begin), column(extent.begin), file.line_at(extent.end),
          column(extent.end)};
}

size_t closing_quote(std::string_view text, size_t at) {
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '"' || !text.substr(at + 1).starts_with(quote)) return at;
      ++at;
    }
  }
  return std::string_view::npos;
}

base::Location token_location(const base::SourceFile& file, uint32_t line, uint32_t column, bool in_flow) {
  const std::string_view text = file.line(line);
  const size_t at = std::min<size_t>(column == 0 ? 0 : column - 1, text.size());
  const auto begin = static_cast<uint32_t>(at + 1);
  const std::string_view rest = text.substr(at);
  if (rest.empty()) return {&file, line, begin, line, begin + 1};
  if (rest.front() != '"' && rest.front() != '\'') {
    const size_t length = std::max<size_t>(token_length(rest, in_flow), 1);
    return {&file, line, begin, line, begin + static_cast<uint32_t>(length)};
  }
  const size_t offset = file.line_start(line) + at;
  const size_t close = closing_quote(file.text(), offset);
  if (close == std::string_view::npos) {
    return {&file, line, begin, line, begin + static_cast<uint32_t>(rest.size())};
  }
  const uint32_t end_line = file.line_at(close);
  return {&file, line, begin, end_line, static_cast<uint32_t>(close + 2 - file.line_start(end_line))};
}

}  // namespace trainjobc::yaml
