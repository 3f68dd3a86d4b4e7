// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "features/diff/cost.h"
#include "features/diff/difference_text.h"
#include "features/diff/format/formats.h"

namespace trainjobc::diff {
namespace {

// GitHub accepts 65536 characters; the difference is for the last lines.
constexpr size_t kMaxCommentBytes = 60'000;

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

// Text outside of code: no markup, no mentions.
std::string plain(std::string_view text) {
  std::string escaped;
  for (const char byte : text) {
    if (byte == '<') {
      escaped += "&lt;";
    } else if (byte == '>') {
      escaped += "&gt;";
    } else if (byte == '&') {
      escaped += "&amp;";
    } else {
      if (std::string_view("\\`*_[]|@#").find(byte) != std::string_view::npos) escaped += '\\';
      escaped += byte;
    }
  }
  return escaped;
}

size_t count_shown(const ObjectDiff& object, bool ignored) {
  return static_cast<size_t>(std::ranges::count_if(object.differences, [&](const Difference& d) {
    return (d.kind == DifferenceKind::Ignored) == ignored;
  }));
}

std::string row(const Difference& difference, Causes& causes) {
  const ValueTexts values = value_texts(difference);
  std::string cause = difference.kind == DifferenceKind::Ignored
                          ? fmt::format("ignored: managed by {}", difference.manager)
                          : causes.of(difference);
  if (!difference.refusal.empty()) cause += cause.empty() ? "refused" : ", refused";
  return fmt::format("| {} | {} | {} | {} |\n", code(schema::to_keyed_string(difference.path)),
                     code(values.live), code(values.rendered), plain(cause));
}

std::string refusals(const ObjectDiff& object) {
  std::string text;
  std::set<std::string_view> said;
  for (const Difference& difference : object.differences) {
    if (difference.refusal.empty() || !said.insert(difference.refusal).second) continue;
    text += fmt::format("\n> **The cluster would refuse this:** {}. To do: {}.\n", plain(difference.refusal),
                        plain(difference.remedy));
  }
  return text;
}

std::string object_text(const ObjectDiff& object, const FormatOptions& options, Causes& causes) {
  const std::string title = plain(title_of(object));
  causes.new_table();
  const Difference& first = object.differences.front();
  if (first.kind == DifferenceKind::Missing) {
    const std::string cause = causes.of(first);
    return fmt::format("- **{}** {}{}\n\n", title,
                       options.files ? "is added" : "is missing: it would be created",
                       cause.empty() ? "" : fmt::format(" ({})", plain(cause)));
  }
  if (first.kind == DifferenceKind::Orphaned) {
    return fmt::format("- **{}** {}\n\n", title,
                       options.files ? "is removed" : "is orphaned: no input creates it");
  }
  std::string counts = counted(count_shown(object, false), "field");
  if (options.show_ignored && count_shown(object, true) > 0)
    counts += fmt::format(", {} ignored", count_shown(object, true));
  std::string text = fmt::format(
      "<details><summary><b>{}</b>: {}</summary>\n\n| field | {} | {} | from |\n|---|---|---|---|\n", title,
      counts, options.files ? "old" : "live", options.files ? "new" : "rendered");
  for (const Difference& difference : object.differences) {
    if (difference.kind != DifferenceKind::Ignored || options.show_ignored) text += row(difference, causes);
  }
  return text + refusals(object) + "\n</details>\n\n";
}

std::string acceptance_text(const Acceptance& acceptance, const Report& report) {
  std::string text =
      fmt::format("- **{}** {}\n", plain(acceptance.title()), verdict_text(acceptance.verdict, report));
  const auto add = [&](const base::Location& at, std::string_view message) {
    text += fmt::format("  - {}: {}\n", code(fmt::format("{}:{}", at.file ? at.file->name() : "", at.line)),
                        plain(message));
  };
  if (!acceptance.cause.empty()) add(acceptance.location, acceptance.cause);
  for (const base::Diagnostic& refusal : acceptance.refusals)
    add(refusal.location,
        refusal.hint.empty() ? refusal.message : fmt::format("{} ({})", refusal.message, refusal.hint));
  return text + "\n";
}

}  // namespace

std::string format_markdown(const Report& report, const FormatOptions& options) {
  std::string out = fmt::format("### trainjobc diff: {}\n\n", summary_of(report, options.files));
  for (const Cost& cost : costs_of(report)) out += fmt::format("- cost: {}\n", plain(cost_text(cost)));
  if (!out.ends_with("\n\n")) out += '\n';
  size_t left_out = 0;
  const auto add = [&](const auto& make_text) {
    const std::string text = left_out == 0 ? make_text() : "";
    if (left_out > 0 || out.size() + text.size() > kMaxCommentBytes) {
      ++left_out;
    } else {
      out += text;
    }
  };
  Causes causes;
  for (const Acceptance& acceptance : report.acceptances)
    add([&] { return acceptance_text(acceptance, report); });
  for (const ObjectDiff& object : report.objects) {
    if (object.differs() || options.show_ignored) add([&] { return object_text(object, options, causes); });
  }
  if (left_out > 0) out += fmt::format("… and {} more\n\n", counted(left_out, "object"));
  out.erase(out.find_last_not_of('\n') + 1);
  return out + "\n";
}

}  // namespace trainjobc::diff
