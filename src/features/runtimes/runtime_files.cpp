// SPDX-License-Identifier: Apache-2.0

#include "features/runtimes/runtime_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "features/diff/live/server_fields.h"
#include "k8s/name_syntax.h"
#include "k8s/object_meta.h"
#include "model/trainer_names.h"
#include "schema/defaults.h"
#include "yaml/write/writer.h"

namespace trainjobc::runtimes {
namespace {

using schema::Schema;
using yaml::Maker;
using yaml::Node;

const Schema* schema_of_key(const Schema& schema, std::string_view key) {
  const schema::Property* property = schema.property(key);
  return property ? property->schema : schema.additional;
}

// Without the values that equal the schema's defaults.
const Node* without_defaults(const Node& node, const Schema& schema, const Maker& make) {
  if (node.is_list() && schema.items) {
    std::vector<const Node*> items;
    for (const Node* item : node.items()) items.push_back(without_defaults(*item, *schema.items, make));
    return make.list(items, node.origin());
  }
  if (!node.is_map()) return &node;
  std::vector<yaml::Entry> entries;
  for (const yaml::Entry& entry : node.entries()) {
    const Schema* of_value = schema_of_key(schema, entry.key);
    if (!of_value) {
      entries.push_back(entry);
      continue;
    }
    const bool is_default = !of_value->default_json.empty() &&
                            yaml::equal(*entry.value, *schema::default_node(*of_value, make, {}));
    if (!is_default)
      entries.push_back({entry.key, without_defaults(*entry.value, *of_value, make), entry.key_origin});
  }
  return make.map(entries, node.origin());
}

// Without nulls, which mean nothing, and without a template's metadata if it contained nothing else.
const Node* without_nulls(const Node& node, const Maker& make) {
  if (node.is_list()) {
    std::vector<const Node*> items;
    for (const Node* item : node.items()) items.push_back(without_nulls(*item, make));
    return make.list(items, node.origin());
  }
  if (!node.is_map()) return &node;
  std::vector<yaml::Entry> entries;
  for (const yaml::Entry& entry : node.entries()) {
    if (entry.value->is_null()) continue;
    const Node* value = without_nulls(*entry.value, make);
    if (entry.key != "metadata" || value->size() > 0) entries.push_back({entry.key, value, entry.key_origin});
  }
  return make.map(entries, node.origin());
}

bool is_runtime(const diff::LiveObject& object) {
  return diff::group_of(object.api_version) == model::kTrainerGroup &&
         (object.kind == model::kClusterTrainingRuntime || object.kind == model::kTrainingRuntime);
}

}  // namespace

const Node* clean(const Node& runtime, const schema::VersionSchemas& schemas, const Maker& make) {
  const Node* cleaned = without_nulls(*diff::without_server_fields(runtime, make), make);
  const Node* kind = runtime.get("kind");
  const schema::KindSchema* known = kind ? schemas.kind(kind->text()) : nullptr;
  if (!known) return cleaned;
  const Node* full = schema::apply_defaults(*cleaned, *known->schema, make);
  const Node* bare = without_defaults(*full, *known->schema, make);
  const bool is_same = yaml::equal(*schema::apply_defaults(*bare, *known->schema, make), *full);
  return is_same ? bare : full;
}

std::vector<RuntimeFile> files_of(const diff::LiveSet& live, const schema::VersionSchemas& schemas) {
  std::vector<RuntimeFile> files;
  for (const diff::LiveObject& object : live.objects) {
    if (!is_runtime(object) || !k8s::is_dns_subdomain(object.name)) continue;
    base::Arena arena;
    const Maker make(arena);
    RuntimeFile file;
    const bool is_namespaced = object.kind == model::kTrainingRuntime;
    file.path = fmt::format("{}{}{}.yaml", is_namespaced ? k8s::effective_namespace(object.ns) : "",
                            is_namespaced ? "/" : "", object.name);
    const Node* root = make.with(object.root, "apiVersion", make.string(object.api_version));
    root = make.with(root, "kind", make.string(object.kind));
    yaml::write_yaml(*clean(*root, schemas, make), yaml::KeyOrder::Kubernetes, file.text);
    files.push_back(std::move(file));
  }
  std::ranges::sort(files, {}, &RuntimeFile::path);
  return files;
}

}  // namespace trainjobc::runtimes
