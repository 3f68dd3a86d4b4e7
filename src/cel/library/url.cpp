// SPDX-License-Identifier: Apache-2.0

// URLs, as Go's net/url reads them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text/text.h"
#include "cel/library/library.h"

namespace trainjobc::cel {
namespace {

struct Url {
  std::string_view scheme;
  std::string_view host;
  std::string_view path;  // escaped
  std::string_view query;
  std::string_view text;  // as it is compared

  bool operator==(const Url& other) const { return text == other.text; }
};

constexpr std::string_view kHostMarks = "!$&'()*+,;=:[]<>\"";
constexpr std::string_view kMarks = "-_.~";

std::optional<uint8_t> read_hex(std::string_view two) {
  uint8_t value = 0;
  if (two.size() < 2) return std::nullopt;
  const char* end = two.data() + 2;
  const auto [read_to, error] = std::from_chars(two.data(), end, value, 16);
  return error == std::errc() && read_to == end ? std::optional(value) : std::nullopt;
}

// What the percent signs of a text stand for; nullopt if one of them is wrong. In a host, no ASCII may be
// escaped.
std::optional<std::string> decode(std::string_view text, bool is_host, bool is_query = false) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      const auto byte = read_hex(text.substr(i + 1));
      if (!byte || (is_host && *byte < 0x80 && *byte != '%')) return std::nullopt;
      out += static_cast<char>(*byte);
      i += 2;
    } else if (is_host && static_cast<unsigned char>(c) < 0x80 && !base::is_alnum(c) &&
               !base::contains(kMarks, c) && !base::contains(kHostMarks, c)) {
      return std::nullopt;
    } else {
      out += is_query && c == '+' ? ' ' : c;
    }
  }
  return out;
}

bool is_optional_port(std::string_view port) {
  return port.empty() || (port.front() == ':' && std::ranges::all_of(port.substr(1), base::is_digit));
}

bool is_user(std::string_view user) {
  const auto fits = [](char c) {
    return base::is_alnum(c) || base::contains(std::string_view("-._:~!$&'()*+,;=%@"), c);
  };
  return std::ranges::all_of(user, fits) && decode(user, false);
}

bool is_ipv6(std::string_view text, Context& context) {
  const Value host = Value::text_of(text.substr(0, text.find('%')));
  const bool has_empty_zone = text.ends_with('%');
  return !has_empty_zone && text.find(':') != std::string_view::npos &&
         to_ip({context, {&host, 1}, Expr()}).kind == Kind::Ip;
}

std::optional<std::string> read_host(std::string_view scheme, std::string_view host, Context& context) {
  const size_t open = host.rfind('[');
  if (open == 0) {
    const size_t close = host.rfind(']');
    if (close == std::string_view::npos || !is_optional_port(host.substr(close + 1))) return std::nullopt;
    const auto name = decode(host.substr(1, close - 1), true);
    if (!name || !is_ipv6(*name, context)) return std::nullopt;
    return fmt::format("[{}]{}", *name, host.substr(close + 1));
  }
  if (open != std::string_view::npos) return std::nullopt;
  const bool is_http = scheme == "http" || scheme == "https";
  const size_t colon = is_http ? host.find(':') : host.rfind(':');
  if (colon != std::string_view::npos && !is_optional_port(host.substr(colon))) return std::nullopt;
  return decode(host, true);
}

// A path that needs no other escapes stays as it is.
std::optional<std::string> escaped_path(std::string_view path) {
  const auto decoded = decode(path, false);
  if (!decoded) return std::nullopt;
  const auto is_plain = [](char c) {
    return base::is_alnum(c) || base::contains(kMarks, c) || base::contains(std::string_view("$&+,/:;=@"), c);
  };
  const auto is_valid = [&](char c) {
    return is_plain(c) || base::contains(std::string_view("!'()*[]%"), c);
  };
  if (path == "*" || std::ranges::all_of(path, is_valid)) return std::string(path);
  std::string out;
  for (const char c : *decoded)
    out += is_plain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<uint8_t>(c));
  return out;
}

