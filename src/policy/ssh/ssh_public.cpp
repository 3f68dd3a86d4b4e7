// SPDX-License-Identifier: Apache-2.0

#include "policy/ssh/ssh_public.h"

#include <fmt/format.h>
#include <openssl/ec.h>

#include "base/text/base64.h"

namespace trainjobc::policy::ssh {

namespace {

using Group = std::unique_ptr<EC_GROUP, Freed<EC_GROUP_free>>;
using Point = std::unique_ptr<EC_POINT, Freed<EC_POINT_free>>;

void append_string(std::string& out, std::string_view value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value.size() >> shift & 0xff));
  out.append(value);
}

// A leading zero octet prevents a set top bit from being read as a sign.
void append_mpint(std::string& out, const BIGNUM* value) {
  const int zeros = !BN_is_zero(value) && BN_num_bits(value) % 8 == 0 ? 1 : 0;
  std::string bytes(static_cast<size_t>(BN_num_bytes(value) + zeros), '\0');
  BN_bn2bin(value, octets(bytes) + zeros);
  append_string(out, bytes);
}

}  // namespace

std::string_view WireReader::raw(size_t size) {
  ok_ = ok_ && size <= rest_.size();
  const std::string_view value = rest_.substr(0, ok_ ? size : 0);
  rest_.remove_prefix(value.size());
  return value;
}

uint32_t WireReader::number() {
  uint32_t value = 0;
  for (const char byte : raw(4)) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

BigNum WireReader::mpint() {
  const std::string_view bytes = string();
  const bool negative = !bytes.empty() && (static_cast<uint8_t>(bytes[0]) & 0x80) != 0;
  ok_ = ok_ && !negative && bytes.size() <= kMaxRsaBits / 8 + 1;
  return BigNum(ok_ ? BN_bin2bn(octets(bytes), static_cast<int>(bytes.size()), nullptr) : nullptr);
}

std::string public_point(const Curve& curve, const BIGNUM* scalar) {
  const Group group(EC_GROUP_new_by_curve_name(curve.nid));
  const BigNumContext context(BN_CTX_secure_new());
  if (!group || !context || scalar == nullptr || BN_is_zero(scalar) || BN_is_negative(scalar)) return {};
  if (BN_cmp(scalar, EC_GROUP_get0_order(group.get())) >= 0) return {};
  const Point point(EC_POINT_new(group.get()));
  if (!point || !EC_POINT_mul(group.get(), point.get(), scalar, nullptr, nullptr, context.get())) return {};
  std::string bytes(1 + 2 * static_cast<size_t>(curve.octets), '\0');
  const size_t size = EC_POINT_point2oct(group.get(), point.get(), POINT_CONVERSION_UNCOMPRESSED,
                                         octets(bytes), bytes.size(), context.get());
  return size == bytes.size() ? bytes : std::string();
}

// Testing the primality of the user's primes would take seconds, for no benefit.
bool consistent(const RsaNumbers& rsa) {
  const BigNumContext context(BN_CTX_secure_new());
  const BigNum product(BN_secure_new());
  const BigNum order(BN_secure_new());
  if (!context || !product || !order || !rsa.n || !rsa.e || !rsa.d || !rsa.p || !rsa.q) return false;
  if (!BN_mul(product.get(), rsa.p.get(), rsa.q.get(), context.get())) return false;
  if (BN_cmp(product.get(), rsa.n.get()) != 0) return false;
  for (const BigNum* prime : {&rsa.p, &rsa.q}) {
    if (!BN_sub(order.get(), prime->get(), BN_value_one()) || BN_is_zero(order.get())) return false;
    if (!BN_mod_mul(product.get(), rsa.e.get(), rsa.d.get(), order.get(), context.get())) return false;
    if (!BN_is_one(product.get())) return false;
  }
  return true;
}

std::string ecdsa_blob(const Curve& curve, std::string_view point) {
  std::string blob;
  append_string(blob, fmt::format("{}{}", kEcdsaPrefix, curve.ssh_name));
  append_string(blob, curve.ssh_name);
  append_string(blob, point);
  return blob;
}

std::string ed25519_blob(std::string_view public_key) {
  std::string blob;
  append_string(blob, kEd25519);
  append_string(blob, public_key);
  return blob;
}

std::string rsa_blob(const RsaNumbers& rsa) {
  std::string blob;
  append_string(blob, kRsa);
  append_mpint(blob, rsa.e.get());
  append_mpint(blob, rsa.n.get());
  return blob;
}

std::string authorized_line(std::string_view blob) {
  return fmt::format("{} {}\n", WireReader(blob).string(), base::base64_encode(blob));
}

}  // namespace trainjobc::policy::ssh
