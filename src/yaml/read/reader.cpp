// SPDX-License-Identifier: Apache-2.0

#include "yaml/read/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text/text.h"
#include "rules/rules.h"
#include "yaml/read/documents.h"
#include "yaml/read/events.h"
#include "yaml/read/syntax.h"
#include "yaml/read/tree_builder.h"

namespace trainjobc::yaml {
namespace {

using base::SourceFile;

// Maps offsets in a document's text to places in its file. Queries in the order of the text need no search.
class Places {
 public:
  Places(const SourceFile& file, const Chunk& chunk)
      : file_(file), text_(chunk.text), begin_(static_cast<size_t>(chunk.text.data() - file.text().data())) {
    go_to(chunk.first_line);
  }

  Origin origin(size_t offset, bool in_flow = false) {
    // Events at the end of the text are placed after the last thing in the document.
    if (offset >= text_.size()) offset = text_.find_last_not_of(base::kSpace) + 1;
    const size_t at = begin_ + offset;
    while (line_ < file_.line_count() && next_line_start_ <= at) go_to(line_ + 1);
    while (line_ > 1 && line_start_ > at) go_to(line_ - 1);
    return {&file_, line_, static_cast<uint32_t>(at - line_start_ + 1), in_flow};
  }

 private:
  void go_to(uint32_t line) {
    const bool is_next = line == line_ + 1;
    line_start_ = is_next ? next_line_start_ : file_.line_start(line);
    next_line_start_ = std::min(file_.text().find('\n', line_start_), file_.text().size() - 1) + 1;
    line_ = line;
  }

  const SourceFile& file_;
  std::string_view text_;
  size_t begin_;
  uint32_t line_ = 0;
  size_t line_start_ = 0;
  size_t next_line_start_ = 0;
};

// The most strings with `\'` in a document; it is read again for each.
constexpr int kMostReadings = 100;

// Turns the events of one document into its tree and, with a recorder, its syntax.
class DocumentReader {
 public:
  // `recorder` may be nullptr.
  DocumentReader(const SourceFile& file, const Chunk& chunk, const std::vector<size_t>& backslashes,
                 TreeBuilder& builder, base::Arena& arena, SyntaxRecorder* recorder)
      : chunk_(chunk),
        text_(chunk.text),
        backslashes_(backslashes),
        places_(file, chunk),
        builder_(builder),
        scalars_(builder, arena, file.text()),
        recorder_(recorder) {}

  void read() {
    if (const auto simple = read_simple(text_)) {
      for (const Event& event : simple->events) add(event);
    } else {
      read_any();
    }
  }

 private:
  // A collection that is being read.
  struct Level {
    bool is_map = false;
    bool is_flow = false;
    bool expects_key = true;
  };

  void read_any() {
    EventStream events(chunk_, backslashes_);
    try {
      for (Event event = events.next(); event.type != Event::Type::End; event = events.next()) add(event);
      warn_of_rest();
    } catch (const SyntaxError& error) {
      std::vector<base::Edit> fix;
      if (error.lacks_space != std::string::npos) {
        const Origin at = places_.origin(error.lacks_space);
        fix = {{{at.file(), at.line(), at.column(), at.line(), at.column()}, " "}};
      }
      builder_.fail("yaml/syntax", places_.origin(error.offset, in_flow()), error.message, error.hint, {},
                    std::move(fix));
    }
  }

  bool in_flow() const { return !levels_.empty() && levels_.back().is_flow; }

  void add(const Event& event) {
    switch (event.type) {
      case Event::Type::Scalar: scalar(event); break;
      case Event::Type::Alias: alias(event); break;
      case Event::Type::OpenList: open(event, false); break;
      case Event::Type::OpenMap: open(event, true); break;
      case Event::Type::Close: close(event); break;
      case Event::Type::End: break;
    }
  }

  void scalar(const Event& event) {
    record_indicator(event.start);
    const bool is_absent = event.start == event.end;
    if (recorder_) {
      const bool is_plain = event.anchor.empty() && event.tag.empty();
      recorder_->leaf(is_absent ? Syntax::Kind::Absent : Syntax::Kind::Scalar, is_plain, event.start,
                      event.end);
    }
    // libyaml lets a value end a document that ends right after its indicator, and a block scalar too.
    scalars_.add(event, event.begin == event.end ? absent_origin(event.begin)
                                                 : places_.origin(event.begin, in_flow()));
    end_ = std::max(end_, event.end);
    end_node();
  }

