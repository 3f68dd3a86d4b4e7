// SPDX-License-Identifier: Apache-2.0

#include "tools/explain/explain.h"

#include <fmt/format.h>

#include "compile/merge/merge.h"
#include "schema/compare.h"
#include "schema/redact.h"
#include "tools/diff/compare_objects.h"
#include "tools/diff/difference_text.h"
#include "tools/diff/object_schemas.h"
#include "tools/diff/path_nodes.h"

namespace trainjobc::explain {
namespace {

using yaml::Node;

// The spec of a JobSet in the runtime, and after each override of the job.
std::span<const Node* const> merge_steps(const Object& object) {
  const Node* spec = object.kind == "JobSet" && object.train_job ? object.root->get("spec") : nullptr;
  const yaml::Derivation* made = spec ? spec->origin().derivation() : nullptr;
  return made && made->rule == compile::kMergedRule ? made->inputs : std::span<const Node* const>();
}

class Walk {
 public:
  Walk(const Wanted& wanted, const Object& object, diff::InputFields& inputs, const yaml::Maker& make,
       std::vector<FieldOrigin>& out)
      : wanted_(wanted), steps_(merge_steps(object)), inputs_(inputs), make_(make), out_(out) {}

  void visit(const Node& node, const schema::Schema* schema) {
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

 private:
  void descend(const schema::Step& step, const Node& value, size_t size) {
    path_.push_back(step);
    sizes_.push_back(size);
    visit(value, schema::value_schema(step));
    path_.pop_back();
    sizes_.pop_back();
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

  // A value of the JobSet's spec at each step of the merge, where it differs from the step before.
  void add_earlier(const Node& node, FieldOrigin& field) const {
    if (steps_.empty() || path_.empty() || path_.front().key != "spec") return;
    const schema::FieldPath below(path_.begin() + 1, path_.end());
    for (size_t step = 0; step < steps_.size(); ++step) {
      const auto nodes = diff::nodes_like(*steps_[step], below);
      if (nodes.size() != path_.size()) continue;
      const Node* value = schema::masked(*schema::mark_secrets(*nodes.back(), make_), make_);
      if (!field.earlier.empty() && yaml::equal(*value, *field.earlier.back().value)) continue;
      field.earlier.push_back(
          {step == 0 ? "runtime" : fmt::format("override {}", step), value, yaml::locate(*nodes.back())});
    }
    // The last step may be what is rendered.
    if (!field.earlier.empty() && yaml::equal(*field.earlier.back().value, node)) field.earlier.pop_back();
  }

  const Wanted& wanted_;
  std::span<const Node* const> steps_;
  diff::InputFields& inputs_;
  const yaml::Maker& make_;
  std::vector<FieldOrigin>& out_;
  schema::FieldPath path_;
  std::vector<size_t> sizes_;  // of what the steps are in
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
    Walk(wanted, object, inputs, make, origins.fields).visit(*object.root, known.find(object.kind));
    if (!origins.fields.empty()) out.push_back(std::move(origins));
  }
  return out;
}

}  // namespace trainjobc::explain
