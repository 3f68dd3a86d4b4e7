#include "yaml/reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <istream>
#include <streambuf>
#include <string>
#include <unordered_map>

#include "yaml/documents.h"
#include "yaml/scalar.h"
#include "yaml/tags.h"
#include "yaml/token.h"

namespace trainjobc::yaml {
namespace {

using base::Diagnostic;
using base::Severity;
using base::SourceFile;
using base::Stage;

// A stream over text that is not copied.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // NOLINT: std::streambuf's interface; never written to
    setg(begin, begin, begin + text.size());
  }
};

struct Anchored {
  const Node* node = nullptr;  // nullptr while the node is still being read
  size_t weight = 0;
};

// A collection that is being read.
struct Frame {
  bool is_map = false;
  bool expects_key = true;
  bool key_is_merge = false;
  YAML::anchor_t anchor = 0;
  size_t weight = 1;  // values in it, aliases expanded
  Origin origin;
  std::string_view key;
  Origin key_origin;
  std::vector<Entry> entries;
  std::vector<Origin> merged;  // parallel to entries: set where a merge key brought the entry
  std::vector<const Node*> items;
};

// Turns yaml-cpp's events of one document into nodes.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceFile& file, uint32_t first_line, base::Arena& arena, base::Diagnostics& diagnostics,
              const ReadLimits& limits)
      : file_(file), first_line_(first_line), make_(arena), diagnostics_(diagnostics), limits_(limits) {}

  // nullptr where the document is empty or an error was reported.
  const Node* root() const { return failed_ ? nullptr : root_; }
  bool failed() const { return failed_; }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    put(make_.null(null_origin(mark)), anchor, 1, false);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end() || !found->second.node) {
      fail("yaml/alias", mark, "an alias refers to the value that contains it", "");
      put(make_.null(origin_of(mark)), 0, 1, false);
      return;
    }
    put(found->second.node, 0, found->second.weight, false, origin_of(mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const Origin origin = origin_of(mark);
    const TaggedScalar scalar = resolve_tagged(tag, value);
    if (!scalar.error.empty()) fail("yaml/scalar", mark, scalar.error, scalar.hint);
    const Node* node = scalar.kind == Kind::String ? make_.copied(scalar.text, origin)
                                                   : make_.number(scalar.kind, make_.arena().copy(scalar.text), origin);
    put(node, anchor, 1, tag == "?" && value == "<<");
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, anchor, false);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, anchor, true);
  }

  void OnSequenceEnd() override {
    const Frame frame = close();
    put(make_.list(frame.items, frame.origin), frame.anchor, frame.weight, false);
  }
  void OnMapEnd() override {
    const Frame frame = close();
    put(make_.map(frame.entries, frame.origin), frame.anchor, frame.weight, false);
  }

  void fail(std::string_view rule, const YAML::Mark& mark, std::string message, std::string hint) {
    fail(rule, origin_of(mark), std::move(message), std::move(hint));
  }

 private:
  void fail(std::string_view rule, const Origin& origin, std::string message, std::string hint,
            std::vector<base::Note> notes = {}) {
    failed_ = true;
    diagnostics_.add({.rule = std::string(rule),
                      .stage = Stage::Yaml,
                      .severity = Severity::Error,
                      .message = std::move(message),
                      .hint = std::move(hint),
                      .location = token_location(file_, origin.line(), origin.column()),
                      .notes = std::move(notes)});
  }

  // The value's own place: behind its anchor and tag, where they stand on the same line.
  Origin origin_of(const YAML::Mark& mark) const {
    const auto line = static_cast<uint32_t>(std::max(mark.line, 0)) + first_line_;
    auto column = static_cast<size_t>(std::max(mark.column, 0));
    const std::string_view text = file_.line(line);
    while (column < text.size() && (text[column] == '&' || text[column] == '!')) {
      const size_t space = text.find_first_of(" \t", column);
      if (space == std::string_view::npos) break;
      const size_t next = text.find_first_not_of(" \t", space);
      if (next == std::string_view::npos || text[next] == '#') break;
      column = next;
    }
    return {&file_, line, static_cast<uint32_t>(column + 1)};
  }

  // A null that is written stands where it stands; one that is left out stands at its key or its dash.
  Origin null_origin(const YAML::Mark& mark) const {
    const Origin origin = origin_of(mark);
    const std::string_view text = file_.line(origin.line());
    const std::string_view rest = text.substr(std::min<size_t>(origin.column() - 1, text.size()));
    if (rest.starts_with("null") || rest.starts_with("~") || rest.starts_with("Null") || rest.starts_with("NULL")) {
      return origin;
    }
    if (stack_.empty()) return origin;
    const Frame& frame = stack_.back();
    return frame.is_map && !frame.expects_key ? frame.key_origin : origin;
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, bool is_map) {
    if (anchor != 0) anchors_[anchor] = {};
    Frame frame;
    frame.is_map = is_map;
    frame.anchor = anchor;
    frame.origin = origin_of(mark);
    stack_.push_back(std::move(frame));
  }

  Frame close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    return frame;
  }

  void count(size_t weight, const Origin& at) {
    values_ += weight;
    if (values_ <= limits_.max_values || too_large_) return;
    too_large_ = true;
    fail("yaml/too-large", at,
         fmt::format("the document stands for more than {} values once its aliases are expanded",
                     limits_.max_values),
         "");
  }

  // `used_at` is set where the node is an alias: the place of the alias.
  void put(const Node* node, YAML::anchor_t anchor, size_t weight, bool is_merge_word, Origin used_at = {}) {
    const Origin at = used_at.file() ? used_at : node->origin();
    if (anchor != 0) anchors_[anchor] = {node, weight};
    if (stack_.empty()) {
      count(weight, at);
      root_ = node;
      return;
    }
    Frame& frame = stack_.back();
    frame.weight += weight;
    if (weight > 1) {
      count(used_at.file() ? weight : 0, at);
    } else {
      count(1, at);
    }
    if (!frame.is_map) {
      frame.items.push_back(node);
    } else if (frame.expects_key) {
      set_key(frame, *node, at, is_merge_word);
    } else if (frame.key_is_merge) {
      merge(frame, *node, at);
      frame.expects_key = true;
    } else {
      add_entry(frame, {frame.key, node, frame.key_origin});
      frame.expects_key = true;
    }
  }

  void set_key(Frame& frame, const Node& key, const Origin& at, bool is_merge_word) {
    frame.expects_key = false;
    frame.key_is_merge = is_merge_word;
    frame.key_origin = at;
    frame.key = {};
    if (key.is_scalar() && !key.is_null()) {
      frame.key = key.text();
      return;
    }
    fail("yaml/key", at, fmt::format("a key must be a scalar, this one is {}", key.is_null() ? "null" : "a collection"),
         key.is_null() ? "quote it" : "");
  }

  void add_entry(Frame& frame, const Entry& entry) {
    const size_t at = index_of(frame, entry.key);
    if (at == frame.entries.size()) {
      frame.entries.push_back(entry);
      frame.merged.emplace_back();
      return;
    }
    if (frame.merged[at].file()) {  // a key of the map itself beats a merged one
      frame.entries[at] = entry;
      frame.merged[at] = {};
      return;
    }
    const Entry& first = frame.entries[at];
    fail("yaml/duplicate-key", entry.key_origin, fmt::format("key \"{}\" is set twice in this map", entry.key),
         "remove one of the two", {{"first set here", locate_key(first)}});
  }

  static size_t index_of(const Frame& frame, std::string_view key) {
    size_t at = 0;
    while (at < frame.entries.size() && frame.entries[at].key != key) ++at;
    return at;
  }

  // `<<: value`. The first of several maps wins; like Kubernetes' parser, a merge that stands below a key of
  // the map beats that key.
  void merge(Frame& frame, const Node& value, const Origin& at) {
    if (value.is_map()) {
      for (const Entry& entry : value.entries()) merge_entry(frame, entry, at);
      return;
    }
    const auto items = value.items();
    bool maps = value.is_list();
    for (const Node* item : items) maps = maps && item->is_map();
    if (!maps) {
      fail("yaml/merge", at, "a merge key \"<<\" takes a map or a list of maps", "");
      return;
    }
    for (auto item = items.rbegin(); item != items.rend(); ++item) {
      for (const Entry& entry : (*item)->entries()) merge_entry(frame, entry, at);
    }
  }

  static void merge_entry(Frame& frame, const Entry& entry, const Origin& at) {
    const size_t index = index_of(frame, entry.key);
    if (index == frame.entries.size()) {
      frame.entries.push_back(entry);
      frame.merged.push_back(at);
    } else {
      frame.entries[index] = entry;
      frame.merged[index] = at;
    }
  }

  const SourceFile& file_;
  uint32_t first_line_;
  Maker make_;
  base::Diagnostics& diagnostics_;
  const ReadLimits& limits_;
  std::vector<Frame> stack_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  const Node* root_ = nullptr;
  size_t values_ = 0;
  bool too_large_ = false;
  bool failed_ = false;
};

const Node* read_chunk(const SourceFile& file, const Chunk& chunk, base::Arena& arena,
                       base::Diagnostics& diagnostics, const ReadLimits& limits) {
  TextBuffer buffer(chunk.text);
  std::istream stream(&buffer);
  TreeBuilder builder(file, chunk.first_line, arena, diagnostics, limits);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
  } catch (const YAML::Exception& error) {
    const SyntaxAdvice advice = explain_syntax_error(error.msg);
    builder.fail("yaml/syntax", error.mark, advice.message, advice.hint);
  }
  return builder.root();
}

}  // namespace

std::vector<Document> read(const SourceFile& file, base::Arena& arena, base::Diagnostics& diagnostics,
                           const ReadLimits& limits) {
  std::vector<Document> documents;
  if (!check_characters(file, diagnostics)) return documents;
  for (const Chunk& chunk : split_documents(file, diagnostics)) {
    const Node* root = read_chunk(file, chunk, arena, diagnostics, limits);
    if (root && !root->is_null()) documents.push_back({root, chunk.first_line});
  }
  return documents;
}

}  // namespace trainjobc::yaml