  void alias(const Event& event) {
    record_indicator(event.start);
    if (recorder_) recorder_->leaf(Syntax::Kind::Alias, false, event.start, event.end);
    builder_.alias(event.text, places_.origin(event.begin, in_flow()));
    end_ = event.end;
    end_node();
  }

  void open(const Event& event, bool is_map) {
    record_indicator(event.start);
    const bool has_bracket = event.flow && (text_[event.begin] == '[' || text_[event.begin] == '{');
    if (recorder_) {
      const bool is_pair = event.flow && !has_bracket;
      recorder_->open(is_map, has_bracket, event.start == event.begin && !is_pair, event.start);
    }
    builder_.open(is_map, event.anchor, places_.origin(event.begin, in_flow()));
    levels_.push_back({is_map, event.flow});
    end_ = event.begin + (has_bracket ? 1 : 0);
  }

  void close(const Event& event) {
    if (levels_.back().is_flow) end_ = std::max(end_, event.end);
    levels_.pop_back();
    if (recorder_) recorder_->close(end_);
    builder_.close();
    end_node();
  }

  void end_node() {
    if (!levels_.empty()) levels_.back().expects_key = !levels_.back().expects_key;
  }

  // A missing value is placed at its key or its dash.
  Origin absent_origin(size_t offset) {
    if (levels_.empty()) return places_.origin(offset);
    const Level& level = levels_.back();
    if (level.is_map && !level.expects_key) return builder_.key_origin();
    const bool after_dash = !level.is_map && !level.is_flow && offset > 0 && text_[offset - 1] == '-';
    return places_.origin(after_dash ? offset - 1 : offset, level.is_flow);
  }

  // Records the dash of a list item, or the `?` of a key, which is between the previous value and this one.
  void record_indicator(size_t begin) {
    if (!recorder_ || levels_.empty() || (levels_.back().is_map && !levels_.back().expects_key)) return;
    size_t at = skip_gap(text_, end_);
    if (levels_.back().is_flow && text_.substr(at, 1) == ",") at = skip_gap(text_, at + 1);
    if (levels_.back().is_map && text_.substr(at, 1) == "?" && at < begin) recorder_->question_mark();
    if (!levels_.back().is_map && !levels_.back().is_flow) recorder_->dash(at);
  }

  // Warns about what follows the document's value: Kubernetes' parser drops it.
  void warn_of_rest() {
    const size_t rest = skip_gap(text_, end_);
    if (rest >= text_.size()) return;
    builder_.warn("yaml/after-document-end", places_.origin(rest),
                  "the document's value ends above: Kubernetes ignores everything from here on",
                  "indent it like its siblings, or put a line \"---\" before it");
  }

