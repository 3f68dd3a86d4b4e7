// SPDX-License-Identifier: Apache-2.0

// Objects that are too large to be checked.
#include "webhook/object.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "webhook/review.h"
#include "webhook/object_store.h"

namespace trainjobc::webhook_object_test {
namespace {

using nlohmann::json;

json job(size_t values) {
  return {
      {"apiVersion", "trainer.kubeflow.org/v1alpha1"},
      {"kind", "TrainJob"},
      {"metadata", {{"name", "bert"}, {"namespace", "team-a"}}},
      {"spec", {{"runtimeRef", {{"name", "torch"}}}, {"trainer", {{"args", json::array_t(values, "a")}}}}}};
}

std::string review_of(const json& object) {
  const json request{{"uid", "1"},
                     {"operation", "CREATE"},
                     {"namespace", "team-a"},
                     {"name", "bert"},
                     {"kind", {{"group", "trainer.kubeflow.org"}, {"kind", "TrainJob"}}},
                     {"object", object}};
  return json{{"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"request", request}}
      .dump();
}

std::vector<std::string> warnings(const json& object) {
  const auto read = webhook::read_review(review_of(object));
  const auto& review = std::get<webhook::Review>(read);
  CHECK(review.uid == "1");
  const webhook::StoredObject none{.json = "", .resource_version = "7"};
  return check_job(review, &none, {}).warnings;
}

}  // namespace

TEST_CASE("an object of too many values or bytes is not checked, which a warning says") {
  const std::string said =
      "trainjobc does not check this: the TrainJob has more than 10000 values, 1024 KiB or 200 levels";
  // Without the args, it has 11 values.
  CHECK(webhook::checkable_text(job(webhook::kMostValues - 11)));
  CHECK(!webhook::checkable_text(job(webhook::kMostValues - 10)));
  CHECK(warnings(job(webhook::kMostValues)) == std::vector{said});
  CHECK(warnings(job(50'000)) == std::vector{said});
  json script = job(0);
  script["spec"]["trainer"]["args"] = {std::string(webhook::kLargestObject, 'a')};
  CHECK(warnings(script) == std::vector{said});
  CHECK(warnings(job(1)) == std::vector<std::string>{"trainjobc does not check this: the runtime torch has "
                                                     "more than 10000 values, 1024 KiB or 200 levels"});
}

TEST_CASE("of an object that is much too large, the metadata is read") {
  const json large = job(50'000);
  json left = large;
  left["spec"] = nullptr;
  CHECK(webhook::parse_objects(large.dump(), webhook::ObjectDepth::Alone) == left);
  const json list{{"metadata", {{"resourceVersion", "7"}}}, {"items", {job(1), large, job(2)}}};
  CHECK(webhook::parse_objects(list.dump(), webhook::ObjectDepth::List) ==
        json{{"metadata", {{"resourceVersion", "7"}}}, {"items", {job(1), left, job(2)}}});
  CHECK(webhook::parse_objects(json{{"type", "ADDED"}, {"object", large}}.dump(),
                               webhook::ObjectDepth::WatchEvent) ==
        json{{"type", "ADDED"}, {"object", left}});
  const auto stored = webhook::read_runtime("TrainingRuntime", large.dump());
  CHECK(stored->json.empty());
}

TEST_CASE("an object that is nested too deeply is not checked; those beside it are") {
  const auto nested = [](size_t levels) {
    json value = "a";
    for (size_t i = 0; i < levels; ++i) value = json::array({std::move(value)});
    json object = job(1);
    object["spec"]["trainer"]["args"] = value;
    return object;
  };
  const size_t most = webhook::kDeepest - 2;  // spec.trainer
  json left = nested(most);
  CHECK(webhook::parse_objects(left.dump(), webhook::ObjectDepth::Alone) == left);
  left["spec"] = nullptr;
  CHECK(webhook::parse_objects(nested(most + 1).dump(), webhook::ObjectDepth::Alone) == left);
  CHECK(
      warnings(nested(1'000)) ==
      std::vector<std::string>{
          "trainjobc does not check this: the TrainJob has more than 10000 values, 1024 KiB or 200 levels"});
  const json list{{"metadata", {}}, {"items", {job(1), nested(most + 1), job(2)}}};
  CHECK(webhook::parse_objects(list.dump(), webhook::ObjectDepth::List) ==
        json{{"metadata", {}}, {"items", {job(1), left, job(2)}}});
}

TEST_CASE("what is no object is not read") {
  for (const std::string& text :
       {std::string("[]"), std::string("{"), fmt::format("{{\"a\":{}", std::string(300, '['))})
    CHECK(!webhook::parse_objects(text, webhook::ObjectDepth::Alone));
}

}  // namespace trainjobc::webhook_object_test
