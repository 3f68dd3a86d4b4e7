// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text/text.h"
#include "policy/keys.h"

namespace trainjobc::ssh_key_test {
using policy::KeyError;
using policy::SshKeyPair;
using policy::SshKeyResult;

namespace {

// Keys made for these tests by ssh-keygen and openssl; they open nothing. The public lines are ssh-keygen's.

// Computed by a Go program from crypto/hkdf, math/big and crypto/x509: seed "0123456789abcdef", context
// "team-a/train".
constexpr std::string_view kDerivedPrivate = R"(-----BEGIN EC PRIVATE KEY-----
MIHcAgEBBEIBKerQbW0mRndVTSMEfEyFCS0xamPx70ac9ttc6TbN6kGYlP6ck0w5
c03qvvx07B22lvfHRNCcKv8yfbA0lJF1faGgBwYFK4EEACOhgYkDgYYABAGhdWks
AAhu68EaXE3xH+XCq4Wnm3UIXlLBOhlOepH3nJ0JY8ThSZjQAQDsxJYtgdtbvG4W
h6S4Imk8sFgiWZq5xQGBAWeBW4zSC3gSpdOcOg8pJhgIlyITubRgd1rmxJiG6zQj
apXV5aL1jOwZCov7nfwGtjdMkhdf9lXkjBfD7y2WYw==
-----END EC PRIVATE KEY-----
)";
constexpr std::string_view kDerivedPublic =
    "ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAGhdWksAAhu68EaXE3xH+XC"
    "q4Wnm3UIXlLBOhlOepH3nJ0JY8ThSZjQAQDsxJYtgdtbvG4Wh6S4Imk8sFgiWZq5xQGBAWeBW4zSC3gSpdOcOg8pJhgIlyIT"
    "ubRgd1rmxJiG6zQjapXV5aL1jOwZCov7nfwGtjdMkhdf9lXkjBfD7y2WYw==\n";

constexpr std::string_view kEd25519 = R"(-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACBu0Fs2hCyC2HZBvzC0PvJy7GQjlwlPRxTv+I+gYAc2qQAAAIjA4v5bwOL+
WwAAAAtzc2gtZWQyNTUxOQAAACBu0Fs2hCyC2HZBvzC0PvJy7GQjlwlPRxTv+I+gYAc2qQ
AAAECUhPcspP6itep0Dy6kvPCvBq07L0G2FcMNA7iKc9Uj1G7QWzaELILYdkG/MLQ+8nLs
ZCOXCU9HFO/4j6BgBzapAAAAAAECAwQF
-----END OPENSSH PRIVATE KEY-----
)";
constexpr std::string_view kEd25519Line =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG7QWzaELILYdkG/MLQ+8nLsZCOXCU9HFO/4j6BgBzap\n";

constexpr std::string_view kOpenSshP521 = R"(-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAArAAAABNlY2RzYS
1zaGEyLW5pc3RwNTIxAAAACG5pc3RwNTIxAAAAhQQBqywYhqyj13Gub3bZd7mPqFJ86Fs/
KHlX1bQVLWOq7EBtm2yDJnUdqsacsArH1sNY7msG/SYxs6+Owg7DRhGUwEkA0d9hk0JEh6
hIsWrjDx+Umt+I85xbuI3e5NthwjYo1+MMq9NLPaY5Dhn7xa0qjJBnyr9XtyUoaZGGkDGM
KUJDRTwAAAEAHtl0wB7ZdMAAAAATZWNkc2Etc2hhMi1uaXN0cDUyMQAAAAhuaXN0cDUyMQ
AAAIUEAassGIaso9dxrm922Xe5j6hSfOhbPyh5V9W0FS1jquxAbZtsgyZ1HarGnLAKx9bD
WO5rBv0mMbOvjsIOw0YRlMBJANHfYZNCRIeoSLFq4w8flJrfiPOcW7iN3uTbYcI2KNfjDK
vTSz2mOQ4Z+8WtKoyQZ8q/V7clKGmRhpAxjClCQ0U8AAAAQgCU1/58FeN9OXO+2ZVLceDg
0RGnFvbuINqGQO0/RMq0TBgTYtsOJ8wCv+/3aHmSMHnmQaMzrk1mcP1YgdDW2rghyAAAAA
FjAQ==
-----END OPENSSH PRIVATE KEY-----
)";
constexpr std::string_view kOpenSshP521Line =
    "ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAGrLBiGrKPXca5vdtl3uY+o"
    "UnzoWz8oeVfVtBUtY6rsQG2bbIMmdR2qxpywCsfWw1juawb9JjGzr47CDsNGEZTASQDR32GTQkSHqEixauMPH5Sa34jznFu4"
    "jd7k22HCNijX4wyr00s9pjkOGfvFrSqMkGfKv1e3JShpkYaQMYwpQkNFPA==\n";

