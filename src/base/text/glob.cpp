// SPDX-License-Identifier: Apache-2.0

#include "base/text/glob.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ranges>
#include <utility>

#include "base/text/text.h"

namespace trainjobc::base {
namespace {

constexpr size_t kNone = std::string_view::npos;

bool is_of_class(std::string_view name, char c) {
  const auto byte = static_cast<unsigned char>(c);
  const bool printable = byte > ' ' && byte < 0x7F;
  const std::array<std::pair<std::string_view, bool>, 12> classes{{
      {"alnum", is_alnum(c)},
      {"alpha", is_letter(c)},
      {"blank", c == ' ' || c == '\t'},
      {"cntrl", byte < ' ' || byte == 0x7F},
      {"digit", is_digit(c)},
      {"graph", printable},
      {"lower", is_lower(c)},
      {"print", printable || c == ' '},
      {"punct", printable && !is_alnum(c)},
      {"space", c == ' ' || (c >= '\t' && c <= '\r')},
      {"upper", is_upper(c)},
      {"xdigit", is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')},
  }};
  return contains(classes, std::pair(name, true));
}

// One [...] at the beginning of the text: its length, and whether it contains the character. The length is 0
// if it is not closed.
class Bracket {
 public:
  Bracket(std::string_view text, char c) : text_(text), c_(c) { read(); }
  size_t length = 0;
  bool holds = false;

 private:
  void read() {
    size_t at = 1;
    const bool negated = at < text_.size() && (text_[at] == '!' || text_[at] == '^');
    if (negated) ++at;
    bool found = false;
    for (bool first = true; at < text_.size() && (first || text_[at] != ']'); first = false) {
      at = read_item(at, found);
      if (at == kNone) return;
    }
    if (at >= text_.size()) return;
    length = at + 1;
    holds = found != negated && c_ != '/';
  }

  // The position of the character at `at`, after its backslash if it is escaped.
  size_t unescape(size_t at) const { return text_[at] == '\\' ? at + 1 : at; }

  // Where the next item begins; kNone if the bracket can't be read.
  size_t read_item(size_t at, bool& found) const {
    if (text_.substr(at).starts_with("[:")) {
      const size_t end = text_.find(":]", at);
      if (end == kNone) return kNone;
      found = found || is_of_class(text_.substr(at + 2, end - at - 2), c_);
      return end + 2;
    }
    at = unescape(at);
    if (at >= text_.size()) return kNone;
    const auto low = static_cast<unsigned char>(text_[at++]);
    auto high = low;
    if (at + 1 < text_.size() && text_[at] == '-' && text_[at + 1] != ']') {
      at = unescape(at + 1);
      if (at >= text_.size()) return kNone;
      high = static_cast<unsigned char>(text_[at++]);
    }
    const auto byte = static_cast<unsigned char>(c_);
    found = found || (low <= byte && byte <= high);
    return at;
  }

  std::string_view text_;
  char c_;
};

// Each star remembers its position, so that after a mismatch the last one can match more: first the last *,
// up to a slash, then the last **.
class Matcher {
 public:
  Matcher(std::string_view glob, std::string_view path, Stars stars)
      : glob_(glob), path_(path), stars_(stars) {}

  bool run() {
    while (at_ < path_.size()) {
      if (g_ < glob_.size() && glob_[g_] == '*') {
        if (take_stars()) return true;
      } else if (const size_t length = one_character(); length > 0) {
        g_ += length;
        ++at_;
      } else if (!go_back()) {
        return false;
      }
    }
    return glob_.find_first_not_of('*', g_) == kNone;
  }

 private:
  // The length of the pattern's part that matches the next character; 0 if it doesn't match.
  size_t one_character() const {
    if (g_ >= glob_.size()) return 0;
    const char c = path_[at_];
    if (glob_[g_] == '?') return c == '/' ? 0 : 1;
    if (glob_[g_] == '[') {
      const Bracket bracket(glob_.substr(g_), c);
      return bracket.holds ? bracket.length : 0;
    }
    if (glob_[g_] == '\\' && g_ + 1 < glob_.size()) return glob_[g_ + 1] == c ? 2 : 0;
    return glob_[g_] == c ? 1 : 0;
  }

  // Skips stars. True if they match all that is left.
  bool take_stars() {
    const size_t end = std::min(glob_.find_first_not_of('*', g_), glob_.size());
    const bool two = end - g_ >= 2;
    const bool folders =
        two && (g_ == 0 || glob_[g_ - 1] == '/') && (end == glob_.size() || glob_[end] == '/');
    if (!folders && !(two && stars_ == Stars::Anything)) {
      star_ = {end, at_};
      g_ = end;
      return false;
    }
    if (end == glob_.size()) return true;
    deep_ = {folders ? end + 1 : end, at_};
    by_folder_ = folders;
    star_ = {};
    g_ = deep_.glob;
    return false;
  }

  bool go_back() {
    if (star_.glob != kNone && path_[star_.path] != '/') {
      at_ = ++star_.path;
      g_ = star_.glob;
      return true;
    }
    if (deep_.glob == kNone) return false;
    if (by_folder_) {
      const size_t slash = path_.find('/', deep_.path);
      if (slash == kNone) return false;
      deep_.path = slash;
    }
    at_ = ++deep_.path;
    g_ = deep_.glob;
    star_ = {};
    return true;
  }

  struct Place {
    size_t glob = kNone;
    size_t path = 0;
  };

  std::string_view glob_;
  std::string_view path_;
  Stars stars_;
  size_t g_ = 0;
  size_t at_ = 0;
  Place star_;
  Place deep_;
  bool by_folder_ = false;
};

}  // namespace

bool matches_glob(std::string_view glob, std::string_view path, Stars stars) {
  return Matcher(glob, path, stars).run();
}

void GlobSet::Index::add(std::string_view glob, size_t number) {
  const std::string_view text = glob.substr(0, glob.find_first_of("*?[\\"));
  globs[std::string(text)].push_back(number);
  lengths.insert(text.size());
}

bool GlobSet::Index::find(std::string_view path, const Try& attempt) const {
  for (const size_t length : lengths) {
    if (length > path.size()) break;
    const auto found = globs.find(path.substr(0, length));
    if (found != globs.end() && !std::ranges::all_of(found->second, attempt)) return false;
  }
  return true;
}

size_t GlobSet::add(const std::string& glob) {
  const auto [at, is_new] = numbers_.try_emplace(glob, globs_.size());
  if (!is_new) return at->second;
  globs_.push_back(glob);
  const std::string_view text = glob;
  if (text.starts_with("**/")) {
    from_any_name_.add(text.substr(3), at->second);
  } else {
    from_root_.add(text, at->second);
  }
  return at->second;
}

void GlobSet::find(std::string_view path, const Try& attempt) const {
  if (!from_root_.find(path, attempt)) return;
  for (size_t at = 0; at != std::string_view::npos && at <= path.size();) {
    if (!from_any_name_.find(path.substr(at), attempt)) return;
    const size_t slash = path.find('/', at);
    at = slash == std::string_view::npos ? slash : slash + 1;
  }
}

std::vector<size_t> GlobSet::matches(std::string_view path) const {
  std::set<size_t> matching;
  find(path, [&](size_t number) {
    if (matches_glob(globs_[number], path, Stars::Anything)) matching.insert(number);
    return true;
  });
  return {matching.begin(), matching.end()};
}

bool GlobSet::matches_any(std::string_view path) const {
  bool found = false;
  find(path, [&](size_t number) {
    found = matches_glob(globs_[number], path, Stars::Anything);
    return !found;
  });
  return found;
}

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
