// Where reports for CI systems point to. Those want a file of the repository and a line that exists, for
// every finding; and something to know a finding by when the lines above it change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "tools/lint/report/reports.h"

namespace trainjobc::lint {

// All four at least 1; columns count UTF-16 code units, the end column is one past the last.
struct Region {
  uint32_t line = 1;
  uint32_t column = 1;
  uint32_t end_line = 1;
  uint32_t end_column = 1;
};

struct Place {
  std::string path;  // from the repository's root where the file lies below it, "/" between its parts
  Region region;
};

class Places {
 public:
  explicit Places(const ReportInput& input);

  // The finding's own place, or else where its object begins, or else the first file. nullopt without any
  // file.
  std::optional<Place> of(const base::Diagnostic& diagnostic) const;
  // nullopt if the location is none, or in a runtime that is built into trainjobc.
  std::optional<Place> of(const base::Location& location) const;
  std::string path_of(std::string_view file_name) const;

 private:
  const ReportInput& input_;
  std::map<std::string_view, const LintedObject*> objects_;  // the first of each id
};

// The message with its hint.
std::string full_message(const base::Diagnostic& diagnostic);

// `path` as a relative URI reference, or a file: URI where it is absolute.
std::string to_uri(std::string_view path);

// Names findings: "<hash>:<n>" for the n-th with equal `parts`. Each name is given once.
class Fingerprints {
 public:
  std::string next(std::initializer_list<std::string_view> parts);

 private:
  std::map<uint64_t, size_t> seen_;
};

// What a finding is known by besides its rule: its source line without indentation, so that lines above may
// come and go, or what it says where it has no line.
std::string identity(const base::Diagnostic& diagnostic);

}  // namespace trainjobc::lint
