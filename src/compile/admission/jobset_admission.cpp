// SPDX-License-Identifier: Apache-2.0

#include "compile/admission/jobset_admission.h"

#include "compile/admission/jobset_nulls.h"
#include "k8s/jobset/webhook.h"
#include "k8s/object_meta.h"
#include "rules/rules.h"
#include "schema/defaults.h"
#include "schema/validate.h"

namespace trainjobc::compile {
namespace {

// The schema reports rules of inputs: input/required becomes jobset/required here.
void append_as_job_set(k8s::Violations violations, k8s::Violations& out) {
  constexpr std::string_view kPrefix = "input/";
  for (base::Diagnostic& violation : violations) {
    if (violation.rule.starts_with(kPrefix))
      rules::set_rule(violation, "jobset/" + violation.rule.substr(kPrefix.size()));
    out.push_back(std::move(violation));
  }
}

// The controller treats all ports without a name as one and writes the last of them for each, so that the
// second comes from the same place in the input as the first.
void explain_copied_ports(k8s::Violations& violations) {
  for (base::Diagnostic& violation : violations) {
    const bool is_copy = violation.rule == "jobset/duplicate" && violation.field.ends_with("]") &&
                         violation.field.find(".ports[") != std::string::npos && !violation.notes.empty() &&
                         violation.notes.front().location == violation.location;
    if (!is_copy) continue;
    violation.message =
        "the controller treats ports without a name as one, and writes the last of them twice";
    violation.hint = "give each port a name";
    violation.notes.clear();
  }
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
  append_as_job_set(std::move(structure.violations), out);
  explain_copied_ports(out);
  if (!structure.types_fit) return out;
  check_written_nulls(admitted, schema, out);
  // The name was checked with the job's; labels and annotations come from the runtime's template.
  append_as_job_set(k8s::validate_labels(*admitted.get("metadata")), out);
  append_as_job_set(schema::validate_cel(admitted, schema), out);

  k8s::jobset::check_webhook_rules(admitted, behaviour, out);
  return out;
}

}  // namespace trainjobc::compile
