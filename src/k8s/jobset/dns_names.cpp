#include "k8s/jobset/dns_names.h"

#include <algorithm>

#include "base/text/ascii.h"

namespace trainjobc::k8s::jobset {
namespace {

using base::is_alnum;
using base::is_lower;
using base::is_lower_alnum;

bool is_label_char(char c) {
  return is_lower_alnum(c) || c == '-';
}

// A DNS-1123 label of any length.
bool is_domain_part(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_label_char) && text.front() != '-' &&
         text.back() != '-';
}

}  // namespace

bool has_label_form(std::string_view text) {
  return is_domain_part(text) && is_lower(text.front());
}

bool has_label_value_form(std::string_view text) {
  if (text.empty()) return true;
  const auto inner = [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; };
  return std::ranges::all_of(text, inner) && is_alnum(text.front()) && is_alnum(text.back());
}

bool is_dns1123_subdomain(std::string_view text) {
  constexpr size_t kMaxSubdomain = 253;
  if (text.size() > kMaxSubdomain) return false;
  while (true) {
    const size_t dot = text.find('.');
    if (!is_domain_part(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string suggest_label(std::string_view text, bool letter_first) {
  std::string label;
  for (const char c : text) {
    const char low = base::to_lower(c);
    label += is_lower_alnum(low) ? low : '-';
  }
  label.erase(label.begin(), std::ranges::find_if(label, letter_first ? is_lower : is_lower_alnum));
  while (label.ends_with('-')) label.pop_back();
  return label;
}

}  // namespace trainjobc::k8s::jobset
