// SPDX-License-Identifier: Apache-2.0

#include "yaml/rewrite/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "yaml/rewrite/parts.h"
#include "yaml/rewrite/rewriter.h"
#include "yaml/write/writer.h"

namespace trainjobc::yaml {

std::string scalar_text(const Node& node, bool quoted) {
  std::string text;
  if (quoted && node.is_string()) {
    write_json_string(node.text(), text);
  } else {
    write_yaml(node, KeyOrder::AsIs, text);
    text.erase(text.find_last_not_of('\n') + 1);
  }
  return text;
}

std::string key_text(std::string_view key, bool quoted) {
  base::Arena arena;
  return scalar_text(*Maker(arena).string(key), quoted);
}

Replacement Rewriter::run(const Node& new_root) {
  const size_t end = root_.flow ? root_.end : index_.end_with_comment(root_.end);
  if (index_.line_break() != "\n" && has_other_breaks(root_.begin, end))
    throw Stop{"mixed CR LF and LF line endings can't be preserved", root_.begin};
  std::string text = write(new_root);
  unplaced_ = unused_comments();
  if (!unplaced_.empty()) text = write(new_root);
  if (!unplaced_.empty()) throw Stop{"this comment would be lost", unplaced_.begin()->first};
  return {root_.begin, end, std::move(text)};
}

Replacement Rewriter::run_parts(std::span<const Node* const> roots) {
  keeps_renamed_ = true;
  std::string text;
  for (const Node* root : roots) {
    if (!text.empty()) text += fmt::format("{0}---{0}", index_.line_break());
    text += block_lines(*root, 0);
  }
  return {root_.begin, index_.end_with_comment(root_.end), std::move(text)};
}

std::string Rewriter::write(const Node& new_root) {
  taken_gaps_.clear();
  if (root_.flow) return flow_text(new_root, flow_style_of(root_, {}));
  const size_t indent = index_.column(root_.begin);
  return block_lines(new_root, indent).substr(indent);
}

bool Rewriter::has_other_breaks(size_t begin, size_t end) const {
  const std::string_view text = index_.slice(begin, end);
  for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    if (at == 0 || text[at - 1] != '\r') return true;
  }
  return false;
}

void Rewriter::find_style(const Syntax& syntax) {
  for (const WrittenEntry& entry : index_.entries(syntax)) {
    const Syntax& value = *entry.value_syntax;
    const bool is_block = !value.flow && !value.children.empty();
    const size_t from = index_.column(entry.key_syntax->begin);
    if (is_block && value.is_map() && !map_step_ && index_.column(value.begin) > from)
      map_step_ = index_.column(value.begin) - from;
    if (is_block && value.is_list() && !list_step_)
      list_step_ = index_.column(value.children.front().lead) - from;
    find_style(value);
  }
  if (!syntax.is_list()) return;
  for (const Syntax& item : syntax.children) find_style(item);
}

std::string Rewriter::joined(const std::vector<Piece>& pieces, size_t indent) const {
  std::string text;
  for (const Piece& piece : pieces) {
    if (!text.empty()) text += index_.line_break();
    text += piece.gap;
    text.append(indent, ' ');
    text += piece.body;
  }
  return text;
}

std::string Rewriter::block_lines(const Node& node, size_t indent) {
  return joined(node.is_map() ? map_pieces(node, indent) : list_pieces(node, indent), indent);
}

const Syntax* Rewriter::block_place(const Node& node) const {
  const Syntax* own = index_.of(node);
  const Syntax* place = own ? own : index_.place_of(node);
  if (!place || place->flow || place->children.empty()) return nullptr;
  if (place->is_map() && !index_.is_plain_map(*place))
    throw Stop{"a merge key or a ? key is in a map that changes", place->begin};
  return place;
}

