// SPDX-License-Identifier: Apache-2.0

#include "k8s/name_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "secret/secret.h"

namespace trainjobc::k8s {

namespace {

using base::is_alnum;
using base::is_lower;
using base::is_lower_alnum;

constexpr size_t kMaxSubdomain = 253;

constexpr const char* kLabelChars =
    "may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit";
constexpr const char* kDnsLabelChars =
    "may contain only lower-case letters, digits and '-', and must begin and end with a letter or digit";

std::string length_problem(std::string_view text, size_t most) {
  if (text.empty()) return "is empty";
  if (text.size() <= most) return "";
  return fmt::format("has {} characters, at most {} are allowed", text.size(), most);
}

// Where in a name a byte is allowed.
enum Class : uint8_t { kLowerAlnum = 1, kAnyAlnum = 2, kInLabel = 4, kInName = 8 };

constexpr std::array<uint8_t, 256> byte_classes() {
  std::array<uint8_t, 256> classes{};
  for (unsigned byte = 0; byte < classes.size(); ++byte) {
    const char c = static_cast<char>(byte);
    if (is_lower_alnum(c)) classes[byte] |= kLowerAlnum;
    if (is_alnum(c)) classes[byte] |= kAnyAlnum;
    if (is_lower_alnum(c) || c == '-') classes[byte] |= kInLabel;
    if (is_alnum(c) || c == '-' || c == '_' || c == '.') classes[byte] |= kInName;
  }
  return classes;
}

constexpr std::array<uint8_t, 256> kClasses = byte_classes();

bool is_in(char c, Class wanted) {
  return (kClasses[static_cast<unsigned char>(c)] & wanted) != 0;
}

// Whether the text is not empty, has only bytes of `inner`, and one of `outer` at both ends.
bool is_made_of(std::string_view text, Class outer, Class inner) {
  return !text.empty() && is_in(text.front(), outer) && is_in(text.back(), outer) &&
         std::ranges::all_of(text, [&](char c) { return is_in(c, inner); });
}

// `prefix` is lower case, unless it is an annotation's.
std::string key_problem(std::string_view prefix, std::string_view name) {
  if (std::string problem = length_problem(prefix, kMaxSubdomain); !problem.empty()) {
    return fmt::format("has a prefix that {}", problem);
  }
  if (!is_dns_subdomain(prefix)) return "needs a DNS name such as example.com before its '/'";
  const std::string problem = length_problem(name, kMaxLabel);
  return problem.empty() ? problem : fmt::format("has a name after its '/' that {}", problem);
}

}  // namespace

bool is_dns_label(std::string_view text) {
  return is_made_of(text, kLowerAlnum, kInLabel);
}

bool is_dns_subdomain(std::string_view text) {
  char before = '.';
  for (const char c : text) {
    const bool is_edge = c == '.' || before == '.';
    if (is_edge ? !is_in(c == '.' ? before : c, kLowerAlnum) : !is_in(c, kInLabel)) return false;
    before = c;
  }
  return is_in(before, kLowerAlnum);
}

bool is_name_part(std::string_view text) {
  return is_made_of(text, kAnyAlnum, kInName);
}

bool is_label_key(std::string_view text) {
  const size_t slash = text.find('/');
  const std::string_view name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  const std::string_view prefix = text.substr(0, text.size() - name.size());
  return name.size() <= kMaxLabel && is_name_part(name) &&
         (prefix.empty() || (slash <= kMaxSubdomain && is_dns_subdomain(prefix.substr(0, slash))));
}

bool is_url_path(std::string_view text) {
  constexpr std::string_view kPunctuation = "/-._~%!$&'()*+,;=:";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return is_alnum(c) || kPunctuation.find(c) != std::string_view::npos;
  });
}

bool is_domain_prefixed_path(std::string_view text) {
  const size_t slash = text.find('/');
  return slash != std::string_view::npos && slash <= kMaxSubdomain &&
         is_dns_subdomain(text.substr(0, slash)) && is_url_path(text.substr(slash + 1));
}

std::string dns_label_problem(std::string_view text) {
  std::string problem = length_problem(text, kMaxLabel);
  if (!problem.empty() || is_dns_label(text)) return problem;
  return kDnsLabelChars;
}

