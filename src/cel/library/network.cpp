// SPDX-License-Identifier: Apache-2.0

// IP addresses and networks.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "cel/library/library.h"

namespace trainjobc::cel {
namespace {

struct Address {
  std::array<uint8_t, 16> bytes{};  // of IPv4, the first four
  uint8_t size = 0;                 // 4 or 16
  uint8_t bits = 0;                 // of a network, the length of its prefix

  uint16_t group(size_t index) const {
    return static_cast<uint16_t>(bytes[2 * index] << 8U | bytes[2 * index + 1]);
  }
  bool operator==(const Address&) const = default;
};

const Address& address_of(const Value& value) {
  return *static_cast<const Address*>(value.object);
}

std::optional<Address> read_ip(std::string_view text) {
  Address out;
  const std::string copy(text);
  if (copy.find('\0') != std::string::npos) return std::nullopt;
  out.size = copy.find(':') == std::string::npos ? 4 : 16;
  if (inet_pton(out.size == 4 ? AF_INET : AF_INET6, copy.c_str(), out.bytes.data()) != 1) return std::nullopt;
  constexpr std::array<uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  const bool is_mapped = out.size == 16 && std::equal(kMapped.begin(), kMapped.end(), out.bytes.begin());
  return is_mapped ? std::nullopt : std::optional(out);
}

std::optional<Address> read_cidr(std::string_view text) {
  const size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  auto out = read_ip(text.substr(0, slash));
  const std::string_view digits = text.substr(slash + 1);
  const bool is_plain = !digits.empty() && digits.size() <= 3 &&
                        std::ranges::all_of(digits, base::is_digit) &&
                        (digits.size() == 1 || digits.front() != '0');
  const auto bits = is_plain ? base::read_integer(digits) : std::nullopt;
  if (!out || !bits || *bits > out->size * 8) return std::nullopt;
  out->bits = static_cast<uint8_t>(*bits);
  return out;
}

// The longest run of at least two zero groups is left out, the first one of several.
std::string ip_text(const Address& ip) {
  const auto& bytes = ip.bytes;
  if (ip.size == 4) return fmt::format("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3]);
  size_t best = 8;
  size_t best_size = 1;
  for (size_t begin = 0; begin < 8; ++begin) {
    size_t end = begin;
    while (end < 8 && ip.group(end) == 0) ++end;
    if (end - begin <= best_size) continue;
    best = begin;
    best_size = end - begin;
  }
  std::string out;
  for (size_t i = 0; i < 8; ++i) {
    if (i == best) {
      out += "::";
      i += best_size - 1;
    } else {
      if (i > 0 && !out.ends_with(':')) out += ':';
      out += fmt::format("{:x}", ip.group(i));
    }
  }
  return out;
}

bool shares_prefix(const Address& a, const Address& b, int bits) {
  if (a.size != b.size) return false;
  for (size_t i = 0; bits > 0; ++i, bits -= 8) {
    const int rest = std::max(8 - bits, 0);
    if (a.bytes[i] >> rest != b.bytes[i] >> rest) return false;
  }
  return true;
}

// In IPv4 and in IPv6, the prefix of the addresses that have the property.
struct Property {
  std::string_view function;
  std::string_view v4;
  std::string_view v6;
};

constexpr std::array kProperties = std::to_array<Property>({
    {"isUnspecified", "0.0.0.0/32", "::/128"},
    {"isLoopback", "127.0.0.0/8", "::1/128"},
    {"isLinkLocalUnicast", "169.254.0.0/16", "fe80::/10"},
    {"isLinkLocalMulticast", "224.0.0.0/24", ""},
    {"isMulticast", "224.0.0.0/4", "ff00::/8"},
});

bool has_property(const Address& ip, std::string_view name) {
  if (name == "isLinkLocalMulticast" && ip.size == 16)
    return ip.bytes[0] == 0xFF && (ip.bytes[1] & 0xFU) == 2;
  const Property& property = *base::find(kProperties, name, &Property::function);
  const auto prefix = read_cidr(ip.size == 4 ? property.v4 : property.v6);
  return shares_prefix(ip, *prefix, prefix->bits);
}

Value parse_error(const Call& call, size_t index, std::string_view what) {
  return call.context.fail(
      fmt::format("{} {} parse error during conversion from string", what, quoted(call.text(index))));
}

}  // namespace

uint64_t address_size(const Value& value) {
  const Address& address = address_of(value);
  return value.kind == Kind::Ip ? address.size : (address.bits + 7U) / 8;
}

bool equal_addresses(const Value& a, const Value& b) {
  return address_of(a) == address_of(b);
}

Value to_ip(const Call& call) {
  const auto ip = read_ip(call.text(0));
  return ip ? call.context.object(Kind::Ip, *ip) : parse_error(call, 0, "IP Address");
}

Value is_ip(const Call& call) {
  return Value::boolean_of(read_ip(call.text(0)).has_value());
}

Value is_canonical_ip(const Call& call) {
  const auto ip = read_ip(call.text(0));
  return ip ? Value::boolean_of(ip_text(*ip) == call.text(0)) : parse_error(call, 0, "IP Address");
}

Value ip_family(const Call& call) {
  return Value::integer_of(address_of(call[0]).size == 4 ? 4 : 6);
}

Value ip_property(const Call& call) {
  const Address& ip = address_of(call[0]);
  if (call.expr.name != "isGlobalUnicast") return Value::boolean_of(has_property(ip, call.expr.name));
  const bool is_broadcast = ip.size == 4 && std::ranges::count(ip.bytes, 0xFF) == 4;
  const auto is_one = [&](std::string_view name) { return has_property(ip, name); };
  return Value::boolean_of(!is_broadcast && !is_one("isUnspecified") && !is_one("isLoopback") &&
                           !is_one("isMulticast") && !is_one("isLinkLocalUnicast"));
}

Value to_cidr(const Call& call) {
  const auto cidr = read_cidr(call.text(0));
  return cidr ? call.context.object(Kind::Cidr, *cidr) : parse_error(call, 0, "network address");
}

Value is_cidr(const Call& call) {
  return Value::boolean_of(read_cidr(call.text(0)).has_value());
}

Value cidr_contains_ip(const Call& call) {
  const auto ip = call[1].kind == Kind::Ip ? address_of(call[1]) : read_ip(call.text(1));
  if (!ip) return parse_error(call, 1, "IP Address");
  return Value::boolean_of(shares_prefix(address_of(call[0]), *ip, address_of(call[0]).bits));
}

Value cidr_contains_cidr(const Call& call) {
  const auto inner = call[1].kind == Kind::Cidr ? address_of(call[1]) : read_cidr(call.text(1));
  if (!inner) return parse_error(call, 1, "network address");
  const Address& outer = address_of(call[0]);
  return Value::boolean_of(outer.bits <= inner->bits && shares_prefix(outer, *inner, outer.bits));
}

Value cidr_ip(const Call& call) {
  Address ip = address_of(call[0]);
  ip.bits = 0;
  return call.context.object(Kind::Ip, ip);
}

Value cidr_length(const Call& call) {
  return Value::integer_of(address_of(call[0]).bits);
}

Value cidr_masked(const Call& call) {
  Address out = address_of(call[0]);
  for (int i = 0; i < out.size; ++i) {
    const int bits = std::clamp(out.bits - 8 * i, 0, 8);
    out.bytes[static_cast<size_t>(i)] &= static_cast<uint8_t>(0xFF00U >> bits);
  }
  return call.context.object(Kind::Cidr, out);
}

Value address_to_string(const Call& call) {
  const Address& address = address_of(call[0]);
  const std::string text = ip_text(address);
  return call.context.text(call[0].kind == Kind::Ip ? text : fmt::format("{}/{}", text, address.bits));
}

}  // namespace trainjobc::cel
