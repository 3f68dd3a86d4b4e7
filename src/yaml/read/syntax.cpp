// SPDX-License-Identifier: Apache-2.0

#include "yaml/read/syntax.h"

#include <utility>

#include "base/text/ascii.h"

namespace trainjobc::yaml {

void SyntaxRecorder::open(bool is_map, bool is_flow, bool is_plain, size_t begin) {
  Syntax value;
  value.kind = is_map ? Syntax::Kind::Map : Syntax::Kind::List;
  value.flow = is_flow;
  value.plain = std::exchange(plain_, true) && is_plain;
  value.begin = value.end = begin + file_offset_;
  const auto dash = std::exchange(dash_, std::nullopt);
  value.lead = dash ? *dash + file_offset_ : value.begin;
  open_.push_back(std::move(value));
}

// A block collection ends with its last value.
void SyntaxRecorder::close(size_t end) {
  Syntax value = std::move(open_.back());
  open_.pop_back();
  if (value.flow) {
    value.end = end + file_offset_;
  } else if (!value.children.empty()) {
    value.end = value.children.back().end;
  }
  put(std::move(value));
}

void SyntaxRecorder::leaf(Syntax::Kind kind, bool is_plain, size_t begin, size_t end) {
  Syntax value;
  value.kind = kind;
  value.plain = std::exchange(plain_, true) && is_plain;
  value.begin = begin + file_offset_;
  value.end = trimmed(value.begin, end + file_offset_);
  const auto dash = std::exchange(dash_, std::nullopt);
  value.lead = dash ? *dash + file_offset_ : value.begin;
  put(std::move(value));
}

std::optional<Syntax> SyntaxRecorder::take() {
  return std::exchange(root_, std::nullopt);
}

void SyntaxRecorder::put(Syntax value) {
  if (open_.empty()) {
    root_ = std::move(value);
  } else {
    open_.back().children.push_back(std::move(value));
  }
}

size_t SyntaxRecorder::trimmed(size_t begin, size_t end) const {
  while (end > begin && base::kSpace.find(file_.text()[end - 1]) != std::string_view::npos) --end;
  return end;
}

}  // namespace trainjobc::yaml
