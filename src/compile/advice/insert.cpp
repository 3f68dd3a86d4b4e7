#include "compile/advice/insert.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainjobc::compile::advice {
namespace {

using yaml::Origin;

constexpr std::string_view kSpace = " \t\r\n";

bool is_before(const Origin& a, const Origin& b) {
  return a.file() == b.file() && (a.line() != b.line() ? a.line() < b.line() : a.column() < b.column());
}

// Whether the text ends with the bracket of a flow map; one at the end of a comment counts too.
bool opens_flow(std::string_view before) {
  const size_t at = before.find_last_not_of(kSpace);
  return at != std::string_view::npos && before[at] == '{';
}

// Whether only indentation and the dashes of lists stand before the key.
bool begins_line(std::string_view before) {
  return before.find_first_not_of(" -") == std::string_view::npos;
}

}  // namespace

std::vector<base::Edit> insert_first(const yaml::Entry& map, const NewPair& pair) {
  const auto entries = map.value->entries();
  if (entries.empty()) return {};
  const Origin& at = entries.front().key_origin;
  if (!at.file() || !map.key_origin.file() || !is_before(map.key_origin, at)) return {};
  const base::SourceFile& file = *at.file();
  const std::string_view before = file.line(at.line()).substr(0, at.column() - 1);
  const size_t offset = file.line_start(at.line()) + at.column() - 1;
  const base::Location place{&file, at.line(), at.column(), at.line(), at.column()};
  if (opens_flow(file.text().substr(0, offset))) {
    const bool is_comment =
        at.line() > 1 && begins_line(before) && file.line(at.line() - 1).find('#') != std::string_view::npos;
    if (is_comment) return {};
    return {{place, fmt::format("{}, ", pair.flow)}};
  }
  const bool is_block = begins_line(before) && at.line() > map.key_origin.line();
  const char first = file.line(at.line()).substr(at.column() - 1).front();
  if (!is_block || first == '"' || first == '<') return {};
  return {{place, fmt::format("{}\n{}", pair.block, std::string(before.size(), ' '))}};
}

}  // namespace trainjobc::compile::advice
