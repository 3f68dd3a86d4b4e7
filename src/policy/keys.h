// SPDX-License-Identifier: Apache-2.0

// Keys: the SSH key with which an MPI launcher logs in to its workers (generated, derived from a seed, or the
// user's own), and the certificate of a Flux instance.
#pragma once

#include <string>
#include <string_view>
#include <variant>

namespace trainjobc::policy {

struct SshKeyPair {
  std::string private_pem;     // ends with a line break
  std::string authorized_key;  // "<type> <base64>\n", without a comment
};

// A sentence without a final stop. It never contains a part of the input.
struct KeyError {
  std::string message;
};

using SshKeyResult = std::variant<SshKeyPair, KeyError>;

// Generates an ECDSA P-521 key from the system's random source, in exactly the controller's formats: SEC1 in
// a PEM block "EC PRIVATE KEY" and an "ecdsa-sha2-nistp521" line.
SshKeyResult generate_ssh_key();

// Computes the same kind of key only from the two arguments, so it is the same on every machine:
//   bytes  = HKDF-SHA512(secret = seed, salt = "trainjobc ssh key v1", info = context), 88 bytes
//   scalar = bytes (big-endian) mod (n - 1) + 1, where n is the order of P-521
// 88 bytes are 183 bits more than n has, so the scalar is practically uniform (FIPS 186-5, A.2.1). Anyone who
// knows the seed can compute every key: it is a secret. `context` identifies the key ("namespace/job-name")
// and must differ between jobs. A seed of less than 16 bytes and a context that is empty or longer than 1024
// bytes are errors.
SshKeyResult derive_ssh_key(std::string_view seed, std::string_view context);

// Loads the user's own key, which must be unencrypted: ECDSA P-256, P-384 or P-521, RSA of 1024 to 16384
// bits, or Ed25519, as SEC1, PKCS#1, PKCS#8 or OpenSSH's own container. `private_pem` is the given text, with
// a final line break added if it is missing. The public key is computed from the private one and must match
// the one in the text. OpenSSH before 9.6 cannot read Ed25519 as PKCS#8; such a key is accepted anyway.
SshKeyResult load_ssh_key(std::string_view pem);

// The CURVE certificate with which the brokers of a Flux instance authenticate each other.

// Returns the text of `curve.cert` as the controller writes it. The secret is SHA-256 of the TrainJob's uid,
// so the result equals the cluster's only for the uid that the cluster assigned, and anyone who can read the
// uid knows the secret. Empty if libcrypto has no X25519 (a FIPS-only provider).
std::string flux_curve_certificate(std::string_view job_name, std::string_view uid);

}  // namespace trainjobc::policy
