#include "tools/explain/explain.h"

#include <fmt/format.h>

#include "schema/compare.h"
#include "tools/diff/compare_objects.h"
#include "tools/diff/difference_text.h"
#include "tools/diff/object_schemas.h"

namespace trainjobc::explain {
namespace {

using yaml::Node;

class Walk {
 public:
  Walk(std::string_view wanted, diff::InputFields& inputs, std::vector<FieldOrigin>& out)
      : wanted_(wanted), inputs_(inputs), out_(out) {}

  void visit(const Node& node, const schema::Schema* schema) {
    if (node.size() == 0 || node.is_scalar()) {
      add(node);
      return;
    }
    for (const yaml::Entry& entry : node.entries())
      descend({.schema = schema, .key = entry.key}, *entry.value);
    for (size_t i = 0; i < node.items().size(); ++i) {
      const Node* item = node.items()[i];
      descend({.schema = schema, .item = item, .index = i}, *item);
    }
  }

 private:
  void descend(const schema::Step& step, const Node& value) {
    path_.push_back(step);
    visit(value, schema::value_schema(step));
    path_.pop_back();
  }

  void add(const Node& node) {
    FieldOrigin field;
    field.path = schema::to_string(path_);
    const std::string keyed = schema::to_keyed_string(path_);
    if (field.path.find(wanted_) == std::string::npos && keyed.find(wanted_) == std::string::npos) return;
    field.short_path = diff::short_path(path_);
    field.value = &node;
    field.location = yaml::locate(node);
    field.input_field = inputs_.of(node);
    if (const yaml::Derivation* made = node.origin().derivation()) field.rule = made->rule;
    out_.push_back(std::move(field));
  }

  std::string_view wanted_;
  diff::InputFields& inputs_;
  std::vector<FieldOrigin>& out_;
  schema::FieldPath path_;
};

}  // namespace

std::vector<ObjectOrigins> explain_objects(const std::vector<Object>& objects,
                                           const schema::VersionSchemas& schemas, std::string_view field) {
  const diff::ObjectSchemas known(schemas);
  diff::InputFields inputs;
  std::vector<ObjectOrigins> out;
  for (const Object& object : objects) {
    ObjectOrigins origins;
    origins.id = diff::object_id(object.kind, object.ns, object.name);
    origins.title =
        fmt::format("{} {}{}{}", object.kind, object.ns, object.ns.empty() ? "" : "/", object.name);
    Walk(field, inputs, origins.fields).visit(*object.root, known.find(object.kind));
    if (!origins.fields.empty()) out.push_back(std::move(origins));
  }
  return out;
}

}  // namespace trainjobc::explain
