// SPDX-License-Identifier: Apache-2.0

#include "base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "base/text/layout.h"
#include "base/text/printable.h"
#include "base/text/text.h"

namespace trainjobc::base {

Diagnostic::Diagnostic() = default;
Diagnostic::Diagnostic(const Diagnostic&) = default;
Diagnostic::Diagnostic(Diagnostic&&) noexcept = default;
Diagnostic& Diagnostic::operator=(const Diagnostic&) = default;
Diagnostic& Diagnostic::operator=(Diagnostic&&) noexcept = default;
Diagnostic::~Diagnostic() = default;

std::string_view to_string(Severity severity) {
  return word_of(severity, "error", "warning", "info");
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
  if (items_.empty() && items_.capacity() == 0) {
    items_ = std::move(other.items_);
    return;
  }
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

// Adds the notes that are not there yet.
void add_notes(const std::vector<Note>& notes, Diagnostic& to) {
  for (const Note& note : notes) {
    const auto is_it = [&](const Note& own) {
      return own.message == note.message && place_of(own.location) == place_of(note.location);
    };
    if (std::ranges::none_of(to.notes, is_it)) to.notes.push_back(note);
  }
}

}  // namespace

void Diagnostics::sort() {
  const auto precedes = [](const Diagnostic& a, const Diagnostic& b) { return sort_key(a) < sort_key(b); };
  // Most lists are in order already, and sorting takes as much memory again.
  if (!std::ranges::is_sorted(items_, precedes)) std::ranges::stable_sort(items_, precedes);
  size_t kept = 0;
  for (size_t i = 0; i < items_.size(); ++i) {
    if (kept > 0 && sort_key(items_[kept - 1]) == sort_key(items_[i])) {
      add_notes(items_[i].notes, items_[kept - 1]);
    } else if (const size_t to = kept++; to != i) {
      items_[to] = std::move(items_[i]);
    }
  }
  items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(kept), items_.end());
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

std::string place(const Location& location) {
  if (!location.file) return "";
  const std::string name = one_line(location.file->name());
  if (location.line == 0) return fmt::format("{}: ", name);
  return fmt::format("{}:{}:{}: ", name, location.line, location.column);
}

// A character of a source line as a terminal shows it: a tab and an unprintable or broken character take one
// sign each.
struct Sign {
  size_t offset = 0;  // in bytes of the line
  std::string_view text;
  size_t columns = 1;
};

std::vector<Sign> signs_of(std::string_view line) {
  std::vector<Sign> signs;
  for (size_t at = 0; at < line.size();) {
    const CodePoint point = decode_utf8(line.substr(at));
    const size_t length = std::max<size_t>(point.length, 1);
    if (line[at] == '\t') {
      signs.push_back({at, " "});
    } else if (point.length == 0 || is_unprintable(point.value)) {
      signs.push_back({at, "\uFFFD"});
    } else {
      signs.push_back({at, line.substr(at, length), column_width(point.value)});
    }
    at += length;
  }
  return signs;
}

size_t columns_of(std::span<const Sign> signs) {
  size_t columns = 0;
  for (const Sign& sign : signs) columns += sign.columns;
  return columns;
}

// A part of a source line; omitted text is shown as "…".
struct SignWindow {
  size_t first = 0;  // in signs
  size_t last = 0;
};

// The part that fits into `width` columns and contains the sign `token`, with up to a third of the columns
// before it. `is_part`: the line has more signs.
SignWindow window_around(std::span<const Sign> signs, size_t token, size_t width, bool is_part) {
  if (!is_part && columns_of(signs) <= width) return {0, signs.size()};
  const size_t room = width > 2 ? width - 2 : 1;
  SignWindow window{token, token};
  size_t used = 0;
  const auto before = [&](size_t limit) {
    while (window.first > 0 && used + signs[window.first - 1].columns <= limit)
      used += signs[--window.first].columns;
  };
  before(room / 3);
  while (window.last < signs.size() && used + signs[window.last].columns <= room)
    used += signs[window.last++].columns;
  before(room);
  return window;
}

constexpr size_t kMargin = 8;         // the width of "   14 | "
constexpr size_t kMaxColumns = 1000;  // without a terminal; generated files have longer lines

std::string margin(std::string_view text) {
  std::string out(text);
  for (size_t at = out.find('\n'); at != std::string::npos; at = out.find('\n', at + 1))
    out.insert(at + 1, "      | ");
  return "      | " + out;
}

// The hint beside the caret, or below it if it doesn't fit.
std::string with_hint(const std::string& lead, std::string_view caret, const std::string& painted,
                      const std::string& hint, size_t width) {
  if (hint.empty()) return margin(lead + painted);
  const size_t columns = display_width(hint);
  if (width == 0 || lead.size() + caret.size() + 1 + columns <= width)
    return margin(lead + painted + " " + hint);
  const size_t indent = lead.size() + columns <= width ? lead.size() : 0;
  return margin(lead + painted + "\n" + wrap(std::string(indent, ' ') + hint, width, indent));
}

// A part of a line.
struct Slice {
  std::string_view text;
  size_t begin = 0;     // offset in the line
  bool is_cut = false;  // whether text is missing at its end
};

// Where the character that contains the byte begins.
size_t character_at(std::string_view line, size_t at) {
  const auto continues = [&](size_t byte) {
    return (static_cast<unsigned char>(line[byte]) & 0xC0U) == 0x80;
  };
  for (size_t back = 0; back < 4 && back <= at; ++back) {
    if (!continues(at - back)) return at - back;
  }
  return at;
}

// As much of the line as fits into `width` columns and contains the byte `at`. A long line isn't decoded
// whole: there may be a finding for every few bytes of it.
Slice slice_around(std::string_view line, size_t at, size_t width) {
  const auto bytes_of = [](size_t columns) { return 4 * (columns + 2); };  // upper limit, in UTF-8
  const size_t middle = std::min(at, line.size());
  Slice slice;
  slice.is_cut = line.size() - middle > bytes_of(width);
  const size_t end = slice.is_cut ? character_at(line, middle + bytes_of(width)) : line.size();
  // If the line continues after the slice, only a third of the columns is before the byte.
  const size_t reach = bytes_of(slice.is_cut ? width / 3 : width);
  if (middle > reach) slice.begin = character_at(line, middle - reach);
  slice.text = line.substr(slice.begin, end - slice.begin);
  return slice;
}

// The source line with its caret line; a line that is too long is cut around the token.
std::string excerpt(const Diagnostic& diagnostic, const Painter& paint, size_t terminal) {
  const Location& at = diagnostic.location;
  const std::string_view whole = at.file->line(at.line);
  const size_t width = terminal == 0 ? 0 : std::max(terminal, 2 * kMargin) - kMargin;
  const size_t room = width == 0 ? kMaxColumns : width;
  const auto [line, skipped, is_cut] = slice_around(whole, at.column == 0 ? 0 : at.column - 1, room);
  const std::vector<Sign> all = signs_of(line);
  const std::span<const Sign> signs(all);
  const auto sign_at = [&, cut = skipped](size_t column) {
    const size_t offset = column <= cut ? 0 : column - 1 - cut;
    return static_cast<size_t>(std::ranges::upper_bound(signs, offset, {}, &Sign::offset) - signs.begin());
  };
  // The sign that contains the byte; past the end for a token after the line.
  const size_t begin = at.column > whole.size() ? signs.size() : sign_at(at.column) - (signs.empty() ? 0 : 1);
  const size_t after = at.end_line == at.line && at.end_column > 0 && at.end_column <= skipped + line.size()
                           ? sign_at(at.end_column) - 1
                           : signs.size();
  const SignWindow window = window_around(signs, begin, room, skipped > 0 || is_cut);
  const std::string lead(window.first > 0 || skipped > 0 ? "…" : "");
  std::string shown = lead;
  for (const Sign& sign : signs.subspan(window.first, window.last - window.first)) shown += sign.text;
  if (window.last < signs.size() || is_cut) shown += "…";
  const size_t end = std::clamp(after, begin, std::max(begin, window.last));
  const size_t before =
      (lead.empty() ? 0 : 1) + columns_of(signs.subspan(window.first, begin - window.first));
  const size_t token = std::max<size_t>(columns_of(signs.subspan(begin, end - begin)), 1);
  const std::string caret = "^" + std::string(token - 1, '~');
  return fmt::format(
      "{:>5} | {}\n{}\n", at.line, shown,
      with_hint(std::string(before, ' '), caret, paint("1;32", caret), one_line(diagnostic.hint), width));
}

}  // namespace