  const Chunk& chunk_;
  std::string_view text_;
  const std::vector<size_t>& backslashes_;
  Places places_;
  TreeBuilder& builder_;
  ScalarBuilder scalars_;
  SyntaxRecorder* recorder_;
  size_t end_ = 0;  // of what has been read so far
  std::vector<Level> levels_;
};

void report_many_escapes(const SourceFile& file, const Chunk& chunk, size_t offset,
                         base::Diagnostics& diagnostics) {
  const Origin at = Places(file, chunk).origin(offset);
  diagnostics.add(rules::finding(
      "yaml/syntax",
      fmt::format("more than {} strings of this document contain the escape \\'", kMostReadings),
      "write ' without the backslash", {&file, at.line(), at.column(), at.line(), at.column() + 2}));
}

// Reads one document, without the backslashes that OtherEscapes named. `recorder` may be nullptr.
const Node* read_once(const SourceFile& file, const Chunk& chunk, const std::vector<size_t>& backslashes,
                      base::Arena& arena, base::Diagnostics& diagnostics, const ReadLimits& limits,
                      SyntaxRecorder* recorder) {
  TreeBuilder builder(file, chunk.text, arena, diagnostics, limits);
  try {
    DocumentReader(file, chunk, backslashes, builder, arena, recorder).read();
  } catch (const StopReading&) {
    // The error has been reported.
  }
  return builder.root();
}

const Node* read_yaml(const SourceFile& file, const Chunk& chunk, base::Arena& arena,
                      base::Diagnostics& diagnostics, const ReadLimits& limits,
                      std::optional<Syntax>* syntax = nullptr) {
  std::vector<size_t> backslashes;
  for (int again = 0;; ++again) {
    SyntaxRecorder recorder(file, static_cast<size_t>(chunk.text.data() - file.text().data()));
    base::Diagnostics found;
    try {
      const Node* root =
          read_once(file, chunk, backslashes, arena, found, limits, syntax ? &recorder : nullptr);
      if (syntax) *syntax = recorder.take();
      diagnostics.append(std::move(found));
      return root;
    } catch (const OtherEscapes& escapes) {
      if (again < kMostReadings) {
        backslashes.insert(backslashes.end(), escapes.backslashes.begin(), escapes.backslashes.end());
        continue;
      }
      report_many_escapes(file, chunk, escapes.backslashes.front(), diagnostics);
      return nullptr;
    }
  }
}

bool check_size(const SourceFile& file, const ReadLimits& limits, base::Diagnostics& diagnostics) {
  if (file.text().size() <= limits.max_bytes) return true;
  diagnostics.add(rules::finding("yaml/too-large",
                                 fmt::format("the file is larger than {} MiB", limits.max_bytes >> 20U), "",
                                 {&file, 0, 0, 0, 0}));
  return false;
}

// Whether kubectl tries JSON first: it looks only at the beginning of the file.
bool begins_as_json(const SourceFile& file) {
  const size_t first = file.text().find_first_not_of(base::kSpace);
  return first != std::string_view::npos && file.text()[first] == '{' && !file.had_byte_order_mark();
}

}  // namespace

std::vector<FoundDocument> find_documents(const SourceFile& file, base::Diagnostics& diagnostics,
                                          const ReadLimits& limits) {
  std::vector<FoundDocument> found;
  if (!check_size(file, limits, diagnostics) || !check_encoding(file, diagnostics)) return found;
  for (const Chunk& chunk : split_documents(file, diagnostics)) {
    const bool is_first = chunk.text.data() == file.text().data();
    found.push_back({&file, chunk.text, chunk.first_line, is_first && begins_as_json(file)});
  }
  return found;
}

namespace {

std::vector<Document> read_as_written(const FoundDocument& found, base::Arena& arena,
                                      base::Diagnostics& diagnostics, const ReadLimits& limits) {
  std::vector<Document> documents;
  const Chunk chunk{found.text, found.first_line};
  if (!check_characters(*found.file, chunk, diagnostics)) return documents;
  if (found.may_be_json && read_json(*found.file, chunk, arena, diagnostics, limits, documents))
    return documents;
  const Node* root = read_yaml(*found.file, chunk, arena, diagnostics, limits);
  if (root && !root->is_null()) documents.push_back({root, chunk.first_line, chunk.text});
  return documents;
}

}  // namespace

std::vector<Document> read_document(const FoundDocument& found, base::Arena& arena,
                                    base::Diagnostics& diagnostics, const ReadLimits& limits) {
  std::vector<Document> documents = read_as_written(found, arena, diagnostics, limits);
  if (!found.relocator) return documents;
  for (Document& document : documents)
    document.root = found.relocator->relocate(*document.root, Maker(arena));
  return documents;
}

std::vector<Document> read(const SourceFile& file, base::Arena& arena, base::Diagnostics& diagnostics,
                           const ReadLimits& limits) {
  std::vector<Document> documents;
  for (const FoundDocument& found : find_documents(file, diagnostics, limits)) {
    for (const Document& document : read_document(found, arena, diagnostics, limits))
      documents.push_back(document);
  }
  return documents;
}

std::optional<Syntax> read_syntax(const SourceFile& file, const Document& document) {
  base::Diagnostics ignored;
  base::Arena arena;
  const Chunk chunk{document.text, document.first_line};
  std::optional<Syntax> syntax;
  if (!read_yaml(file, chunk, arena, ignored, {}, &syntax)) return std::nullopt;
  return syntax;
}

Text::Text(std::string_view text) : file_("", std::string(text)) {
  base::Diagnostics found;
  const std::vector<Document> documents = read(file_, arena_, found);
  if (documents.size() == 1 && found.empty()) root_ = documents.front().root;
}

}  // namespace trainjobc::yaml
