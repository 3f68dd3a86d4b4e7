// The scalar styles, step for step as go.yaml.in/yaml/v2 scans them.
#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/utf8.h"
#include "yaml/lexer.h"

namespace trainjobc::yaml {
namespace {

// What may end or fold a scalar's run of bytes. Bytes of UTF-8 line breaks are looked at more closely.
constexpr std::string_view kBreakBytes = "\n\r\xC2\xE2";
constexpr std::string_view kPlainStops = " \t\n\r\xC2\xE2:";
constexpr std::string_view kPlainFlowStops = " \t\n\r\xC2\xE2:,?[]{}";

class ByteSet {
 public:
  constexpr explicit ByteSet(std::string_view bytes) {
    for (const char c : bytes) has_[static_cast<unsigned char>(c)] = true;
  }
  constexpr bool has(char c) const { return has_[static_cast<unsigned char>(c)]; }
  size_t find(std::string_view text, size_t at) const {
    while (at < text.size() && !has(text[at])) ++at;
    return at;
  }

 private:
  std::array<bool, 256> has_{};
};

constexpr ByteSet kBreak(kBreakBytes);
constexpr ByteSet kPlainStop(kPlainStops);
constexpr ByteSet kPlainFlowStop(kPlainFlowStops);
constexpr ByteSet kDoubleStop(" \t\n\r\xC2\xE2\"\\");
constexpr ByteSet kSingleStop(" \t\n\r\xC2\xE2'");

constexpr std::string_view kMarkerInside = "a document marker stands inside the string";

// A fold of line breaks: a single line feed becomes a space, of several the first is dropped.
void append_fold(std::string_view breaks, std::string& out) {
  if (!breaks.starts_with('\n')) {
    out += breaks;
  } else if (breaks.size() == 1) {
    out += ' ';
  } else {
    out += breaks.substr(1);
  }
}

}  // namespace

ScalarToken Lexer::scalar(int indent) {
  switch (peek()) {
    case '"':
    case '\'': return quoted(peek());
    case '|':
    case '>':
      if (!in_flow()) return block(indent);
      break;
    default: break;
  }
  if (!at_scalar()) fail_here();
  return plain(indent + 1);
}

// --- plain ---

size_t Lexer::plain_segment_end(size_t at) const {
  const ByteSet& stops = in_flow() ? kPlainFlowStop : kPlainStop;
  for (;; ++at) {
    at = stops.find(text_, at);
    if (at >= text_.size()) return at;
    const char c = text_[at];
    if (c == ':' ? is_blank_break_or_end(at + 1) : c != '\xC2' && c != '\xE2') return at;
    if (c != ':' && break_length(at) != 0) return at;
  }
}

Lexer::Gap Lexer::plain_gap(int indent) {
  Gap gap;
  const size_t begin = at_;
  while (true) {
    if (is_blank(at_)) {
      if (gap.broken && column() < indent && peek() == '\t') {
        fail(at_, "a tab can't indent YAML", "indent with spaces");
      }
      ++at_;
    } else if (break_length(at_) != 0) {
      gap.broken = true;
      read_break(gap.breaks);
    } else {
      break;
    }
  }
  gap.blanks = text_.substr(begin, at_ - begin);
  return gap;
}

ScalarToken Lexer::plain(int indent) {
  tab_indents_ = false;
  const size_t begin = at_;
  size_t end = at_;     // of the source that is part of the scalar so far
  bool folded = false;  // the text is in the buffer, for it is not what the source says
  Gap gap;
  while (true) {
    if (column() == 0 && at_document_marker()) fail(at_, std::string(kMarkerInside));
    if (peek() == '#') break;
    const size_t segment = at_;
    at_ = plain_segment_end(at_);
    if (at_ > segment) {
      if (gap.broken && !folded) {
        folded = true;
        buffer_ = text_.substr(begin, end - begin);
      }
      if (gap.broken) append_fold(gap.breaks, buffer_);
      if (folded && !gap.broken) buffer_ += gap.blanks;
      if (folded) buffer_ += text_.substr(segment, at_ - segment);
      end = at_;
      gap = {};
    }
    if (!is_blank(at_) && break_length(at_) == 0) break;
    gap = plain_gap(indent);
    if (!in_flow() && column() < indent) break;
  }
  tab_indents_ = gap.broken;
  if (folded) return {buffer_, true, false};
  return {text_.substr(begin, end - begin), true, true};
}

// --- quoted ---

ScalarToken Lexer::quoted(char quote) {
  tab_indents_ = false;
  const size_t begin = at_++;
  const std::string_view stops = quote == '"' ? "\"\\\n\r\xC2\xE2" : "'\n\r\xC2\xE2";
  const size_t plain_end = std::min(text_.find_first_of(stops, at_), text_.size());
  if (byte(plain_end) == quote && (quote == '"' || byte(plain_end + 1) != quote)) {
    at_ = plain_end + 1;
    return {text_.substr(begin + 1, plain_end - begin - 1), false, true};
  }
  buffer_.clear();
  while (true) {
    if (column() == 0 && at_document_marker()) fail(at_, std::string(kMarkerInside));
    if (at_end()) fail(begin, "this quote is not closed before the end of the document", "close it");
    bool broken = false;  // an escaped line break has begun a gap
    quoted_words(quote, broken);
    if (peek() == quote && !at_end()) break;
    quoted_gap(broken);
  }
  ++at_;
  return {buffer_, false, false};
}

// Reads up to white space, the closing quote or behind an escaped line break.
void Lexer::quoted_words(char quote, bool& broken) {
  const ByteSet& stops = quote == '"' ? kDoubleStop : kSingleStop;
  while (true) {
    const size_t end = stops.find(text_, at_);
    buffer_ += text_.substr(at_, end - at_);
    at_ = end;
    if (is_blank_break_or_end(at_)) return;
    if (peek() == '\'' && quote == '\'') {
      if (byte(at_ + 1) != '\'') return;
      buffer_ += '\'';
      at_ += 2;
    } else if (peek() == quote) {
      return;
    } else if (peek() == '\\' && quote == '"') {
      if (break_length(at_ + 1) != 0) {
        ++at_;
        pass_break();
        broken = true;
        return;
      }
      escape();
    } else {  // the first byte of a character that is no line break
      buffer_ += text_[at_++];
    }
  }
}

void Lexer::quoted_gap(bool broken) {
  const size_t begin = at_;
  std::string first;
  std::string more;
  const bool escaped = broken;
  while (true) {
    if (is_blank(at_)) {
      ++at_;
    } else if (break_length(at_) != 0) {
      read_break(broken ? more : first);
      broken = true;
    } else {
      break;
    }
  }
  if (!broken) {
    buffer_ += text_.substr(begin, at_ - begin);
  } else if (escaped) {
    buffer_ += more;
  } else {
    append_fold(first + more, buffer_);
  }
}

void Lexer::escape() {
  const size_t begin = at_++;
  constexpr std::string_view kNames = "0abt\tnvfre \"'\\";
  constexpr std::string_view kMeanings("\0\a\b\t\t\n\v\f\r\x1B \"'\\", 14);
  const char name = peek();
  ++at_;
  const size_t known = begin + 1 < text_.size() ? kNames.find(name) : std::string_view::npos;
  if (known != std::string_view::npos) {
    buffer_ += kMeanings[known];
    return;
  }
  size_t digits = 0;
  switch (name) {
    case 'N': return base::append_utf8(0x85, buffer_);
    case '_': return base::append_utf8(0xA0, buffer_);
    case 'L': return base::append_utf8(0x2028, buffer_);
    case 'P': return base::append_utf8(0x2029, buffer_);
    case 'x': digits = 2; break;
    case 'u': digits = 4; break;
    case 'U': digits = 8; break;
    default:
      fail(begin, "this escape is none that Kubernetes' YAML parser knows",
           "double the backslash, or use single quotes");
  }
  uint64_t value = 0;
  for (size_t i = 0; i < digits; ++i, ++at_) {
    const char c = static_cast<char>(peek() | 0x20);
    const bool is_digit = peek() >= '0' && peek() <= '9';
    if (!is_digit && (c < 'a' || c > 'f')) fail(begin, "this escape needs more hexadecimal digits");
    value = value * 16 + static_cast<uint64_t>(is_digit ? peek() - '0' : c - 'a' + 10);
  }
  if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    fail(begin, "this escape is no Unicode character", "write the character itself");
  }
  base::append_utf8(static_cast<uint32_t>(value), buffer_);
}

