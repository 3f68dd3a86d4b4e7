// SPDX-License-Identifier: Apache-2.0

#include "yaml/read/events.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/text/text.h"

namespace trainjobc::yaml {
namespace {

// The length of the line break at `at`; 0 if there is none.
size_t break_length(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.empty()) return 0;
  switch (rest.front()) {
    case '\n':
    case '\r': return 1;
    case '\xC2': return rest.starts_with("\xC2\x85") ? 2 : 0;
    case '\xE2': return rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9") ? 3 : 0;
    default: return 0;
  }
}

// Kubernetes' line reader drops one "\r" of each "\r\r\n" before its parser sees it.
std::vector<size_t> without_doubled_returns(std::string_view text, std::vector<size_t> dropped) {
  const size_t others = dropped.size();
  for (size_t at = text.find("\r\r\n"); at != std::string_view::npos; at = text.find("\r\r\n", at + 2))
    dropped.push_back(at);
  std::inplace_merge(dropped.begin(), dropped.begin() + static_cast<std::ptrdiff_t>(others), dropped.end());
  return dropped;
}

std::string_view view(const yaml_char_t* text) {
  return text ? std::string_view(reinterpret_cast<const char*>(text)) : std::string_view();
}

size_t character_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte < 0x80) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

}  // namespace

size_t skip_gap(std::string_view text, size_t at) {
  while (at < text.size()) {
    if (base::is_blank(text[at])) {
      ++at;
    } else if (text[at] == '#') {
      while (at < text.size() && break_length(text, at) == 0) ++at;
    } else if (const size_t length = break_length(text, at)) {
      at += length;
    } else {
      return at;
    }
  }
  return at;
}

EventStream::EventStream(const Chunk& chunk, const std::vector<size_t>& backslashes)
    : text_(chunk.text),
      first_line_(chunk.first_line),
      dropped_(without_doubled_returns(text_, backslashes)) {
  is_plain_ = dropped_.empty() && base::is_ascii(text_);
  if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
  yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
  yaml_parser_set_input(&parser_, &EventStream::feed, this);
}

EventStream::~EventStream() {
  yaml_event_delete(&event_);
  yaml_parser_delete(&parser_);
}

// Passes libyaml the text, with the final line feed that Kubernetes' line reader adds.
int EventStream::feed(void* stream, unsigned char* buffer, size_t size, size_t* count) {
  auto& self = *static_cast<EventStream*>(stream);
  size_t written = 0;
  while (written < size && self.fed_ < self.text_.size()) {
    const bool more = self.next_dropped_ < self.dropped_.size();
    const size_t stop = more ? self.dropped_[self.next_dropped_] : self.text_.size();
    const size_t length = std::min(size - written, stop - self.fed_);
    std::memcpy(buffer + written, self.text_.data() + self.fed_, length);
    written += length;
    self.fed_ += length;
    if (more && self.fed_ == stop) {
      ++self.fed_;
      ++self.next_dropped_;
    }
  }
  if (self.fed_ == self.text_.size() && written < size) {
    ++self.fed_;
    if (!self.text_.ends_with('\n')) buffer[written++] = '\n';
  }
  *count = written;
  return 1;
}

size_t EventStream::offset(const yaml_mark_t& mark) {
  if (is_plain_) return std::min(mark.index, text_.size());
  if (mark.index < index_) index_ = at_ = passed_ = 0;
  const auto pass_dropped = [&] {
    for (; passed_ < dropped_.size() && dropped_[passed_] == at_; ++passed_) ++at_;
  };
  for (; index_ < mark.index && at_ < text_.size(); ++index_) {
    pass_dropped();
    at_ += character_length(text_[at_]);
  }
  return std::min(at_, text_.size());
}

