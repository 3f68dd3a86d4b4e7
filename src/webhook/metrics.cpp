// SPDX-License-Identifier: Apache-2.0

#include "webhook/metrics.h"

#include <fmt/format.h>

namespace trainjobc::webhook {
namespace {

constexpr std::string_view kPrefix = "trainjobc_webhook_";

void add_header(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out += fmt::format("# HELP {0}{1} {2}\n# TYPE {0}{1} {3}\n", kPrefix, name, help, type);
}

void add(std::string& out, std::string_view name, std::string_view labels, double value) {
  out += fmt::format("{}{}{} {}\n", kPrefix, name, labels, value);
}

void add(std::string& out, std::string_view name, std::string_view labels, uint64_t value) {
  out += fmt::format("{}{}{} {}\n", kPrefix, name, labels, value);
}

// A kind that no cluster sends would make a series of its own for each request.
std::string_view kind_label(std::string_view kind) {
  for (const std::string_view known : {"TrainJob", "TrainingRuntime", "ClusterTrainingRuntime"}) {
    if (kind == known) return known;
  }
  return "other";
}

std::string_view operation_label(std::string_view operation) {
  for (const std::string_view known : {"CREATE", "UPDATE", "DELETE", "CONNECT"}) {
    if (operation == known) return known;
  }
  return "other";
}

}  // namespace

void Metrics::count_review(const Review& review, const Answer& answer, std::chrono::nanoseconds time) {
  ++requests_[{std::string(kind_label(review.kind)), std::string(operation_label(review.operation))}];
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
  add_header(out, "bad_requests_total", "counter", "Requests that are not admission reviews.");
  add(out, "bad_requests_total", "", bad_requests_);
  add_header(out, "unconfirmed_total", "counter",
             "Reviews whose findings were not told, because the runtime could not be read again.");
  add(out, "unconfirmed_total", "", unconfirmed_);
  add_header(out, "settings_reloads_total", "counter", "Readings of changed settings and certificates.");
  add(out, "settings_reloads_total", "{result=\"accepted\"}", good_reloads_);
  add(out, "settings_reloads_total", "{result=\"refused\"}", bad_reloads_);
  add_header(out, "runtimes", "gauge", "Runtimes that are known.");
  add(out, "runtimes", "", static_cast<uint64_t>(gauges.runtimes));
  add_header(out, "watch_age_seconds", "gauge", "Time since the API server was last heard of; -1: never.");
  add(out, "watch_age_seconds", "", gauges.watch_age);
  return out;
}

}  // namespace trainjobc::webhook
