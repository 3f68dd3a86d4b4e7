// SPDX-License-Identifier: Apache-2.0

#include "webhook/metrics.h"

#include <fmt/format.h>

#include <span>

#include "base/text/text.h"
#include "model/trainer_names.h"

namespace trainjobc::webhook {
namespace {

constexpr std::string_view kPrefix = "trainjobc_webhook_";

void add_header(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out += fmt::format("# HELP {0}{1} {2}\n# TYPE {0}{1} {3}\n", kPrefix, name, help, type);
}

template <class Number>
void add(std::string& out, std::string_view name, std::string_view labels, Number value) {
  out += fmt::format("{}{}{} {}\n", kPrefix, name, labels, value);
}

// Adds a metric with a single value.
template <class Number>
void add_single(std::string& out, std::string_view name, std::string_view type, std::string_view help,
                Number value) {
  add_header(out, name, type, help);
  add(out, name, "", value);
}

constexpr std::array<std::string_view, 3> kReviewedKinds{model::kTrainJob, model::kTrainingRuntime,
                                                         model::kClusterTrainingRuntime};
constexpr std::array<std::string_view, 4> kOperations{"CREATE", "UPDATE", "DELETE", "CONNECT"};

// Without this, requests that no cluster sends could create any number of series.
std::string label(std::string_view word, std::span<const std::string_view> known) {
  return std::string(base::contains(known, word) ? word : "other");
}

}  // namespace

void Metrics::count_review(const Review& review, const Answer& answer, std::chrono::nanoseconds time) {
  ++requests_[{label(review.kind, kReviewedKinds), label(review.operation, kOperations)}];
  ++decisions_[!answer.allowed ? "denied" : answer.warnings.empty() ? "allowed" : "warned"];
  for (const std::string& rule : answer.rules) ++findings_[rule];
  const double seconds = std::chrono::duration<double>(time).count();
  for (size_t i = 0; i < kBuckets.size(); ++i) {
    if (seconds <= kBuckets[i]) ++times_[i];
  }
  ++reviews_;
  seconds_ += seconds;
}

std::string Metrics::text(const Gauges& gauges) const {
  std::string out;
  add_header(out, "requests_total", "counter", "Admission reviews, by kind and operation.");
  for (const auto& [labels, count] : requests_) {
    add(out, "requests_total", fmt::format("{{kind=\"{}\",operation=\"{}\"}}", labels.first, labels.second),
        count);
  }
  add_header(out, "decisions_total", "counter", "Answers: allowed, allowed with warnings, denied.");
  for (const auto& [decision, count] : decisions_)
    add(out, "decisions_total", fmt::format("{{decision=\"{}\"}}", decision), count);
  add_header(out, "findings_total", "counter", "Findings in reviewed objects, by rule.");
  for (const auto& [rule, count] : findings_)
    add(out, "findings_total", fmt::format("{{rule=\"{}\"}}", rule), count);
  add_header(out, "review_seconds", "histogram", "Time from a review to its answer.");
  for (size_t i = 0; i < kBuckets.size(); ++i)
    add(out, "review_seconds_bucket", fmt::format("{{le=\"{}\"}}", kBuckets[i]), times_[i]);
  add(out, "review_seconds_bucket", "{le=\"+Inf\"}", reviews_);
  add(out, "review_seconds_sum", "", seconds_);
  add(out, "review_seconds_count", "", reviews_);
  add_single(out, "bad_requests_total", "counter", "Requests that are not admission reviews.", bad_requests_);
  add_single(out, "unconfirmed_total", "counter",
             "Reviews whose findings were not told, because the runtime could not be read again.",
             unconfirmed_);
  add_header(out, "settings_reloads_total", "counter", "Readings of changed settings and certificates.");
  add(out, "settings_reloads_total", "{result=\"accepted\"}", good_reloads_);
  add(out, "settings_reloads_total", "{result=\"refused\"}", bad_reloads_);
  add_single(out, "runtimes", "gauge", "Runtimes that are known.", gauges.runtimes);
  add_single(out, "watch_age_seconds", "gauge", "Time since the API server was last heard of; -1: never.",
             gauges.watch_age);
  return out;
}

}  // namespace trainjobc::webhook
