// SPDX-License-Identifier: Apache-2.0

#include "yaml/read/documents.h"

#include <doctest/doctest.h>

#include "support/reading.h"

namespace trainjobc::yaml::documents_test {
namespace {

using test::read_all;

// Each chunk as `line:text`, then the diagnostics.
std::string split(std::string_view text) {
  const base::SourceFile file("job.yaml", std::string(text));
  base::Diagnostics diagnostics;
  std::string out;
  for (const Chunk& chunk : split_documents(file, diagnostics)) {
    out += std::to_string(chunk.first_line) + ":" + std::string(chunk.text) + "|";
  }
  for (const base::Diagnostic& diagnostic : diagnostics.items())
    out += "\n" + base::format_text(diagnostic, {});
  return out;
}

}  // namespace

TEST_CASE("a file is split at lines of dashes") {
  CHECK(split("") == "");
  CHECK(split("a: 1") == "1:a: 1|");
  CHECK(split("a: 1\n---\nb: 2\n") == "1:a: 1\n|3:b: 2\n|");
  CHECK(split("---\n---\na: 1\n--- # the next\n\n---\n") == "3:a: 1\n|");
  CHECK(split("---   \r\na: 1\r\n---\r\nb: 2\r\n") == "2:a: 1\r\n|4:b: 2\r\n|");
  CHECK(split("a: |\n  x\n  ---\n  y\n") == "1:a: |\n  x\n  ---\n  y\n|");
  CHECK(split("\n \n---\n# only a comment\n") == "4:# only a comment\n|");
}

TEST_CASE("a byte order mark before a document is left out") {
  CHECK(split("\xEF\xBB\xBF"
              "a: 1\n---\n\xEF\xBB\xBF"
              "b: 2\n") == "1:a: 1\n|3:b: 2\n|");
}

TEST_CASE("nothing but a comment may follow the dashes") {
  CHECK(split("a: 1\n--- {b: 2}\nc: 3\n---x\n") == R"(1:a: 1
|3:c: 3
|
job.yaml:2:5: error: a document can't start on the line of its "---" separator: Kubernetes splits files there and refuses the rest of the line [yaml/document-separator]
    2 | --- {b: 2}
      |     ^~~~~~ start it on the next line

job.yaml:4:4: error: a document can't start on the line of its "---" separator: Kubernetes splits files there and refuses the rest of the line [yaml/document-separator]
    4 | ---x
      |    ^ start it on the next line
)");
}

TEST_CASE("a document ends at its end marker") {
  CHECK(split("a: 1\n...\n# a comment\n\n---\nb: 2\n... \n") == "1:a: 1\n|6:b: 2\n|");
  CHECK(split("a: 1\n...\nlost: 2\nlost: 3\n---\nb: 2\n") == R"(1:a: 1
|6:b: 2
|
job.yaml:3:1: warning: Kubernetes ignores everything after the document end marker "..." [yaml/after-document-end]
    3 | lost: 2
      | ^~~~~~~ put a line "---" before it
)");
  CHECK(split("a: ...x\n...y: 1\n") == "1:a: ...x\n...y: 1\n|");
}

TEST_CASE("an end marker needs a document") {
  CHECK(split("# nothing\n...\n") == R"(1:# nothing
|
job.yaml:2:1: error: there is no document for "..." to end [yaml/document-end]
    2 | ...
      | ^~~ remove it
)");
  CHECK(split("---\n...\n") == "");
}

TEST_CASE("invalid bytes are reported, and don't hide other documents") {
  CHECK(read_all("a: \xE9\n---\nb: 2\n---\nc: \"\x07\"\n---\nd: x\x7F\n") == R"({"b":2}
job.yaml:1:4: error: the file is not UTF-8: byte 0xe9 [yaml/character]
    1 | a: �
      |    ^ save the file as UTF-8
job.yaml:5:5: error: control character U+0007 is not allowed in YAML [yaml/character]
    5 | c: "�"
      |     ^ write it as an escape in a double-quoted string
job.yaml:7:5: error: control character U+007F is not allowed in YAML [yaml/character]
    7 | d: x�
      |     ^ write it as an escape in a double-quoted string
)");
}

TEST_CASE("broken UTF-8 in all its forms") {
  const auto is_refused = [](std::string_view bytes) {
    const base::SourceFile file("f", "key: plain text before " + std::string(bytes));
    base::Diagnostics diagnostics;
    return !check_characters(file, {file.text(), 1}, diagnostics);
  };
  for (const char* bytes :
       {"\x80", "\xC0\x80", "\xC3", "\xC3(", "\xE2\x82", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5", "\xFF",
        "\xC2\x9F", "\xEF\xBF\xBE", "\xEF\xBF\xBF", "\x01", "\x1B[31m"}) {
    CAPTURE(bytes);
    CHECK(is_refused(bytes));
  }
  for (const char* bytes :
       {"\t", "\r", "é", "\xC2\x85", "\xE2\x80\xA8", "\xEF\xBB\xBF", "日本", "😀", "\xF4\x8F\xBF\xBF"}) {
    CAPTURE(bytes);
    CHECK(!is_refused(bytes));
  }
}

TEST_CASE("UTF-16 and UTF-32 are named") {
  const std::string expected = R"(job.yaml: error: the file is UTF-16 or UTF-32 [yaml/encoding]
  hint: save it as UTF-8
)";
  CHECK(read_all(std::string_view("\xFF\xFE"
                                  "a\0:\0",
                                  6)) == expected);
  CHECK(read_all(std::string_view("\xFE\xFF\0a\0:", 6)) == expected);
  CHECK(read_all(std::string_view("a\0:\0 \0b\0", 8)) == expected);
  CHECK(read_all(std::string_view("\0\0\xFE\xFF\0\0\0a", 8)) != "");
}

}  // namespace trainjobc::yaml::documents_test
