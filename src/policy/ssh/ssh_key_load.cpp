// SPDX-License-Identifier: Apache-2.0

// Reads the user's keys.
#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "base/secure.h"
#include "base/text/ascii.h"
#include "base/text/base64.h"
#include "policy/ssh/ssh_key.h"
#include "policy/ssh/ssh_public.h"

namespace trainjobc::policy {

namespace {

using namespace std::string_view_literals;
using ssh::BigNum;
using ssh::Curve;
using ssh::Key;
using ssh::octets;
using ssh::RsaNumbers;
using Bio = std::unique_ptr<BIO, ssh::Freed<BIO_free>>;
// The public blob of a private key.
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

const Curve* find_curve(std::string_view Curve::*field, std::string_view name) {
  for (const Curve& curve : ssh::kCurves) {
    if (curve.*field == name) return &curve;
  }
  return nullptr;
}

// --- finding the key in the text ---

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
  const Curve* const curve = find_curve(&Curve::openssl_name, name.data());
  if (curve == nullptr) {
    return KeyError{
        "the SSH key uses a curve that OpenSSH does not support; it supports P-256, P-384 and P-521"};
  }
  const BigNum scalar = number_of(key, OSSL_PKEY_PARAM_PRIV_KEY);
  const std::string point = ssh::public_point(*curve, scalar.get());
  std::string stated(1, '\x04');
  for (const char* const axis : {OSSL_PKEY_PARAM_EC_PUB_X, OSSL_PKEY_PARAM_EC_PUB_Y}) {
    const BigNum coordinate = number_of(key, axis);
    std::string bytes(static_cast<size_t>(curve->octets), '\0');
    if (!coordinate || BN_bn2binpad(coordinate.get(), octets(bytes), curve->octets) < 0)
      return inconsistent();
    stated += bytes;
  }
  if (point != stated) return inconsistent();
  return ssh::ecdsa_blob(*curve, point);
}

Blob blob_of_rsa(const RsaNumbers& rsa) {
  const int bits = rsa.n ? BN_num_bits(rsa.n.get()) : 0;
  if (bits < ssh::kMinRsaBits || bits > ssh::kMaxRsaBits) {
    return KeyError{fmt::format("the SSH key is RSA of {} bits; OpenSSH accepts {} to {}", bits,
                                ssh::kMinRsaBits, ssh::kMaxRsaBits)};
  }
  if (!ssh::consistent(rsa)) return inconsistent();
  return ssh::rsa_blob(rsa);
}

Blob blob_of_ed25519(const EVP_PKEY* key) {
  std::string public_key(ssh::kEd25519Octets, '\0');
  size_t size = public_key.size();
  if (key == nullptr || EVP_PKEY_get_raw_public_key(key, octets(public_key), &size) != 1) return damaged();
  return ssh::ed25519_blob(public_key);
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

Blob read_ed25519(ssh::WireReader& fields) {
  const std::string_view public_key = fields.string();
  const std::string_view secret = fields.string();  // the seed, then the public key again
  if (secret.size() != 2 * ssh::kEd25519Octets) return damaged();
  if (secret.substr(ssh::kEd25519Octets) != public_key) return inconsistent();
  const Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, octets(secret), ssh::kEd25519Octets));
  return blob_of_ed25519(key.get());
}

Blob read_ecdsa(const Curve& curve, ssh::WireReader& fields) {
  const std::string_view name = fields.string();
  const std::string_view stated = fields.string();
  const BigNum scalar = fields.mpint();
  const std::string point = ssh::public_point(curve, scalar.get());
  if (name != curve.ssh_name || point.empty() || point != stated) return inconsistent();
  return ssh::ecdsa_blob(curve, point);
}

Blob read_rsa(ssh::WireReader& fields) {
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

Blob read_key(ssh::WireReader& fields) {
  const std::string_view type = fields.string();
  if (type == ssh::kEd25519) return read_ed25519(fields);
  if (type == ssh::kRsa) return read_rsa(fields);
  if (type.starts_with(ssh::kEcdsaPrefix)) {
    const Curve* const curve = find_curve(&Curve::ssh_name, type.substr(ssh::kEcdsaPrefix.size()));
    if (curve != nullptr) return read_ecdsa(*curve, fields);
  }
  return unsupported();
}

// The private section: a check number twice, the key, its comment, and 1, 2, 3, ... up to a multiple of 8
// bytes.
Blob read_private_section(std::string_view section) {
  ssh::WireReader fields(section);
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
  const base::ScopedWipe wipe_base64(base64);
  std::optional<std::string> bytes = base::base64_decode(base64);
  if (!bytes) return damaged();
  const base::ScopedWipe wipe_bytes(*bytes);
  ssh::WireReader fields(*bytes);
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
  SshKeyPair pair{.private_pem = {}, .authorized_key = ssh::authorized_line(std::get<std::string>(blob))};
  pair.private_pem.reserve(pem.size() + 1);
  pair.private_pem.append(pem);
  if (!pem.ends_with('\n')) pair.private_pem.push_back('\n');
  return pair;
}

}  // namespace trainjobc::policy
