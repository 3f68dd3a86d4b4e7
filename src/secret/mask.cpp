// SPDX-License-Identifier: Apache-2.0

// Marks secrets, and hides them in trees, texts and reports.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/text/text.h"
#include "secret/commands.h"
#include "secret/parts.h"
#include "yaml/changes.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"

namespace trainjobc::secret {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

constexpr std::string_view kAuthorization = "AUTHORIZATION";

NameKind kind_of(std::string_view name) {
  const bool is_header = name.size() == kAuthorization.size() && base::upper_case(name) == kAuthorization;
  return is_header ? NameKind::Strong : kind_of_name(name);
}

// Whether the value under this name is a secret.
bool names_secret(std::string_view name, const Node& value) {
  const NameKind kind = kind_of(name);
  return kind == NameKind::Strong ||
         (kind == NameKind::Weak && value.is_scalar() && looks_like_key(value.text()));
}

// secretName, secretKeyRef and the like only refer to a secret; serviceAccountToken and the like are fields
// with settings.
bool is_field(std::string_view key) {
  return key.find_first_of("_-") == std::string_view::npos && std::ranges::any_of(key, base::is_lower);
}

bool key_names_secret(std::string_view key, const Node& value) {
  if (!names_secret(key, value)) return false;
  return !is_field(key) || (key.find("ecret") == std::string_view::npos && value.is_scalar());
}

// Whether a value under a secret's name is not secret.
bool is_harmless(std::string_view value) {
  return value.empty() || value == "true" || value == "false" || value == "0" || value == "1" ||
         value.starts_with("$(") || value.starts_with("${") || value.starts_with("{{");
}

bool is_name_char(char c) {
  return base::is_alnum(c) || c == '_';
}

bool mentions_secret(std::string_view text) {
  for (auto begin = std::ranges::find_if(text, is_name_char); begin != text.end();) {
    const auto end = std::find_if_not(begin, text.end(), is_name_char);
    const std::string_view word(begin, end);
    if (is_secret_name(word) && !(is_field(word) && word.find("ecret") != std::string_view::npos))
      return true;
    begin = std::find_if(end, text.end(), is_name_char);
  }
  return false;
}

class Marker {
 public:
  explicit Marker(const Maker& make) : make_(make) {}

  const Node* mark(const Node& node, bool is_secret) const {
    if (node.is_map()) return mark_map(node, is_secret);
    if (node.is_list()) return mark_list(node, is_secret);
    const bool marks =
        is_secret && !node.origin().is_secret() && !node.is_null() && !is_harmless(node.text());
    return marks ? make_.with_origin(node, node.origin().as_secret()) : &node;
  }

 private:
  const Node* mark_map(const Node& map, bool is_secret) const {
    const Node* variable = map.get("value");
    const bool is_variable = variable && names_secret(text_at(map, "name"), *variable);
    const std::string_view kind = text_at(map, "kind");
    std::vector<Entry> entries;
    for (size_t i = 0; i < map.size(); ++i) {
      const Entry& entry = map.entries()[i];
      const bool is_value = is_secret || (is_variable && entry.key == "value") || is_data(entry, kind) ||
                            key_names_secret(entry.key, *entry.value);
      const Node* value = is_snapshot(entry) ? mark(*entry.value, true) : mark(*entry.value, is_value);
      if (value == entry.value) continue;
      if (entries.empty()) entries.assign(map.entries().begin(), map.entries().end());
      entries[i].value = value;
    }
    return entries.empty() ? &map : make_.map(entries, map.origin());
  }

  const Node* mark_list(const Node& list, bool is_secret) const {
    std::vector<const Node*> items;
    const std::vector<SecretWord> words = secret_words(list);
    auto next = words.begin();
    for (size_t i = 0; i < list.size(); ++i) {
      const bool is_given = next != words.end() && next->index == i;
      if (is_given) ++next;
      const Node* item = mark(*list.items()[i], is_secret || is_given);
      if (item == list.items()[i]) continue;
      if (items.empty()) items.assign(list.items().begin(), list.items().end());
      items[i] = item;
    }
    return items.empty() ? &list : make_.list(items, list.origin());
  }

  // The secrets in a command line.
  static std::vector<SecretWord> secret_words(const Node& list) {
    const auto items = list.items();
    const auto is_word = [](const Node* item) { return item->is_scalar(); };
    if (items.size() < 2 || !std::ranges::all_of(items, is_word)) return {};
    std::vector<std::string_view> words;
    for (const Node* item : items) words.push_back(item->text());
    return find_secret_words(words);
  }

