// SPDX-License-Identifier: Apache-2.0

// Source files, and places in them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::base {

// The text of one input and the name it is reported under. Immutable; a SourceFile* must not
// outlive the SourceStore that owns the file.
class SourceFile {
 public:
  SourceFile(std::string name, std::string text);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  // Line `number`, counted from 1, without its line break; empty if there is no such line.
  std::string_view line(uint32_t number) const;
  uint32_t line_count() const { return line_count_; }
  // Byte offset of a line's first character; the text's size if there is no such line.
  size_t line_start(uint32_t number) const;
  // The number of the line that holds the byte at `offset`; the last line for anything after the text.
  uint32_t line_at(size_t offset) const;
  // The number of UTF-16 code units between the beginning of a line and one of its bytes. As fast near the
  // end of a long line as at its beginning, and so is the way back, utf16_offset.
  size_t utf16_units(uint32_t line, size_t bytes) const;
  size_t utf16_offset(uint32_t line, size_t units) const;
  // Whether the input began with a UTF-8 byte order mark, which text() leaves out.
  bool had_byte_order_mark() const { return had_byte_order_mark_; }

 private:
  // Every kStride lines, or kStep bytes, one start is kept: a large file has millions of lines, and few are
  // asked for.
  static constexpr uint32_t kStride = 16;
  static constexpr size_t kStep = 1024;

  struct LineStart {
    uint32_t line = 1;
    uint32_t offset = 0;
  };
  // A byte of a long line, and the number of UTF-16 code units before it.
  struct Mark {
    uint32_t offset = 0;
    uint32_t units = 0;
  };

  LineStart start_before(uint32_t line) const;
  void mark_line(size_t begin, size_t end);
  std::span<const Mark> marks_of(size_t begin, size_t end) const;

  std::string name_;
  std::string text_;
  std::vector<LineStart> line_starts_;  // of the first line, then every kStride lines or kStep bytes
  std::vector<Mark> marks_;             // every kStep bytes of longer lines
  uint32_t line_count_ = 1;
  bool had_byte_order_mark_ = false;
};

// A range of a file. Lines and columns count from 1; columns count bytes; `end_column` is one past the last
// byte. `line == 0` means the whole file, `file == nullptr` no place at all.
struct Location {
  const SourceFile* file = nullptr;
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t end_line = 0;
  uint32_t end_column = 0;

  bool operator==(const Location&) const = default;

  // "" without a file.
  std::string file_name() const { return file ? file->name() : ""; }
};

// "jobs/llama.yaml:8"
std::string place_of(const Location& location);
// The line, including its line break.
Location whole_line(const SourceFile& file, uint32_t line);

}  // namespace trainjobc::base
