#include "base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

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

namespace {

auto sort_key(const Diagnostic& d) {
  const std::string_view file = d.location.file ? std::string_view(d.location.file->name()) : std::string_view();
  return std::tuple(file, d.location.line, d.location.column, std::string_view(d.rule), std::string_view(d.object),
                    std::string_view(d.field), std::string_view(d.message));
}

}  // namespace

void Diagnostics::sort() {
  std::ranges::stable_sort(items_, [](const Diagnostic& a, const Diagnostic& b) { return sort_key(a) < sort_key(b); });
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

std::string place(const Location& location) {
  if (!location.file) return "";
  if (location.line == 0) return fmt::format("{}: ", location.file->name());
  return fmt::format("{}:{}:{}: ", location.file->name(), location.line, location.column);
}

// How many columns of a terminal the UTF-8 text takes, roughly: one a code point.
size_t width(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

constexpr size_t kMaxLine = 200;

// The source line with its caret line; a very long line is cut around the token.
std::string excerpt(const Diagnostic& diagnostic, const Painter& paint) {
  const Location& at = diagnostic.location;
  const std::string_view line = at.file->line(at.line);
  const size_t begin = std::min<size_t>(at.column == 0 ? 0 : at.column - 1, line.size());
  const size_t from = line.size() > kMaxLine && begin > kMaxLine / 2 ? begin - kMaxLine / 4 : 0;
  std::string shown(line.substr(from, kMaxLine));
  std::ranges::replace(shown, '\t', ' ');
  const size_t end = at.end_line == at.line ? std::min<size_t>(at.end_column, line.size() + 1) : line.size() + 1;
  const std::string_view token = line.substr(begin, end > begin + 1 ? end - 1 - begin : 0);
  const size_t marks = std::clamp<size_t>(width(token), 1, kMaxLine - std::min(kMaxLine - 1, begin - from));
  const std::string caret = "^" + std::string(marks - 1, '~');
  std::string out = fmt::format("{:>5} | {}\n", at.line, shown);
  out += fmt::format("      | {}{}", std::string(width(line.substr(from, begin - from)), ' '), paint("1;32", caret));
  if (!diagnostic.hint.empty()) out += " " + diagnostic.hint;
  return out + "\n";
}

}  // namespace

std::string format_text(const Diagnostic& diagnostic, TextStyle style) {
  const Painter paint(style);
  const std::string severity = fmt::format("{}: ", to_string(diagnostic.severity));
  std::string out = fmt::format("{}{}{} [{}]\n", paint("1", place(diagnostic.location)),
                                paint(severity_colour(diagnostic.severity), severity), diagnostic.message,
                                diagnostic.rule);
  if (diagnostic.location.file && diagnostic.location.line != 0) {
    out += excerpt(diagnostic, paint);
  } else if (!diagnostic.hint.empty()) {
    out += fmt::format("  hint: {}\n", diagnostic.hint);
  }
  for (const Note& note : diagnostic.notes) {
    std::string where = place(note.location);
    if (where.ends_with(": ")) where.resize(where.size() - 2);
    out += fmt::format("  {}{}{}\n", paint("1;36", "note: "), note.message, where.empty() ? "" : " at " + where);
  }
  return out;
}

}  // namespace trainjobc::base