  static bool is_data(const Entry& entry, std::string_view kind) {
    return (kind == "Secret" && (entry.key == "data" || entry.key == "stringData")) ||
           entry.key == kLastApplied;
  }

  // Whether the entry is a whole runtime as text, which Trainer keeps in a ConfigMap.
  static bool is_snapshot(const Entry& entry) {
    return entry.key == "runtime" && entry.value->is_string() &&
           entry.value->text().find('\n') != std::string_view::npos && mentions_secret(entry.value->text());
  }

  const Maker& make_;
};

// Finds the elements of a list by their names.
class NamedItems {
 public:
  explicit NamedItems(const Node& list) : size_(list.size()) {
    for (size_t i = 0; i < size_; ++i) places_.try_emplace(text_at(*list.items()[i], "name"), i);
  }

  // The position of the element that corresponds to one of another list: the one with its name, or the one at
  // its position if it has none.
  std::optional<size_t> partner(const Node& other, size_t index) const {
    const std::string_view name = text_at(*other.items()[index], "name");
    if (name.empty()) return index < size_ ? std::optional(index) : std::nullopt;
    const auto same = places_.find(name);
    return same != places_.end() ? std::optional(same->second) : std::nullopt;
  }

 private:
  size_t size_;
  std::map<std::string_view, size_t> places_;
};

// Masks both sides of a comparison; one may be missing.
class Masker {
 public:
  explicit Masker(const Maker& make) : make_(make) {}

  BeforeAfter show(BeforeAfter nodes) const {
    const auto [before, after] = nodes;
    if (!before || !after) return {alone(before), alone(after)};
    if (before->is_map() && after->is_map()) return show_maps(*before, *after);
    if (before->is_list() && after->is_list()) return show_lists(*before, *after);
    if (!before->is_scalar() || !after->is_scalar()) return {alone(before), alone(after)};
    const bool is_secret = before->origin().is_secret() || after->origin().is_secret();
    const bool differ = !yaml::equal(*before, *after);
    return {scalar(*before, is_secret, differ ? " (before)" : ""),
            scalar(*after, is_secret, differ ? " (after)" : "")};
  }

 private:
  const Node* alone(const Node* node) const {
    if (!node) return nullptr;
    if (node->is_map()) {
      yaml::ChangedMap map(*node);
      for (const Entry& entry : node->entries()) map.take(alone(entry.value));
      return map.node(make_);
    }
    if (node->is_list()) {
      yaml::ChangedList list(*node);
      for (const Node* item : node->items()) list.take(alone(item));
      return list.node(make_);
    }
    return scalar(*node, node->origin().is_secret(), "");
  }

  const Node* scalar(const Node& node, bool is_secret, std::string_view side) const {
    if (node.is_null() || (!is_secret && !has_key(node.text()))) return &node;
    std::string text = is_secret ? std::string(kHidden) : without_keys(node.text());
    return text == node.text() ? &node : make_.copied(text.append(side), node.origin());
  }

  // Each pair is visited once: visiting it twice, once per side, would take time exponential in the depth.
  BeforeAfter show_maps(const Node& before, const Node& after) const {
    std::vector<Entry> first(before.entries().begin(), before.entries().end());
    std::vector<Entry> second(after.entries().begin(), after.entries().end());
    for (Entry& entry : first) {
      const Entry* found = after.find(entry.key);
      Entry* same = found ? &second[static_cast<size_t>(found - after.entries().data())] : nullptr;
      const BeforeAfter shown = show({entry.value, same ? same->value : nullptr});
      entry.value = shown.before;
      if (same) same->value = shown.after;
    }
    for (Entry& entry : second) {
      if (!before.get(entry.key)) entry.value = alone(entry.value);
    }
    return {with_entries(before, first), with_entries(after, second)};
  }

  BeforeAfter show_lists(const Node& before, const Node& after) const {
    std::vector<const Node*> first(before.size());
    std::vector<const Node*> second(after.size());
    const NamedItems before_items(before);
    const NamedItems after_items(after);
    for (size_t i = 0; i < before.size(); ++i) {
      const std::optional<size_t> other = after_items.partner(before, i);
      const BeforeAfter shown = show({before.items()[i], other ? after.items()[*other] : nullptr});
      first[i] = shown.before;
      if (other && before_items.partner(after, *other) == i) second[*other] = shown.after;
    }
    for (size_t i = 0; i < after.size(); ++i) {
      if (second[i]) continue;
      const std::optional<size_t> other = before_items.partner(after, i);
      second[i] = show({other ? before.items()[*other] : nullptr, after.items()[i]}).after;
    }
    return {with_items(before, first), with_items(after, second)};
  }

