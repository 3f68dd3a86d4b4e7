// SPDX-License-Identifier: Apache-2.0

#include "lint/report/reports.h"

#include <algorithm>
#include <array>

#include "compile/consequences.h"
#include "lint/report/report_formats.h"

namespace trainjobc::lint {
namespace {

using Make = std::string (*)(const ReportInput&);

// In the order of ReportFormat.
constexpr std::array<std::string_view, 6> kNames{"text", "json", "sarif", "junit", "github", "gitlab"};
// Of all formats but text.
constexpr std::array<Make, kNames.size()> kMakers{nullptr,      json_report,   sarif_report,
                                                  junit_report, github_report, gitlab_report};

}  // namespace

std::span<const std::string_view> report_format_names() {
  return kNames;
}

std::optional<ReportFormat> parse_report_format(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<ReportFormat>(found - kNames.begin());
}

std::string make_report(ReportFormat format, ReportInput input) {
  std::string report;
  write_report(format, std::move(input), [&](std::string_view part) {
    report += part;
    return true;
  });
  return report;
}

bool write_report(ReportFormat format, ReportInput input, const WritePart& write) {
  if (format != ReportFormat::Json)
    input.diagnostics = compile::without_consequences(std::move(input.diagnostics));
  return format == ReportFormat::Text ? text_report(input, write)
                                      : write(kMakers[static_cast<size_t>(format)](input));
}

}  // namespace trainjobc::lint