constexpr std::string_view kOpenSshRsa = R"(-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAlwAAAAdzc2gtcn
NhAAAAAwEAAQAAAIEA59qZxM9dtD384CgYP9qUt+VXKaDvCeZyHv4+GZY0voOU2ppKGgW2
iYjudfovb1hcbh+iiDiww0HteCiMmoCkWjiwYTuQ66YqXRNcEK7yDtATFk3RpfSJMljiP9
StiLo9Zs+qYdWj2a03iNfNrkW84NM8sUX8mQd65fkyn+Df3UkAAAIQF+mNuxfpjbsAAAAH
c3NoLXJzYQAAAIEA59qZxM9dtD384CgYP9qUt+VXKaDvCeZyHv4+GZY0voOU2ppKGgW2iY
judfovb1hcbh+iiDiww0HteCiMmoCkWjiwYTuQ66YqXRNcEK7yDtATFk3RpfSJMljiP9St
iLo9Zs+qYdWj2a03iNfNrkW84NM8sUX8mQd65fkyn+Df3UkAAAADAQABAAAAgQC5ytXv/Z
AEUKwkYFzWRm1oU9KeHEWRNGZ86ZWP4WsQw9ZzurHo2m0lF2Knjb2XR0KCSL1w1aToQxtt
b2kEolOQJgVrCGOz2m1MLJiQq99081KubW6jcrvyP68AGXCv8/KxrgLslu3mHAwKY+HXJS
mb/FDvc/KvouhOjUL7hkD7FQAAAEAcEcNdgbcsxkKsvD5GSXG+zGdQc7NynPzfz01ksmVI
M6TWmSB2WNchoZiSKjK9EcRcm+rWh/FirUnAqpY+9s/hAAAAQQD+xSsrxr8a5KDZ38WXNo
AjTyrHUFJ7xdCrT/CXGY7qpPHDAJ+MUUcAzz6cXbKl8HGHKOIS0Gv0GOWO2AbMibLTAAAA
QQDo+R0B0gVcfDJEyAEnB09FmI/CohlB3kedgip23ZIf9IpbmsG+/Qm2NaGAsx2toQkNdC
DB8cQAJJvH+5uBfwXzAAAAE2EgbG9uZyBjb21tZW50IDEwMjQBAgMEBQYH
-----END OPENSSH PRIVATE KEY-----
)";
constexpr std::string_view kOpenSshRsaLine =
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDn2pnEz120PfzgKBg/2pS35VcpoO8J5nIe/j4ZljS+g5TamkoaBbaJiO51"
    "+i9vWFxuH6KIOLDDQe14KIyagKRaOLBhO5DrpipdE1wQrvIO0BMWTdGl9IkyWOI/1K2Iuj1mz6ph1aPZrTeI182uRbzg0zyx"
    "RfyZB3rl+TKf4N/dSQ==\n";

constexpr std::string_view kSec1 = R"(-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIOkhTfa0ZPvSBFpZddr8cz86QbvaRfIF72ionKbUPvPvoAoGCCqGSM49
AwEHoUQDQgAE1BPv3WWSCXIDvEMkG+cVpwYiGeoSWucB08aRo8/joAWtYYf1aJeu
MNsZbhVULsqp9Mf/yDiLads5rN8KP9WvRg==
-----END EC PRIVATE KEY-----
)";
constexpr std::string_view kSec1Line =
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBNQT791lkglyA7xDJBvnFacG"
    "IhnqElrnAdPGkaPP46AFrWGH9WiXrjDbGW4VVC7KqfTH/8g4i2nbOazfCj/Vr0Y=\n";

