// SPDX-License-Identifier: Apache-2.0

// JSON-RPC 2.0 as the Language Server Protocol frames it: headers, an empty line, and as many bytes of JSON
// as Content-Length says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "features/lsp/protocol/messages.h"

namespace trainjobc::lsp {

// Of JSON-RPC and of the Language Server Protocol.
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

Json make_error(const Json& id, ErrorCode code, std::string_view message);
Json make_answer(const Json& id, Json result);
Json make_notification(std::string_view method, Json params);
Json make_request(int64_t id, std::string_view method, Json params);

// A message with its headers.
std::string frame(const Json& message);

// Takes messages out of a stream of bytes.
class MessageReader {
 public:
  static constexpr size_t kMaxHeader = 4096;
  static constexpr size_t kMaxBody = size_t{128} << 20U;

  struct TooLarge {};  // a body that was left out
  struct Broken {};    // headers without a length: nothing more can be read
  using Message = std::variant<std::string, TooLarge, Broken>;

  void feed(std::string_view bytes);
  // nullopt if there is none yet.
  std::optional<Message> next();

 private:
  bool read_headers();

  std::string bytes_;
  size_t begin_ = 0;              // of what was not taken yet
  std::optional<size_t> length_;  // of the body after the headers that were read
  size_t skipped_ = 0;            // of a body that is too large
  bool is_broken_ = false;
};

}  // namespace trainjobc::lsp
