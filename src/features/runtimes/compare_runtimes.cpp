// SPDX-License-Identifier: Apache-2.0

#include "features/runtimes/compare_runtimes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "features/diff/difference_text.h"
#include "features/diff/live/server_fields.h"
#include "features/diff/path_nodes.h"
#include "k8s/object_meta.h"
#include "model/trainer_names.h"
#include "schema/compare.h"
#include "schema/defaults.h"

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

// Of runtimes with the same name, the first is used.
std::map<std::string, const InputObject*> runtimes_by_id(const std::vector<InputObject>& objects) {
  std::map<std::string, const InputObject*> by_id;
  for (const InputObject& object : objects) {
    if (object.is_runtime()) by_id.try_emplace(id_of(object), &object);
  }
  return by_id;
}

// With all defaults, and without the namespace, which is part of the id.
const Node* full_runtime(const Node& root, const schema::Schema& schema, const Maker& make) {
  const Node* node = diff::without_server_fields(root, make);
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
    diff::Difference shown{
        .path = field.path, .live = field.live, .rendered = field.rendered, .order = field.order};
    const diff::ValueTexts values = diff::value_texts(shown);
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
    const base::Location at = yaml::locate(*runtime->root);
    RuntimeVerdict verdict{
        id, fmt::format("{}:{}", at.file ? at.file->name() : "", at.line), RuntimeState::OnlyHere, {}};
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

}  // namespace trainjobc::runtimes
