// SPDX-License-Identifier: Apache-2.0

#include "yaml/rewrite/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "yaml/read/syntax.h"
#include "yaml/write/writer.h"

namespace trainjobc::yaml {

namespace {

// Thrown if something can't be rewritten; caught in rewrite().
struct Stop {
  std::string message;
  size_t offset = 0;
};

// One entry or item: the comments above it, whole lines, and its own text without the indentation of its
// first line and the line break of its last.
struct Piece {
  std::string gap;
  std::string body;
};

// How new collections in brackets are laid out.
struct FlowStyle {
  bool lines = false;  // one item per line
  size_t indent = 0;   // of the line on which the collection opens
  size_t step = 2;
  bool quotes_keys = false;
};

// The scalar as YAML, or with `quoted` strings as JSON.
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

bool is_long_list_of_numbers(const Node& node) {
  constexpr size_t kLong = 16;
  return node.is_list() && node.size() > kLong && std::ranges::all_of(node.items(), &Node::is_int);
}

class Rewriter {
 public:
  Rewriter(const base::SourceFile& file, const Document& document, const Syntax& syntax)
      : index_(file, document, syntax), root_(syntax) {
    find_style(syntax);
  }

  Replacement run(const Node& new_root) {
    const size_t end = root_.flow ? root_.end : index_.end_with_comment(root_.end);
    if (index_.line_break() != "\n" && has_other_breaks(root_.begin, end))
      throw Stop{"mixed CR LF and LF line endings can't be preserved", root_.begin};
    std::string text = write(new_root);
    unplaced_ = unused_comments();
    if (!unplaced_.empty()) text = write(new_root);
    if (!unplaced_.empty()) throw Stop{"this comment would be lost", unplaced_.begin()->first};
    return {root_.begin, end, std::move(text)};
  }

  // The texts of several roots. A comment on a removed value moves to the first part of it that is kept; if
  // there is none, it is left out.
  Replacement run_parts(std::span<const Node* const> roots) {
    keeps_renamed_ = true;
    std::string text = write_parts(roots);
    adopt(unused_comments());
    if (!adopted_.empty()) {
      used_.clear();
      taken_gaps_.clear();
      text = write_parts(roots);
    }
    Replacement made{root_.begin, index_.end_with_comment(root_.end), std::move(text)};
    for (const auto& [begin, comment] : unused_comments())
      made.left_out.push_back(location_of(index_.file(), comment));
    return made;
  }

 private:
  std::string write_parts(std::span<const Node* const> roots) {
    std::string text;
    for (const Node* root : roots) {
      if (!text.empty()) text += fmt::format("{0}---{0}", index_.line_break());
      text += block_lines(*root, 0);
    }
    return text;
  }

  // Comments on values that are not in the new tree stay where they were, on their own lines.
  struct PlacedComments {
    size_t child = 0;  // the item or entry of the old collection
    std::vector<Extent> comments;
  };

  size_t map_step() const { return map_step_.value_or(2); }
  size_t list_step() const { return list_step_.value_or(map_step()); }

  // Collections in brackets.

  FlowStyle flow_style_of(const Syntax& place, FlowStyle outer) const {
    FlowStyle style = outer;
    style.lines = index_.slice(place.begin, place.end).find('\n') != std::string_view::npos;
    style.indent = index_.indent(place.begin);
    if (place.children.empty()) return style;
    const Syntax& first = place.children.front();
    if (style.lines && index_.begins_line(first.begin) && index_.column(first.begin) > style.indent)
      style.step = index_.column(first.begin) - style.indent;
    if (place.is_map()) style.quotes_keys = index_.slice(first.begin, first.end).starts_with('"');
    return style;
  }

  // The value as it is written in brackets.
  std::string flow_text(const Node& node, FlowStyle style) {
    const Syntax* own = index_.of(node);
    if (own && (own->flow || own->children.empty()))
      return shifted(use(own->begin, own->end), index_.indent(own->begin), style.indent);
    if (node.is_scalar())
      return scalar_text(node,
                         style.quotes_keys || node.text().find_first_of("\n,[]{}") != std::string_view::npos);
    const Syntax* place = own ? own : index_.place_of(node);
    if (place && !place->flow) place = nullptr;
    if (place) {
      const size_t indent = style.indent;
      const bool is_root = place == &root_;
      style = flow_style_of(*place, style);
      if (!is_root) style.indent = indent;
    }
    std::vector<std::string> items;
    const FlowStyle inner{style.lines, style.indent + style.step, style.step, style.quotes_keys};
    for (const Entry& entry : node.entries()) items.push_back(flow_entry(place, entry, inner));
    for (const Node* item : node.items()) items.push_back(flow_text(*item, inner));
    return in_brackets(items, node.is_map(), place, style);
  }

