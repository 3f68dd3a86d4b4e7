#include "policy/domain_path.h"

#include <algorithm>

#include "base/ascii.h"

namespace trainjobc::policy {
namespace {

using base::is_lower_alnum;

bool is_dns_subdomain(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  while (true) {
    const size_t dot = text.find('.');
    const std::string_view label = text.substr(0, dot);
    const auto inner = [](char c) { return is_lower_alnum(c) || c == '-'; };
    if (label.empty() || !std::ranges::all_of(label, inner) || !is_lower_alnum(label.front()) ||
        !is_lower_alnum(label.back())) {
      return false;
    }
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// A path of a domain-prefixed name: letters, digits and some punctuation, no further rules.
bool is_path(std::string_view text) {
  constexpr std::string_view kPunctuation = "-._~!$&'()*+,;=:/";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return base::is_alnum(c) || kPunctuation.find(c) != std::string_view::npos;
  });
}

}  // namespace

bool is_domain_prefixed_path(std::string_view text) {
  const size_t slash = text.find('/');
  return slash != std::string_view::npos && is_dns_subdomain(text.substr(0, slash)) &&
         is_path(text.substr(slash + 1));
}

}  // namespace trainjobc::policy
