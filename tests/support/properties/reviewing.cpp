// SPDX-License-Identifier: Apache-2.0

#include "support/properties/reviewing.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

#include "base/files/file_system.h"
#include "webhook/review.h"

namespace trainjobc::test {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kBeforeSettings = "\n---\n";
constexpr size_t kMostWarnings = 4096;  // that an API server passes on as they are
constexpr const char* kReviewedRuntime =
    R"({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "ClusterTrainingRuntime",
  "metadata": {"name": "torch", "labels": {"trainer.kubeflow.org/framework": "torch"}},
  "spec": {"mlPolicy": {"numNodes": 1, "torch": {}}, "template": {"spec": {"replicatedJobs": [{"name": "node",
    "template": {"metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
    "spec": {"template": {"spec": {"containers": [{"name": "node", "image": "team/train:1"}]}}}}}]}}}})";

webhook::Policy policy_of(const std::string& settings) {
  webhook::Policy policy;
  base::MemoryFileSystem files;
  files.files[".trainjobc.yaml"] = settings;
  inputs::ConfigResult read = inputs::load_config(files, ".trainjobc.yaml");
  if (auto* config = std::get_if<inputs::Config>(&read))
    policy.config = std::make_shared<const inputs::Config>(std::move(*config));
  return policy;
}

webhook::Answer answer_to(const webhook::Review& review, const webhook::Policy& policy) {
  const webhook::StoredObject runtime{kReviewedRuntime, "1"};
  return review.runtime ? check_job(review, &runtime, policy) : check_runtime(review, policy);
}

std::string wrong_with_answer(const webhook::Review& review, const webhook::Answer& answer) {
  const std::string text = write_answer(review.uid, answer);
  const Json body = Json::parse(text, nullptr, false);
  if (body.is_discarded()) return "the answer is not JSON: " + text;
  if (body["response"]["allowed"] != answer.allowed) return "the answer says something else";
  if (!answer.allowed && answer.message.empty()) return "a refusal without a reason";
  size_t size = 0;
  for (const std::string& warning : answer.warnings) {
    size += warning.size();
    if (warning.empty() || size > kMostWarnings) return fmt::format("warnings of {} bytes", size);
    if (std::ranges::any_of(warning, [](char c) { return static_cast<unsigned char>(c) < 0x20U; }))
      return "a warning of several lines";
  }
  return "";
}

// The status, and what servers set in metadata.
std::string wrong_with_server(const std::string& body) {
  Json review = Json::parse(body, nullptr, false);
  Json& request = review["request"];
  if (!request["object"].is_object()) return "";
  request["operation"] = "UPDATE";
  request["oldObject"] = request["object"];
  request["object"]["status"] = {{"conditions", Json::array({1})}};
  Json& metadata = request["object"]["metadata"];
  if (metadata.is_object() || metadata.is_null()) metadata["resourceVersion"] = "2";
  Json& spec = request["object"]["spec"];
  if (spec.is_object()) spec["suspend"] = true;
  const auto read = webhook::read_review(review.dump(-1, ' ', false, Json::error_handler_t::replace));
  const auto* passed = std::get_if<webhook::Review>(&read);
  return passed && passed->object.empty() ? "" : "a change of the status is checked";
}

}  // namespace

std::string wrong_with_review(const std::string& text) {
  const size_t end = text.find(kBeforeSettings);
  const std::string body = text.substr(0, end);
  const auto read = webhook::read_review(body);
  const auto* review = std::get_if<webhook::Review>(&read);
  if (!review)
    return std::get<webhook::BadReview>(read).message.empty() ? "a bad request without a reason" : "";
  if (review->object.empty()) return "";
  webhook::Policy policy =
      policy_of(end == std::string::npos ? "" : text.substr(end + kBeforeSettings.size()));
  const webhook::Answer answer = answer_to(*review, policy);
  if (!answer.allowed) return "a refusal without --deny";
  if (std::string wrong = wrong_with_answer(*review, answer); !wrong.empty()) return wrong;
  policy.deny = {"warning"};
  const webhook::Answer denied = answer_to(*review, policy);
  if (denied.rules != answer.rules) return "--deny changes the findings";
  if (std::string wrong = wrong_with_answer(*review, denied); !wrong.empty()) return wrong;
  return wrong_with_server(body);
}

}  // namespace trainjobc::test