  std::string flow_entry(const Syntax* place, const Entry& entry, const FlowStyle& style) {
    const WrittenEntry* written = index_.entry(place, entry.key);
    if (written && written->value == entry.value) {
      const size_t begin = written->key_syntax->begin;
      return shifted(use(begin, written->value_syntax->end), index_.indent(begin), style.indent);
    }
    const std::string key = written ? std::string(use(written->key_syntax->begin, written->key_syntax->end))
                                    : key_text(entry.key, style.quotes_keys);
    return fmt::format("{}: {}", key, flow_text(*entry.value, style));
  }

  std::string in_brackets(const std::vector<std::string>& items, bool is_map, const Syntax* place,
                          const FlowStyle& style) const {
    const char* brackets = is_map ? "{}" : "[]";
    if (items.empty()) return brackets;
    const bool padded = place && !style.lines && index_.file().text()[place->begin + 1] == ' ';
    const std::string line =
        fmt::format("{}{}", index_.line_break(), std::string(style.indent + style.step, ' '));
    std::string text(1, brackets[0]);
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) text += ',';
      text += style.lines ? line : i > 0 || padded ? " " : "";
      text += items[i];
    }
    if (style.lines) text += fmt::format("{}{}", index_.line_break(), std::string(style.indent, ' '));
    if (padded) text += ' ';
    return text + brackets[1];
  }

  // Comments, and the text that is kept.

  std::string_view use(size_t begin, size_t end) {
    used_.push_back({begin, end});
    return index_.slice(begin, end);
  }

  // The comments that are not in a kept part, by offset.
  std::map<size_t, Extent> unused_comments() {
    std::map<size_t, Extent> unused;
    std::ranges::sort(used_, {}, &Extent::begin);
    auto next = used_.begin();
    size_t used_to = 0;
    for (const Extent& comment : index_.comments(root_)) {
      for (; next != used_.end() && next->begin <= comment.begin; ++next)
        used_to = std::max(used_to, next->end);
      if (comment.end > used_to) unused.emplace(comment.begin, comment);
    }
    return unused;
  }

  // Whether the line has something other than a comment from there on.
  bool is_about(size_t at) const {
    const std::string_view text = index_.file().text();
    const size_t first = text.find_first_not_of(base::kBlanks, at);
    return first != std::string_view::npos &&
           std::string_view("#\r\n").find(text[first]) == std::string_view::npos;
  }

  // The lines of the entry or item that a comment is about: the one on its line, or the one below it.
  Extent subject_of(const Extent& comment) const {
    const std::string_view text = index_.file().text();
    size_t begin = index_.line_start(comment.begin);
    while (begin < root_.end && !is_about(begin)) begin = index_.line_end(begin) + 1;
    if (begin >= root_.end) return {root_.end, root_.end};
    const size_t indent = index_.indent(begin);
    const bool is_item = text[begin + indent] == '-';
    size_t end = index_.line_end(begin) + 1;
    while (end < root_.end && (!is_about(end) || index_.indent(end) > indent ||
                               (index_.indent(end) == indent && !is_item && text[end + indent] == '-')))
      end = index_.line_end(end) + 1;
    return {begin, end};
  }

  // Gives each of the comments to the first part of its subject that is kept.
  void adopt(const std::map<size_t, Extent>& comments) {
    std::ranges::sort(used_, {}, &Extent::begin);
    for (const auto& [at, comment] : comments) {
      const Extent subject = subject_of(comment);
      auto kept = std::ranges::lower_bound(used_, subject.begin, {}, &Extent::begin);
      while (kept != used_.end() && (kept->begin == kept->end || !is_about(kept->begin))) ++kept;  // a gap
      if (kept != used_.end() && kept->begin < subject.end) adopted_[kept->begin].push_back(comment);
    }
  }

  // The comments that the kept part at `begin` takes along, as lines above it.
  std::string adopted_by(size_t begin, size_t indent) {
    std::string lines;
    const auto found = adopted_.find(begin);
    if (found == adopted_.end()) return lines;
    for (const Extent& comment : found->second) {
      lines += fmt::format("{}{}{}", std::string(indent, ' '), use(comment.begin, comment.end),
                           index_.line_break());
    }
    adopted_.erase(found);
    return lines;
  }

