// SPDX-License-Identifier: Apache-2.0

// Event: one step through a YAML document.
#pragma once

#include <yaml.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/read/documents.h"

namespace trainjobc::yaml {

// One event. Offsets are bytes of the document's text.
struct Event {
  enum class Type : uint8_t { Scalar, Alias, OpenList, OpenMap, Close, End };

  Type type = Type::End;
  bool plain = false;       // scalars: neither quoted nor a block scalar
  bool flow = false;        // collections: within brackets, or a pair in one
  std::string_view text;    // scalars and aliases: valid until the next event is read
  std::string_view anchor;  // valid as long as the document's text
  std::string_view tag;     // "tag:yaml.org,2002:int" for !!int; valid until the next event is read
  size_t start = 0;         // with anchor and tag; 0 for End and for a Close without a bracket
  size_t begin = 0;         // after anchor and tag
  size_t end = 0;           // of scalars, aliases and brackets; otherwise equals `begin`

  bool operator==(const Event&) const = default;
};

// EventStream: one YAML document as libyaml's events. Kubernetes' parser, go.yaml.in/yaml/v2, is a port of
// libyaml; what the two read differently is refused here.

// Thrown inside the reader, which turns it into a diagnostic.
struct SyntaxError {
  size_t offset = 0;  // in the document's text
  std::string message;
  std::string hint;
  size_t lacks_space = std::string::npos;  // the offset at which a space is missing
};

// A parser error, with its positions in the document.
struct Complaint {
  std::string_view problem;
  std::string_view context;  // "while parsing a block mapping"; may be empty
  size_t at = 0;             // where the problem is
  size_t context_at = 0;
  size_t bracket = std::string_view::npos;  // the innermost open one; npos if there is none
  uint32_t first_line = 1;                  // the line of the file on which the text begins
};

// Thrown for `\'` in a double-quoted string, which Kubernetes' parser accepts and libyaml does not: the
// document must be read again without these backslashes.
struct OtherEscapes {
  std::vector<size_t> backslashes;  // those of one string, in order
};

class EventStream {
 public:
  // Skips `backslashes`, which must be in order.
  EventStream(const Chunk& chunk, const std::vector<size_t>& backslashes);
  ~EventStream();
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  // The next event of the document; must not be called after End. Throws SyntaxError.
  Event next();

 private:
  static int feed(void* stream, unsigned char* buffer, size_t size, size_t* count);
  size_t offset(const yaml_mark_t& mark);
  void read_properties(Event& event, bool has_anchor, bool has_tag) const;
  Event scalar();
  Event collection(Event::Type type, const yaml_char_t* anchor, const yaml_char_t* tag, bool flow);
  Event close();
  void check_marker(bool is_implicit);
  void check_scalar(const Event& event) const;
  [[noreturn]] void fail();
  void check_escapes(const Complaint& complaint) const;

  std::string_view text_;
  uint32_t first_line_;
  bool is_plain_;                // all characters are single bytes, and none is dropped
  std::vector<size_t> dropped_;  // offsets of bytes that libyaml is not given
  size_t next_dropped_ = 0;      // the first of dropped_ that is not before fed_
  size_t fed_ = 0;               // bytes that libyaml has received
  size_t index_ = 0;             // characters, as libyaml counts them …
  size_t at_ = 0;                // … their offset in the text …
  size_t passed_ = 0;            // … and the number of dropped bytes before it
  // The offset of each open collection's bracket; kBlock for one without.
  static constexpr size_t kBlock = std::string_view::npos;
  std::vector<size_t> open_;
  bool in_flow() const { return !open_.empty() && open_.back() != kBlock; }
  Event last_scalar_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
};

// The next offset from `at` on that is not white space, a line break or a comment.
size_t skip_gap(std::string_view text, size_t at);

// `last` is the last scalar before the problem.
SyntaxError explain(const Complaint& complaint, std::string_view text, const Event& last);

// A reader of simple documents, as people and tools write manifests: most are read in a tenth of the time
// that libyaml takes. All others are left to libyaml.

struct SimpleEvents {
  std::vector<Event> events;      // without the End event
  std::deque<std::string> texts;  // of block scalars; events refer to them
};

// The events of a document whose text check_characters accepts: exactly those of EventStream. nullopt unless
// it is sure of all of them: for an error, and for what manifests rarely have (anchors, aliases, tags, tabs,
// scalars and brackets of several lines other than `|`, quotes with escapes, keys that are collections, more
// than a megabyte).
std::optional<SimpleEvents> read_simple(std::string_view text);

}  // namespace trainjobc::yaml
