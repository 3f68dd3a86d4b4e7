#include "base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/utf8.h"

namespace trainjobc::base {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Info: return "info";
  }
  return "";
}

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::Yaml: return "yaml";
    case Stage::Input: return "input";
    case Stage::JobSet: return "jobset";
    case Stage::Job: return "job";
    case Stage::Advice: return "advice";
  }
  return "";
}

void Diagnostics::append(Diagnostics other) {
  std::ranges::move(other.items_, std::back_inserter(items_));
}

bool Diagnostics::has_errors() const {
  return std::ranges::any_of(items_, [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

bool Diagnostics::has_refusals() const {
  return std::ranges::any_of(items_, is_refusal);
}

namespace {

auto sort_key(const Diagnostic& d) {
  const std::string_view file =
      d.location.file ? std::string_view(d.location.file->name()) : std::string_view();
  return std::tuple(file, d.location.line, d.location.column, std::string_view(d.rule),
                    std::string_view(d.object), std::string_view(d.field), std::string_view(d.message));
}

}  // namespace

void Diagnostics::sort() {
  std::ranges::stable_sort(
      items_, [](const Diagnostic& a, const Diagnostic& b) { return sort_key(a) < sort_key(b); });
  const auto same = [](const Diagnostic& a, const Diagnostic& b) { return sort_key(a) == sort_key(b); };
  const auto tail = std::ranges::unique(items_, same);
  items_.erase(tail.begin(), tail.end());
}

namespace {

class Painter {
 public:
  explicit Painter(TextStyle style) : colour_(style.colour) {}
  std::string operator()(std::string_view code, std::string_view text) const {
    return colour_ ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
  }

 private:
  bool colour_;
};

std::string_view severity_colour(Severity severity) {
  switch (severity) {
    case Severity::Error: return "1;31";
    case Severity::Warning: return "1;35";
    case Severity::Info: return "1;36";
  }
  return "0";
}

// Characters that no terminal shall get from an input: controls, and those that reorder or hide text.
bool is_unprintable(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x2069) || code == 0xFEFF;
}

// A text on one line of its own: what is unprintable is escaped.
std::string escaped(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text.substr(at));
    if (point.length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    } else if (text[at] == '\n') {
      out += "\\n";
    } else if (is_unprintable(point.value)) {
      out += fmt::format("\\u{:04x}", point.value);
    } else {
      out += text.substr(at, point.length);
    }
    at += std::max<size_t>(point.length, 1);
  }
  return out;
}

std::string place(const Location& location) {
  if (!location.file) return "";
  const std::string name = escaped(location.file->name());
  if (location.line == 0) return fmt::format("{}: ", name);
  return fmt::format("{}:{}:{}: ", name, location.line, location.column);
}

// How many columns of a terminal a character takes, roughly.
size_t width(uint32_t code) {
  struct Range {
    uint32_t first;
    uint32_t last;
    size_t width;
  };
  static constexpr Range kRanges[] = {{0x300, 0x36F, 0},     {0x1100, 0x115F, 2},   {0x2E80, 0xA4CF, 2},
                                      {0xAC00, 0xD7A3, 2},   {0xF900, 0xFAFF, 2},   {0xFE00, 0xFE0F, 0},
                                      {0xFE30, 0xFE6F, 2},   {0xFF01, 0xFF60, 2},   {0xFFE0, 0xFFE6, 2},
                                      {0x1F300, 0x1F64F, 2}, {0x1F680, 0x1F6FF, 2}, {0x1F900, 0x1F9FF, 2},
                                      {0x20000, 0x3FFFD, 2}};
  for (const Range& range : kRanges) {
    if (code >= range.first && code <= range.last) return range.width;
  }
  return 1;
}

struct Shown {
  std::string text;
  size_t columns = 0;
};

// Source text as a terminal shows it: one sign for each tab and each unprintable or broken character.
Shown show(std::string_view text) {
  Shown out;
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text.substr(at));
    const bool is_broken = point.length == 0 || is_unprintable(point.value);
    if (text[at] == '\t') {
      out.text += ' ';
    } else if (is_broken) {
      out.text += "\uFFFD";
    } else {
      out.text += text.substr(at, point.length);
    }
    out.columns += is_broken ? 1 : width(point.value);
    at += std::max<size_t>(point.length, 1);
  }
  return out;
}

constexpr size_t kMaxLine = 200;

// The first byte of the character that the byte at `at` is part of.
size_t character_start(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80) --at;
  return at;
}

// The source line with its caret line; a very long line is cut around the token.
std::string excerpt(const Diagnostic& diagnostic, const Painter& paint) {
  const Location& at = diagnostic.location;
  const std::string_view line = at.file->line(at.line);
  const size_t begin = std::min<size_t>(at.column == 0 ? 0 : at.column - 1, line.size());
  const bool is_late = line.size() > kMaxLine && begin > kMaxLine / 2;
  const size_t from = is_late ? character_start(line, begin - kMaxLine / 4) : 0;
  const size_t to = line.size() - from > kMaxLine ? character_start(line, from + kMaxLine) : line.size();
  const size_t end = at.end_line == at.line ? std::min<size_t>(at.end_column - 1, to) : to;
  const std::string_view left_out = "...";
  const Shown before = show(line.substr(from, begin - from));
  const Shown token = show(line.substr(begin, end > begin ? end - begin : 0));
  const std::string lead(is_late ? left_out : "");
  const std::string tail(to < line.size() ? left_out : "");
  const std::string caret = "^" + std::string(std::max<size_t>(token.columns, 1) - 1, '~');
  std::string out =
      fmt::format("{:>5} | {}{}{}\n", at.line, lead, show(line.substr(from, to - from)).text, tail);
  out += fmt::format("      | {}{}", std::string(lead.size() + before.columns, ' '), paint("1;32", caret));
  if (!diagnostic.hint.empty()) out += " " + escaped(diagnostic.hint);
  return out + "\n";
}

}  // namespace

std::string format_text(const Diagnostic& diagnostic, TextStyle style) {
  const Painter paint(style);
  const std::string severity = fmt::format("{}: ", to_string(diagnostic.severity));
  std::string out = fmt::format("{}{}{} [{}]\n", paint("1", place(diagnostic.location)),
                                paint(severity_colour(diagnostic.severity), severity),
                                escaped(diagnostic.message), diagnostic.rule);
  if (diagnostic.location.file && diagnostic.location.line != 0 && !diagnostic.hide_source) {
    out += excerpt(diagnostic, paint);
  } else if (!diagnostic.hint.empty()) {
    out += fmt::format("  hint: {}\n", escaped(diagnostic.hint));
  }
  for (const Note& note : diagnostic.notes) {
    std::string where = place(note.location);
    if (where.ends_with(": ")) where.resize(where.size() - 2);
    out += fmt::format("  {}{}{}\n", paint("1;36", "note: "), escaped(note.message),
                       where.empty() ? "" : " at " + where);
  }
  return out;
}

}  // namespace trainjobc::base