std::vector<Piece> Rewriter::map_pieces(const Node& map, size_t indent) {
  const Syntax* place = block_place(map);
  std::vector<Piece> pieces;
  std::vector<size_t> sources;  // of each piece in the old map; of a new one that before it
  std::vector<PlacedComments> placed = take_removed(place, map);
  for (const Entry& entry : map.entries()) {
    const WrittenEntry* own = index_.entry(place, entry.key);
    const WrittenEntry* moved = index_.entry_of(*entry.value);
    if (own && own->value == entry.value) moved = own;
    const bool is_named_so = moved && (moved->key == entry.key || (keeps_renamed_ && !own));
    const bool is_moved = is_named_so && !moved->map->flow;
    pieces.push_back(entry_piece(is_moved ? moved : own, entry, indent));
    sources.push_back(own ? own->index : source_after(place, map, sources));
  }
  settle(place, std::move(placed), sources, indent, pieces);
  return pieces;
}

size_t Rewriter::source_after(const Syntax* place, const Node& map,
                              const std::vector<size_t>& sources) const {
  const size_t next = sources.empty() ? 0 : sources.back() + 1;
  if (!place) return 0;
  const std::vector<WrittenEntry>& old_entries = index_.entries(*place);
  const bool is_gone = next < old_entries.size() && !map.get(old_entries[next].key);
  return is_gone || sources.empty() ? next : sources.back();
}

Piece Rewriter::entry_piece(const WrittenEntry* written, const Entry& entry, size_t indent) {
  if (!written) return {"", new_entry(entry.key, *entry.value, indent)};
  const Syntax& key = *written->key_syntax;
  const Syntax& value = *written->value_syntax;
  Piece piece;
  piece.gap = gap(end_before(*written->map, 2 * written->index), key, indent);
  const size_t end = index_.end_with_comment(value.end);
  if (written->value == entry.value) {
    piece.body = shifted(use(key.begin, end), index_.column(key.begin), indent);
    if (written->key != entry.key) piece.body.replace(0, key.end - key.begin, key_text(entry.key, false));
    return piece;
  }
  const bool is_block = !value.flow && !value.children.empty();
  const std::string text = value_text(*entry.value, indent);
  const bool stays_block = is_block && text.starts_with(index_.line_break());
  if (stays_block) {
    piece.body = std::string(use(key.begin, index_.line_end(key.begin))) + text;
  } else {
    piece.body = fmt::format("{}:{}", use(key.begin, key.end), text);
    if (!is_block) piece.body += use(value.end, end);
  }
  return piece;
}

std::string Rewriter::new_entry(std::string_view key, const Node& value, size_t indent) {
  return fmt::format("{}:{}", key_text(key, false), value_text(value, indent));
}

std::string Rewriter::value_text(const Node& value, size_t indent) {
  if (value.is_scalar() || value.size() == 0) return " " + inline_text(value, indent);
  const Syntax* own = index_.of(value);
  const Syntax* place = own ? own : index_.place_of(value);
  if (place && place->flow && !holds_block(value)) return " " + inline_text(value, indent);
  const size_t inner = indent + (value.is_map() ? map_step() : list_step());
  return std::string(index_.line_break()) + block_lines(value, inner);
}

bool Rewriter::holds_block(const Node& node) const {
  const Syntax* own = index_.of(node);
  if (own && own->flow) return false;
  if (own && !own->children.empty()) return true;
  if (own && own->kind == Syntax::Kind::Scalar) {
    const char first = index_.file().text()[own->begin];
    return first == '|' || first == '>';
  }
  return std::ranges::any_of(node.items(), [&](const Node* item) { return holds_block(*item); }) ||
         std::ranges::any_of(node.entries(), [&](const Entry& e) { return holds_block(*e.value); });
}

std::string Rewriter::inline_text(const Node& value, size_t indent) {
  const Syntax* own = index_.of(value);
  if (own && (own->flow || own->children.empty()))
    return shifted(use(own->begin, own->end), index_.indent(own->begin), indent);
  if (value.is_scalar()) return scalar_text(value, false);
  if (value.size() == 0) return value.is_map() ? "{}" : "[]";
  return flow_text(value, {.indent = indent});
}

