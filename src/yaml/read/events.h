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

// Offsets are bytes of the document's text.
struct Event {
  enum class Type : uint8_t { Scalar, Alias, OpenList, OpenMap, Close, End };

  Type type = Type::End;
  bool plain = false;       // of a scalar: neither quoted nor a block scalar
  bool flow = false;        // of a collection: within brackets, or a pair in one
  std::string_view text;    // of a scalar or an alias; lives until the next event is read
  std::string_view anchor;  // lives as long as the document's text
  std::string_view tag;     // "tag:yaml.org,2002:int" for !!int; lives until the next event is read
  size_t start = 0;  // with anchor and tag; 0 for End and for a Close without a bracket, like the others
  size_t begin = 0;  // without them
  size_t end = 0;    // of a scalar, an alias or a bracket; else `begin`

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

// A parser error in terms of the document.
struct Complaint {
  std::string_view problem;
  std::string_view context;  // "while parsing a block mapping"; may be empty
  size_t at = 0;             // of the problem
  size_t context_at = 0;
  size_t bracket = std::string_view::npos;  // the innermost that is open; npos if none is
  uint32_t first_line = 1;                  // of the text, in its file
};

// Thrown for `\'` in a double-quoted string, which Kubernetes' parser accepts and libyaml does not: the
// document must be read again without these backslashes.
struct OtherEscapes {
  std::vector<size_t> backslashes;  // of one string, in order
};

class EventStream {
 public:
  // `backslashes`, in order, are skipped.
  EventStream(const Chunk& chunk, const std::vector<size_t>& backslashes);
  ~EventStream();
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  // The next event of the document; after End there is none. Throws SyntaxError.
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
  std::vector<size_t> dropped_;  // offsets of bytes that libyaml does not get
  size_t next_dropped_ = 0;      // of those before fed_
  size_t fed_ = 0;               // bytes that libyaml has received
  size_t index_ = 0;             // characters, as libyaml counts them …
  size_t at_ = 0;                // … their offset in the text …
  size_t passed_ = 0;            // … and the number of dropped bytes before it
  // For each open collection the offset of its bracket; kBlock if it has none.
  static constexpr size_t kBlock = std::string_view::npos;
  std::vector<size_t> open_;
  bool in_flow() const { return !open_.empty() && open_.back() != kBlock; }
  Event last_scalar_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
};

// The next offset from `at` that is not white space, a line break or a comment.
size_t skip_gap(std::string_view text, size_t at);

// `last` is the last scalar before the problem.
SyntaxError explain(const Complaint& complaint, std::string_view text, const Event& last);

// Reads most documents in a tenth of the time that libyaml takes: those written as people and tools write
// manifests. All others are libyaml's.

struct SimpleEvents {
  std::vector<Event> events;      // without End
  std::deque<std::string> texts;  // of block scalars; events refer to them
};

// The events of a document whose text check_characters accepts: exactly those of EventStream. nullopt if it
// is not sure of one: for an error, and for what manifests rarely have (anchors, aliases, tags, tabs, scalars
// and brackets of several lines other than `|`, quotes with escapes, keys that are collections, more than a
// megabyte).
std::optional<SimpleEvents> read_simple(std::string_view text);

}  // namespace trainjobc::yaml
