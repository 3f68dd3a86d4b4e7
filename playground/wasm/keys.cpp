// SPDX-License-Identifier: Apache-2.0

// policy/keys.h without OpenSSL. The page makes no SSH key: what it prints has none, and where a key is
// hidden anyway, any text will do. The certificate of a Flux instance is computed from the job's uid, which
// is no secret here.
#include "policy/keys.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace trainjobc::policy {
namespace {

// --- SHA-256 (FIPS 180-4) ---

using Digest = std::array<uint8_t, 32>;

constexpr std::array<uint32_t, 64> kRounds{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void add_block(std::array<uint32_t, 8>& hash, std::string_view block) {
  std::array<uint32_t, 64> w{};
  for (size_t i = 0; i < 64; ++i) w[i / 4] = w[i / 4] << 8 | static_cast<uint8_t>(block[i]);
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRounds[i] + w[i];
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<uint32_t, 8> after{a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) hash[i] += after[i];
}

Digest sha256(std::string_view text) {
  std::string padded(text);
  padded.push_back('\x80');
  while (padded.size() % 64 != 56) padded.push_back('\0');
  for (int shift = 56; shift >= 0; shift -= 8)
    padded.push_back(static_cast<char>(static_cast<uint64_t>(text.size()) * 8 >> shift));
  std::array<uint32_t, 8> hash{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (size_t at = 0; at < padded.size(); at += 64) add_block(hash, std::string_view(padded).substr(at, 64));
  Digest digest{};
  for (size_t i = 0; i < 32; ++i) digest[i] = static_cast<uint8_t>(hash[i / 4] >> (24 - i % 4 * 8));
  return digest;
}

// --- X25519 (RFC 7748) over numbers modulo 2^255 - 19 of 16 digits of 16 bits ---

using Number = std::array<int64_t, 16>;

void carry(Number& n) {
  for (size_t i = 0; i < 16; ++i) {
    const int64_t over = n[i] >> 16;
    n[i] -= over * 65536;
    n[i < 15 ? i + 1 : 0] += i < 15 ? over : 38 * over;
  }
}

Number operator+(Number a, const Number& b) {
  for (size_t i = 0; i < 16; ++i) a[i] += b[i];
  return a;
}

Number operator-(Number a, const Number& b) {
  for (size_t i = 0; i < 16; ++i) a[i] -= b[i];
  return a;
}

Number operator*(const Number& a, const Number& b) {
  std::array<int64_t, 31> product{};
  for (size_t i = 0; i < 16; ++i) {
    for (size_t j = 0; j < 16; ++j) product[i + j] += a[i] * b[j];
  }
  Number result{};
  for (size_t i = 0; i < 16; ++i) result[i] = product[i] + (i < 15 ? 38 * product[i + 16] : 0);
  carry(result);
  carry(result);
  return result;
}

// Fermat: n to the power of 2^255 - 21.
Number inverse(const Number& n) {
  Number result = n;
  for (int bit = 253; bit >= 0; --bit) {
    result = result * result;
    if (bit != 2 && bit != 4) result = result * n;
  }
  return result;
}

Digest to_bytes(Number n) {
  for (int i = 0; i < 3; ++i) carry(n);
  for (int round = 0; round < 2; ++round) {
    Number less = n;  // by 2^255 - 19
    less[0] -= 0xffed;
    for (size_t i = 1; i < 16; ++i) {
      less[i] -= (i < 15 ? 0xffff : 0x7fff) + (less[i - 1] >> 16 & 1);
      less[i - 1] &= 0xffff;
    }
    if ((less[15] >> 16 & 1) == 0) n = less;
  }
  Digest bytes{};
  for (size_t i = 0; i < 32; ++i) bytes[i] = static_cast<uint8_t>(n[i / 2] >> (i % 2 * 8));
  return bytes;
}

Digest x25519_public(Digest secret) {
  secret[0] &= 248;
  secret[31] = static_cast<uint8_t>((secret[31] & 127) | 64);
  const Number base{9};
  const Number a24{0xdb41, 1};  // 121665
  Number x2{1};
  Number z2{};
  Number x3 = base;
  Number z3{1};
  for (size_t bit = 255; bit-- > 0;) {
    const bool is_set = (secret[bit / 8] >> bit % 8 & 1) != 0;
    if (is_set) std::swap(x2, x3), std::swap(z2, z3);
    const Number a = x2 + z2;
    const Number b = x2 - z2;
    const Number aa = a * a;
    const Number bb = b * b;
    const Number e = aa - bb;
    const Number da = (x3 - z3) * a;
    const Number cb = (x3 + z3) * b;
    x3 = (da + cb) * (da + cb);
    z3 = base * ((da - cb) * (da - cb));
    x2 = aa * bb;
    z2 = e * (aa + a24 * e);
    if (is_set) std::swap(x2, x3), std::swap(z2, z3);
  }
  return to_bytes(x2 * inverse(z2));
}

// ZeroMQ's RFC 32.
std::string z85(const Digest& bytes) {
  constexpr std::string_view kAlphabet =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
  std::string text(40, '\0');
  for (size_t group = 0; group < 8; ++group) {
    uint32_t value = 0;
    for (const uint8_t byte : std::span(bytes).subspan(group * 4, 4)) value = value << 8 | byte;
    for (size_t digit = 5; digit-- > 0; value /= 85) text[group * 5 + digit] = kAlphabet[value % 85];
  }
  return text;
}

}  // namespace

SshKeyResult generate_ssh_key() {
  return KeyError{"no SSH key is made in a browser"};
}

SshKeyResult derive_ssh_key(std::string_view, std::string_view) {
  return SshKeyPair{"not shown\n", "not shown\n"};
}

SshKeyResult load_ssh_key(std::string_view) {
  return KeyError{"no SSH key is read in a browser"};
}

std::string flux_curve_certificate(std::string_view job_name, std::string_view uid) {
  const Digest secret = sha256(uid);
  return fmt::format(
      "#  ZeroMQ CURVE Secret Certificate\n"
      "#  Generated by Kubeflow Trainer\n"
      "\n"
      "metadata\n"
      "    name = \"{}\"\n"
      "curve\n"
      "    public-key = \"{}\"\n"
      "    secret-key = \"{}\"\n",
      job_name, z85(x25519_public(secret)), z85(secret));
}

}  // namespace trainjobc::policy
