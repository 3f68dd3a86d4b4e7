// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "lint/report/document.h"

namespace trainjobc::report {
namespace {

// Escapes text outside of code, so that it has no markup and no mentions. `also` lists other characters to
// escape.
std::string escaped(std::string_view text, std::string_view also = "") {
  std::string out;
  for (const char byte : text) {
    switch (byte) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '\n':
      case '\r': out += ' '; break;
      default:
        if (std::string_view("\\`*_[]|@#").find(byte) != std::string_view::npos ||
            also.find(byte) != std::string_view::npos)
          out += '\\';
        out += byte;
    }
  }
  return out;
}

// A code span in a table cell.
std::string code(std::string_view text) {
  std::string escaped;
  size_t run = 0;
  size_t longest = 0;
  for (const char byte : text) {
    run = byte == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    if (byte == '|') escaped += '\\';
    escaped += byte == '\n' || byte == '\r' ? ' ' : byte;
  }
  const std::string fence(longest + 1, '`');
  const std::string space = longest > 0 ? " " : "";
  return fmt::format("{0}{1}{2}{1}{0}", fence, space, escaped);
}

std::string row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += fmt::format(" {} |", escaped(cell, "{}~"));
  return line + "\n";
}

std::string header(const std::vector<Column>& columns) {
  std::vector<std::string> titles;
  std::string line = "|";
  for (const Column& column : columns) {
    titles.push_back(column.title);
    line += column.is_number ? "--:|" : "---|";
  }
  return row(titles) + line + "\n";
}

// **title** text (source)
std::string head_of(const Block& block) {
  const Cell& title = block.head.front();
  std::string text = escaped(title.text);
  if (title.style == Style::Title)
    text = block.folded.empty() ? fmt::format("**{}**", text) : fmt::format("<b>{}</b>", text);
  if (block.head.size() > 1) text += " " + escaped(block.head[1].text);
  if (block.head.size() > 2 && !block.head[2].text.empty())
    text += fmt::format(" ({})", escaped(block.head[2].text));
  return text;
}

std::string fields_table(const Fields& fields) {
  std::string text = fmt::format("| field | {} | {} | {} |\n|---|---|---|---|\n", fields.before_title,
                                 fields.after_title, fields.source_title);
  for (const Field& field : fields.rows)
    text += fmt::format("| {} | {} | {} | {} |\n", code(field.path), code(field.before), code(field.after),
                        escaped(field.source));
  return text;
}

std::string folded(const Block& block) {
  std::string text =
      fmt::format("<details><summary>{}: {}</summary>\n\n", head_of(block), escaped(block.folded));
  if (!block.fields.rows.empty()) text += fields_table(block.fields);
  for (const Warning& warning : block.warnings)
    text += fmt::format("\n> **{}:** {}. To do: {}.\n", warning.lead, escaped(warning.text),
                        escaped(warning.remedy));
  // Indentation keeps a line from ending the block.
  for (const std::string_view line : base::Lines(block.code)) text += fmt::format("    {}\n", line);
  return text + "\n</details>\n";
}

std::string item(const Block& block) {
  std::string text = fmt::format("- {}\n", head_of(block));
  const auto add = [&](const std::string& place, std::string_view words) {
    text += fmt::format("  - {}{}{}\n", place.empty() ? "" : code(place), place.empty() ? "" : ": ",
                        escaped(words));
  };
  for (const Line& line : block.lines) add(line.place, line.parts.front().text);
  for (const base::Diagnostic& finding : block.findings)
    add(base::place_of(finding.location),
        finding.hint.empty() ? finding.message : fmt::format("{} ({})", finding.message, finding.hint));
  return text;
}

// A comment of limited length: counts what doesn't fit instead of adding it.
class Comment {
 public:
  Comment(std::string_view heading, size_t longest)
      : out_(fmt::format("### {}\n\n", heading)), longest_(longest) {}

  void add(const std::string& text, std::string_view after = "") {
    if (left_out_ > 0 || out_.size() + text.size() + after.size() > longest_) {
      ++left_out_;
    } else {
      out_.append(text).append(after);
    }
  }

  std::string end(std::string_view noun) {
    if (left_out_ > 0)
      out_ += noun.empty() ? fmt::format("\n… and {} more\n", left_out_)
                           : fmt::format("… and {} more\n", base::counted(left_out_, noun));
    out_.erase(out_.find_last_not_of('\n') + 1);
    return out_ + "\n";
  }

 private:
  std::string out_;
  size_t longest_;
  size_t left_out_ = 0;
};

}  // namespace

std::string to_markdown(const Document& document, size_t longest) {
  Comment comment(document.heading, longest);
  for (const Block& block : document.blocks) {
    const std::string_view after = block.is_continued ? "" : "\n";
    if (block.head.empty()) {
      comment.add(header(block.table.columns));
      for (size_t i = 0; i < block.table.rows.size(); ++i)
        comment.add(row(block.table.rows[i]), i + 1 < block.table.rows.size() ? "" : after);
    } else {
      comment.add(block.folded.empty() ? item(block) : folded(block), after);
    }
  }
  return comment.end(document.noun);
}

}  // namespace trainjobc::report