constexpr std::string_view kPkcs8Ec = R"(-----BEGIN PRIVATE KEY-----
MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDUTyZcdK+E42hngLcR
8+gUKqBHBP2IGn0Y3Ch2mr99/JNDKjvLP0JeHJ1jzjAtyKihZANiAAQZAkMfk4gV
DjUmH+Mq0TMUGyVnUnC2WXgckojAUBqFwRRL9TKAEiP2yqvvWfRwhoFpcSYL11wV
zfqifs/kbWqtDtNUsIBN7QANIRwZptFzdPEngOQKJLJezH7nCwF8SAw=
-----END PRIVATE KEY-----
)";
constexpr std::string_view kPkcs8EcLine =
    "ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBBkCQx+TiBUONSYf4yrRMxQb"
    "JWdScLZZeBySiMBQGoXBFEv1MoASI/bKq+9Z9HCGgWlxJgvXXBXN+qJ+z+Rtaq0O01SwgE3tAA0hHBmm0XN08SeA5Aoksl7M"
    "fucLAXxIDA==\n";

constexpr std::string_view kPkcs1 = R"(-----BEGIN RSA PRIVATE KEY-----
MIICXgIBAAKBgQDn2pnEz120PfzgKBg/2pS35VcpoO8J5nIe/j4ZljS+g5Tamkoa
BbaJiO51+i9vWFxuH6KIOLDDQe14KIyagKRaOLBhO5DrpipdE1wQrvIO0BMWTdGl
9IkyWOI/1K2Iuj1mz6ph1aPZrTeI182uRbzg0zyxRfyZB3rl+TKf4N/dSQIDAQAB
AoGBALnK1e/9kARQrCRgXNZGbWhT0p4cRZE0ZnzplY/haxDD1nO6sejabSUXYqeN
vZdHQoJIvXDVpOhDG21vaQSiU5AmBWsIY7PabUwsmJCr33TzUq5tbqNyu/I/rwAZ
cK/z8rGuAuyW7eYcDApj4dclKZv8UO9z8q+i6E6NQvuGQPsVAkEA/sUrK8a/GuSg
2d/FlzaAI08qx1BSe8XQq0/wlxmO6qTxwwCfjFFHAM8+nF2ypfBxhyjiEtBr9Bjl
jtgGzImy0wJBAOj5HQHSBVx8MkTIAScHT0WYj8KiGUHeR52CKnbdkh/0iluawb79
CbY1oYCzHa2hCQ10IMHxxAAkm8f7m4F/BfMCQQCHrM65yGS7WKgEfzPFvGNu6lkY
vcC/Y3Al2zN/9D903BRXybwtyJbsanGoagmabzq2ROJoLJBg9OVDNe4g/O+7AkEA
zAs625hNN8ZS5KjjUYJ2bHcFGiuMwYLj6FDTzk2bKL+t2jM9k3/dXKe2Lpkx2htb
aVwXQKX1y0ZE5i848H8G/wJAHBHDXYG3LMZCrLw+RklxvsxnUHOzcpz8389NZLJl
SDOk1pkgdljXIaGYkioyvRHEXJvq1ofxYq1JwKqWPvbP4Q==
-----END RSA PRIVATE KEY-----
)";
constexpr std::string_view kPkcs1Line =
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDn2pnEz120PfzgKBg/2pS35VcpoO8J5nIe/j4ZljS+g5TamkoaBbaJiO51"
    "+i9vWFxuH6KIOLDDQe14KIyagKRaOLBhO5DrpipdE1wQrvIO0BMWTdGl9IkyWOI/1K2Iuj1mz6ph1aPZrTeI182uRbzg0zyx"
    "RfyZB3rl+TKf4N/dSQ==\n";

// Its line is from golang.org/x/crypto/ssh: OpenSSH reads this form from 9.6 on only.
constexpr std::string_view kPkcs8Ed25519 = R"(-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIPFom3zP4oQhodkVCRaVzh/641HgMM3mJF10pHKLnj1Q
-----END PRIVATE KEY-----
)";
constexpr std::string_view kPkcs8Ed25519Line =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHqO6/3TzBEJ0aZvv0z3bse0fEUBgdaehXyLZPS/ZwrD\n";

