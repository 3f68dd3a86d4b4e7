// SPDX-License-Identifier: Apache-2.0

#include "features/function/resource_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/ascii.h"
#include "base/text/lines.h"
#include "yaml/read/reader.h"
#include "yaml/read/second_reading.h"
#include "yaml/read/syntax.h"
#include "yaml/write/writer.h"

namespace trainjobc::function {
namespace {

using yaml::Entry;
using yaml::Node;

// The first line of the comments that end above `line`.
uint32_t with_comments_above(const base::SourceFile& file, uint32_t line, uint32_t least) {
  uint32_t first = line;
  while (first > least && base::trimmed(file.line(first - 1), base::kBlanks).starts_with('#')) --first;
  return first;
}

const yaml::Syntax* items_syntax(const ResourceList& list, const yaml::Syntax& root) {
  const size_t key = list.file->line_start(list.root->find("items")->key_origin.line()) +
                     list.root->find("items")->key_origin.column() - 1;
  for (size_t i = 0; i + 1 < root.children.size(); i += 2) {
    if (root.children[i].begin == key) return &root.children[i + 1];
  }
  return nullptr;
}

bool holds_alias(const yaml::Syntax& syntax) {
  return syntax.kind == yaml::Syntax::Kind::Alias || std::ranges::any_of(syntax.children, holds_alias);
}

// The line on which the root's entry after `key` begins; after the document if `key` is the last.
uint32_t line_after(const ResourceList& list, std::string_view key) {
  const auto entries = list.root->entries();
  const auto at = std::ranges::find(entries, key, &Entry::key);
  if (at + 1 != entries.end()) return (at + 1)->key_origin.line();
  for (uint32_t line = at->key_origin.line(); line <= list.file->line_count(); ++line) {
    if (list.file->line(line).starts_with("...") || list.file->line(line).starts_with("---")) return line;
  }
  return list.file->line_count() + 1;
}

// Finds the lines of each item. False if the list is not one of "- " lines.
bool find_lines(ResourceList& list, const yaml::Document& document) {
  const base::SourceFile& file = *list.file;
  const auto root = yaml::read_syntax(file, document);
  const yaml::Syntax* items = root ? items_syntax(list, *root) : nullptr;
  if (!items || !items->is_list() || items->flow || items->children.empty()) return false;
  if (items->children.size() != list.items.size()) return false;
  uint32_t free = list.root->find("items")->key_origin.line() + 1;  // the first line after the previous item
  std::vector<uint32_t> firsts;
  for (size_t i = 0; i < list.items.size(); ++i) {
    const yaml::Syntax& item = items->children[i];
    const uint32_t line = file.line_at(item.lead);
    list.indent = item.lead - file.line_start(line);
    if (line < free || base::trimmed(file.line(line), base::kBlanks).find('-') != 0) return false;
    firsts.push_back(with_comments_above(file, line, free));
    free = file.line_at(item.end > item.lead ? item.end - 1 : item.end) + 1;
    list.items[i].has_alias = holds_alias(item);
  }
  firsts.push_back(with_comments_above(file, std::max(line_after(list, "items"), free), free));
  for (size_t i = 0; i < list.items.size(); ++i) {
    const size_t begin = file.line_start(firsts[i]);
    list.items[i].text = file.text().substr(begin, file.line_start(firsts[i + 1]) - begin);
  }
  list.items_begin = file.line_start(firsts.front());
  list.items_end = file.line_start(firsts.back());
  return true;
}

// A tree as an entry of a block list.
std::string as_entry(const NewItem& item, size_t indent) {
  std::string yaml;
  yaml::write_yaml(*item.root, item.made ? yaml::KeyOrder::Kubernetes : yaml::KeyOrder::AsIs, yaml);
  std::string out;
  for (const std::string_view line : base::Lines(yaml)) {
    if (out.empty()) {
      out += std::string(indent, ' ') + "- ";
    } else if (!line.empty()) {
      out += std::string(indent + 2, ' ');
    }
    out += fmt::format("{}\n", line);
  }
  return out;
}

std::string with_newline(std::string_view text) {
  std::string out(text);
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  return out;
}

// The text after the items, without results.
std::string tail_of(const ResourceList& list) {
  const std::string_view text = list.file->text();
  const Entry* results = list.root->find("results");
  if (!results) return with_newline(text.substr(list.items_end));
  const size_t begin = list.file->line_start(results->key_origin.line());
  const size_t end = list.file->line_start(line_after(list, "results"));
  if (begin < list.items_end) return with_newline(text.substr(list.items_end));
  return with_newline(text.substr(list.items_end, begin - list.items_end)) + with_newline(text.substr(end));
}

// The text before the items, without results.
std::string head_of(const ResourceList& list) {
  const std::string_view text = list.file->text();
  const Entry* results = list.root->find("results");
  const size_t begin = results ? list.file->line_start(results->key_origin.line()) : list.items_begin;
  if (begin >= list.items_begin) return std::string(text.substr(0, list.items_begin));
  const size_t end = list.file->line_start(line_after(list, "results"));
  return std::string(text.substr(0, begin)) + std::string(text.substr(end, list.items_begin - end));
}

std::string results_text(const Node* results) {
  if (!results) return "";
  base::Arena arena;
  std::string out;
  yaml::write_yaml(*yaml::Maker(arena).with(nullptr, "results", results), yaml::KeyOrder::AsIs, out);
  return out;
}

// The whole new list.
const Node* whole(const ResourceList& list, const std::vector<NewItem>& items, const Node* results,
                  const yaml::Maker& make) {
  std::vector<const Node*> roots;
  for (const NewItem& item : items) roots.push_back(item.root);
  return make.with(make.with(list.root, "items", make.list(roots)), "results", results);
}

// The list with the lines of the items that stay. An item may refer to an anchor that is gone.
std::string with_lines(const ResourceList& list, const std::vector<NewItem>& items, const Node* results,
                       bool keeps_aliases) {
  std::string out = head_of(list);
  for (const NewItem& item : items) {
    const bool by_lines = !item.text.empty() && (keeps_aliases || !item.has_alias);
    out += by_lines ? with_newline(item.text) : as_entry(item, list.indent);
  }
  return out + tail_of(list) + results_text(results);
}

// Whether two parsers read that tree from the text.
bool reads_as(const std::string& text, const Node& root) {
  const base::SourceFile file("", text);
  base::Arena arena;
  base::Diagnostics problems;
  const std::vector<yaml::Document> documents = yaml::read(file, arena, problems);
  return !problems.has_errors() && documents.size() == 1 && yaml::equal(*documents.front().root, root) &&
         yaml::reads_the_same(file, documents);
}

}  // namespace

std::unique_ptr<ResourceList> read_resource_list(std::string text, std::string& error) {
  auto list = std::make_unique<ResourceList>();
  list->file = std::make_unique<base::SourceFile>("<stdin>", std::move(text));
  base::Diagnostics diagnostics;
  const auto documents = yaml::read(*list->file, list->arena, diagnostics);
  if (diagnostics.has_errors()) {
    for (const base::Diagnostic& diagnostic : diagnostics.items()) error += base::format_text(diagnostic, {});
    return nullptr;
  }
  const Node* kind = documents.size() == 1 ? documents[0].root->get("kind") : nullptr;
  const Node* version = documents.size() == 1 ? documents[0].root->get("apiVersion") : nullptr;
  const bool known = version && (version->text() == "config.kubernetes.io/v1" ||
                                 version->text() == "config.kubernetes.io/v1beta1");
  if (!kind || kind->text() != "ResourceList" || !known) {
    error = "standard input is not a ResourceList of config.kubernetes.io/v1 or v1beta1";
    return nullptr;
  }
  list->root = documents[0].root;
  const Node* items = list->root->get("items");
  if (items && items->is_list()) {
    for (const Node* item : items->items()) list->items.push_back({item, {}});
    list->block_style = find_lines(*list, documents[0]);
  }
  return list;
}

std::optional<std::string> write_resource_list(const ResourceList& list, const std::vector<NewItem>& items,
                                               const Node* results) {
  base::Arena arena;
  const Node* root = whole(list, items, results, yaml::Maker(arena));
  if (list.block_style && !items.empty()) {
    for (const bool keeps_aliases : {true, false}) {
      std::string out = with_lines(list, items, results, keeps_aliases);
      if (reads_as(out, *root)) return out;
    }
  }
  std::string out;
  yaml::write_yaml(*root, yaml::KeyOrder::AsIs, out);
  if (!reads_as(out, *root)) return std::nullopt;
  return out;
}

}  // namespace trainjobc::function
