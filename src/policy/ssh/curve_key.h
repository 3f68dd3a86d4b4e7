// SPDX-License-Identifier: Apache-2.0

// The CURVE certificate with which the brokers of a Flux instance authenticate each other.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::policy {

// The text of `curve.cert` as the controller writes it. The secret is SHA-256 of the TrainJob's uid, so the
// result equals the cluster's only for the uid that the cluster assigned, and anyone who can read the uid
// knows the secret. Empty if libcrypto has no X25519 (a FIPS-only provider).
std::string flux_curve_certificate(std::string_view job_name, std::string_view uid);

}  // namespace trainjobc::policy
