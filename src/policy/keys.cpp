// SPDX-License-Identifier: Apache-2.0

// Reads, generates and derives SSH keys, and makes Flux's certificate. The first part is the wire format of
// RFC 4251 and the computation of a public key from a private one.
#include "policy/keys.h"

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/text/text.h"

namespace trainjobc::policy {

namespace {

using namespace std::string_view_literals;

// Overwrites a contiguous container's elements when the scope ends. Declare it right after the container; a
// container that grows afterwards leaves unwiped copies, so reserve first.
template <class Container>
class ScopedWipe {
 public:
  explicit ScopedWipe(Container& container) : container_(container) {}
  ~ScopedWipe() { OPENSSL_cleanse(container_.data(), container_.size() * sizeof(*container_.data())); }
  ScopedWipe(const ScopedWipe&) = delete;
  ScopedWipe& operator=(const ScopedWipe&) = delete;

 private:
  Container& container_;
};

template <auto kFree>
struct Freed {
  void operator()(auto* object) const { kFree(object); }
};
using BigNum = std::unique_ptr<BIGNUM, Freed<BN_clear_free>>;
using BigNumContext = std::unique_ptr<BN_CTX, Freed<BN_CTX_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

const uint8_t* octets(std::string_view bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}
uint8_t* octets(std::string& bytes) {
  return reinterpret_cast<uint8_t*>(bytes.data());
}

struct Curve {
  int nid;
  std::string_view openssl_name;
  std::string_view ssh_name;
  int octets;  // size of a scalar and of a coordinate
};
constexpr std::array<Curve, 3> kCurves = {{
    {NID_X9_62_prime256v1, "prime256v1", "nistp256", 32},
    {NID_secp384r1, "secp384r1", "nistp384", 48},
    {NID_secp521r1, "secp521r1", "nistp521", 66},
}};
constexpr const Curve& kP521 = kCurves[2];

constexpr std::string_view kEcdsaPrefix = "ecdsa-sha2-";
constexpr std::string_view kEd25519 = "ssh-ed25519";
constexpr std::string_view kRsa = "ssh-rsa";
constexpr size_t kEd25519Octets = 32;
constexpr int kMinRsaBits = 1024;   // the least that OpenSSH still loads
constexpr int kMaxRsaBits = 16384;  // the most that libcrypto and OpenSSH can hold

struct RsaNumbers {
  BigNum n, e, d, p, q;
};

using Group = std::unique_ptr<EC_GROUP, Freed<EC_GROUP_free>>;
using Point = std::unique_ptr<EC_POINT, Freed<EC_POINT_free>>;

void append_string(std::string& out, std::string_view value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value.size() >> shift & 0xff));
  out.append(value);
}

// A leading zero octet keeps a set top bit from being read as a sign.
void append_mpint(std::string& out, const BIGNUM* value) {
  const int zeros = !BN_is_zero(value) && BN_num_bits(value) % 8 == 0 ? 1 : 0;
  std::string bytes(static_cast<size_t>(BN_num_bytes(value) + zeros), '\0');
  BN_bn2bin(value, octets(bytes) + zeros);
  append_string(out, bytes);
}

// Reads wire values in sequence; they point into `bytes`. After the first one that does not fit, `ok` is
// false and all values are empty.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  std::string_view raw(size_t size) {
    ok_ = ok_ && size <= rest_.size();
    const std::string_view value = rest_.substr(0, ok_ ? size : 0);
    rest_.remove_prefix(value.size());
    return value;
  }
  uint32_t number() {
    uint32_t value = 0;
    for (const char byte : raw(4)) value = value << 8 | static_cast<uint8_t>(byte);
    return value;
  }
  std::string_view string() { return raw(number()); }
  // Null if the value is missing, negative, or larger than any key's.
  BigNum mpint() {
    const std::string_view bytes = string();
    const bool negative = !bytes.empty() && (static_cast<uint8_t>(bytes[0]) & 0x80) != 0;
    ok_ = ok_ && !negative && bytes.size() <= kMaxRsaBits / 8 + 1;
    return BigNum(ok_ ? BN_bin2bn(octets(bytes), static_cast<int>(bytes.size()), nullptr) : nullptr);
  }
  std::string_view rest() const { return rest_; }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// The uncompressed point scalar * G; empty if the scalar is null or not in [1, n - 1].
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