std::string format_text(const Diagnostic& diagnostic, TextStyle style) {
  constexpr size_t kIndent = 4;
  const Painter paint(style);
  const std::string severity = fmt::format("{}: ", to_string(diagnostic.severity));
  const std::string head = fmt::format("{}{}{} [{}]", paint("1", place(diagnostic.location)),
                                       paint(word_of(diagnostic.severity, "1;31", "1;35", "1;36"), severity),
                                       one_line(diagnostic.message), diagnostic.rule);
  std::string out = wrap(head, style.width, kIndent) + "\n";
  if (diagnostic.location.file && diagnostic.location.line != 0 && !diagnostic.hide_source) {
    out += excerpt(diagnostic, paint, style.width);
  } else if (!diagnostic.hint.empty()) {
    out += wrap(fmt::format("  hint: {}", one_line(diagnostic.hint)), style.width, kIndent) + "\n";
  }
  for (const Note& note : diagnostic.notes) {
    std::string where = place(note.location);
    if (where.ends_with(": ")) where.resize(where.size() - 2);
    const std::string text = fmt::format("  {}{}{}", paint("1;36", "note: "), one_line(note.message),
                                         where.empty() ? "" : " at " + where);
    out += wrap(text, style.width, kIndent) + "\n";
  }
  return out;
}

