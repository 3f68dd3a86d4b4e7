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
  const yaml::Node* root = nullptr;
  // Its lines in the input, with the comments above it, which are written again if the list then reads back
  // correctly; "" if it has none: it is new, or the list is not in block style.
  std::string_view text = {};
  bool has_alias = false;  // whether the lines contain an alias
  bool made = false;       // created by this function; its keys are written in the usual order
};

// A ResourceList of the KRM function specification, as text and tree: what the function does not change keeps
// its bytes, including comments.
struct ResourceList {
  std::unique_ptr<base::SourceFile> file;
  base::Arena arena;
  const yaml::Node* root = nullptr;
  std::vector<Item> items;
  bool block_style = false;  // false: JSON, or a list in brackets, which is rewritten as a whole
  size_t indent = 0;         // the indentation of the list's dashes
  size_t items_begin = 0;    // byte offsets of the items' lines in the file
  size_t items_end = 0;
};

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

// Finds the lines of each item. False if the items don't begin with "- " on their own lines.
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
  std::string out = without_results(list, 0, list.items_begin);
  for (const Item& item : items) {
    const bool by_lines = !item.text.empty() && (keeps_aliases || !item.has_alias);
    out += by_lines ? with_newline(item.text) : as_entry(item, list.indent);
  }
  return out + without_results(list, list.items_end, list.file->text().size()) + results_text(results);
}

// Returns nullptr if `text` is not a ResourceList, and says why in `error`.
std::unique_ptr<ResourceList> read_resource_list(std::string text, std::string& error) {
  auto list = std::make_unique<ResourceList>();
  list->file = std::make_unique<base::SourceFile>("<stdin>", std::move(text));
  base::Diagnostics diagnostics;
  const auto documents = yaml::read(*list->file, list->arena, diagnostics);
  if (diagnostics.has_errors()) {
    secret::hide_secrets(diagnostics);
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
    for (const Node* item : items->items()) list->items.push_back({item});
    list->block_style = find_lines(*list, documents[0]);
  }
  return list;
}

// The list with these items, and with `results` in place of its own; nullptr for none. nullopt if two parsers
// find different values in the new text.
std::optional<std::string> write_resource_list(const ResourceList& list, const std::vector<Item>& items,
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
const Node* item_of(const base::Diagnostic& diagnostic, const ResourceList& list) {
  constexpr std::string_view kItems = "items[";
  if (!diagnostic.location.file || !diagnostic.location.file->name().starts_with(kItems)) return nullptr;
  const std::string_view digits = std::string_view(diagnostic.location.file->name()).substr(kItems.size());
  size_t index = list.items.size();
  std::from_chars(digits.data(), digits.data() + digits.size(), index);
  return index < list.items.size() ? list.items[index].root : nullptr;
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
    const Node* item = item_of(diagnostic, list);
    const bool has_field = !diagnostic.field.empty();
    all.push_back(
        make.map({{"message", make.copied(message_of(diagnostic))},
                  {"severity", make.copied(to_string(severity))},
                  {"resourceRef", item ? reference(*item, make) : nullptr},
                  {"file", item ? file_of(*item, make) : nullptr},
                  {"field", has_field ? make.map({{"path", make.copied(diagnostic.field)}}) : nullptr}}));
    outcome.rejected = outcome.rejected || refused;
    if (refused) outcome.errors += fmt::format("error: {}: {}\n", diagnostic.object, message_of(diagnostic));
  }
  return all.empty() ? nullptr : make.list(all);
}

constexpr std::string_view kLocalConfig = "config.kubernetes.io/local-config";

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
    if (!is_compiled(*list.items[i].root)) continue;
    Source source;
    source.name = fmt::format("items[{}]", i);
    yaml::write_yaml(*list.items[i].root, yaml::KeyOrder::AsIs, source.text);
    sources.push_back(std::move(source));
  }
  return sources;
}

// Keeps the values of what is rendered: the trees in which they are made take five times the memory.
class RenderedValues {
 public:
  ObjectSink& sink() { return jobs_.sinks()(0); }

  // In the order of the compilation. Can be called only once.
  std::vector<const Node*> take(const Compilation& compiled) {
    std::vector<const Node*> roots;
    for (const Object& object : compiled.objects) roots.push_back(object.root);
    for (const std::vector<const Node*>& job : jobs_.take(compiled)) base::append(roots, job);
    return roots;
  }

 private:
  std::vector<const Node*> copy(std::span<const Object> objects) {
    const std::lock_guard lock(mutex_);
    std::vector<const Node*> roots;
    for (const Object& object : objects)
      roots.push_back(objects::value_copy(object.root, yaml::Maker(arena_)));
    return roots;
  }

  std::mutex mutex_;
  base::Arena arena_;
  KeptJobs<std::vector<const Node*>> jobs_{[this](std::span<const Object> objects) { return copy(objects); }};
};

// Replaces the inputs by the rendered objects, which come last.
std::vector<Item> new_items(const ResourceList& list, const std::vector<const Node*>& rendered,
                            bool keep_inputs, const yaml::Maker& make) {
  std::set<std::string> made;
  for (const Node* root : rendered) made.insert(identity(*root));
  std::vector<Item> items;
  for (const Item& item : list.items) {
    if (is_input(*item.root)) {
      if (!keep_inputs) continue;
      const bool is_marked = text_at(*item.root, {"metadata", "annotations", kLocalConfig}) == "true";
      items.push_back(is_marked ? item
                                : Item{make.with_path(item.root, {"metadata", "annotations", kLocalConfig},
                                                      make.string("true"))});
    } else if (!made.contains(identity(*item.root))) {
      items.push_back(item);
    }
  }
  for (const Node* root : rendered) items.push_back({.root = root, .made = true});
  return items;
}

void set_list(std::optional<std::string> text, Outcome& outcome) {
  if (text) {
    outcome.list = std::move(*text);
  } else {
    outcome.rejected = true;
    outcome.errors +=
        "error: nothing was written: two YAML parsers find different values in the new ResourceList\n";
  }
}

}  // namespace

Outcome run(std::string resource_list, const ReadKey& read_key) {
  Outcome outcome;
  const auto list = read_resource_list(std::move(resource_list), outcome.errors);
  if (!list) return outcome;
  base::Arena arena;
  const yaml::Maker make(arena);
  Settings settings;
  std::string wrong = read_settings(list->root->get("functionConfig"), settings);
  if (wrong.empty()) wrong = read_key(settings.ssh_key, settings.compile.policy.ssh_key);
  if (!wrong.empty()) {
    outcome.rejected = true;
    outcome.errors = fmt::format("error: {}\n", wrong);
    set_list(write_resource_list(*list, list->items, one_result(wrong, make)), outcome);
    return outcome;
  }
  settings.compile.trials = TrialOutput::None;  // the controller creates them
  RenderedValues values;
  const Compilation compiled = compile_into_sink(sources_of(*list), {}, settings.compile, &values.sink());
  const std::vector<const Node*> rendered = values.take(compiled);
  const Node* results = results_of(compiled.diagnostics, *list, make, outcome);
  set_list(write_resource_list(
               *list, outcome.rejected ? list->items : new_items(*list, rendered, settings.keep_inputs, make),
               results),
           outcome);
  return outcome;
}

}  // namespace trainjobc::function
