// SPDX-License-Identifier: Apache-2.0
// The tokens of a sketch.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "features/lsp/features/sketch.h"

namespace trainjobc::lsp {

// Looks at a text. All offsets may be its size.
class SketchScan {
 public:
  explicit SketchScan(std::string_view text) : text_(text) {}

  size_t size() const { return text_.size(); }
  char operator[](size_t at) const { return text_[at]; }

  size_t after_blanks(size_t at) const;
  // The line break, or the carriage return before it.
  bool ends_line(size_t at) const;
  // The same or a comment.
  bool ends_content(size_t at) const;
  size_t end_of_line(size_t at) const;
  size_t next_line(size_t at) const;
  size_t line_start(size_t at) const;
  // `-` and a blank or the end of its line.
  bool is_dash(size_t at) const;
  // After anchors and tags.
  size_t after_properties(size_t at) const;
  // Whether a value begins that can't be a plain word: a bracket, a quote, a block scalar.
  bool begins_value(size_t at) const;
  // The end of an unquoted scalar on its line, without a comment and blanks before it.
  size_t end_of_plain(size_t at) const;
  // After the closing quote; at the end of the line if there is none before the lines that are not deeper
  // than `column`.
  size_t end_of_quoted(size_t at, int column) const;
  // Without quotes.
  std::string plain_text(size_t begin, size_t end) const;

  struct Key {
    size_t begin = 0;
    size_t end = 0;
    size_t colon = 0;
  };
  // The key of a block's line; nullopt if there is none.
  std::optional<Key> find_key(size_t at) const;

 private:
  std::string_view text_;
};

// The collection in brackets at `at`. It ends before a line that is not deeper than `column`, unless that
// closes it.
Sketch sketch_flow(const SketchScan& scan, size_t at, int column);

}  // namespace trainjobc::lsp
