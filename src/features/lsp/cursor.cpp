// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/cursor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"

namespace trainjobc::lsp {
namespace {

constexpr char kTyped = '\x01';  // inserted at the cursor while something is typed

// Whether the character may be part of a rule's id, which ends a word in a comment otherwise.
bool is_word_of_comment(char c) {
  return base::is_alnum(c) || c == '/' || c == '-' || c == '_' || c == ':' || c == kTyped;
}

class Search {
 public:
  explicit Search(size_t offset) : offset_(offset) {}

  Cursor found;

  // Whether the value contains the byte.
  bool visit(const SyntaxNode& value) {
    if (covers(value.begin, value.end) && (value.is_scalar() || !value.text.empty())) {
      found.spot = value.is_block ? Spot::None : value.own_line ? Spot::KeyOrValue : Spot::Value;
      take(value.text, value.begin, value.end);
      return true;
    }
    for (size_t i = 0; i < value.entries.size(); ++i) {
      const SyntaxEntry& entry = value.entries[i];
      if (offset_ < entry.begin || offset_ >= std::max(entry.end, entry.value.end)) continue;
      if (visit_entry(value, entry, i)) return true;
    }
    return false;
  }

 private:
  bool covers(size_t begin, size_t end) const { return begin <= offset_ && offset_ < end; }

  void take(const std::string& word, size_t begin, size_t end) {
    found.word = word;
    found.begin = begin;
    found.end = end;
  }

  bool visit_entry(const SyntaxNode& collection, const SyntaxEntry& entry, size_t index) {
    const bool was_in_flow = found.in_flow;
    found.in_flow = collection.flow;
    if (collection.is_map() && covers(entry.begin, entry.key_end)) {
      found.path.push_back({entry.key});
      found.spot = Spot::Key;
      found.is_complete = entry.is_complete;
      found.container = &collection;
      take(entry.key, entry.begin, entry.key_end);
      return true;
    }
    const bool is_step =
        collection.is_map() ? entry.is_complete || !entry.key.empty() : entry.is_complete || collection.flow;
    if (is_step) found.path.push_back(collection.is_map() ? CursorStep{entry.key} : CursorStep{"", index});
    if (visit(entry.value)) return true;
    if (is_step) found.path.pop_back();
    found.in_flow = was_in_flow;
    return false;
  }