// `is_request`: as a request names it, without a fragment.
std::optional<Url> read_url(std::string_view text, bool is_request, Context& context) {
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; };
  if (text.empty() || std::ranges::any_of(text, is_control)) return std::nullopt;
  base::Arena& arena = context.arena();
  std::string_view rest = text;
  std::string_view fragment;
  if (const size_t hash = is_request ? rest.npos : rest.find('#'); hash != rest.npos) {
    fragment = rest.substr(hash);
    rest = rest.substr(0, hash);
    if (!decode(fragment, false)) return std::nullopt;
  }
  Url url;
  const size_t end = static_cast<size_t>(
      std::ranges::find_if_not(
          rest, [](char c) { return base::is_alnum(c) || base::contains(std::string_view("+-."), c); }) -
      rest.begin());
  if (end < rest.size() && rest[end] == ':' && (end == 0 || base::is_letter(rest.front()))) {
    if (end == 0) return std::nullopt;
    url.scheme = arena.copy(std::string_view(base::lower_case(rest.substr(0, end))));
    rest.remove_prefix(end + 1);
  }
  const size_t mark = std::min(rest.find('?'), rest.size());
  url.query = rest.substr(std::min(mark + 1, rest.size()));
  rest = rest.substr(0, mark);
  url.text = arena.copy(std::string_view(fmt::format("{}{}", text.substr(0, text.size() - fragment.size()),
                                                     fragment.size() > 1 ? fragment : "")));
  if (!rest.starts_with('/') && rest != "*") return url.scheme.empty() ? std::nullopt : std::optional(url);
  const bool may_have_host = !url.scheme.empty() || (!is_request && !rest.starts_with("///"));
  if (may_have_host && rest.starts_with("//")) {
    const size_t slash = std::min(rest.find('/', 2), rest.size());
    const std::string_view authority = rest.substr(2, slash - 2);
    const size_t at = authority.rfind('@');
    const auto host = read_host(url.scheme, authority.substr(at == authority.npos ? 0 : at + 1), context);
    if (!host || (at != authority.npos && !is_user(authority.substr(0, at)))) return std::nullopt;
    url.host = arena.copy(std::string_view(*host));
    rest = rest.substr(slash);
  }
  const auto path = escaped_path(rest);
  if (!path) return std::nullopt;
  url.path = arena.copy(std::string_view(*path));
  return url;
}

std::optional<Url> read_request_url(std::string_view text, Context& context) {
  return read_url(text, true, context) ? read_url(text, false, context) : std::nullopt;
}

}  // namespace

bool equal_urls(const Value& a, const Value& b) {
  return *static_cast<const Url*>(a.object) == *static_cast<const Url*>(b.object);
}

Value to_url(const Call& call) {
  const auto url = read_request_url(call.text(0), call.context);
  return url ? call.context.object(Kind::Url, *url)
             : call.context.fail("URL parse error during conversion from string");
}

Value is_url(const Call& call) {
  return Value::boolean_of(read_url(call.text(0), true, call.context).has_value());
}

Value url_part(const Call& call) {
  const Url& url = *static_cast<const Url*>(call[0].object);
  const std::string_view part = call.expr.name;
  if (part == "getScheme") return Value::text_of(url.scheme);
  if (part == "getHost") return Value::text_of(url.host);
  if (part == "getEscapedPath") return Value::text_of(url.path);
  const size_t colon = url.host.rfind(':');
  const bool has_port = colon != std::string_view::npos && is_optional_port(url.host.substr(colon));
  if (part == "getPort") return Value::text_of(has_port ? url.host.substr(colon + 1) : "");
  std::string_view name = has_port ? url.host.substr(0, colon) : url.host;
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return Value::text_of(name);
}

Value url_query(const Call& call) {
  std::map<std::string, std::vector<Value>> found;
  for (const std::string_view part :
       base::non_empty_parts(static_cast<const Url*>(call[0].object)->query, "&")) {
    const size_t equals = std::min(part.find('='), part.size());
    const auto key = decode(part.substr(0, equals), false, true);
    const auto value = decode(part.substr(std::min(equals + 1, part.size())), false, true);
    if (part.find(';') == part.npos && key && value) found[*key].push_back(call.context.text(*value));
  }
  std::vector<Value> entries;
  for (const auto& [key, values] : found) {
    entries.push_back(call.context.text(key));
    entries.push_back(call.context.list(values));
  }
  return call.context.map(entries);
}

}  // namespace trainjobc::cel
