// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "schema/validate.h"
#include "support/schema.h"

namespace trainjobc::schema::pattern_test {
namespace {

// The pattern of the schema at a path of a JobSet's pods.
std::string_view quantity_pattern() {
  const Schema& limits = test::schema_below(test::kind_schema("2.3", "TrainJob"),
                                            {"spec", "trainer", "resourcesPerNode", "limits"});
  return limits.additional->bounds->pattern;
}

bool is_quantity(std::string_view text) {
  return matches_pattern(quantity_pattern(), text);
}
bool is_date_time(std::string_view text) {
  return matches_pattern("date-time", text);
}
std::string meant(std::string_view text) {
  return corrected(quantity_pattern(), text);
}

void check_known(const Schema& schema, std::set<const Schema*>& seen, std::set<std::string_view>& patterns) {
  if (!seen.insert(&schema).second) return;
  if (schema.bounds && !schema.bounds->pattern.empty()) {
    CHECK_MESSAGE(knows_pattern(schema.bounds->pattern), schema.bounds->pattern);
    patterns.insert(schema.bounds->pattern);
  }
  for (const Property& property : schema.properties) check_known(*property.schema, seen, patterns);
  if (schema.items) check_known(*schema.items, seen, patterns);
  if (schema.additional) check_known(*schema.additional, seen, patterns);
}

}  // namespace

TEST_CASE("patterns: the code knows every pattern of every version") {
  std::set<const Schema*> seen;
  std::set<std::string_view> patterns;
  for (const VersionSchemas& version : all_versions()) {
    for (const KindSchema& kind : version.kinds) check_known(*kind.schema, seen, patterns);
  }
  CHECK(patterns.size() == 4);
  CHECK_FALSE(knows_pattern("^$"));
}

TEST_CASE("patterns: quantities") {
  for (const std::string_view text : {"1", "+1", "-1", "0.5", ".5", "5.", "1k", "1Ki", "1.5Gi", "100m", "1n",
                                      "1u", "1e3", "1E3", "1e-3", "1E+5", "1E", "007"}) {
    CHECK_MESSAGE(is_quantity(text), text);
  }
  for (const std::string_view text :
       {"",      ".",    "-",     "1e",    "1K",   "1ki",  "1GB",
        "1 Gi",  "Gi",   "--1",   "1ee3",  "1Kib", "1\n",  "\xd9\xa3",
        "1.5.2", "0x10", "1e+.5", "1e3.5", "1e1.", "2E.5", "1e9223372036854775808"}) {
    CHECK_MESSAGE(!is_quantity(text), text);
  }
}

TEST_CASE("patterns: the quantity that was probably meant") {
  CHECK(meant("32GB") == "32G");
  CHECK(meant("32 Gi") == "32Gi");
  CHECK(meant("10gi") == "10Gi");
  CHECK(meant("64K") == "64k");
  CHECK(meant("1GIB") == "1Gi");
  CHECK(meant("4g") == "4G");
  CHECK(meant("").empty());
  CHECK(meant("lots").empty());
}

TEST_CASE("patterns: date-times") {
  for (const std::string_view text : {"2026-01-31T08:00:00Z", "2026-01-31T23:59:59.999+14:00",
                                      "2024-02-29T00:00:00-00:00", "2026-01-31T08:00:00,5Z"}) {
    CHECK_MESSAGE(is_date_time(text), text);
  }
  for (const std::string_view text :
       {"", "2026-01-31", "2026-01-31T08:00:00", "2026-01-31t08:00:00Z", "2026-01-31 08:00:00Z",
        "2025-02-29T08:00:00Z", "2026-13-01T08:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T08:60:00Z",
        "2026-01-31T08:00:00.Z", "2026-01-31T08:00:00+2:00", "2026-01-31T08:00:00Zz"}) {
    CHECK_MESSAGE(!is_date_time(text), text);
  }
}

TEST_CASE("patterns: conditions") {
  constexpr std::string_view kReason = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$";
  CHECK(matches_pattern(kReason, "A"));
  CHECK(matches_pattern(kReason, "A,b:c_"));
  CHECK_FALSE(matches_pattern(kReason, "A,"));
  CHECK_FALSE(matches_pattern(kReason, "9a"));
  CHECK_FALSE(matches_pattern(kReason, ""));
  CHECK(explain_pattern(kReason).what == "a condition's reason");
}

}  // namespace trainjobc::schema::pattern_test