constexpr std::string_view kEncryptedOpenSsh = R"(-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABD2A7FGpB
m0DTWgnIBS8eOzAAAAEAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIBq/tps1PpEyHQjQ
5DdIMzThn6GJADnbHnQ0tBiM4bV/AAAAkFSEXt/HkiYeE1ryFBdEnl32wNy4WVFdKKhpaG
tfFxOjvfzUvEY3dusGloNOASKd9+hSS8v6g1rYf56VH7RMk6iQ54m6bGY4julV/fZSUX4p
lBPS9wGcvM0LqUn1qHP02W73QzH7hq9+4y+CpalLH0f3SgfEUt5WJ0hiNcK5c6o1cn6/qo
lTOP74o9oy2cwThw==
-----END OPENSSH PRIVATE KEY-----
)";
constexpr std::string_view kEncryptedPkcs8 = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAj0cBdwCTvMYgICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEDo8kL2q70KsREzSFPhgbqIEgZCh
4M2Ttsr3RAGoIud4RB6bR/RR50W07GjJxbw62b4nTWruWPctdP4q4lylzojH/YiK
WB9kbOdPGi3gGs2lljSYsqrBgmUMzltZAkMI6b2baFPLi2QjuTbxkjt9r1QWvGTG
7YN5vur9hAOdP8Y/dJ1w3OdUWE/Tffles9W/BC8MW4MExUE6I3EyI1UUKAIr70g=
-----END ENCRYPTED PRIVATE KEY-----
)";
constexpr std::string_view kEncryptedSec1 = R"(-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-128-CBC,89351CE15C3263D8AB2EF56A5933816E

eU1xsTL8hZf8Fz9hYPAc+7rZY9u9GTge3818HjDAWBy1HYNkAbMjtmhA9vJRPhqU
hJTRoR5GK/diXeui16ULcRGpFa84fKcNMkgmguGOaDSBlag12wKDZWLECdwJCsLZ
3xZ5CcGY9I7oXzgHc6ryasnjCNrh6vKucPuZWhievqY=
-----END EC PRIVATE KEY-----
)";
constexpr std::string_view kX25519 = R"(-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VuBCIEIJj921M6WMIHCPHoaOBZMZ5T+1+YTIRLJxZv9GW4vHd/
-----END PRIVATE KEY-----
)";
constexpr std::string_view kSecp256k1 = R"(-----BEGIN EC PARAMETERS-----
BgUrgQQACg==
-----END EC PARAMETERS-----
-----BEGIN EC PRIVATE KEY-----
MHQCAQEEIFknpKtEpTjHp3H/H8BkuG5xT2Pg/krt8+cd4y4eF0nRoAcGBSuBBAAK
oUQDQgAEVaPoQv4S1JFwsvOAAuUyqFv+9ycQz5ia+FP91+Tb4x09G3SpmebeAfIW
xeUoWHtcK5olGZBRdE2A3ePxUkznrg==
-----END EC PRIVATE KEY-----
)";
constexpr std::string_view kRsa768 = R"(-----BEGIN PRIVATE KEY-----
MIIB5gIBADANBgkqhkiG9w0BAQEFAASCAdAwggHMAgEAAmEAuAy+JyQwzmx0pPoz
qC8Tb0Y5EmUc6UedExC+W3qGTsAOE1GgiL8KIeP1eHWaK/OqszDGJH/N8Q8znQ/5
yKLqlFolXUrjL0naY9BTRo2gERyc8pjDYZN7u1uLDDJj1wgdAgMBAAECYQCoRcZJ
JRaWdKSE/dji6P+c2hhuEBJJ2tbqyoEwRCqtr3xu/0+GFxxddf1FgEhP7PvT4SDR
zKzBX1bzdpCrREwlXQCf1k6e5pObvWGR/ZGT2JWCvEkPtri4Lr87msv9aWECMQDp
Hjyq8bh8+OEhL01THJ88kkJRQukOO7XZrZgOClt6baYhxSi43z6emXGdME1Qe7UC
MQDKHYXRY89Z5ZKFHeAvqFkeYUjRK406aDL/BEauEo3tbQ5XuJT0jssSq0Lr9sN0
q8kCMQCW9RymOgeU7fmjaqUxB9zZ9YB6bNDMhcAZ6P8JQI3CdxTY03quVOqQ+56G
AsxeLO0CMEcNT+DHZLpmoTaYxRob5ZBvhMi7tb9FqD/MQgipzykbQIKICh1bIXqj
qDgJnLakOQIxAMbaZh09eth5RBsBRrfjY1gqaHgDWUOced70HHCUXfQrUIg5C0ca
xDXMQO4w6Cuojw==
-----END PRIVATE KEY-----
)";

