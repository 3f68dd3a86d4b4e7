// SPDX-License-Identifier: Apache-2.0

#include "features/diff/live/server_fields.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/base64.h"
#include "k8s/object_meta.h"
#include "secret/secret.h"
#include "yaml/fields.h"

namespace trainjobc::diff {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

constexpr std::array<std::string_view, 11> kMetadata{"creationTimestamp",
                                                     "deletionGracePeriodSeconds",
                                                     "deletionTimestamp",
                                                     "finalizers",
                                                     "generateName",
                                                     "generation",
                                                     "managedFields",
                                                     "ownerReferences",
                                                     "resourceVersion",
                                                     "selfLink",
                                                     "uid"};

bool is_secret(const Node& object) {
  return text_at(object, "kind") == "Secret";
}

const Node* stored_data(const Node* object, const Maker& make) {
  const Node* given = object->get("stringData");
  if (!given || !given->is_map()) return object;
  const Node* data = object->get("data");
  if (data && !data->is_map()) data = nullptr;
  for (const Entry& entry : given->entries()) {
    data = make.with(data, entry.key,
                     make.copied(base::base64_encode(entry.value->text()), entry.value->origin()));
  }
  object = make.with(object, "data", data);
  return make.with(object, "stringData", nullptr);
}

// A Secret without a type is stored as Opaque.
const Node* without_default_type(const Node* secret, const Maker& make) {
  return text_at(*secret, "type") == "Opaque" ? make.with(secret, "type", nullptr) : secret;
}

}  // namespace

const Node* without_server_fields(const Node& object, const Maker& make) {
  const Node* result = make.with(&object, "status", nullptr);
  if (is_secret(object)) result = without_default_type(stored_data(result, make), make);
  const Node* metadata = object.get("metadata");
  if (!metadata || !metadata->is_map()) return result;
  std::vector<Entry> entries(metadata->entries().begin(), metadata->entries().end());
  std::erase_if(
      entries, [](const Entry& entry) { return std::ranges::find(kMetadata, entry.key) != kMetadata.end(); });
  metadata = make.map(entries, metadata->origin());
  const Node* annotations = metadata->get("annotations");
  if (annotations && annotations->get(secret::kLastApplied)) {
    annotations = make.with(annotations, secret::kLastApplied, nullptr);
    metadata = make.with(metadata, "annotations", annotations->size() > 0 ? annotations : nullptr);
  }
  return make.with(result, "metadata", metadata);
}

Sides mask_secrets(Sides objects, const Maker& make) {
  const auto mark = [&](const Node* node) { return node ? secret::mark_secrets(*node, make) : nullptr; };
  const secret::BeforeAfter shown = secret::masked({mark(objects.live), mark(objects.rendered)}, make);
  return {shown.before, shown.after};
}

}  // namespace trainjobc::diff