std::string dns_1035_label_problem(std::string_view text) {
  std::string problem = length_problem(text, kMaxLabel);
  if (!problem.empty() || (is_dns_label(text) && is_lower(text.front()))) return problem;
  return "may contain only lower-case letters, digits and '-', and must begin with a letter "
         "and end with a letter or digit";
}

std::string dns_subdomain_problem(std::string_view text) {
  std::string problem = length_problem(text, kMaxSubdomain);
  if (!problem.empty() || is_dns_subdomain(text)) return problem;
  return "may contain only lower-case letters, digits, '-' and '.', and must begin "
         "and end with a letter or digit";
}

std::string label_key_problem(std::string_view text) {
  const size_t slash = text.find('/');
  std::string_view name = text;
  if (slash != std::string_view::npos) {
    name.remove_prefix(slash + 1);
    if (name.find('/') != std::string_view::npos) return "may contain only one '/'";
    if (std::string problem = key_problem(text.substr(0, slash), name); !problem.empty()) return problem;
  } else if (std::string problem = length_problem(name, kMaxLabel); !problem.empty()) {
    return problem;
  }
  if (is_name_part(name)) return "";
  return kLabelChars;
}

std::string annotation_key_problem(std::string_view text) {
  return label_key_problem(base::lower_case(text));
}

std::string label_value_problem(std::string_view text) {
  if (text.empty()) return "";
  std::string problem = length_problem(text, kMaxLabel);
  if (!problem.empty() || is_name_part(text)) return problem;
  return kLabelChars;
}

std::string suggest_dns_name(std::string_view text, bool dots, bool letter_first) {
  if (secret::has_key(text)) return "";
  std::string name;
  for (const char c : text) {
    const char low = base::to_lower(c);
    const bool stays = is_lower_alnum(low) || (low == '.' && dots && name.ends_with('.') == false);
    name += stays ? low : '-';
  }
  const auto begin =
      std::ranges::find_if(name, [&](char c) { return letter_first ? is_lower(c) : is_lower_alnum(c); });
  name.erase(name.begin(), begin);
  name.resize(std::min(name.size(), dots ? kMaxSubdomain : kMaxLabel));
  while (!name.empty() && !is_lower_alnum(name.back())) name.pop_back();
  return dots && !is_dns_subdomain(name) ? "" : name;
}

bool is_extended_resource(std::string_view name) {
  return name.find('/') != std::string_view::npos && name.find("kubernetes.io/") == std::string_view::npos &&
         !name.starts_with("requests.");
}

namespace {

using base::is_digit;
using base::is_upper;

using CharTest = bool (*)(char);

// Whether the text begins and ends with a character of `outer`, and has only `outer` and `others` between.
bool is_word(std::string_view text, CharTest outer, std::string_view others) {
  return !text.empty() && outer(text.front()) && outer(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return outer(c) || others.find(c) != others.npos; });
}

bool is_underscored_word(std::string_view part) {
  if (part.starts_with('_')) part.remove_prefix(1);
  return is_word(part, is_lower_alnum, "-_");
}

std::string too_long(std::string_view text, size_t most) {
  return text.size() > most ? fmt::format("is {} characters long, at most {} are allowed", text.size(), most)
                            : "";
}

std::string dns_label(std::string_view text) {
  if (text.empty()) return "is empty";
  if (!is_dns_label(text)) return kDnsLabelChars;
  return too_long(text, 63);
}

std::string subdomain(std::string_view text) {
  if (text.empty()) return "is empty";
  if (!is_dns_subdomain(text)) {
    return "may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin "
           "and end with a letter or digit";
  }
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
  if (!text.empty() && !is_name_part(text)) return kLabelChars;
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

// `text` with dashes for all characters but letters, digits and `others`, and without dashes at its ends.
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
    case Form::EnvName: return std::string(base::without_curly_quotes(text));
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
  if (secret::has_key(text)) return "";  // it would repeat a part of the secret
  std::string better = proposal(form, text);
  return !better.empty() && better != text && has_form(form, better) ? better : "";
}

std::string as_prefix(std::string_view name) {
  if (name.size() < 2 || !name.ends_with('-')) return std::string(name);
  return std::string(name.substr(0, name.size() - 2)) + "a";
}

}  // namespace trainjobc::k8s