  const Node* with_entries(const Node& map, const std::vector<Entry>& entries) const {
    return std::ranges::equal(map.entries(), entries, {}, &Entry::value, &Entry::value)
               ? &map
               : make_.map(entries, map.origin());
  }

  const Node* with_items(const Node& list, const std::vector<const Node*>& items) const {
    return std::ranges::equal(list.items(), items) ? &list : make_.list(items, list.origin());
  }

  const Maker& make_;
};

// Length of the common prefix. Compares in blocks: an input may be one long secret that is repeated.
size_t common_length(std::string_view a, std::string_view b) {
  constexpr size_t kBlock = 256;
  size_t length = 0;
  while (std::min(a.size(), b.size()) >= length + kBlock &&
         a.substr(length, kBlock) == b.substr(length, kBlock))
    length += kBlock;
  while (length < a.size() && length < b.size() && a[length] == b[length]) ++length;
  return length;
}

}  // namespace

const Node* mark_secrets(const Node& root, const Maker& make) {
  return Marker(make).mark(root, false);
}

const Node* masked(const Node& root, const Maker& make) {
  return Masker(make).show({&root, nullptr}).before;
}

const Node* masked_object(const Node& root, const Maker& make) {
  return masked(*mark_secrets(root, make), make);
}

BeforeAfter masked(BeforeAfter nodes, const Maker& make) {
  return Masker(make).show(nodes);
}

namespace {

// Whether the value is a text that contains objects: the manifest in a Workflow, a file in a ConfigMap.
bool has_objects(const Node& value) {
  const auto has = [&](std::string_view part) { return value.text().find(part) != std::string_view::npos; };
  return value.is_string() && has("\n") && has("apiVersion:") && has("kind:");
}

}  // namespace

void SecretTexts::collect(const Node& root) {
  constexpr size_t kShortest = 6;  // a shorter text is part of too many words
  const auto add = [&](std::string_view text) {
    if (text.size() >= kShortest) texts_.emplace(text);
  };
  if (root.is_scalar() && root.origin().is_secret()) {
    // The line break that ends a block scalar is not part of the secret.
    add(root.text().substr(0, root.text().find_last_not_of("\r\n") + 1));
  } else if (root.is_string()) {
    // In a file, escapes may hide where the secret begins or ends.
    for (const SecretInText& place : real_secrets_in(root.text()))
      add(root.text().substr(place.begin, place.length));
  }
  if (has_objects(root)) {
    const base::SourceFile file("", std::string(root.text()));
    base::Arena arena;
    base::Diagnostics ignored;
    for (const yaml::Document& document : yaml::read(file, arena, ignored)) collect_unmarked(*document.root);
  }
  for (const Node* item : root.items()) collect(*item);
  for (const Entry& entry : root.entries()) collect(*entry.value);
}

void SecretTexts::collect_unmarked(const Node& root) {
  base::Arena arena;
  collect(*mark_secrets(root, Maker(arena)));
}

size_t SecretTexts::length_at(std::string_view text) const {
  for (;;) {
    const auto after = texts_.upper_bound(text);
    if (after == texts_.begin()) return 0;
    const std::string& nearest = *std::prev(after);
    if (text.starts_with(nearest)) return nearest.size();
    // A shorter secret at the beginning of the text sorts before this neighbour, and is a prefix of it, too.
    text = text.substr(0, common_length(text, nearest));
  }
}

namespace {

// The text with *** for each of the secrets, and for each known kind of key. If several begin at one place,
// the longest counts, whichever document it belongs to.
std::string hide_all(std::string_view text, std::span<const SecretTexts* const> secrets) {
  const std::string known = without_keys(text);
  std::string out;
  for (size_t at = 0; at < known.size();) {
    size_t length = 0;
    for (const SecretTexts* texts : secrets)
      length = std::max(length, texts->length_at(std::string_view(known).substr(at)));
    if (length == 0) {
      out += known[at++];
    } else {
      out += kHidden;
      at += length;
    }
  }
  return out;
}

}  // namespace

std::string SecretTexts::hide(std::string_view text) const {
  return empty() ? without_keys(text) : hide_all(text, std::array{this});
}

