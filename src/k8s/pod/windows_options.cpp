// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "base/text/ascii.h"
#include "k8s/check/field_checks.h"
#include "k8s/pod/security_context.h"

namespace trainjobc::k8s::job {
namespace {

constexpr size_t kMaxCredentialSpec = 64 * 1024;
constexpr size_t kMaxDomain = 255;
constexpr size_t kMaxUser = 104;

bool is_net_bios_domain(std::string_view domain) {
  return !domain.empty() && domain.front() != '.' && domain.find_first_of("\\/:*?\"<>|") == domain.npos &&
         std::ranges::count_if(domain,
                               [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }) <= 15;
}

// Each part between dots is a DNS label of either case.
bool is_dns_domain(std::string_view domain) {
  const std::string lowered = base::lower_case(domain);
  std::string_view rest = lowered;
  while (true) {
    const size_t dot = rest.find('.');
    if (!has_form(Form::DnsLabel, rest.substr(0, dot))) return false;
    if (dot == rest.npos) return true;
    rest.remove_prefix(dot + 1);
  }
}

// The error in a user's name of the form [domain\]user; "" if there is none.
std::string user_complaint(std::string_view text) {
  if (text.empty()) return "is empty";
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; })) {
    return "contains a control character";
  }
  const size_t slash = text.find('\\');
  if (slash != text.npos && text.find('\\', slash + 1) != text.npos) return "has more than one backslash";
  const std::string_view user = slash == text.npos ? text : text.substr(slash + 1);
  if (slash != text.npos) {
    const std::string_view domain = text.substr(0, slash);
    if (domain.size() > kMaxDomain) return fmt::format("has a domain of more than {} characters", kMaxDomain);
    if (!is_net_bios_domain(domain) && !is_dns_domain(domain))
      return "has a domain that is neither a NetBIOS nor a DNS name";
  }
  if (user.empty()) return "has no user";
  if (user.size() > kMaxUser) return fmt::format("has a user of more than {} characters", kMaxUser);
  if (user.find_first_not_of(". ") == user.npos) return "has a user of only dots and spaces";
  if (user.find_first_of("\"/\\:;|=,+*?<>@[]") != user.npos)
    return "has a character that is not allowed in a Windows user name";
  return "";
}

}  // namespace

void check_windows_options(const Field& options, Report& report) {
  const Field name = options.child("gmsaCredentialSpecName");
  if (name) check_form(name, Form::DnsSubdomain, rule::kSecurityContext, "gmsaCredentialSpecName", report);
  const Field credentials = options.child("gmsaCredentialSpec");
  if (credentials && credentials.text().empty()) {
    report.add(rule::kSecurityContext, credentials, "gmsaCredentialSpec is empty", "remove it");
  } else if (credentials.text().size() > kMaxCredentialSpec) {
    report.add(rule::kSecurityContext, credentials, "gmsaCredentialSpec is larger than 64 KiB");
  }
  const Field user = options.child("runAsUserName");
  const std::string wrong = user ? user_complaint(user.text()) : "";
  if (!wrong.empty()) {
    report.add(rule::kSecurityContext, user, fmt::format("runAsUserName {} {}", quoted(user), wrong));
  }
}

}  // namespace trainjobc::k8s::job
