// SPDX-License-Identifier: Apache-2.0

// Public keys of SSH: the wire format of RFC 4251, and the computation of the public blob from a private key.
// Only for the ssh_key files.
#pragma once

#include <openssl/bn.h>
#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace trainjobc::policy::ssh {

template <auto kFree>
struct Freed {
  void operator()(auto* object) const { kFree(object); }
};
using BigNum = std::unique_ptr<BIGNUM, Freed<BN_clear_free>>;
using BigNumContext = std::unique_ptr<BN_CTX, Freed<BN_CTX_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

inline const uint8_t* octets(std::string_view bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}
inline uint8_t* octets(std::string& bytes) {
  return reinterpret_cast<uint8_t*>(bytes.data());
}

struct Curve {
  int nid;
  std::string_view openssl_name;
  std::string_view ssh_name;
  int octets;  // of a scalar and of a coordinate
};
inline constexpr std::array<Curve, 3> kCurves = {{
    {NID_X9_62_prime256v1, "prime256v1", "nistp256", 32},
    {NID_secp384r1, "secp384r1", "nistp384", 48},
    {NID_secp521r1, "secp521r1", "nistp521", 66},
}};
inline constexpr const Curve& kP521 = kCurves[2];

inline constexpr std::string_view kEcdsaPrefix = "ecdsa-sha2-";
inline constexpr std::string_view kEd25519 = "ssh-ed25519";
inline constexpr std::string_view kRsa = "ssh-rsa";
inline constexpr size_t kEd25519Octets = 32;
inline constexpr int kMinRsaBits = 1024;   // what OpenSSH still loads
inline constexpr int kMaxRsaBits = 16384;  // what libcrypto and OpenSSH can hold

// Reads wire values one after the other; they point into `bytes`. After the first one that does not fit, `ok`
// is false and all values are empty.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  std::string_view raw(size_t size);
  uint32_t number();
  std::string_view string() { return raw(number()); }
  // Null if the value is missing, negative or larger than in any key.
  BigNum mpint();
  std::string_view rest() const { return rest_; }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

struct RsaNumbers {
  BigNum n, e, d, p, q;
};

// The uncompressed point scalar * G; empty if the scalar is null or not in [1, n - 1].
std::string public_point(const Curve& curve, const BIGNUM* scalar);
// Whether n = pq and ed = 1 modulo p - 1 and q - 1; false if a number is null.
bool consistent(const RsaNumbers& rsa);

// The blobs that authorized_keys contains in base64; each begins with its type.
std::string ecdsa_blob(const Curve& curve, std::string_view point);
std::string ed25519_blob(std::string_view public_key);
std::string rsa_blob(const RsaNumbers& rsa);
// "<type> <base64>\n".
std::string authorized_line(std::string_view blob);

}  // namespace trainjobc::policy::ssh
