// SPDX-License-Identifier: Apache-2.0

// Turns libyaml's errors into messages for people, at the place of their cause.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text/text.h"
#include "yaml/read/events.h"

namespace trainjobc::yaml {
namespace {

size_t line_start(std::string_view text, size_t offset) {
  const size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

// The offset of the line's first character that is not blank.
size_t line_content(std::string_view text, size_t offset) {
  return std::min(text.find_first_not_of(base::kBlanks, line_start(text, offset)), text.size());
}

bool is_first_in_line(std::string_view text, size_t offset) {
  return line_content(text, offset) >= offset;
}

// The tab that indents the line of `offset`: its first byte that is neither a space nor after one.
std::optional<size_t> indenting_tab(std::string_view text, size_t offset) {
  const size_t first = text.find_first_not_of(' ', line_start(text, offset));
  if (first == std::string_view::npos || text[first] != '\t') return std::nullopt;
  return first;
}

// A character that looks like a space, in the indentation of the line of `offset`, after its dash or after
// its first colon.
std::optional<size_t> odd_space(std::string_view text, size_t offset) {
  const size_t begin = line_start(text, std::min(offset, text.size()));
  const size_t end = std::min(text.find('\n', begin), text.size());
  const std::string_view line = text.substr(begin, end - begin);
  const auto is_odd_at = [&](size_t at) { return at < line.size() && base::odd_space_at(line.substr(at)); };
  const size_t first = std::min(line.find_first_not_of(base::kBlanks), line.size());
  if (is_odd_at(first)) return begin + first;
  if (line.substr(first).starts_with('-') && is_odd_at(first + 1)) return begin + first + 1;
  const size_t colon = std::min(line.find(':'), line.size());
  if (is_odd_at(colon + 1)) return begin + colon + 1;
  return std::nullopt;
}

// A line of three indented dots, as documentation prints them, at or above `offset` with nothing in between.
std::optional<size_t> left_out(std::string_view text, size_t offset) {
  if (text.substr(std::min(offset, text.size())).starts_with("...")) offset += 2;
  const size_t end = text.find_last_not_of(base::kSpace, offset);
  if (end == std::string_view::npos || end < 3 || !text.substr(0, end + 1).ends_with("..."))
    return std::nullopt;
  const size_t dots = end - 2;
  const bool is_indented = base::is_blank(text[dots - 1]);
  return is_indented && is_first_in_line(text, dots) ? std::optional(dots) : std::nullopt;
}

// The error for a line that has to be a key or an item, like its siblings.
SyntaxError no_value(size_t begin, std::string_view text) {
  const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  SyntaxError error{begin, R"(this key has no value: a ": " must follow on its line)", ""};
  const size_t colon = line.find(':');
  if (line.starts_with('-')) {
    error.message = R"(this is not a list item: list items begin with "- ")";
    error.hint = "put a space after the dash";
    error.lacks_space = begin + 1;
  } else if (colon != std::string_view::npos) {
    error.hint = "put a space after the colon";
    const bool is_key = std::ranges::all_of(line.substr(0, colon), [](char c) {
      return base::is_alnum(c) || std::string_view("_./-").find(c) != std::string_view::npos;
    });
    if (is_key && !line.substr(colon + 1).starts_with("//")) error.lacks_space = begin + colon + 1;
  }
  return error;
}

// Explains "mapping values are not allowed in this context".
SyntaxError no_place_for_value(const Complaint& complaint, std::string_view text, const Event& last) {
  const size_t content = line_content(text, complaint.at);
  if (!last.plain || last.end != complaint.at || last.begin >= content)
    return {complaint.at, R"(a ": " is not allowed here: the line is already a value)", "quote the value"};
  // A key without its ": " swallows its siblings as part of its text.
  const bool are_siblings = is_first_in_line(text, last.begin) &&
                            last.begin - line_start(text, last.begin) == content - line_start(text, content);
  if (are_siblings) return no_value(last.begin, text);
  return {content, "this line is read as part of the value above it: it is indented deeper than its siblings",
          "indent it like its siblings, or quote the value above"};
}

// The error for text where the next key or item, or the end of the collection, is expected.
SyntaxError no_sibling(const Complaint& complaint, std::string_view text, const Event& last,
                       std::string_view hint) {
  if (is_first_in_line(text, complaint.at))
    return {complaint.at, "this line matches no indentation level above it", std::string(hint)};
  const bool is_long_string = !last.plain && last.end > last.begin &&
                              last.begin < line_start(text, complaint.at) && last.end <= complaint.at &&
                              last.end > line_start(text, complaint.at);
  if (is_long_string) {
    return {last.begin, "this string ends only at a quote further down, and more text follows that quote",
            "close the quote where the string ends"};
  }
  return {complaint.at, "this can't follow the value before it", "put the whole value in quotes"};
}

bool is_end(std::string_view text, size_t offset) {
  return text.find_first_not_of(base::kSpace, offset) == std::string_view::npos;
}

SyntaxError unclosed(size_t bracket) {
  return {bracket, "this bracket is not closed before the end of the document", "close it"};
}

SyntaxError no_content(const Complaint& complaint, std::string_view text) {
  if (is_end(text, complaint.at)) {
    if (complaint.bracket != std::string_view::npos) return unclosed(complaint.bracket);
    return {complaint.at, "the document ends where a value is expected", ""};
  }
  const char c = text[complaint.at];
  if (c == ']' || c == '}') return {complaint.at, "this bracket has no opening bracket", ""};
  if (c == '*') return {complaint.at, "an alias can't have an anchor or a tag", ""};
  const base::CodePoint point = base::decode_utf8(text.substr(complaint.at));
  return {
      complaint.at,
      fmt::format("\"{}\" is not allowed here", text.substr(complaint.at, std::max<size_t>(point.length, 1))),
      ""};
}

SyntaxError open_bracket(const Complaint& complaint, std::string_view text) {
  if (is_end(text, complaint.at)) return unclosed(complaint.context_at);
  const size_t line = static_cast<size_t>(std::ranges::count(text.substr(0, complaint.context_at), '\n'));
  return {std::max(line_content(text, complaint.at), complaint.context_at + 1),
          fmt::format("the bracket on line {} is not closed before this, and there is no comma before it",
                      complaint.first_line + line),
          ""};
}

SyntaxError anchor_name(const Complaint& complaint) {
  if (complaint.context.find("alias") != std::string_view::npos) {
    return {complaint.context_at,
            R"(a value that begins with "*" is an alias, and this is not the name of an anchor)",
            "quote it if you mean a string"};
  }
  return {complaint.context_at, R"(the name of an anchor consists of letters, digits, "_" and "-")",
          "quote the value if you mean a string"};
}

struct Known {
  enum class Place : uint8_t { Problem, Context, Escape };

  std::string_view problem;
  Place place;
  std::string_view message;
  std::string_view hint;
};

// Errors that don't depend on the text.
constexpr Known kKnown[] = {
    {"block sequence entries are not allowed", Known::Place::Problem, R"(a "- " is not allowed here)",
     "start the list on its own line"},
    {"mapping keys are not allowed", Known::Place::Problem, R"(a "? " is not allowed here)", ""},
    {"cannot start any token", Known::Place::Problem, "no value can begin with this character", "quote it"},
    {"found unexpected end of stream", Known::Place::Context,
     "this quote is not closed before the end of the document", "close it"},
    {"found unexpected document indicator", Known::Place::Problem,
     "there is a document marker inside the string", ""},
    {"found unknown escape character", Known::Place::Escape,
     "Kubernetes' YAML parser does not support this escape", "double the backslash, or use single quotes"},
    {"hexdecimal number", Known::Place::Escape, "this escape needs more hexadecimal digits", ""},
    {"invalid Unicode character", Known::Place::Escape, "this escape is not a Unicode character",
     "write the character itself"},
    {"expected comment or line break", Known::Place::Problem,
     "only a comment can follow the indicator of a block scalar", ""},
    {"indentation indicator equal to 0", Known::Place::Problem, "a block scalar can't be indented by 0", ""},
    {"found a tab character", Known::Place::Problem, "YAML can't be indented with tabs",
     "indent with spaces"},
    {"found unexpected ':'", Known::Place::Problem, R"(":" is not allowed here)",
     "put the whole value in quotes"},
    {"undefined tag handle", Known::Place::Context, "the handle of this tag is not defined", ""},
    {"expected whitespace or line break", Known::Place::Context, "a tag must be followed by white space", ""},
    {"expected tag URI", Known::Place::Context, "the tag has no name", ""},
    {"did not find the expected '>'", Known::Place::Context, R"(a tag that begins with "!<" ends with ">")",
     ""},
    {"did not find expected '!'", Known::Place::Context, "the tag has no name", ""},
    {"URI escaped octet", Known::Place::Problem, R"("%" in a tag must be followed by two hexadecimal digits)",
     ""},
    {"UTF-8 octet", Known::Place::Problem, "the bytes of this tag are not UTF-8", ""},
};

SyntaxError look_up(const Complaint& complaint, std::string_view text) {
  const auto* known = std::ranges::find_if(kKnown, [&](const Known& row) {
    return complaint.problem.find(row.problem) != std::string_view::npos;
  });
  if (known == std::end(kKnown)) return {complaint.at, std::string(complaint.problem), ""};
  size_t at = known->place == Known::Place::Context ? complaint.context_at : complaint.at;
  if (known->place == Known::Place::Escape) at = std::min(text.rfind('\\', at), at);
  return {at, std::string(known->message), std::string(known->hint)};
}

SyntaxError meaning(const Complaint& complaint, std::string_view text, const Event& last) {
  const auto says = [&](std::string_view words) {
    return complaint.problem.find(words) != std::string_view::npos;
  };
  if (complaint.context.find("directive") != std::string_view::npos || says("<document start>")) {
    const size_t mark = text.rfind("\n%", complaint.at);
    return {mark == std::string_view::npos ? 0 : mark + 1,
            "a directive never reaches its document: Kubernetes splits files at the \"---\" below it",
            "remove it"};
  }
  if (const auto tab = indenting_tab(text, complaint.at))
    return {*tab, "YAML can't be indented with tabs", "indent with spaces"};
  for (const size_t place : {complaint.at, complaint.context_at, last.begin}) {
    if (const auto odd = odd_space(text, place)) {
      return {*odd,
              fmt::format("this is {}, which is not a space to YAML", base::odd_space_in(text.substr(*odd))),
              "type a space"};
    }
  }
  if (says("could not find expected ':'")) return no_value(complaint.context_at, text);
  if (says("mapping values are not allowed")) return no_place_for_value(complaint, text, last);
  if (says("did not find expected key"))
    return no_sibling(complaint, text, last, "indent it like its siblings, or quote the value before it");
  if (says("expected '-' indicator")) return no_sibling(complaint, text, last, "indent it like its siblings");
  if (says("expected node content")) return no_content(complaint, text);
  if (says("did not find expected ','")) return open_bracket(complaint, text);
  if (says("expected alphabetic or numeric")) return anchor_name(complaint);
  return look_up(complaint, text);
}

// A line that git writes into a file with a merge conflict.
std::optional<size_t> conflict_marker(std::string_view text) {
  for (const std::string_view marker : {"<<<<<<< ", "||||||| ", ">>>>>>> "}) {
    for (size_t at = text.find(marker); at != std::string_view::npos; at = text.find(marker, at + 1)) {
      if (at == line_start(text, at)) return at;
    }
  }
  return std::nullopt;
}

}  // namespace

SyntaxError explain(const Complaint& complaint, std::string_view text, const Event& last) {
  if (const auto marker = conflict_marker(text)) {
    return {*marker, "this is a merge conflict that nobody has resolved",
            "keep one of the two texts, and remove the lines of <, = and >"};
  }
  SyntaxError error = meaning(complaint, text, last);
  if (const auto dots = left_out(text, error.offset))
    return {*dots, "\"...\" is a placeholder for omitted text", "write the text, or remove the line"};
  return error;
}

}  // namespace trainjobc::yaml
