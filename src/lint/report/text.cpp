// SPDX-License-Identifier: Apache-2.0

#include "base/text/text.h"

#include <fmt/format.h>

#include <array>

#include "base/text/layout.h"
#include "lint/report/document.h"

namespace trainjobc::report {
namespace {

// The indentation of lines below a field.
constexpr size_t kBelow = 6;

std::string padded(std::string text, size_t width) {
  const size_t now = base::display_width(text);
  return text.append(width > now ? width - now : 0, ' ');
}

class TextWriter {
 public:
  explicit TextWriter(base::TextStyle style) : style_(style) {}

  std::string out;

  void add(const Block& block) {
    if (!block.head.empty()) add_line(block.head, "", 4);
    for (const Line& line : block.lines)
      add_line(line.parts, "  " + line.place + (line.place.empty() ? "" : ": "), line.hang);
    for (const base::Diagnostic& finding : block.findings) out += base::format_text(finding, style_);
    add(block.table);
    add(block.fields);
    for (const Warning& warning : block.warnings) {
      add_wrapped(fmt::format("  {}: {}", painted(Style::Warning, warning.lead), warning.text), 6);
      add_wrapped("    " + warning.remedy, 6);
    }
    for (const std::string_view line : base::Lines(block.code)) out += fmt::format("    {}\n", line);
  }

  void add_wrapped(std::string_view line, size_t hang) { out += base::wrap(line, style_.width, hang) + "\n"; }

 private:
  std::string painted(Style style, std::string_view text) const { return paint(style, text, style_.colour); }

  bool fits(std::string_view line) const {
    return style_.width == 0 || base::display_width(line) <= style_.width;
  }

  void add_line(const std::vector<Cell>& parts, const std::string& lead, size_t hang) {
    std::vector<std::string> texts;
    for (const Cell& part : parts) texts.push_back(part.text.empty() ? "" : painted(part.style, part.text));
    texts.front().insert(0, lead);
    out += base::beside_or_below(texts, style_.width, hang) + "\n";
  }

  void add(const Table& table) {
    if (table.columns.empty()) return;
    std::vector<std::string> titles;
    for (const Column& column : table.columns) titles.push_back(column.title);
    out += base::table(titles, table.rows, style_.width);
  }

  // The width of "before → after".
  static size_t values_width(const Field& field) {
    const size_t after = base::display_width(field.after);
    return field.before.empty() ? after : base::display_width(field.before) + 3 + after;
  }

  std::string before(const Field& field, size_t most = 0) const {
    return painted(field.is_muted ? Style::Muted : Style::Removed, base::cut(field.before, most)) + " →";
  }

  std::string after(const Field& field, size_t most = 0) const {
    const Style style = field.is_muted ? Style::Muted : field.before.empty() ? Style::Plain : Style::Added;
    return painted(style, base::cut(field.after, most));
  }

  std::string values(const Field& field) const {
    return field.before.empty() ? after(field) : before(field) + " " + after(field);
  }

  static size_t widened(size_t column, size_t text, size_t widest, bool may_clamp) {
    return text > widest && !may_clamp ? column : std::max(column, std::min(text, widest));
  }

  void add(const Fields& fields) {
    size_t path_width = 0;
    size_t values_column = 0;
    for (const Field& row : fields.rows) {
      path_width = widened(path_width, base::display_width(row.path), fields.widest_path, fields.may_clamp);
      values_column = widened(values_column, values_width(row), fields.widest_values, fields.may_clamp);
    }
    for (const Field& row : fields.rows) {
      const std::string mark = row.is_marked ? "! " : "  ";
      const std::string gap(fields.gap, ' ');
      std::string line = mark + padded(row.path, path_width) + gap;
      if (!row.after.empty()) line += padded(values(row), row.source.empty() ? 0 : values_column);
      if (!row.source.empty()) line += gap + painted(Style::Muted, row.source);
      line.erase(line.find_last_not_of(' ') + 1);
      if (fits(line)) {
        out += line + "\n";
      } else {
        add_in_lines(mark + row.path, row, fields);
      }
      for (const Cell& cell : row.below) add_below(cell, 2, fields.cuts);
    }
  }

  void add_in_lines(const std::string& path, const Field& field, const Fields& fields) {
    const std::string beside = path + std::string(fields.gap, ' ') + values(field);
    if (field.after.empty() || fits(beside)) {
      add_wrapped(field.after.empty() ? path : beside, kBelow);
    } else {
      add_cut(base::wrap(path, style_.width, kBelow), fields.cuts);
      const size_t arrow = field.before.empty() ? 0 : 2;
      const size_t most = style_.width > kBelow + arrow ? style_.width - kBelow - arrow : 1;
      const std::string indent(kBelow, ' ');
      if (field.before.empty() || values_width(field) + kBelow <= style_.width) {
        out += indent + (field.before.empty() ? after(field, most) : values(field)) + "\n";
      } else {
        out += indent + before(field, most) + "\n" + indent + after(field, most) + "\n";
      }
    }
    if (!field.source.empty()) add_below({field.source, Style::Muted}, fields.cuts ? 0 : 2, fields.cuts);
  }

  void add_below(const Cell& cell, size_t hang, bool cuts) {
    const std::string indent(kBelow, ' ');
    const std::string text = base::wrap(indent + cell.text, style_.width, kBelow + hang).substr(kBelow);
    add_cut(indent + painted(cell.style, text), cuts);
  }

  void add_cut(std::string_view text, bool cuts) {
    if (!cuts) out.append(text) += '\n';
    if (!cuts) return;
    for (const std::string_view line : base::Lines(text)) out += base::cut(line, style_.width) + "\n";
  }

  base::TextStyle style_;
};

}  // namespace

std::string paint(Style style, std::string_view text, bool colour) {
  // Must be in the order of Style.
  constexpr std::array<std::string_view, 6> kCodes{"", "1", "32", "31", "33", "2"};
  const std::string_view code = kCodes[static_cast<size_t>(style)];
  return colour && !code.empty() ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

std::string to_text(const Document& document, base::TextStyle style) {
  TextWriter writer(style);
  for (const Block& block : document.blocks) {
    writer.add(block);
    if (!block.is_continued) writer.out += '\n';
  }
  for (const std::string& line : document.closing) writer.add_wrapped(line, 2);
  return std::move(writer.out);
}

}  // namespace trainjobc::report
