// SPDX-License-Identifier: Apache-2.0

#include "yaml/rewrite/insert.h"

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "yaml/rewrite/written_key.h"

namespace trainjobc::yaml {
namespace {

using yaml::Origin;

bool is_before(const Origin& a, const Origin& b) {
  return a.file() == b.file() && (a.line() != b.line() ? a.line() < b.line() : a.column() < b.column());
}

// The last character that is not a space; one of a comment counts too.
char last_of(std::string_view before) {
  const size_t at = before.find_last_not_of(base::kSpace);
  return at != std::string_view::npos ? before[at] : '\0';
}

// Whether only indentation and the dashes of lists are before the key.
bool begins_line(std::string_view before) {
  return before.find_first_not_of(" -") == std::string_view::npos;
}

// As the file's first line ends.
std::string_view line_break_of(const base::SourceFile& file) {
  const size_t at = file.text().find('\n');
  return at != std::string_view::npos && at > 0 && file.text()[at - 1] == '\r' ? "\r\n" : "\n";
}

// The first entry of the map with text of its own; nullptr for another map.
const yaml::Entry* first_written(const yaml::Entry& map) {
  const auto entries = map.value->entries();
  if (entries.empty()) return nullptr;
  const Origin& at = entries.front().key_origin;
  if (!at.file() || !map.key_origin.file() || !is_before(map.key_origin, at)) return nullptr;
  return at.in_flow() || at.line() != map.key_origin.line() ? &entries.front() : nullptr;
}

}  // namespace

std::vector<base::Edit> insert_before(const yaml::Entry& entry, const NewPair& pair) {
  const Origin& at = entry.key_origin;
  if (!at.file()) return {};
  const base::SourceFile& file = *at.file();
  const std::string_view before = file.line(at.line()).substr(0, at.column() - 1);
  const size_t offset = file.line_start(at.line()) + at.column() - 1;
  const base::Location place{&file, at.line(), at.column(), at.line(), at.column()};
  const char first = file.line(at.line()).substr(at.column() - 1).front();
  if (at.in_flow()) {
    const bool is_comment =
        at.line() > 1 && begins_line(before) && file.line(at.line() - 1).find('#') != std::string_view::npos;
    const char last = last_of(file.text().substr(0, offset));
    if (is_comment || (last != '{' && last != ',')) return {};
    return {{place, fmt::format("{}, ", first == '"' ? pair.json : pair.yaml)}};
  }
  if (!begins_line(before) || first == '"' || first == '<') return {};
  return {{place, fmt::format("{}{}{}", pair.yaml, line_break_of(file), std::string(before.size(), ' '))}};
}

std::vector<base::Edit> insert_first(const yaml::Entry& map, const NewPair& pair) {
  const yaml::Entry* first = first_written(map);
  return first ? insert_before(*first, pair) : std::vector<base::Edit>();
}

std::vector<base::Edit> insert_map_before(const yaml::Entry& entry, std::string_view key,
                                          const NewPair& pair) {
  if (!entry.key_origin.file()) return {};
  const base::SourceFile& file = *entry.key_origin.file();
  if (const auto written = find_written_key(entry.key_origin, key)) {
    const auto empty = empty_value(file, written->end);
    if (!empty) return {};
    const uint32_t line = file.line_at(empty->begin);
    const auto column = static_cast<uint32_t>(empty->begin - file.line_start(line) + 1);
    const auto width = static_cast<uint32_t>(empty->end - empty->begin);
    const base::Location place{&file, line, column, line, column + width};
    const bool is_json = file.text()[written->begin] == '"';
    return {{place, fmt::format("{}{{{}}}", width == 0 ? " " : "", is_json ? pair.json : pair.yaml)}};
  }
  return insert_before(
      entry, {fmt::format("{}: {{{}}}", key, pair.yaml), fmt::format("\"{}\": {{{}}}", key, pair.json)});
}

std::vector<base::Edit> insert_map_first(const yaml::Entry& map, std::string_view key, const NewPair& pair) {
  const yaml::Entry* first = first_written(map);
  return first ? insert_map_before(*first, key, pair) : std::vector<base::Edit>();
}

}  // namespace trainjobc::yaml