SshKeyPair key_of(const SshKeyResult& result) {
  const auto* key = std::get_if<SshKeyPair>(&result);
  REQUIRE_MESSAGE(key != nullptr, std::get<KeyError>(result).message);
  return *key;
}

std::string error_of(const SshKeyResult& result) {
  const auto* error = std::get_if<KeyError>(&result);
  return error == nullptr ? "accepted" : error->message;
}

std::string load_error(std::string_view text) {
  return error_of(policy::load_ssh_key(text));
}

void check_loads(std::string_view text, std::string_view line) {
  const SshKeyPair key = key_of(policy::load_ssh_key(text));
  CHECK(key.private_pem == text);
  CHECK(key.authorized_key == line);
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  for (size_t at = result.find(from); at != std::string::npos; at = result.find(from, at + to.size())) {
    result.replace(at, from.size(), to);
  }
  return result;
}

// The PEM block with the bits of `mask` flipped in one byte of its decoded content.
std::string with_flipped_byte(std::string_view text, size_t at, char mask) {
  const size_t begin = text.find("KEY-----\n") + 9;
  const size_t end = text.find("-----END");
  std::string bytes = base::base64_decode(replaced(text.substr(begin, end - begin), "\n", "")).value();
  bytes.at(at) = static_cast<char>(bytes.at(at) ^ mask);
  const std::string body = base::base64_encode(bytes);
  std::string result(text.substr(0, begin));
  for (size_t line = 0; line < body.size(); line += 64) result += body.substr(line, 64) + "\n";
  return result.append(text.substr(end));
}

constexpr std::string_view kSeed = "0123456789abcdef";

constexpr std::string_view kDamaged = "the SSH key is damaged: its PEM block contains no readable key";
constexpr std::string_view kInconsistent = "the SSH key is damaged: its parts do not belong together";
constexpr std::string_view kUnsupported =
    "the type of the SSH key is not supported; use ECDSA (P-256, P-384, P-521), RSA or Ed25519";

}  // namespace

TEST_CASE("ssh key: a derived key is the one Go derives") {
  const SshKeyPair key = key_of(policy::derive_ssh_key(kSeed, "team-a/train"));
  CHECK(key.private_pem == kDerivedPrivate);
  CHECK(key.authorized_key == kDerivedPublic);
}

TEST_CASE("ssh key: seed and context each decide the derived key") {
  const SshKeyPair key = key_of(policy::derive_ssh_key(kSeed, "team-a/train"));
  for (const std::string_view context : {"team-a/train2", "team-b/train", "team-a/trai", "TEAM-A/train"}) {
    const SshKeyPair other = key_of(policy::derive_ssh_key(kSeed, context));
    CHECK(other.private_pem != key.private_pem);
    CHECK(other.authorized_key != key.authorized_key);
  }
  CHECK(key_of(policy::derive_ssh_key("0123456789abcdeg", "team-a/train")).private_pem != key.private_pem);
  // HKDF keeps what is seed and what is context apart.
  CHECK(key_of(policy::derive_ssh_key("0123456789abcdeft", "eam-a/train")).private_pem != key.private_pem);
}

TEST_CASE("ssh key: seeds and contexts out of bounds are refused") {
  CHECK(error_of(policy::derive_ssh_key("", "a/b")) ==
        "the seed of the SSH key has 0 bytes; at least 16 are needed");
  CHECK(error_of(policy::derive_ssh_key("0123456789abcde", "a/b")) ==
        "the seed of the SSH key has 15 bytes; at least 16 are needed");
  CHECK(error_of(policy::derive_ssh_key(kSeed, "")) ==
        "the name that the SSH key is derived for has 0 bytes; 1 to 1024 are needed");
  CHECK(error_of(policy::derive_ssh_key(kSeed, std::string(1025, 'a'))) ==
        "the name that the SSH key is derived for has 1025 bytes; 1 to 1024 are needed");
  key_of(policy::derive_ssh_key(kSeed, std::string(1024, 'a')));
  key_of(policy::derive_ssh_key(std::string(1 << 16, '\0'), "a"));
}

