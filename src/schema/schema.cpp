// SPDX-License-Identifier: Apache-2.0

#include "schema/schema.h"

#include <algorithm>
#include <string>

namespace trainjobc::schema {

const Property* Schema::property(std::string_view name) const {
  const uint64_t prefix = base::prefix_of(name);
  auto found = std::ranges::lower_bound(properties, prefix, {}, &Property::prefix);
  for (; found != properties.end() && found->prefix == prefix; ++found) {
    if (found->name == name) return &*found;
  }
  return nullptr;
}

const Schema* Schema::child(std::string_view key) const {
  const Property* known = property(key);
  return known ? known->schema : additional;
}

const KindSchema* VersionSchemas::kind(std::string_view name) const {
  return base::find(kinds, name, &KindSchema::kind);
}

const VersionSchemas* find_version(std::string_view trainer) {
  return base::find(all_versions(), trainer, &VersionSchemas::trainer);
}

const VersionSchemas& version_or_newest(std::string_view trainer) {
  const VersionSchemas* known = find_version(trainer);
  if (known) return *known;
  // A preview's name has a suffix: "2.4-preview".
  const auto versions = all_versions();
  const auto newest = std::ranges::find_if(
      versions.rbegin(), versions.rend(),
      [](const VersionSchemas& version) { return version.trainer.find('-') == std::string_view::npos; });
  return *newest;
}

const FieldDescription* describe_field(std::string_view type, std::string_view field) {
  const auto find = [](const std::string& name) -> const FieldDescription* {
    const auto all = all_descriptions();
    const auto found = std::ranges::lower_bound(all, std::string_view(name), {}, &FieldDescription::name);
    return found != all.end() && found->name == name ? &*found : nullptr;
  };
  if (type.empty() || field.empty()) return nullptr;
  const std::string prefix = std::string(type) + ".";
  if (const FieldDescription* own = find(prefix + std::string(field))) return own;
  const FieldDescription* others = find(prefix);
  return others ? describe_field(others->type, field) : nullptr;
}

}  // namespace trainjobc::schema
