#include "yaml/reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <limits>
#include <optional>
#include <string>

#include "yaml/documents.h"
#include "yaml/json_reader.h"
#include "yaml/lexer.h"
#include "yaml/odd_lines.h"
#include "yaml/parser_text.h"
#include "yaml/scalar_builder.h"
#include "yaml/syntax.h"
#include "yaml/tags.h"
#include "yaml/text_buffer.h"
#include "yaml/tree_builder.h"

namespace trainjobc::yaml {
namespace {

using base::SourceFile;

// Takes yaml-cpp's events of one document for its structure, and leads the lexer along behind them: it reads
// what the scalars say, and stops where the two disagree about what stands where.
class EventReader : public YAML::EventHandler {
 public:
  // `recorder` may be nullptr.
  EventReader(Lexer& lexer, TreeBuilder& builder, base::Arena& arena, SyntaxRecorder* recorder)
      : lexer_(lexer), builder_(builder), scalars_(builder, arena), recorder_(recorder) {}

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  // Kubernetes' parser drops what stands behind the collection that is the document, where nothing ties it to
  // that collection.
  void OnDocumentEnd() override {
    lexer_.skip_gap();
    if (lexer_.at_end()) return;
    if (!root_is_collection_ || lexer_.column() >= root_indent_) lexer_.fail_here();
    const Origin at = lexer_.origin();
    lexer_.properties(-1);
    if (lexer_.peek() == '*') lexer_.alias();
    if (lexer_.at_scalar()) lexer_.scalar(-1);
    builder_.warn("yaml/after-document-end", at,
                  "the document's value ends above: nothing from here on is read by Kubernetes",
                  "indent it as its siblings, or put a line \"---\" before it");
  }

  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {
    const bool here = begin_node() && is_deeper();
    const size_t begin = lexer_.offset();
    Origin at = absent_origin();
    Properties properties;
    if (here) properties = lexer_.properties(indent());
    ScalarToken token = kAbsent;
    if (here && is_deeper() && lexer_.at_scalar()) {
      at = lexer_.origin();
      const size_t offset = lexer_.offset();
      token = lexer_.scalar(indent());
      const bool is_null = token.plain && read_plain(token.text).type == PlainType::Null;
      if (!is_null) lexer_.fail(offset, "this key has no value: a \": \" must follow on its line");
    } else if (properties.anchor.empty() && !levels_.empty() && levels_.back().is_flow &&
               !levels_.back().is_map) {
      lexer_.fail_here();
    }
    record(token, properties, begin);
    scalar(token, properties, at);
  }

  // The aliases of a document whose text was not changed for yaml-cpp. There is none.
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    lexer_.fail(static_cast<size_t>(mark.pos), "an alias can't stand here");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {
    if (!begin_node()) lexer_.fail_here();
    const size_t begin = lexer_.offset();
    Origin at = lexer_.origin();
    // Only a block scalar may stand as far left as its key.
    if (!is_deeper() && lexer_.peek() != '|' && lexer_.peek() != '>') lexer_.fail_here();
    const Properties properties = lexer_.properties(indent());
    const bool here = is_deeper() || lexer_.offset() == begin;
    const auto expected = static_cast<size_t>(mark.pos);
    if (begin != expected && lexer_.offset() != expected) lexer_.fail_here();
    if (here && lexer_.peek() == '*') {
      at = lexer_.origin();
      if (lexer_.offset() != begin) lexer_.fail(lexer_.offset(), "an alias can't have an anchor or a tag");
      builder_.alias(lexer_.alias(), at);
      if (recorder_) recorder_->leaf(Syntax::Kind::Alias, false, begin, lexer_.offset());
      end_node();
      return;
    }
    ScalarToken token = kAbsent;
    if (here && lexer_.at_scalar()) {
      at = lexer_.origin();
      token = lexer_.scalar(indent());
    } else if (lexer_.offset() == begin) {
      lexer_.fail_here();
    }
    record(token, properties, begin);
    scalar(token, properties, at);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(mark, anchor != 0, tag != "?", style == YAML::EmitterStyle::Flow, false);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(mark, anchor != 0, tag != "?", style == YAML::EmitterStyle::Flow, true);
  }
  void OnSequenceEnd() override { close(']'); }
  void OnMapEnd() override { close('}'); }

