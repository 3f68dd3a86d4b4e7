#include "compile/insert.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainjobc::compile {
namespace {

using yaml::Origin;

constexpr std::string_view kSpace = " \t\r\n";

bool is_before(const Origin& a, const Origin& b) {
  return a.file() == b.file() && (a.line() != b.line() ? a.line() < b.line() : a.column() < b.column());
}

// The last character that is no space; one of a comment counts too.
char last_of(std::string_view before) {
  const size_t at = before.find_last_not_of(kSpace);
  return at != std::string_view::npos ? before[at] : '\0';
}

// Whether only indentation and the dashes of lists stand before the key.
bool begins_line(std::string_view before) {
  return before.find_first_not_of(" -") == std::string_view::npos;
}

// As the file's first line ends.
std::string_view line_break_of(const base::SourceFile& file) {
  const size_t at = file.text().find('\n');
  return at != std::string_view::npos && at > 0 && file.text()[at - 1] == '\r' ? "\r\n" : "\n";
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
  const auto entries = map.value->entries();
  if (entries.empty()) return {};
  const Origin& at = entries.front().key_origin;
  if (!at.file() || !map.key_origin.file() || !is_before(map.key_origin, at)) return {};
  if (!at.in_flow() && at.line() == map.key_origin.line()) return {};
  return insert_before(entries.front(), pair);
}

}  // namespace trainjobc::compile