// --- block ---

Lexer::BlockHeader Lexer::block_header() {
  BlockHeader out;
  out.folded = text_[at_++] == '>';
  for (int i = 0; i < 2; ++i) {
    const char c = peek();
    if ((c == '+' || c == '-') && out.chomping == 0) {
      out.chomping = c == '+' ? 1 : -1;
      ++at_;
    } else if (base::is_digit(c) && out.increment == 0) {
      if (c == '0') fail(at_, "a block scalar can't be indented by 0");
      out.increment = c - '0';
      ++at_;
    }
  }
  while (is_blank(at_)) ++at_;
  skip_comment();
  if (at_end()) {
    line_break_ = at_;
    return out;
  }
  if (break_length(at_) == 0) fail(at_, "only a comment can follow the indicator of a block scalar");
  pass_break();
  return out;
}

// Passes indentation and empty lines; finds the indentation where it is not known yet (0).
void Lexer::block_breaks(int& indent, int outer, std::string& breaks) {
  int deepest = 0;
  while (true) {
    while ((indent == 0 || column() < indent) && peek() == ' ') ++at_;
    deepest = std::max(deepest, column());
    if ((indent == 0 || column() < indent) && peek() == '\t') {
      fail(at_, "a tab can't indent YAML", "indent with spaces");
    }
    if (at_end() && column() > 0) breaks += '\n';  // Kubernetes' line reader ends the last line
    if (break_length(at_) == 0) break;
    read_break(breaks);
  }
  if (indent == 0) indent = std::max({deepest, outer + 1, 1});
}

ScalarToken Lexer::block(int outer) {
  const BlockHeader header = block_header();
  int indent = header.increment > 0 ? std::max(outer, 0) + header.increment : 0;
  buffer_.clear();
  std::string leading;   // the break behind the last line
  std::string trailing;  // those of the empty lines below it
  block_breaks(indent, outer, trailing);
  bool was_blank = false;
  while (column() == indent && !at_end()) {
    const bool blank = is_blank(at_);
    if (header.folded && !was_blank && !blank && leading.starts_with('\n')) {
      if (trailing.empty()) buffer_ += ' ';
    } else {
      buffer_ += leading;
    }
    buffer_ += trailing;
    leading.clear();
    trailing.clear();
    was_blank = blank;
    size_t end = kBreak.find(text_, at_);
    while (end < text_.size() && break_length(end) == 0) end = kBreak.find(text_, end + 1);
    buffer_ += text_.substr(at_, end - at_);
    at_ = end;
    if (at_end()) {
      leading = '\n';  // Kubernetes' line reader ends the last line
      break;
    }
    read_break(leading);
    block_breaks(indent, outer, trailing);
  }
  if (header.chomping != -1) buffer_ += leading;
  if (header.chomping == 1) buffer_ += trailing;
  tab_indents_ = true;
  return {buffer_, false, false};
}

}  // namespace trainjobc::yaml