  // The column of the innermost block collection, -1 for none.
  int indent() const { return levels_.empty() ? -1 : levels_.back().indent; }

  // The offset of the innermost bracket that is still open.
  std::optional<size_t> open_bracket() const {
    const auto level = std::ranges::find_if(levels_.rbegin(), levels_.rend(), &Level::is_flow);
    if (level == levels_.rend()) return std::nullopt;
    return level->begin;
  }

 private:
  // A collection that is being read, as its text has it.
  struct Level {
    bool is_map = false;
    bool is_flow = false;
    bool is_pair = false;  // `key: value` in `[]`, a map without brackets
    bool expects_key = true;
    bool is_explicit = false;  // the key stands behind `?`
    int indent = -1;           // of the innermost block collection
    size_t count = 0;
    size_t begin = 0;  // offset of its bracket
    Origin dash;       // of the last item of a block list
  };

  static constexpr ScalarToken kAbsent{.plain = true};

  // Whether what the lexer stands before can belong to a node of this level, and is not what comes after it.
  bool is_deeper() const {
    if (lexer_.at_end()) return false;
    if (lexer_.in_flow() || levels_.empty()) return true;
    const Level& level = levels_.back();
    const bool is_simple_key = builder_.expects_key() && !level.is_explicit;
    return lexer_.column() > level.indent || (is_simple_key && lexer_.column() == level.indent);
  }

  // To the node that comes next, over the indicators before it. False where there is none: a key without ":".
  bool begin_node() {
    lexer_.skip_gap();
    if (levels_.empty()) return true;
    Level& level = levels_.back();
    if (!level.is_map) {
      begin_item(level);
    } else if (level.expects_key) {
      begin_key(level);
    } else if (!begin_value(level)) {
      return false;
    }
    lexer_.skip_gap();
    return true;
  }

  void begin_item(Level& level) {
    if (level.is_flow) {
      if (level.count > 0 && !lexer_.take_flow(',')) lexer_.fail_here();
      return;
    }
    begin_line(level);
    level.dash = lexer_.origin();
    if (recorder_) recorder_->dash(lexer_.offset());
    if (!lexer_.take_indicator('-')) lexer_.fail_here();
    indicator_end_ = lexer_.offset();
  }

  void begin_key(Level& level) {
    if (level.is_flow) {
      if (level.count > 0 && !lexer_.take_flow(',')) lexer_.fail_here();
      lexer_.skip_gap();
    } else if (!level.is_pair) {
      begin_line(level);
    }
    level.is_explicit = lexer_.take_indicator('?');
    if (level.is_explicit && recorder_) recorder_->question_mark();
  }

  bool begin_value(Level& level) {
    const bool found = lexer_.take_indicator(':', !level.is_explicit);
    indicator_end_ = lexer_.offset();
    if (!found && !level.is_flow && !level.is_explicit) lexer_.fail_here();
    return found;
  }

  // The first entry of a block collection sets its indentation.
  void begin_line(Level& level) const {
    if (level.count == 0) level.indent = lexer_.column();
    if (level.indent != lexer_.column()) lexer_.fail_here();
  }

  void end_node() {
    if (levels_.empty()) return;
    Level& level = levels_.back();
    level.expects_key = !level.expects_key;
    if (!level.is_map || level.expects_key) ++level.count;
  }

