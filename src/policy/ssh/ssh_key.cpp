// SPDX-License-Identifier: Apache-2.0

// Generates keys. ssh_key_load.cpp reads keys of the user.
#include "policy/ssh/ssh_key.h"

#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include "base/secure.h"
#include "base/text/base64.h"
#include "policy/ssh/ssh_public.h"

namespace trainjobc::policy {

namespace {

using namespace std::string_view_literals;
using ssh::BigNum;
using ssh::kP521;
using ssh::octets;
using Group = std::unique_ptr<EC_GROUP, ssh::Freed<EC_GROUP_free>>;
using Kdf = std::unique_ptr<EVP_KDF, ssh::Freed<EVP_KDF_free>>;
using KdfContext = std::unique_ptr<EVP_KDF_CTX, ssh::Freed<EVP_KDF_CTX_free>>;

constexpr std::string_view kDerivationSalt = "trainjobc ssh key v1";  // a new scheme takes a new number
constexpr size_t kMinSeedSize = 16;
constexpr size_t kMaxContextSize = 1024;

// The bytes that a scalar is reduced from: enough more than the order has to make the bias negligible.
using ScalarSource = std::array<uint8_t, 88>;

KeyError libcrypto_failed(std::string_view what) {
  ERR_clear_error();
  return {fmt::format("OpenSSL could not {}", what)};
}

// source mod (n - 1) + 1; null on failure.
BigNum reduce_to_scalar(const ScalarSource& source) {
  const Group group(EC_GROUP_new_by_curve_name(kP521.nid));
  const ssh::BigNumContext context(BN_CTX_secure_new());
  const BigNum wide(BN_bin2bn(source.data(), static_cast<int>(source.size()), nullptr));
  const BigNum modulus(group ? BN_dup(EC_GROUP_get0_order(group.get())) : nullptr);
  BigNum scalar(BN_secure_new());
  if (!context || !wide || !modulus || !scalar || !BN_sub_word(modulus.get(), 1)) return nullptr;
  BN_set_flags(wide.get(), BN_FLG_CONSTTIME);
  BN_set_flags(scalar.get(), BN_FLG_CONSTTIME);
  if (!BN_nnmod(scalar.get(), wide.get(), modulus.get(), context.get())) return nullptr;
  if (!BN_add_word(scalar.get(), 1)) return nullptr;
  return scalar;
}

// Go's x509.MarshalECPrivateKey for P-521. Every length is fixed, so the frame is a constant.
std::string sec1_der(std::string_view scalar, std::string_view point) {
  constexpr std::string_view kVersion = "\x30\x81\xdc\x02\x01\x01"sv;
  constexpr std::string_view kScalar = "\x04\x42"sv;
  constexpr std::string_view kCurveOid = "\xa0\x07\x06\x05\x2b\x81\x04\x00\x23"sv;
  constexpr std::string_view kPoint = "\xa1\x81\x89\x03\x81\x86\x00"sv;
  std::string der;
  der.reserve(kVersion.size() + kScalar.size() + scalar.size() + kCurveOid.size() + kPoint.size() +
              point.size());
  for (const std::string_view part : {kVersion, kScalar, scalar, kCurveOid, kPoint, point}) der.append(part);
  return der;
}

std::string pem_block(std::string_view label, std::string_view der) {
  constexpr size_t kLineSize = 64;
  std::string body = base::base64_encode(der);
  const base::ScopedWipe wipe(body);
  std::string text;
  text.reserve(2 * (label.size() + body.size()) + 64);  // growing would leave copies
  text.append("-----BEGIN ").append(label).append("-----\n");
  for (size_t at = 0; at < body.size(); at += kLineSize) text.append(body, at, kLineSize).push_back('\n');
  text.append("-----END ").append(label).append("-----\n");
  return text;
}

SshKeyResult p521_key(const ScalarSource& source) {
  const BigNum scalar = reduce_to_scalar(source);
  const std::string point = ssh::public_point(kP521, scalar.get());
  std::string padded(static_cast<size_t>(kP521.octets), '\0');
  const base::ScopedWipe wipe_padded(padded);
  if (point.empty() || BN_bn2binpad(scalar.get(), octets(padded), kP521.octets) != kP521.octets) {
    return libcrypto_failed("compute the SSH key");
  }
  std::string der = sec1_der(padded, point);
  const base::ScopedWipe wipe_der(der);
  return SshKeyPair{pem_block("EC PRIVATE KEY", der), ssh::authorized_line(ssh::ecdsa_blob(kP521, point))};
}

// The parameter type isn't const, but libcrypto only reads the values to set.
OSSL_PARAM octet_param(const char* name, std::string_view bytes) {
  return OSSL_PARAM_construct_octet_string(name, const_cast<char*>(bytes.data()), bytes.size());
}

bool hkdf_sha512(std::string_view secret, std::string_view salt, std::string_view info, ScalarSource& out) {
  const Kdf kdf(EVP_KDF_fetch(nullptr, OSSL_KDF_NAME_HKDF, nullptr));
  const KdfContext context(kdf ? EVP_KDF_CTX_new(kdf.get()) : nullptr);
  std::string digest = "SHA512";
  const std::array<OSSL_PARAM, 5> params = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      octet_param(OSSL_KDF_PARAM_KEY, secret),
      octet_param(OSSL_KDF_PARAM_SALT, salt),
      octet_param(OSSL_KDF_PARAM_INFO, info),
      OSSL_PARAM_construct_end(),
  };
  return context && EVP_KDF_derive(context.get(), out.data(), out.size(), params.data()) == 1;
}

}  // namespace

SshKeyResult generate_ssh_key() {
  ScalarSource source{};
  const base::ScopedWipe wipe(source);
  if (RAND_priv_bytes(source.data(), static_cast<int>(source.size())) != 1) {
    return libcrypto_failed("get random bytes for an SSH key");
  }
  return p521_key(source);
}

SshKeyResult derive_ssh_key(std::string_view seed, std::string_view context) {
  if (seed.size() < kMinSeedSize) {
    return KeyError{fmt::format("the seed of the SSH key has {} bytes; at least {} are needed", seed.size(),
                                kMinSeedSize)};
  }
  if (context.empty() || context.size() > kMaxContextSize) {
    return KeyError{fmt::format("the name that the SSH key is derived for has {} bytes; 1 to {} are needed",
                                context.size(), kMaxContextSize)};
  }
  ScalarSource source{};
  const base::ScopedWipe wipe(source);
  if (!hkdf_sha512(seed, kDerivationSalt, context, source)) return libcrypto_failed("derive the SSH key");
  return p521_key(source);
}

}  // namespace trainjobc::policy
