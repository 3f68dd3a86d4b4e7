// SPDX-License-Identifier: Apache-2.0

// Places in reports for CI systems. These need a file of the repository and an existing line for every
// finding, and an identity of the finding that stays when lines above it change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "lint/report/reports.h"

namespace trainjobc::lint {

// All four at least 1; columns count UTF-16 code units, the end column is one past the last.
struct Region {
  uint32_t line = 1;
  uint32_t column = 1;
  uint32_t end_line = 1;
  uint32_t end_column = 1;
};

struct Place {
  std::string path;  // from the repository's root if the file is below it, "/" between its parts
  Region region;
};

class Places {
 public:
  explicit Places(const ReportInput& input);

  // The place of the finding, otherwise the beginning of its object, otherwise the first file. nullopt
  // without files.
  std::optional<Place> of(const base::Diagnostic& diagnostic) const;
  // nullopt if there is no location, or if it is in a built-in runtime.
  std::optional<Place> of(const base::Location& location) const;
  std::string path_of(std::string_view file_name) const;

 private:
  const ReportInput& input_;
  std::map<std::string_view, const LintedObject*> objects_;  // the first of each id
};

// The message with its hint.
std::string full_message(const base::Diagnostic& diagnostic);

// Whether it is the name of a runtime of the catalogue, and not a path.
bool is_built_in(std::string_view name);

// `path` as a relative URI reference, or as a file: URI if it is absolute.
std::string to_uri(std::string_view path);

// Names findings: "<hash>:<n>" for the n-th with equal `parts`. Each name is unique.
class Fingerprints {
 public:
  std::string next(std::initializer_list<std::string_view> parts);

 private:
  std::map<uint64_t, size_t> seen_;
};

// What identifies a finding besides its rule: its source line without indentation, so that lines above may
// change, or its message if it has no line.
std::string identity(const base::Diagnostic& diagnostic);

}  // namespace trainjobc::lint