namespace {

// What explains other findings of one object and stage.
struct Causes {
  using Fields = std::set<std::string_view>;
  Fields misspelled;  // the paths that misspelled fields were meant to have
  Fields refused;
};

void note_cause(const Diagnostic& found, Causes& causes) {
  if (!found.meant.empty()) causes.misspelled.insert(found.meant);
  if (found.severity == Severity::Error && found.depends_on.empty()) causes.refused.insert(found.field);
}

bool is_consequence(const Diagnostic& found, const Causes& causes) {
  const bool is_missing = found.rule.ends_with("/required") && causes.misspelled.contains(found.field);
  const auto is_refused = [&](const std::string& field) { return causes.refused.contains(field); };
  return is_missing || std::ranges::any_of(found.depends_on, is_refused);
}

// The causes of findings, by object and stage. Valid until the findings are changed.
class AllCauses {
 public:
  explicit AllCauses(const std::vector<Diagnostic>& findings) {
    for (const Diagnostic& found : findings) note_cause(found, causes_[{found.object, found.stage}]);
  }

  bool explain(const Diagnostic& found) const {
    const auto causes = causes_.find({found.object, found.stage});
    return causes != causes_.end() && is_consequence(found, causes->second);
  }

 private:
  std::map<std::pair<std::string_view, Stage>, Causes> causes_;
};

// Keeps the first of several equal complaints about the same text of an input, whether they concern other
// fields of its object, or other objects, such as the jobs of one runtime.
class FirstOccurrences {
 public:
  // Whether this is the first. Findings are added in order, and stay where they are while this is in use.
  bool add(const Diagnostic& found) {
    const Location& at = found.location;
    if (!at.file || at.line == 0) return true;
    if (!last_ || !is_same_place(last_->location, at)) of_place_.clear();
    last_ = &found;
    const Complaint key(at.file, found.rule, found.severity, found.message);
    const auto [first, is_first] = of_place_.try_emplace(key, &found);
    if (is_first) return true;
    if (first->second->object == found.object) return first->second->field == found.field;
    others_[first->second].insert(found.object);
    return false;
  }

  // "the same for …", for each first finding that is repeated for other objects.
  std::map<const Diagnostic*, std::string> notes() const {
    std::map<const Diagnostic*, std::string> notes;
    for (const auto& [first, objects] : others_) notes[first] = "the same for " + names(objects);
    return notes;
  }

 private:
  using Complaint = std::tuple<const SourceFile*, std::string_view, Severity, std::string_view>;

  static bool is_same_place(const Location& one, const Location& other) {
    return one.line == other.line && one.column == other.column && one.file->name() == other.file->name();
  }

  static std::string names(const std::set<std::string>& objects) {
    constexpr size_t kNamed = 3;
    const auto end =
        std::next(objects.begin(), static_cast<std::ptrdiff_t>(std::min(kNamed, objects.size())));
    std::string text = fmt::format("{}", fmt::join(objects.begin(), end, ", "));
    if (objects.size() > kNamed) text += fmt::format(" and {} more", objects.size() - kNamed);
    return text;
  }

  const Diagnostic* last_ = nullptr;
  std::map<Complaint, const Diagnostic*> of_place_;
  std::map<const Diagnostic*, std::set<std::string>> others_;
};

}  // namespace

Diagnostics with_marked_consequences(Diagnostics findings) {
  std::vector<bool> is_cause;
  std::map<const Diagnostic*, std::string> notes;
  {
    const AllCauses causes(findings.items());
    FirstOccurrences firsts;
    for (const Diagnostic& found : findings.items())
      is_cause.push_back(!causes.explain(found) && firsts.add(found));
    notes = firsts.notes();
  }
  auto next = is_cause.begin();
  findings.retain([&](Diagnostic& found) {
    const auto note = notes.find(&found);
    if (note != notes.end()) found.notes.push_back({note->second, {}});
    found.is_consequence = !*next++;
    return true;
  });
  return findings;
}

Diagnostics without_consequences(Diagnostics findings) {
  Diagnostics marked = with_marked_consequences(std::move(findings));
  marked.retain([](const Diagnostic& found) { return !found.is_consequence; });
  return marked;
}

}  // namespace trainjobc::base
