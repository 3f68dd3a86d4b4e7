// SPDX-License-Identifier: Apache-2.0

#include "features/explain/explain.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "compile/merge/merge.h"
#include "schema/compare.h"
#include "schema/redact.h"
#include "features/diff/compare_objects.h"
#include "features/diff/difference_text.h"
#include "features/diff/object_schemas.h"
#include "features/diff/path_nodes.h"

namespace trainjobc::explain {
namespace {

using yaml::Node;

// What a part of a JobSet was in the runtime, and after each override of the job; or what each of them says.
struct Merge {
  std::span<const Node* const> steps;
  bool is_metadata = false;

  std::string name_of(size_t step) const {
    if (step == 0) return "runtime";
    if (is_metadata && step == 1) return "job";
    return fmt::format("override {}", is_metadata ? step - 1 : step);
  }
};

std::optional<Merge> merge_of(const Node& node) {
  const yaml::Derivation* made = node.origin().derivation();
  if (!made) return std::nullopt;
  const bool is_metadata = made->rule == compile::kMergedMetadataRule;
  if (!is_metadata && made->rule != compile::kMergedRule) return std::nullopt;
  return Merge{made->inputs, is_metadata};
}

class Walk {
 public:
  Walk(const Wanted& wanted, diff::InputFields& inputs, const yaml::Maker& make,
       std::vector<FieldOrigin>& out)
      : wanted_(wanted), inputs_(inputs), make_(make), out_(out) {}

  void visit(const Node& node, const schema::Schema* schema) {
    const std::optional<Merge> merge = merge_of(node);
    if (!merge) {
      visit_fields(node, schema);
      return;
    }
    const Merge outer = std::exchange(merge_, *merge);
    const std::vector<const Node*> outer_values =
        std::exchange(values_, {merge->steps.begin(), merge->steps.end()});
    visit_fields(node, schema);
    merge_ = outer;
    values_ = outer_values;
  }

 private:
  void visit_fields(const Node& node, const schema::Schema* schema) {
    if (node.size() == 0 || node.is_scalar()) {
      add(node);
      return;
    }
    for (const yaml::Entry& entry : node.entries())
      descend({.schema = schema, .key = entry.key}, *entry.value, node.size());
    for (size_t i = 0; i < node.items().size(); ++i) {
      const Node* item = node.items()[i];
      descend({.schema = schema, .item = item, .index = i}, *item, node.size());
    }
  }

  void descend(const schema::Step& step, const Node& value, size_t size) {
    path_.push_back(step);
    sizes_.push_back(size);
    enter(step);
    visit(value, schema::value_schema(step));
    values_.resize(values_.size() - merge_.steps.size());
    path_.pop_back();
    sizes_.pop_back();
  }

  void enter(const schema::Step& step) {
    const size_t count = merge_.steps.size();
    for (size_t i = 0; i < count; ++i) {
      const Node* parent = values_[values_.size() - count];
      values_.push_back(parent ? diff::child_like(*parent, step) : nullptr);
    }
  }

  void add(const Node& node) {
    FieldOrigin field;
    if (wanted_.paths || !wanted_.field.selects_all()) {
      field.path = schema::to_string(path_);
      if (!selects(field.path)) return;
      field.short_path = diff::short_path(path_);
    }
    field.value = &node;
    field.location = yaml::locate(node);
    field.input_field = inputs_.of(node);
    if (const yaml::Derivation* made = node.origin().derivation()) field.rule = made->rule;
    add_earlier(node, field);
    out_.push_back(std::move(field));
  }

  bool selects(const std::string& path) const {
    return wanted_.field.selects_all() ||
           wanted_.field.selects({path_, sizes_, path, schema::to_keyed_string(path_)});
  }

  // The value at each step of the merge, where it differs from the step before.
  void add_earlier(const Node& node, FieldOrigin& field) const {
    const std::span<const Node* const> values = std::span(values_).last(merge_.steps.size());
    for (size_t step = 0; step < values.size(); ++step) {
      if (!values[step]) continue;
      const Node* value = schema::masked(*schema::mark_secrets(*values[step], make_), make_);
      if (!field.earlier.empty() && yaml::equal(*value, *field.earlier.back().value)) continue;
      field.earlier.push_back({merge_.name_of(step), value, yaml::locate(*values[step])});
    }
    // The last step may be what is rendered.
    if (!field.earlier.empty() && yaml::equal(*field.earlier.back().value, node)) field.earlier.pop_back();
  }

  const Wanted& wanted_;
  diff::InputFields& inputs_;
  const yaml::Maker& make_;
  std::vector<FieldOrigin>& out_;
  schema::FieldPath path_;
  std::vector<size_t> sizes_;  // of what the steps are in
  Merge merge_;                // of what is visited; no steps if it was not merged
  // By depth below the merge, for each of its steps: the node there; nullptr if there is none.
  std::vector<const Node*> values_;
};

}  // namespace

std::vector<ObjectOrigins> explain_objects(const std::vector<Object>& objects,
                                           const schema::VersionSchemas& schemas, const Wanted& wanted,
                                           diff::InputFields& inputs, const yaml::Maker& make) {
  const diff::ObjectSchemas known(schemas);
  std::vector<ObjectOrigins> out;
  for (const Object& object : objects) {
    ObjectOrigins origins;
    origins.id = diff::object_id(object.kind, object.ns, object.name);
    origins.title =
        fmt::format("{} {}{}{}", object.kind, object.ns, object.ns.empty() ? "" : "/", object.name);
    Walk(wanted, inputs, make, origins.fields).visit(*object.root, known.find(object.kind));
    if (!origins.fields.empty()) out.push_back(std::move(origins));
  }
  return out;
}

}  // namespace trainjobc::explain