// Whether n = pq and ed = 1 modulo p - 1 and q - 1; false if a number is null. Testing the primality of the
// user's primes would take seconds, for no benefit.
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

// The blobs that authorized_keys contains in Base64; each begins with its type.

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

// "<type> <base64>\n"
std::string authorized_line(std::string_view blob) {
  return fmt::format("{} {}\n", WireReader(blob).string(), base::base64_encode(blob));
}

using Kdf = std::unique_ptr<EVP_KDF, Freed<EVP_KDF_free>>;
using KdfContext = std::unique_ptr<EVP_KDF_CTX, Freed<EVP_KDF_CTX_free>>;

constexpr std::string_view kDerivationSalt = "trainjobc ssh key v1";  // a new scheme takes a new number
constexpr size_t kMinSeedSize = 16;
constexpr size_t kMaxContextSize = 1024;

// The bytes from which a scalar is reduced: so many more than the order has that the bias is negligible.
using ScalarSource = std::array<uint8_t, 88>;

KeyError libcrypto_failed(std::string_view what) {
  ERR_clear_error();
  return {fmt::format("OpenSSL could not {}", what)};
}

// Returns source mod (n - 1) + 1; null on failure.
BigNum reduce_to_scalar(const ScalarSource& source) {
  const Group group(EC_GROUP_new_by_curve_name(kP521.nid));
  const BigNumContext context(BN_CTX_secure_new());
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

// The key as Go's x509.MarshalECPrivateKey encodes it for P-521. Every length is fixed, so the frame is a
// constant.
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
  const ScopedWipe wipe(body);
  std::string text;
  text.reserve(2 * (label.size() + body.size()) + 64);  // growing would leave copies
  text.append("-----BEGIN ").append(label).append("-----\n");
  for (size_t at = 0; at < body.size(); at += kLineSize) text.append(body, at, kLineSize).push_back('\n');
  text.append("-----END ").append(label).append("-----\n");
  return text;
}

SshKeyResult p521_key(const ScalarSource& source) {
  const BigNum scalar = reduce_to_scalar(source);
  const std::string point = public_point(kP521, scalar.get());
  std::string padded(static_cast<size_t>(kP521.octets), '\0');
  const ScopedWipe wipe_padded(padded);
  if (point.empty() || BN_bn2binpad(scalar.get(), octets(padded), kP521.octets) != kP521.octets) {
    return libcrypto_failed("compute the SSH key");
  }
  std::string der = sec1_der(padded, point);
  const ScopedWipe wipe_der(der);
  return SshKeyPair{pem_block("EC PRIVATE KEY", der), authorized_line(ecdsa_blob(kP521, point))};
}

// The parameter's type isn't const, but libcrypto only reads the bytes.
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
  const ScopedWipe wipe(source);
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
  const ScopedWipe wipe(source);
  if (!hkdf_sha512(seed, kDerivationSalt, context, source)) return libcrypto_failed("derive the SSH key");
  return p521_key(source);
}

// --- The user's keys ---

