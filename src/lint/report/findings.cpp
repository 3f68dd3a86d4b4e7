// SPDX-License-Identifier: Apache-2.0

#include "lint/report/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "lint/report/document.h"

namespace trainjobc::lint {
namespace {

using base::counted;
using base::Diagnostic;
using base::Location;
using base::Severity;
using report::Json;

// Counts the findings: "2 errors, 1 warning".
std::string by_severity(const base::Diagnostics& diagnostics) {
  std::string out;
  for (const auto& [severity, noun] :
       {std::pair(Severity::Error, "error"), std::pair(Severity::Warning, "warning"),
        std::pair(Severity::Info, "info")}) {
    const auto count =
        static_cast<size_t>(std::ranges::count(diagnostics.items(), severity, &Diagnostic::severity));
    if (count == 0) continue;
    out += (out.empty() ? "" : ", ") +
           (severity == Severity::Info ? fmt::format("{} info", count) : counted(count, noun));
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

// "; 1 fixable with --fix, 2 more with --fix=all"; "" if none is fixable.
std::string fixable(const base::Diagnostics& diagnostics) {
  const auto has_fix = [](const Diagnostic& d) { return !d.fix.empty(); };
  const auto is_safe = [&](const Diagnostic& d) {
    return has_fix(d) && d.certainty == base::Certainty::Safe;
  };
  const auto all = std::ranges::count_if(diagnostics.items(), has_fix);
  const auto safe = std::ranges::count_if(diagnostics.items(), is_safe);
  if (all == 0) return "";
  if (safe == 0) return fmt::format("; {} fixable with --fix=all", all);
  return fmt::format("; {} fixable with --fix{}", safe,
                     safe == all ? "" : fmt::format(", {} more with --fix=all", all - safe));
}

size_t count_unchecked(std::span<const LintedObject> objects) {
  return static_cast<size_t>(std::ranges::count(objects, false, &LintedObject::is_checked));
}

std::string summary(const ReportInput& input) {
  const std::string unchecked = unchecked_jobs(input.objects);
  return fmt::format("{} ({}){}{}{}{}\n", counted(input.diagnostics.items().size(), "finding"),
                     by_severity(input.diagnostics), in_files(input), fixable(input.diagnostics),
                     unchecked.empty() ? "" : "; ", unchecked);
}

}  // namespace

std::string unchecked_jobs(std::span<const LintedObject> objects) {
  const size_t count = count_unchecked(objects);
  return count == 0 ? "" : counted(count, "job") + " not checked";
}

Json finding_json(const Diagnostic& d) {
  const auto add_place = [](Json& json, const Location& at) {
    json.add("file", at.file ? at.file->name() : "");
    json.add("line", at.line);
    json.add("column", at.column);
    json.add("endLine", at.end_line);
    json.add("endColumn", at.end_column);
  };
  Json json{{"rule", d.rule},
            {"stage", to_string(d.stage)},
            {"severity", to_string(d.severity)},
            {"object", d.object},
            {"field", d.field},
            {"message", d.message},
            {"hint", d.hint}};
  add_place(json, d.location);
  if (d.is_consequence) json.add("consequence", true);
  if (!d.notes.empty()) {
    json.add("notes", Json::array(d.notes, [&](const base::Note& note) {
               Json one{{"message", note.message}};
               add_place(one, note.location);
               return one;
             }));
  }
  return json;
}

namespace {

// Converts a column that counts bytes to one that counts UTF-16 code units.
uint32_t utf16_column(const base::SourceFile& file, uint32_t line, uint32_t column) {
  return static_cast<uint32_t>(file.utf16_units(line, column == 0 ? 0 : column - 1)) + 1;
}

Region region_of(const Location& at) {
  if (at.line == 0) return {};
  Region region;
  region.line = at.line;
  region.column = utf16_column(*at.file, at.line, at.column);
  region.end_line = std::max(at.line, at.end_line);
  region.end_column = utf16_column(*at.file, region.end_line, at.end_column);
  if (region.end_line == region.line) region.end_column = std::max(region.column, region.end_column);
  return region;
}

// FNV-1a. A zero byte ends each part.
uint64_t hash(std::initializer_list<std::string_view> parts) {
  uint64_t value = 0xcbf29ce484222325ULL;
  const auto add = [&](unsigned char byte) { value = (value ^ byte) * 0x100000001b3ULL; };
  for (const std::string_view part : parts) {
    for (const char c : part) add(static_cast<unsigned char>(c));
    add(0);
  }
  return value;
}

// Writes for people: each diagnostic with its source line, then a summary.
bool text_report(const ReportInput& input, const WritePart& write) {
  if (input.diagnostics.empty()) return true;
  const std::string closing = "\n" + (input.is_quiet ? "" : summary(input));
  const auto text_of = [&](const Diagnostic& diagnostic) {
    return base::format_text(diagnostic, input.style);
  };
  return report::write_joined(input.diagnostics.items(), {.between = "\n", .closing = closing}, write,
                              text_of);
}

bool json_report(const ReportInput& input, const WritePart& write) {
  constexpr const char* kKey = "diagnostics";
  Json frame{{"version", report::kReportVersion}};
  if (!input.programs.empty()) {
    frame.add("programs", Json::array(input.programs, [](const inputs::BuildProgram& program) {
                return Json{{"name", program.name}, {"version", program.version}};
              }));
  }
  if (const size_t count = count_unchecked(input.objects)) frame.add("jobsNotChecked", count);
  frame.add(kKey, Json::array());
  return write_in_frame(frame, kKey, input.diagnostics, write, finding_json);
}

// Writes a report that is built as a whole.
template <std::string (*make)(const ReportInput&)>
bool write_whole(const ReportInput& input, const WritePart& write) {
  return write(make(input));
}

using Writer = bool (*)(const ReportInput&, const WritePart&);

// Must be in the order of ReportFormat.
constexpr std::array<std::string_view, 6> kNames{"text", "json", "sarif", "junit", "github", "gitlab"};
constexpr std::array<Writer, kNames.size()> kWriters{
    text_report,
    json_report,
    write_sarif,
    write_whole<junit_report>,
    write_whole<github_report>,
    write_whole<gitlab_report>,
};

}  // namespace

bool write_in_frame(const Json& frame, std::string_view key, const base::Diagnostics& findings,
                    const WritePart& write, const std::function<Json(const Diagnostic&)>& make) {
  const std::string whole = frame.report();
  if (findings.empty()) return write(whole);
  const std::string array = fmt::format("\"{}\": []", key);
  const size_t at = whole.rfind(array);
  const size_t indent = at - whole.rfind('\n', at) - 1;
  const size_t end = at + array.size() - 1;
  const std::string opening = whole.substr(0, end) + "\n";
  const std::string closing = fmt::format("\n{:{}}{}", "", indent, whole.substr(end));
  const auto lines = [&](const Diagnostic& found) { return make(found).lines(indent + 2); };
  return report::write_joined(findings.items(), {.opening = opening, .between = ",\n", .closing = closing},
                              write, lines);
}

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
  input.diagnostics = format == ReportFormat::Json
                          ? base::with_marked_consequences(std::move(input.diagnostics))
                          : base::without_consequences(std::move(input.diagnostics));
  return kWriters[static_cast<size_t>(format)](input, write);
}

Places::Places(const ReportInput& input) : input_(input) {
  for (const LintedObject& object : input.objects) objects_.try_emplace(object.object, &object);
}

std::optional<Place> Places::of(const Diagnostic& diagnostic) const {
  if (auto place = of(diagnostic.location)) return place;
  const auto object = objects_.find(diagnostic.object);
  if (object != objects_.end()) {
    const uint32_t line = std::max<uint32_t>(object->second->line, 1);
    return Place{path_of(object->second->file), {line, 1, line, 1}};
  }
  if (input_.files.empty()) return std::nullopt;
  return Place{path_of(input_.files.front()), {}};
}

std::optional<Place> Places::of(const Location& location) const {
  if (!location.file || is_built_in(location.file->name())) return std::nullopt;
  return Place{path_of(location.file->name()), region_of(location)};
}

std::string Places::path_of(std::string_view file_name) const {
  if (file_name.starts_with('<')) return std::string(file_name);  // <stdin>
  const std::string& here = input_.repository.working_directory;
  const std::string given =
      base::normal_path(here.empty() || file_name.starts_with('/') ? std::string(file_name)
                                                                   : fmt::format("{}/{}", here, file_name));
  const std::string inside = base::path_below(given, base::normal_path(input_.repository.root));
  return inside.empty() ? given : inside;
}

std::string full_message(const Diagnostic& diagnostic) {
  return diagnostic.hint.empty() ? diagnostic.message
                                 : fmt::format("{}; {}", diagnostic.message, diagnostic.hint);
}

bool is_built_in(std::string_view name) {
  return name.starts_with("catalogue/v");
}

std::string to_uri(std::string_view path) {
  constexpr std::string_view kPlain = "-._~/";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    if (base::is_alnum(c) || kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

std::string Fingerprints::next(std::initializer_list<std::string_view> parts) {
  const uint64_t value = hash(parts);
  return fmt::format("{:016x}:{}", value, ++seen_[value]);
}

std::string identity(const Diagnostic& diagnostic) {
  constexpr size_t kLongest = 2000;  // a whole file on one line would change with each of its other findings
  const Location& at = diagnostic.location;
  // A line with a secret is not even hashed: the hash could reveal a short secret.
  const bool has_line = at.file && at.line != 0 && !diagnostic.hide_source;
  const std::string_view line = has_line ? at.file->line(at.line) : std::string_view();
  const std::string_view words = line.size() <= kLongest ? base::trimmed(line, base::kBlanks) : "";
  if (!words.empty()) return std::string(words);
  return fmt::format("{} {} {}", diagnostic.object, diagnostic.field, diagnostic.message);
}

}  // namespace trainjobc::lint
