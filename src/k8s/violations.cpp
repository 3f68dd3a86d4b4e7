// SPDX-License-Identifier: Apache-2.0

#include "k8s/violations.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "rules/rules.h"
#include "secret/secret.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::k8s {
namespace {

using yaml::Kind;
using yaml::Node;

constexpr size_t kMaxShown = 60;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

}  // namespace

std::string quoted(std::string_view given) {
  const std::string text = secret::without_keys(given);
  size_t end = text.size();
  if (end > kMaxShown) {
    end = kMaxShown - 3;
    while (end > 0 && is_continuation(text[end])) --end;
  }
  std::string out = "\"";
  for (size_t at = 0; at < end; ++at) {
    const char c = text[at];
    if (const auto odd = base::odd_space_at(std::string_view(text).substr(at))) {
      out += fmt::format("\\u{:04x}", odd->code);
      at += odd->length - 1;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + (end < text.size() ? "…\"" : "\"");
}

std::string quoted(const Node& node) {
  return node.origin().is_secret() ? fmt::format("\"{}\"", secret::kHidden) : quoted(node.text());
}

std::string quoted_list(std::span<const std::string_view> words) {
  std::string out;
  for (const std::string_view word : words) out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", word);
  return out;
}

std::string shown(const Node& node) {
  if (!node.is_scalar()) return std::string(kind_words(node));
  if (node.origin().is_secret()) return std::string(secret::kHidden);
  return node.is_string() ? quoted(node.text()) : std::string(node.text());
}

std::string_view kind_words(const Node& node) {
  switch (node.kind()) {
    case Kind::Null: return "null";
    case Kind::Bool: return "a boolean";
    case Kind::Int: return "an integer";
    case Kind::Float: return "a number";
    case Kind::String: return "a string";
    case Kind::List: return "a list";
    case Kind::Map: return "a map";
  }
  return "";
}

std::string mode_text(int64_t mode) {
  return mode >= 0 && mode <= 0777 ? fmt::format("{:04o}", mode) : fmt::format("{}", mode);
}

std::string source_text(const Node& node) {
  const base::Location at = yaml::locate(node);
  if (!at.file || at.end_line != at.line || !node.origin().file()) return std::string(node.text());
  return std::string(at.file->line(at.line).substr(at.column - 1, at.end_column - at.column));
}

void suggest(base::Diagnostic& diagnostic, const Node* scalar, std::string_view meant) {
  diagnostic.hint = fmt::format("did you mean \"{}\"?", meant);
  if (scalar) base::suggest_fix(diagnostic, yaml::replace_text(*scalar, meant));
}

void suggest_key(base::Diagnostic& diagnostic, const yaml::Entry& entry, std::string_view meant) {
  diagnostic.hint = fmt::format("did you mean \"{}\"?", meant);
  base::suggest_fix(diagnostic, yaml::rename_key(entry, meant));
}

void suggest_writing(base::Diagnostic& diagnostic, const Node* scalar, std::string_view better) {
  diagnostic.hint = fmt::format("write {}", better);
  if (scalar) base::suggest_fix(diagnostic, yaml::replace_text(*scalar, better));
}

void add_note(base::Diagnostic& diagnostic, std::string message, const Node* node) {
  if (!node) return;
  const base::Location location = yaml::locate(*node);
  if (location.file) diagnostic.notes.push_back({std::move(message), location});
}

base::Diagnostic& Report::add_at(base::Location place, std::string_view rule, const Field& field,
                                 std::string message, std::string hint) {
  base::Diagnostic& diagnostic =
      violations_->emplace_back(rules::finding(rule, std::move(message), std::move(hint), place));
  diagnostic.field = field.path();
  return diagnostic;
}

std::string quoted(const Field& field) {
  return field ? quoted(*field.node()) : "\"\"";
}

namespace {

std::string choices(std::span<const std::string_view> allowed) {
  return (allowed.size() == 1 ? "only " : "one of ") + quoted_list(allowed);
}

std::string missing(const Field& field) {
  if (field) return fmt::format("{} of {} is empty", field.name(), field.owner());
  return fmt::format("{} has no {}", field.owner(), field.name());
}

// The mode that was probably meant: 0644 for 644.
int64_t octal_meant(const std::string& given) {
  const bool is_octal = given.size() == 3 && given.find_first_not_of("01234567") == given.npos;
  return is_octal ? std::stoll(given, nullptr, 8) : 0644;
}

// The error in an address; "" if there is none.
// Returns "10.0.0.7" for 010.0.0.07.
std::string without_leading_zeros(std::string_view address) {
  std::string kept;
  bool is_leading = true;
  for (size_t i = 0; i < address.size(); ++i) {
    const bool is_last = i + 1 == address.size() || !base::is_digit(address[i + 1]);
    if (is_leading && address[i] == '0' && !is_last) continue;
    is_leading = address[i] == '.';
    kept += address[i];
  }
  return kept;
}

std::string ip_complaint(std::string_view text, bool is_strict) {
  const bool is_ipv6 = text.find(':') != text.npos;
  const std::string address = is_strict || is_ipv6 ? std::string(text) : without_leading_zeros(text);
  std::array<unsigned char, 16> bytes{};
  if (address.find('\0') == address.npos) {
    if (inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) return "";
    if (inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) {
      const bool mapped =
          std::all_of(bytes.begin(), bytes.begin() + 10, [](unsigned char b) { return b == 0; }) &&
          bytes[10] == 0xff && bytes[11] == 0xff;
      return mapped && is_strict ? "is an IPv4-mapped IPv6 address" : "";
    }
  }
  return text.empty() ? "is empty" : "is not an IP address";
}

}  // namespace

bool check_given(const Field& field, std::string_view rule, Report& report) {
  if (!field.text().empty()) return true;
  report.add(rule, field, missing(field), fmt::format("add {}", field.name()));
  return false;
}

bool check_text(const Field& field, std::string_view text, Form form, std::string_view rule,
                std::string_view what, Report& report, const Node* written) {
  const std::string wrong = complaint(form, text);
  if (wrong.empty()) return true;
  if (text.empty()) {
    report.add(rule, field, fmt::format("{} is {}", what, field ? "empty" : "missing"));
    return false;
  }
  const std::string better = improved(form, text);
  base::Diagnostic& found = report.add(rule, field, fmt::format("{} {} {}", what, quoted(text), wrong));
  if (!better.empty()) suggest_writing(found, text == field.text() ? field.node() : written, better);
  return false;
}

bool check_form(const Field& field, Form form, std::string_view rule, std::string_view what, Report& report) {
  return check_text(field, field.text(), form, rule, what, report);
}

bool check_name(const Field& field, Form form, std::string_view rule, std::string_view what, Report& report) {
  return check_given(field, rule, report) && check_form(field, form, rule, what, report);
}

bool check_optional_name(const Field& field, Form form, std::string_view rule, std::string_view what,
                         Report& report) {
  return field.text().empty() || check_form(field, form, rule, what, report);
}

bool check_one_of(const Field& field, std::span<const std::string_view> allowed, std::string_view rule,
                  Report& report) {
  const KubernetesBehaviour& kubernetes = report.kubernetes();
  const auto newer = [&](std::string_view value) { return kubernetes_with_value(value, kubernetes); };
  const std::string_view since = newer(field.text());
  if (base::contains(allowed, field.text()) && since.empty()) return true;
  std::vector<std::string_view> known(allowed.begin(), allowed.end());
  std::erase_if(known, [&](std::string_view value) { return !newer(value).empty(); });
  if (!since.empty()) {
    report.add(
        rule, field,
        fmt::format("Kubernetes {} does not accept {} for {}", kubernetes.version, quoted(field),
                    field.name()),
        fmt::format("{}; Kubernetes {} accepts it: name the cluster's version with --kubernetes-version",
                    choices(known), since));
    return false;
  }
  base::Diagnostic& found = report.add(
      rule, field, field ? fmt::format("{} can't be {}", field.name(), quoted(field)) : missing(field),
      choices(known));
  if (const auto meant = base::closest(field.text(), known); meant && known.size() > 1) {
    suggest(found, field.node(), *meant);
    found.hint += fmt::format(" ({})", choices(known));
  }
  return false;
}

bool check_optional_one_of(const Field& field, std::span<const std::string_view> allowed,
                           std::string_view rule, Report& report) {
  return !field || check_one_of(field, allowed, rule, report);
}

bool check_defaulted_one_of(const Field& field, std::span<const std::string_view> allowed,
                            std::string_view rule, Report& report) {
  return field.text().empty() || check_one_of(field, allowed, rule, report);
}

bool check_range(const Field& field, int64_t least, int64_t most, std::string_view rule, Report& report) {
  const auto value = field.integer();
  if (!value || (*value >= least && *value <= most)) return true;
  report.add(rule, field, fmt::format("{} must be from {} to {}, not {}", field.name(), least, most, *value));
  return false;
}

bool check_not_negative(const Field& field, std::string_view rule, Report& report) {
  const auto value = field.integer();
  if (!value || *value >= 0) return true;
  report.add(rule, field, fmt::format("{} can't be negative, it is {}", field.name(), *value));
  return false;
}

bool check_positive(const Field& field, std::string_view rule, Report& report) {
  const int64_t value = field.integer().value_or(0);
  if (value > 0) return true;
  report.add(rule, field,
             field ? fmt::format("{} must be at least 1, not {}", field.name(), value) : missing(field));
  return false;
}

bool check_count(const Field& list, size_t most, std::string_view what, std::string_view rule,
                 Report& report) {
  if (list.size() <= most) return true;
  report.add(rule, list, fmt::format("{} {} are too many, at most {} are allowed", list.size(), what, most));
  return false;
}

bool check_id(const Field& field, Report& report) {
  return check_range(field, 0, INT32_MAX, rule::kSecurityContext, report);
}

bool check_mode(const Field& field, Report& report) {
  const auto value = field.integer();
  if (!value || (*value >= 0 && *value <= 0777)) return true;
  const std::string given = k8s::source_text(*field.node());
  base::Diagnostic& found =
      report.add(rule::kVolume, field,
                 fmt::format("{} {} is not a valid file mode: modes are 0000 to 0777", field.name(), given));
  const int64_t meant = octal_meant(given);
  found.hint = fmt::format("write {} in YAML, {} in JSON", k8s::mode_text(meant), meant);
  const bool is_json = field.location().file && field.location().file->name().ends_with(".json");
  base::suggest_fix(
      found, yaml::replace_scalar(*field.node(), is_json ? std::to_string(meant) : k8s::mode_text(meant)));
  return false;
}

bool check_port_reference(const Field& field, std::string_view rule, Report& report) {
  if (!field || field.node()->is_int()) {
    if (field) return check_range(field, 1, 65535, rule, report);
    report.add(rule, field, missing(field));
    return false;
  }
  return check_form(field, Form::PortName, rule, "port name", report);
}

bool has_backstep(std::string_view path) {
  return !all_parts(path, "/", [](std::string_view part) { return part != ".."; });
}

bool check_no_backsteps(const Field& path, std::string_view rule, Report& report) {
  if (!has_backstep(path.text())) return true;
  report.add(rule, path, fmt::format("{} {} can't contain \"..\"", path.name(), quoted(path)));
  return false;
}

bool check_relative_path(const Field& path, std::string_view rule, Report& report) {
  if (!path.text().starts_with('/')) return check_no_backsteps(path, rule, report);
  report.add(rule, path, fmt::format("{} {} must be relative", path.name(), quoted(path)),
             "remove the leading '/'");
  return false;
}

bool check_file_path(const Field& path, std::string_view rule, Report& report) {
  if (!check_relative_path(path, rule, report)) return false;
  if (!path.text().starts_with("..")) return true;
  report.add(rule, path, fmt::format("{} {} can't begin with two dots", path.name(), quoted(path)));
  return false;
}

bool check_ip(const Field& field, std::string_view rule, Report& report) {
  const std::string wrong = ip_complaint(field.text(), report.kubernetes().has_strict_ips);
  if (wrong.empty()) return true;
  report.add(rule, field, fmt::format("{} {} {}", field.name(), quoted(field), wrong),
             "write it as 10.9.8.7 or 2001:db8::1");
  return false;
}

}  // namespace trainjobc::k8s