Event EventStream::next() {
  yaml_event_delete(&event_);
  if (yaml_parser_parse(&parser_, &event_) == 0) fail();
  switch (event_.type) {
    case YAML_STREAM_START_EVENT: return next();
    case YAML_DOCUMENT_START_EVENT: check_marker(event_.data.document_start.implicit != 0); return next();
    case YAML_DOCUMENT_END_EVENT: check_marker(event_.data.document_end.implicit != 0); break;
    case YAML_SCALAR_EVENT: return scalar();
    case YAML_ALIAS_EVENT: {
      Event event{.type = Event::Type::Alias};
      event.start = event.begin = offset(event_.start_mark);
      event.end = offset(event_.end_mark);
      event.text = text_.substr(event.begin + 1, event.end - event.begin - 1);
      return event;
    }
    case YAML_SEQUENCE_START_EVENT:
      return collection(Event::Type::OpenList, event_.data.sequence_start.anchor,
                        event_.data.sequence_start.tag,
                        event_.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
    case YAML_MAPPING_START_EVENT:
      return collection(Event::Type::OpenMap, event_.data.mapping_start.anchor, event_.data.mapping_start.tag,
                        event_.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return close();
    default: break;
  }
  return {};
}

// Reads `&anchor` and `!tag` before a value, in either order. Further ones belong to its first key.
void EventStream::read_properties(Event& event, bool has_anchor, bool has_tag) const {
  size_t at = event.start;
  while (at < event.end) {
    const size_t word = at;
    if (text_[word] == '&' && has_anchor) {
      has_anchor = false;
      do ++at;
      while (at < text_.size() && (base::is_alnum(text_[at]) || text_[at] == '_' || text_[at] == '-'));
      event.anchor = text_.substr(word + 1, at - word - 1);
    } else if (text_[word] == '!' && has_tag) {
      has_tag = false;
      while (at < text_.size() && !base::is_blank(text_[at]) && break_length(text_, at) == 0) ++at;
      const std::string_view written = text_.substr(word, at - word);
      if (!written.starts_with("!<") && written.find_first_of(",[]{}") != std::string_view::npos)
        throw SyntaxError{word, "a tag must be followed by white space", ""};
      if (written == "!") event.tag = "!";
    } else {
      break;
    }
    at = skip_gap(text_, at);
  }
  event.begin = std::min(at, event.end);
}

Event EventStream::scalar() {
  const auto& scalar = event_.data.scalar;
  Event event{.type = Event::Type::Scalar, .plain = scalar.style == YAML_PLAIN_SCALAR_STYLE};
  event.start = event.begin = offset(event_.start_mark);
  event.end = offset(event_.end_mark);
  event.text = {reinterpret_cast<const char*>(scalar.value), scalar.length};
  event.tag = view(scalar.tag);
  read_properties(event, scalar.anchor != nullptr, true);
  // If the value is written as it is, the event can refer to the text without a copy.
  const std::string_view written = text_.substr(event.begin, event.end - event.begin);
  const std::string_view inside =
      event.plain || written.size() < 2 ? written : written.substr(1, written.size() - 2);
  if (inside == event.text) event.text = inside;
  check_scalar(event);
  last_scalar_ = event;
  last_scalar_.text = last_scalar_.tag = {};
  return event;
}

Event EventStream::collection(Event::Type type, const yaml_char_t* anchor, const yaml_char_t* tag,
                              bool flow) {
  Event event{.type = type, .flow = flow};
  event.start = event.begin = offset(event_.start_mark);
  event.end = text_.size();
  if (anchor || tag) read_properties(event, anchor != nullptr, tag != nullptr);
  event.end = event.begin;
  open_.push_back(flow ? event.begin : kBlock);
  return event;
}

Event EventStream::close() {
  Event event{.type = Event::Type::Close, .flow = in_flow()};
  open_.pop_back();
  if (!event.flow) return event;
  event.start = event.begin = offset(event_.start_mark);
  event.end = offset(event_.end_mark);
  return event;
}

// Kubernetes splits at line feeds; after another line break a marker ends up inside a document.
void EventStream::check_marker(bool is_implicit) {
  if (!is_implicit) throw SyntaxError{offset(event_.start_mark), "a document marker is not allowed here", ""};
}

// Refuses text that libyaml accepts but Kubernetes' parser doesn't.
void EventStream::check_scalar(const Event& event) const {
  const std::string_view written = text_.substr(event.begin, event.end - event.begin);
  if (event.plain) {
    const size_t mark = written.find('?');
    if (mark != std::string_view::npos && in_flow()) {
      throw SyntaxError{event.begin + mark, "\"?\" is not allowed here", "put the whole value in quotes"};
    }
    return;
  }
  if (!written.starts_with('"')) return;
  for (size_t at = written.find('\\'); at < written.size(); at = written.find('\\', at + 2)) {
    if (written.substr(at + 1, 1) != "/") continue;
    throw SyntaxError{event.begin + at, "Kubernetes' YAML parser does not support this escape",
                      "double the backslash, or use single quotes"};
  }
}

// Throws OtherEscapes for the `\'` of the string that the complaint is about.
void EventStream::check_escapes(const Complaint& complaint) const {
  if (complaint.problem != "found unknown escape character") return;
  const size_t begin = text_.rfind('\\', complaint.at);
  if (begin == std::string_view::npos || text_.substr(begin, 2) != "\\'") return;
  OtherEscapes found;
  for (size_t at = begin; at < text_.size() && text_[at] != '"'; ++at) {
    if (text_[at] != '\\') continue;
    if (text_.substr(at + 1, 1) == "'") found.backslashes.push_back(at);
    ++at;
  }
  throw found;
}

void EventStream::fail() {
  if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
  Complaint complaint;
  if (parser_.problem) complaint.problem = parser_.problem;
  if (parser_.context) complaint.context = parser_.context;
  if (parser_.error == YAML_READER_ERROR) {
    const size_t at = std::min(parser_.problem_offset, text_.size());
    throw SyntaxError{at, "YAML does not allow this character", ""};
  }
  complaint.first_line = first_line_;
  if (in_flow()) complaint.bracket = open_.back();
  complaint.at = offset(parser_.problem_mark);
  complaint.context_at = parser_.context ? offset(parser_.context_mark) : complaint.at;
  check_escapes(complaint);
  throw explain(complaint, text_, last_scalar_);
}

namespace {

// libyaml's own limit is 1024 characters.
constexpr size_t kLongestKey = 1000;
constexpr int kDeepest = 100;
// The events of a document are in memory all at once, and take several times its size.
constexpr size_t kLargest = size_t{1} << 20U;

// Whether the text has no white space but spaces and line feeds, and no other line breaks.
bool has_simple_lines(std::string_view text) {
  const auto has = [&](auto what) { return text.find(what) != std::string_view::npos; };
  if (has('\t') || has('\r')) return false;
  if (base::is_ascii(text)) return true;
  // Next line, line separator, paragraph separator, byte order mark.
  static constexpr std::string_view kOther[] = {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xEF\xBB\xBF"};
  return std::ranges::none_of(kOther, has);
}

constexpr bool is_bracket_syntax(char c) {
  return c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}

constexpr bool is_indicator(char c) {
  return is_bracket_syntax(c) || std::string_view("-?:#&*!|>'\"%@`").find(c) != std::string_view::npos;
}

// Each step returns false as soon as the document turns out not to be simple.
class SimpleReader {
 public:
  explicit SimpleReader(std::string_view text) : text_(text) { out_.events.reserve(text.size() / 12); }

  bool document() { return find_content() && !done_ && block_node(kRoot, 0) && done_; }
  SimpleEvents take() { return std::move(out_); }

 private:
  static constexpr std::ptrdiff_t kRoot = -1;  // the parent of the document's value

  // The end of the text counts as the end of a line.
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n'; }
  bool ends_word(size_t at) const { return at >= text_.size() || text_[at] == ' ' || text_[at] == '\n'; }
  bool at_dash() const { return !done_ && peek() == '-' && ends_word(at_ + 1); }
  // Counts bytes: where columns are compared, only spaces and dashes come before them.
  std::ptrdiff_t column() const { return static_cast<std::ptrdiff_t>(at_ - line_start_); }
  bool is_inside(std::ptrdiff_t parent) const { return !done_ && column() > parent; }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  // Skips spaces, comments and line breaks.
  bool find_content() {
    for (;;) {
      skip_spaces();
      if (at_ == text_.size()) {
        done_ = true;
        return true;
      }
      if (text_[at_] == '#') {
        if (at_ > line_start_ && text_[at_ - 1] != ' ') return false;
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_[at_] == '\n') {
        line_start_ = ++at_;
      } else {
        return at_ > line_start_ || !at_marker();
      }
    }
  }

  // Whether a document marker is here; text that only begins like one is not simple either.
  bool at_marker() const {
    const std::string_view rest = text_.substr(at_);
    return rest.starts_with("---") || rest.starts_with("...");
  }

  // Ends the line of a value, after which only a comment may follow.
  bool end_line() {
    const size_t line = line_start_;
    return find_content() && (done_ || line_start_ != line);
  }

  Event& add(Event::Type type, size_t begin, size_t end) {
    Event& event = out_.events.emplace_back();
    event.type = type;
    event.start = event.begin = begin;
    event.end = end;
    return event;
  }

  void add_plain(size_t begin, size_t end) {
    Event& event = add(Event::Type::Scalar, begin, end);
    event.plain = true;
    event.text = text_.substr(begin, end - begin);
  }

  void close() { out_.events.emplace_back().type = Event::Type::Close; }

  // Reads a scalar of one line; inside brackets, their syntax ends it.
  bool line_scalar(bool in_brackets) {
    const char first = peek();
    if (first == '"' || first == '\'') return quoted(first);
    const bool is_word = first == '-' && !ends_word(at_ + 1) && !(in_brackets && is_bracket_syntax(peek(1)));
    if (is_indicator(first) && !is_word) return false;
    return in_brackets ? plain_in_brackets() : plain();
  }

  bool quoted(char quote) {
    const size_t begin = at_;
    for (++at_; peek() != quote; ++at_) {
      if (peek() == '\n' || (peek() == '\\' && quote == '"')) return false;
    }
    if (peek(1) == quote) return false;
    ++at_;
    add(Event::Type::Scalar, begin, at_).text = text_.substr(begin + 1, at_ - begin - 2);
    return true;
  }

  bool plain() {
    const size_t begin = at_;
    size_t end = at_;
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      const char c = text_[at_];
      if (c == ' ') continue;
      if (c == ':' && ends_word(at_ + 1)) break;
      if (c == '#' && text_[at_ - 1] == ' ') break;
      end = at_ + 1;
    }
    add_plain(begin, end);
    return true;
  }

  bool plain_in_brackets() {
    const size_t begin = at_;
    size_t end = at_;
    for (; !is_bracket_syntax(peek()); ++at_) {
      const char c = peek();
      if (c == ' ') continue;
      if (c == '\n' || c == '?' || (c == '#' && text_[at_ - 1] == ' ')) return false;
      if (c == ':' && is_bracket_syntax(peek(1))) return false;
      if (c == ':' && ends_word(at_ + 1)) break;
      end = at_ + 1;
    }
    add_plain(begin, end);
    return true;
  }

  // Whether the scalar from `begin` to here is a key; if so, advances past its colon.
  bool take_colon(size_t begin) {
    if (out_.events.back().end != at_ || peek() != ':' || !ends_word(at_ + 1) || at_ - begin > kLongestKey)
      return false;
    ++at_;
    return true;
  }

  // Reads a value that comes first on its line or after a dash. `parent`: the column of the collection it is
  // in.
  bool block_node(std::ptrdiff_t parent, int depth) {
    if (depth > kDeepest) return false;
    if (at_dash()) return list(column(), false, depth);
    const char first = peek();
    if (first == '[' || first == '{') return brackets(depth) && end_line();
    if (first == '|') return literal(parent);
    const std::ptrdiff_t indent = column();
    const size_t begin = at_;
    // That it is a map shows only after its first key; the map's event goes before it.
    const size_t place = out_.events.size();
    if (!line_scalar(false)) return false;
    if (!take_colon(begin)) return end_line();
    Event map{.type = Event::Type::OpenMap};
    map.start = map.begin = map.end = begin;
    out_.events.insert(out_.events.begin() + static_cast<std::ptrdiff_t>(place), map);
    return map_entries(indent, depth);
  }

  // Starts after the first key's colon.
  bool map_entries(std::ptrdiff_t indent, int depth) {
    for (;;) {
      if (!map_value(indent, depth)) return false;
      if (done_ || column() < indent) break;
      if (column() > indent || at_dash()) return false;
      const size_t begin = at_;
      if (!line_scalar(false) || !take_colon(begin)) return false;
    }
    close();
    return true;
  }

  bool map_value(std::ptrdiff_t indent, int depth) {
    const size_t colon = at_;
    const size_t line = line_start_;
    if (!find_content()) return false;
    if (!done_ && line_start_ == line) return line_value(indent, depth);
    if (is_inside(indent)) return block_node(indent, depth + 1);
    if (at_dash() && column() == indent) return list(indent, true, depth + 1);
    add_plain(colon, colon);
    return true;
  }

  // Reads a value on the line of its key.
  bool line_value(std::ptrdiff_t parent, int depth) {
    const char first = peek();
    if (first == '[' || first == '{') return brackets(depth + 1) && end_line();
    if (first == '|') return literal(parent);
    return line_scalar(false) && end_line();
  }

  // `in_map`: the dashes are in the column of the map that contains the list.
  bool list(std::ptrdiff_t indent, bool in_map, int depth) {
    if (depth > kDeepest) return false;
    add(Event::Type::OpenList, at_, at_);
    do {
      if (!item(indent, depth)) return false;
      if (is_inside(indent)) return false;
    } while (at_dash() && column() == indent);
    if (!done_ && column() == indent && !in_map) return false;
    close();
    return true;
  }

  bool item(std::ptrdiff_t indent, int depth) {
    const size_t dash_end = ++at_;
    if (!find_content()) return false;
    if (is_inside(indent)) return block_node(indent, depth + 1);
    add_plain(dash_end, dash_end);
    return true;
  }

  // Reads a `|` or `|-` scalar.
  bool literal(std::ptrdiff_t parent) {
    const size_t begin = at_++;
    const bool strips = peek() == '-';
    if (strips) ++at_;
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != '\n') return false;
    line_start_ = ++at_;
    skip_spaces();
    const std::ptrdiff_t indent = column();
    if (indent <= parent || indent == 0 || peek() == '\n') return false;
    at_ = line_start_;
    std::string& text = out_.texts.emplace_back();
    literal_lines(static_cast<size_t>(indent), text);
    if (strips) text.pop_back();
    add(Event::Type::Scalar, begin, at_).text = text;
    return find_content();
  }

  // Reads the lines that are empty or indented by `indent`; drops empty ones at the end.
  void literal_lines(size_t indent, std::string& text) {
    size_t empty = 0;
    while (at_ < text_.size()) {
      const size_t line_end = std::min(text_.find('\n', at_), text_.size());
      const std::string_view line = text_.substr(at_, line_end - at_);
      const size_t spaces = base::indent_of(line);
      if (spaces < indent && spaces < line.size()) break;
      if (line.size() <= indent) {
        ++empty;
      } else {
        text.append(empty, '\n');
        text.append(line.substr(indent)).push_back('\n');
        empty = 0;
      }
      at_ = line_start_ = std::min(line_end + 1, text_.size());
    }
  }

  // Reads a list or map in brackets, on one line.
  bool brackets(int depth) {
    if (depth > kDeepest) return false;
    const bool is_map = peek() == '{';
    add(is_map ? Event::Type::OpenMap : Event::Type::OpenList, at_, at_).flow = true;
    ++at_;
    skip_spaces();
    const char end = is_map ? '}' : ']';
    while (peek() != end) {
      if (is_map && !key_in_brackets()) return false;
      if (!value_in_brackets(depth)) return false;
      skip_spaces();
      if (peek() == end) break;
      if (peek() != ',') return false;
      ++at_;
      skip_spaces();
      if (peek() == end) return false;
    }
    add(Event::Type::Close, at_, at_ + 1).flow = true;
    ++at_;
    return true;
  }

  bool key_in_brackets() {
    const size_t begin = at_;
    if (!line_scalar(true) || !take_colon(begin)) return false;
    skip_spaces();
    return true;
  }

  bool value_in_brackets(int depth) {
    return peek() == '[' || peek() == '{' ? brackets(depth + 1) : line_scalar(true);
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t line_start_ = 0;
  bool done_ = false;
  SimpleEvents out_;
};

}  // namespace

std::optional<SimpleEvents> read_simple(std::string_view text) {
  if (text.size() > kLargest || !has_simple_lines(text)) return std::nullopt;
  SimpleReader reader(text);
  if (!reader.document()) return std::nullopt;
  return reader.take();
}

}  // namespace trainjobc::yaml