  void open(const YAML::Mark& mark, bool has_anchor, bool has_tag, bool is_flow, bool is_map) {
    if (!begin_node()) lexer_.fail_here();
    if (lexer_.offset() != static_cast<size_t>(mark.pos)) lexer_.fail_here();
    // Only a block list may stand as far left as its key.
    if ((is_flow || has_anchor || has_tag) && !is_deeper()) lexer_.fail_here();
    const size_t begin = lexer_.offset();
    Properties properties;
    if (has_anchor || has_tag) properties = lexer_.properties(indent(), has_anchor, has_tag);
    Level level;
    level.begin = lexer_.offset();
    level.is_map = is_map;
    level.indent = indent();
    const Origin at = lexer_.origin();
    level.is_flow = is_flow && lexer_.take_flow(is_map ? '{' : '[');
    level.is_pair = is_flow && !level.is_flow;
    if (level.is_pair && (!is_map || levels_.empty() || levels_.back().is_map)) lexer_.fail_here();
    builder_.open(is_map, properties.anchor, at);
    const bool is_plain = !has_anchor && !has_tag && !level.is_pair;
    if (recorder_) recorder_->open(is_map, level.is_flow, is_plain, begin);
    levels_.push_back(level);
  }

  void close(char bracket) {
    const Level level = levels_.back();
    if (levels_.size() == 1) {
      root_is_collection_ = true;
      if (!level.is_flow) root_indent_ = level.indent;
    }
    if (level.is_flow) {
      lexer_.skip_gap();
      if (level.count > 0 && lexer_.take_flow(',')) lexer_.skip_gap();
      if (!lexer_.take_flow(bracket)) lexer_.fail_here();
    }
    levels_.pop_back();
    if (recorder_) recorder_->close(lexer_.offset());
    builder_.close();
    end_node();
  }

  // A value that is left out stands at its key or its dash.
  Origin absent_origin() const {
    if (levels_.empty()) return lexer_.origin();
    const Level& level = levels_.back();
    if (level.is_map && !level.expects_key) return builder_.key_origin();
    return level.is_map || level.is_flow ? lexer_.origin() : level.dash;
  }

  void record(const ScalarToken& token, const Properties& properties, size_t begin) {
    if (!recorder_) return;
    const bool is_plain = properties.anchor.empty() && properties.tag.empty();
    const bool is_absent = token.text.empty() && token.plain && is_plain;
    if (is_absent) begin = indicator_end_;
    recorder_->leaf(is_absent ? Syntax::Kind::Absent : Syntax::Kind::Scalar, is_plain, begin,
                    is_absent ? begin : lexer_.offset());
  }

  void scalar(const ScalarToken& token, const Properties& properties, const Origin& at) {
    scalars_.add(token, properties, at);
    end_node();
  }

  Lexer& lexer_;
  TreeBuilder& builder_;
  ScalarBuilder scalars_;
  SyntaxRecorder* recorder_;
  size_t indicator_end_ = 0;  // behind the last dash or colon
  std::vector<Level> levels_;
  bool root_is_collection_ = false;
  int root_indent_ = std::numeric_limits<int>::max();  // of a block collection
};

// What yaml-cpp says, where the lexer can't say it better.
SyntaxError explain(const YAML::Exception& error, std::string_view text, const EventReader& events,
                    Lexer& lexer) {
  const size_t offset =
      error.mark.is_null() ? text.size() : std::min(static_cast<size_t>(error.mark.pos), text.size());
  if (const auto tab = indenting_tab(text, offset))
    return {*tab, "a tab can't indent YAML", "indent with spaces"};
  try {
    lexer.scan_on(offset, events.indent());
  } catch (SyntaxError& found) {
    return std::move(found);
  }
  const std::optional<size_t> bracket = events.open_bracket();
  if (bracket && text.find_first_not_of(" \t\r\n", offset) == std::string_view::npos) {
    return {*bracket, "this bracket is not closed before the end of the document", "close it"};
  }
  if (bracket && error.msg.find("flow not found") != std::string::npos) {
    return {offset,
            fmt::format("the bracket of line {} is not closed above this, and there is no comma before it",
                        lexer.origin_at(*bracket).line()),
            ""};
  }
  const size_t before = text.find_last_not_of(" \t", offset == 0 ? 0 : offset - 1);
  const bool begins_line = before == std::string_view::npos || text[before] == '\n';
  if (!begins_line && error.msg.find("not found") != std::string::npos) {
    return {offset, "this can't follow the value before it", "put the whole value into quotes"};
  }
  SyntaxAdvice advice = explain_syntax_error(error.msg);
  return {offset, std::move(advice.message), std::move(advice.hint)};
}

void read_events(const Chunk& chunk, Lexer& lexer, TreeBuilder& builder, base::Arena& arena,
                 SyntaxRecorder* recorder) {
  const std::string changed = text_for_parser(chunk.text);
  TextBuffer buffer(changed.empty() ? chunk.text : changed);
  std::istream stream(&buffer);
  EventReader events(lexer, builder, arena, recorder);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(events)) events.OnDocumentEnd();
  } catch (const YAML::Exception& error) {
    throw explain(error, chunk.text, events, lexer);
  }
}