std::string without_secrets(const std::string& diff, const std::string& file_text) {
  const base::SourceFile file("", file_text);
  base::Diagnostics ignored;
  SecretTexts secrets;
  for (const yaml::FoundDocument& found : yaml::find_documents(file, ignored)) {
    base::Arena arena;
    for (const yaml::Document& document : yaml::read_document(found, arena, ignored))
      secrets.collect_unmarked(*document.root);
  }
  return secrets.hide(diff);
}

// Reports, which show source lines

namespace {

// The line of the quote that closes the scalar at the offset.
uint32_t last_quoted_line(const base::SourceFile& file, size_t offset) {
  const std::string_view text = file.text();
  const char quote = text[offset];
  size_t at = offset + 1;
  while (at < text.size() && text[at] != quote) at += quote == '"' && text[at] == '\\' ? 2 : 1;
  return file.line_at(std::min(at, text.size() - 1));
}

}  // namespace

// The lines of files that contain a document's secrets.
class SecretLines {
 public:
  void collect(const Node& node) {
    collect_from(node);
    std::ranges::sort(read_);
    const auto repeated = std::ranges::unique(read_);
    read_.erase(repeated.begin(), repeated.end());
    read_.shrink_to_fit();  // there may be thousands of documents
  }

  bool holds(const base::Location& at) const { return lines_.contains({at.file, at.line}); }
  // Whether the document has all that is written on the line, which is not in brackets. A build keeps the
  // place of a map or a key in its file, but may have removed or replaced the value there.
  bool has_read(const base::Location& at) const {
    return std::ranges::binary_search(read_, Line(at.file, at.line));
  }

 private:
  using Line = std::pair<const base::SourceFile*, uint32_t>;

  void collect_from(const Node& node) {
    const bool has_key = node.is_string() && secret::has_key(node.text());
    if (has_key || (node.is_scalar() && node.origin().is_secret())) add(node);
    if (node.is_scalar() && !node.origin().in_flow())
      read_.emplace_back(node.origin().file(), node.origin().line());
    if (has_objects(node)) collect_below(node);
    for (const Node* item : node.items()) collect_from(*item);
    for (const yaml::Entry& entry : node.entries()) {
      if (is_above(entry.key_origin, *entry.value))
        read_.emplace_back(entry.key_origin.file(), entry.key_origin.line());
      collect_from(*entry.value);
    }
  }

  // Whether a key has a line without its value.
  static bool is_above(const yaml::Origin& key, const Node& value) {
    return !value.is_scalar() && key.file() == value.origin().file() && key.line() < value.origin().line();
  }

  // For a text that contains objects: adds the lines of its secrets if it is a block that keeps lines,
  // otherwise all its lines.
  void collect_below(const Node& text) {
    const base::SourceFile file("", std::string(text.text()));
    base::Arena arena;
    base::Diagnostics ignored;
    SecretLines below;
    for (const yaml::Document& document : yaml::read(file, arena, ignored))
      below.collect(*mark_secrets(*document.root, Maker(arena)));
    const base::Location at = yaml::locate(text);
    if (below.lines_.empty() || !at.file || at.line == 0) return;
    const std::string_view written = at.file->text().substr(at.file->line_start(at.line) + at.column - 1);
    if (!written.starts_with('|')) {
      add(text);
      return;
    }
    for (const auto& [_, line] : below.lines_) lines_.insert({at.file, at.line + line});
  }

  void add(const Node& value) {
    const base::Location at = yaml::locate(value);
    if (!at.file || at.line == 0) return;
    for (uint32_t line = at.line, last = last_line(*at.file, at, value); line <= last; ++line)
      lines_.insert({at.file, line});
  }

  // The last line of the value: the end of the lines indented below its first one, unless it is one word.
  uint32_t last_line(const base::SourceFile& file, const base::Location& first, const Node& value) {
    const size_t offset = file.line_start(first.line) + first.column - 1;
    if (offset < file.text().size() && (file.text()[offset] == '"' || file.text()[offset] == '\'')) {
      return last_quoted_line(file, offset);
    }
    if (file.text().substr(std::min(offset, file.text().size())).starts_with(value.text())) return first.line;
    const auto [known, is_new] = last_below_.try_emplace({&file, first.line}, first.line);
    if (!is_new) return known->second;
    const size_t indent = base::indent_of(file.line(first.line));
    for (uint32_t next = first.line + 1; next <= file.line_count(); ++next) {
      const std::string_view below = file.line(next);
      const bool is_blank = base::indent_of(below) == below.size();
      if (!is_blank && base::indent_of(below) <= indent) break;
      known->second = next;
    }
    return known->second;
  }

