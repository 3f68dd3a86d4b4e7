// SPDX-License-Identifier: Apache-2.0
#include "features/lsp/features/sketch_scan.h"

#include <algorithm>

#include "base/text/text.h"

namespace trainjobc::lsp {

size_t SketchScan::after_blanks(size_t at) const {
  return std::min(text_.find_first_not_of(base::kBlanks, at), text_.size());
}

bool SketchScan::ends_line(size_t at) const {
  if (at >= text_.size() || text_[at] == '\n') return true;
  return text_[at] == '\r' && (at + 1 >= text_.size() || text_[at + 1] == '\n');
}

bool SketchScan::ends_content(size_t at) const {
  return ends_line(at) ||
         (text_[at] == '#' && (at == 0 || base::kSpace.find(text_[at - 1]) != std::string_view::npos));
}

size_t SketchScan::end_of_line(size_t at) const {
  const size_t end = std::min(text_.find('\n', at), text_.size());
  return end > at && text_[end - 1] == '\r' ? end - 1 : end;
}

size_t SketchScan::next_line(size_t at) const {
  return std::min(std::min(text_.find('\n', at), text_.size()) + 1, text_.size());
}

size_t SketchScan::line_start(size_t at) const {
  return at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;  // npos + 1 is 0
}

bool SketchScan::is_dash(size_t at) const {
  return at < text_.size() && text_[at] == '-' && (ends_line(at + 1) || base::is_blank(text_[at + 1]));
}

size_t SketchScan::after_properties(size_t at) const {
  while (at < text_.size() && (text_[at] == '&' || text_[at] == '!')) {
    while (!ends_line(at) && !base::is_blank(text_[at])) ++at;
    at = after_blanks(at);
  }
  return at;
}

bool SketchScan::begins_value(size_t at) const {
  constexpr std::string_view kBegins = "[{\"'|>";
  return ends_content(at) || kBegins.find(text_[at]) != std::string_view::npos;
}

size_t SketchScan::end_of_plain(size_t at) const {
  size_t end = at;
  for (; !ends_line(at); ++at) {
    if (text_[at] == '#' && (at == 0 || base::is_blank(text_[at - 1]))) break;
    if (!base::is_blank(text_[at])) end = at + 1;
  }
  return end;
}

size_t SketchScan::end_of_quoted(size_t at, int column) const {
  const char quote = text_[at];
  const size_t first_end = end_of_line(at);
  for (size_t i = at + 1; i < text_.size(); ++i) {
    if (text_[i] == '\\' && quote == '"') {
      ++i;
    } else if (text_[i] == quote) {
      if (quote == '\'' && i + 1 < text_.size() && text_[i + 1] == quote) {
        ++i;
      } else {
        return i + 1;
      }
    }
    if (i < text_.size() && text_[i] == '\n') {
      const size_t content = after_blanks(i + 1);
      if (!ends_line(content) && static_cast<int>(content - i - 1) <= column) break;
    }
  }
  return first_end;
}

std::string SketchScan::plain_text(size_t begin, size_t end) const {
  std::string_view text = text_.substr(begin, end - begin);
  if (!text.empty() && (text.front() == '"' || text.front() == '\'')) {
    const char quote = text.front();
    text.remove_prefix(1);
    if (!text.empty() && text.back() == quote) text.remove_suffix(1);
  }
  return std::string(text);
}

std::optional<SketchScan::Key> SketchScan::find_key(size_t at) const {
  if (ends_content(at)) return std::nullopt;
  const auto is_colon = [&](size_t i) {
    return i < text_.size() && text_[i] == ':' && (ends_line(i + 1) || base::is_blank(text_[i + 1]));
  };
  if (text_[at] == '"' || text_[at] == '\'') {
    const size_t end = std::min(end_of_quoted(at, 0), end_of_line(at));
    const size_t colon = after_blanks(end);
    return is_colon(colon) ? std::optional(Key{at, end, colon}) : std::nullopt;
  }
  if (begins_value(at)) return std::nullopt;
  size_t end = at;
  for (size_t i = at; !ends_content(i); ++i) {
    if (is_colon(i)) return Key{at, end, i};
    if (!base::is_blank(text_[i])) end = i + 1;
  }
  return std::nullopt;
}

namespace {

constexpr size_t kDeepestFlow = 100;

class FlowSketcher {
 public:
  FlowSketcher(const SketchScan& scan, size_t at, int column) : scan_(scan), at_(at), column_(column) {}

