// SPDX-License-Identifier: Apache-2.0

#include "base/source.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/text/text.h"

namespace trainjobc::base {

SourceFile::SourceFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  if (text_.starts_with("\xEF\xBB\xBF")) {
    text_.erase(0, 3);
    had_byte_order_mark_ = true;
  }
  // Readers reserve a whole block, and there may be thousands of files; a large text is not copied.
  if (text_.capacity() - text_.size() > text_.size() / 8) text_.shrink_to_fit();
  line_starts_.push_back({});
  if (text_.size() > std::numeric_limits<uint32_t>::max()) return;  // no reader accepts a file of this size
  for (size_t begin = 0; begin < text_.size();) {
    const size_t end = std::min(text_.find('\n', begin), text_.size());
    if (end - begin > kStep) mark_line(begin, end);
    begin = end + 1;
    if (begin >= text_.size()) break;
    ++line_count_;
    const LineStart& last = line_starts_.back();
    if (line_count_ - last.line >= kStride || begin - last.offset >= kStep)
      line_starts_.push_back({line_count_, static_cast<uint32_t>(begin)});
  }
}

void SourceFile::mark_line(size_t begin, size_t end) {
  if (line_starts_.back().line !=
      line_count_)  // so that the line start before a mark is that of its own line
    line_starts_.push_back({line_count_, static_cast<uint32_t>(begin)});
  size_t units = 0;
  for (size_t at = begin; at < end; at += kStep) {
    marks_.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(units)});
    units += utf16_length(std::string_view(text_).substr(at, std::min(kStep, end - at)));
  }
}

SourceFile::LineStart SourceFile::start_before(uint32_t line) const {
  return *std::prev(std::ranges::upper_bound(line_starts_, line, {}, &LineStart::line));
}

size_t SourceFile::line_start(uint32_t number) const {
  if (number == 0 || number > line_count_) return text_.size();
  const LineStart known = start_before(number);
  size_t start = known.offset;
  for (uint32_t left = number - known.line; left > 0; --left) start = text_.find('\n', start) + 1;
  return start;
}

uint32_t SourceFile::line_at(size_t offset) const {
  const LineStart known = *std::prev(std::ranges::upper_bound(line_starts_, offset, {}, &LineStart::offset));
  const size_t end = std::min(offset, text_.size());
  uint32_t line = known.line;
  // Don't search past `end`, nor from the beginning of a long line: that may be much more text.
  const std::string_view before = std::string_view(text_).substr(0, end);
  const std::span<const Mark> marks = marks_of(known.offset, end);
  const size_t begin = marks.empty() ? known.offset : marks.back().offset;
  for (size_t at = before.find('\n', begin); at < end && line < line_count_; at = before.find('\n', at + 1))
    ++line;
  return line;
}

std::string_view SourceFile::line(uint32_t number) const {
  if (number == 0 || number > line_count_) return {};
  const size_t begin = line_start(number);
  size_t end = number < line_count_ ? line_start(number + 1) - 1 : text_.size();
  if (number == line_count_ && text_.ends_with('\n')) --end;
  std::string_view line = std::string_view(text_).substr(begin, end - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::span<const SourceFile::Mark> SourceFile::marks_of(size_t begin, size_t end) const {
  const auto first = std::ranges::lower_bound(marks_, begin, {}, &Mark::offset);
  return {first, std::ranges::lower_bound(first, marks_.end(), end, {}, &Mark::offset)};
}

size_t SourceFile::utf16_units(uint32_t number, size_t bytes) const {
  const std::string_view whole = line(number);
  const size_t inside = std::min(bytes, whole.size());
  if (inside < kStep) return utf16_length(whole.substr(0, inside));
  const size_t begin = line_start(number);
  const Mark& mark = marks_of(begin, begin + inside + 1).back();
  return mark.units + utf16_length(whole.substr(mark.offset - begin, begin + inside - mark.offset));
}

size_t SourceFile::utf16_offset(uint32_t number, size_t units) const {
  const std::string_view whole = line(number);
  if (whole.size() <= kStep) return base::utf16_offset(whole, units);
  const size_t begin = line_start(number);
  const std::span<const Mark> marks = marks_of(begin, begin + whole.size());
  // The mark before must have fewer units: one with as many may be in the middle of the character.
  const auto after = std::ranges::lower_bound(marks, units, {}, &Mark::units);
  const Mark& mark = after == marks.begin() ? marks.front() : *std::prev(after);
  const size_t from = mark.offset - begin;
  return from + base::utf16_offset(whole.substr(from), units - mark.units);
}

std::string place_of(const Location& location) {
  return location.file_name() + ":" + std::to_string(location.line);
}

Location whole_line(const SourceFile& file, uint32_t line) {
  if (line < file.line_count()) return {&file, line, 1, line + 1, 1};
  const size_t size = file.text().size() - file.line_start(line);
  return {&file, line, 1, line, static_cast<uint32_t>(size + 1)};
}

}  // namespace trainjobc::base
