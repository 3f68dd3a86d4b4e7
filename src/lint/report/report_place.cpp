// SPDX-License-Identifier: Apache-2.0

#include "lint/report/report_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text/ascii.h"
#include "base/text/utf16.h"

namespace trainjobc::lint {
namespace {

using base::Diagnostic;
using base::Location;
using base::SourceFile;

// The column, in UTF-16 code units, of a byte column.
uint32_t utf16_column(std::string_view line, uint32_t column) {
  const size_t bytes = std::min<size_t>(column == 0 ? 0 : column - 1, line.size());
  return static_cast<uint32_t>(base::utf16_length(line.substr(0, bytes))) + 1;
}

Region region_of(const Location& at) {
  if (at.line == 0) return {};
  Region region;
  region.line = at.line;
  region.column = utf16_column(at.file->line(at.line), at.column);
  region.end_line = std::max(at.line, at.end_line);
  region.end_column = utf16_column(at.file->line(region.end_line), at.end_column);
  if (region.end_line == region.line) region.end_column = std::max(region.column, region.end_column);
  return region;
}

// FNV-1a. A zero byte ends each part.
uint64_t hash(std::initializer_list<std::string_view> parts) {
  uint64_t value = 0xcbf29ce484222325ULL;
  const auto add = [&](unsigned char byte) { value = (value ^ byte) * 0x100000001b3ULL; };
  for (const std::string_view part : parts) {
    for (const char c : part) add(static_cast<unsigned char>(c));
    add(0);
  }
  return value;
}

}  // namespace

Places::Places(const ReportInput& input) : input_(input) {
  for (const LintedObject& object : input.objects) objects_.try_emplace(object.object, &object);
}

std::optional<Place> Places::of(const Diagnostic& diagnostic) const {
  if (auto place = of(diagnostic.location)) return place;
  const auto object = objects_.find(diagnostic.object);
  if (object != objects_.end()) {
    const uint32_t line = std::max<uint32_t>(object->second->line, 1);
    return Place{path_of(object->second->file), {line, 1, line, 1}};
  }
  if (input_.files.empty()) return std::nullopt;
  return Place{path_of(input_.files.front()), {}};
}

std::optional<Place> Places::of(const Location& location) const {
  if (!location.file || is_built_in(location.file->name())) return std::nullopt;
  return Place{path_of(location.file->name()), region_of(location)};
}

std::string Places::path_of(std::string_view file_name) const {
  namespace fs = std::filesystem;
  if (file_name.starts_with('<')) return std::string(file_name);  // <stdin>
  const fs::path given = (fs::path(input_.repository.working_directory) / file_name).lexically_normal();
  const fs::path root = fs::path(input_.repository.root).lexically_normal();
  if (!given.is_absolute() || !root.is_absolute()) return given.generic_string();
  const fs::path inside = given.lexically_relative(root);
  return (inside.empty() || *inside.begin() == ".." ? given : inside).generic_string();
}

std::string full_message(const Diagnostic& diagnostic) {
  return diagnostic.hint.empty() ? diagnostic.message
                                 : fmt::format("{}; {}", diagnostic.message, diagnostic.hint);
}

bool is_built_in(std::string_view name) {
  return name.starts_with("catalogue/v");
}

std::string to_uri(std::string_view path) {
  constexpr std::string_view kPlain = "-._~/";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    if (base::is_alnum(c) || kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

std::string Fingerprints::next(std::initializer_list<std::string_view> parts) {
  const uint64_t value = hash(parts);
  return fmt::format("{:016x}:{}", value, ++seen_[value]);
}

std::string identity(const Diagnostic& diagnostic) {
  const Location& at = diagnostic.location;
  // A line with a secret is not even hashed: a short secret could be guessed from the hash.
  const bool has_line = at.file && at.line != 0 && !diagnostic.hide_source;
  const std::string_view line =
      has_line ? base::trimmed(at.file->line(at.line), base::kBlanks) : std::string_view();
  if (!line.empty()) return std::string(line);
  return fmt::format("{} {} {}", diagnostic.object, diagnostic.field, diagnostic.message);
}

}  // namespace trainjobc::lint
