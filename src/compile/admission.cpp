// SPDX-License-Identifier: Apache-2.0

#include "compile/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/text/text.h"
#include "k8s/field.h"
#include "k8s/object_meta.h"
#include "k8s/pod/pod.h"
#include "model/behaviours.h"
#include "model/trainer_names.h"
#include "rules/rules.h"
#include "schema/typed.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile {
namespace {

// The webhook sets the times of patches; a job without patches is left alone.
bool is_rewritten(const yaml::Node& train_job) {
  const yaml::Node* patches = train_job.at({"spec", "runtimePatches"});
  if (!patches || !patches->is_list()) return false;
  return std::ranges::any_of(patches->items(), [](const yaml::Node* patch) {
    const yaml::Node* time = patch->is_map() ? patch->get("time") : nullptr;
    return !time || time->is_null();
  });
}

struct CheckedInput {
  const yaml::Node* root = nullptr;  // defaulted
  k8s::Violations violations;
};

CheckedInput check_input(const InputObject& object, const schema::VersionSchemas& schemas,
                         const yaml::Maker& make, bool is_accepted) {
  const schema::KindSchema* kind = schemas.kind(object.id.kind);
  CheckedInput checked;
  const auto take = [&](k8s::Violations violations) {
    std::ranges::move(violations, std::back_inserter(checked.violations));
  };
  if (!is_accepted)
    take(schema::find_unknown_fields(*object.root, *kind->schema, kind->kind, schemas.trainer));
  const yaml::Node* root = object.root;
  // The webhook runs before the schema is checked.
  const model::Behaviours* behaviours = model::find_behaviours(schemas.trainer);
  if (behaviours && behaviours->rewrites_jobs && object.id.kind == model::kTrainJob && is_rewritten(*root)) {
    root = schema::with_zero_values(*root, *kind->schema, make);
  }
  checked.root = schema::apply_defaults(*root, *kind->schema, make);
  if (is_accepted) return checked;
  schema::Validation validation = schema::validate_structure(*checked.root, *kind->schema);
  take(std::move(validation.violations));
  k8s::Violations metadata =
      k8s::validate_object_meta(*checked.root, k8s::NameRule::DnsSubdomain, kind->namespaced);
  const bool has_name = metadata.empty();
  take(std::move(metadata));
  // The API server evaluates no CEL rule on an object that it can't read, or whose name is wrong.
  if (validation.types_fit && has_name) take(schema::validate_cel(*checked.root, *kind->schema));
  return checked;
}

}  // namespace

void report(k8s::Violations violations, const std::string& object, base::Diagnostics& diagnostics) {
  for (base::Diagnostic& violation : violations) {
    violation.object = object;
    diagnostics.add(std::move(violation));
  }
}

AdmittedObject admit_input(const InputObject& object, const schema::VersionSchemas& schemas,
                           const yaml::Maker& make, base::Diagnostics& diagnostics, bool is_accepted) {
  CheckedInput checked = check_input(object, schemas, make, is_accepted);
  base::Diagnostics found;
  report(std::move(checked.violations), object.id.str(), found);
  AdmittedObject admitted;
  admitted.defaulted = checked.root;
  admitted.accepted = !found.has_errors();
  if (admitted.accepted) {
    const schema::Schema& schema = *schemas.kind(object.id.kind)->schema;
    admitted.root = schema::as_decoded(*checked.root, schema, make);
    admitted.encoded = schema::as_typed(*checked.root, schema, make);
  }
  diagnostics.append(std::move(found));
  return admitted;
}

// JobSet's mutating webhook decodes a JobSet into Go's types and encodes it again: a list or pointer without
// `omitempty` that was absent becomes null, and the schema, which validates the result, requires a value.

namespace {

using k8s::Field;
using schema::Property;
using schema::Schema;
using yaml::Node;

// Reports absent fields that the mutating webhook writes as null although the schema does not allow null.
class Nulls {
 public:
  explicit Nulls(k8s::Violations& out) : out_(out) {}

  void check(const Field& field, const Schema& schema) {
    const Node& node = *field.node();
    if (schema.items) {
      for (size_t i = 0; i < node.items().size(); ++i) {
        if (const Field item = field.item(i)) check(item, *schema.items);
      }
      return;
    }
    if (!node.is_map()) return;
    for (const yaml::Entry& entry : node.entries()) {
      if (entry.value->is_scalar()) continue;
      const Property* property = schema.property(entry.key);
      if (!property || !property->schema) continue;
      const Field value = field.child(entry.key);
      check(value, *property->schema);
    }
    for (const Property& property : schema.properties) {
      if (!becomes_null(schema, property)) continue;
      const Field value = field.child(property.name);
      if (!value) add_null(value, node, property);
    }
  }

