// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/protocol/json_rpc.h"

#include <doctest/doctest.h>

#include "features/lsp/serve.h"

namespace trainjobc::json_rpc_test {
using lsp::MessageReader;

namespace {

std::string body_of(const std::optional<MessageReader::Message>& message) {
  if (!message) return "(none)";
  if (std::holds_alternative<MessageReader::Broken>(*message)) return "(broken)";
  if (std::holds_alternative<MessageReader::TooLarge>(*message)) return "(too large)";
  return std::get<std::string>(*message);
}

}  // namespace

TEST_CASE("messages come in any pieces") {
  const std::string stream =
      "Content-Length: 2\r\n\r\n{}content-length:1 \r\nContent-Type: application/vscode-jsonrpc; "
      "charset=utf-8\r\n\r\n1";
  for (size_t piece = 1; piece <= stream.size(); ++piece) {
    MessageReader reader;
    std::string bodies;
    for (size_t at = 0; at < stream.size(); at += piece) {
      reader.feed(std::string_view(stream).substr(at, piece));
      while (const auto message = reader.next()) bodies += body_of(message) + ";";
    }
    CHECK(bodies == "{};1;");
  }
}

TEST_CASE("headers without a length end the stream") {
  for (const char* headers :
       {"Content-Type: x\r\n\r\n{}", "Content-Length: x\r\n\r\n{}", "Content-Length: -1\r\n\r\n{}",
        "{}\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n{}"}) {
    MessageReader reader;
    reader.feed(headers);
    CHECK(body_of(reader.next()) == "(broken)");
    reader.feed("Content-Length: 2\r\n\r\n{}");
    CHECK(body_of(reader.next()) == "(none)");
  }
  MessageReader reader;
  reader.feed(std::string(MessageReader::kMaxHeader, 'a'));
  CHECK(body_of(reader.next()) == "(none)");
  reader.feed("a");
  CHECK(body_of(reader.next()) == "(broken)");
}

TEST_CASE("a body that is too large is left out") {
  MessageReader reader;
  reader.feed("Content-Length: " + std::to_string(MessageReader::kMaxBody + 1) + "\r\n\r\nabc");
  CHECK(body_of(reader.next()) == "(too large)");
  const std::string block(size_t{1} << 20U, 'x');
  for (size_t left = MessageReader::kMaxBody + 1 - 3; left > 0;) {
    const size_t size = std::min(left, block.size());
    reader.feed(std::string_view(block).substr(0, size));
    CHECK(body_of(reader.next()) == "(none)");
    left -= size;
  }
  reader.feed("Content-Length: 2\r\n\r\n{}");
  CHECK(body_of(reader.next()) == "{}");
}

TEST_CASE("a framed message") {
  CHECK(lsp::frame(lsp::make_answer(7, {{"a", "é"}})) ==
        "Content-Length: 44\r\n\r\n{\"id\":7,\"jsonrpc\":\"2.0\",\"result\":{\"a\":\"é\"}}");
  CHECK(lsp::to_text(lsp::make_error(nullptr, lsp::ErrorCode::ParseError, "m")) ==
        R"({"error":{"code":-32700,"message":"m"},"id":null,"jsonrpc":"2.0"})");
  CHECK(lsp::to_text("a\xFF") == "\"a\xEF\xBF\xBD\"");
}

}  // namespace trainjobc::json_rpc_test