namespace {

using Bio = std::unique_ptr<BIO, Freed<BIO_free>>;
// The public blob of a private key, or why there is none.
using Blob = std::variant<std::string, KeyError>;

constexpr size_t kMaxTextSize = size_t{1}
                                << 20;  // the limit of OpenSSH for a file, and of Kubernetes for a Secret
constexpr std::string_view kContainerLabel = "OPENSSH PRIVATE KEY";

KeyError damaged() {
  return {"the SSH key is damaged: its PEM block contains no readable key"};
}
KeyError inconsistent() {
  return {"the SSH key is damaged: its parts do not belong together"};
}
KeyError encrypted() {
  return {"the SSH key is encrypted; remove the passphrase from a copy with `ssh-keygen -p -N '' -f COPY`"};
}
KeyError unsupported() {
  return {"the type of the SSH key is not supported; use ECDSA (P-256, P-384, P-521), RSA or Ed25519"};
}

// --- Finding the key in the text ---

struct PrivateBlock {
  std::string_view label;
  std::string_view text;  // from "-----BEGIN" to the last dash
  std::string_view body;  // between the dashes of the first line and the line break before the last
};

KeyError no_private_block(std::string_view text) {
  if (text.starts_with("PuTTY-User-Key-File")) {
    return {"the SSH key is in PuTTY's format; convert it with `puttygen KEY -O private-openssh -o NEW`"};
  }
  if (text.starts_with("ssh-") || text.starts_with("ecdsa-") || text.find("PUBLIC KEY-----") != text.npos) {
    return {"the SSH key is a public key; the private key is needed"};
  }
  if (text.find("PRIVATE KEY-----") != text.npos) {
    return {"the SSH key's BEGIN line is indented or has something else before its dashes"};
  }
  return {"the SSH key is not a private key in PEM form"};
}

// Text may precede the block, as OpenSSL writes it ("Bag Attributes", "EC PARAMETERS"); none may follow,
// since a second key there would be ignored silently.
std::variant<PrivateBlock, KeyError> find_private_block(std::string_view text) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kDashes = "-----";
  for (size_t at = text.find(kBegin); at != text.npos; at = text.find(kBegin, at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    const std::string_view line = text.substr(at + kBegin.size());
    const std::string_view label = line.substr(0, line.find_first_of("-\n"));
    if (!label.ends_with("PRIVATE KEY") || !line.substr(label.size()).starts_with(kDashes)) continue;
    const size_t body = at + kBegin.size() + label.size() + kDashes.size();
    const std::string last_line = fmt::format("\n-----END {}-----", label);
    const size_t end = text.find(last_line, body);
    if (end == text.npos) return KeyError{"the SSH key is cut off: its PEM block has no END line"};
    const size_t past = end + last_line.size();
    if (text.find_first_not_of(base::kSpace, past) != text.npos) {
      return KeyError{"the SSH key has text after its END line; use a file with only one private key"};
    }
    return PrivateBlock{label, text.substr(at, past - at), text.substr(body, end - body)};
  }
  return no_private_block(text);
}

// --- PEM as OpenSSL reads it: SEC1, PKCS#1, PKCS#8 ---

// OpenSSL's default callback would prompt on the terminal.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

BigNum number_of(const EVP_PKEY* key, const char* name) {
  BIGNUM* value = nullptr;
  EVP_PKEY_get_bn_param(key, name, &value);
  return BigNum(value);
}

Blob blob_of_ecdsa(const EVP_PKEY* key) {
  std::array<char, 64> name{};
  EVP_PKEY_get_group_name(key, name.data(), name.size(), nullptr);
  const Curve* const curve = base::find(kCurves, std::string_view(name.data()), &Curve::openssl_name);
  if (curve == nullptr) {
    return KeyError{
        "the SSH key uses a curve that OpenSSH does not support; it supports P-256, P-384 and P-521"};
  }
  const BigNum scalar = number_of(key, OSSL_PKEY_PARAM_PRIV_KEY);
  const std::string point = public_point(*curve, scalar.get());
  std::string stated(1, '\x04');
  for (const char* const axis : {OSSL_PKEY_PARAM_EC_PUB_X, OSSL_PKEY_PARAM_EC_PUB_Y}) {
    const BigNum coordinate = number_of(key, axis);
    std::string bytes(static_cast<size_t>(curve->octets), '\0');
    if (!coordinate || BN_bn2binpad(coordinate.get(), octets(bytes), curve->octets) < 0)
      return inconsistent();
    stated += bytes;
  }
  if (point != stated) return inconsistent();
  return ecdsa_blob(*curve, point);
}

Blob blob_of_rsa(const RsaNumbers& rsa) {
  const int bits = rsa.n ? BN_num_bits(rsa.n.get()) : 0;
  if (bits < kMinRsaBits || bits > kMaxRsaBits) {
    return KeyError{fmt::format("the SSH key is RSA of {} bits; OpenSSH accepts {} to {}", bits, kMinRsaBits,
                                kMaxRsaBits)};
  }
  if (!consistent(rsa)) return inconsistent();
  return rsa_blob(rsa);
}

Blob blob_of_ed25519(const EVP_PKEY* key) {
  std::string public_key(kEd25519Octets, '\0');
  size_t size = public_key.size();
  if (key == nullptr || EVP_PKEY_get_raw_public_key(key, octets(public_key), &size) != 1) return damaged();
  return ed25519_blob(public_key);
}

Blob blob_of_pem(const PrivateBlock& block) {
  if (block.label == "ENCRYPTED PRIVATE KEY" || block.body.find(",ENCRYPTED") != block.body.npos)
    return encrypted();
  const Bio bio(BIO_new_mem_buf(block.text.data(), static_cast<int>(block.text.size())));
  const Key key(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr) : nullptr);
  if (!key) return damaged();
  if (EVP_PKEY_is_a(key.get(), "EC")) return blob_of_ecdsa(key.get());
  if (EVP_PKEY_is_a(key.get(), "ED25519")) return blob_of_ed25519(key.get());
  if (!EVP_PKEY_is_a(key.get(), "RSA")) return unsupported();
  if (number_of(key.get(), OSSL_PKEY_PARAM_RSA_FACTOR3))
    return unsupported();  // OpenSSH's own format has two
  return blob_of_rsa({.n = number_of(key.get(), OSSL_PKEY_PARAM_RSA_N),
                      .e = number_of(key.get(), OSSL_PKEY_PARAM_RSA_E),
                      .d = number_of(key.get(), OSSL_PKEY_PARAM_RSA_D),
                      .p = number_of(key.get(), OSSL_PKEY_PARAM_RSA_FACTOR1),
                      .q = number_of(key.get(), OSSL_PKEY_PARAM_RSA_FACTOR2)});
}