std::vector<Piece> Rewriter::list_pieces(const Node& list, size_t indent) {
  const Syntax* place = block_place(list);
  std::vector<Piece> pieces;
  std::vector<size_t> sources;
  for (const Node* item : list.items()) {
    const Syntax* own = index_.of(*item);
    if (!own) own = index_.place_of(*item);
    const WrittenItem* written = own ? index_.item_of(*own) : nullptr;
    if (written && written->list->flow) written = nullptr;
    Piece piece;
    if (written) piece.gap = gap(end_before(*written->list, written->index), *own, indent);
    if (written && index_.of(*item)) {
      const std::string_view text = use(own->lead, index_.end_with_comment(own->end));
      piece.body = shifted(text, index_.column(own->lead), indent);
    } else {
      add_item(*item, indent, piece);
    }
    pieces.push_back(std::move(piece));
    const bool is_here = written && written->list == place;
    sources.push_back(is_here ? written->index : sources.empty() ? 0 : sources.back());
  }
  settle(place, {}, sources, indent, pieces);
  return pieces;
}

void Rewriter::add_item(const Node& item, size_t indent, Piece& piece) {
  const Syntax* own = index_.of(item);
  const Syntax* place = own ? own : index_.place_of(item);
  if (item.is_scalar() || item.size() == 0 || (place && place->flow && !holds_block(item))) {
    piece.body = "- " + inline_text(item, indent);
    return;
  }
  std::vector<Piece> pieces = item.is_map() ? map_pieces(item, indent + 2) : list_pieces(item, indent + 2);
  if (!pieces.front().gap.empty()) {
    piece.gap += shifted("\n" + pieces.front().gap, indent + 2, indent).substr(1);
    pieces.front().gap.clear();
  }
  piece.body = "- " + joined(pieces, indent + 2).substr(indent + 2);
}

namespace {

// What `run` makes of the document.
template <class Run>
std::variant<Replacement, RewriteProblem> rewritten(const base::SourceFile& file, const Document& document,
                                                    Run run) {
  const auto at = [&](size_t offset) {
    const uint32_t line = file.line_at(offset);
    const auto column = static_cast<uint32_t>(offset - file.line_start(line) + 1);
    return base::Location{&file, line, column, line, column + 1};
  };
  const std::optional<Syntax> syntax = read_syntax(file, document);
  if (!syntax) {
    return RewriteProblem{"JSON that is not YAML can't be changed in place",
                          at(file.line_start(document.first_line))};
  }
  try {
    Rewriter rewriter(file, document, *syntax);
    return run(rewriter, *syntax);
  } catch (const Stop& stop) {
    return RewriteProblem{stop.message, at(stop.offset)};
  }
}

// Brackets may be JSON.
std::string parts_in_own_style(std::span<const Node* const> roots, bool as_json) {
  std::string text;
  for (const Node* root : roots) {
    if (!text.empty()) text += "\n---\n";
    if (as_json) {
      write_json(*root, KeyOrder::AsIs, 2, text);
    } else {
      write_yaml(*root, KeyOrder::AsIs, text);
      text.erase(text.find_last_not_of('\n') + 1);
    }
  }
  return text;
}

}  // namespace

std::variant<Replacement, RewriteProblem> rewrite(const base::SourceFile& file, const Document& document,
                                                  const Node& new_root) {
  return rewritten(file, document, [&](Rewriter& rewriter, const Syntax&) { return rewriter.run(new_root); });
}

std::variant<Replacement, RewriteProblem> rewrite_as_parts(const base::SourceFile& file,
                                                           const Document& document,
                                                           std::span<const Node* const> roots) {
  return rewritten(file, document, [&](Rewriter& rewriter, const Syntax& syntax) {
    if (syntax.flow) return Replacement{syntax.begin, syntax.end, parts_in_own_style(roots, true)};
    return rewriter.run_parts(roots);
  });
}

Replacement write_as_parts(const base::SourceFile& file, const Document& document,
                           std::span<const Node* const> roots) {
  const auto begin = static_cast<size_t>(document.text.data() - file.text().data());
  const size_t end = begin + document.text.size();
  const bool is_json = document.text.find_first_not_of(" \t\r\n") != std::string_view::npos &&
                       document.text[document.text.find_first_not_of(" \t\r\n")] == '{';
  return {begin, end, parts_in_own_style(roots, is_json) + "\n"};
}

}  // namespace trainjobc::yaml
