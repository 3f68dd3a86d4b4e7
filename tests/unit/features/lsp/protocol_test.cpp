// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/protocol.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/text/text.h"

namespace trainjobc::protocol_test {
using lsp::MessageReader;
using lsp::Position;

namespace {

std::string body_of(const std::optional<MessageReader::Message>& message) {
  if (!message) return "(none)";
  if (std::holds_alternative<MessageReader::Broken>(*message)) return "(broken)";
  if (std::holds_alternative<MessageReader::TooLarge>(*message)) return "(too large)";
  return std::get<std::string>(*message);
}

}  // namespace

TEST_CASE("UTF-16: a character of four bytes is two units") {
  CHECK(base::utf16_length("aé€𝄞") == 5);
  CHECK(base::utf16_offset("aé€𝄞b", 0) == 0);
  CHECK(base::utf16_offset("aé€𝄞b", 2) == 3);
  CHECK(base::utf16_offset("aé€𝄞b", 3) == 6);
  CHECK(base::utf16_offset("aé€𝄞b", 4) == 6);  // in the middle of the pair
  CHECK(base::utf16_offset("aé€𝄞b", 5) == 10);
  CHECK(base::utf16_offset("aé€𝄞b", 9) == 11);
}

TEST_CASE("positions of a source file") {
  const base::SourceFile file("/a.yaml", "a: 𝄞x\nb: 2\n");
  CHECK(lsp::position_of(file, size_t{8}) == Position{0, 6});
  CHECK(lsp::position_of(file, size_t{9}) == Position{1, 0});
  CHECK(lsp::position_of(file, size_t{14}) == Position{2, 0});
  CHECK(lsp::position_of(file, 1, 8) == Position{0, 5});
  CHECK(lsp::offset_of(file, {0, 5}) == 7);
  CHECK(lsp::offset_of(file, {1, 99}) == 13);
  CHECK(lsp::offset_of(file, {2, 0}) == 14);
  CHECK(lsp::offset_of(file, {9, 9}) == 14);
}

TEST_CASE("URIs of files") {
  CHECK(lsp::uri_of("/re po/ä.yaml") == "file:///re%20po/%C3%A4.yaml");
  CHECK(lsp::path_of("file:///re%20po/%C3%a4.yaml") == "/re po/ä.yaml");
  CHECK(lsp::path_of("file://localhost/a/../b.yaml") == "/b.yaml");
  for (const char* other : {"untitled:Untitled-1", "file://other/a", "file:", "file:///a%2", "file:///a%zz",
                            "file:///a%00", "trainjobc-jobset:/a/b.yaml", ""})
    CHECK_MESSAGE(lsp::path_of(other) == std::nullopt, other);
}

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

TEST_CASE("half a surrogate pair becomes a replacement character") {
  const auto whole = [](const char* json) { return lsp::with_whole_characters(json); };
  CHECK(whole(R"("\ud83d")") == R"("\uFFFD")");
  CHECK(whole(R"("\uDE00x")") == R"("\uFFFDx")");
  CHECK(whole(R"("\ud83d\ud83d\ude00")") == R"("\uFFFD\ud83d\ude00")");
  CHECK(whole(R"("\\ud83d")") == R"("\\ud83d")");  // a backslash and letters
  CHECK(whole("\"\xED\xA0\xBD\"") == "\"\uFFFD\"");
  CHECK(whole("\"a\xFFz\"") == "\"a\uFFFDz\"");
  CHECK(whole(R"("\)") == R"("\)");
}

TEST_CASE("a body that is too large ends the stream") {
  MessageReader reader;
  reader.feed("Content-Length: " + std::to_string(MessageReader::kMaxBody + 1) + "\r\n\r\nabc");
  CHECK(body_of(reader.next()) == "(too large)");
  reader.feed("Content-Length: 2\r\n\r\n{}");
  CHECK(body_of(reader.next()) == "(none)");
}

TEST_CASE("a framed message") {
  CHECK(lsp::frame(lsp::to_text(lsp::make_answer(7, {{"a", "é"}}))) ==
        "Content-Length: 44\r\n\r\n{\"id\":7,\"jsonrpc\":\"2.0\",\"result\":{\"a\":\"é\"}}");
  CHECK(lsp::to_text(lsp::make_error(nullptr, lsp::ErrorCode::ParseError, "m")) ==
        R"({"error":{"code":-32700,"message":"m"},"id":null,"jsonrpc":"2.0"})");
  CHECK(lsp::to_text("a\xFF") == "\"a\xEF\xBF\xBD\"");
}

TEST_CASE("JSON: lists and objects in each other have an end") {
  const auto nested = [](size_t levels) {
    return "{\"id\":7,\"a\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
  };
  CHECK(!lsp::is_too_deep(nested(lsp::kDeepestJson)));
  CHECK(lsp::is_too_deep(nested(lsp::kDeepestJson + 1)));
  CHECK(!lsp::is_too_deep("\"" + std::string(300, '[') + "\\\"" + std::string(300, '{') + "\""));
  CHECK(!lsp::is_too_deep("[" + std::string(300, ']')));
  std::string flat = "[";
  for (int i = 0; i < 300; ++i) flat += "[],{},";
  CHECK(!lsp::is_too_deep(flat));
  CHECK(lsp::id_of(nested(100'000)) == 7);
  CHECK(lsp::id_of(R"({"params":{"id":1},"id":"x"})") == "x");
  CHECK(lsp::id_of(R"({"params":{"id":1},"id":{"id":2}})") == nullptr);
  CHECK(lsp::id_of("[{\"id\":1}") == nullptr);
}

}  // namespace trainjobc::protocol_test
