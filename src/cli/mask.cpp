#include "cli/mask.h"

#include <vector>

namespace trainjobc::cli {

const yaml::Node* mask_secret(const yaml::Node& object, const yaml::Maker& make) {
  const yaml::Node* kind = object.get("kind");
  if (!kind || kind->text() != "Secret") return &object;
  const yaml::Node* masked = &object;
  for (const std::string_view key : {"data", "stringData"}) {
    const yaml::Node* data = object.get(key);
    if (!data || !data->is_map()) continue;
    std::vector<yaml::Entry> entries(data->entries().begin(), data->entries().end());
    for (yaml::Entry& entry : entries) entry.value = make.string("***", entry.value->origin());
    masked = make.with(masked, key, make.map(entries, data->origin()));
  }
  return masked;
}

}  // namespace trainjobc::cli
