// SPDX-License-Identifier: Apache-2.0

// An admission review of admission.k8s.io/v1: lint's findings on an object that someone creates or changes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "inputs/config.h"
#include "webhook/object_store.h"

namespace trainjobc::webhook {

// Larger requests are refused; the API server sends at most 3 MB of an object, and both objects of an update.
inline constexpr size_t kMaxReview = size_t{8} << 20U;

struct Review {
  std::string uid;
  std::string kind;  // such as TrainJob
  std::string ns;
  std::string name;
  std::string operation;              // such as CREATE
  std::string object;                 // JSON, as its author wrote it; "" if there is nothing to check
  bool is_too_large = false;          // too large to check; `object` is "" then
  std::string old_object;             // the object before an update
  std::optional<ObjectName> runtime;  // a TrainJob's
};

struct BadReview {
  std::string message;
};

// Reads the body of a request. A review of anything but a changed spec of a TrainJob or runtime has no
// object.
std::variant<Review, BadReview> read_review(std::string_view body);

struct Answer {
  bool allowed = true;
  std::string message;  // set if refused
  std::vector<std::string> warnings;
  std::vector<std::string> rules;  // rules of the findings; may repeat

  bool has_findings() const { return !rules.empty(); }
};

// The answer as the body of a response.
std::string write_answer(std::string_view uid, const Answer& answer);

struct Policy {
  std::vector<std::string> deny;  // "error", "warning", and rules
  std::string trainer_version = "auto";
  bool use_catalogue = false;  // false: the cluster has its own runtimes
  // Its paths are NAMESPACE/KIND/NAME: team-a/TrainJob/bert.
  std::shared_ptr<const inputs::Config> config = std::make_shared<inputs::Config>();
  // What namespaces refuse: Namespaces, ResourceQuotas, LimitRanges, ValidatingAdmissionPolicies and
  // bindings. nullptr if that is left to the cluster; outlives the policy.
  const ObjectStore* surroundings = nullptr;
};

// `runtime` is the TrainJob's; nullptr if it is missing, which Trainer's own webhook reports.
Answer check_job(const Review& review, const StoredObject* runtime, const Policy& policy);

// Returns the findings on a runtime, and what its change means for jobs that are created from now on.
Answer check_runtime(const Review& review, const Policy& policy);

}  // namespace trainjobc::webhook
