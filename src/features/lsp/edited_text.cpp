// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/edited_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text/text.h"

namespace trainjobc::lsp {
namespace {

// The size of a new part in bytes; a part of twice this size is split.
constexpr size_t kPartSize = 4096;

constexpr std::string_view kLineEnds = "\r\n";

// The size of the line end at `at`.
size_t line_end_size(std::string_view text, size_t at) {
  return text.substr(at).starts_with(kLineEnds) ? 2 : 1;
}

}  // namespace

EditedText::Part EditedText::make_part(std::string text) {
  Part part{std::move(text)};
  part.line_ends = static_cast<size_t>(std::ranges::count(part.text, '\n'));
  for (size_t at = part.text.find('\r'); at != std::string::npos; at = part.text.find('\r', at + 1)) {
    if (line_end_size(part.text, at) == 1) ++part.line_ends;
  }
  part.units = base::utf16_length(part.text);
  return part;
}

std::vector<EditedText::Part> EditedText::split(std::string_view text) {
  std::vector<Part> parts;
  do {
    size_t size = std::min(kPartSize, text.size());
    if (size > 0 && size < text.size() && text[size - 1] == '\r' && text[size] == '\n') ++size;
    parts.push_back(make_part(std::string(text.substr(0, size))));
    text.remove_prefix(size);
  } while (!text.empty());
  return parts;
}

std::string EditedText::text() const {
  std::string text;
  for (const Part& part : parts_) text += part.text;
  return text;
}

void EditedText::apply(const TextChange& change) {
  if (!change.range) return set(change.text);
  const Place begin = place_of(change.range->start);
  const Place end = place_of(std::max(change.range->start, change.range->end));
  replace(begin, std::max(begin, end), change.text);
}

void EditedText::replace(Place begin, Place end, std::string_view text) {
  std::string joined = parts_[begin.part].text.substr(0, begin.offset);
  joined.append(text).append(parts_[end.part].text, end.offset);
  const auto at = parts_.begin() + static_cast<ptrdiff_t>(begin.part);
  if (joined.size() < 2 * kPartSize) {
    *at = make_part(std::move(joined));
    parts_.erase(at + 1, parts_.begin() + static_cast<ptrdiff_t>(end.part) + 1);
    join_line_end(begin.part);
  } else {
    std::vector<Part> made = split(joined);
    const size_t last = begin.part + made.size() - 1;
    const auto next = parts_.erase(at, parts_.begin() + static_cast<ptrdiff_t>(end.part) + 1);
    parts_.insert(next, std::move_iterator(made.begin()), std::move_iterator(made.end()));
    join_line_end(last);
  }
  if (begin.part > 0) join_line_end(begin.part - 1);
}

// Joins a line end that an edit has divided after the part. Only parts without text can be between the two
// halves.
void EditedText::join_line_end(size_t part) {
  if (!parts_[part].text.ends_with('\r')) return;
  size_t next = part + 1;
  while (next < parts_.size() && parts_[next].text.empty()) ++next;
  if (next == parts_.size() || !parts_[next].text.starts_with('\n')) return;
  parts_[part] = make_part(parts_[part].text + '\n');
  parts_[next] = make_part(parts_[next].text.substr(1));
}

// Where the line begins; the end of the text if it has fewer lines.
EditedText::Place EditedText::begin_of_line(uint32_t line) const {
  size_t left = line;
  for (size_t i = 0; i < parts_.size() && left > 0; ++i) {
    const Part& part = parts_[i];
    if (part.line_ends < left) {
      left -= part.line_ends;
      continue;
    }
    size_t at = 0;
    for (; left > 0; --left) {
      at = part.text.find_first_of(kLineEnds, at);
      at += line_end_size(part.text, at);
    }
    return {i, at};
  }
  return left == 0 ? Place{} : Place{parts_.size() - 1, parts_.back().text.size()};
}

EditedText::Place EditedText::place_of(Position position) const {
  Place place = begin_of_line(position.line);
  size_t units = position.character;
  for (;; ++place.part, place.offset = 0) {
    const Part& part = parts_[place.part];
    std::string_view rest = std::string_view(part.text).substr(place.offset);
    const bool is_last = place.part + 1 == parts_.size();
    if (part.line_ends > 0) {
      const size_t line_end = rest.find_first_of(kLineEnds);
      if (is_last || line_end != std::string_view::npos) {
        rest = rest.substr(0, line_end);
        return {place.part, place.offset + base::utf16_offset(rest, units)};
      }
    }
    const size_t own = place.offset == 0 ? part.units : base::utf16_length(rest);
    if (is_last || units < own) return {place.part, place.offset + base::utf16_offset(rest, units)};
    units -= own;
  }
}

}  // namespace trainjobc::lsp