  // The collection at the bracket `at_`.
  Sketch read_collection() {
    const bool is_map = scan_[at_] == '{';
    Sketch sketch{.kind = is_map ? Sketch::Kind::Map : Sketch::Kind::List, .flow = true, .begin = at_};
    last_ = ++at_;
    ++depth_;
    while (skip_space()) {
      const char c = scan_[at_];
      if (c == ']' || c == '}') {
        last_ = ++at_;
        break;
      }
      if (c == ',') {
        last_ = ++at_;
        continue;
      }
      sketch.entries.push_back(is_map ? read_pair() : read_item());
    }
    --depth_;
    sketch.end = last_;
    return sketch;
  }

 private:
  // Moves to the next character that counts; false where the collection ends without its bracket.
  bool skip_space() {
    for (;;) {
      at_ = scan_.after_blanks(at_);
      if (at_ >= scan_.size()) return false;
      if (!scan_.ends_content(at_)) return true;
      const size_t line = scan_.next_line(at_);
      const size_t content = scan_.after_blanks(line);
      const bool is_closing = content < scan_.size() && (scan_[content] == ']' || scan_[content] == '}');
      if (content < scan_.size() && !scan_.ends_content(content) && !is_closing &&
          static_cast<int>(content - line) <= column_)
        return false;
      at_ = content;
      if (content >= scan_.size()) return false;
    }
  }

  bool is_colon() const {
    if (at_ >= scan_.size() || scan_[at_] != ':') return false;
    constexpr std::string_view kAfter = " \t\r\n,[]{}";
    return at_ + 1 >= scan_.size() || after_quote_ || kAfter.find(scan_[at_ + 1]) != std::string_view::npos;
  }

  // A quoted or plain word; empty before a bracket or comma.
  Sketch read_word() {
    Sketch word{.kind = Sketch::Kind::Scalar, .begin = at_};
    const char first = scan_[at_];
    after_quote_ = first == '"' || first == '\'';
    if (after_quote_) {
      at_ = std::min(scan_.end_of_quoted(at_, column_), scan_.end_of_line(at_));
    } else {
      constexpr std::string_view kEnds = ",[]{}";
      size_t end = at_;
      while (!scan_.ends_content(at_) && kEnds.find(scan_[at_]) == std::string_view::npos && !is_colon()) {
        if (!base::is_blank(scan_[at_])) end = at_ + 1;
        ++at_;
      }
      at_ = end;
    }
    word.end = last_ = at_;
    word.text = scan_.plain_text(word.begin, word.end);
    if (word.begin == word.end) word.kind = Sketch::Kind::Absent;
    return word;
  }

  Sketch read_value() {
    at_ = scan_.after_properties(at_);
    if (scan_.ends_content(at_) && !skip_space()) return {.begin = last_, .end = last_};
    const char c = scan_[at_];
    if ((c == '[' || c == '{') && depth_ < kDeepestFlow) return read_collection();
    Sketch word = read_word();
    if (word.begin == word.end && c != ',' && c != ']' && c != '}') ++at_;  // a colon, or too deep
    return word;
  }

  SketchEntry read_pair() {
    const Sketch key = read_word();
    SketchEntry entry{.key = key.text, .begin = key.begin, .key_end = key.end};
    const size_t before = at_;
    at_ = scan_.after_blanks(at_);
    entry.is_complete = is_colon();
    if (entry.is_complete) {
      last_ = ++at_;
      at_ = scan_.after_blanks(at_);
      if (at_ >= scan_.size()) {
        entry.value.begin = entry.value.end = last_;
      } else {
        entry.value = read_value();
      }
    } else {
      at_ = before;
      if (key.begin == key.end) ++at_;  // a bracket that opens where a key should be
    }
    entry.end = last_;
    return entry;
  }

  SketchEntry read_item() {
    SketchEntry item{.begin = at_, .key_end = at_};
    item.value = read_value();
    at_ = scan_.after_blanks(at_);
    if (item.value.is_scalar() && is_colon()) {  // [key: value]
      SketchEntry pair{.key = item.value.text, .begin = item.value.begin, .key_end = item.value.end};
      last_ = ++at_;
      at_ = scan_.after_blanks(at_);
      if (at_ < scan_.size()) pair.value = read_value();
      pair.end = last_;
      item.value = {.kind = Sketch::Kind::Map, .flow = true, .begin = pair.begin, .end = pair.begin};
      item.value.entries.push_back(std::move(pair));
    }
    item.end = last_;
    return item;
  }

  const SketchScan& scan_;
  size_t at_;
  int column_;
  size_t last_ = 0;
  size_t depth_ = 0;
  bool after_quote_ = false;  // the last word was quoted: its colon needs no blank
};

}  // namespace

Sketch sketch_flow(const SketchScan& scan, size_t at, int column) {
  return FlowSketcher(scan, at, column).read_collection();
}

}  // namespace trainjobc::lsp
