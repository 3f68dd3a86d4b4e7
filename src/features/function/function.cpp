// SPDX-License-Identifier: Apache-2.0

#include "features/function/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "base/text/text.h"
#include "compile/kept_jobs.h"
#include "features/objects/differences.h"
#include "model/behaviours.h"
#include "model/trainer_names.h"
#include "secret/secret.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"
#include "yaml/read/syntax.h"
#include "yaml/rewrite/rewrite.h"
#include "yaml/write/writer.h"

namespace trainjobc::function {
namespace {

using yaml::Entry;
using yaml::Node;

// An item of the list, from the input or new.
struct Item {
  const yaml::Node* root = nullptr;   // nullptr: see root_of
  yaml::FoundDocument document = {};  // if it has no root: its lines, a list with no other item
  // Its lines in the input, with the comments above it, which are written again if the list then reads back
  // correctly; "" if it has none: it is new, or the list is not in block style.
  std::string_view text = {};
  bool has_alias = false;  // whether the lines contain an alias
  bool made = false;       // created by this function; its keys are written in the usual order
};

// A ResourceList of the KRM function specification, as text and tree: what the function does not change keeps
// its bytes, including comments.
struct ResourceList {
  explicit ResourceList(const base::SourceFile& text) : file(&text) {}

  const base::SourceFile* file;
  std::unique_ptr<base::SourceFile> rest;  // the text without the items, if these are read one by one
  base::Arena arena;
  const yaml::Node* root = nullptr;  // without the items, if these are read one by one
  std::vector<Item> items;
  bool block_style = false;  // false: JSON, or a list in brackets, which is rewritten as a whole
  size_t indent = 0;         // the indentation of the list's dashes
  size_t items_begin = 0;    // byte offsets of the items' lines in the file
  size_t items_end = 0;

  bool is_read_by_item() const { return rest != nullptr; }
};

// The item's root, which is read into `arena` if it is not kept.
const Node& root_of(const Item& item, base::Arena& arena) {
  if (item.root) return *item.root;
  base::Diagnostics ignored;
  return *yaml::read_document(item.document, arena, ignored).front().root->items().front();
}

// The first line of the comments directly above `line`, or `line`.
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

// The line on which the root's entry after `key` begins; the line after the document if `key` is the last.
uint32_t line_after(const ResourceList& list, std::string_view key) {
  const auto entries = list.root->entries();
  const auto at = std::ranges::find(entries, key, &Entry::key);
  if (at + 1 != entries.end()) return (at + 1)->key_origin.line();
  for (uint32_t line = at->key_origin.line(); line <= list.file->line_count(); ++line) {
    if (list.file->line(line).starts_with("...") || list.file->line(line).starts_with("---")) return line;
  }
  return list.file->line_count() + 1;
}

// Finds the lines of the list's items, in their order.
class LineFinder {
 public:
  explicit LineFinder(ResourceList& list)
      : list_(list), file_(*list.file), free_(list.root->find("items")->key_origin.line() + 1) {}

  // False if the item doesn't begin with "- " on its own lines.
  bool add(Item& item, const yaml::Syntax& syntax) {
    const uint32_t line = file_.line_at(syntax.lead);
    list_.indent = syntax.lead - file_.line_start(line);
    if (line < free_ || base::trimmed(file_.line(line), base::kBlanks).find('-') != 0) return false;
    firsts_.push_back(with_comments_above(file_, line, free_));
    free_ = file_.line_at(syntax.end > syntax.lead ? syntax.end - 1 : syntax.end) + 1;
    item.has_alias = holds_alias(syntax);
    return true;
  }

  void finish() {
    firsts_.push_back(with_comments_above(file_, std::max(line_after(list_, "items"), free_), free_));
    for (size_t i = 0; i < list_.items.size(); ++i) {
      const size_t begin = file_.line_start(firsts_[i]);
      list_.items[i].text = file_.text().substr(begin, file_.line_start(firsts_[i + 1]) - begin);
    }
    list_.items_begin = file_.line_start(firsts_.front());
    list_.items_end = file_.line_start(firsts_.back());
    list_.block_style = true;
  }

