// SPDX-License-Identifier: Apache-2.0

// A TrainJob, decoded for the code that computes with it. What is only passed on stays a node.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::model {

// A decoded value together with the node it was decoded from.

// `node` is never null after decoding; it lives as long as the tree.
template <class T>
struct Located {
  T value{};
  const yaml::Node* node = nullptr;
};

using LocatedInt = Located<int64_t>;
using LocatedText = Located<std::string_view>;

// nullopt if `node` is null, absent or of another type (which validation has reported).
std::optional<LocatedInt> decode_int(const yaml::Node* node);
std::optional<LocatedText> decode_text(const yaml::Node* node);

// The identity of an object. `ns` is "" for cluster-scoped kinds, and if the document names no namespace.
struct ObjectId {
  std::string_view kind;
  std::string_view ns;
  std::string_view name;
  bool namespaced = true;

  // "Kind/namespace/name", as reports name objects: an absent namespace counts as "default".
  std::string str() const;
};

ObjectId identify(const yaml::Node& document);

struct RuntimeRef {
  LocatedText name;
  std::string_view api_group;  // defaulted
  std::string_view kind;       // defaulted
  const yaml::Node* node = nullptr;
};

// spec.initializer.dataset and spec.initializer.model.
struct Initializer {
  const yaml::Node* node = nullptr;
  std::optional<LocatedText> storage_uri;
  const yaml::Node* env = nullptr;         // a list, or nullptr
  const yaml::Node* secret_ref = nullptr;  // a map, or nullptr
};

// spec.trainer.
struct Trainer {
  const yaml::Node* node = nullptr;
  const yaml::Node* image = nullptr;
  const yaml::Node* command = nullptr;  // a list; an empty one is not absent
  const yaml::Node* args = nullptr;     // a list; an empty one is not absent
  const yaml::Node* env = nullptr;      // a list, or nullptr
  std::optional<LocatedInt> num_nodes;
  const yaml::Node* num_proc_per_node = nullptr;   // a number; in Trainer 2.0 and 2.1 also a word
  const yaml::Node* resources_per_node = nullptr;  // limits, requests, claims
};

struct TrainJob {
  const yaml::Node* root = nullptr;     // with defaults, as Go decodes it
  const yaml::Node* encoded = nullptr;  // `root` as Go encodes it again: the input of a merge
  ObjectId id;
  std::string_view uid;
  bool is_owner = false;  // the objects that are created refer to it by its uid
  RuntimeRef runtime_ref;
  std::optional<Initializer> dataset;
  std::optional<Initializer> model;
  std::optional<Trainer> trainer;
  const yaml::Node* suspend = nullptr;
  const yaml::Node* managed_by = nullptr;
};

// `node` is spec.runtimeRef, or nullptr.
RuntimeRef decode_runtime_ref(const yaml::Node* node);

// `root` must have its defaults; values of the wrong type are left out.
TrainJob decode_train_job(const yaml::Node& root, const yaml::Node& encoded);

// The parts of a TrainJob that change its runtime's template. Each Trainer version has one of the three.

inline constexpr std::string_view kPodSpecOverrides = "podSpecOverrides";
inline constexpr std::string_view kPodTemplateOverrides = "podTemplateOverrides";
inline constexpr std::string_view kRuntimePatches = "runtimePatches";

// spec.podSpecOverrides[] or spec.podTemplateOverrides[].
struct PodOverride {
  const yaml::Node* node = nullptr;
  std::string_view field;  // which of the two
  std::vector<LocatedText> target_jobs;
  const yaml::Node* metadata = nullptr;  // podTemplateOverrides only
  const yaml::Node* spec = nullptr;      // for podSpecOverrides, the override itself
};

std::vector<PodOverride> decode_pod_overrides(const TrainJob& job);

// spec.runtimePatches[]
std::span<const yaml::Node* const> runtime_patches(const TrainJob& job);

// spec.runtimePatches[].trainingRuntimeSpec.template.spec.replicatedJobs[]
std::span<const yaml::Node* const> patched_jobs(const yaml::Node& runtime_patch);

}  // namespace trainjobc::model
