// SPDX-License-Identifier: Apache-2.0

#include "features/runtimes/runtimes.h"

#include <fmt/format.h>

#include <algorithm>

#include "features/cluster/live_fields.h"
#include "features/objects/difference_text.h"
#include "k8s/name_syntax.h"
#include "k8s/object_meta.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "schema/compare.h"
#include "schema/typed.h"
#include "secret/secret.h"
#include "yaml/changes.h"
#include "yaml/write/writer.h"

namespace trainjobc::runtimes {
namespace {

using compile::InputObject;
using yaml::Maker;
using yaml::Node;

std::string id_of(const InputObject& object) {
  if (object.kind == compile::InputKind::ClusterTrainingRuntime)
    return fmt::format("{}/{}", model::kClusterTrainingRuntime, object.id.name);
  return fmt::format("{}/{}/{}", model::kTrainingRuntime, k8s::effective_namespace(object.id.ns),
                     object.id.name);
}

// The runtimes by id; of several with the same name, the first one.
std::map<std::string, const InputObject*> runtimes_by_id(const std::vector<InputObject>& objects) {
  std::map<std::string, const InputObject*> by_id;
  for (const InputObject& object : objects) {
    if (object.is_runtime()) by_id.try_emplace(id_of(object), &object);
  }
  return by_id;
}

// The runtime with all defaults, and without the namespace, which is part of its id.
const Node* full_runtime(const Node& root, const schema::Schema& schema, const Maker& make) {
  const Node* node = cluster::without_server_fields(root, make);
  node = make.with_path(node, {"metadata", "namespace"}, nullptr);
  return schema::apply_defaults(*node, schema, make);
}

std::vector<RuntimeDifference> differences_of(const Node& own, const Node& other,
                                              const schema::Schema& schema) {
  base::Arena arena;
  const Maker make(arena);
  const Node* here = full_runtime(own, schema, make);
  const Node* there = full_runtime(other, schema, make);
  std::vector<RuntimeDifference> differences;
  for (const schema::FieldDifference& field : schema::compare(*here, *there, &schema)) {
    const secret::BeforeAfter sides = secret::masked({field.live, field.rendered}, make);
    objects::Difference shown{
        .path = field.path, .live = sides.before, .rendered = sides.after, .order = field.order};
    const objects::ValueTexts values = objects::value_texts(shown);
    RuntimeDifference difference{schema::to_keyed_string(field.path), values.live, values.rendered, {}};
    if (field.rendered) difference.location = yaml::locate(*field.rendered);
    differences.push_back(std::move(difference));
  }
  return differences;
}

}  // namespace

std::string_view to_string(RuntimeState state) {
  switch (state) {
    case RuntimeState::Same: return "same";
    case RuntimeState::Different: return "different";
    case RuntimeState::OnlyHere: return "only here";
    case RuntimeState::OnlyThere: return "only there";
  }
  return "";
}

std::vector<RuntimeVerdict> compare_runtimes(const std::vector<InputObject>& own,
                                             const std::vector<InputObject>& others,
                                             const schema::VersionSchemas& schemas, bool with_missing) {
  const auto there = runtimes_by_id(others);
  const auto here = runtimes_by_id(own);
  std::vector<RuntimeVerdict> verdicts;
  for (const auto& [id, runtime] : here) {
    RuntimeVerdict verdict{id, base::place_of(yaml::locate(*runtime->root)), RuntimeState::OnlyHere, {}};
    const auto other = there.find(id);
    const schema::KindSchema* kind = schemas.kind(id.substr(0, id.find('/')));
    if (other != there.end() && kind) {
      verdict.differences = differences_of(*runtime->root, *other->second->root, *kind->schema);
      verdict.state = verdict.differences.empty() ? RuntimeState::Same : RuntimeState::Different;
    }
    verdicts.push_back(std::move(verdict));
  }
  for (const auto& [id, runtime] : there) {
    if (with_missing && !here.contains(id)) verdicts.push_back({id, "", RuntimeState::OnlyThere, {}});
  }
  std::ranges::stable_sort(verdicts, {}, &RuntimeVerdict::id);
  return verdicts;
}

namespace {

using schema::Schema;

const Schema* schema_of_key(const Schema& schema, std::string_view key) {
  const schema::Property* property = schema.property(key);
  return property ? property->schema : schema.additional;
}

// The node without values that equal the schema's defaults.
const Node* without_defaults(const Node& node, const Schema& schema, const Maker& make) {
  return yaml::with_values(node, make, [&](std::string_view key, const Node& value) {
    const Schema* of_value = node.is_list() ? schema.items : schema_of_key(schema, key);
    if (!of_value) return &value;
    const bool is_default = node.is_map() && !of_value->default_json.empty() &&
                            yaml::equal(value, *schema::default_node(*of_value, make, {}));
    return is_default ? nullptr : without_defaults(value, *of_value, make);
  });
}

// The node without nulls, which have no meaning, and without a template's metadata if it contained nothing
// else.
const Node* without_nulls(const Node& node, const Maker& make) {
  if (node.is_list())
    return yaml::with_each(node, make, [&](const Node& item) { return without_nulls(item, make); });
  return yaml::with_values(node, make, [&](std::string_view key, const Node& value) {
    const Node* rest = without_nulls(value, make);
    return value.is_null() || (key == "metadata" && rest->size() == 0) ? nullptr : rest;
  });
}

bool is_runtime(const cluster::LiveObject& object) {
  return k8s::group_of(object.api_version) == model::kTrainerGroup && model::is_runtime_kind(object.kind);
}

}  // namespace

const Node* clean(const Node& runtime, const schema::VersionSchemas& schemas, const Maker& make) {
  const Node* cleaned = without_nulls(*cluster::without_server_fields(runtime, make), make);
  const Node* kind = runtime.get("kind");
  const schema::KindSchema* known = kind ? schemas.kind(kind->text()) : nullptr;
  if (!known) return cleaned;
  const Node* full = schema::apply_defaults(*cleaned, *known->schema, make);
  const Node* bare = without_defaults(*full, *known->schema, make);
  const bool is_same = yaml::equal(*schema::apply_defaults(*bare, *known->schema, make), *full);
  return is_same ? bare : full;
}

std::vector<RuntimeFile> files_of(const cluster::LiveSet& live, const schema::VersionSchemas& schemas) {
  std::vector<RuntimeFile> files;
  for (const cluster::LiveObject& object : live.objects) {
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

std::vector<RuntimeFile> policy_files_of(const cluster::LiveSet& live) {
  std::vector<RuntimeFile> files;
  for (const cluster::LiveObject& object : live.objects) {
    const bool is_policy = object.kind == "ValidatingAdmissionPolicy";
    const bool is_binding = object.kind == "ValidatingAdmissionPolicyBinding";
    if ((!is_policy && !is_binding) || !k8s::is_dns_subdomain(object.name)) continue;
    base::Arena arena;
    const Maker make(arena);
    const Node* root = make.with(object.root, "apiVersion", make.string(object.api_version));
    root = make.with(root, "kind", make.string(object.kind));
    root = without_nulls(*cluster::without_server_fields(*root, make), make);
    RuntimeFile file{fmt::format("{}/{}.yaml", is_policy ? "policies" : "bindings", object.name), ""};
    yaml::write_yaml(*root, yaml::KeyOrder::Kubernetes, file.text);
    files.push_back(std::move(file));
  }
  std::ranges::sort(files, {}, &RuntimeFile::path);
  return files;
}

void UseCollector::add(const std::vector<compile::InputObject>& objects,
                       const std::function<std::string(const std::string&)>& scope_of) {
  for (const compile::InputObject& object : objects) {
    if (object.kind != compile::InputKind::TrainJob) continue;
    const std::string ns(model::effective_namespace(object.id));
    const model::ObjectId runtime = model::runtime_of(*object.root, ns);
    if (runtime.name.empty()) continue;
    const base::Location at = yaml::locate(*object.root);
    const std::string scope = scope_of(at.file_name());
    std::string name(object.id.name);
    std::string place = base::place_of(at);
    if (!jobs_.insert({scope, ns, name, place}).second) continue;
    RuntimeUse& use =
        uses_[{scope, std::string(runtime.name), std::string(runtime.kind), std::string(runtime.ns)}];
    use.scope = scope;
    use.kind = runtime.kind;
    use.ns = runtime.ns;
    use.name = runtime.name;
    use.jobs.push_back({ns, std::move(name), std::move(place)});
  }
}

std::vector<RuntimeUse> UseCollector::take() {
  std::vector<RuntimeUse> out;
  for (auto& [key, use] : uses_) out.push_back(std::move(use));
  return out;
}

}  // namespace trainjobc::runtimes
