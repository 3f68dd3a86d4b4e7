// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/protocol.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/text/text.h"

namespace trainjobc::protocol_test {
using lsp::MessageReader;
using lsp::Position;
using lsp::Range;

namespace {

std::string changed(std::string text, Range range, const std::string& by) {
  lsp::apply_change(text, {range, by});
  return text;
}

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

TEST_CASE("text change: ranges count lines and UTF-16 units") {
  CHECK(changed("a: 𝄞x\nb: 2\n", {{0, 5}, {0, 6}}, "y") == "a: 𝄞y\nb: 2\n");
  CHECK(changed("a: 1\nb: 2\n", {{0, 4}, {1, 0}}, "") == "a: 1b: 2\n");
  CHECK(changed("a: 1\nb: 2\n", {{2, 0}, {2, 0}}, "c: 3\n") == "a: 1\nb: 2\nc: 3\n");
  CHECK(changed("", {{0, 0}, {0, 0}}, "a") == "a");
}

TEST_CASE("text change: a line ends with \\n, \\r\\n or \\r") {
  CHECK(changed("a\r\nb\rc\nd", {{1, 0}, {1, 1}}, "B") == "a\r\nB\rc\nd");
  CHECK(changed("a\r\nb\rc\nd", {{2, 0}, {3, 1}}, "x") == "a\r\nb\rx");
  CHECK(changed("a\r\nb", {{0, 9}, {0, 9}}, "!") == "a!\r\nb");
}

TEST_CASE("text change: places outside of the text are its nearest ones") {
  CHECK(changed("ab", {{7, 7}, {9, 9}}, "c") == "abc");
  CHECK(changed("ab\ncd", {{1, 1}, {0, 1}}, "-") == "ab\nc-d");
  std::string whole = "a";
  lsp::apply_change(whole, {std::nullopt, "b"});
  CHECK(whole == "b");
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
  CHECK(lsp::frame(lsp::make_answer(7, {{"a", "é"}})) ==
        "Content-Length: 44\r\n\r\n{\"id\":7,\"jsonrpc\":\"2.0\",\"result\":{\"a\":\"é\"}}");
  CHECK(lsp::to_text(lsp::make_error(nullptr, lsp::ErrorCode::ParseError, "m")) ==
        R"({"error":{"code":-32700,"message":"m"},"id":null,"jsonrpc":"2.0"})");
  CHECK(lsp::to_text("a\xFF") == "\"a\xEF\xBF\xBD\"");
}

}  // namespace trainjobc::protocol_test
