// SPDX-License-Identifier: Apache-2.0

// A report for people, which can be written as text or as Markdown.
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

// Parts next to each other; if a terminal is too narrow, below each other.
struct Line {
  std::vector<Cell> parts;
  size_t hang = 4;    // the indentation of parts that don't fit
  std::string place;  // comes before the parts: "jobs/llama.yaml:8"
};

struct Column {
  std::string title;
  bool is_number = false;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

// A field, its value or its values before and after, and where they come from.
struct Field {
  std::string path;
  std::string before;  // "" if there is only one value
  std::string after;
  std::string source;
  bool is_marked = false;   // shows "!"
  bool is_muted = false;    // leaves out the colours of a change
  std::vector<Cell> below;  // lines below it, only in the text
};

// Fields in columns. A longer text doesn't widen a column; a row that is too wide for the terminal takes
// several lines.
struct Fields {
  std::vector<Field> rows;
  std::string before_title;  // title of the Markdown's column
  std::string after_title;
  std::string source_title = "from";
  size_t widest_path = 76;
  size_t widest_values = 60;
  bool may_clamp =
      true;        // a column with a longer text gets its maximum width, instead of that of its other texts
  size_t gap = 3;  // spaces between columns
  bool cuts = false;  // cuts lines that don't fit even after wrapping
};

// Something that requires the reader's attention.
struct Warning {
  std::string lead;
  std::string text;
  std::string remedy;
};

// Any of these parts, which are shown in this order.
struct Block {
  std::vector<Cell> head;  // title, text, source
  std::string folded;      // if not empty, Markdown folds the block under its head and this text
  std::vector<Line> lines;
  std::span<const base::Diagnostic> findings;  // owned by the compilation
  Table table;
  Fields fields;
  std::vector<Warning> warnings;
  std::string code;           // printed as it is
  bool is_continued = false;  // the next block follows without an empty line
};

struct Document {
  std::string heading;  // Markdown only
  std::vector<Block> blocks;
  std::vector<std::string> closing;  // the text's last lines
  std::string noun;  // "object": for "… and 3 more objects", if the Markdown would be too long
};

std::string paint(Style style, std::string_view text, bool colour);
std::string to_text(const Document& document, base::TextStyle style);
// By default, at most as long as a comment that GitHub accepts; with kWhole, of any length.
inline constexpr size_t kLongestComment =
    60'000;  // bytes; GitHub accepts 65536, and the last lines come on top
inline constexpr size_t kWhole = SIZE_MAX;
std::string to_markdown(const Document& document, size_t longest = kLongestComment);

// What is written before the first of several texts, between two, and after the last.
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