  // `text` with another indentation; its first line is unchanged.
  static std::string shifted(std::string_view text, size_t from, size_t to) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      std::string_view line = text.substr(at, end - at);
      if (at > 0) {
        const size_t spaces = base::indent_of(line);
        const bool is_blank = line.find_first_not_of(" \r\n") == std::string_view::npos;
        if (to > from && !is_blank) out.append(to - from, ' ');
        if (to < from) line.remove_prefix(std::min(spaces, from - to));
      }
      out += line;
      at = end;
    }
    return out;
  }

  // The comments above a child of a block collection; `end` is where the text before it ends.
  std::string gap(size_t end, const Syntax& child, size_t indent) {
    if (child.lead == root_.begin || !index_.begins_line(child.lead)) return "";
    if (!taken_gaps_.insert(child.lead).second) return "";
    const size_t stop = index_.line_start(child.lead);
    const size_t start = std::min(index_.gap_start(end, child.lead), stop);
    const std::string_view lines = use(start, stop);
    const size_t from = index_.column(child.lead);
    if (from == indent || lines.empty()) return std::string(lines);
    const std::string moved = shifted(fmt::format("\n{}", lines), from, indent).substr(1);
    return moved.substr(std::min(moved.find_first_not_of("\r\n"), moved.size()));
  }

  // The end of the text before the child of a collection.
  size_t end_before(const Syntax& collection, size_t child) const {
    if (child > 0) return index_.end_with_comment(collection.children[child - 1].end);
    // Find the line of the collection's own key or dash: the nearest one above that is not a comment.
    size_t at = index_.line_start(collection.children.front().lead);
    while (at > 0) {
      const size_t above = index_.line_start(at - 1);
      const std::string_view line = index_.slice(above, index_.line_end(above));
      const size_t first = line.find_first_not_of(base::kBlanks);
      if (first != std::string_view::npos && line[first] != '#') return index_.line_end(above);
      at = above;
    }
    return index_.line_start(collection.children.front().lead);
  }

  // Takes the comments of the entries that the new map does not have.
  std::vector<PlacedComments> take_removed(const Syntax* place, const Node& map) {
    std::vector<PlacedComments> placed;
    if (!place || unplaced_.empty()) return placed;
    for (const WrittenEntry& entry : index_.entries(*place)) {
      if (!map.get(entry.key)) take_comments(*place, entry.index, placed);
    }
    return placed;
  }

  void take_comments(const Syntax& place, size_t child, std::vector<PlacedComments>& placed) {
    const size_t width = place.is_map() ? 2 : 1;
    const size_t begin = end_before(place, child * width);
    const size_t end = index_.end_with_comment(place.children[(child + 1) * width - 1].end);
    PlacedComments found{child, {}};
    for (auto at = unplaced_.lower_bound(begin); at != unplaced_.end() && at->second.end <= end;) {
      found.comments.push_back(at->second);
      at = unplaced_.erase(at);
    }
    if (!found.comments.empty()) placed.push_back(std::move(found));
  }

  void place_comments(const Syntax* place, std::vector<PlacedComments> placed,
                      const std::vector<size_t>& sources, size_t indent, std::vector<Piece>& pieces) {
    if (!place || pieces.empty()) return;
    const size_t children = place->children.size() / (place->is_map() ? 2 : 1);
    for (size_t i = 0; i < children && !unplaced_.empty(); ++i) take_comments(*place, i, placed);
    for (const PlacedComments& comments : placed) {
      std::string lines;
      for (const Extent& comment : comments.comments) {
        lines += fmt::format("{}{}{}", std::string(indent, ' '), index_.slice(comment.begin, comment.end),
                             index_.line_break());
      }
      const auto after =
          std::ranges::find_if(sources, [&](size_t source) { return source >= comments.child; });
      if (after != sources.end()) {
        Piece& piece = pieces[static_cast<size_t>(after - sources.begin())];
        piece.gap = lines + piece.gap;
      } else {
        const size_t length = lines.size() - index_.line_break().size();
        pieces.back().body += fmt::format("{}{}", index_.line_break(), lines.substr(0, length));
      }
    }
  }

  std::string write(const Node& new_root) {
    taken_gaps_.clear();
    if (root_.flow) return flow_text(new_root, flow_style_of(root_, {}));
    const size_t indent = index_.column(root_.begin);
    return block_lines(new_root, indent).substr(indent);
  }

  bool has_other_breaks(size_t begin, size_t end) const {
    const std::string_view text = index_.slice(begin, end);
    for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
      if (at == 0 || text[at - 1] != '\r') return true;
    }
    return false;
  }

  // Takes the indentation steps of the document's first nested map and list.
  void find_style(const Syntax& syntax) {
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

  std::string joined(const std::vector<Piece>& pieces, size_t indent) const {
    std::string text;
    for (const Piece& piece : pieces) {
      if (!text.empty()) text += index_.line_break();
      text += piece.gap;
      text.append(indent, ' ');
      text += piece.body;
    }
    return text;
  }

  // A collection that is not empty, as the lines of a block.
  std::string block_lines(const Node& node, size_t indent) {
    return joined(node.is_map() ? map_pieces(node, indent) : list_pieces(node, indent), indent);
  }

  const Syntax* block_place(const Node& node) const {
    const Syntax* place = index_.of_or_replaced(node);
    if (!place || place->flow || place->children.empty()) return nullptr;
    if (place->is_map() && !index_.is_plain_map(*place))
      throw Stop{"a merge key or a ? key is in a map that changes", place->begin};
    return place;
  }

  std::vector<Piece> map_pieces(const Node& map, size_t indent) {
    const Syntax* place = block_place(map);
    std::vector<Piece> pieces;
    std::vector<size_t> sources;  // indexes in the old map; for a new one, that of the piece before
    std::vector<PlacedComments> placed = take_removed(place, map);
    for (const Entry& entry : map.entries()) {
      const WrittenEntry* own = own_entry(place, entry);
      const WrittenEntry* moved = moved_entry(*entry.value);
      if (own && own->value == entry.value) moved = own;
      const bool is_named_so = moved && (moved->key == entry.key || (keeps_renamed_ && !own));
      const bool is_moved = is_named_so && !moved->map->flow;
      pieces.push_back(entry_piece(is_moved ? moved : own, entry, indent));
      sources.push_back(own ? own->index : source_after(place, map, sources));
    }
    place_comments(place, std::move(placed), sources, indent, pieces);
    return pieces;
  }

  // The old map's entry with the new entry's key; nullptr for a new key.
  const WrittenEntry* own_entry(const Syntax* place, const Entry& entry) const {
    const WrittenEntry* own = index_.entry(place, entry.key);
    if (!own || !keeps_renamed_ || entry.value->is_scalar() || own->value->is_scalar()) return own;
    // If one document becomes several, another one may have the old collection.
    const bool is_new = own->value != entry.value && !entry.value->origin().file();
    return is_new ? nullptr : own;
  }

  // The entry that has the value, or had the one that it replaces; nullptr for a new value.
  const WrittenEntry* moved_entry(const Node& value) const {
    const WrittenEntry* moved = index_.entry_of(value);
    if (moved || !keeps_renamed_ || value.is_scalar()) return moved;
    const Syntax* place = index_.place_of(value);
    return place ? index_.entry_at(*place) : nullptr;
  }

  // The position at which a new entry counts: that of a removed entry right after the entry before it,
  // otherwise that entry's own.
  size_t source_after(const Syntax* place, const Node& map, const std::vector<size_t>& sources) const {
    const size_t next = sources.empty() ? 0 : sources.back() + 1;
    if (!place) return 0;
    const std::vector<WrittenEntry>& old_entries = index_.entries(*place);
    const bool is_gone = next < old_entries.size() && !map.get(old_entries[next].key);
    return is_gone || sources.empty() ? next : sources.back();
  }

  Piece entry_piece(const WrittenEntry* written, const Entry& entry, size_t indent) {
    if (!written)
      return {"", fmt::format("{}:{}", key_text(entry.key, false), value_text(*entry.value, indent))};
    const Syntax& key = *written->key_syntax;
    const Syntax& value = *written->value_syntax;
    Piece piece;
    piece.gap = adopted_by(key.begin, indent);
    piece.gap += gap(end_before(*written->map, 2 * written->index), key, indent);
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
    if (written->key != entry.key) piece.body.replace(0, key.end - key.begin, key_text(entry.key, false));
    return piece;
  }

  // A list of numbers in brackets, many per line; `indent` is the key's.
  std::string number_lines(const Node& list, size_t indent) const {
    constexpr size_t kWidth = 100;
    std::string text = "[";
    size_t line = indent + kWidth / 4;  // room for the key
    for (const Node* item : list.items()) {
      const std::string number = std::string(item->text()) + (item != list.items().back() ? "," : "]");
      if (line + number.size() + 1 > kWidth) {
        text += fmt::format("{}{}", index_.line_break(), std::string(indent + map_step(), ' '));
        line = indent + map_step();
      } else if (text.size() > 1) {
        text += ' ';
        ++line;
      }
      text += number;
      line += number.size();
    }
    return text;
  }

  // What follows `key:`: " scalar", " {…}", or a line break and a block. `indent` is the key's.
  std::string value_text(const Node& value, size_t indent) {
    if (value.is_scalar() || value.size() == 0) return " " + inline_text(value, indent);
    const Syntax* place = index_.of_or_replaced(value);
    if (place && place->flow && !holds_block(value)) return " " + inline_text(value, indent);
    if (!place && is_long_list_of_numbers(value)) return " " + number_lines(value, indent);
    const size_t inner = indent + (value.is_map() ? map_step() : list_step());
    return std::string(index_.line_break()) + block_lines(value, inner);
  }

  // Whether the node contains a part of the old document that can't be in brackets.
  bool holds_block(const Node& node) const {
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

  // A scalar, or a collection in brackets; `indent` is that of the line.
  std::string inline_text(const Node& value, size_t indent) {
    const Syntax* own = index_.of(value);
    if (own && (own->flow || own->children.empty()))
      return shifted(use(own->begin, own->end), index_.indent(own->begin), indent);
    if (value.is_scalar()) return shifted(scalar_text(value, false), 0, indent);
    if (value.size() == 0) return value.is_map() ? "{}" : "[]";
    return flow_text(value, {.indent = indent});
  }

  std::vector<Piece> list_pieces(const Node& list, size_t indent) {
    const Syntax* place = block_place(list);
    std::vector<Piece> pieces;
    std::vector<size_t> sources;
    for (const Node* item : list.items()) {
      const Syntax* own = index_.of_or_replaced(*item);
      const WrittenItem* written = own ? index_.item_of(*own) : nullptr;
      if (written && written->list->flow) written = nullptr;
      Piece piece;
      if (written) piece.gap = gap(end_before(*written->list, written->index), *own, indent);
      if (written && index_.of(*item)) {
        piece.gap.insert(0, adopted_by(own->lead, indent));
        const std::string_view text = use(own->lead, index_.end_with_comment(own->end));
        piece.body = shifted(text, index_.column(own->lead), indent);
      } else {
        add_item(*item, indent, piece);
      }
      pieces.push_back(std::move(piece));
      const bool is_here = written && written->list == place;
      sources.push_back(is_here ? written->index : sources.empty() ? 0 : sources.back());
    }
    place_comments(place, {}, sources, indent, pieces);
    return pieces;
  }

  // Writes a new item of a block list, after its dash.
  void add_item(const Node& item, size_t indent, Piece& piece) {
    const Syntax* place = index_.of_or_replaced(item);
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

  SourceIndex index_;
  const Syntax& root_;
  std::optional<size_t> map_step_;
  std::optional<size_t> list_step_;
  std::vector<Extent> used_;
  std::map<size_t, std::vector<Extent>> adopted_;  // in the second pass, by the part that takes them along
  std::set<size_t> taken_gaps_;        // a comment above a value that is written twice is written once
  std::map<size_t, Extent> unplaced_;  // in the second pass: those that the first one did not write
  bool keeps_renamed_ = false;         // a value that gets another key takes its comments along
};

// Returns what `run` makes of the document, or why it can't be rewritten.
template <class Run>
std::variant<Replacement, RewriteProblem> rewritten(const base::SourceFile& file, const Document& document,
                                                    Run run) {
  const auto at = [&](size_t offset) {
    base::Location place = location_of(file, {offset, offset});
    ++place.end_column;
    return place;
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

// `as_json`: the document was written in brackets, which may be JSON.
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

bool reads_back_as(std::string text, std::span<const Node* const> roots) {
  const base::SourceFile file("", std::move(text));
  base::Arena arena;
  base::Diagnostics problems;
  std::vector<Document> wanted;
  for (const FoundDocument& found : find_documents(file, problems)) {
    for (const Document& document : read_document(found, arena, problems)) {
      if (wanted.size() == roots.size() || !equal(*document.root, *roots[wanted.size()])) return false;
      wanted.push_back({roots[wanted.size()], document.first_line, document.text});
    }
    arena.clear();
  }
  return !problems.has_errors() && wanted.size() == roots.size() && reads_the_same(file, wanted);
}

}  // namespace trainjobc::yaml