  size_t offset_;
};

// The object of a List into which the path leads; otherwise the document. The path may lead into the second
// of two equal keys, while their map finds the first.
const SyntaxNode* object_of(const SyntaxNode& document, CursorPath& path) {
  const SyntaxNode* items = document.get("items");
  if (!items || path.size() < 2 || path[0].key != "items" || !path[1].is_item()) return &document;
  const size_t index = path[1].index;
  if (index >= items->entries.size()) return &document;
  path.erase(path.begin(), path.begin() + 2);
  return &items->entries[index].value;
}

// Finds the comment that contains the byte.
bool find_comment(std::string_view text, const SyntaxNode& document, size_t offset, Cursor& cursor) {
  const size_t line = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
  for (size_t hash = text.find('#', line); hash <= offset && hash < text.size();
       hash = text.find('#', hash + 1)) {
    if (hash > line && !base::is_blank(text[hash - 1])) continue;
    Search search(hash);
    if (search.visit(document)) continue;  // inside a value
    const size_t end = std::min(text.find('\n', hash), text.size());
    cursor.spot = Spot::Comment;
    cursor.comment = base::trimmed(text.substr(hash, end - hash));
    cursor.comment_begin = hash;
    size_t begin = offset;
    while (begin > hash + 1 && is_word_of_comment(text[begin - 1])) --begin;
    size_t word_end = offset;
    while (word_end < end && is_word_of_comment(text[word_end])) ++word_end;
    cursor.word = text.substr(begin, word_end - begin);
    cursor.begin = begin;
    cursor.end = word_end;
    return true;
  }
  return false;
}

Cursor search_at(std::string_view text, size_t offset) {
  const auto extents = document_extents(text);
  const auto after = std::ranges::upper_bound(extents, offset, {}, &DocumentExtent::begin);
  const DocumentExtent extent = after == extents.begin() ? extents.front() : *std::prev(after);
  auto document = std::make_shared<SyntaxNode>();
  if (offset > extent.end || (offset == extent.end && offset < text.size())) {  // on a `---` line
    return {.document = std::move(document)};
  }
  *document = parse_syntax(text, extent);
  Search search(offset);
  if (!search.visit(*document)) {
    search.found = {};
    find_comment(text, *document, offset, search.found);
  }
  Cursor cursor = std::move(search.found);
  cursor.object = object_of(*document, cursor.path);
  cursor.document = std::move(document);
  return cursor;
}

// Whether the byte is in the indentation of a line that has text, where nothing can be typed.
bool is_before_content(std::string_view text, size_t offset) {
  const size_t line = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
  const bool is_indent =
      text.substr(line, offset - line).find_first_not_of(base::kBlanks) == std::string_view::npos;
  const size_t content = std::min(text.find_first_not_of(base::kBlanks, offset), text.size());
  const bool has_blank = content > offset;
  return is_indent && has_blank && content < text.size() && text[content] != '\n' && text[content] != '\r';
}

void remove_mark(std::string& text) {
  std::erase(text, kTyped);
}

}  // namespace

std::string to_string(const CursorPath& path) {
  std::string text;
  for (const CursorStep& step : path) {
    if (step.is_item()) {
      text += fmt::format("[{}]", step.index);
    } else if (step.key.find_first_of("./[]") != std::string::npos) {
      text += fmt::format("[{}]", step.key);
    } else {
      text += text.empty() ? step.key : "." + step.key;
    }
  }
  return text;
}

bool matches(const CursorPath& path, std::initializer_list<std::string_view> keys) {
  return std::ranges::equal(path, keys, [](const CursorStep& step, std::string_view key) {
    return step.is_item() ? key == "[]" : step.key == key;
  });
}

std::string_view Cursor::text_at(std::initializer_list<std::string_view> keys) const {
  const SyntaxNode* value = at(keys);
  return value && value->is_scalar() ? std::string_view(value->text) : std::string_view();
}

const SyntaxNode* Cursor::at(std::initializer_list<std::string_view> keys) const {
  return object ? object->at(keys) : nullptr;
}

const SyntaxNode* Cursor::along_path(size_t steps) const {
  const SyntaxNode* value = object;
  for (size_t i = 0; i < steps && value; ++i) {
    const CursorStep& step = path[i];
    if (!step.is_item()) {
      value = value->get(step.key);
    } else {
      value = step.index < value->entries.size() ? &value->entries[step.index].value : nullptr;
    }
  }
  return value;
}

Cursor find_at(std::string_view text, size_t offset) {
  return search_at(text, std::min(offset, text.size()));
}

Cursor find_at_or_before(std::string_view text, size_t offset) {
  Cursor cursor = find_at(text, offset);
  const bool has_word = cursor.spot != Spot::None && !cursor.word.empty();
  if (has_word || offset == 0 || offset > text.size() ||
      base::kSpace.find(text[offset - 1]) != std::string_view::npos)
    return cursor;
  return find_at(text, offset - 1);
}

Cursor find_typed(std::string_view text, size_t offset) {
  offset = std::min(offset, text.size());
  if (is_before_content(text, offset)) return {.document = std::make_shared<SyntaxNode>()};
  std::string marked(text);
  marked.insert(offset, 1, kTyped);
  Cursor cursor = search_at(marked, offset);
  if (cursor.spot == Spot::None) return cursor;
  cursor.typed = marked.substr(cursor.begin, offset - cursor.begin);
  if (cursor.typed.starts_with('"') || cursor.typed.starts_with('\'')) cursor.typed.erase(0, 1);
  cursor.end -= 1;
  remove_mark(cursor.word);
  remove_mark(cursor.comment);
  for (CursorStep& step : cursor.path) remove_mark(step.key);
  return cursor;
}

}  // namespace trainjobc::lsp
