// SPDX-License-Identifier: Apache-2.0

#include "base/source.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace trainjobc::base {

SourceFile::SourceFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  if (text_.starts_with("\xEF\xBB\xBF")) {
    text_.erase(0, 3);
    had_byte_order_mark_ = true;
  }
  // Readers leave room for a whole block, and there may be thousands of files; a large one is not copied.
  if (text_.capacity() - text_.size() > text_.size() / 8) text_.shrink_to_fit();
  line_starts_.push_back(0);
  if (text_.size() > std::numeric_limits<uint32_t>::max()) return;  // no reader takes a file of this size
  for (size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) {
    if (at + 1 == text_.size()) break;
    if (line_count_++ % kStride == 0) line_starts_.push_back(static_cast<uint32_t>(at + 1));
  }
}

size_t SourceFile::line_start(uint32_t number) const {
  if (number == 0 || number > line_count_) return text_.size();
  size_t start = line_starts_[(number - 1) / kStride];
  for (uint32_t left = (number - 1) % kStride; left > 0; --left) start = text_.find('\n', start) + 1;
  return start;
}

uint32_t SourceFile::line_at(size_t offset) const {
  const auto after = std::ranges::upper_bound(line_starts_, offset);
  auto line = static_cast<uint32_t>(after - line_starts_.begin() - 1) * kStride + 1;
  const size_t end = std::min(offset, text_.size());
  for (size_t at = text_.find('\n', *std::prev(after)); at < end && line < line_count_;
       at = text_.find('\n', at + 1))
    ++line;
  return line;
}

std::string_view SourceFile::line(uint32_t number) const {
  if (number == 0 || number > line_count_) return {};
  const size_t begin = line_start(number);
  const size_t end = std::min(text_.find('\n', begin), text_.size());
  std::string_view line = std::string_view(text_).substr(begin, end - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace trainjobc::base