// --- OpenSSH's container (PROTOCOL.key in its sources) ---

// The functions below read one key's fields, after its type; each yields the blob computed from the secret.

Blob read_ed25519(WireReader& fields) {
  const std::string_view public_key = fields.string();
  const std::string_view secret = fields.string();  // the seed, then the public key again
  if (secret.size() != 2 * kEd25519Octets) return damaged();
  if (secret.substr(kEd25519Octets) != public_key) return inconsistent();
  const Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, octets(secret), kEd25519Octets));
  return blob_of_ed25519(key.get());
}

Blob read_ecdsa(const Curve& curve, WireReader& fields) {
  const std::string_view name = fields.string();
  const std::string_view stated = fields.string();
  const BigNum scalar = fields.mpint();
  const std::string point = public_point(curve, scalar.get());
  if (name != curve.ssh_name || point.empty() || point != stated) return inconsistent();
  return ecdsa_blob(curve, point);
}

Blob read_rsa(WireReader& fields) {
  RsaNumbers rsa;
  rsa.n = fields.mpint();
  rsa.e = fields.mpint();
  rsa.d = fields.mpint();
  const BigNum inverse = fields.mpint();
  rsa.p = fields.mpint();
  rsa.q = fields.mpint();
  if (!fields.ok()) return damaged();
  return blob_of_rsa(rsa);
}

Blob read_key(WireReader& fields) {
  const std::string_view type = fields.string();
  if (type == kEd25519) return read_ed25519(fields);
  if (type == kRsa) return read_rsa(fields);
  if (type.starts_with(kEcdsaPrefix)) {
    const Curve* const curve = base::find(kCurves, type.substr(kEcdsaPrefix.size()), &Curve::ssh_name);
    if (curve != nullptr) return read_ecdsa(*curve, fields);
  }
  return unsupported();
}

// Reads the private section: a check number twice, the key, its comment, and 1, 2, 3, ... up to a multiple of
// 8 bytes.
Blob read_private_section(std::string_view section) {
  WireReader fields(section);
  const uint32_t check = fields.number();
  if (fields.number() != check || !fields.ok() || section.size() % 8 != 0) return damaged();
  Blob blob = read_key(fields);
  if (std::holds_alternative<KeyError>(blob)) return blob;
  fields.string();  // the comment
  const std::string_view padding = fields.rest();
  if (!fields.ok() || !std::string_view("\1\2\3\4\5\6\7").starts_with(padding)) return damaged();
  return blob;
}

Blob blob_of_container(std::string_view body) {
  std::string base64;
  base64.reserve(body.size());
  std::ranges::copy_if(body, std::back_inserter(base64), [](char c) { return c != '\n'; });
  const ScopedWipe wipe_base64(base64);
  std::optional<std::string> bytes = base::base64_decode(base64);
  if (!bytes) return damaged();
  const ScopedWipe wipe_bytes(*bytes);
  WireReader fields(*bytes);
  constexpr std::string_view kMagic = "openssh-key-v1\0"sv;
  if (fields.raw(kMagic.size()) != kMagic) return damaged();
  const std::string_view cipher = fields.string();
  const std::string_view kdf = fields.string();
  fields.string();  // options of the kdf
  const uint32_t count = fields.number();
  const std::string_view stated = fields.string();
  const std::string_view section = fields.string();
  if (!fields.ok()) return damaged();
  if (cipher != "none") return encrypted();
  if (kdf != "none" || count != 1 || !fields.rest().empty()) return damaged();
  Blob blob = read_private_section(section);
  const std::string* const computed = std::get_if<std::string>(&blob);
  if (computed != nullptr && *computed != stated) return inconsistent();
  return blob;
}

