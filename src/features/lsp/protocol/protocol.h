// SPDX-License-Identifier: Apache-2.0

// The plain types of the Language Server Protocol, and how they map to source files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/source.h"

namespace trainjobc::lsp {

// A file's absolute path: its name in diagnostics. Clients name it by its URI.
using DocumentId = std::string;

// Lines and characters count from 0; a character is a UTF-16 code unit.
struct Position {
  uint32_t line = 0;
  uint32_t character = 0;

  auto operator<=>(const Position&) const = default;
};

// `end` is one past the last character.
struct Range {
  Position start;
  Position end;

  bool operator==(const Range&) const = default;
};

struct Location {
  DocumentId document;
  Range range;

  bool operator==(const Location&) const = default;
};

// The byte offset of a position. A position after the end of its line is the line's end, one after the last
// line the text's end; one inside a surrogate pair is before the character.
size_t offset_of(const base::SourceFile& file, Position position);

Position position_of(const base::SourceFile& file, size_t offset);

// Of a line and a column in bytes, both from 1 as in base::Location.
Position position_of(const base::SourceFile& file, uint32_t line, uint32_t column);

// A place without a line is the beginning of its file. `at.file` is not null.
Range range_of(const base::Location& at);

// nullopt for a place in no file, or in one that clients can't open, such as one of the catalogue.
std::optional<Location> location_of(const base::Location& at);

inline constexpr std::string_view kFileScheme = "file://";

// "file:///repo/jobs/a%20b.yaml" for "/repo/jobs/a b.yaml".
std::string uri_of(std::string_view path);

// nullopt unless it is a file: URI of this machine.
std::optional<std::string> path_of(std::string_view uri);

}  // namespace trainjobc::lsp
