// SPDX-License-Identifier: Apache-2.0

// Text: for people, at a terminal or in a log.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lint/report/report_formats.h"

namespace trainjobc::lint {
namespace {

using base::Diagnostic;
using base::Severity;

std::string counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// 2 errors, 1 warning
std::string by_severity(const base::Diagnostics& diagnostics) {
  struct Noun {
    Severity severity;
    std::string_view noun;
  };
  static constexpr Noun kNouns[] = {
      {Severity::Error, "error"}, {Severity::Warning, "warning"}, {Severity::Info, "note"}};
  std::string out;
  for (const Noun& row : kNouns) {
    const auto count =
        static_cast<size_t>(std::ranges::count(diagnostics.items(), row.severity, &Diagnostic::severity));
    if (count == 0) continue;
    out += out.empty() ? "" : ", ";
    out += counted(count, row.noun);
  }
  return out;
}

// Files that are only searched for runtimes may have findings; they count as files too.
std::string in_files(const ReportInput& input) {
  std::set<std::string_view> all(input.files.begin(), input.files.end());
  std::set<std::string_view> found;
  for (const Diagnostic& d : input.diagnostics.items()) {
    if (d.location.file) found.insert(d.location.file->name());
  }
  if (found.empty()) return "";
  all.insert(found.begin(), found.end());
  return fmt::format(" in {} of {}", found.size(), counted(all.size(), "file"));
}

std::string summary(const ReportInput& input) {
  const auto& items = input.diagnostics.items();
  const auto fixable = std::ranges::count_if(items, [](const Diagnostic& d) { return !d.fix.empty(); });
  return fmt::format("{} ({}){}{}\n", counted(items.size(), "finding"), by_severity(input.diagnostics),
                     in_files(input),
                     fixable == 0 ? "" : fmt::format("; {} can be fixed with --fix", fixable));
}

}  // namespace

bool text_report(const ReportInput& input, const WritePart& write) {
  constexpr size_t kAtOnce = size_t{1} << 20U;
  if (input.diagnostics.empty()) return true;
  std::string part;
  for (const Diagnostic& diagnostic : input.diagnostics.items()) {
    part += base::format_text(diagnostic, input.style);
    part += '\n';
    if (part.size() < kAtOnce) continue;
    if (!write(part)) return false;
    part.clear();
  }
  return write(part + summary(input));
}

}  // namespace trainjobc::lint
