// Lexer: one YAML document by the scanning rules of go.yaml.in/yaml/v2, the parser of Kubernetes.
//
// It finds no structure: it is told what comes next, walks the text to it and says what a scalar holds. Where
// the text is not what it was told, or not what that parser takes, it throws a SyntaxError.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "yaml/documents.h"
#include "yaml/node.h"

namespace trainjobc::yaml {

// Thrown inside the reader, which makes a diagnostic of it.
struct SyntaxError {
  size_t offset = 0;  // in the document's text
  std::string message;
  std::string hint;
};

struct ScalarToken {
  std::string_view text;
  bool plain = false;      // neither quoted nor a block scalar
  bool in_source = false;  // else the text lives in the lexer, until the next scalar is read
};

// What may stand before a value: `&anchor` and `!tag`, in either order.
struct Properties {
  std::string_view anchor;
  std::string tag;  // "" for none; "tag:yaml.org,2002:int" for !!int
};

class Lexer {
 public:
  Lexer(const base::SourceFile& file, const Chunk& chunk);

  // To the next token, over white space, comments and line breaks.
  void skip_gap();

  // The lexer stands before a token, or at the end, wherever these are asked.
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return byte(at_); }
  size_t offset() const { return at_; }
  // Bytes since the last line break.
  int column() const { return static_cast<int>(at_ - line_break_); }
  bool in_flow() const { return flow_depth_ > 0; }
  Origin origin() const;
  // Whether a scalar can begin here.
  bool at_scalar() const;

  // Takes `-`, `?` or `:` where it stands as an indicator. `simple` is a `:` right behind its key.
  bool take_indicator(char indicator, bool simple = false);
  // Takes a comma, or a bracket, and with it enters or leaves flow style.
  bool take_flow(char c);

  // Reads `&a !t`; none where none stands here. Those on later lines are deeper than `indent`.
  Properties properties(int indent, bool take_anchor = true, bool take_tag = true);
  // Reads `*name`.
  std::string_view alias();
  // Reads a scalar of any style; `indent` is the column of the block collection around it, -1 for none.
  ScalarToken scalar(int indent);

  // Reads on up to `end` as if every token could stand anywhere, to find out what is wrong with one.
  void scan_on(size_t end, int indent);

  // The place of an offset.
  Origin origin_at(size_t offset) const;

  [[noreturn]] void fail(size_t offset, std::string message, std::string hint = "") const;
  // What stands here can't stand here.
  [[noreturn]] void fail_here() const;

 private:
  char byte(size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  // The bytes of the line break at `at`; 0 where there is none.
  size_t break_length(size_t at) const;
  bool is_blank(size_t at) const { return byte(at) == ' ' || byte(at) == '\t'; }
  bool is_blank_break_or_end(size_t at) const;
  bool at_document_marker() const;
  void pass_break();
  void read_break(std::string& out);
  void skip_comment();

  ScalarToken plain(int indent);
  size_t plain_segment_end(size_t at) const;
  struct Gap {
    bool broken = false;      // a line break stands in it
    std::string_view blanks;  // where not broken
    std::string breaks;       // what the scalar gets for it, where broken
  };
  Gap plain_gap(int indent);
  ScalarToken quoted(char quote);
  void quoted_words(char quote, bool& broken);
  void quoted_gap(bool broken);
  void escape();
  ScalarToken block(int indent);
  struct BlockHeader {
    bool folded = false;
    int chomping = 0;  // -1 strip, 0 clip, 1 keep
    int increment = 0;
  };
  BlockHeader block_header();
  void block_breaks(int& indent, int outer, std::string& breaks);

  std::string_view anchor_name();
  std::string tag();
  std::string tag_uri(std::string head, bool found);

  const base::SourceFile& file_;
  std::string_view text_;
  size_t file_offset_;  // of the text in the file
  size_t at_ = 0;
  uint32_t line_;      // in the file, counted by line feeds
  size_t line_begin_;  // where that line begins; wraps below 0 for the first line behind a byte order mark
  size_t line_break_ = 0;  // where the line begins by YAML's line breaks
  int flow_depth_ = 0;
  bool tab_indents_ = true;  // a tab here would be indentation
  std::string buffer_;
};

}  // namespace trainjobc::yaml