TEST_CASE("ssh key: a generated key is new each time and reads back") {
  const SshKeyPair key = key_of(policy::generate_ssh_key());
  CHECK(key.private_pem != key_of(policy::generate_ssh_key()).private_pem);
  CHECK(key.private_pem.size() == kDerivedPrivate.size());
  check_loads(key.private_pem, key.authorized_key);
}

TEST_CASE("ssh key: every supported form of a user's key gives ssh-keygen's public line") {
  check_loads(kDerivedPrivate, kDerivedPublic);
  check_loads(kEd25519, kEd25519Line);
  check_loads(kOpenSshP521, kOpenSshP521Line);
  check_loads(kOpenSshRsa, kOpenSshRsaLine);
  check_loads(kSec1, kSec1Line);
  check_loads(kPkcs8Ec, kPkcs8EcLine);
  check_loads(kPkcs1, kPkcs1Line);
  check_loads(kPkcs8Ed25519, kPkcs8Ed25519Line);
}

TEST_CASE("ssh key: only a missing final line break is added") {
  for (const std::string_view text : {kEd25519, kSec1}) {
    CHECK(key_of(policy::load_ssh_key(text.substr(0, text.size() - 1))).private_pem == text);
    const std::string blank_line = std::string(text) + "\n";
    CHECK(key_of(policy::load_ssh_key(blank_line)).private_pem == blank_line);
  }
  check_loads(
      "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n" + std::string(kSec1),
      kSec1Line);
  check_loads(replaced(kSec1, "\n", "\r\n"), kSec1Line);
}

TEST_CASE("ssh key: encrypted keys are refused without asking for a passphrase") {
  for (const std::string_view text : {kEncryptedOpenSsh, kEncryptedPkcs8, kEncryptedSec1}) {
    CHECK(load_error(text) ==
          "the SSH key is encrypted; remove the passphrase from a copy with `ssh-keygen -p -N '' -f COPY`");
  }
}

TEST_CASE("ssh key: kinds that OpenSSH does not accept are refused") {
  CHECK(load_error(kX25519) == kUnsupported);
  CHECK(load_error(kSecp256k1) ==
        "the SSH key uses a curve that OpenSSH does not support; it supports P-256, P-384 and P-521");
  CHECK(load_error(kRsa768) == "the SSH key is RSA of 768 bits; OpenSSH accepts 1024 to 16384");
}

TEST_CASE("ssh key: the error names what the file is if it isn't a private key") {
  const std::string_view none = "the SSH key is not a private key in PEM form";
  CHECK(load_error("") == none);
  CHECK(load_error("junk\n") == none);
  CHECK(load_error(std::string_view("\0\xff-----BEGIN ", 13)) == none);
  CHECK(load_error("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n") == none);
  CHECK(load_error(kEd25519Line) == "the SSH key is a public key; the private key is needed");
  CHECK(load_error("PuTTY-User-Key-File-3: ssh-ed25519\n") ==
        "the SSH key is in PuTTY's format; convert it with `puttygen KEY -O private-openssh -o NEW`");
  CHECK(load_error(" " + replaced(kSec1, "\n", "\n ")) ==
        "the SSH key's BEGIN line is indented or has something else before its dashes");
  CHECK(load_error(kSec1.substr(0, kSec1.size() - 9)) ==
        "the SSH key is cut off: its PEM block has no END line");
  CHECK(load_error(std::string(kSec1) + std::string(kEd25519)) ==
        "the SSH key has text after its END line; use a file with only one private key");
  CHECK(load_error(std::string((1 << 20) + 1, 'a')) == "the SSH key is larger than 1 MiB");
}

