// SPDX-License-Identifier: Apache-2.0

// What the webhook counts, in Prometheus' text format.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "webhook/review.h"

namespace trainjobc::webhook {

struct Gauges {
  size_t runtimes = 0;
  double watch_age =
      0;  // seconds since the last sign of life of the cluster; negative: none yet, or no watch
};

class Metrics {
 public:
  void count_review(const Review& review, const Answer& answer, std::chrono::nanoseconds time);
  void count_bad_request() { ++bad_requests_; }
  void count_unconfirmed() { ++unconfirmed_; }
  void count_reload(bool is_good) { ++(is_good ? good_reloads_ : bad_reloads_); }

  std::string text(const Gauges& gauges) const;

 private:
  static constexpr std::array<double, 9> kBuckets{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 1};

  std::map<std::pair<std::string, std::string>, uint64_t> requests_;  // by kind and operation
  std::map<std::string_view, uint64_t> decisions_;                    // allowed, warned, denied
  std::map<std::string, uint64_t> findings_;                          // by rule
  std::array<uint64_t, kBuckets.size()> times_{};
  uint64_t reviews_ = 0;
  double seconds_ = 0;
  uint64_t bad_requests_ = 0;
  uint64_t unconfirmed_ = 0;
  uint64_t good_reloads_ = 0;
  uint64_t bad_reloads_ = 0;
};

}  // namespace trainjobc::webhook
