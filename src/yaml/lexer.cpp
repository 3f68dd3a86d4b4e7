#include "yaml/lexer.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/utf8.h"

namespace trainjobc::yaml {
namespace {

bool is_word(char c) {
  return base::is_alnum(c) || c == '_' || c == '-';
}

bool is_uri(char c) {
  constexpr std::string_view kOther = ";/?:@&=+$,.!~*'()[]%";
  return is_word(c) || kOther.find(c) != std::string_view::npos;
}

int hex_digit(char c) {
  if (base::is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Lexer::Lexer(const base::SourceFile& file, const Chunk& chunk)
    : file_(file),
      text_(chunk.text),
      file_offset_(static_cast<size_t>(chunk.text.data() - file.text().data())),
      line_(chunk.first_line),
      line_begin_(file.line_start(chunk.first_line) - file_offset_) {}

void Lexer::fail(size_t offset, std::string message, std::string hint) const {
  throw SyntaxError{offset, std::move(message), std::move(hint)};
}

void Lexer::fail_here() const {
  if (at_end()) fail(at_, "the document ends where a value is still open");
  const base::CodePoint point = base::decode_utf8(text_.substr(at_));
  fail(at_, fmt::format("\"{}\" can't stand here", text_.substr(at_, std::max<size_t>(point.length, 1))));
}

Origin Lexer::origin() const {
  if (at_end()) return origin_at(at_);
  return {&file_, line_, static_cast<uint32_t>(at_ - line_begin_ + 1), in_flow()};
}

Origin Lexer::origin_at(size_t offset) const {
  // The end is behind the last thing that stands in the document.
  if (offset >= text_.size()) offset = text_.find_last_not_of(" \t\r\n") + 1;
  const size_t at = file_offset_ + offset;
  const uint32_t line = file_.line_at(at);
  return {&file_, line, static_cast<uint32_t>(at - file_.line_start(line) + 1), in_flow()};
}

size_t Lexer::break_length(size_t at) const {
  switch (byte(at)) {
    case '\n': return 1;
    case '\r':
      if (byte(at + 1) == '\n') return 2;
      // Kubernetes' line reader has dropped one "\r" of "\r\r\n" before its parser sees it.
      return byte(at + 1) == '\r' && byte(at + 2) == '\n' ? 3 : 1;
    case '\xC2': return byte(at + 1) == '\x85' ? 2 : 0;
    case '\xE2': return byte(at + 1) == '\x80' && (byte(at + 2) == '\xA8' || byte(at + 2) == '\xA9') ? 3 : 0;
    default: return 0;
  }
}

bool Lexer::is_blank_break_or_end(size_t at) const {
  return at >= text_.size() || is_blank(at) || break_length(at) != 0;
}

bool Lexer::at_document_marker() const {
  const std::string_view rest = text_.substr(at_);
  return (rest.starts_with("---") || rest.starts_with("...")) && is_blank_break_or_end(at_ + 3);
}

void Lexer::pass_break() {
  at_ += break_length(at_);
  line_break_ = at_;
  if (text_[at_ - 1] != '\n') return;
  ++line_;
  line_begin_ = at_;
}

void Lexer::read_break(std::string& out) {
  const size_t begin = at_;
  pass_break();
  if (text_[begin] == '\xE2') {
    out += text_.substr(begin, at_ - begin);
  } else {
    out += '\n';
  }
}

void Lexer::skip_comment() {
  if (peek() != '#') return;
  while (!at_end() && break_length(at_) == 0) ++at_;
}

void Lexer::skip_gap() {
  while (true) {
    if (column() == 0) {
      // Kubernetes splits at line feeds; behind another line break a marker ends up inside a document.
      if (at_document_marker()) fail(at_, "a document marker can't stand here");
      if (peek() == '%') {
        fail(at_, "a directive never reaches its document: Kubernetes splits files at the \"---\" below it",
             "remove it");
      }
    }
    while (peek() == ' ' || (peek() == '\t' && (in_flow() || !tab_indents_))) ++at_;
    if (peek() == '\t') fail(at_, "a tab can't indent YAML", "indent with spaces");
    skip_comment();
    if (at_end() || break_length(at_) == 0) return;
    pass_break();
    if (!in_flow()) tab_indents_ = true;
  }
}

bool Lexer::at_scalar() const {
  if (at_end()) return false;
  switch (peek()) {
    case '-': return !is_blank_break_or_end(at_ + 1);
    case '?':
    case ':': return !in_flow() && !is_blank_break_or_end(at_ + 1);
    case '|':
    case '>': return !in_flow();
    case ',':
    case '[':
    case ']':
    case '{':
    case '}':
    case '#':
    case '&':
    case '*':
    case '!':
    case '%':
    case '@':
    case '`': return false;
    default: return true;
  }
}

bool Lexer::take_indicator(char indicator, bool simple) {
  if (peek() != indicator || at_end()) return false;
  const bool anywhere = in_flow() && indicator != '-';
  if (!anywhere && !is_blank_break_or_end(at_ + 1)) return false;
  ++at_;
  tab_indents_ = !in_flow() && !simple;
  return true;
}

bool Lexer::take_flow(char c) {
  if (peek() != c || at_end()) return false;
  ++at_;
  if (c == '[' || c == '{') ++flow_depth_;
  if (c == ']' || c == '}') --flow_depth_;
  tab_indents_ = false;
  return true;
}

void Lexer::scan_on(size_t end, int indent) {
  while (true) {
    skip_gap();
    if (at_ >= end) return;
    properties(indent);
    if (peek() == '*') {
      alias();
    } else if (at_scalar()) {
      scalar(indent);
    } else if (!at_end()) {
      tab_indents_ = !in_flow();
      ++at_;
    }
  }
}

std::string_view Lexer::anchor_name() {
  const size_t begin = at_++;
  while (is_word(peek())) ++at_;
  constexpr std::string_view kEnds = "?:,]}%@`";
  if (at_ == begin + 1 || (!is_blank_break_or_end(at_) && kEnds.find(peek()) == std::string_view::npos)) {
    if (text_[begin] == '*') {
      fail(begin, "a value that begins with \"*\" is an alias, and this is no name of an anchor",
           "quote it if a string is meant");
    }
    fail(begin, R"(the name of an anchor is made of letters, digits, "_" and "-")",
         "quote the value if a string is meant");
  }
  tab_indents_ = false;
  return text_.substr(begin + 1, at_ - begin - 1);
}

std::string_view Lexer::alias() {
  return anchor_name();
}

Properties Lexer::properties(int indent, bool take_anchor, bool take_tag) {
  Properties out;
  while (true) {
    if (peek() == '&' && out.anchor.empty() && take_anchor) {
      out.anchor = anchor_name();
    } else if (peek() == '!' && out.tag.empty() && take_tag) {
      out.tag = tag();
    } else {
      return out;
    }
    const uint32_t line = line_;
    skip_gap();
    if (line_ != line && !in_flow() && column() <= indent) return out;
  }
}

std::string Lexer::tag() {
  const size_t begin = at_++;
  std::string out;
  if (peek() == '<') {
    ++at_;
    out = tag_uri("", false);
    if (peek() != '>') fail(begin, R"(a tag that begins with "!<" ends with ">")");
    ++at_;
  } else {
    const size_t word = at_;
    while (is_word(peek())) ++at_;
    const std::string name(text_.substr(word, at_ - word));
    if (peek() != '!') {
      out = tag_uri("!" + name, true);
    } else {
      ++at_;
      if (!name.empty()) fail(begin, fmt::format("the tag handle \"!{}!\" is not defined", name));
      out = tag_uri("tag:yaml.org,2002:", false);
    }
  }
  if (!is_blank_break_or_end(at_)) fail(begin, "a tag ends with white space");
  tab_indents_ = false;
  return out;
}

// Appends what follows of a tag to `head`; `found` says that it may be nothing.
std::string Lexer::tag_uri(std::string head, bool found) {
  for (; is_uri(peek()) && !at_end(); found = true) {
    if (peek() != '%') {
      head += text_[at_++];
      continue;
    }
    const int high = hex_digit(byte(at_ + 1));
    const int low = hex_digit(byte(at_ + 2));
    if (high < 0 || low < 0) fail(at_, "\"%\" in a tag begins a byte of two hexadecimal digits");
    head += static_cast<char>(high * 16 + low);
    at_ += 3;
  }
  if (!found) fail(at_, "the tag has no name");
  if (base::to_valid_utf8(head) != head) fail(at_, "the bytes of this tag are not UTF-8");
  return head;
}

}  // namespace trainjobc::yaml
