// SPDX-License-Identifier: Apache-2.0

#include "k8s/name_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text/ascii.h"

namespace trainjobc::k8s {
namespace {

using base::is_alnum;
using base::is_lower;
using base::is_lower_alnum;

constexpr size_t kMaxLabel = 63;
constexpr size_t kMaxSubdomain = 253;

std::string length_problem(std::string_view text, size_t most) {
  if (text.empty()) return "is empty";
  if (text.size() <= most) return "";
  return fmt::format("has {} characters, at most {} are allowed", text.size(), most);
}

// What a byte may be in a name.
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

// Not empty, of bytes of `inner`, with `outer` at both ends.
bool is_made_of(std::string_view text, Class outer, Class inner) {
  return !text.empty() && is_in(text.front(), outer) && is_in(text.back(), outer) &&
         std::ranges::all_of(text, [&](char c) { return is_in(c, inner); });
}

// `prefix` is lower case, or an annotation's.
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
  return "may contain only lower-case letters, digits and '-', and must begin and end with a letter or digit";
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
  return "may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit";
}

std::string annotation_key_problem(std::string_view text) {
  return label_key_problem(base::lower_case(text));
}

std::string label_value_problem(std::string_view text) {
  if (text.empty()) return "";
  std::string problem = length_problem(text, kMaxLabel);
  if (!problem.empty() || is_name_part(text)) return problem;
  return "may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit";
}

std::string suggest_dns_name(std::string_view text, bool dots, bool letter_first) {
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

}  // namespace trainjobc::k8s