 private:
  ResourceList& list_;
  const base::SourceFile& file_;
  uint32_t free_;  // the first line after the previous item
  std::vector<uint32_t> firsts_;
};

// Finds the lines of each item, unless the list is not in block style.
void find_lines(ResourceList& list, const yaml::Document& document) {
  const auto root = yaml::read_syntax(*list.file, document);
  const yaml::Syntax* items = root ? items_syntax(list, *root) : nullptr;
  if (!items || !items->is_list() || items->flow || items->children.empty()) return;
  if (items->children.size() != list.items.size()) return;
  LineFinder finder(list);
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (!finder.add(list.items[i], items->children[i])) return;
  }
  finder.finish();
}

// A tree as an entry of a block list.
std::string as_entry(const Item& item, size_t indent) {
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

// The text before or after the items, without the list's old results.
std::string without_results(const ResourceList& list, size_t from, size_t to) {
  const std::string_view text = list.file->text();
  const Entry* results = list.root->find("results");
  const size_t begin = results ? list.file->line_start(results->key_origin.line()) : to;
  if (begin < from || begin >= to) return with_newline(text.substr(from, to - from));
  const size_t end = list.file->line_start(line_after(list, "results"));
  return with_newline(text.substr(from, begin - from)) + with_newline(text.substr(end, to - end));
}

std::string results_text(const Node* results) {
  if (!results) return "";
  base::Arena arena;
  std::string out;
  yaml::write_yaml(*yaml::Maker(arena).with(nullptr, "results", results), yaml::KeyOrder::AsIs, out);
  return out;
}

// The list's text with `items`, which are whole lines.
std::string text_around(const ResourceList& list, std::string_view items, const Node* results) {
  return fmt::format("{}{}{}{}", without_results(list, 0, list.items_begin), items,
                     without_results(list, list.items_end, list.file->text().size()), results_text(results));
}

// The whole new list.
const Node* whole(const ResourceList& list, const std::vector<Item>& items, const Node* results,
                  const yaml::Maker& make) {
  std::vector<const Node*> roots;
  for (const Item& item : items) roots.push_back(item.root);
  return make.with(make.with(list.root, "items", make.list(roots)), "results", results);
}

// The list with the lines of the items that stay. Such an item may refer to an anchor that is gone.
std::string with_lines(const ResourceList& list, const std::vector<Item>& items, const Node* results,
                       bool keeps_aliases) {
  std::string lines;
  for (const Item& item : items) {
    const bool by_lines = !item.text.empty() && (keeps_aliases || !item.has_alias);
    lines += by_lines ? with_newline(item.text) : as_entry(item, list.indent);
  }
  return text_around(list, lines, results);
}

bool is_resource_list(std::span<const yaml::Document> documents) {
  if (documents.size() != 1) return false;
  const Node* kind = documents.front().root->get("kind");
  const std::string_view version = text_at(*documents.front().root, {"apiVersion"});
  return kind && kind->text() == "ResourceList" &&
         (version == "config.kubernetes.io/v1" || version == "config.kubernetes.io/v1beta1");
}

// Reads the list as a whole. Returns nullptr if `file` is not a ResourceList, and says why in `error`.
std::unique_ptr<ResourceList> read_whole(const base::SourceFile& file, std::string& error) {
  auto list = std::make_unique<ResourceList>(file);
  base::Diagnostics diagnostics;
  const auto documents = yaml::read(file, list->arena, diagnostics);
  if (diagnostics.has_errors()) {
    secret::hide_secrets(diagnostics);
    for (const base::Diagnostic& diagnostic : diagnostics.items()) error += base::format_text(diagnostic, {});
    return nullptr;
  }
  if (!is_resource_list(documents)) {
    error = "standard input is not a ResourceList of config.kubernetes.io/v1 or v1beta1";
    return nullptr;
  }
  list->root = documents[0].root;
  const Node* items = list->root->get("items");
  if (items && items->is_list()) {
    for (const Node* item : items->items()) list->items.push_back({item});
    find_lines(*list, documents[0]);
  }
  return list;
}

// Reads a list item by item, so that memory holds the tree of one item at a time. This is possible if each
// item is a list of its own: if it is in block style, and has no alias of another item's anchor.
class ItemReader {
 public:
  explicit ItemReader(const base::SourceFile& file)
      : file_(file), list_(std::make_unique<ResourceList>(file)) {}

  // nullptr if the list must be read as a whole.
  std::unique_ptr<ResourceList> read() {
    base::Diagnostics problems;
    yaml::find_documents(file_, problems);
    if (problems.has_errors() || !find_dashes() || !read_rest()) return nullptr;
    LineFinder finder(*list_);
    for (size_t i = 0; i + 1 < dashes_.size(); ++i) {
      if (!read_item(dashes_[i], dashes_[i + 1], finder)) return nullptr;
    }
    finder.finish();
    return std::move(list_);
  }

 private:
  // Finds the lines that begin items, and the one after the last item. A line of a text that looks like one
  // of them does no harm: an item that ends there can't be read.
  bool find_dashes() {
    uint32_t line = 1;
    while (line <= file_.line_count() && base::trimmed(file_.line(line), base::kBlanks) != "items:") ++line;
    key_ = line++;
    size_t indent = std::string_view::npos;
    for (; line <= file_.line_count(); ++line) {
      const std::string_view text = file_.line(line);
      const size_t at = text.find_first_not_of(' ');
      if (at == std::string_view::npos || text[at] == '#') continue;
      indent = std::min(indent, at);
      const bool is_dash = text[at] == '-' && (at + 1 == text.size() || text[at + 1] == ' ');
      if (at < indent || (at == indent && !is_dash)) break;
      if (at == indent) dashes_.push_back(line);
    }
    dashes_.push_back(line);
    return dashes_.size() > 1;
  }

  // Reads what is around the items, on its own lines.
  bool read_rest() {
    const size_t begin = file_.line_start(dashes_.front());
    const size_t end = file_.line_start(dashes_.back());
    list_->rest = std::make_unique<base::SourceFile>(
        file_.name(), fmt::format("{}{:\n<{}}{}", file_.text().substr(0, begin), "",
                                  dashes_.back() - dashes_.front(), file_.text().substr(end)));
    base::Diagnostics problems;
    const auto documents = yaml::read(*list_->rest, list_->arena, problems);
    if (problems.has_errors() || !is_resource_list(documents)) return false;
    list_->root = documents.front().root;
    const Entry* items = list_->root->find("items");
    return items && items->value->is_null() && items->key_origin.line() == key_;
  }

  bool read_item(uint32_t line, uint32_t end, LineFinder& finder) {
    const size_t begin = file_.line_start(line);
    Item& item = list_->items.emplace_back();
    item.document = {&file_, file_.text().substr(begin, file_.line_start(end) - begin), line};
    base::Arena arena;
    base::Diagnostics problems;
    const auto documents = yaml::read_document(item.document, arena, problems);
    if (problems.has_errors() || documents.size() != 1 || documents.front().root->size() != 1 ||
        !documents.front().root->is_list()) {
      return false;
    }
    const auto syntax = yaml::read_syntax(file_, documents.front());
    return syntax && syntax->is_list() && !syntax->flow && finder.add(item, syntax->children.front());
  }

  const base::SourceFile& file_;
  std::unique_ptr<ResourceList> list_;
  uint32_t key_ = 0;  // the line of "items:"
  std::vector<uint32_t> dashes_;
};

// The list with these items, and with `results` in place of its own; nullptr for none. nullopt if two parsers
// find different values in the new text.
std::optional<std::string> write_whole(const ResourceList& list, const std::vector<Item>& items,
                                       const Node* results) {
  base::Arena arena;
  const Node* root = whole(list, items, results, yaml::Maker(arena));
  if (list.block_style && !items.empty()) {
    for (const bool keeps_aliases : {true, false}) {
      std::string out = with_lines(list, items, results, keeps_aliases);
      if (yaml::reads_back_as(out, {&root, 1})) return out;
    }
  }
  std::string out;
  yaml::write_yaml(*root, yaml::KeyOrder::AsIs, out);
  if (!yaml::reads_back_as(out, {&root, 1})) return std::nullopt;
  return out;
}

// The item that a diagnostic is about; nullptr if it is about a runtime of the catalogue.
const Item* item_of(const base::Diagnostic& diagnostic, const ResourceList& list) {
  constexpr std::string_view kItems = "items[";
  if (!diagnostic.location.file || !diagnostic.location.file->name().starts_with(kItems)) return nullptr;
  const std::string_view digits = std::string_view(diagnostic.location.file->name()).substr(kItems.size());
  size_t index = list.items.size();
  std::from_chars(digits.data(), digits.data() + digits.size(), index);
  return index < list.items.size() ? &list.items[index] : nullptr;
}

const Node* annotation(const Node& item, std::string_view name) {
  for (const std::string_view prefix : {"internal.config.kubernetes.io/", "config.kubernetes.io/"}) {
    const Node* value = item.at({"metadata", "annotations", fmt::format("{}{}", prefix, name)});
    if (value) return value;
  }
  return nullptr;
}

const Node* file_of(const Node& item, const yaml::Maker& make) {
  const Node* path = annotation(item, "path");
  if (!path) return nullptr;
  const Node* file = make.with(nullptr, "path", path);
  const Node* index = annotation(item, "index");
  int64_t number = 0;
  if (!index ||
      std::from_chars(index->text().data(), index->text().data() + index->text().size(), number).ec !=
          std::errc()) {
    return file;
  }
  return make.with(file, "index", make.integer(number));
}

const Node* reference(const Node& item, const yaml::Maker& make) {
  return make.map({{"apiVersion", item.get("apiVersion")},
                   {"kind", item.get("kind")},
                   {"namespace", item.at({"metadata", "namespace"})},
                   {"name", item.at({"metadata", "name"})}});
}

std::string message_of(const base::Diagnostic& diagnostic) {
  const std::string hint = diagnostic.hint.empty() ? "" : fmt::format(" ({})", diagnostic.hint);
  return fmt::format("{}{} [{}]", diagnostic.message, hint, diagnostic.rule);
}

// The results for an error of the function itself.
const Node* one_result(const std::string& message, const yaml::Maker& make) {
  return make.list({make.map({{"message", make.copied(message)}, {"severity", make.string("error")}})});
}

// A result for each finding: its message, severity, object, field, and the file from the object's
// annotations. Errors of the Jobs become warnings, as in render. nullptr if there are none. Sets `outcome` if
// there are refusals.
const Node* results_of(const base::Diagnostics& diagnostics, const ResourceList& list,
                       const yaml::Maker& make, Outcome& outcome) {
  std::vector<const Node*> all;
  for (const base::Diagnostic& diagnostic : diagnostics.items()) {
    const bool refused = base::is_refusal(diagnostic);
    const bool lesser = diagnostic.severity == base::Severity::Error && !refused;
    const base::Severity severity = lesser ? base::Severity::Warning : diagnostic.severity;
    base::Arena arena;
    const Item* found = item_of(diagnostic, list);
    const Node* item = found ? &root_of(*found, arena) : nullptr;
    const bool has_field = !diagnostic.field.empty();
    all.push_back(
        make.map({{"message", make.copied(message_of(diagnostic))},
                  {"severity", make.copied(to_string(severity))},
                  {"resourceRef", objects::value_copy(item ? reference(*item, make) : nullptr, make)},
                  {"file", objects::value_copy(item ? file_of(*item, make) : nullptr, make)},
                  {"field", has_field ? make.map({{"path", make.copied(diagnostic.field)}}) : nullptr}}));
    outcome.rejected = outcome.rejected || refused;
    if (refused) outcome.errors += fmt::format("error: {}: {}\n", diagnostic.object, message_of(diagnostic));
  }
  return all.empty() ? nullptr : make.list(all);
}

// Whether the object is compiled: all of Trainer's group are, since unknown kinds are findings.
bool is_compiled(const Node& root) {
  const std::string_view version = text_at(root, {"apiVersion"});
  return version.substr(0, version.find('/')) == model::kTrainerGroup;
}

bool is_input(const Node& root) {
  const std::string_view kind = text_at(root, {"kind"});
  return is_compiled(root) && (kind == model::kTrainJob || model::is_runtime_kind(kind));
}

// API group, kind, namespace and name: the identity of an object.
std::string identity(const Node& root) {
  const std::string_view version = text_at(root, {"apiVersion"});
  const size_t slash = version.find('/');
  return fmt::format("{} {} {} {}", slash == std::string_view::npos ? "" : version.substr(0, slash),
                     text_at(root, {"kind"}), text_at(root, {"metadata", "namespace"}),
                     text_at(root, {"metadata", "name"}));
}

// Reads the settings of functionConfig; returns a message if it contains anything else.
std::string read_settings(const Node* config, Settings& settings) {
  const Node* data = config ? config->get("data") : nullptr;
  if (config && !data) data = config->get("spec");
  if (!data) return "";
  for (const yaml::Entry& entry : data->entries()) {
    const std::string value(entry.value->text());
    if (entry.key == "trainerVersion") {
      const auto version = model::read_trainer_version(value);
      if (!version) return fmt::format("there is no Trainer version \"{}\" here", value);
      settings.compile.trainer_version = *version;
    } else if (entry.key == "namespace") {
      settings.compile.ns = value;
    } else if (entry.key == "nameSuffix") {
      settings.compile.name_suffix = value;
    } else if (entry.key == "catalogue") {
      settings.compile.use_catalogue = value != "false";
    } else if (entry.key == "keepInputs") {
      settings.keep_inputs = value == "true";
    } else if (entry.key == "sshKey") {
      settings.ssh_key = value;
    } else {
      return fmt::format(
          "functionConfig has an unknown setting \"{}\"; known settings are trainerVersion, namespace, "
          "nameSuffix, catalogue, keepInputs and sshKey",
          entry.key);
    }
  }
  return "";
}

// Makes each item a source of its own, named after its position in the list.
std::vector<Source> sources_of(const ResourceList& list) {
  std::vector<Source> sources;
  for (size_t i = 0; i < list.items.size(); ++i) {
    base::Arena arena;
    const Node& root = root_of(list.items[i], arena);
    if (!is_compiled(root)) continue;
    Source source;
    source.name = fmt::format("items[{}]", i);
    yaml::write_yaml(root, yaml::KeyOrder::AsIs, source.text);
    sources.push_back(std::move(source));
  }
  return sources;
}

// What becomes of an item of the input if the inputs are replaced by what is rendered: the item itself,
// another one made by `make`, or nothing. `made` are the identities of what is rendered.
std::optional<Item> kept_item(const Item& item, const Node& root, const std::set<std::string>& made,
                              bool keep_inputs, const yaml::Maker& make) {
  if (!is_input(root)) return made.contains(identity(root)) ? std::nullopt : std::optional(item);
  if (!keep_inputs) return std::nullopt;
  constexpr std::string_view kLocalConfig = "config.kubernetes.io/local-config";
  if (text_at(root, {"metadata", "annotations", kLocalConfig}) == "true") return item;
  return Item{make.with_path(&root, {"metadata", "annotations", kLocalConfig}, make.string("true"))};
}

// The new text of the list, in parts; empty if two parsers find different values in it.
using Parts = std::vector<std::string>;

// Writes a list that was read as a whole.
class WholeList {
 public:
  explicit WholeList(const ResourceList& list) : list_(list) {}

  ObjectSink& sink() { return jobs_.sinks()(0); }

  Parts unchanged(const Node* results) const { return written(list_.items, results); }

  // The rendered objects come last. Can be called only once.
  Parts changed(const Compilation& compiled, bool keep_inputs, const Node* results) {
    std::vector<const Node*> rendered;
    for (const Object& object : compiled.objects) rendered.push_back(object.root);
    for (const std::vector<const Node*>& job : jobs_.take(compiled)) base::append(rendered, job);
    std::set<std::string> made;
    for (const Node* root : rendered) made.insert(identity(*root));
    std::vector<Item> items;
    for (const Item& item : list_.items) {
      if (auto kept = kept_item(item, *item.root, made, keep_inputs, yaml::Maker(arena_)))
        items.push_back(*kept);
    }
    for (const Node* root : rendered) items.push_back({.root = root, .made = true});
    return written(items, results);
  }

 private:
  Parts written(const std::vector<Item>& items, const Node* results) const {
    auto text = write_whole(list_, items, results);
    return text ? Parts{std::move(*text)} : Parts();
  }

  // Keeps the values: the trees in which they are made take five times the memory.
  std::vector<const Node*> copy(std::span<const Object> objects) {
    const std::lock_guard lock(mutex_);
    std::vector<const Node*> roots;
    for (const Object& object : objects)
      roots.push_back(objects::value_copy(object.root, yaml::Maker(arena_)));
    return roots;
  }

  const ResourceList& list_;
  std::mutex mutex_;
  base::Arena arena_;
  KeptJobs<std::vector<const Node*>> jobs_{[this](std::span<const Object> objects) { return copy(objects); }};
};

// Whether two parsers find the item, and nothing else, in its lines.
bool reads_back(const std::string& lines, const Node& item) {
  base::Arena arena;
  const Node* list = yaml::Maker(arena).list({&item});
  return yaml::reads_back_as(lines, {&list, 1});
}

// Writes a list that was read item by item. It reads back as it should if each item does, and what is around
// them: each is complete in its lines.
class ListByItem {
 public:
  explicit ListByItem(const ResourceList& list) : list_(list) {}

  ObjectSink& sink() { return jobs_.sinks()(0); }

  Parts unchanged(const Node* results) {
    for (const Item& item : list_.items) {
      base::Arena arena;
      add(item, root_of(item, arena));
    }
    return finished(results);
  }

  // The rendered objects come last. Can be called only once.
  Parts changed(const Compilation& compiled, bool keep_inputs, const Node* results) {
    std::vector<Entries> rendered = jobs_.take(compiled);
    rendered.insert(rendered.begin(), entries_of(compiled.objects));
    std::set<std::string> made;
    for (const Entries& entries : rendered) made.insert(entries.made.begin(), entries.made.end());
    for (const Item& item : list_.items) {
      base::Arena arena;
      const Node& root = root_of(item, arena);
      if (auto kept = kept_item(item, root, made, keep_inputs, yaml::Maker(arena)))
        add(*kept, kept->root ? *kept->root : root);
    }
    for (Entries& entries : rendered) {
      reads_back_ = reads_back_ && entries.reads_back;
      if (!entries.text.empty()) parts_.push_back(std::move(entries.text));
    }
    return finished(results);
  }

 private:
  // Rendered objects as entries of the list.
  struct Entries {
    std::string text;
    std::vector<std::string> made;  // their identities
    bool reads_back = true;
  };

  Entries entries_of(std::span<const Object> objects) const {
    Entries entries;
    for (const Object& object : objects) {
      const std::string text = as_entry({.root = object.root, .made = true}, list_.indent);
      entries.reads_back = entries.reads_back && reads_back(text, *object.root);
      entries.text += text;
      entries.made.push_back(identity(*object.root));
    }
    return entries;
  }

  void add(const Item& item, const Node& root) {
    parts_.push_back(item.text.empty() ? as_entry(item, list_.indent) : with_newline(item.text));
    reads_back_ = reads_back_ && reads_back(parts_.back(), root);
  }

  Parts finished(const Node* results) {
    base::Arena arena;
    const yaml::Maker make(arena);
    const Node* rest = make.with(make.with(list_.root, "items", make.null()), "results", results);
    const bool is_empty = parts_.empty();
    if (is_empty || !reads_back_ || !yaml::reads_back_as(text_around(list_, "", results), {&rest, 1}))
      return {};
    parts_.insert(parts_.begin(), without_results(list_, 0, list_.items_begin));
    parts_.push_back(without_results(list_, list_.items_end, list_.file->text().size()) +
                     results_text(results));
    return std::move(parts_);
  }

  const ResourceList& list_;
  KeptJobs<Entries> jobs_{[this](std::span<const Object> objects) { return entries_of(objects); }};
  Parts parts_;
  bool reads_back_ = true;
};

// Compiles the items, and replaces the inputs by what is rendered. The outcome has no list if two parsers
// find different values in it.
template <class List>
Outcome run_on(const ResourceList& list, const ReadKey& read_key) {
  Outcome outcome;
  List written(list);
  base::Arena arena;
  const yaml::Maker make(arena);
  Settings settings;
  std::string wrong = read_settings(list.root->get("functionConfig"), settings);
  if (wrong.empty()) wrong = read_key(settings.ssh_key, settings.compile.policy.ssh_key);
  if (!wrong.empty()) {
    outcome.rejected = true;
    outcome.errors = fmt::format("error: {}\n", wrong);
    outcome.list = written.unchanged(one_result(wrong, make));
    return outcome;
  }
  settings.compile.trials = TrialOutput::None;  // the controller creates them
  const Compilation compiled = compile_into_sink(sources_of(list), {}, settings.compile, &written.sink());
  const Node* results = results_of(compiled.diagnostics, list, make, outcome);
  outcome.list = outcome.rejected ? written.unchanged(results)
                                  : written.changed(compiled, settings.keep_inputs, results);
  return outcome;
}

}  // namespace

Outcome run(std::string resource_list, const ReadKey& read_key) {
  const base::SourceFile file("<stdin>", std::move(resource_list));
  if (const auto list = ItemReader(file).read()) {
    Outcome outcome = run_on<ListByItem>(*list, read_key);
    if (!outcome.list.empty()) return outcome;
  }
  Outcome outcome;
  const auto list = read_whole(file, outcome.errors);
  if (!list) return outcome;
  outcome = run_on<WholeList>(*list, read_key);
  if (!outcome.list.empty()) return outcome;
  outcome.rejected = true;
  outcome.errors +=
      "error: nothing was written: two YAML parsers find different values in the new ResourceList\n";
  return outcome;
}

}  // namespace trainjobc::function
