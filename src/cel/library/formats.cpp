// SPDX-License-Identifier: Apache-2.0

// The named formats, and what is the same of two values of Kubernetes' types.
#include <array>

#include "base/text/text.h"
#include "cel/library/library.h"
#include "k8s/name_syntax.h"

namespace trainjobc::cel {
namespace {

struct Format {
  std::string_view name;
  uint64_t size;                                                    // of its pattern, which a check costs
  std::string (*problem)(std::string_view text, Context& context);  // "" if the text has the format
};

std::string check_label_value(std::string_view text, Context& /*context*/) {
  return k8s::label_value_problem(text);
}

template <std::string (*problem)(std::string_view), bool is_prefix = false>
std::string check_name(std::string_view text, Context& /*context*/) {
  return problem(is_prefix ? k8s::as_prefix(text) : std::string(text));
}

std::string check_uri(std::string_view text, Context& context) {
  const Value value = Value::text_of(text);
  return is_url({context, {&value, 1}, Expr()}).is_true() ? "" : "is not a URI";
}

std::string check_uuid(std::string_view text, Context& /*context*/) {
  size_t digits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool may_dash = digits == 8 || digits == 12 || digits == 16 || digits == 20;
    if (text[i] == '-' && may_dash && text[i - 1] != '-') continue;
    if (std::string_view("0123456789abcdef").find(base::to_lower(text[i])) == std::string_view::npos)
      return "is not a UUID";
    ++digits;
  }
  return digits == 32 && !text.ends_with('-') ? "" : "is not a UUID";
}

std::string check_byte(std::string_view text, Context& /*context*/) {
  // Bits that are not used don't matter here, unlike in base64_decode.
  const size_t end = std::min(text.find('='), text.size());
  const auto fits = [](char c) { return base::is_alnum(c) || c == '+' || c == '/'; };
  const bool is_padded = text.size() % 4 == 0 && text.size() - end <= 2 &&
                         text.substr(end).find_first_not_of('=') == std::string_view::npos;
  return !text.empty() && is_padded && std::ranges::all_of(text.substr(0, end), fits) ? "" : "is not Base64";
}

std::string check_date(std::string_view text, Context& /*context*/) {
  return read_timestamp(std::string(text) + "T00:00:00Z") && text.size() == 10 ? "" : "is not a date";
}

std::string check_datetime(std::string_view text, Context& /*context*/) {
  std::string upper = base::upper_case(text);
  return upper.find(',') == std::string::npos && read_timestamp(upper) ? "" : "is not a date and time";
}

constexpr std::array kFormats = std::to_array<Format>({
    {"dns1123Label", 30, check_name<k8s::dns_label_problem>},
    {"dns1123Subdomain", 60, check_name<k8s::dns_subdomain_problem>},
    {"dns1035Label", 30, check_name<k8s::dns_1035_label_problem>},
    {"qualifiedName", 60, check_name<k8s::label_key_problem>},
    {"dns1123LabelPrefix", 30, check_name<k8s::dns_label_problem, true>},
    {"dns1123SubdomainPrefix", 60, check_name<k8s::dns_subdomain_problem, true>},
    {"dns1035LabelPrefix", 30, check_name<k8s::dns_1035_label_problem, true>},
    {"labelValue", 40, check_label_value},
    {"uri", 1103, check_uri},
    {"uuid", 79, check_uuid},
    {"byte", 84, check_byte},
    {"date", 84, check_date},
    {"datetime", 84, check_datetime},
});

const Format& format_of(const Value& value) {
  return *static_cast<const Format*>(value.object);
}

}  // namespace

bool equal_objects(const Value& a, const Value& b) {
  switch (a.kind) {
    case Kind::Url: return equal_urls(a, b);
    case Kind::Semver: return compare_semvers(a, b) == 0;
    case Kind::Format: return a.object == b.object;
    default: return equal_addresses(a, b);
  }
}

uint64_t format_size(const Value& format) {
  return format_of(format).size;
}

Value named_format(const Call& call) {
  const Format* format = base::find(kFormats, call.text(0), &Format::name);
  return format ? call.context.optional(Value::object_of(Kind::Format, format)) : Value::optional_of(nullptr);
}

Value constant_format(const Call& call) {
  constexpr std::string_view kPrefix = "format.";
  return Value::object_of(Kind::Format,
                          base::find(kFormats, call.expr.name.substr(kPrefix.size()), &Format::name));
}

Value validate_format(const Call& call) {
  const std::string problem = format_of(call[0]).problem(call.text(1), call.context);
  if (problem.empty()) return Value::optional_of(nullptr);
  return call.context.optional(call.context.list({call.context.text(problem)}));
}

}  // namespace trainjobc::cel
