// SPDX-License-Identifier: Apache-2.0

// The patterns of the schemas, matched without a regular expression engine: there are only a few, and each is
// identified by its text.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::schema {

// Whether `text` matches; `pattern` is one of the schema's patterns, or "date-time" for RFC 3339.
bool matches_pattern(std::string_view pattern, std::string_view text);

// Whether the code knows this pattern. The schema tables contain no others: tools/schemagen checks that.
bool knows_pattern(std::string_view pattern);

struct PatternAdvice {
  std::string_view rule;  // of the diagnostic
  std::string_view what;  // "a quantity"
  std::string_view hint;
};

PatternAdvice explain_pattern(std::string_view pattern);

// What to write instead of a text that doesn't match; "" if nothing is obvious.
std::string corrected(std::string_view pattern, std::string_view text);

}  // namespace trainjobc::schema