 private:
  // Missing required fields are reported by the schema's own check, and times may be null.
  static bool becomes_null(const Schema& schema, const Property& property) {
    return property.wire == schema::Wire::Null && property.schema &&
           property.schema->format != schema::Format::DateTime &&
           !base::contains(schema.required, property.name);
  }

  void add_null(const Field& field, const Node& parent, const Property& property) {
    const bool is_list = property.schema->type != schema::Type::String;
    base::Diagnostic& found = k8s::jobset::add(
        out_, "jobset/type", field.path(),
        fmt::format("{} must {}: JobSet's webhook turns a missing value into null, which its schema refuses",
                    property.name, is_list ? "have items" : "be set, although it may be empty"),
        &parent, fmt::format("add {}: {}", property.name, is_list ? "[…]" : "\"\""));
    if (is_list) return;
    base::suggest_fix(found, yaml::insert_into(parent, {fmt::format("{}: \"\"", property.name),
                                                        fmt::format("\"{}\": \"\"", property.name)}));
  }

  k8s::Violations& out_;
};

// The schema's rules are those of inputs: input/required becomes jobset/required here.
void append_as_job_set(k8s::Violations violations, k8s::Violations& out) {
  constexpr std::string_view kPrefix = "input/";
  for (base::Diagnostic& violation : violations) {
    if (violation.rule.starts_with(kPrefix))
      rules::set_rule(violation, "jobset/" + violation.rule.substr(kPrefix.size()));
    out.push_back(std::move(violation));
  }
}

using Fields = std::set<std::string>;

// The controller treats all ports without a name as one, and writes the last of them for each: such elements
// come from one place in the input. Adds the second of each list to `fields`.
void check_copied_ports(const Field& container, k8s::Violations& out, Fields& fields) {
  std::map<std::tuple<const base::SourceFile*, uint32_t, uint32_t>, size_t> times;
  const Field ports = container.child("ports");
  if (ports.size() < 2) return;
  k8s::for_each_item(ports, [&](const Field& port) {
    const base::Location place = port.location();
    if (!place.file || ++times[{place.file, place.line, place.column}] != 2) return;
    const base::Diagnostic& found = k8s::Report(out).add(
        "jobset/duplicate", port,
        "the controller treats ports without a name as one, and writes the last of them twice",
        "give each port a name");
    fields.insert(found.field);
  });
}

// Returns the fields that were reported.
Fields check_copied_ports(const yaml::Node& job_set, k8s::Violations& out) {
  Fields fields;
  const Field root(&job_set);
  const Field spec = root.child("spec");
  const Field jobs = spec.child("replicatedJobs");
  k8s::for_each_item(jobs, [&](const Field& job) {
    const Field job_template = job.child("template");
    const Field job_spec = job_template.child("spec");
    const Field pod_template = job_spec.child("template");
    const Field pod_spec = pod_template.child("spec");
    k8s::pod::for_each_container(pod_spec,
                                 [&](const Field& container) { check_copied_ports(container, out, fields); });
  });
  return fields;
}

}  // namespace

const yaml::Node* admit_job_set(const yaml::Node& job_set, const schema::Schema& schema,
                                const yaml::Maker& make) {
  return k8s::jobset::with_webhook_defaults(schema::apply_defaults(job_set, schema, make), make);
}

k8s::Violations validate_job_set(const yaml::Node& admitted, const schema::Schema& schema,
                                 const k8s::jobset::Behaviour& behaviour) {
  k8s::Violations out;
  schema::Validation structure = schema::validate_structure(admitted, schema);
  const Fields copied_ports = check_copied_ports(admitted, out);
  std::erase_if(structure.violations, [&](const base::Diagnostic& found) {
    return found.rule == "input/duplicate" && copied_ports.contains(found.field);
  });
  append_as_job_set(std::move(structure.violations), out);
  if (!structure.types_fit) return out;
  Nulls(out).check(Field(&admitted), schema);
  // The name was checked as the job's; labels and annotations come from the runtime's template.
  append_as_job_set(k8s::validate_labels(*admitted.get("metadata")), out);
  append_as_job_set(schema::validate_cel(admitted, schema), out);

  k8s::jobset::check_webhook_rules(admitted, behaviour, out);
  return out;
}

}  // namespace trainjobc::compile
