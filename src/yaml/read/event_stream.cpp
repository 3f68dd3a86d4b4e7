// SPDX-License-Identifier: Apache-2.0

#include "yaml/read/event_stream.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/text/ascii.h"

namespace trainjobc::yaml {
namespace {

// The bytes of the line break at `at`; 0 if there is none.
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

// Kubernetes' line reader drops one "\r" of "\r\r\n" before its parser sees it.
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

// The text, ended by a line feed as Kubernetes' line reader ends it.
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
  // Text that needs no copy: the value is the text itself.
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

// Text that libyaml accepts but Kubernetes' parser doesn't.
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

// Throws OtherEscapes with those of the string that the complaint is about.
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

}  // namespace trainjobc::yaml
