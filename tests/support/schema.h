// SPDX-License-Identifier: Apache-2.0

// Helpers for tests of the schema layer: documents from text, and diagnostics as one text.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "schema/schema.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::test {

// One document, read from a file t.yaml of the given text.
class Parsed {
 public:
  explicit Parsed(std::string text) : file_("t.yaml", std::move(text)) {
    base::Diagnostics diagnostics;
    const std::vector<yaml::Document> documents = yaml::read(file_, arena_, diagnostics);
    REQUIRE_MESSAGE(diagnostics.empty(), file_.text());
    REQUIRE(documents.size() == 1);
    root_ = documents.front().root;
  }
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;

  const yaml::Node& operator*() const { return *root_; }
  const yaml::Node* operator->() const { return root_; }
  yaml::Maker make() { return yaml::Maker(arena_); }

 private:
  base::SourceFile file_;
  base::Arena arena_;
  const yaml::Node* root_ = nullptr;
};

inline std::string json(const yaml::Node& node) {
  std::string out;
  yaml::write_json(node, yaml::KeyOrder::AsIs, 0, out);
  return out;
}

// The whole report.
inline std::string report(const std::vector<base::Diagnostic>& diagnostics) {
  std::string out;
  for (const base::Diagnostic& diagnostic : diagnostics) out += base::format_text(diagnostic, {});
  return out;
}

// Only the fields of the report, in order.
inline std::vector<std::string> fields(const std::vector<base::Diagnostic>& diagnostics) {
  std::vector<std::string> out;
  for (const base::Diagnostic& diagnostic : diagnostics) out.push_back(diagnostic.field);
  return out;
}

inline const schema::Schema& kind_schema(std::string_view version, std::string_view kind) {
  const schema::VersionSchemas* schemas = schema::find_version(version);
  REQUIRE(schemas != nullptr);
  const schema::KindSchema* found = schemas->kind(kind);
  REQUIRE(found != nullptr);
  return *found->schema;
}

// The schema at a path of names such as {"spec", "replicatedJobs", "[]"}, where "[]" is a list's items.
inline const schema::Schema& schema_below(const schema::Schema& root,
                                          std::initializer_list<std::string_view> path) {
  const schema::Schema* at = &root;
  for (const std::string_view step : path) {
    const schema::Property* property = at->property(step);
    at = step == "[]" ? at->items : property ? property->schema : nullptr;
    REQUIRE_MESSAGE(at != nullptr, step);
  }
  return *at;
}

}  // namespace trainjobc::test
