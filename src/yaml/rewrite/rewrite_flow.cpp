// SPDX-License-Identifier: Apache-2.0

// Collections in brackets.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "yaml/rewrite/rewriter.h"

namespace trainjobc::yaml {

FlowStyle Rewriter::flow_style_of(const Syntax& place, FlowStyle outer) const {
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

std::string Rewriter::flow_text(const Node& node, FlowStyle style) {
  const Syntax* own = index_.of(node);
  if (own && (own->flow || own->children.empty()))
    return shifted(use(own->begin, own->end), index_.indent(own->begin), style.indent);
  if (node.is_scalar()) return scalar_text(node, style.quotes_keys);
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

std::string Rewriter::flow_entry(const Syntax* place, const Entry& entry, const FlowStyle& style) {
  const WrittenEntry* written = index_.entry(place, entry.key);
  if (written && written->value == entry.value) {
    const size_t begin = written->key_syntax->begin;
    return shifted(use(begin, written->value_syntax->end), index_.indent(begin), style.indent);
  }
  const std::string key = written ? std::string(use(written->key_syntax->begin, written->key_syntax->end))
                                  : key_text(entry.key, style.quotes_keys);
  return fmt::format("{}: {}", key, flow_text(*entry.value, style));
}

std::string Rewriter::in_brackets(const std::vector<std::string>& items, bool is_map, const Syntax* place,
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

}  // namespace trainjobc::yaml