  std::set<Line> lines_;
  std::vector<Line> read_;               // sorted: see has_read
  std::map<Line, uint32_t> last_below_;  // for a line, the last one of those indented below it
};

struct DocumentSecrets::Content {
  explicit Content(const Node& document) {
    base::Arena arena;
    const Node& marked = *mark_secrets(document, Maker(arena));
    lines.collect(marked);
    texts.collect(marked);
    begin = yaml::locate(document);
  }

  bool shares_line(const base::Location& at) const {
    return begin.file == at.file && begin.line == at.line && begin.column > 1;
  }

  SecretLines lines;
  SecretTexts texts;
  base::Location begin;
};

DocumentSecrets::DocumentSecrets(const Node& document)
    : content_(std::make_shared<const Content>(document)) {}

// Hides secrets in findings on some documents. Whether a line of a file contains a secret is decided by what
// was read from the file, or else by the line's text.
class FindingsGuard {
 public:
  void add(const DocumentSecrets& document) {
    if (!document.content_) return;
    documents_.push_back(document.content_);
    if (!document.content_->texts.empty()) texts_.push_back(&document.content_->texts);
  }

  void hide_in(base::Diagnostic& diagnostic) {
    diagnostic.hide_source = diagnostic.hide_source || holds_line_of(diagnostic);
    diagnostic.message = hide(diagnostic.message);
    diagnostic.hint = hide(diagnostic.hint);
    for (base::Note& note : diagnostic.notes) note.message = hide(note.message);
  }

 private:
  std::string hide(std::string_view text) const {
    return texts_.empty() ? without_keys(text) : hide_all(text, texts_);
  }

  bool holds_line_of(const base::Diagnostic& diagnostic) {
    const base::Location& at = diagnostic.location;
    if (!at.file || at.line == 0) return false;
    const auto holds = [&](const auto& document) { return document->lines.holds(at); };
    if (std::ranges::any_of(documents_, holds)) return true;
    const auto is_read = [&](const auto& document) { return document->begin.file == at.file; };
    // Text before a document on its line, as in a list in braces, was not read with the document.
    const auto shares_line = [&](const auto& document) { return document->shares_line(at); };
    if (diagnostic.stage != base::Stage::Yaml && std::ranges::any_of(documents_, is_read) &&
        std::ranges::none_of(documents_, shares_line)) {
      const auto has_read = [&](const auto& document) { return document->lines.has_read(at); };
      if (std::ranges::any_of(documents_, has_read)) return false;
      const auto [line, is_new] = written_.try_emplace({at.file, at.line});
      if (is_new) line->second = holds_as_written(at);
      return line->second;
    }
    const auto [guess, is_new] = guessed_.try_emplace(at.file);
    if (is_new) guess->second = guess_secret_lines(*at.file);
    return at.line < guess->second.size() && guess->second[at.line];
  }

  // Whether the line has a secret, whatever documents have kept of it: as YAML if it is a value in brackets,
  // as in a file of one object a line.
  static bool holds_as_written(const base::Location& at) {
    const std::string_view line = at.file->line(at.line);
    if (line.find_first_of("{[") == std::string_view::npos) return guess_secret_line(*at.file, at.line);
    const base::SourceFile alone("", std::string(line.substr(0, line.find_last_not_of(", \r") + 1)));
    base::Arena arena;
    base::Diagnostics unreadable;
    const std::vector<yaml::Document> documents = yaml::read(alone, arena, unreadable);
    if (!unreadable.empty()) return guess_secret_lines(alone)[1];
    return std::ranges::any_of(documents, [&](const yaml::Document& document) {
      SecretLines lines;
      lines.collect(*mark_secrets(*document.root, Maker(arena)));
      return lines.holds({&alone, 1});
    });
  }

  std::vector<std::shared_ptr<const DocumentSecrets::Content>> documents_;
  std::vector<const SecretTexts*> texts_;  // those of documents that have any
  std::map<const base::SourceFile*, std::vector<bool>> guessed_;
  std::map<std::pair<const base::SourceFile*, uint32_t>, bool> written_;  // by line: see holds_as_written
};

void hide_secrets(base::Diagnostics& diagnostics, std::span<const Node* const> documents,
                  const DocumentSecrets& known) {
  if (diagnostics.empty()) return;
  FindingsGuard guard;
  for (const Node* document : documents) guard.add(DocumentSecrets(*document));
  guard.add(known);
  diagnostics.retain([&](base::Diagnostic& diagnostic) {
    guard.hide_in(diagnostic);
    return true;
  });
}

}  // namespace trainjobc::secret
