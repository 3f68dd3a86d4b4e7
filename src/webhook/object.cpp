// SPDX-License-Identifier: Apache-2.0

#include "webhook/object.h"

#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "k8s/object_meta.h"
#include "model/trainer_names.h"
#include "secret/secret.h"

namespace trainjobc::webhook {
namespace {

using Json = nlohmann::json;

// Includes what servers add: managedFields has as many values as the rest.
constexpr size_t kMostParsed = 3 * kMostValues;
// This many levels below an object are always read, for metadata.name.
constexpr size_t kHead = 2;

size_t count_values(const Json& value) {
  if (!value.is_structured()) return 1;
  return std::accumulate(value.begin(), value.end(), size_t{1},
                         [](size_t sum, const Json& child) { return sum + count_values(child); });
}

// With a callback, nlohmann's own reader takes time quadratic in the size of an array.
class BoundedReader final : public nlohmann::json_sax<Json> {
 public:
  explicit BoundedReader(size_t object_depth) : object_depth_(object_depth) {}

  Json root;

  bool null() override { return add(nullptr), true; }
  bool boolean(bool value) override { return add(value), true; }
  bool number_integer(Json::number_integer_t value) override { return add(value), true; }
  bool number_unsigned(Json::number_unsigned_t value) override { return add(value), true; }
  bool number_float(Json::number_float_t value, const std::string&) override { return add(value), true; }
  bool string(std::string& value) override { return add(std::move(value)), true; }
  bool binary(Json::binary_t&) override { return false; }
  bool start_object(size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    key_ = std::move(name);
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool is_too_large() const { return values_ > kMostParsed; }

  // Returns where the value is now; nullptr if it is left out.
  Json* add(Json value) {
    const size_t depth = open_.size();
    if (depth > object_depth_) ++values_;
    if (is_too_large() && depth > object_depth_ + kHead) return nullptr;
    if (depth == 0) return &(root = std::move(value));
    Json* parent = open_.back();
    if (!parent) return nullptr;
    if (parent->is_object()) return &((*parent)[key_] = std::move(value));
    parent->push_back(std::move(value));
    return &parent->back();
  }

  bool open(Json container) {
    if (open_.size() == object_depth_) values_ = 0;
    if (open_.size() > object_depth_ + kDeepest) values_ = kMostParsed + 1;
    open_.push_back(add(std::move(container)));
    return true;
  }

  bool close() {
    Json* closed = open_.back();
    open_.pop_back();
    const bool is_cut = is_too_large() && open_.size() == object_depth_;
    if (is_cut && closed && closed->is_object()) (*closed)["spec"] = nullptr;
    return true;
  }

  size_t object_depth_;
  std::vector<Json*> open_;
  std::string key_;
  size_t values_ = 0;
};

// Kueue's webhook, up to 0.16, copies a TrainJob's queue to spec.labels, which only Trainer 2.1 has; the API
// server drops the copy when it stores the job.
void remove_copied_queue(Json& object, const Json& metadata) {
  const std::string queue_label(model::kKueueLabel);
  const Json::json_pointer copies("/spec/labels");
  const Json::json_pointer labels("/labels");
  if (!object.contains(copies) || !object[copies].is_object() || !metadata.contains(labels / queue_label))
    return;
  Json& copied = object[copies];
  const auto copy = copied.find(queue_label);
  if (copy == copied.end() || metadata[labels / queue_label] != *copy) return;
  copied.erase(copy);
  if (copied.empty()) object["spec"].erase("labels");
}

}  // namespace

const Json& member(const Json& value, const char* key) {
  static const Json kNone;
  const auto found = value.is_object() ? value.find(key) : value.end();
  return value.is_object() && found != value.end() ? *found : kNone;
}

std::string text(const Json& value, const char* key) {
  const Json& found = member(value, key);
  return found.is_string() ? found.get<std::string>() : "";
}

std::optional<Json> parse_objects(std::string_view text, ObjectDepth depth) {
  BoundedReader reader(static_cast<size_t>(depth));
  if (!Json::sax_parse(text, &reader) || !reader.root.is_object()) return std::nullopt;
  return std::move(reader.root);
}

Json as_written(Json object) {
  object.erase("status");
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return object;
  remove_copied_queue(object, *metadata);
  for (const std::string_view key : k8s::kServerMetadata) metadata->erase(std::string(key));
  const auto annotations = metadata->find("annotations");
  if (annotations != metadata->end() && annotations->is_object()) {
    annotations->erase(std::string(secret::kLastApplied));
    if (annotations->empty()) metadata->erase("annotations");
  }
  return object;
}

std::optional<std::string> checkable_text(const Json& object) {
  const auto spec = object.find("spec");
  if (spec != object.end() && spec->is_null()) return std::nullopt;
  if (count_values(object) > kMostValues) return std::nullopt;
  std::string text = object.dump();
  if (text.size() > kLargestObject) return std::nullopt;
  return text;
}

}  // namespace trainjobc::webhook
