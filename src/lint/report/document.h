// SPDX-License-Identifier: Apache-2.0

// A report for people, which is written as text or as Markdown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"

namespace trainjobc::report {

enum class Style { Plain, Title, Added, Removed, Warning, Muted };

struct Cell {
  std::string text;
  Style style = Style::Plain;
};

// Parts beside each other; on a terminal that is too narrow, below each other.
struct Line {
  std::vector<Cell> parts;
  size_t hang = 4;    // the indentation of what doesn't fit
  std::string place;  // ahead of the parts: "jobs/llama.yaml:8"
};

struct Column {
  std::string title;
  bool is_number = false;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

// A field, the values that it has or had, and where they come from.
struct Field {
  std::string path;
  std::string before;  // "" if there is only one value
  std::string after;
  std::string source;
  bool is_marked = false;   // "!"
  bool is_muted = false;    // without the colours of a change
  std::vector<Cell> below;  // lines, in the text only
};

// Fields in columns. Longer texts don't widen a column; a row that is too wide for the terminal takes several
// lines.
struct Fields {
  std::vector<Field> rows;
  std::string before_title;  // of the Markdown's columns
  std::string after_title;
  size_t widest_path = 76;
  size_t widest_values = 60;
  bool may_clamp = true;  // a column with a longer text is as wide as permitted, not as its other texts
  size_t gap = 3;         // between columns
  bool cuts = false;      // lines that don't fit after wrapping
};

// Something that the reader must act upon.
struct Warning {
  std::string lead;
  std::string text;
  std::string remedy;
};

// Any of these, in this order.
struct Block {
  std::vector<Cell> head;  // a title, what is said of it, where that comes from
  std::string folded;      // not empty: Markdown folds the block below its head and this
  std::vector<Line> lines;
  std::span<const base::Diagnostic> findings;  // owned by the compilation
  Table table;
  Fields fields;
  std::vector<Warning> warnings;
  std::string code;           // lines as they are
  bool is_continued = false;  // the next block follows without an empty line
};

struct Document {
  std::string heading;  // of the Markdown
  std::vector<Block> blocks;
  std::vector<std::string> closing;  // the last lines of the text
  std::string noun;                  // what Markdown leaves out if it would be too long: "object"
};

std::string paint(Style style, std::string_view text, bool colour);
std::string to_text(const Document& document, base::TextStyle style);
// At most as long as a comment that GitHub accepts; with kWhole, as long as it is.
inline constexpr size_t kLongestComment = 60'000;  // bytes; 65536 are accepted, with the last lines
inline constexpr size_t kWhole = SIZE_MAX;
std::string to_markdown(const Document& document, size_t longest = kLongestComment);

// What stands before the first of several texts, between two, and after the last.
struct Joints {
  std::string_view opening;
  std::string_view between;
  std::string_view closing;
};

// Writes texts with `joints` before, between and after them, in parts of about a megabyte. False if not
// everything could be written.
template <class Texts, class Write, class Projection = std::identity>
bool write_joined(const Texts& texts, const Joints& joints, const Write& write, Projection text_of = {}) {
  constexpr size_t kAtOnce = size_t{1} << 20U;
  std::string part(joints.opening);
  std::string_view joint;
  for (const auto& one : texts) {
    part.append(std::exchange(joint, joints.between)).append(std::invoke(text_of, one));
    if (part.size() < kAtOnce) continue;
    if (!write(part)) return false;
    part.clear();
  }
  return write(part.append(joints.closing));
}

}  // namespace trainjobc::report