TEST_CASE("ssh key: OpenSSH's container is refused in frames that OpenSSH does not read") {
  CHECK(load_error(replaced(kEd25519, "\n", "\r\n")) ==
        "the SSH key has Windows line breaks, which OpenSSH does not accept; convert them to LF");
  CHECK(load_error("my key\n" + std::string(kEd25519)) ==
        "the SSH key has text before its BEGIN line, which OpenSSH does not accept");
  CHECK(load_error(std::string(kEd25519.substr(0, kEd25519.size() - 1)) + " \n") ==
        "the SSH key has spaces after its END line, which OpenSSH does not accept");
}

TEST_CASE("ssh key: a damaged container is refused wherever the damage is") {
  CHECK(load_error(with_flipped_byte(kEd25519, 0, 1)) == kDamaged);         // the magic
  CHECK(load_error(with_flipped_byte(kEd25519, 15, 1)) == kDamaged);        // a length beyond the text
  CHECK(load_error(with_flipped_byte(kEd25519, 38, 3)) == kDamaged);        // two keys
  CHECK(load_error(with_flipped_byte(kEd25519, 70, 1)) == kInconsistent);   // the public blob
  CHECK(load_error(with_flipped_byte(kEd25519, 98, 1)) == kDamaged);        // the check number
  CHECK(load_error(with_flipped_byte(kEd25519, 110, 1)) == kUnsupported);   // the type
  CHECK(load_error(with_flipped_byte(kEd25519, 161, 1)) == kInconsistent);  // the seed
  CHECK(load_error(replaced(kEd25519, "OPENSSH ", "")) == kDamaged);
  CHECK(load_error(with_flipped_byte(kOpenSshP521, 403, '\x80')) == kInconsistent);  // a negative scalar
  for (const size_t number : {221, 361, 562, 631})                                   // a negative n, d, p, q
    CHECK(load_error(with_flipped_byte(kOpenSshRsa, number, '\x80')) == kDamaged);
  CHECK(load_error(replaced(kEd25519, "-----BEGIN OPENSSH PRIVATE KEY-----\n",
                            "-----BEGIN OPENSSH PRIVATE KEY-----\n!")) == kDamaged);
}

TEST_CASE("ssh key: a private key that does not fit its public key is refused") {
  CHECK(load_error(with_flipped_byte(kSec1, 20, 1)) == kInconsistent);
  CHECK(load_error(with_flipped_byte(kDerivedPrivate, 40, 1)) == kInconsistent);
  CHECK(load_error(with_flipped_byte(kPkcs1, 200, 1)) == kInconsistent);
  CHECK(load_error(with_flipped_byte(kOpenSshRsa, 400, 1)) == kInconsistent);
}

TEST_CASE("ssh key: no error repeats the text") {
  const std::vector<std::string> texts = {
      "hunter2",
      "ssh-hunter2",
      "-----BEGIN hunter2 PRIVATE KEY-----\nhunter2\n-----END hunter2 PRIVATE KEY-----\n",
      "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2=\n-----END OPENSSH PRIVATE KEY-----\n",
      "-----BEGIN PRIVATE KEY-----\nhunter2\n",
      std::string(kSec1) + "hunter2",
  };
  for (const std::string& text : texts) {
    const std::string message = load_error(text);
    CHECK(message != "accepted");
    CHECK(message.find("hunter2") == std::string::npos);
  }
  CHECK(error_of(policy::derive_ssh_key("hunter2", "a/b")).find("hunter2") == std::string::npos);
}

TEST_CASE("curve key: the certificate is the controller's, byte for byte") {
  // Computed in Go with the controller's own statements.
  CHECK(policy::flux_curve_certificate("train", "6f1c0e9a-7a55-4f0e-9b0e-1d2c3b4a5f60") ==
        "#  ZeroMQ CURVE Secret Certificate\n"
        "#  Generated by Kubeflow Trainer\n"
        "\n"
        "metadata\n"
        "    name = \"train\"\n"
        "curve\n"
        "    public-key = \"aWxEtkMPEER$3VRxAOTkH&qR4B2&h(=TfNF)UuBo\"\n"
        "    secret-key = \"C4KujVN+Nr087CPbQKU#KHYk2CEpbV=PtJ})iq(9\"\n");
  CHECK(policy::flux_curve_certificate("job", "x").find("MPJ)QsYx)V!NOtDYMWj0bg<qrP%9tM!Q&CVaL]j2") !=
        std::string::npos);
}

}  // namespace trainjobc::ssh_key_test
