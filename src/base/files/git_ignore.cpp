// SPDX-License-Identifier: Apache-2.0

#include "base/files/git_ignore.h"

#include <algorithm>
#include <ranges>

#include "base/text/glob.h"
#include "base/text/lines.h"

namespace trainjobc::base {
namespace {

// The line without trailing spaces, unless a backslash escapes them.
std::string_view without_trailing_spaces(std::string_view line) {
  size_t end = 0;
  for (size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\\' && at + 1 < line.size()) {
      ++at;
    } else if (line[at] == ' ') {
      continue;
    }
    end = at + 1;
  }
  return line.substr(0, end);
}

}  // namespace

GitIgnore::GitIgnore(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (std::string_view line : Lines(text)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    add(line);
  }
}

void GitIgnore::add(std::string_view text) {
  if (text.starts_with('#')) return;
  text = without_trailing_spaces(text);
  Line line;
  if (text.starts_with('!')) {
    line.excludes = false;
    text.remove_prefix(1);
  }
  if (text.ends_with('/')) {
    line.directories_only = true;
    text.remove_suffix(1);
  }
  line.whole_path = text.find('/') != std::string_view::npos;
  if (text.starts_with('/')) text.remove_prefix(1);
  if (text.empty()) return;
  line.glob = text;
  lines_.push_back(std::move(line));
}

std::optional<bool> GitIgnore::decide(std::string_view path, bool is_directory) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const auto& line : std::views::reverse(lines_)) {
    if (line.directories_only && !is_directory) continue;
    if (matches_glob(line.glob, line.whole_path ? path : name, Stars::Git)) return line.excludes;
  }
  return std::nullopt;
}

}  // namespace trainjobc::base
