// SPDX-License-Identifier: Apache-2.0

// The Language Server Protocol: its types, how they map to source files, and its messages.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/source.h"

namespace trainjobc::lsp {

using Json = nlohmann::json;

// ----- Places in documents -----

// A file's absolute path, which is also its name in diagnostics. Clients name it by its URI.
using DocumentId = std::string;

// Lines and characters count from 0; a character is a UTF-16 code unit.
struct Position {
  uint32_t line = 0;
  uint32_t character = 0;

  auto operator<=>(const Position&) const = default;
};

// `end` is one past the last character.
struct Range {
  Position start;
  Position end;

  bool operator==(const Range&) const = default;
};

struct Location {
  DocumentId document;
  Range range;

  bool operator==(const Location&) const = default;
};

// The byte offset of a position. A position after the end of its line is the line's end, one after the last
// line the text's end; one inside a surrogate pair is before the character.
size_t offset_of(const base::SourceFile& file, Position position);

Position position_of(const base::SourceFile& file, size_t offset);

// The position of a line and a column in bytes, both counted from 1 as in base::Location.
Position position_of(const base::SourceFile& file, uint32_t line, uint32_t column);

// A place without a line is the beginning of its file. `at.file` is not null.
Range range_of(const base::Location& at);

// The range of these bytes of the file.
Range range_of(const base::SourceFile& file, size_t begin, size_t end);

// Returns nullopt for a place in no file, or in one that clients can't open, such as one of the catalogue.
std::optional<Location> location_of(const base::Location& at);

inline constexpr std::string_view kFileScheme = "file://";

// "file:///repo/jobs/a%20b.yaml" for "/repo/jobs/a b.yaml".
std::string uri_of(std::string_view path);

// Returns nullopt unless it is a file: URI of this machine.
std::optional<std::string> path_of(std::string_view uri);

// ----- JSON: what clients send may have any form -----

// nlohmann/json finds these functions by their names.
void to_json(Json& json, const Position& position);
void to_json(Json& json, const Range& range);
void to_json(Json& json, const Location& location);

// Returns false unless `value` is a position.
bool read_position(const Json& value, Position& position);
bool read_range(const Json& value, Range& range);

// The value at the end of a path of keys; null if there is none.
const Json& member(const Json& value, std::initializer_list<const char*> path);
// The text at the end of the path; "" if it is not a string.
std::string text_member(const Json& value, std::initializer_list<const char*> path);

// The deepest nesting that a message may have: the protocol's requests need only a few levels, and recursive
// functions copy and write messages.
inline constexpr size_t kDeepestJson = 200;

// Whether lists and objects are nested deeper than that.
bool is_too_deep(std::string_view json);

// The id of a message that is too deeply nested to be parsed; null if it has none.
Json id_of(std::string_view message);

// The JSON on one line. Bytes that are not UTF-8 become U+FFFD.
std::string to_text(const Json& json);

// ----- JSON-RPC 2.0: headers, an empty line, and Content-Length bytes of JSON -----

// Error codes of JSON-RPC and of the Language Server Protocol.
enum class ErrorCode {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  InternalError = -32603,
  ServerNotInitialized = -32002,
  RequestFailed = -32803,
  RequestCancelled = -32800,
};

// Why a request fails.
struct WhyNot {
  std::string message;
  ErrorCode code = ErrorCode::RequestFailed;
};

Json make_error(const Json& id, ErrorCode code, std::string_view message);
Json make_answer(const Json& id, Json result);
Json make_notification(std::string_view method, Json params);
Json make_request(int64_t id, std::string_view method, Json params);

// Returns the message with its headers.
std::string frame(std::string_view message);

// The JSON with U+FFFD for each half of a surrogate pair and each byte that is not UTF-8, so that columns
// stay the same.
std::string with_whole_characters(std::string_view json);

// Extracts messages from a stream of bytes.
class MessageReader {
 public:
  static constexpr size_t kMaxHeader = 4096;
  static constexpr size_t kMaxBody = size_t{128} << 20U;

  struct TooLarge {};  // a body above the limit: reading can't go on
  struct Broken {};    // headers without a length: reading can't go on
  using Message = std::variant<std::string, TooLarge, Broken>;

  void feed(std::string_view bytes);
  // Returns nullopt if there is no complete message yet.
  std::optional<Message> next();

 private:
  bool read_headers();

  std::string bytes_;
  size_t begin_ = 0;              // where the bytes begin that have not been taken
  std::optional<size_t> length_;  // body size from the headers that were read last
  bool is_broken_ = false;
};

}  // namespace trainjobc::lsp
