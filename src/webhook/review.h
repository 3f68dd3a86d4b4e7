// SPDX-License-Identifier: Apache-2.0

// An admission review of admission.k8s.io/v1: what lint says of an object that someone creates or changes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "inputs/config.h"
#include "webhook/runtime_store.h"

namespace trainjobc::webhook {

// The larger request is refused; the API server sends at most 3 MB of an object, and both objects of an
// update.
inline constexpr size_t kMaxReview = size_t{8} << 20U;

struct Review {
  std::string uid;
  std::string kind;  // TrainJob
  std::string ns;
  std::string name;
  std::string operation;               // CREATE
  std::string object;                  // as JSON, as it was written; "" if there is nothing to check
  bool is_too_large = false;           // to be checked: then it has no object, either
  std::string old_object;              // of an update
  std::optional<RuntimeName> runtime;  // of a TrainJob
};

struct BadReview {
  std::string message;
};

// Reads the body of a request. A review of anything but a changed spec of a TrainJob or runtime has no
// object.
std::variant<Review, BadReview> read_review(std::string_view body);

struct Answer {
  bool allowed = true;
  std::string message;  // of a refusal
  std::vector<std::string> warnings;
  std::vector<std::string> rules;  // of the findings; one may occur several times

  bool has_findings() const { return !rules.empty(); }
};

// The body of the answer.
std::string write_answer(std::string_view uid, const Answer& answer);

struct Policy {
  std::vector<std::string> deny;  // "error", "warning", and ids of rules
  std::string trainer_version = "auto";
  bool use_catalogue = false;  // the cluster has its own runtimes
  // Paths in it are NAMESPACE/KIND/NAME: team-a/TrainJob/bert.
  std::shared_ptr<const inputs::Config> config = std::make_shared<inputs::Config>();
};

// `runtime` is the TrainJob's; nullptr if there is none of this name, of which Trainer's own webhook speaks.
Answer check_job(const Review& review, const StoredObject* runtime, const Policy& policy);

// The findings on a runtime, and what its change means for jobs that are created from now on.
Answer check_runtime(const Review& review, const Policy& policy);

}  // namespace trainjobc::webhook
