// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <limits>

#include "k8s/quantity.h"
#include "features/plan/quota/quota.h"

namespace trainjobc::plan {
namespace {

constexpr Units kMost = std::numeric_limits<Units>::max();
constexpr std::string_view kCpu = "cpu";

bool is_in_bytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
}

}  // namespace

Units to_units(std::string_view resource, std::string_view quantity) {
  const auto amount = k8s::Quantity::parse(quantity);
  if (!amount) return 0;
  // Kueue wraps amounts that are too large for an int64; real quotas are smaller.
  const auto most = k8s::Quantity::from_int(kMost / 1000);
  if (amount->compare(most) > 0) return kMost;
  return resource == kCpu ? amount->milli_value() : amount->value();
}

Units added(Units a, Units b) {
  Units sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kMost : sum;
}

Units multiplied(Units a, int64_t factor) {
  Units product = 0;
  return __builtin_mul_overflow(a, factor, &product) ? kMost : product;
}

std::string units_text(std::string_view resource, Units amount) {
  if (resource == kCpu) {
    const auto cpu = k8s::Quantity::parse(fmt::format("{}m", amount));
    return cpu ? cpu->to_string() : "";
  }
  using Format = k8s::Quantity::Format;
  const Format format = is_in_bytes(resource) ? Format::BinarySI : Format::DecimalSI;
  return k8s::Quantity::from_int(amount, format).to_string();
}

}  // namespace trainjobc::plan
