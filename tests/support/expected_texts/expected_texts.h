// SPDX-License-Identifier: Apache-2.0

// Rewrites the texts that tests expect in their source files: TRAINJOBC_UPDATE_GOLDEN=1
// build/tests/unit_tests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file_system.h"
#include "support/expected_texts/cpp_source.h"

namespace trainjobc::test {

// The new value of a literal.
struct ExpectedText {
  size_t literal = 0;  // its begin
  std::string value;
};

// For the assert `actual == expected` that begins on that line and failed with `values` (doctest's "actual ==
// expected"): the literal on the right side. If the right side is an expression, the longest literal in it,
// or otherwise in the file, whose change makes both sides equal. nullopt if there is no such literal, or more
// than one.
std::optional<ExpectedText> expected_text(const CppSource& source, size_t line, std::string_view values);

class ExpectedTexts {
 public:
  explicit ExpectedTexts(base::FileSystem& files) : files_(files) {}

  void add_failure(const std::string& path, size_t line, std::string_view values);
  // Writes what can be rewritten, and reports what was and what was not.
  std::string rewrite();

 private:
  struct File {
    std::optional<CppSource> source;
    std::map<size_t, std::string> values;         // of the literals that begin there
    std::map<size_t, std::vector<size_t>> lines;  // the asserts of each
    std::vector<size_t> left;                     // asserts without a literal to rewrite
  };

  File& file(const std::string& path);
  bool write(const std::string& path, File& file);

  base::FileSystem& files_;
  std::map<std::string, File> by_path_;
};

}  // namespace trainjobc::test