const Node* read_yaml(const SourceFile& file, const Chunk& chunk, base::Arena& arena,
                      base::Diagnostics& diagnostics, const ReadLimits& limits, size_t& repeated_bytes,
                      SyntaxRecorder* recorder = nullptr) {
  Lexer lexer(file, chunk);
  TreeBuilder builder(file, arena, diagnostics, limits, repeated_bytes);
  try {
    read_events(chunk, lexer, builder, arena, recorder);
  } catch (SyntaxError& error) {
    if (const auto dots = left_out(chunk.text, error.offset))
      error = {*dots, "\"...\" stands for what was left out here", "write it, or remove the line"};
    builder.fail("yaml/syntax", lexer.origin_at(error.offset), error.message, error.hint);
  } catch (const StopReading&) {
    // What stopped it has been reported.
  }
  repeated_bytes = builder.repeated_bytes();
  return builder.root();
}

bool check_size(const SourceFile& file, const ReadLimits& limits, base::Diagnostics& diagnostics) {
  if (file.text().size() <= limits.max_bytes) return true;
  diagnostics.add({.rule = "yaml/too-large",
                   .stage = base::Stage::Yaml,
                   .severity = base::Severity::Error,
                   .message = fmt::format("the file is larger than {} MiB", limits.max_bytes >> 20U),
                   .location = {&file, 0, 0, 0, 0}});
  return false;
}

// Whether kubectl tries JSON first: it looks at the beginning of the file alone.
bool begins_as_json(const SourceFile& file) {
  const size_t first = file.text().find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && file.text()[first] == '{' && !file.had_byte_order_mark();
}

}  // namespace

std::vector<Document> read(const SourceFile& file, base::Arena& arena, base::Diagnostics& diagnostics,
                           const ReadLimits& limits) {
  std::vector<Document> documents;
  if (!check_size(file, limits, diagnostics) || !check_encoding(file, diagnostics)) return documents;
  const bool may_be_json = begins_as_json(file);
  size_t repeated_bytes = 0;
  for (const Chunk& chunk : split_documents(file, diagnostics)) {
    if (!check_characters(file, chunk, diagnostics)) continue;
    const bool is_first = chunk.text.data() == file.text().data();
    if (is_first && may_be_json && read_json(file, chunk, arena, diagnostics, limits, documents)) continue;
    const Node* root = read_yaml(file, chunk, arena, diagnostics, limits, repeated_bytes);
    if (root && !root->is_null()) documents.push_back({root, chunk.first_line, chunk.text});
  }
  return documents;
}

std::optional<Syntax> read_syntax(const SourceFile& file, const Document& document) {
  base::Diagnostics ignored;
  base::Arena arena;
  SyntaxRecorder recorder(file, static_cast<size_t>(document.text.data() - file.text().data()));
  const Chunk chunk{document.text, document.first_line};
  size_t repeated_bytes = 0;
  if (!read_yaml(file, chunk, arena, ignored, {}, repeated_bytes, &recorder)) return std::nullopt;
  return recorder.take();
}

}  // namespace trainjobc::yaml
