// SPDX-License-Identifier: Apache-2.0

#include "k8s/check/forms.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/ascii.h"
#include "k8s/name_syntax.h"

namespace trainjobc::k8s::job {
namespace {

using base::is_alnum;
using base::is_digit;
using base::is_lower;
using base::is_lower_alnum;
using base::is_upper;

using CharTest = bool (*)(char);

// Begins and ends with a character of `outer`, and has only `outer` and `others` between.
bool is_word(std::string_view text, CharTest outer, std::string_view others) {
  return !text.empty() && outer(text.front()) && outer(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return outer(c) || others.find(c) != others.npos; });
}

// Calls `visit` with each part of `text` between separators; stops at the first false.
template <class Visit>
bool all_parts(std::string_view text, std::string_view separators, Visit visit) {
  while (true) {
    const size_t end = text.find_first_of(separators);
    if (!visit(text.substr(0, end))) return false;
    if (end == text.npos) return true;
    text.remove_prefix(end + 1);
  }
}

bool is_underscored_word(std::string_view part) {
  if (part.starts_with('_')) part.remove_prefix(1);
  return is_word(part, is_lower_alnum, "-_");
}

std::string too_long(std::string_view text, size_t most) {
  return text.size() > most ? fmt::format("is {} characters long, at most {} are allowed", text.size(), most)
                            : "";
}

constexpr std::string_view kLabelChars =
    "may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit";
constexpr std::string_view kDnsLabelChars =
    "may contain only lower-case letters, digits and '-', and must begin and end with a letter or digit";
constexpr std::string_view kSubdomainChars =
    "may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end "
    "with a letter or digit";

std::string dns_label(std::string_view text) {
  if (text.empty()) return "is empty";
  if (!is_dns_label(text)) return std::string(kDnsLabelChars);
  return too_long(text, 63);
}

std::string subdomain(std::string_view text) {
  if (text.empty()) return "is empty";
  if (!is_dns_subdomain(text)) return std::string(kSubdomainChars);
  return too_long(text, 253);
}

std::string underscored_subdomain(std::string_view text) {
  if (text.empty()) return "is empty";
  if (!all_parts(text, ".", is_underscored_word)) {
    return "may contain only lower-case letters, digits, '-', '_' and '.', and each part between dots must "
           "end with a letter or digit";
  }
  return too_long(text, 253);
}

std::string label_value(std::string_view text) {
  if (!text.empty() && !is_name_part(text)) return std::string(kLabelChars);
  return too_long(text, 63);
}

std::string label_key(std::string_view text) {
  if (is_label_key(text)) return "";
  const size_t slashes = static_cast<size_t>(std::ranges::count(text, '/'));
  if (slashes > 1) return "has more than one '/'; only a DNS prefix may come before the name";
  std::string_view name = text;
  if (slashes == 1) {
    const std::string wrong = subdomain(text.substr(0, text.find('/')));
    if (!wrong.empty()) return "has a prefix that " + wrong;
    name = text.substr(text.find('/') + 1);
  }
  if (name.empty()) return slashes == 1 ? "has no name after its prefix" : "is empty";
  const std::string wrong = label_value(name);
  if (!wrong.empty() && slashes == 1) return "has a name part that " + wrong;
  return wrong;
}

std::string config_key(std::string_view text) {
  const bool fits = !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_alnum(c) || c == '-' || c == '_' || c == '.';
  });
  if (!fits) return text.empty() ? "is empty" : "may contain only letters, digits, '-', '_' and '.'";
  if (text == "." || text.starts_with("..")) return "can't begin with '..' or be a lone '.'";
  return too_long(text, 253);
}

std::string port_name(std::string_view text) {
  if (text.empty()) return "is empty";
  const bool fits = std::ranges::all_of(text, [](char c) { return is_lower_alnum(c) || c == '-'; });
  if (!fits) return "may contain only lower-case letters, digits and '-'";
  if (std::ranges::none_of(text, is_lower)) return "must contain at least one letter";
  if (text.find("--") != text.npos) return "can't contain two dashes in a row";
  if (text.starts_with('-') || text.ends_with('-')) return "can't begin or end with a dash";
  return too_long(text, 15);
}

std::string env_name(std::string_view text) {
  if (text.empty()) return "is empty";
  const bool fits = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
  return fits ? "" : "may contain only printable ASCII characters, and no '='";
}

std::string header_name(std::string_view text) {
  if (text.empty()) return "is empty";
  const bool fits = std::ranges::all_of(text, [](char c) { return is_alnum(c) || c == '-'; });
  return fits ? "" : "may contain only letters, digits and '-'";
}

std::string sysctl_name(std::string_view text) {
  const auto is_segment = [](std::string_view part) { return is_word(part, is_lower_alnum, "-_"); };
  if (!all_parts(text, "./", is_segment)) {
    return "may contain only lower-case letters, digits, '-', '_', and '.' or '/' between its parts";
  }
  return too_long(text, 253);
}

// `text` with dashes for all characters but letters, digits and `others`; without dashes at its ends.
std::string cleaned(std::string_view text, std::string_view others) {
  std::string out;
  for (const char c : text) {
    const bool fits = is_alnum(c) || others.find(c) != others.npos;
    if (fits || !out.ends_with('-')) out += fits ? c : '-';
  }
  const auto is_outer = [](char c) { return is_alnum(c); };
  out.erase(out.begin(), std::ranges::find_if(out, is_outer));
  while (!out.empty() && !is_alnum(out.back())) out.pop_back();
  return out;
}

std::string cleaned_key(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == text.npos) return cleaned(text, "-_.");
  return cleaned(base::lower_case(text.substr(0, slash)), "-.") + "/" +
         cleaned(text.substr(slash + 1), "-_.");
}

std::string proposal(Form form, std::string_view text) {
  switch (form) {
    case Form::DnsLabel:
    case Form::PortName: return cleaned(base::lower_case(text), "-");
    case Form::DnsSubdomain: return cleaned(base::lower_case(text), "-.");
    case Form::LabelValue:
    case Form::ConfigKey: return cleaned(text, "-_.");
    case Form::LabelKey: return cleaned_key(text);
    case Form::SysctlName:
    case Form::UnderscoredSubdomain: return base::lower_case(text);
    case Form::EnvName:
    case Form::HeaderName: return "";
  }
  return "";
}

}  // namespace

std::string complaint(Form form, std::string_view text) {
  switch (form) {
    case Form::DnsLabel: return dns_label(text);
    case Form::DnsSubdomain: return subdomain(text);
    case Form::UnderscoredSubdomain: return underscored_subdomain(text);
    case Form::LabelKey: return label_key(text);
    case Form::LabelValue: return label_value(text);
    case Form::ConfigKey: return config_key(text);
    case Form::PortName: return port_name(text);
    case Form::EnvName: return env_name(text);
    case Form::HeaderName: return header_name(text);
    case Form::SysctlName: return sysctl_name(text);
  }
  return "";
}

std::string improved(Form form, std::string_view text) {
  std::string better = proposal(form, text);
  return !better.empty() && better != text && has_form(form, better) ? better : "";
}

std::string as_prefix(std::string_view name) {
  if (name.size() < 2 || !name.ends_with('-')) return std::string(name);
  return std::string(name.substr(0, name.size() - 2)) + "a";
}

}  // namespace trainjobc::k8s::job