// OpenSSH accepts its own container only at the first byte of the file and with plain line feeds.
std::optional<KeyError> refuse_container_frame(std::string_view text, const PrivateBlock& block) {
  if (text.find('\r') != text.npos) {
    return KeyError{"the SSH key has Windows line breaks, which OpenSSH does not accept; convert them to LF"};
  }
  if (block.text.data() != text.data()) {
    return KeyError{"the SSH key has text before its BEGIN line, which OpenSSH does not accept"};
  }
  if (block.text.size() < text.size() && text[block.text.size()] != '\n') {
    return KeyError{"the SSH key has spaces after its END line, which OpenSSH does not accept"};
  }
  return std::nullopt;
}

}  // namespace

SshKeyResult load_ssh_key(std::string_view pem) {
  if (pem.size() > kMaxTextSize) return KeyError{"the SSH key is larger than 1 MiB"};
  const auto found = find_private_block(pem);
  if (const auto* error = std::get_if<KeyError>(&found)) return *error;
  const PrivateBlock& block = std::get<PrivateBlock>(found);
  const bool container = block.label == kContainerLabel;
  if (container) {
    if (auto error = refuse_container_frame(pem, block)) return *std::move(error);
  }
  const Blob blob = container ? blob_of_container(block.body) : blob_of_pem(block);
  ERR_clear_error();  // OpenSSL's reasons are about ASN.1, so they aren't shown
  if (const auto* error = std::get_if<KeyError>(&blob)) return *error;
  SshKeyPair pair{.private_pem = {}, .authorized_key = authorized_line(std::get<std::string>(blob))};
  pair.private_pem.reserve(pem.size() + 1);
  pair.private_pem.append(pem);
  if (!pem.ends_with('\n')) pair.private_pem.push_back('\n');
  return pair;
}

namespace {

constexpr size_t kKeyOctets = 32;
using CurveKey = std::array<uint8_t, kKeyOctets>;

constexpr std::string_view kZ85Alphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

// ZeroMQ's RFC 32: every four bytes, most significant first, become five digits of base 85.
std::string z85_encode(std::span<const uint8_t, kKeyOctets> bytes) {
  std::string text(kKeyOctets / 4 * 5, '\0');
  for (size_t group = 0; group < kKeyOctets / 4; ++group) {
    uint32_t value = 0;
    for (const uint8_t byte : bytes.subspan(group * 4, 4)) value = value << 8 | byte;
    for (size_t digit = 5; digit-- > 0; value /= 85) text[group * 5 + digit] = kZ85Alphabet[value % 85];
  }
  return text;
}

// The secret is stored as it is; X25519 clamps its own copy.
bool x25519_public(const CurveKey& secret, CurveKey& public_key) {
  const Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, secret.data(), secret.size()));
  size_t size = public_key.size();
  return key && EVP_PKEY_get_raw_public_key(key.get(), public_key.data(), &size) == 1 && size == kKeyOctets;
}

}  // namespace

std::string flux_curve_certificate(std::string_view job_name, std::string_view uid) {
  CurveKey secret{};
  const ScopedWipe wipe_secret(secret);
  if (EVP_Q_digest(nullptr, "SHA256", nullptr, uid.data(), uid.size(), secret.data(), nullptr) != 1)
    return {};
  CurveKey public_key{};
  if (!x25519_public(secret, public_key)) return {};
  std::string secret_text = z85_encode(secret);
  const ScopedWipe wipe_text(secret_text);
  // `flux keygen` writes two spaces after each '#', and a blank line before the metadata.
  return fmt::format(
      "#  ZeroMQ CURVE Secret Certificate\n"
      "#  Generated by Kubeflow Trainer\n"
      "\n"
      "metadata\n"
      "    name = \"{}\"\n"
      "curve\n"
      "    public-key = \"{}\"\n"
      "    secret-key = \"{}\"\n",
      job_name, z85_encode(public_key), secret_text);
}

}  // namespace trainjobc::policy
