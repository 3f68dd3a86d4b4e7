// SPDX-License-Identifier: Apache-2.0

// What is found for many findings at once is what is found for each.
#include "features/lsp/action_candidates.h"

#include <doctest/doctest.h>

#include <vector>

namespace trainjobc::action_candidates_test {
namespace {

using base::Diagnostic;
using base::SourceFile;

Diagnostic fix_of(const SourceFile& file, uint32_t line, uint32_t column, uint32_t end, std::string text) {
  Diagnostic found;
  found.fix.push_back({{&file, line, column, line, end}, std::move(text)});
  return found;
}

}  // namespace

TEST_CASE("comments above lines: all at once and one by one") {
  const SourceFile file("/a.yaml",
                        "a: 1\n"
                        "script: |\n"
                        "  one\n"
                        "  # two\n"
                        "  three\n"
                        "list:\n"
                        "- \"x\n"
                        "  y\"\n"
                        "- plain\n"
                        "  goes on\n"
                        "- {b: 1,\n"
                        "   c: 2}\n"
                        "folded: >-\n"
                        "  text\n"
                        "\n"
                        "  more\n"
                        "---\n"
                        "last: 1\n");
  std::set<uint32_t> all;
  std::set<uint32_t> good;
  for (uint32_t line = 1; line <= 18; ++line) {
    all.insert(line);
    good.merge(lsp::lines_for_comments(file, {line}));
  }
  CHECK(good == std::set<uint32_t>{1, 2, 6, 7, 9, 11, 12, 13, 17, 18});
  CHECK(lsp::lines_for_comments(file, all) == good);
  CHECK(lsp::lines_for_comments(file, {3, 4, 7}) == std::set<uint32_t>{7});
  CHECK(lsp::lines_for_comments(SourceFile("/b.yaml", "a: [\n"), {1}).empty());
}

TEST_CASE("fixes: all at once and one by one") {
  const SourceFile file("/a.yaml", "a: 1\nb: 22\nc: 3\nd: 4\n");
  const SourceFile other("/b.yaml", "e: 5\n");
  std::vector<Diagnostic> list = {
      fix_of(file, 1, 4, 5, "x"),  fix_of(file, 1, 4, 5, "x"),  fix_of(file, 2, 4, 5, "3"),
      fix_of(file, 2, 4, 6, "y"),  fix_of(file, 3, 4, 5, "["),  fix_of(file, 4, 4, 5, "z"),
      fix_of(other, 1, 4, 5, "6"), fix_of(other, 1, 4, 5, "{"), Diagnostic(),
  };
  Diagnostic both = fix_of(file, 4, 1, 2, "D");
  both.fix.push_back({{&other, 1, 1, 1, 2}, "E"});
  list.push_back(both);
  std::vector<const Diagnostic*> all;
  std::string alone;
  for (const Diagnostic& found : list) {
    all.push_back(&found);
    alone += lsp::applicable_fixes(std::vector<const Diagnostic*>{&found}).empty() ? '-' : '+';
  }
  CHECK(alone == "++++-++--+");
  const lsp::FindingSet together = lsp::applicable_fixes(all);
  std::string found;
  for (const Diagnostic& one : list) found += together.contains(&one) ? '+' : '-';
  CHECK(found == alone);
}

}  // namespace trainjobc::action_candidates_test
