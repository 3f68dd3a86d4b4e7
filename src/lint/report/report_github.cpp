// SPDX-License-Identifier: Apache-2.0

// GitHub Actions: workflow commands, which become annotations of the changed files. GitHub shows ten of each
// severity per step and silently drops the rest, so the errors come first and the last line counts the
// rest.
#include <fmt/format.h>

#include <array>

#include "lint/report/report_formats.h"
#include "lint/report/report_place.h"

namespace trainjobc::lint {
namespace {

using base::Diagnostic;
using base::Severity;

constexpr size_t kShown = 10;

struct Command {
  Severity severity;
  std::string_view name;
};
constexpr std::array kCommands = std::to_array<Command>(
    {{Severity::Error, "error"}, {Severity::Warning, "warning"}, {Severity::Info, "notice"}});

// `also`: characters to escape besides those that end a command.
std::string escaped(std::string_view text, std::string_view also) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || also.find(c) != std::string_view::npos) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string property(std::string_view text) {
  return escaped(text, ":,");
}

std::string annotation(const Diagnostic& d, std::string_view command, const Places& places) {
  std::string out = fmt::format("::{} ", command);
  if (const auto place = places.of(d)) {
    const Region& at = place->region;
    out += fmt::format("file={},line={},endLine={},", property(place->path), at.line, at.end_line);
    // GitHub refuses columns in annotations of several lines.
    if (at.line == at.end_line) out += fmt::format("col={},endColumn={},", at.column, at.end_column);
  }
  return out + fmt::format("title={}::{}\n", property(d.rule), escaped(full_message(d), ""));
}

}  // namespace

std::string github_report(const ReportInput& input) {
  const Places places(input);
  std::string out;
  std::string rest;
  for (const Command& command : kCommands) {
    size_t count = 0;
    for (const Diagnostic& d : input.diagnostics.items()) {
      if (d.severity == command.severity && ++count <= kShown) out += annotation(d, command.name, places);
    }
    if (count <= kShown) continue;
    const size_t more = count - kShown;
    rest += fmt::format("{}{} {}{}", rest.empty() ? "" : ", ", more, command.name, more == 1 ? "" : "s");
  }
  if (rest.empty()) return out;
  return out +
         fmt::format("::notice title=trainjobc::{} more: GitHub shows {} annotations of each severity\n",
                     rest, kShown);
}

}  // namespace trainjobc::lint
